//! One budget for the first word of an answer, over retries, fallbacks and questions to models: a
//! provider that does not begin, refuses, or trickles leaves the answer to the rules in time, with
//! its own reason.

use std::time::{Duration, Instant};

use axum::routing::{get, post};
use axum::{Json, Router};
use orchestrator::Config;
use orchestrator::config::DefaultAssistants;
use serde_json::{Value, json};
use test_support::provider::{Dialect, Gate, ModelServer, Script, Seen, Turn};

use crate::bench::{ALICE, Replica, World, chat};

const QUESTION: &str = "What is machine learning?";
const ANSWER: &str = "Machine learning is a way for computers to learn from examples.";

/// The configured time until the first word.
const FIRST_WORD: Duration = Duration::from_millis(800);

/// Time that a busy machine may add to it. Several attempts or fallbacks, each with a time of its
/// own, would take longer.
const SLACK: Duration = Duration::from_secs(2);

/// A provider, by its section of the configuration.
#[derive(Debug, Clone, Copy)]
struct Provider {
    name: &'static str,
    dialect: Dialect,
}

const OPENAI: Provider = Provider {
    name: "openai",
    dialect: Dialect::OpenAi,
};
const COMPATIBLE: Provider = Provider {
    name: "openai_compatible",
    dialect: Dialect::OpenAi,
};
const ANTHROPIC: Provider = Provider {
    name: "anthropic",
    dialect: Dialect::Anthropic,
};
const OLLAMA: Provider = Provider {
    name: "ollama",
    dialect: Dialect::Ollama,
};
const GEMINI: Provider = Provider {
    name: "gemini",
    dialect: Dialect::Gemini,
};

/// A tools service that answers and has nothing.
async fn no_tools(config: &mut Config) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    config.tools.base_url = format!("http://{}", listener.local_addr().unwrap());
    let nothing = || async { Json(json!({ "status": "no_data", "message": "There is nothing." })) };
    let router = Router::new()
        .route("/api/tools", get(|| async { Json(json!({ "tools": [] })) }))
        .route("/api/tools/{name}", post(nothing));
    tokio::spawn(async move { axum::serve(listener, router).await });
}

async fn start(provider: Provider) -> ModelServer {
    let server = ModelServer::start(provider.dialect, Script::new()).await;
    server.unwrap()
}

fn config(world: &World, provider: Provider, server: &ModelServer) -> Config {
    let mut config = world.config();
    config.runs.default_assistants = DefaultAssistants::all("data");
    let llm = &mut config.llm;
    llm.provider = Some(provider.name.into());
    llm.timeouts.first_word_ms = u64::try_from(FIRST_WORD.as_millis()).unwrap();
    llm.retries.attempts = 6;
    llm.circuit.failures = 1_000;
    add(&mut config, provider, server);
    config
}

fn add(config: &mut Config, provider: Provider, server: &ModelServer) {
    let section = config.llm.providers.get_mut(provider.name);
    section.base_url = Some(server.base_url());
    section.api_key = Some(server.key().into());
    section.model = Some("scripted".to_owned());
}

/// The answer to a person.
#[derive(Debug)]
struct Got {
    first_word: Duration,
    text: String,
    warnings: Vec<String>,
    source: Value,
}

async fn ask(replica: &Replica, thread: &str) -> Got {
    let start = Instant::now();
    let mut stream = replica.open(ALICE, chat(thread, QUESTION)).await;
    let first = stream.until("\"delta\"").await;
    let first_word = start.elapsed();
    let answer = stream.rest().await;
    let frames = answer.frames();
    let warnings = frames
        .iter()
        .filter(|frame| frame["data"]["code"] == "model_unavailable");
    let warnings = warnings.map(|frame| frame["data"]["text"].as_str().unwrap().to_owned());
    let mut ends = frames.iter().filter(|frame| frame["type"] == "finish");
    Got {
        first_word,
        text: format!("{}{}", first.data, answer.text()),
        warnings: warnings.collect(),
        source: ends.next().unwrap()["messageMetadata"]["source"].clone(),
    }
}

/// A model that sorts the message, and does this for its words.
fn worded_by(turn: Turn) -> Script {
    let route = json!({ "route": "general", "confidence": 0.9 });
    Script::new()
        .when(Seen::wants_json, Turn::json(route))
        .otherwise(turn)
}

