//! Spans of model calls.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use llm::LlmConfig;
use test_support::provider::{Dialect, Turn};
use tracing::field::{Field, Visit};
use tracing::span;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use crate::support::{ask, chat, config, question, server};

/// The fields of the spans called `chat` or `embeddings`, in their order.
#[derive(Debug, Clone, Default)]
struct Spans(Arc<Mutex<BTreeMap<u64, BTreeMap<String, String>>>>);

impl Spans {
    fn only(&self) -> BTreeMap<String, String> {
        let spans = self.0.lock().unwrap();
        assert_eq!(spans.len(), 1, "{spans:?}");
        spans.values().next().unwrap().clone()
    }
}

impl<S: tracing::Subscriber> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &span::Attributes<'_>, id: &span::Id, _: Context<'_, S>) {
        if attributes.metadata().target().starts_with("llm") {
            let mut fields = Fields::default();
            attributes.record(&mut fields);
            self.0.lock().unwrap().insert(id.into_u64(), fields.0);
        }
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, _: Context<'_, S>) {
        if let Some(span) = self.0.lock().unwrap().get_mut(&id.into_u64()) {
            let mut fields = Fields::default();
            values.record(&mut fields);
            span.extend(fields.0);
        }
    }
}

#[derive(Debug, Default)]
struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

async fn observed(turn: Turn, change: fn(&mut LlmConfig)) -> BTreeMap<String, String> {
    let spans = Spans::default();
    let subscriber = tracing_subscriber::registry().with(spans.clone());
    let _guard = tracing::subscriber::set_default(subscriber);
    let server = server(Dialect::OpenAi, turn).await;
    let mut config = config(&server);
    change(&mut config);
    ask(&*chat(&config)).await;
    spans.only()
}

#[tokio::test]
async fn a_call_is_a_span_with_the_conventions_attributes_and_no_content() {
    let span = observed(Turn::text("Secretly four.").usage(11, 7), |_| {}).await;
    for (name, value) in [
        ("otel.name", "chat test-model"),
        ("otel.kind", "client"),
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "openai"),
        ("gen_ai.request.model", "test-model"),
        ("gen_ai.usage.input_tokens", "11"),
        ("gen_ai.usage.output_tokens", "7"),
    ] {
        assert_eq!(span.get(name).map(String::as_str), Some(value), "{name}");
    }
    let seconds: f64 = span["gen_ai.response.time_to_first_chunk"].parse().unwrap();
    assert!(seconds > 0.0);
    assert!(span.contains_key("gen_ai.response.model"));
    assert!(!span.contains_key("error.type"));
    let all = format!("{span:?}");
    assert!(!all.contains("Secretly") && !all.contains("roof"), "{all}");
}

#[tokio::test]
async fn content_is_recorded_when_configuration_says_so() {
    let span = observed(Turn::text("Four."), |config| {
        config.telemetry.record_content = true;
    })
    .await;
    let json = |name: &str| -> serde_json::Value { serde_json::from_str(&span[name]).unwrap() };
    assert_eq!(
        json("gen_ai.input.messages")[0]["parts"][0]["content"],
        "How much did the roof make?"
    );
    assert_eq!(
        json("gen_ai.system_instructions")[0]["content"],
        "Be brief."
    );
    let output = json("gen_ai.output.messages");
    assert_eq!(output[0]["parts"][0]["content"], "Four.");
    assert_eq!(output[0]["finish_reason"], "stop");
}

#[tokio::test]
async fn a_failed_call_says_what_failed() {
    let span = observed(Turn::overloaded(), |_| {}).await;
    assert_eq!(span["error.type"], "overloaded");
    assert_eq!(span["otel.status_code"], "ERROR");
}

#[tokio::test]
async fn retries_are_within_one_span() {
    let span = observed(Turn::overloaded(), |config| {
        config.retries.attempts = 3;
        config.retries.base_delay_ms = 1;
        config.retries.max_delay_ms = 1;
    })
    .await;
    assert_eq!(span["error.type"], "overloaded");
}

#[tokio::test]
async fn a_cancelled_call_is_not_a_failure() {
    let spans = Spans::default();
    let subscriber = tracing_subscriber::registry().with(spans.clone());
    let _guard = tracing::subscriber::set_default(subscriber);
    let server = server(Dialect::OpenAi, Turn::text("One two").stall_after(1)).await;
    let mut answer = chat(&config(&server)).stream(question());
    answer.next().await.unwrap().unwrap();
    drop(answer);
    let span = spans.only();
    assert_eq!(span["error.type"], "cancelled");
    assert!(!span.contains_key("otel.status_code"));
}
