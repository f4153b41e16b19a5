//! Assistants, messages, threads, runs and schedules: everything that is passed on to the
//! orchestrator as it comes, under other paths.

use axum::body::Bytes;
use axum::response::Response;
use contracts::openapi::passed_on::ORCHESTRATOR_PATHS as PATHS;
use http::HeaderValue;
use http::header::LOCATION;
use service_kit::problem::ApiError;

use super::passed_on::Inbound;
use crate::proxy::Tier;

/// Passes an operation on.
pub(super) async fn pass_on(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let path = inner_path(inbound.uri.path())
        .ok_or_else(|| ApiError::not_found("There is none of this id that is yours."))?;
    let path = match inbound.uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    };
    let mut response = inbound
        .forward(Tier::Orchestrator, &path, body, false)
        .await?;
    if let Some(location) = response.headers().get(LOCATION).and_then(outer_location) {
        response.headers_mut().insert(LOCATION, location);
    }
    Ok(response)
}

/// The path at the orchestrator. `None` for an id that would reach another path there.
fn inner_path(path: &str) -> Option<String> {
    let (outer, inner) = PATHS.iter().find(|(outer, _)| {
        path.strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })?;
    let rest = path.strip_prefix(outer)?;
    let plain = |segment: &str| {
        !matches!(segment, "." | "..")
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte))
    };
    rest.split('/').all(plain).then(|| format!("{inner}{rest}"))
}

/// The location of a new resource, as clients of this service reach it.
fn outer_location(location: &HeaderValue) -> Option<HeaderValue> {
    let path = location.to_str().ok()?;
    let (outer, inner) = PATHS.iter().find(|(_, inner)| path.starts_with(inner))?;
    HeaderValue::from_str(&path.replacen(inner, outer, 1)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_keep_what_follows() {
        let inner = |path| inner_path(path).unwrap();
        assert_eq!(inner("/api/chat"), "/ai/chat");
        assert_eq!(inner("/api/chat/a.b:c/stream"), "/ai/chat/a.b:c/stream");
        assert_eq!(inner("/api/threads/t1/messages"), "/v1/threads/t1/messages");
        assert_eq!(inner("/api/v0/chat/messages"), "/v1/messages");
        assert_eq!(inner("/api/agent/stream"), "/internal/chat/stream");
    }

    #[test]
    fn an_id_can_not_lead_elsewhere() {
        for path in [
            "/api/threads/..",
            "/api/threads/../../health/live",
            "/api/threads/%2e%2e",
            "/api/chat/a%2Fb/stream",
            "/api/chatter",
            "/health/live",
        ] {
            assert_eq!(inner_path(path), None, "{path}");
        }
    }

    #[test]
    fn what_is_new_is_found_here() {
        let location = HeaderValue::from_static("/v1/threads/t1");
        assert_eq!(outer_location(&location).unwrap(), "/api/threads/t1");
    }
}
