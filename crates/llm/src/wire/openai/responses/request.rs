//! The body of a request to the Responses API.

use serde_json::{Map, Value, json};

use super::{Responses, is_reasoning};
use crate::wire::checks::{check, plain, refuse};
use crate::wire::history::{Step, arguments, steps};
use crate::wire::openai::request::{cache_key, hundredths};
use crate::wire::openai::schema::{parameters, response_schema};
use crate::{AssistantMessage, ChatRequest, Error, ResponseFormat, Tool, ToolChoice};

/// The longest id of a call that the API accepts.
const MAX_ID: usize = 64;

impl Responses {
    /// The request as JSON.
    pub(super) fn body(&self, request: &ChatRequest) -> Result<Value, Error> {
        check(request)?;
        let input = self.input(request);
        if input.is_empty() {
            return refuse("there is nothing to answer");
        }
        let model = &*self.endpoint.context.id.model;
        let mut body = json!({
            "model": model,
            "input": input,
            "stream": true,
            "store": false,
        });
        let system = request.system.as_deref();
        if let Some(system) = system.filter(|text| !text.trim().is_empty()) {
            body["instructions"] = json!(system);
        }
        if let Some(limit) = request.max_output_tokens {
            // The API accepts no smaller one.
            body["max_output_tokens"] = json!(limit.max(16));
        }
        if is_reasoning(model) {
            // What has to come back within a tool loop, as nothing is stored.
            body["include"] = json!(["reasoning.encrypted_content"]);
            if let Some(effort) = self.effort {
                body["reasoning"] = json!({"effort": effort.sized(request.size).as_str()});
            }
        } else if let Some(temperature) = request.temperature {
            body["temperature"] = json!(hundredths(temperature));
        }
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(tool).collect();
            body["tool_choice"] = match &request.tool_choice {
                ToolChoice::Auto => json!("auto"),
                ToolChoice::None => json!("none"),
                ToolChoice::Required => json!("required"),
                ToolChoice::Named(name) => json!({"type": "function", "name": name}),
            };
        }
        if let ResponseFormat::Json { name, schema } = &request.response {
            let (schema, strict) = response_schema(schema);
            body["text"] = json!({"format": {
                "type": "json_schema", "name": plain(name), "strict": strict, "schema": schema,
            }});
        }
        if self.prompt_caching {
            body["prompt_cache_key"] = json!(cache_key(request));
        }
        Ok(body)
    }

    fn input(&self, request: &ChatRequest) -> Vec<Value> {
        let takes_id = |id: &str| (1..=MAX_ID).contains(&id.len()) && plain(id) == id;
        let steps = steps(&request.messages, takes_id, |number| {
            format!("call_{number:016x}")
        });
        let message = |role: &str, kind: &str, text: &str| {
            json!({
                "type": "message", "role": role, "content": [{"type": kind, "text": text}],
            })
        };
        let mut input = Vec::with_capacity(steps.len());
        for step in steps {
            match step {
                Step::System(text) => input.push(message("developer", "input_text", text)),
                Step::User(text) => input.push(message("user", "input_text", text)),
                Step::Assistant {
                    message: said,
                    rounds,
                    is_current,
                } => {
                    if is_current {
                        input.extend(self.thoughts(said));
                    }
                    if !said.text.trim().is_empty() {
                        input.push(message("assistant", "output_text", &said.text));
                    }
                    for round in &rounds {
                        input.push(json!({
                            "type": "function_call",
                            "call_id": round.id,
                            "name": plain(&round.call.name),
                            "arguments": Value::Object(arguments(round.call)).to_string(),
                        }));
                    }
                    for round in &rounds {
                        input.push(json!({
                            "type": "function_call_output",
                            "call_id": round.id,
                            "output": round.output,
                        }));
                    }
                }
            }
        }
        input
    }

    /// The reasoning of a message, if it is this model's.
    fn thoughts(&self, said: &AssistantMessage) -> Vec<Value> {
        said.opaque
            .as_ref()
            .filter(|opaque| opaque.is_of(&self.endpoint.context.id))
            .and_then(|opaque| opaque.data.get(super::decoder::REASONING)?.as_array())
            .cloned()
            .unwrap_or_default()
    }
}

fn tool(tool: &Tool) -> Value {
    let mut wire = Map::new();
    wire.insert("type".to_owned(), json!("function"));
    wire.insert("name".to_owned(), json!(tool.name));
    wire.insert("description".to_owned(), json!(tool.description));
    wire.insert("parameters".to_owned(), parameters(&tool.parameters));
    // Without it the API takes every schema for a strict one, and refuses most.
    wire.insert("strict".to_owned(), json!(false));
    Value::Object(wire)
}
