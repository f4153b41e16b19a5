//! The tokens of two turns of each assistant, at a quarter of the characters, and the part of the
//! second turn that a cache of prefixes has. The scripted provider has such a cache, and reports
//! what came from it; a person reads the same numbers in the usage of the answer.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use contracts::chat::{UiMessageChunk, UiUsage};
use heliograph::chat::ChatClient;
use serde_json::{Value, json};
use test_support::provider::{Call, ModelServer, Operation, Script, Seen, Turn};

use crate::demo_stack::{Reply, ask};

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

/// Tools of the analyst.
const ANALYSTS: &[&str] = &[
    "entity_resolution",
    "es_executor",
    "field_mapping",
    "list_sources",
    "query_builder",
];

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

/// The cache of a provider: it has the requests so far, and keeps nothing shorter than about a
/// thousand tokens.
#[derive(Clone, Default)]
struct Cache(Arc<Mutex<Cached>>);

#[derive(Default)]
struct Cached {
    known: Vec<String>,
    /// Tokens reported since the last look: input, and of those cached.
    reported: (u64, u64),
}

impl Cache {
    /// The answer with the usage of this request.
    fn answers(&self, seen: &Seen, turn: Turn) -> Turn {
        let (tools, rest) = text(seen);
        let whole = format!("{tools}{rest}");
        let mut cache = self.0.lock().unwrap();
        let best = cache.known.iter().map(|known| shared(known, &whole)).max();
        let cached = best
            .filter(|best| *best >= 4_096)
            .map_or(0, |best| best / 4) as u64;
        let input = tokens(&whole) as u64;
        cache.reported.0 += input;
        cache.reported.1 += cached;
        cache.known.push(whole);
        turn.usage(input, 10).cached(cached)
    }

    /// Tokens reported since the last look.
    fn reported(&self) -> (u64, u64) {
        std::mem::take(&mut self.0.lock().unwrap().reported)
    }
}

/// The usage that a person reads.
fn usage(reply: &Reply) -> UiUsage {
    let usage = reply.chunks.iter().find_map(|chunk| match chunk {
        UiMessageChunk::Finish {
            message_metadata, ..
        } => message_metadata.usage,
        _ => None,
    });
    usage.unwrap()
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
        let cache = Cache::default();
        let mut row = Vec::new();
        for (at, message) in turns.messages.into_iter().enumerate() {
            server.play(script(&turns, &cache));
            let reply = ask(&clients[turns.assistant], &thread, message).await;
            let seen = server.seen();
            assert!(
                !seen.is_empty(),
                "{} {}: {message}",
                turns.assistant,
                turns.about
            );
            let (total, cached) = cache.reported();
            let told = usage(&reply);
            assert_eq!(
                (told.input_tokens, told.cached_input_tokens),
                (total, cached),
                "{} {}",
                turns.assistant,
                turns.about
            );
            if at == 0 {
                let (tools, rest) = text(&seen[0]);
                let first = tokens(&tools) + tokens(&rest);
                assert!(
                    first <= turns.most,
                    "{} {}: {first}",
                    turns.assistant,
                    turns.about
                );
                row.push(format!("{first} | {} | {}", tokens(&tools), seen.len()));
                // Each assistant offers its own tools.
                let is_others = |tool: &str| match turns.assistant {
                    "site" => ANALYSTS.contains(&tool),
                    _ => tool == "get_power_curve",
                };
                let names: Vec<&str> = seen[0].tools.iter().map(|tool| &*tool.name).collect();
                assert!(
                    !names.iter().any(|tool| is_others(tool)),
                    "{} {}: {names:?}",
                    turns.assistant,
                    turns.about
                );
            }
            row.push(total.to_string());
            if at > 0 {
                let share = 100 * cached / total.max(1);
                row.push(format!("{share} %"));
                // The instructions and tools of a chat are the greater part of it.
                assert!(
                    turns.call.is_none() || share >= 50,
                    "{}: {share}",
                    turns.about
                );
            }
        }
        println!(
            "| {} | {} | {} |",
            turns.assistant,
            turns.about,
            row.join(" | ")
        );
        is_documented(&turns, &row);
    }
}

/// Compares a row with the table of `docs/models.md`: it has the same order of magnitude of tokens,
/// so that a page that is not kept up fails here.
fn is_documented(turns: &Turns, row: &[String]) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/models.md");
    let page = std::fs::read_to_string(file).unwrap();
    let begin = format!("| {} | {} | ", turns.assistant, turns.about);
    let told = page.lines().find_map(|line| line.strip_prefix(&begin));
    let told = told.unwrap_or_else(|| panic!("docs/models.md has no row {begin}"));
    let numbers = |text: &str| -> Vec<f64> {
        let cells = text.trim_end_matches(" |").split(" | ");
        let plain = cells.map(|cell| cell.trim_end_matches(" %").replace(',', ""));
        plain.map(|cell| cell.parse().unwrap()).collect()
    };
    let (told, measured) = (numbers(told), numbers(&row.join(" | ")));
    assert_eq!(told.len(), measured.len(), "{begin}");
    for (told, measured) in told.into_iter().zip(measured) {
        let most = 10.0_f64.max(0.1 * measured);
        assert!(
            (told - measured).abs() <= most,
            "docs/models.md, {begin}: {told} is {measured}"
        );
    }
}

/// A model that makes its call, words the answer by a sentence of the rules, and has a cache.
fn script(turns: &Turns, cache: &Cache) -> Script {
    let (call, cache) = (turns.call.clone(), cache.clone());
    Script::new().decide(move |seen| {
        if seen.operation == Operation::Embed {
            return None;
        }
        let turn = match &call {
            _ if seen.wants_json() => Turn::json(json!({ "route": "sql", "confidence": 0.1 })),
            Some(call) if seen.rounds() == 0 => Turn::calls([call.clone()]),
            _ => Turn::text("[[s1]]"),
        };
        Some(cache.answers(seen, turn))
    })
}
