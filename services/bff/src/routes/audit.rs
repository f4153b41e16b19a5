//! `GET /api/audit`.

use axum::extract::State as Shared;
use contracts::access::ALL_TENANTS;
use contracts::audit::{AuditList, ListAudit};
use service_kit::problem::ApiError;
use service_kit::web::{Json, Query};

use crate::audit::Selection;
use crate::credential::Caller;
use crate::error;
use crate::state::State;

/// Entries in a page.
const PAGE: u32 = 100;
const LARGEST_PAGE: u32 = 500;

/// A page of the log of the caller's tenant. A caller of every tenant sees all of them, and
/// sign-ins with unknown names.
pub(super) async fn list_audit(
    Shared(state): Shared<State>,
    caller: Caller,
    Query(query): Query<ListAudit>,
) -> Result<Json<AuditList>, ApiError> {
    let limit = query.limit.unwrap_or(PAGE);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        let detail = format!("must be 1 to {LARGEST_PAGE}");
        return Err(ApiError::invalid_field("/limit", detail));
    }
    let before = query.cursor.as_deref().map(str::parse::<i64>);
    let before = before.transpose().map_err(|_not_a_number| {
        ApiError::invalid_field("/cursor", "is not a `next_cursor` of this list")
    })?;
    let tenant = match &query.tenant {
        None if caller.account.has(ALL_TENANTS) => None,
        tenant => Some(caller.account.reachable(tenant.as_deref())?),
    };
    let actor = match &query.actor {
        None => None,
        Some(name) => {
            let found = state.accounts.stored(name).await.map_err(error::database)?;
            let reached = found.filter(|found| caller.account.reaches(&found.account.tenant));
            let Some(found) = reached else {
                return Err(ApiError::invalid_field(
                    "/actor",
                    "there is no account of this name in your tenant",
                ));
            };
            Some(found.account.account_id)
        }
    };
    let selection = Selection {
        tenant,
        before,
        action: query.action,
        actor,
        person: None,
        outcome: query.outcome,
        since: query.since,
        until: query.until,
        limit: i64::from(limit) + 1,
    };
    let found = state.audit.read(selection).await;
    let mut entries = found.map_err(error::database)?;
    let more = entries.len() > limit as usize;
    entries.truncate(limit as usize);
    let last = entries.last().filter(|_| more);
    Ok(Json(AuditList {
        next_cursor: last.map(|last| last.id.clone()),
        entries,
    }))
}
