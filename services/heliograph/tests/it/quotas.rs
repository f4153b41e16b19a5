//! The limits of answers at the same time, of storage and of model tokens, through the bff: 429,
//! with the time after which a program may try again.

use std::fmt::Write as _;

use orchestrator::config::WhenSpent;
use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Script, Turn};

use crate::demo_stack::DemoStack;
use crate::models::{classified, is_routing, use_model};

/// A model that stops in the middle is waited for this long: longer than the test.
const PATIENCE_MS: u64 = 600_000;

const MANUAL: &str = "/api/documents?collection=manuals&filename=manual.txt";

/// A model that begins an answer and never ends it.
fn never_ending() -> Script {
    Script::new()
        .when(is_routing, classified("free_chat", 0.9, &[]))
        .otherwise(Turn::chunks(["The "]).stall_after(1))
}

async fn say(stack: &DemoStack, token: &str, thread: &str) -> Response {
    let body = json!({
        "threadId": thread,
        "messages": [{ "role": "user", "content": "Is the thing in the garage still alright?" }],
    });
    let url = format!("{}/api/chat", stack.services.bff_url);
    let request = stack.http.post(url).bearer_auth(token).json(&body);
    request.send().await.unwrap()
}

/// Says something, and returns while the answer continues.
async fn begin(stack: &DemoStack, token: &str, thread: &str) -> Response {
    let mut answer = say(stack, token, thread).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let first = answer.chunk().await.unwrap();
    assert!(first.is_some(), "the answer continues");
    answer
}

/// The seconds to wait, and the problem, of a refusal.
async fn refused(answer: Response) -> (u64, Value) {
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    let wait = answer.headers()["retry-after"].to_str().unwrap();
    let wait = wait.parse().unwrap();
    (wait, answer.json().await.unwrap())
}