/// Faults of a provider, and the reason that a person reads.
fn faults() -> Vec<(&'static str, Turn, &'static str)> {
    let words = || Turn::text(ANSWER);
    let second = Duration::from_secs(1);
    vec![
        (
            "no headers",
            words().stall_before_headers(),
            "did not answer in time",
        ),
        (
            "headers and no word",
            words().stall_after(0),
            "did not answer in time",
        ),
        (
            "only thoughts",
            words().thinking("Hm, hm.").stall_after(2),
            "did not answer in time",
        ),
        (
            "a byte a second",
            words().dripping(second),
            "did not answer in time",
        ),
        (
            "500 each time",
            Turn::internal_error(),
            "provider of the language model failed",
        ),
        ("overloaded each time", Turn::overloaded(), "is overloaded"),
        (
            "429 each time, with a short pause",
            Turn::rate_limited(Some(Duration::from_millis(300))),
            "limits how often",
        ),
        (
            "429 each time, with a pause beyond the budget",
            Turn::rate_limited(Some(Duration::from_secs(5))),
            "limits how often",
        ),
        (
            "500 with a body of a byte a second",
            Turn::internal_error().dripping(second),
            "provider of the language model failed",
        ),
    ]
}

/// Holds an answer against what is promised.
fn wrong(what: &str, got: &Got, reason: &str) -> Option<String> {
    let [warning] = &got.warnings[..] else {
        return Some(format!("{what}: {got:?}"));
    };
    let holds = got.first_word <= FIRST_WORD + SLACK
        && got.text.contains("I can answer questions")
        && warning.contains(reason)
        && warning.ends_with("so this answer follows fixed rules.")
        && got.source == "rules";
    (!holds).then(|| format!("{what}: {got:?}"))
}

async fn faults_of(provider: Provider) {
    let world = World::new().await;
    let server = start(provider).await;
    let replica = world.replica_with(config(&world, provider, &server));
    // The first run of a process takes longer.
    server.play(worded_by(Turn::text(ANSWER)));
    ask(&replica, "first").await;
    let mut all = Vec::new();
    for (at, (what, turn, reason)) in faults().into_iter().enumerate() {
        // Ollama has no thoughts without being asked for them.
        if provider.name == "ollama" && what == "only thoughts" {
            continue;
        }
        server.play(worded_by(turn.clone()));
        let got = ask(&replica, &format!("words-{at}")).await;
        all.extend(wrong(what, &got, reason));
        // From the first question to the model on.
        server.play(Script::from(turn));
        let got = ask(&replica, &format!("all-{at}")).await;
        all.extend(wrong(&format!("{what}, always"), &got, reason));
    }
    assert!(all.is_empty(), "{}: {all:#?}", provider.name);
}

#[tokio::test]
async fn openai_has_one_budget_for_the_first_word() {
    faults_of(OPENAI).await;
}

#[tokio::test]
async fn an_openai_compatible_server_has_one_budget_for_the_first_word() {
    faults_of(COMPATIBLE).await;
}

#[tokio::test]
async fn anthropic_has_one_budget_for_the_first_word() {
    faults_of(ANTHROPIC).await;
}

#[tokio::test]
async fn ollama_has_one_budget_for_the_first_word() {
    faults_of(OLLAMA).await;
}

#[tokio::test]
async fn gemini_has_one_budget_for_the_first_word() {
    faults_of(GEMINI).await;
}

#[tokio::test]
async fn fallbacks_share_the_budget_and_the_reason_is_that_of_the_first() {
    let world = World::new().await;
    let servers = [
        (OPENAI, start(OPENAI).await),
        (ANTHROPIC, start(ANTHROPIC).await),
        (OLLAMA, start(OLLAMA).await),
    ];
    let mut config = config(&world, OPENAI, &servers[0].1);
    for (provider, server) in &servers[1..] {
        add(&mut config, *provider, server);
        config.llm.fallbacks.push(provider.name.into());
    }
    let replica = world.replica_with(config);
    let faults = faults();
    let mut all = Vec::new();
    // Each fault of the first with another one of the fallbacks.
    for (at, (what, turn, reason)) in faults.iter().enumerate() {
        let (other, next, _) = &faults[(at + 3) % faults.len()];
        servers[0].1.play(Script::from(turn.clone()));
        for (_, server) in &servers[1..] {
            server.play(Script::from(next.clone()));
        }
        let got = ask(&replica, &format!("fallbacks-{at}")).await;
        // A fallback that thinks has begun, and is the one that is late.
        let reason = if *other == "only thoughts" {
            "did not answer in time"
        } else {
            reason
        };
        all.extend(wrong(&format!("{what}, then {other}"), &got, reason));
    }
    assert!(all.is_empty(), "{all:#?}");
}

