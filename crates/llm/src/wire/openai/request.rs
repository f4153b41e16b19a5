//! The body of a chat completion request.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value, json};

use super::messages::messages;
use super::schema::{parameters, response_schema};
use super::{OpenAi, ServerKind};
use crate::wire::checks::{check, plain, refuse};
use crate::{ChatRequest, Error, ResponseFormat, Tool, ToolChoice};

impl OpenAi {
    /// The request as JSON.
    pub(super) fn body(&self, request: &ChatRequest) -> Result<Value, Error> {
        check(request)?;
        let mut messages = messages(
            request,
            self.server,
            &self.endpoint.context.id,
            self.is_mistral(),
        );
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(self.endpoint.context.id.model));
        body.insert("stream".to_owned(), json!(true));
        if self.wants_usage() {
            let options = json!({"include_usage": true});
            body.insert("stream_options".to_owned(), options);
        }
        if let Some(limit) = request.max_output_tokens {
            body.insert(self.limit_field().to_owned(), json!(limit));
        }
        if let Some(temperature) = request.temperature.filter(|_| self.takes_temperature()) {
            body.insert("temperature".to_owned(), json!(hundredths(temperature)));
        }
        self.add_effort(&mut body, request);
        add_tools(&mut body, request);
        if let ResponseFormat::Json { name, schema } = &request.response {
            let format = self.response_format(name, schema, &mut messages);
            body.insert("response_format".to_owned(), format);
        }
        if messages.is_empty() {
            return refuse("there is nothing to answer");
        }
        body.insert("messages".to_owned(), Value::Array(messages));
        Ok(Value::Object(body))
    }

    /// The configured effort, for models that have such a thing.
    fn add_effort(&self, body: &mut Map<String, Value>, request: &ChatRequest) {
        let Some(effort) = self.effort else {
            return;
        };
        let effort = effort.sized(request.size).as_str();
        match self.server {
            ServerKind::OpenRouter => {
                body.insert("reasoning".to_owned(), json!({"effort": effort}));
            }
            // OpenAI refuses it for a model that does not reason.
            ServerKind::OpenAi if !is_reasoning(&self.endpoint.context.id.model) => {}
            ServerKind::OpenAi | ServerKind::Compatible { .. } => {
                body.insert("reasoning_effort".to_owned(), json!(effort));
            }
        }
    }

    /// OpenAI caches prompts unasked, and better where equal prompts carry the same key.
    /// OpenRouter hands marks on to Anthropic's models, which cache nothing unasked.
    pub(super) fn add_cache(&self, body: &mut Value, request: &ChatRequest) {
        if !self.prompt_caching {
            return;
        }
        match self.server {
            ServerKind::OpenAi if self.is_openai() => {
                body["prompt_cache_key"] = json!(cache_key(request));
            }
            ServerKind::OpenRouter if self.endpoint.context.id.model.starts_with("anthropic/") => {
                let Some(messages) = body["messages"].as_array_mut() else {
                    return;
                };
                let last = messages.len().saturating_sub(1);
                for (at, message) in messages.iter_mut().enumerate() {
                    // In a tool loop the conversation comes again, too.
                    let marked = at == 0 || at == last && !request.tools.is_empty();
                    let text = message["content"].as_str().filter(|text| !text.is_empty());
                    if let Some(text) = text.filter(|_| marked) {
                        let part = json!({
                            "type": "text", "text": text, "cache_control": {"type": "ephemeral"},
                        });
                        message["content"] = json!([part]);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the model may reason before it answers, as far as its name shows. The thoughts count
    /// as output, so a small limit would leave nothing for the answer.
    pub(super) fn may_reason(&self) -> bool {
        let model = &self.endpoint.context.id.model;
        match self.server {
            ServerKind::OpenAi => !is_older(model),
            ServerKind::Compatible { .. } | ServerKind::OpenRouter => {
                let name = bare(model).to_lowercase();
                is_reasoning(model)
                    || self.effort.is_some()
                    || REASONERS.iter().any(|part| name.contains(part))
            }
        }
    }

    /// OpenRouter and Mistral send the usage without it, and Mistral rejects unknown fields.
    fn wants_usage(&self) -> bool {
        match self.server {
            ServerKind::OpenAi => true,
            ServerKind::Compatible { stream_usage, .. } => stream_usage && !self.is_mistral(),
            ServerKind::OpenRouter => false,
        }
    }

    /// OpenAI accepts the new name for every model and the old one for some; other servers often
    /// know only the old one.
    fn limit_field(&self) -> &'static str {
        let is_router = matches!(self.server, ServerKind::OpenRouter);
        if !is_router && (self.is_openai() || is_reasoning(&self.endpoint.context.id.model)) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }

    /// Reasoning models reject any temperature but 1. All newer models of OpenAI are such, so an
    /// unknown model gets none; OpenRouter drops parameters that the model does not accept.
    fn takes_temperature(&self) -> bool {
        let model = &self.endpoint.context.id.model;
        match self.server {
            ServerKind::OpenRouter => true,
            _ if self.is_openai() => is_older(model),
            _ => !is_reasoning(model),
        }
    }

    fn response_format(&self, name: &str, schema: &Value, messages: &mut Vec<Value>) -> Value {
        if let ServerKind::Compatible {
            json_schema: false, ..
        } = self.server
        {
            // Such servers require the word JSON in the conversation, and the model needs the
            // schema.
            let words = format!("Answer with JSON only, of this JSON Schema: {schema}");
            if let Some(first) = messages
                .first_mut()
                .filter(|first| first["role"] == "system")
            {
                let text = first["content"].as_str().unwrap_or_default();
                first["content"] = json!(format!("{text}\n\n{words}"));
            } else {
                messages.insert(0, json!({"role": "system", "content": words}));
            }
            return json!({"type": "json_object"});
        }
        let (schema, strict) = response_schema(schema);
        json!({
            "type": "json_schema",
            "json_schema": {"name": plain(name), "strict": strict, "schema": schema},
        })
    }

    fn is_openai(&self) -> bool {
        let host = self.endpoint.url.host_str().unwrap_or_default();
        host.ends_with("api.openai.com") || host.ends_with(".openai.azure.com")
    }

    fn is_mistral(&self) -> bool {
        matches!(self.server, ServerKind::Compatible { .. })
            && self
                .endpoint
                .url
                .host_str()
                .is_some_and(|host| host.ends_with("mistral.ai"))
    }
}

/// The same for all requests with the same instructions and tools: what a conversation begins with.
pub(super) fn cache_key(request: &ChatRequest) -> String {
    let mut hasher = DefaultHasher::new();
    let system = request.system.as_deref().unwrap_or_default();
    // What is particular to a day or a person is at the end.
    system[..system.floor_char_boundary(1_024)].hash(&mut hasher);
    for tool in request.tools.iter() {
        tool.name.hash(&mut hasher);
    }
    format!("heliograph-{:016x}", hasher.finish())
}

/// Parts of the names of models that reason before they answer.
const REASONERS: [&str; 17] = [
    "r1",
    "qwq",
    "qwen3",
    "think",
    "reason",
    "gpt-oss",
    "magistral",
    "glm-4.5",
    "glm-4.6",
    "glm-5",
    "kimi",
    "deepseek",
    "minimax",
    "grok",
    "nemotron",
    "gemini-2.5",
    "gemini-3",
];

fn add_tools(body: &mut Map<String, Value>, request: &ChatRequest) {
    if request.tools.is_empty() {
        return;
    }
    body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
    let choice = match &request.tool_choice {
        ToolChoice::Auto => return,
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Named(name) => json!({"type": "function", "function": {"name": name}}),
    };
    body.insert("tool_choice".to_owned(), choice);
}

/// A tool in the form of OpenAI's and Ollama's API.
pub(in crate::wire) fn tool(tool: &Tool) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": parameters(&tool.parameters),
        },
    })
}

