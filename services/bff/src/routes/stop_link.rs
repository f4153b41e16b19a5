//! The page of the link in a mail that stops its schedule: for recipients, who need no account.
//!
//! Opening the link changes nothing, because mail programs open links by themselves. Its button,
//! and the one click of RFC 8058, post to the same address.

use axum::Router;
use axum::extract::{DefaultBodyLimit, State as Shared};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use contracts::schedules::{ScheduleStatus, StopLink, StopToken, UseStopLink};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, StatusCode};
use service_kit::client_address::ClientAddress;
use service_kit::problem::chain;
use service_kit::web::Path;
use uuid::Uuid;

use crate::state::State;

/// `List-Unsubscribe=One-Click`.
const BODY_LIMIT_BYTES: usize = 4 * 1024;

const POLICY: &str =
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The action in the audit log.
const ACTION: &str = "stop_schedule_by_link";

pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/stop/{token}", get(show).post(stop))
        .layer(DefaultBodyLimit::max(BODY_LIMIT_BYTES))
}

/// `GET /stop/{token}`: what the link stops.
async fn show(
    Shared(state): Shared<State>,
    Path(token): Path<String>,
    address: ClientAddress,
) -> Response {
    match used(&state, &token, false, address).await {
        Ok((_, link)) if link.status == ScheduleStatus::Active => {
            let said = format!(
                "<p>\u{201c}{}\u{201d} is sent to {}.</p><form method=\"post\"><button>Stop it</button></form>",
                escaped(&link.title),
                escaped(&link.recipient)
            );
            page(StatusCode::OK, "Stop these mails", &said)
        }
        Ok((_, link)) => stopped(&link),
        Err(refused) => refused.page(),
    }
}

/// `POST /stop/{token}`: stops it.
async fn stop(
    Shared(state): Shared<State>,
    Path(token): Path<String>,
    address: ClientAddress,
) -> Response {
    match used(&state, &token, true, address).await {
        Ok(((account, tenant), link)) => {
            let object = link.schedule_id.clone();
            state
                .audit
                .by_link(ACTION, (account, tenant), object, address)
                .await;
            stopped(&link)
        }
        Err(refused) => refused.page(),
    }
}

/// Why a link does nothing.
enum Refused {
    /// It is not valid, or its schedule does not exist.
    Invalid,
    /// Another attempt may succeed.
    Away,
    /// There were too many requests from the client's address; the seconds to wait.
    Limited(u64),
}

impl Refused {
    fn page(&self) -> Response {
        match self {
            Self::Invalid => page(
                StatusCode::NOT_FOUND,
                "This link is not valid",
                "<p>It is too old, the schedule was deleted, or it sends to another address. The link in a newer mail works; who made the schedule can stop it under \u{201c}Schedules and alerts\u{201d}.</p>",
            ),
            Self::Away => page(
                StatusCode::SERVICE_UNAVAILABLE,
                "Not stopped",
                "<p>Schedules cannot be changed at the moment. Try again in a minute.</p>",
            ),
            Self::Limited(seconds) => {
                let said = format!(
                    "<p>There were too many requests from your address. Try again in {seconds} second{}.</p>",
                    if *seconds == 1 { "" } else { "s" }
                );
                let page = page(StatusCode::TOO_MANY_REQUESTS, "Not stopped", &said);
                ([(RETRY_AFTER, seconds.to_string())], page).into_response()
            }
        }
    }
}

/// The schedule of a link with its owner.
async fn used(
    state: &State,
    token: &str,
    stop: bool,
    address: ClientAddress,
) -> Result<((Uuid, String), StopLink), Refused> {
    // Before the link is looked at: each attempt at guessing one counts.
    state
        .stop_links
        .take(&address.network().to_string())
        .map_err(|seconds| {
            tracing::warn!(client.address = %address.0, "the link of a mail was refused: too many requests");
            Refused::Limited(seconds)
        })?;
    let named: StopToken = token.parse().map_err(|_error| Refused::Invalid)?;
    let owner = Uuid::parse_str(&named.owner).map_err(|_error| Refused::Invalid)?;
    let wanted = UseStopLink {
        token: token.to_owned(),
        stop,
    };
    let link = state
        .upstreams
        .use_stop_link(&state.token_issuer, (owner, &named.tenant), &wanted)
        .await;
    match link {
        Ok(Some(link)) => Ok(((owner, named.tenant), link)),
        Ok(None) => Err(Refused::Invalid),
        Err(error) => {
            tracing::warn!(error = %chain(&error), "the link of a mail cannot be used");
            Err(Refused::Away)
        }
    }
}

fn stopped(link: &StopLink) -> Response {
    let said = format!(
        "<p>\u{201c}{}\u{201d} is not sent to {} any more. Its owner can continue it.</p>",
        escaped(&link.title),
        escaped(&link.recipient)
    );
    page(StatusCode::OK, "Stopped", &said)
}

fn page(status: StatusCode, heading: &str, said: &str) -> Response {
    let body = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <meta name=\"robots\" content=\"noindex\"><title>{heading} \u{2013} Heliograph</title></head>\
         <body><h1>{heading}</h1>{said}</body></html>\n"
    );
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ]
    .map(|(name, value)| (name, HeaderValue::from_static(value)));
    (status, headers, body).into_response()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
