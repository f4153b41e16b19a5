//! What models cost, and what happens when a budget is used up.

use http::StatusCode;
use orchestrator::Config;
use orchestrator::config::{DefaultAssistants, WhenSpent};
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Script, Seen, Turn};

use crate::bench::{ALICE, BOB, OTHER_ALICE, World, chat, read};

const QUESTION: &str = "What is machine learning?";

fn is_routing(seen: &Seen) -> bool {
    seen.wants_json()
}

async fn model() -> ModelServer {
    let route = json!({ "route": "general", "confidence": 0.9 });
    let answer = || {
        Turn::text("Machine learning is a way for computers to learn from examples.").usage(300, 20)
    };
    let script = Script::new()
        .when(is_routing, Turn::json(route).usage(100, 10))
        .then(answer())
        .then(answer());
    ModelServer::start(Dialect::OpenAi, script).await.unwrap()
}

fn config(world: &World, server: &ModelServer) -> Config {
    let mut config = world.config();
    config.runs.default_assistants = DefaultAssistants::all("data");
    config.llm.provider = Some("openai".into());
    let openai = config.llm.providers.get_mut("openai");
    openai.base_url = Some(server.base_url());
    openai.api_key = Some(server.key().into());
    let price = llm::config::PriceConfig {
        input: 2.0,
        cached_input: None,
        output: 10.0,
    };
    config.llm.prices.insert("openai/gpt-4o".to_owned(), price);
    config
}

async fn used(world: &World, owner: &str) -> Vec<(String, i64, i64, i64)> {
    sqlx::query_as(
        "SELECT owner, calls, input_tokens + output_tokens, cost_micros
         FROM orchestrator.model_usage WHERE owner = $1",
    )
    .bind(owner)
    .fetch_all(world.database.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn answers_are_counted_by_person_and_rules_answer_when_the_budget_is_used_up() {
    let world = World::new().await;
    let server = model().await;
    let mut config = config(&world, &server);
    config.budgets.person_tokens = Some(300);
    let replica = world.replica_with(config);
    let first = replica.open(ALICE, chat("t", QUESTION)).await.rest().await;
    let frames = Value::Array(first.frames()).to_string();
    assert!(frames.contains("learn from examples"), "{frames}");
    // 400 tokens in and 30 out: 0.0008 and 0.0003.
    assert_eq!(
        used(&world, "alice").await,
        [("alice".to_owned(), 2, 430, 1_100)]
    );
    let asked = server.counts().requests;
    let second = replica.open(ALICE, chat("t", QUESTION)).await.rest().await;
    let frames = Value::Array(second.frames()).to_string();
    assert!(
        frames.contains("budget for the language model is used up"),
        "{frames}"
    );
    assert!(frames.contains("I can answer questions"), "{frames}");
    assert_eq!(server.counts().requests, asked, "no model is asked");
    let other = replica.open(BOB, chat("b", QUESTION)).await.rest().await;
    let frames = Value::Array(other.frames()).to_string();
    assert!(frames.contains("learn from examples"), "{frames}");
}

#[tokio::test]
async fn tokens_from_a_cache_are_told_recorded_and_cost_less() {
    let world = World::new().await;
    let server = model().await;
    let mut config = config(&world, &server);
    let price = config.llm.prices.get_mut("openai/gpt-4o").unwrap();
    price.cached_input = Some(0.5);
    let route = json!({ "route": "general", "confidence": 0.9 });
    let answer = Turn::text("Machine learning is a way for computers to learn from examples.");
    server.play(
        Script::new()
            .when(is_routing, Turn::json(route).usage(100, 10))
            .otherwise(answer.usage(300, 20).cached(256)),
    );
    let replica = world.replica_with(config);
    let answer = replica.open(ALICE, chat("t", QUESTION)).await.rest().await;
    let frames = answer.frames();
    let end = frames.iter().find(|frame| frame["type"] == "finish");
    let usage = &end.unwrap()["messageMetadata"]["usage"];
    assert_eq!(
        *usage,
        json!({ "inputTokens": 400, "outputTokens": 30, "totalTokens": 430, "cachedInputTokens": 256 })
    );
    let recorded: (i64, i64) = sqlx::query_as(
        "SELECT cached_input_tokens, cost_micros FROM orchestrator.model_usage WHERE owner = $1",
    )
    .bind("alice")
    .fetch_one(world.database.pool())
    .await
    .unwrap();
    // 144 tokens at 2, 256 at 0.5, 30 at 10 for a million.
    assert_eq!(recorded, (256, 288 + 128 + 300));
}

#[tokio::test]
async fn messages_beyond_the_tenants_budget_are_refused_until_the_next_day() {
    let world = World::new().await;
    let server = model().await;
    let mut config = config(&world, &server);
    config.budgets.tenant_cost = Some(0.001);
    config.budgets.when_spent = WhenSpent::Refuse;
    let replica = world.replica_with(config);
    replica.open(ALICE, chat("t", QUESTION)).await.rest().await;
    let refused = replica.call(BOB, chat("b", QUESTION)).await;
    let wait: u64 = refused.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=86_400).contains(&wait));
    let (status, problem) = read(refused).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("organisation") && detail.contains("00:00 UTC"),
        "{detail}"
    );
    let elsewhere = replica
        .open(OTHER_ALICE, chat("e", QUESTION))
        .await
        .rest()
        .await;
    assert!(!elsewhere.frames().is_empty(), "another tenant has its own");
}

