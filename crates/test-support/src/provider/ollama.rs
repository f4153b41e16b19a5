//! Ollama's own interface. Its errors are those of `api/types.go` and `server/routes.go` (protocols
//! d.5).

use serde_json::{Map, Value, json};

use super::checks::{is_unknown_model, items, members, text};
use super::http::Incoming;
use super::reply::{Asked, Frame};
use super::seen::json_or_text;
use super::turn::{Answer, End};
use super::{Choice, Dialect, Operation, Refusal, Seen, SeenCall, SeenMessage, SeenTool};

type Checked<T = ()> = Result<T, Refusal>;

/// Reads a request, or refuses it. Unknown fields are ignored, `tool_choice` among them.
pub(super) fn check(incoming: &Incoming) -> Checked<Seen> {
    let body = &incoming.body;
    let mut seen = Seen::new(
        Dialect::Ollama,
        Operation::Chat,
        incoming.headers.clone(),
        body.clone(),
    );
    types(body)?;
    seen.model = model(body)?;
    // Ollama streams by default.
    seen.stream = body["stream"] != json!(false);
    seen.tools = items(&body["tools"])
        .iter()
        .map(tool)
        .collect::<Checked<_>>()?;
    if !seen.tools.is_empty() && seen.model.contains("no-tools") {
        return refuse(
            400,
            format!(
                "registry.ollama.ai/library/{} does not support tools",
                seen.model
            ),
        );
    }
    seen.json_schema = match &body["format"] {
        Value::Null => None,
        Value::String(word) if word.is_empty() => None,
        Value::String(word) if word == "json" => Some(json!(true)),
        schema @ Value::Object(_) => Some(schema.clone()),
        other => {
            return refuse(
                400,
                format!("invalid format: {other}; expected \"json\" or a valid JSON Schema object"),
            );
        }
    };
    seen.tool_choice = Choice::Auto;
    for message in items(&body["messages"]) {
        self::message(message, &mut seen)?;
    }
    Ok(seen)
}

/// The model's name, which must be there.
pub(super) fn model(body: &Value) -> Checked<String> {
    let model = text(body, "model");
    if model.is_empty() {
        return refuse(400, "model is required");
    }
    if is_unknown_model(model) {
        return refuse(404, format!("model '{model}' not found"));
    }
    Ok(model.to_owned())
}

fn refuse<T>(status: u16, words: impl Into<String>) -> Checked<T> {
    Err(Refusal::new(Dialect::Ollama, status, words))
}

/// What Go cannot read into its types.
fn types(body: &Value) -> Checked {
    let wants = |place: &str, value: &Value, kind: &str, fits: bool| {
        if fits || value.is_null() {
            return Ok(());
        }
        refuse(
            400,
            format!(
                "json: cannot unmarshal {} into Go struct field {place} of type {kind}",
                go_kind(value)
            ),
        )
    };
    wants(
        "ChatRequest.model",
        &body["model"],
        "string",
        body["model"].is_string(),
    )?;
    wants(
        "ChatRequest.messages",
        &body["messages"],
        "[]api.Message",
        body["messages"].is_array(),
    )?;
    wants(
        "ChatRequest.options",
        &body["options"],
        "map[string]interface {}",
        body["options"].is_object(),
    )?;
    wants(
        "ChatRequest.stream",
        &body["stream"],
        "bool",
        body["stream"].is_boolean(),
    )?;
    for message in items(&body["messages"]) {
        let content = &message["content"];
        wants(
            "ChatRequest.messages.content",
            content,
            "string",
            content.is_string(),
        )?;
        for call in items(&message["tool_calls"]) {
            let arguments = &call["function"]["arguments"];
            let place = "ChatRequest.messages.tool_calls.function.arguments";
            wants(
                place,
                arguments,
                "api.ToolCallFunctionArguments",
                arguments.is_object(),
            )?;
        }
    }
    options(&body["options"])
}

fn options(options: &Value) -> Checked {
    for name in ["num_predict", "num_ctx", "top_k", "seed"] {
        if !options[name].is_null() && !options[name].is_i64() && !options[name].is_u64() {
            return refuse(400, format!("option \"{name}\" must be of type integer"));
        }
    }
    for name in ["temperature", "top_p"] {
        if !options[name].is_null() && !options[name].is_number() {
            return refuse(400, format!("option \"{name}\" must be of type float32"));
        }
    }
    Ok(())
}

fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(_) => "number",
        _ => "bool",
    }
}

fn tool(tool: &Value) -> Checked<SeenTool> {
    let function = &tool["function"];
    let name = text(function, "name");
    if name.is_empty() {
        return refuse(400, "tool function name is required");
    }
    Ok(SeenTool {
        name: name.to_owned(),
        description: text(function, "description").to_owned(),
        parameters: function["parameters"].clone(),
    })
}

fn message(message: &Value, seen: &mut Seen) -> Checked {
    let content = text(message, "content").to_owned();
    match text(message, "role") {
        "system" if seen.messages.is_empty() => {
            let glue = if seen.system.is_empty() { "" } else { "\n" };
            seen.system.push_str(glue);
            seen.system.push_str(&content);
        }
        "system" => seen.messages.push(SeenMessage::System(content)),
        "user" => seen.messages.push(SeenMessage::User(content)),
        "assistant" => {
            let calls = items(&message["tool_calls"]).iter().map(|call| SeenCall {
                id: text(call, "id").to_owned(),
                name: text(&call["function"], "name").to_owned(),
                arguments: call["function"]["arguments"].clone(),
            });
            seen.messages.push(SeenMessage::Assistant {
                text: content,
                calls: calls.collect(),
            });
        }
        "tool" => seen.messages.push(SeenMessage::Tool {
            id: text(message, "tool_call_id").to_owned(),
            name: text(message, "tool_name").to_owned(),
            output: json_or_text(&content),
        }),
        other => {
            return refuse(
                400,
                format!(
                    "invalid role: {other}, role must be one of [\"system\", \"user\", \"assistant\", \"tool\"]"
                ),
            );
        }
    }
    Ok(())
}

/// A streamed answer: a line each.
pub(super) fn frames(answer: &Answer, asked: &Asked<'_>) -> Vec<Frame> {
    let mut frames = Vec::new();
    for text in &answer.reasoning {
        frames.push(Frame::content(line(&open(
            asked,
            &json!({"role": "assistant", "content": "", "thinking": text}),
        ))));
    }
    for text in &answer.text {
        frames.push(Frame::content(line(&open(
            asked,
            &json!({"role": "assistant", "content": text}),
        ))));
    }
    for index in 0..answer.calls.len() {
        let calls = [call(answer, index, asked)];
        let message = json!({"role": "assistant", "content": "", "tool_calls": calls});
        frames.push(Frame::content(line(&open(asked, &message))));
    }
    let message = json!({"role": "assistant", "content": ""});
    frames.push(Frame::other(line(&done(&message, answer, asked))));
    frames
}

/// An answer in one piece.
pub(super) fn whole(answer: &Answer, asked: &Asked<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.text.concat()});
    if !answer.reasoning.is_empty() {
        message["thinking"] = answer.reasoning.concat().into();
    }
    if !answer.calls.is_empty() {
        message["tool_calls"] = (0..answer.calls.len())
            .map(|index| call(answer, index, asked))
            .collect();
    }
    done(&message, answer, asked)
}

fn call(answer: &Answer, index: usize, asked: &Asked<'_>) -> Value {
    let call = &answer.calls[index];
    let function = json!({"index": index, "name": call.name, "arguments": call.arguments.object()});
    json!({"id": asked.id("call_", index), "function": function})
}

fn open(asked: &Asked<'_>, message: &Value) -> Value {
    let created = "2026-08-17T08:22:53.078901Z";
    json!({"model": asked.seen.model, "created_at": created, "message": message, "done": false})
}

fn done(message: &Value, answer: &Answer, asked: &Asked<'_>) -> Value {
    let (input, output) = asked.usage(answer);
    let reason = if answer.end == End::Length {
        "length"
    } else {
        "stop"
    };
    let last = json!({
        "done": true,
        "done_reason": reason,
        "total_duration": 897_843_583,
        "load_duration": 64_445_875,
        "prompt_eval_count": input,
        "prompt_eval_duration": 17_628_625,
        "eval_count": output,
        "eval_duration": 746_221_420,
    });
    let mut all: Map<String, Value> = members(&open(asked, message)).clone();
    all.extend(members(&last).clone());
    all.into()
}

/// A line as Go writes it, which takes `<`, `>` and `&` for dangerous.
fn line(value: &Value) -> String {
    let text = value.to_string();
    let text = text
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026");
    text + "\n"
}
