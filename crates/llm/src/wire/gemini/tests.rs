use http::StatusCode;

use super::*;
use crate::wire::testing;
use crate::{ErrorKind, Message};

fn gemini(base_url: &str, model: &str) -> Result<Gemini, Error> {
    let mut model = testing::model("gemini", model);
    model.base_url = base_url.to_owned();
    Gemini::new(&model)
}

#[test]
fn addresses_may_have_their_version_and_models_their_collection() {
    let url = |base: &str, model: &str| gemini(base, model).unwrap().endpoint.url.to_string();
    let expected = "http://host/v1beta/models/gemini-9:streamGenerateContent?alt=sse";
    for base in [
        "http://host",
        "http://host/",
        "http://host/v1beta",
        "http://host/v1beta/",
    ] {
        assert_eq!(url(base, "gemini-9"), expected);
    }
    assert_eq!(url("http://host", "models/gemini-9"), expected);
    assert_eq!(
        url("http://host/v1", "tunedModels/mine"),
        "http://host/v1/tunedModels/mine:streamGenerateContent?alt=sse"
    );
    // Vertex AI, with an API key.
    assert_eq!(
        url(
            "https://aiplatform.googleapis.com/v1/publishers/google",
            "gemini-9"
        ),
        "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-9:streamGenerateContent?alt=sse"
    );
    assert_eq!(
        url("http://host/proxy?key=x", "../a b?c"),
        "http://host/proxy/v1beta/a%20b%3Fc:streamGenerateContent?alt=sse"
    );
    assert_eq!(gemini("host", "m").unwrap_err().kind, ErrorKind::BadRequest);
}

#[test]
fn the_key_is_in_a_header_only() {
    let client = http_client::external_http_client().unwrap();
    let request = ChatRequest {
        messages: [Message::user("Hi")].into(),
        ..ChatRequest::default()
    };
    let gemini = gemini("http://host", "gemini-9").unwrap();
    let built = gemini.request(&client, &request).unwrap().build().unwrap();
    assert_eq!(built.url().query(), Some("alt=sse"));
    assert_eq!(built.headers()["x-goog-api-key"], "hunter22");
    assert!(built.headers()["x-goog-api-key"].is_sensitive());
    assert!(!format!("{gemini:?} {built:?}").contains("hunter22"));
}

#[test]
fn an_unknown_model_is_named_with_its_variable() {
    let gemini = gemini("http://host", "gemini-9").unwrap();
    let error = gemini.refusal(StatusCode::NOT_FOUND, &HeaderMap::new(), "");
    assert_eq!(error.kind, ErrorKind::UnknownModel);
    assert!(
        error
            .detail
            .unwrap()
            .contains("\"gemini-9\" (GEMINI_MODEL)")
    );
}
