//! The live providers' recordings: what they took is taken here, and what they sent is sent here,
//! in shape.

use std::path::Path;

use serde::Deserialize;

use super::*;

/// A request and its answer.
#[derive(Deserialize)]
struct Exchange {
    when: Request,
    then: Answer,
}

#[derive(Deserialize)]
struct Request {
    path: String,
    /// A listing of models has none.
    body: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    status: u16,
    body: String,
}

/// The exchanges of one file.
fn recorded(dialect: Dialect, name: &str) -> Vec<Exchange> {
    let text = std::fs::read_to_string(folder(dialect).join(name).with_extension("yaml")).unwrap();
    serde_saphyr::from_multiple(&text).unwrap()
}

/// The request's body. The signatures in it are those of this server instead of none.
fn body(recorded: &str) -> Value {
    let body = recorded.replace("signature_REDACTED_", "U0lHTkFUVVJF");
    serde_json::from_str(&body).unwrap()
}

fn folder(dialect: Dialect) -> std::path::PathBuf {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../llm/fixtures/recordings");
    recordings.join(dialect.as_str())
}

/// Whether a recording uses features that the scripted provider lacks.
fn is_out_of_scope(path: &str, body: &str) -> bool {
    [
        "codeExecution\":{",
        "web_search",
        "\"document\"",
        "inlineData",
        "cachedContent\":\"",
        "\"image",
        "metadata\"",
    ]
    .iter()
    .any(|feature| body.contains(feature))
        || path.ends_with("/cachedContents")
}

#[tokio::test]
async fn what_the_provider_took_is_taken() {
    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::text("Two.")).await;
        let mut taken = 0;
        for file in std::fs::read_dir(folder(dialect)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            for Exchange { when, then } in recorded(dialect, &name) {
                let Some(asked) = when.body.filter(|body| !is_out_of_scope(&when.path, body))
                else {
                    continue;
                };
                let body = body(&asked);
                let path = when.path.strip_prefix(dialect.base_path()).unwrap();
                let path = if path.ends_with("streamGenerateContent") {
                    format!("{path}?alt=sse")
                } else {
                    path.to_owned()
                };
                let response = post(&server, &path, &body).send().await.unwrap();
                let given = response.status().as_u16();
                let answer = response.text().await.unwrap();
                // The one about a wrong key has the right one here.
                if then.status != 401 {
                    assert_eq!(given, then.status, "{name}: {answer}\n{body:#}");
                }
                if then.status == 404 {
                    let words =
                        |text: &str| serde_json::from_str::<Value>(text).unwrap()["error"].clone();
                    assert_eq!(words(&answer), words(&then.body), "{name}");
                }
                taken += 1;
            }
        }
        assert!(taken > 2, "{dialect:?}");
    }
}

/// Asks what was asked when this was recorded.
async fn compare(dialect: Dialect, name: &str, exchange: usize, turn: Turn) {
    let Exchange { when, then } = recorded(dialect, name).swap_remove(exchange);
    let server = server(dialect, turn).await;
    let body = body(&when.body.unwrap());
    let path = when.path.strip_prefix(dialect.base_path()).unwrap();
    let path = if dialect == Dialect::Gemini {
        format!("{path}?alt=sse")
    } else {
        path.to_owned()
    };
    let response = post(&server, &path, &body).send().await.unwrap();
    let emitted = response.text().await.unwrap();
    assert_eq!(shape(&emitted), shape(&then.body), "{name}");
}

/// The messages of a stream without what differs from answer to answer; a run of equal ones counts
/// once.
fn shape(body: &str) -> Vec<String> {
    let mut shape: Vec<String> = body.split_inclusive('\n').map(line).collect();
    // The blank line after each event belongs to it.
    let mut events: Vec<String> = Vec::new();
    for line in shape.drain(..) {
        match events.last_mut() {
            Some(event) if !ends(event) => event.push_str(&line),
            _ => events.push(line),
        }
    }
    events.dedup();
    events
}

/// Whether an event is complete. A line of NDJSON always is.
fn ends(event: &str) -> bool {
    event.ends_with("\n\n") || event.ends_with("\r\n\r\n") || event.starts_with('{')
}

