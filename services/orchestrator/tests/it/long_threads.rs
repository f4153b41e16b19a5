//! Long threads: a model reads their newest turns and a summary of the older ones, within its
//! window.

use std::collections::BTreeSet;

use conversations::window::estimate_tokens;
use orchestrator::config::DefaultAssistants;
use serde_json::json;
use test_support::provider::{Dialect, ModelServer, Script, Seen, Turn};

use crate::bench::{ALICE, World, chat};

/// Turns of the thread.
const TURNS: usize = 60;

/// Tokens of history that a model may get here.
const WINDOW: u32 = 900;

const SUMMARY: &str = "Summary of the earlier conversation";

fn question(turn: usize) -> String {
    format!(
        "What is machine learning, in the words of page {}?",
        turn * 37
    )
}

/// The texts of all messages, as they are stored.
async fn stored(world: &World) -> Vec<String> {
    sqlx::query_scalar("SELECT m::text FROM orchestrator.messages m")
        .fetch_all(world.database.pool())
        .await
        .unwrap()
}

/// The figures of a text.
fn figures(text: &str) -> BTreeSet<String> {
    let figures = text.split(|c: char| !c.is_ascii_digit());
    figures
        .filter(|one| !one.is_empty())
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn a_thread_of_sixty_turns_stays_within_the_window_and_its_summary_invents_nothing() {
    let world = World::new().await;
    let route = json!({ "route": "general", "confidence": 0.9 });
    let answer = "Machine learning is a way for computers to learn from examples.";
    let script = Script::new()
        .when(Seen::wants_json, Turn::json(route))
        .otherwise(Turn::text(answer));
    let server = ModelServer::start(Dialect::OpenAi, script).await.unwrap();
    let mut config = world.config();
    config.runs.default_assistants = DefaultAssistants::all("data");
    config.llm.provider = Some("openai".into());
    let openai = config.llm.providers.get_mut("openai");
    openai.base_url = Some(server.base_url());
    openai.api_key = Some(server.key().into());
    let retention = &mut config.conversation.retention;
    retention.max_tokens = WINDOW;
    retention.summary_tokens = 400;
    let replica = world.replica_with(config);
    for turn in 1..=TURNS {
        let stream = replica.open(ALICE, chat("t", &question(turn))).await;
        let text = stream.rest().await.text();
        assert!(text.contains(answer), "{turn}: {text}");
    }
    server.assert_accepted();
    let seen = server.seen();
    let asked: Vec<&Seen> = seen.iter().filter(|one| !one.wants_json()).collect();
    assert_eq!(asked.len(), TURNS, "no turn is asked twice");
    let last = asked.last().unwrap();
    assert_eq!(last.last_user(), question(TURNS));
    let messages: Vec<String> = last.messages.iter().map(|one| format!("{one:?}")).collect();
    let tokens: usize = messages.iter().map(|one| estimate_tokens(one)).sum();
    // The quoting of each message is not of the window.
    assert!(tokens <= 2 * WINDOW as usize, "{tokens}: {messages:#?}");
    // The longest request is not that of the last turn: it does not grow with the thread.
    let size = |one: &Seen| one.body.to_string().len();
    let (middle, end) = (size(asked[TURNS / 2]), size(last));
    assert!(end <= middle + middle / 4, "{middle}, {end}");

    let summary = messages.iter().find(|one| one.contains(SUMMARY));
    let summary = summary.expect("a summary of what is older");
    let page = |turn: usize| format!("page {}?", turn * 37);
    assert!(messages.last().unwrap().contains(&page(TURNS)));
    let older = (1..TURNS).filter(|turn| summary.contains(&page(*turn)));
    let older: Vec<usize> = older.collect();
    assert!(!older.is_empty(), "{summary}");
    // Each turn is there once: in the summary, or as it was.
    let newer: Vec<&String> = messages
        .iter()
        .filter(|one| !one.contains(SUMMARY))
        .collect();
    for turn in &older {
        let again = newer.iter().any(|one| one.contains(&page(*turn)));
        assert!(!again, "{turn}: {newer:#?}");
    }
    let stored = stored(&world).await;
    // What is stored is whole.
    assert_eq!(stored.len(), 2 * TURNS);
    let told: BTreeSet<String> = stored.iter().flat_map(|text| figures(text)).collect();
    let invented: Vec<String> = figures(summary).difference(&told).cloned().collect();
    assert!(invented.is_empty(), "{invented:?}: {summary}");
}
