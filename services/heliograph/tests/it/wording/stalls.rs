//! A provider that pauses, at the beginning or in its first words, and one that is overloaded for
//! long: the first word of an answer comes in its time from every assistant, and an answer has one
//! budget over all that is asked for it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use contracts::chat::UiMessageChunk;
use futures::StreamExt;
use heliograph::chat::ChatClient;
use test_support::provider::{ModelServer, Script, Turn};

/// The time until the first word that the project promises.
const FIRST_WORD: Duration = Duration::from_secs(8);

/// The time of a whole answer, which asks a model several times at most.
const ANSWER: Duration = Duration::from_secs(16);

const QUESTIONS: &[(&str, &str)] = &[
    ("site", "power curve of GW-INV-001 on Nov 29"),
    ("site", "Morning briefing"),
    ("data", "How many technicians are active?"),
    ("data", "What are the overtime rules?"),
    ("analyst", "Show shipments to Port of Miami last week"),
    ("advisor", "What is scope 2?"),
];

pub(super) async fn of_every_assistant(
    clients: &BTreeMap<&'static str, ChatClient>,
    server: &ModelServer,
) {
    let words = || Turn::text("Let me see what there is about that, and then answer.");
    let faults = [
        ("no headers", words().stall_before_headers()),
        ("no first token", words().stall_after(0)),
        ("a pause in its first words", words().stall_after(2)),
        ("a byte a second", words().dripping(Duration::from_secs(1))),
    ];
    for (fault, turn) in faults {
        server.play(Script::new().otherwise(turn));
        let asked = QUESTIONS
            .iter()
            .enumerate()
            .map(|(at, (assistant, message))| {
                let thread = format!("t-stalled-{}-{at}", fault.replace(' ', "-"));
                timed(&clients[assistant], thread, message)
            });
        let times = futures::future::join_all(asked).await;
        for ((assistant, message), (first, whole)) in QUESTIONS.iter().zip(times) {
            assert!(
                first <= FIRST_WORD,
                "{fault}, {assistant}, {message}: {first:?}"
            );
            assert!(
                whole <= ANSWER,
                "{fault}, {assistant}, {message}: {whole:?}"
            );
        }
    }
}

/// The time until the first word of an answer, and until its end.
async fn timed(client: &ChatClient, thread: String, message: &str) -> (Duration, Duration) {
    let start = Instant::now();
    let mut answer = client.ask(message, &thread).await.unwrap();
    let mut first = None;
    while let Some(chunk) = answer.next().await {
        if matches!(chunk.unwrap(), UiMessageChunk::TextDelta { .. }) {
            first.get_or_insert_with(|| start.elapsed());
        }
    }
    (first.unwrap(), start.elapsed())
}
