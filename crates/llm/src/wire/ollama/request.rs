//! The body of a request to `/api/chat`.

use serde_json::{Map, Value, json};

use super::Ollama;
use crate::wire::checks::{check, plain, refuse};
use crate::wire::history::{Step, arguments, steps};
use crate::wire::openai::{hundredths, tool};
use crate::{ChatRequest, Error, ResponseFormat, Tool, ToolChoice};

impl Ollama {
    /// The request as JSON.
    pub(super) fn body(&self, request: &ChatRequest) -> Result<Value, Error> {
        check(request)?;
        let messages = messages(request);
        if messages.is_empty() {
            return refuse("there is nothing to answer");
        }
        let mut body = json!({
            "model": self.endpoint.context.id.model,
            "messages": messages,
            "stream": true,
        });
        let tools = tools(request);
        if !tools.is_empty() {
            body["tools"] = tools.into_iter().map(tool).collect();
        }
        if let ResponseFormat::Json { schema, .. } = &request.response {
            body["format"] = schema.clone();
        }
        if let Some(think) = self.think {
            body["think"] = json!(think);
        }
        if let Some(keep_alive) = &self.keep_alive {
            body["keep_alive"] = self::keep_alive(keep_alive);
        }
        let options = self.options(request);
        if !options.is_empty() {
            body["options"] = Value::Object(options);
        }
        Ok(body)
    }

    fn options(&self, request: &ChatRequest) -> Map<String, Value> {
        let options = [
            (
                "num_predict",
                request.max_output_tokens.map(|limit| json!(limit)),
            ),
            ("num_ctx", self.num_ctx.map(|size| json!(size))),
            (
                "temperature",
                request
                    .temperature
                    .map(|temperature| json!(hundredths(temperature))),
            ),
        ];
        options
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }
}

/// The tools to send. The API has no tool choice, so the choice is made by the tools that are sent.
/// A call cannot be forced.
fn tools(request: &ChatRequest) -> Vec<&Tool> {
    request
        .tools
        .iter()
        .filter(|tool| match &request.tool_choice {
            ToolChoice::Auto | ToolChoice::Required => true,
            ToolChoice::None => false,
            ToolChoice::Named(name) => tool.name == *name,
        })
        .collect()
}

fn messages(request: &ChatRequest) -> Vec<Value> {
    let system = request
        .system
        .as_deref()
        .filter(|text| !text.trim().is_empty())
        .map(|text| json!({"role": "system", "content": text}));
    // The server accepts any id; ids are only compared.
    let steps = steps(
        &request.messages,
        |id| !id.is_empty(),
        |number| format!("call_{number:016x}"),
    );
    let mut messages: Vec<Value> = system.into_iter().collect();
    for step in steps {
        match step {
            Step::System(text) => messages.push(json!({"role": "system", "content": text})),
            Step::User(text) => messages.push(json!({"role": "user", "content": text})),
            Step::Assistant {
                message, rounds, ..
            } => {
                let mut wire = json!({"role": "assistant", "content": message.text});
                if !rounds.is_empty() {
                    wire["tool_calls"] = rounds
                        .iter()
                        .enumerate()
                        .map(|(index, round)| {
                            json!({
                                "id": round.id,
                                "function": {
                                    "index": index,
                                    "name": plain(&round.call.name),
                                    "arguments": arguments(round.call),
                                },
                            })
                        })
                        .collect();
                }
                messages.push(wire);
                messages.extend(rounds.into_iter().map(|round| {
                    json!({
                        "role": "tool",
                        "content": round.output,
                        "tool_name": plain(&round.call.name),
                        "tool_call_id": round.id,
                    })
                }));
            }
        }
    }
    messages
}

/// `5m` is sent as text. A number is a number of seconds, and must be sent as a number.
pub(super) fn keep_alive(setting: &str) -> Value {
    setting
        .parse::<i64>()
        .map_or_else(|_| json!(setting), |seconds| json!(seconds))
}
