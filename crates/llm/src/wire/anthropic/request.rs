//! The body of a request to the Messages API.

use std::borrow::Cow;
use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::blocks::{MessagePart, pieces};
use super::{Options, StructuredOutput, Thinking, schema};
use crate::config::Effort;
use crate::wire::checks::{check, plain, refuse};
use crate::wire::turns::{CallResult, ChatTurn, UNANSWERED, loop_start, turns};
use crate::{
    AnswerSize, Arguments, AssistantMessage, ChatRequest, Error, ModelId, ResponseFormat, ToolCall,
    ToolChoice,
};

/// The tool whose call carries an answer of a given shape, for models without structured outputs.
pub(super) const ANSWER_TOOL: &str = "respond_with_json";

/// The smallest budget that the API accepts.
const LEAST_BUDGET: u32 = 1024;

#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<&'a str>,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
}

#[derive(Debug, Serialize)]
struct WireMessage<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
    },
    ToolUse {
        id: String,
        name: String,
        input: Cow<'a, Map<String, Value>>,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(skip_serializing_if = "str::is_empty")]
        content: Cow<'a, str>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    #[serde(untagged)]
    Thinking(&'a Value),
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    name: Cow<'a, str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: Cow<'a, Value>,
}

/// Translates a request, or rejects it.
pub(super) fn body<'a>(options: &'a Options, request: &'a ChatRequest) -> Result<Body<'a>, Error> {
    check(request)?;
    let turns = turns(&request.messages);
    let start = loop_start(&turns);
    let messages = messages(&turns, start, &options.context.id);
    if messages.is_empty() {
        return refuse("there is nothing to answer");
    }
    let max_tokens = request
        .max_output_tokens
        .unwrap_or(options.max_output_tokens)
        .max(1);
    let (tools, tool_choice) = tools(options, request, &turns);
    let forced = matches!(
        tool_choice
            .as_ref()
            .and_then(|choice| choice["type"].as_str()),
        Some("any" | "tool")
    );
    let thoughtless = forced || request.size == AnswerSize::Brief;
    let thinking = thinking(options, thoughtless, max_tokens, messages.get(start..));
    let temperature = request
        .temperature
        .filter(|degree| options.takes_temperature && thinking.is_none() && degree.is_finite())
        .map(|degree| degree.clamp(0.0, 1.0));
    Ok(Body {
        model: &options.context.id.model,
        max_tokens,
        stream: true,
        system: request
            .system
            .as_deref()
            .filter(|text| !text.trim().is_empty()),
        messages,
        tools,
        tool_choice,
        temperature,
        thinking,
        output_config: output_config(options, request),
    })
}

fn messages<'a>(
    turns: &[ChatTurn<'a>],
    loop_start: usize,
    model: &ModelId,
) -> Vec<WireMessage<'a>> {
    let mut ids = Ids::default();
    let mut messages: Vec<_> = turns
        .iter()
        .enumerate()
        .map(|(at, turn)| match turn {
            ChatTurn::User { answers, texts } => WireMessage {
                role: "user",
                content: user_blocks(answers, texts, &ids),
            },
            ChatTurn::Assistant(said) => {
                let thinker = (at >= loop_start).then_some(model);
                WireMessage {
                    role: "assistant",
                    content: assistant_blocks(said, thinker, &mut ids),
                }
            }
        })
        .collect();
    // The API rejects a last message of the model that ends in white space.
    if let Some(WireMessage {
        role: "assistant",
        content,
    }) = messages.last_mut()
        && let Some(Block::Text { text }) = content.last_mut()
    {
        *text = text.trim_end();
    }
    messages
}

fn user_blocks<'a>(answers: &[CallResult<'a>], texts: &[&'a str], ids: &Ids) -> Vec<Block<'a>> {
    let results = answers.iter().zip(&ids.latest).map(|(answer, id)| {
        let (content, is_error) = match answer.output {
            Some(output) => (words(&output.output), output.is_error),
            None => (UNANSWERED.into(), true),
        };
        Block::ToolResult {
            tool_use_id: id.clone(),
            content,
            is_error,
        }
    });
    results
        .chain(texts.iter().map(|text| Block::Text { text }))
        .collect()
}

fn words(output: &Value) -> Cow<'_, str> {
    match output {
        Value::String(text) => text.into(),
        Value::Null => "".into(),
        other => other.to_string().into(),
    }
}

/// The blocks of a turn. `thinker` is the model whose thinking blocks are sent, if any are.
fn assistant_blocks<'a>(
    said: &[&'a AssistantMessage],
    thinker: Option<&ModelId>,
    ids: &mut Ids,
) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    for message in said {
        ids.name(&message.calls);
        for piece in pieces(message, thinker) {
            match piece {
                MessagePart::Thinking(block) => blocks.push(Block::Thinking(block)),
                MessagePart::Text(text) if text.trim().is_empty() => {}
                MessagePart::Text(text) => blocks.push(Block::Text { text }),
                MessagePart::Call(at) => {
                    blocks.push(tool_use(&message.calls[at], ids.latest[at].clone()));
                }
            }
        }
    }
    blocks
}

