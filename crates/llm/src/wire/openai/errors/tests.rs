use serde_json::json;

use super::*;
use crate::wire::testing::context;

fn refused_with(status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
    refusal(&context("openai", "gpt-x"), status, headers, body)
}

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect()
}

fn refused(status: u16, body: &Value) -> Error {
    let status = StatusCode::from_u16(status).unwrap();
    refused_with(status, &HeaderMap::new(), &body.to_string())
}

#[test]
fn statuses_and_codes_have_meanings() {
    let coded = |code: &str| json!({"error": {"message": "no", "code": code}});
    let said = |message: &str| json!({"error": {"message": message}});
    let cases = [
        (400, coded("context_length_exceeded"), ErrorKind::BadRequest),
        (400, coded("content_filter"), ErrorKind::Blocked),
        (
            400,
            said("acme/x is not a valid model ID"),
            ErrorKind::UnknownModel,
        ),
        (
            400,
            said("The model `x` does not exist"),
            ErrorKind::UnknownModel,
        ),
        (
            400,
            said("call 1 of the model message not found"),
            ErrorKind::BadRequest,
        ),
        (401, coded("invalid_api_key"), ErrorKind::Unauthorized),
        (402, said("Insufficient credits"), ErrorKind::Unauthorized),
        (
            403,
            json!({"error": {"message": "flagged", "code": 403, "metadata": {"flagged_input": "…"}}}),
            ErrorKind::Blocked,
        ),
        (403, coded("model_not_found"), ErrorKind::UnknownModel),
        (404, json!({"detail": "Not Found"}), ErrorKind::UnknownModel),
        (408, json!({}), ErrorKind::Timeout),
        (409, json!({}), ErrorKind::Provider),
        (
            422,
            json!({"message": [{"loc": "body"}]}),
            ErrorKind::BadRequest,
        ),
        (429, coded("rate_limit_exceeded"), ErrorKind::RateLimited),
        (429, coded("insufficient_quota"), ErrorKind::Unauthorized),
        (500, json!({"error": "down"}), ErrorKind::Provider),
        (
            502,
            json!([{"error": {"message": "bad gateway"}}]),
            ErrorKind::Provider,
        ),
        (503, json!({}), ErrorKind::Overloaded),
        (529, json!({}), ErrorKind::Overloaded),
    ];
    for (status, body, kind) in cases {
        assert_eq!(refused(status, &body).kind, kind, "{status} {body}");
    }
}

#[test]
fn an_unknown_model_is_named_with_the_variables() {
    let body = json!({"error": {"message": "The model `gpt-x` does not exist", "code": "model_not_found"}});
    assert_eq!(
        refused(404, &body).detail.unwrap(),
        "check OPENAI_MODEL, now \"gpt-x\", and OPENAI_BASE_URL: The model `gpt-x` does not exist"
    );
}

#[test]
fn what_is_quoted_is_short_and_holds_no_key_and_no_page() {
    let body =
        json!({"error": {"message": "Incorrect API key provided: hunter22, sk-proj-abc***z."}});
    assert_eq!(
        refused(401, &body).detail.unwrap(),
        "see OPENAI_API_KEY: Incorrect API key provided: [key], [key]"
    );
    let page = format!("<html>{}</html>", "x".repeat(5000));
    let error = refused_with(StatusCode::BAD_GATEWAY, &HeaderMap::new(), &page);
    assert_eq!(
        (error.kind, error.detail.as_deref()),
        (ErrorKind::Provider, Some("an HTML page"))
    );
    let long = refused(500, &json!({"error": "y".repeat(5000)}));
    assert!(long.detail.unwrap().len() < 400);
    assert_eq!(refused(500, &json!({"error": {}})).detail, None);
}

