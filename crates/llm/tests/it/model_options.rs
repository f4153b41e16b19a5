//! Options of a caller for the configured models.

use futures::StreamExt;
use llm::{AnswerSize, ChatRequest, ModelOptions};
use serde_json::json;
use test_support::provider::{Dialect, Turn};

use crate::support::{ask, config, fall_back_to, models, question, server};

#[tokio::test]
async fn the_model_that_is_chosen_for_is_asked_first_and_the_others_stand_behind_it() {
    let first = server(Dialect::Gemini, Turn::text("The first.")).await;
    let second = server(Dialect::Anthropic, Turn::text("The second.")).await;
    let mut config = config(&first);
    config.retries.attempts = 1;
    fall_back_to(&mut config, &second);
    let models = models(&config);
    let named = |name: &str| ModelOptions {
        model: Some(name.to_owned()),
        ..ModelOptions::default()
    };
    let asked = models.chat_with(&ModelOptions::default()).unwrap();
    assert_eq!(ask(&*asked).await.text, "The first.");
    let id = asked.id();
    let whole = id.to_string();
    for name in [&*id.model, &whole] {
        assert_eq!(models.chat_with(&named(name)).unwrap().id(), id);
    }
    let chosen = models.chat_with(&named("anthropic/test-model")).unwrap();
    assert_eq!(ask(&*chosen).await.text, "The second.");
    second.kill().await;
    assert_eq!(ask(&*chosen).await.text, "The first.");
    assert!(models.chat_with(&named("another-model")).is_none());
}

#[tokio::test]
async fn a_request_is_filled_in() {
    let server = server(Dialect::OpenAi, Turn::text("Yes.")).await;
    let options = ModelOptions {
        temperature: Some(0.25),
        max_output_tokens: Some(77),
        ..ModelOptions::default()
    };
    let model = models(&config(&server)).chat_with(&options).unwrap();
    assert_eq!(ask(&*model).await.text, "Yes.");
    let body = &server.seen()[0].body;
    assert_eq!(body["temperature"], json!(0.25), "{body}");
    let most = body.get("max_tokens").or(body.get("max_completion_tokens"));
    assert_eq!(most, Some(&json!(77)), "{body}");
}

#[tokio::test]
async fn a_classification_is_short_where_no_thoughts_count_as_its_tokens() {
    for (dialect, model, brief) in [
        (Dialect::OpenAi, "gpt-4o", 137),
        (Dialect::OpenAi, "o3", 4_000),
        (Dialect::OpenRouter, "test-model", 137),
        (Dialect::Anthropic, "test-model", 137),
    ] {
        let server = server(dialect, Turn::text("Yes.")).await;
        let mut config = config(&server);
        config.model = Some(model.to_owned());
        config.classification_tokens = 137;
        let model = models(&config).chat();
        for (size, most) in [(AnswerSize::Brief, brief), (AnswerSize::Full, 4_000)] {
            let request = ChatRequest { size, ..question() };
            model.stream(request).count().await;
            let seen = server.seen();
            let body = &seen.last().unwrap().body;
            let sent = body.get("max_tokens").or(body.get("max_completion_tokens"));
            assert_eq!(sent, Some(&json!(most)), "{dialect:?}: {body}");
        }
    }
}
