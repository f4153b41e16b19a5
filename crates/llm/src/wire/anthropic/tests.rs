use std::time::Duration;

use super::*;
use crate::Message;
use crate::wire::testing::{model, model_with};

fn anthropic(base_url: &str) -> Result<Anthropic, Error> {
    let mut model = model("anthropic", "claude-9");
    model.base_url = base_url.to_owned();
    Anthropic::new(&model)
}

fn refused(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Error {
    let headers = headers
        .iter()
        .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect();
    let status = StatusCode::from_u16(status).unwrap();
    anthropic("http://host")
        .unwrap()
        .refusal(status, &headers, body)
}

fn body(error_type: &str, message: &str) -> String {
    serde_json::json!({"type": "error", "error": {"type": error_type, "message": message}})
        .to_string()
}

#[test]
fn the_address_may_have_its_version_or_not() {
    for base in [
        "http://host",
        "http://host/",
        "http://host/v1",
        "http://host/v1/",
    ] {
        let url = anthropic(base).unwrap().endpoint.url;
        assert_eq!(url.as_str(), "http://host/v1/messages");
    }
    let behind = anthropic("https://gateway/claude").unwrap().endpoint.url;
    assert_eq!(behind.as_str(), "https://gateway/claude/v1/messages");
    assert_eq!(anthropic("host").unwrap_err().kind, ErrorKind::BadRequest);
}

#[test]
fn a_request_carries_key_and_version_in_headers() {
    let client = http_client::external_http_client().unwrap();
    let request = ChatRequest {
        messages: [Message::user("Hi")].into(),
        ..ChatRequest::default()
    };
    let anthropic = anthropic("http://host").unwrap();
    let built = anthropic
        .request(&client, &request)
        .unwrap()
        .build()
        .unwrap();
    let headers = built.headers();
    assert_eq!(headers["x-api-key"], "hunter22");
    assert!(headers["x-api-key"].is_sensitive());
    assert_eq!(headers["anthropic-version"], "2023-06-01");
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(built.url().query(), None);
    assert!(!format!("{anthropic:?}").contains("hunter22"));
}

#[test]
fn a_key_that_is_no_header_value_is_refused_without_being_shown() {
    let model = model_with("anthropic", "claude-9", |record| {
        record.api_key = Some("hunter\n22".into());
    });
    let error = Anthropic::new(&model).unwrap_err();
    assert!(!format!("{error:?}").contains("hunter"));
}

#[test]
fn refusals_mean_what_their_types_say() {
    let cases = [
        (400, "invalid_request_error", ErrorKind::BadRequest),
        (401, "authentication_error", ErrorKind::Unauthorized),
        (403, "permission_error", ErrorKind::Unauthorized),
        (404, "not_found_error", ErrorKind::UnknownModel),
        (413, "request_too_large", ErrorKind::BadRequest),
        (429, "rate_limit_error", ErrorKind::RateLimited),
        (500, "api_error", ErrorKind::Provider),
        (500, "overloaded_error", ErrorKind::Overloaded),
        (529, "overloaded_error", ErrorKind::Overloaded),
        (529, "new_error", ErrorKind::Overloaded),
    ];
    for (status, error_type, kind) in cases {
        assert_eq!(
            refused(status, &[], &body(error_type, "no")).kind,
            kind,
            "{status} {error_type}"
        );
    }
    let page = refused(502, &[], "<html>Bad gateway</html>");
    assert_eq!(page.kind, ErrorKind::Provider);
    assert_eq!(
        page.detail.unwrap(),
        "502 Bad Gateway: <html>Bad gateway</html>"
    );
}

#[test]
fn a_limit_tells_its_delay_in_a_header() {
    let error = refused(
        429,
        &[("retry-after", "7")],
        &body("rate_limit_error", "slow down"),
    );
    assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
}

#[test]
fn an_unknown_model_and_a_wrong_key_name_their_variables() {
    let unknown = refused(404, &[], &body("not_found_error", "model: claude-9"));
    assert_eq!(
        unknown.detail.unwrap(),
        "404 Not Found, model \"claude-9\" (ANTHROPIC_MODEL): model: claude-9"
    );
    let unauthorized = refused(401, &[], &body("authentication_error", "bad key hunter22"));
    assert_eq!(
        unauthorized.detail.unwrap(),
        "401 Unauthorized, see ANTHROPIC_API_KEY: bad key [key]"
    );
}