/// The recorded use of a person: tokens written, those of thoughts among them, and the cost.
async fn written(world: &World, owner: &str) -> (i64, i64, i64) {
    sqlx::query_as(
        "SELECT output_tokens, reasoning_tokens, cost_micros FROM orchestrator.model_usage WHERE owner = $1",
    )
    .bind(owner)
    .fetch_one(world.database.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn tokens_of_thoughts_are_told_recorded_paid_and_counted_in_budgets() {
    for dialect in [Dialect::OpenAi, Dialect::Gemini] {
        let world = World::new().await;
        let route = json!({ "route": "general", "confidence": 0.9 });
        let answer = Turn::text("Machine learning is a way for computers to learn from examples.");
        let answer = answer.thinking("Hm, hm.").usage(300, 520).thoughts(500);
        let script = Script::new()
            .when(is_routing, Turn::json(route).usage(100, 10).thoughts(4))
            .otherwise(answer);
        let server = ModelServer::start(dialect, script).await.unwrap();
        let mut config = world.config();
        config.runs.default_assistants = DefaultAssistants::all("data");
        config.llm.provider = Some(dialect.as_str().into());
        let provider = config.llm.providers.get_mut(dialect.as_str());
        provider.base_url = Some(server.base_url());
        provider.api_key = Some(server.key().into());
        provider.model = Some("scripted".to_owned());
        let price = llm::config::PriceConfig {
            input: 2.0,
            cached_input: None,
            output: 10.0,
        };
        let model = format!("{}/scripted", dialect.as_str());
        config.llm.prices.insert(model, price);
        // Without the thoughts, the first answer would leave some of it.
        config.budgets.person_tokens = Some(900);
        let replica = world.replica_with(config);
        let first = replica.open(ALICE, chat("t", QUESTION)).await.rest().await;
        let frames = first.frames();
        let end = frames.iter().find(|frame| frame["type"] == "finish");
        assert_eq!(
            end.unwrap()["messageMetadata"]["usage"],
            json!({ "inputTokens": 400, "outputTokens": 530, "totalTokens": 930, "reasoningTokens": 504 }),
            "{dialect:?}"
        );
        let text = first.text();
        assert!(!text.contains("Hm, hm"), "{dialect:?}: {text}");
        assert_eq!(
            written(&world, "alice").await,
            (530, 504, 800 + 5_300),
            "{dialect:?}"
        );
        let second = replica.open(ALICE, chat("t", QUESTION)).await.rest().await;
        let frames = Value::Array(second.frames()).to_string();
        assert!(
            frames.contains("budget for the language model is used up"),
            "{dialect:?}: {frames}"
        );
    }
}