fn tool_use(call: &ToolCall, id: String) -> Block<'_> {
    let input = match &call.arguments {
        Arguments::Object(members) => Cow::Borrowed(members),
        // The API accepts only an object; the result of the call reports the mistake to the model.
        Arguments::Broken(text) => Cow::Owned(Map::from_iter([(
            "unreadable_arguments".to_owned(),
            text.as_str().into(),
        )])),
    };
    Block::ToolUse {
        id,
        name: plain(&call.name),
        input,
    }
}

/// The ids of tool calls in characters that the API accepts, each only once.
#[derive(Debug, Default)]
struct Ids {
    used: HashSet<String>,
    /// The ids of the previous message, to which results refer.
    latest: Vec<String>,
}

impl Ids {
    fn name(&mut self, calls: &[ToolCall]) {
        self.latest = calls.iter().map(|call| self.unused(&call.id)).collect();
    }

    fn unused(&mut self, id: &str) -> String {
        let plain = plain(id);
        let mut name = plain.clone();
        let mut number = 1;
        while !self.used.insert(name.clone()) {
            number += 1;
            name = format!("{plain}_{number}");
        }
        name
    }
}

fn tools<'a>(
    options: &Options,
    request: &'a ChatRequest,
    turns: &[ChatTurn<'a>],
) -> (Vec<WireTool<'a>>, Option<Value>) {
    if let (StructuredOutput::ForcedTool, ResponseFormat::Json { schema, .. }) =
        (options.structured, &request.response)
    {
        let tool = WireTool {
            name: ANSWER_TOOL.into(),
            description: "Takes your answer.",
            input_schema: object_schema(schema),
        };
        return (
            vec![tool],
            Some(json!({"type": "tool", "name": ANSWER_TOOL})),
        );
    }
    if request.tools.is_empty() {
        let tools = tools_of_history(turns);
        let choice = (!tools.is_empty()).then(|| json!({"type": "none"}));
        return (tools, choice);
    }
    let tools = request.tools.iter().map(|tool| WireTool {
        name: tool.name.as_str().into(),
        description: &tool.description,
        input_schema: object_schema(&tool.parameters),
    });
    let choice = match &request.tool_choice {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Named(name) => json!({"type": "tool", "name": name}),
    };
    (tools.collect(), Some(choice))
}

/// Tool calls in the history require declarations of their tools, even where none may be called.
fn tools_of_history<'a>(turns: &[ChatTurn<'a>]) -> Vec<WireTool<'a>> {
    let mut names = Vec::new();
    for turn in turns {
        let ChatTurn::User { answers, .. } = turn else {
            continue;
        };
        for answer in answers {
            let name = plain(&answer.call.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
        .into_iter()
        .map(|name| WireTool {
            name: name.into(),
            description: "",
            input_schema: Cow::Owned(json!({"type": "object"})),
        })
        .collect()
}

fn object_schema(schema: &Value) -> Cow<'_, Value> {
    if schema.get("type").is_some_and(|name| name == "object") {
        return Cow::Borrowed(schema);
    }
    let mut members = schema.as_object().cloned().unwrap_or_default();
    members.insert("type".to_owned(), "object".into());
    Cow::Owned(Value::Object(members))
}

/// The request for thinking. `messages` are those of the present tool loop.
fn thinking(
    options: &Options,
    thoughtless: bool,
    max_tokens: u32,
    messages: Option<&[WireMessage<'_>]>,
) -> Option<Value> {
    if thoughtless {
        return None;
    }
    match options.thinking {
        Thinking::Off => None,
        Thinking::Adaptive => Some(json!({"type": "adaptive"})),
        Thinking::Budget => {
            // A tool loop that began without thinking, for example at another provider, cannot
            // continue with it.
            let thoughtless = messages
                .unwrap_or_default()
                .iter()
                .filter(|message| message.role == "assistant")
                .any(|message| !matches!(message.content.first(), Some(Block::Thinking(_))));
            let budget = options.thinking_budget.min(max_tokens.saturating_sub(1));
            (!thoughtless && budget >= LEAST_BUDGET)
                .then(|| json!({"type": "enabled", "budget_tokens": budget}))
        }
    }
}

fn output_config(options: &Options, request: &ChatRequest) -> Option<Value> {
    let mut config = Map::new();
    if let (StructuredOutput::Native, ResponseFormat::Json { schema, .. }) =
        (options.structured, &request.response)
    {
        let format = json!({"type": "json_schema", "schema": schema::closed(schema)});
        config.insert("format".to_owned(), format);
    }
    if let Some(effort) = options.effort {
        // The API knows nothing below a low effort.
        let effort = effort.sized(request.size).max(Effort::Low);
        config.insert("effort".to_owned(), json!(effort.as_str()));
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

#[cfg(test)]
mod tests;
