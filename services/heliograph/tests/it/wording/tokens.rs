//! The tokens of two turns of each assistant, at a quarter of the characters, and the part of the
//! second turn that a cache of prefixes has.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use heliograph::chat::ChatClient;
use serde_json::{Value, json};
use test_support::provider::{Call, ModelServer, Script, Seen, Turn};

use crate::demo_stack::ask;

/// Two turns of a thread with an assistant.
struct Turns {
    assistant: &'static str,
    about: &'static str,
    messages: [&'static str; 2],
    call: Option<Call>,
    /// Maximum number of tokens of the first request, tools included.
    most: usize,
}

fn all() -> Vec<Turns> {
    let curve = json!({ "logger_id": "GW-INV-001", "date": "2025-11-29" });
    let turns = |assistant, about, messages, call, most| Turns {
        assistant,
        about,
        messages,
        call,
        most,
    };
    vec![
        turns(
            "site",
            "chat",
            [
                "power curve of GW-INV-001 on Nov 29",
                "power curve of SD-INV-001 on Nov 29",
            ],
            Some(Call::new("get_power_curve", curve)),
            9_000,
        ),
        turns(
            "site",
            "workflow",
            ["Morning briefing", "Health check of LTI-INV-001"],
            None,
            6_000,
        ),
        turns(
            "data",
            "rows",
            [
                "How many technicians are active?",
                "How many work orders are open, by status?",
            ],
            None,
            3_000,
        ),
        turns(
            "data",
            "documents",
            ["What are the overtime rules?", "How is leave requested?"],
            None,
            4_000,
        ),
        turns(
            "analyst",
            "records",
            [
                "Show shipments to Port of Miami last week",
                "Show container status",
            ],
            None,
            8_000,
        ),
        turns(
            "advisor",
            "documents",
            ["What is scope 2?", "What is scope 3?"],
            Some(Call::new(
                "climate_vector_search",
                json!({ "query": "scope 2" }),
            )),
            8_000,
        ),
    ]
}

/// The text of a request, in the order in which providers cache it: tools, instructions,
/// conversation.
fn text(seen: &Seen) -> (String, String) {
    let tools: Vec<Value> = seen
        .tools
        .iter()
        .map(|tool| json!([tool.name, tool.description, tool.parameters]))
        .collect();
    let tools = if tools.is_empty() {
        String::new()
    } else {
        json!(tools).to_string()
    };
    let mut rest = seen.system.clone();
    for message in &seen.messages {
        write!(rest, "{message:?}").unwrap();
    }
    (tools, rest)
}

fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

/// The length of the beginning that two texts share.
fn shared(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

#[expect(clippy::print_stdout, reason = "the table is what is measured")]
pub(super) async fn of_two_turns(
    clients: &BTreeMap<&'static str, ChatClient>,
    server: &ModelServer,
) {
    println!(
        "| assistant | | first request | of it tools | requests | first turn | second turn | of it known |\n|---|---|---|---|---|---|---|---|"
    );
    for turns in all() {
        let thread = format!("t-tokens-{}-{}", turns.assistant, turns.about);
        let mut known: Vec<String> = Vec::new();
        let mut row = Vec::new();
        for message in turns.messages {
            let mut script = Script::new();
            if let Some(call) = &turns.call {
                let first = |seen: &Seen| !seen.wants_json() && seen.rounds() == 0;
                script = script.when(first, Turn::calls([call.clone()]));
            }
            let json = Turn::json(json!({ "route": "sql", "confidence": 0.1 }));
            server.play(
                script
                    .when(Seen::wants_json, json)
                    .otherwise(Turn::text("[[s1]]")),
            );
            ask(&clients[turns.assistant], &thread, message).await;
            let seen = server.seen();
            assert!(
                !seen.is_empty(),
                "{} {}: {message}",
                turns.assistant,
                turns.about
            );
            let (mut total, mut cached) = (0, 0);
            let texts: Vec<(String, String)> = seen.iter().map(text).collect();
            let before = known.clone();
            for (tools, rest) in &texts {
                let whole = format!("{tools}{rest}");
                total += tokens(&whole);
                let best = known.iter().map(|known| shared(known, &whole)).max();
                // Providers cache from about a thousand tokens on.
                cached += best
                    .filter(|best| *best >= 4_096)
                    .map_or(0, |best| best / 4);
                known.push(whole);
            }
            if before.is_empty() {
                let (tools, rest) = &texts[0];
                let first = tokens(tools) + tokens(rest);
                assert!(
                    first <= turns.most,
                    "{} {}: {first}",
                    turns.assistant,
                    turns.about
                );
                row.push(format!("{first} | {} | {}", tokens(tools), texts.len()));
            }
            row.push(total.to_string());
            if !before.is_empty() {
                row.push(format!("{} %", 100 * cached / total.max(1)));
            }
        }
        println!(
            "| {} | {} | {} |",
            turns.assistant,
            turns.about,
            row.join(" | ")
        );
    }
}