#[tokio::test]
async fn a_fallback_answers_in_the_rest_of_the_budget() {
    let world = World::new().await;
    let (first, second) = (start(OLLAMA).await, start(ANTHROPIC).await);
    let mut config = config(&world, OLLAMA, &first);
    add(&mut config, ANTHROPIC, &second);
    config.llm.fallbacks.push(ANTHROPIC.name.into());
    let limit = Duration::from_secs(4);
    config.llm.timeouts.first_word_ms = u64::try_from(limit.as_millis()).unwrap();
    let replica = world.replica_with(config);
    for (at, turn) in [
        Turn::text(ANSWER).stall_before_headers(),
        Turn::text(ANSWER).dripping(Duration::from_secs(1)),
        Turn::rate_limited(Some(Duration::from_secs(5))),
    ]
    .into_iter()
    .enumerate()
    {
        first.play(worded_by(turn));
        second.play(Script::from(Turn::text(ANSWER)));
        let got = ask(&replica, &format!("t-{at}")).await;
        assert!(got.text.contains("learn from examples"), "{got:?}");
        assert_eq!(got.source, "model", "{got:?}");
        assert!(got.first_word <= limit + SLACK, "{got:?}");
    }
}

#[tokio::test]
async fn a_slow_answer_that_has_begun_is_not_cut_by_the_time_of_a_run() {
    let world = World::new().await;
    let sentences = [
        ANSWER,
        " It finds patterns in data.",
        " For example, a program learns to tell cats from dogs.",
        " For example, a program learns to tell birds from planes.",
        " For example, a program learns to tell apples from pears.",
        " For example, a program learns to tell letters from numbers.",
        " For example, a program learns to tell speech from music.",
    ];
    let limit = Duration::from_secs(3);
    for provider in [OPENAI, COMPATIBLE, ANTHROPIC, OLLAMA] {
        let server = start(provider).await;
        let mut config = config(&world, provider, &server);
        config.runs.timeout_ms = u64::try_from(limit.as_millis()).unwrap();
        config.llm.timeouts.first_word_ms = 6_000;
        let replica = world.replica_with(config);
        // A sentence a second.
        let gates: Vec<Gate> = sentences.iter().map(|_| Gate::new()).collect();
        let paced = |turn: Turn, (at, gate): (usize, &Gate)| turn.wait_after(at, gate);
        let turn = gates
            .iter()
            .enumerate()
            .fold(Turn::chunks(sentences), paced);
        server.play(worded_by(turn));
        tokio::spawn(async move {
            for gate in gates {
                tokio::time::sleep(Duration::from_secs(1)).await;
                gate.open();
            }
        });
        let start = Instant::now();
        let thread = format!("t-{}", provider.name);
        let stream = replica.open(ALICE, chat(&thread, QUESTION)).await;
        let answer = stream.rest().await;
        let name = provider.name;
        assert_eq!(answer.finish_reason().as_deref(), Some("stop"), "{name}");
        assert!(answer.text().contains("cats from dogs"), "{name}");
        assert!(start.elapsed() > limit, "{name}: {:?}", start.elapsed());
    }
}

#[tokio::test]
async fn a_long_sentence_whose_words_keep_coming_is_not_cut_where_only_a_model_can_answer() {
    let world = World::new().await;
    let server = start(OPENAI).await;
    let mut config = config(&world, OPENAI, &server);
    no_tools(&mut config).await;
    config.runs.default_assistants = DefaultAssistants::all("site");
    // Silence may last five seconds.
    config.llm.timeouts.first_word_ms = 1_000;
    let replica = world.replica_with(config);
    let words = [
        "I'm",
        " happy",
        " to",
        " explain",
        " the",
        " findings",
        " of",
        " another",
        " day",
        " or",
        " another",
        " month.",
    ];
    let gates: Vec<Gate> = words.iter().map(|_| Gate::new()).collect();
    let paced = |turn: Turn, (at, gate): (usize, &Gate)| turn.wait_after(at, gate);
    let turn = gates.iter().enumerate().fold(Turn::chunks(words), paced);
    let route = json!({ "flow": "free_chat", "confidence": 0.9, "logger_ids": [] });
    server.play(
        Script::new()
            .when(Seen::wants_json, Turn::json(route))
            .otherwise(turn),
    );
    let pace = Duration::from_millis(500);
    tokio::spawn(async move {
        for gate in gates {
            gate.reached().await;
            tokio::time::sleep(pace).await;
            gate.open();
        }
    });
    let start = Instant::now();
    let stream = replica.open(ALICE, chat("t", LONG_QUESTION)).await;
    let answer = stream.rest().await;
    let text = answer.text();
    assert!(text.contains(&words.concat()), "{text}");
    assert_eq!(answer.finish_reason().as_deref(), Some("stop"), "{text}");
    assert!(start.elapsed() > pace * 11, "{:?}", start.elapsed());
}

/// A message that no rule of the site assistant answers.
const LONG_QUESTION: &str = "Tell me a story of the harbour";
