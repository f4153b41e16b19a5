//! What is particular about servers of chat completions, one test each.

mod answers;
mod requests;

use secrecy::SecretString;

use super::*;

fn settings(flavour: Flavour, base_url: &str, model: &str) -> OpenAiSettings {
    OpenAiSettings {
        base_url: base_url.to_owned(),
        api_key: Some(SecretString::from("hunter22")),
        model: model.to_owned(),
        flavour,
        extra_headers: HeaderMap::new(),
    }
}

fn openai(model: &str) -> OpenAi {
    OpenAi::new(settings(
        Flavour::OpenAi,
        "https://api.openai.com/v1",
        model,
    ))
    .unwrap()
}

fn compatible(base_url: &str, model: &str) -> OpenAi {
    let flavour = Flavour::Compatible {
        stream_usage: true,
        json_schema: true,
    };
    OpenAi::new(settings(flavour, base_url, model)).unwrap()
}

fn vllm() -> OpenAi {
    compatible("http://127.0.0.1:8000/v1", "qwen3")
}

fn openrouter() -> OpenAi {
    let flavour = Flavour::OpenRouter {
        referer: Some("https://heliograph.example".to_owned()),
        title: Some("Heliograph".to_owned()),
    };
    OpenAi::new(settings(
        flavour,
        "https://openrouter.ai/api/v1",
        "anthropic/claude-haiku-4.5",
    ))
    .unwrap()
}

#[test]
fn the_endpoint_is_below_the_base() {
    let url = |base: &str| endpoint(base, "chat/completions").map(|url| url.to_string());
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
    for key in [None, Some(SecretString::from(" "))] {
        let settings = OpenAiSettings {
            api_key: key,
            ..settings(Flavour::OpenAi, "http://127.0.0.1:8000/v1", "x")
        };
        let ask = ChatRequest {
            messages: [crate::Message::user("Hi")].into(),
            ..ChatRequest::default()
        };
        let request = OpenAi::new(settings).unwrap().request(&client, &ask);
        let request = request.unwrap().build().unwrap();
        assert!(!request.headers().contains_key("authorization"));
    }
    let unfit = OpenAiSettings {
        api_key: Some(SecretString::from("a\nb")),
        ..settings(Flavour::OpenAi, "http://127.0.0.1:8000/v1", "x")
    };
    let error = OpenAi::new(unfit).unwrap_err();
    assert!(!error.to_string().contains("a\nb"));
}