fn line(line: &str) -> String {
    let end = line.trim_end_matches(['\r', '\n']).len();
    let (text, end) = line.split_at(end);
    let (prefix, data) = match text.strip_prefix("data: ") {
        Some(data) => ("data: ", data),
        None => ("", text),
    };
    match serde_json::from_str::<Value>(data) {
        Ok(mut value) => {
            mask(&mut value);
            format!("{prefix}{value}{end}")
        }
        Err(_) => format!("{text}{end}"),
    }
}

fn mask(value: &mut Value) {
    const KEPT: [&str; 12] = [
        "type",
        "role",
        "object",
        "finish_reason",
        "stop_reason",
        "finishReason",
        "done_reason",
        "finishMessage",
        "name",
        "index",
        "done",
        "thought",
    ];
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match name.as_str() {
                    // Only in the recordings: a model's own word for the end, who served it, and
                    // the bill.
                    "native_finish_reason" => *value = Value::Null,
                    name if KEPT.contains(&name) => {}
                    _ => mask(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::String(text) => *text = "text".to_owned(),
        Value::Number(_) => *value = 0.into(),
        Value::Null | Value::Bool(_) => {}
    }
}

#[tokio::test]
async fn openai() {
    let dialect = Dialect::OpenAi;
    let none = json!({});
    let both = [
        Call::new("lookup_harbor_label", none.clone()),
        Call::new("lookup_orchard_label", none.clone()),
    ];
    compare(
        dialect,
        "streaming_grammar_chat__parallel_tool_calls",
        0,
        Turn::calls(both),
    )
    .await;
    let call = json!({"label": "café 東京", "values": [1, 2]});
    let one = Turn::call("record_payload", call);
    compare(
        dialect,
        "chat_tool_lifecycle_matrix__streaming_gpt41_nested_agent",
        0,
        one,
    )
    .await;
    let name = "completions_api__completions_api_stream_emits_tool_call_before_later_text";
    compare(
        dialect,
        name,
        1,
        Turn::text("The alpha signal is crimson-harbor."),
    )
    .await;
    let refusal = Turn::refusal("I'm very sorry, but I can't assist with that.");
    compare(
        dialect,
        "refusal_matrix__chat_streaming_agent_surfaces_refusal",
        0,
        refusal,
    )
    .await;
}

#[tokio::test]
async fn openrouter() {
    let dialect = Dialect::OpenRouter;
    let none = json!({});
    let both = [
        Call::new("lookup_harbor_label", none.clone()),
        Call::new("lookup_orchard_label", none),
    ];
    let name = "streaming_tools__raw_stream_surfaces_two_distinct_tool_calls_before_text";
    compare(dialect, name, 0, Turn::calls(both)).await;
}

#[tokio::test]
async fn anthropic() {
    let dialect = Dialect::Anthropic;
    let none = json!({});
    let both = [
        Call::new("lookup_harbor_label", none.clone()),
        Call::new("lookup_orchard_label", none),
    ];
    let both = Turn::calls(both).saying("I'll call both!");
    compare(dialect, "streaming_grammar__parallel_tool_use", 0, both).await;
    let add = Turn::call("add", json!({"x": 3, "y": 4})).saying("I'll start.");
    compare(
        dialect,
        "messages_sessions__sequential_tool_calls_streaming",
        0,
        add,
    )
    .await;
    let thought = Turn::text("They meet at noon.").thinking("Let me see.");
    compare(dialect, "reasoning_roundtrip__streaming", 0, thought).await;
    let cut = Turn::text("# The Ocean: Earth's Vast").out_of_tokens();
    compare(dialect, "regression__stop_reason_max_tokens", 0, cut).await;
}

#[tokio::test]
async fn gemini() {
    let dialect = Dialect::Gemini;
    let subtract = Turn::call("subtract", json!({"x": 2, "y": 5}));
    let name = "streaming_tools__example_streaming_with_tools";
    compare(dialect, name, 0, subtract).await;
    compare(dialect, name, 1, Turn::text("The result is -3.")).await;
    let cut = Turn::text("Thomas, the lighthouse keeper").out_of_tokens();
    compare(dialect, "streaming_grammar__max_tokens_truncation", 0, cut).await;
}

#[tokio::test]
async fn ollama() {
    let name = "raw_stream_capture_matrix__stream_raw_terminal_round_trips_provider_type";
    compare(
        Dialect::Ollama,
        name,
        0,
        Turn::text("Hmm, the user").out_of_tokens(),
    )
    .await;
}