async fn store(stack: &DemoStack, token: &str, path: &str, text: &str) -> Response {
    let url = format!("{}{path}", stack.services.bff_url);
    let request = stack.http.post(url).bearer_auth(token);
    let request = request.header("content-type", "application/octet-stream");
    request.body(text.to_owned()).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_a_limit_a_program_learns_when_to_try_again() {
    let model = ModelServer::start(Dialect::OpenAi, never_ending())
        .await
        .unwrap();
    let stack = Box::pin(DemoStack::start_with(|config| {
        use_model(config, &model);
        config.orchestrator.llm.timeouts.first_word_ms = PATIENCE_MS;
        config.orchestrator.llm.timeouts.first_token_ms = PATIENCE_MS;
        config.orchestrator.llm.timeouts.idle_ms = PATIENCE_MS;
        config.orchestrator.runs.max_per_person = 1;
        config.orchestrator.runs.max_per_tenant = 2;
        config.tools.ingest.tenant_storage_bytes = 2_000;
    }))
    .await;
    runs(&stack).await;
    storage(&stack).await;
    stack.stop().await;
}

async fn runs(stack: &DemoStack) {
    let ada = stack.token_of_new("ada", "acme").await;
    let grace = stack.token_of_new("grace", "acme").await;
    let alan = stack.token_of_new("alan", "acme").await;
    let elsewhere = stack.token_of_new("joan", "elsewhere").await;

    let of_ada = begin(stack, &ada, "a1").await;
    let (wait, problem) = refused(say(stack, &ada, "a2").await).await;
    assert!(wait > 0, "{problem}");
    let told = problem["detail"].as_str().unwrap();
    assert!(told.contains("1 of your messages"), "{told}");

    let of_grace = begin(stack, &grace, "g1").await;
    let (wait, problem) = refused(say(stack, &alan, "n1").await).await;
    assert!(wait > 0, "{problem}");
    let told = problem["detail"].as_str().unwrap();
    assert!(told.contains("2 messages of your organisation"), "{told}");
    // Another tenant has limits of its own.
    let of_joan = begin(stack, &elsewhere, "j1").await;

    // A message that was refused left nothing behind, and an answer that ended makes room.
    let url = format!("{}/api/threads", stack.services.bff_url);
    let threads = stack.http.get(url).bearer_auth(&alan).send().await.unwrap();
    let threads: Value = threads.json().await.unwrap();
    assert_eq!(threads["threads"], json!([]), "{threads}");
    stop(stack, &ada, "a1").await;
    let rest = of_ada.text().await.unwrap();
    assert!(rest.ends_with("data: [DONE]\n\n"), "{rest}");
    let of_alan = begin(stack, &alan, "n1").await;
    for (token, thread, answer) in [
        (&grace, "g1", of_grace),
        (&alan, "n1", of_alan),
        (&elsewhere, "j1", of_joan),
    ] {
        stop(stack, token, thread).await;
        answer.text().await.unwrap();
    }
}

async fn stop(stack: &DemoStack, token: &str, thread: &str) {
    let url = format!("{}/api/chat/{thread}/stop", stack.services.bff_url);
    let answer = stack.http.post(url).bearer_auth(token).send().await;
    let status = answer.unwrap().status();
    assert!(status.is_success(), "{status}");
}

async fn storage(stack: &DemoStack) {
    let token = stack.token_of_new("keeper", "archive").await;
    let first = store(stack, &token, MANUAL, &"The valve is greased. ".repeat(60)).await;
    assert_eq!(first.status(), StatusCode::OK);
    let first: Value = first.json().await.unwrap();

    let more = "/api/documents?collection=manuals&filename=more.txt";
    let text = "The pump is oiled in May. ".repeat(40);
    let (wait, problem) = refused(store(stack, &token, more, &text).await).await;
    assert!(wait >= 60, "nothing is freed in {wait} s: {problem}");
    assert_eq!(problem["code"], "storage_full");
    let told = problem["detail"].as_str().unwrap();
    assert!(told.contains("of 2000 bytes"), "{told}");

    let site = json!({ "sites": [{ "id": "roof", "timezone": "Europe/Berlin" }] });
    let url = format!("{}/api/sites", stack.services.bff_url);
    let described = stack.http.post(url).bearer_auth(&token).json(&site).send();
    assert!(described.await.unwrap().status().is_success());
    let import = "/api/imports?filename=roof.csv&site=roof&logger_id=ROOF-1";
    let mut rows = String::new();
    for minute in 10..60 {
        writeln!(rows, "2024-06-01 12:{minute};{minute}").unwrap();
    }
    let (wait, problem) = refused(store(stack, &token, import, &rows).await).await;
    assert!(wait >= 60, "nothing is freed in {wait} s: {problem}");
    assert_eq!(problem["code"], "storage_full");

    // What is deleted makes room.
    let id = first["document_id"].as_str().unwrap();
    let url = format!("{}/api/documents/{id}", stack.services.bff_url);
    let deleted = stack
        .http
        .request(Method::DELETE, url)
        .bearer_auth(&token)
        .send()
        .await;
    assert_eq!(deleted.unwrap().status(), StatusCode::NO_CONTENT);
    let kept = store(stack, &token, more, &text).await;
    assert_eq!(kept.status(), StatusCode::OK);
}

/// A model that answers, and reports 430 tokens an answer, 256 of them from a cache.
fn counting() -> Script {
    let answer = Turn::text("Yes, the thing in the garage is alright.");
    Script::new()
        .when(is_routing, classified("free_chat", 0.9, &[]).usage(100, 10))
        .otherwise(answer.usage(300, 20).cached(256))
}

/// The limits of tokens that the account of a token sees.
async fn tokens_of(stack: &DemoStack, token: &str) -> Vec<Value> {
    let url = format!("{}/api/me", stack.services.bff_url);
    let me = stack.http.get(url).bearer_auth(token).send().await.unwrap();
    let me: Value = me.json().await.unwrap();
    let quotas = me["quotas"].as_array().unwrap().iter();
    let tokens = quotas.filter(|one| one["name"] == "model_tokens_per_day");
    tokens.cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_models_are_shown_and_beyond_a_limit_refused_until_the_next_day() {
    const DAY: u64 = 24 * 60 * 60;
    let model = ModelServer::start(Dialect::OpenAi, counting())
        .await
        .unwrap();
    let stack = Box::pin(DemoStack::start_with(|config| {
        use_model(config, &model);
        let budgets = &mut config.orchestrator.budgets;
        budgets.person_tokens = Some(400);
        budgets.tenant_tokens = Some(800);
        budgets.when_spent = WhenSpent::Refuse;
    }))
    .await;
    let ada = stack.token_of_new("ada", "acme").await;
    let none = tokens_of(&stack, &ada).await;
    assert_eq!(
        json!(none),
        json!([
            { "name": "model_tokens_per_day", "of": "account", "limit": 400, "used": 0, "cached": 0, "reasoning": 0 },
            { "name": "model_tokens_per_day", "of": "tenant", "limit": 800, "used": 0, "cached": 0, "reasoning": 0 },
        ])
    );
    let answered = async |token: &str| {
        let answer = say(&stack, token, "t").await;
        assert_eq!(answer.status(), StatusCode::OK);
        answer.text().await.unwrap();
    };

    // The person's own limit.
    answered(&ada).await;
    let own = &tokens_of(&stack, &ada).await[0];
    let (used, cached) = (own["used"].as_u64().unwrap(), own["cached"].as_u64());
    assert!((400..800).contains(&used), "one answer uses it up: {own}");
    assert_eq!(cached.map(|cached| cached % 256), Some(0), "{own}");
    assert!(cached > Some(0), "{own}");
    let (wait, problem) = refused(say(&stack, &ada, "t").await).await;
    assert!((1..=DAY).contains(&wait), "{wait}");
    let told = problem["detail"].as_str().unwrap();
    assert!(told.starts_with("Your budget"), "{told}");

    // The limit of all persons of the tenant; another tenant has its own.
    let grace = stack.token_of_new("grace", "acme").await;
    answered(&grace).await;
    let alan = stack.token_of_new("alan", "acme").await;
    let [own, tenant]: [Value; 2] = tokens_of(&stack, &alan).await.try_into().unwrap();
    assert_eq!(
        (&own["used"], &tenant["used"]),
        (&json!(0), &json!(2 * used))
    );
    let (wait, problem) = refused(say(&stack, &alan, "t").await).await;
    assert!((1..=DAY).contains(&wait), "{wait}");
    let told = problem["detail"].as_str().unwrap();
    assert!(told.starts_with("Your organisation's budget"), "{told}");
    let joan = stack.token_of_new("joan", "elsewhere").await;
    answered(&joan).await;
    stack.stop().await;
}
