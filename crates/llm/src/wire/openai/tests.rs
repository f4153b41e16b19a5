//! Behaviour that is particular to servers of chat completions, one test each.

mod answers;
mod requests;

use super::*;
use crate::ErrorKind;
use crate::wire::testing::{model, model_with};

fn at(mut model: ModelSetup, base_url: &str, server: ServerKind) -> OpenAi {
    model.base_url = base_url.to_owned();
    OpenAi::new(&model, server).unwrap()
}

fn openai(name: &str) -> OpenAi {
    OpenAi::new(&model("openai", name), ServerKind::OpenAi).unwrap()
}

fn compatible(base_url: &str, name: &str) -> OpenAi {
    let server = ServerKind::Compatible {
        stream_usage: true,
        json_schema: true,
    };
    at(model("openai_compatible", name), base_url, server)
}

fn vllm() -> OpenAi {
    compatible("http://127.0.0.1:8000/v1", "qwen3")
}

fn openrouter() -> OpenAi {
    let mut model = model("openrouter", "anthropic/claude-haiku-4.5");
    model.options.referer = Some("https://heliograph.example".to_owned());
    model.options.title = Some("Heliograph".to_owned());
    OpenAi::new(&model, ServerKind::OpenRouter).unwrap()
}

#[test]
fn the_endpoint_is_below_the_base() {
    let url = |base: &str| {
        let mut model = model("openai", "gpt-4o");
        model.base_url = base.to_owned();
        endpoint(&model, "chat/completions", "text/event-stream")
            .map(|endpoint| endpoint.url.to_string())
    };
    for base in [
        "https://api.openai.com/v1",
        "https://api.openai.com/v1/",
        " https://api.openai.com/v1/chat/completions",
    ] {
        assert_eq!(
            url(base).unwrap(),
            "https://api.openai.com/v1/chat/completions"
        );
    }
    assert_eq!(
        url("https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21").unwrap(),
        "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"
    );
    assert_eq!(url("nowhere").unwrap_err().kind, ErrorKind::BadRequest);
    assert_eq!(url("data:text").unwrap_err().kind, ErrorKind::BadRequest);
}

#[test]
fn the_key_is_sent_and_never_shown() {
    let client = http_client::http_client().unwrap();
    let ask = ChatRequest {
        messages: [crate::Message::user("Hi")].into(),
        ..ChatRequest::default()
    };
    let model = openrouter();
    let request = model.request(&client, &ask).unwrap().build().unwrap();
    assert_eq!(request.url().path(), "/api/v1/chat/completions");
    let header = |name: &str| request.headers()[name].to_str().unwrap();
    assert_eq!(header("authorization"), "Bearer hunter22");
    assert_eq!(header("http-referer"), "https://heliograph.example");
    assert_eq!(header("x-title"), "Heliograph");
    assert_eq!(header("accept"), "text/event-stream");
    assert_eq!(header("content-type"), "application/json");
    assert!(!format!("{model:?} {request:?}").contains("hunter22"));
}

#[test]
fn a_server_of_ones_own_may_want_no_key() {
    let client = http_client::http_client().unwrap();
    for key in [None, Some(" ".into())] {
        let model = model_with("openai", "x", |record| record.api_key = key);
        let ask = ChatRequest {
            messages: [crate::Message::user("Hi")].into(),
            ..ChatRequest::default()
        };
        let openai = OpenAi::new(&model, ServerKind::OpenAi).unwrap();
        let request = openai.request(&client, &ask);
        let request = request.unwrap().build().unwrap();
        assert!(!request.headers().contains_key("authorization"));
    }
    let unfit = model_with("openai", "x", |record| {
        record.api_key = Some("a\nb".into());
    });
    let error = OpenAi::new(&unfit, ServerKind::OpenAi).unwrap_err();
    assert!(!error.to_string().contains("a\nb"));
}