/// Whether a model is a reasoning model of OpenAI: `o1`, `gpt-5` and later, with or without a
/// maker's name before it.
pub(super) fn is_reasoning(model: &str) -> bool {
    let name = bare(model);
    let number = |prefix: &str| {
        let digits = name.strip_prefix(prefix)?;
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        // `gpt-4o` is 4; `o1-mini` is 1; `olmo` has no number.
        digits[..end].parse::<u32>().ok()
    };
    let is_chat = name.starts_with("gpt-5-chat");
    !is_chat && (number("o").is_some() || number("gpt-").is_some_and(|number| number >= 5))
}

/// Whether a model is one of OpenAI's without reasoning.
pub(super) fn is_older(model: &str) -> bool {
    let name = bare(model);
    ["gpt-3.5", "gpt-4", "gpt-5-chat", "chatgpt-"]
        .iter()
        .any(|older| name.starts_with(older))
}

/// The name of a model without prefixes: `openai/…`, `ft:…`.
fn bare(model: &str) -> &str {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.strip_prefix("ft:").unwrap_or(name)
}

/// A temperature with two decimals, without the further digits of an `f32` that becomes an `f64`.
pub(in crate::wire) fn hundredths(temperature: f32) -> f64 {
    (f64::from(temperature) * 100.0).round() / 100.0
}