#[test]
fn the_message_of_the_provider_behind_openrouter_is_kept() {
    let body = json!({"error": {"code": 429, "message": "Provider returned error", "metadata": {"raw": "slow down", "provider_name": "X"}}, "user_id": "u"});
    let error = refused(429, &body);
    assert_eq!(error.kind, ErrorKind::RateLimited);
    assert_eq!(error.detail.unwrap(), "Provider returned error: slow down");
}

#[test]
fn delays_come_in_milliseconds_seconds_or_as_a_date() {
    let delay = |pairs: &[(&'static str, &'static str)]| {
        refused_with(StatusCode::TOO_MANY_REQUESTS, &headers(pairs), "{}").retry_after
    };
    assert_eq!(delay(&[]), None);
    assert_eq!(
        delay(&[("retry-after", "7"), ("retry-after-ms", "120")]),
        Some(Duration::from_millis(120))
    );
    let now = ("date", "Sun, 06 Nov 1994 08:49:00 GMT");
    assert_eq!(
        delay(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"), now]),
        Some(Duration::from_secs(37))
    );
    assert_eq!(
        delay(&[("retry-after", "Sun, 06 Nov 1994 08:48:00 GMT"), now]),
        Some(Duration::ZERO)
    );
}

#[test]
fn delays_are_found_in_words() {
    let delay = |message: &str| refused(429, &json!({"error": {"message": message}})).retry_after;
    assert_eq!(
        delay("Please try again in 340ms."),
        Some(Duration::from_millis(340))
    );
    assert_eq!(
        delay("Please try again in 1m2.5s. Visit"),
        Some(Duration::from_millis(62_500))
    );
    assert_eq!(
        delay("Please retry after 26 seconds."),
        Some(Duration::from_secs(26))
    );
    assert_eq!(delay("Please try again in a while"), None);
    assert_eq!(delay("try again in 5 apples"), None);
    assert_eq!(delay("try again in 5"), None);
}

#[test]
fn the_server_may_say_whether_to_ask_again() {
    let error = |status: u16, answer: &'static str| {
        let status = StatusCode::from_u16(status).unwrap();
        refused_with(status, &headers(&[("x-should-retry", answer)]), "{}")
    };
    assert_eq!(error(429, "false").retry_after, Some(NEVER));
    assert_eq!(error(429, "true").retry_after, None);
    assert_eq!(error(400, "true").kind, ErrorKind::Provider);
    assert_eq!(error(400, "false").kind, ErrorKind::BadRequest);
}

#[test]
fn errors_in_a_stream_have_a_code_a_type_or_nothing() {
    let cases = [
        (
            json!({"code": 429, "message": "slow"}),
            ErrorKind::RateLimited,
        ),
        (
            json!({"code": "503", "message": "full"}),
            ErrorKind::Overloaded,
        ),
        (
            json!({"code": 502, "message": "upstream"}),
            ErrorKind::Provider,
        ),
        (json!({"type": "rate_limit_error"}), ErrorKind::RateLimited),
        (json!({"type": "overloaded_error"}), ErrorKind::Overloaded),
        (
            json!({"type": "invalid_request_error"}),
            ErrorKind::BadRequest,
        ),
        (
            json!({"type": "server_error", "message": "oops"}),
            ErrorKind::Provider,
        ),
        (json!({"code": "content_filter"}), ErrorKind::Blocked),
        (json!("it broke"), ErrorKind::Provider),
    ];
    for (error, kind) in cases {
        assert_eq!(
            in_stream(&context("openai", "gpt-x"), &error).kind,
            kind,
            "{error}"
        );
    }
}

#[test]
fn stray_text_may_be_an_error() {
    let stray = |text: &str| stray(&context("openai", "gpt-x"), text).kind;
    assert_eq!(
        stray("{\n \"error\": {\"code\": 429}\n}\n"),
        ErrorKind::RateLimited
    );
    assert_eq!(stray("<html>"), ErrorKind::Unreadable);
    assert_eq!(stray("{\"choices\": []}"), ErrorKind::Unreadable);
}
