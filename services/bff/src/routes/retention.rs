//! `GET` and `PUT /api/retention`: the orchestrator keeps the part of conversations, this service
//! that of the audit log.

use axum::extract::State as Shared;
use contracts::kept::{ChangeRetention, Retention};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method};
use http_body_util::{BodyExt, Limited};
use service_kit::problem::ApiError;
use service_kit::web::{CleanUrl, Json};

use crate::credential::Caller;
use crate::proxy::{Forward, Tier};
use crate::state::State;
use crate::{error, retention};

/// Maximum size of the orchestrator's answer, in bytes.
const LARGEST_ANSWER: usize = 64 * 1024;

/// `GET /api/retention`.
pub(super) async fn get_retention(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
) -> Result<Json<Retention>, ApiError> {
    let of_threads = at_orchestrator(&state, &caller, Method::GET, Vec::new()).await?;
    let own = retention::own(&state.pool, &caller.account.tenant).await;
    let own = own.map_err(error::database)?;
    Ok(Json(whole(&state, &caller, of_threads, own)))
}

/// `PUT /api/retention`. Both parts are checked before the first is stored; a request that failed
/// between the two can be sent again.
pub(super) async fn set_retention(
    Shared(state): Shared<State>,
    caller: Caller,
    _: CleanUrl,
    Json(change): Json<ChangeRetention>,
) -> Result<Json<Retention>, ApiError> {
    caller.note.object(words(change));
    let tenant = &caller.account.tenant;
    let own = retention::checked(&state.audit_config, tenant, change)?;
    let of_threads = ChangeRetention {
        audit_days: None,
        ..change
    };
    let body = serde_json::to_vec(&of_threads).map_err(ApiError::internal)?;
    let of_threads = at_orchestrator(&state, &caller, Method::PUT, body).await?;
    let set = retention::set(&state.pool, tenant, own, state.clock.now()).await;
    set.map_err(error::database)?;
    Ok(Json(whole(&state, &caller, of_threads, own)))
}

fn whole(state: &State, caller: &Caller, of_threads: Retention, own: retention::Own) -> Retention {
    let audit = retention::of(&state.audit_config, &caller.account.tenant, own);
    Retention {
        audit: Some(audit),
        ..of_threads
    }
}

/// A change in words, for the audit log.
fn words(change: ChangeRetention) -> String {
    let kinds = [
        ("threads", change.threads_days),
        ("runs", change.runs_days),
        ("audit", change.audit_days),
    ];
    let words = kinds.map(|(kind, days)| match days {
        Some(days) => format!("{kind} {days} days"),
        None => format!("{kind} as the installation"),
    });
    words.join("; ")
}

async fn at_orchestrator(
    state: &State,
    caller: &Caller,
    method: Method,
    body: Vec<u8>,
) -> Result<Retention, ApiError> {
    let json = HeaderValue::from_static("application/json");
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, json)]);
    let request = Forward {
        tier: Tier::Orchestrator,
        method,
        path: "/v1/retention",
        headers: &headers,
        body: body.into(),
        uploads: false,
    };
    let answer = state
        .upstreams
        .forward(&state.token_issuer, &caller.account, request)
        .await?;
    let body = Limited::new(answer.into_body(), LARGEST_ANSWER)
        .collect()
        .await;
    let body = body.map_err(ApiError::upstream_failed)?.to_bytes();
    serde_json::from_slice(&body).map_err(ApiError::upstream_failed)
}
