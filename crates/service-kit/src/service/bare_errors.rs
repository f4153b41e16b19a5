//! Conversion of errors that no handler produced to problems.

use axum::response::{IntoResponse, Response};
use contracts::problem::Problem;
use http::header::{ALLOW, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};

use crate::problem::ApiError;

/// Replaces the bare answers of axum and its layers (an unknown path, a wrong method, a limit) with
/// problems. Answers that have a body of a type of their own are left alone.
pub(super) fn replace(response: Response) -> Response {
    if !is_bare_error(&response) {
        return response;
    }
    let status = response.status();
    let error = match status {
        StatusCode::NOT_FOUND => ApiError::route_not_found(),
        StatusCode::METHOD_NOT_ALLOWED => {
            ApiError::method_not_allowed(response.headers().get(ALLOW).cloned())
        }
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::body_too_large(),
        other => of_status(other),
    };
    let mut replaced = error.into_response();
    for (name, value) in response.headers() {
        if name != CONTENT_TYPE && name != CONTENT_LENGTH && !replaced.headers().contains_key(name)
        {
            replaced.headers_mut().insert(name.clone(), value.clone());
        }
    }
    replaced
}

fn is_bare_error(response: &Response) -> bool {
    let status = response.status();
    let content_type = response
        .headers()
        .get(CONTENT_TYPE)
        .map(HeaderValue::as_bytes);
    (status.is_client_error() || status.is_server_error())
        && content_type.is_none_or(|value| value.starts_with(b"text/plain"))
}

fn of_status(status: StatusCode) -> ApiError {
    let title = status.canonical_reason().unwrap_or("Error");
    let code = title
        .to_ascii_lowercase()
        .replace([' ', '-'], "_")
        .replace('\'', "");
    Problem::new(status.as_u16(), &code, title).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_status_has_a_code() {
        assert_eq!(
            of_status(StatusCode::IM_A_TEAPOT).problem().code,
            "im_a_teapot"
        );
        assert_eq!(
            of_status(StatusCode::URI_TOO_LONG).problem().code,
            "uri_too_long"
        );
    }

    #[test]
    fn an_answer_with_a_body_of_its_own_is_left_alone() {
        let own = (
            StatusCode::BAD_REQUEST,
            [(CONTENT_TYPE, "text/html")],
            "<p>no</p>",
        )
            .into_response();
        assert_eq!(replace(own).headers()[CONTENT_TYPE], "text/html");
        let bare = (StatusCode::BAD_REQUEST, [("x-kept", "1")], "no").into_response();
        let replaced = replace(bare);
        assert_eq!(replaced.headers()[CONTENT_TYPE], "application/problem+json");
        assert_eq!(replaced.headers()["x-kept"], "1");
    }
}
