//! The body of a request to the Gemini API.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{ForeignCalls, Options, SchemaDialect, schema};
use crate::config::Effort;
use crate::wire::checks::{check, plain, refuse};
use crate::wire::turns::{CallResult, ChatTurn, UNANSWERED, turns};
use crate::{
    AnswerSize, Arguments, AssistantMessage, ChatRequest, Error, ModelId, Opaque, ProviderName,
    ResponseFormat, Tool, ToolCall, ToolChoice,
};

/// `skip_thought_signature_validator` in base64.
const PLACEHOLDER: &str = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    contents: Vec<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Declarations<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    generation_config: GenerationConfig,
}

#[derive(Debug, Serialize)]
struct Content<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<FunctionCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_response: Option<FunctionResponse<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought_signature: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct FunctionCall<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: String,
    args: Cow<'a, Map<String, Value>>,
}

#[derive(Debug, Serialize)]
struct FunctionResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    name: String,
    response: Cow<'a, Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Declarations<'a> {
    function_declarations: Vec<Declaration<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerationConfig {
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_json_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_schema: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Value>,
}

/// Translates a request, or rejects it.
pub(super) fn body<'a>(options: &'a Options, request: &'a ChatRequest) -> Result<Body<'a>, Error> {
    check(request)?;
    let contents = contents(options, &turns(&request.messages));
    if contents.is_empty() {
        return refuse("there is nothing to answer");
    }
    let system = request
        .system
        .as_deref()
        .filter(|text| !text.trim().is_empty());
    Ok(Body {
        system_instruction: system.map(|text| json!({"parts": [{"text": text}]})),
        contents,
        tools: declarations(options.schemas, &request.tools),
        tool_config: tool_config(request),
        generation_config: generation_config(options, request),
    })
}

fn contents<'a>(options: &Options, turns: &[ChatTurn<'a>]) -> Vec<Content<'a>> {
    turns
        .iter()
        .map(|turn| match turn {
            ChatTurn::User { answers, texts } => Content {
                role: "user",
                parts: answers
                    .iter()
                    .map(|answer| function_response(answer, &options.context.id.provider))
                    .chain(texts.iter().copied().map(text_part))
                    .collect(),
            },
            ChatTurn::Assistant(said) => Content {
                role: "model",
                parts: said
                    .iter()
                    .flat_map(|message| model_parts(options, message))
                    .collect(),
            },
        })
        .collect()
}

fn text_part(text: &str) -> Part<'_> {
    Part {
        text: Some(text),
        ..Part::default()
    }
}

fn model_parts<'a>(options: &Options, message: &'a AssistantMessage) -> Vec<Part<'a>> {
    let id = &options.context.id;
    let mut parts = Vec::with_capacity(1 + message.calls.len());
    if !message.text.trim().is_empty() {
        parts.push(Part {
            thought_signature: signature(message.opaque.as_ref(), id),
            ..text_part(&message.text)
        });
    }
    let first_call = parts.len();
    parts.extend(message.calls.iter().map(|call| Part {
        thought_signature: signature(call.opaque.as_ref(), id),
        function_call: Some(function_call(call, &id.provider)),
        ..Part::default()
    }));
    // The first call of a step must have a signature.
    if let Some(first) = parts.get_mut(first_call)
        && first.thought_signature.is_none()
        && wants_placeholder(options)
    {
        first.thought_signature = Some(PLACEHOLDER);
    }
    parts
}

fn function_call<'a>(call: &'a ToolCall, provider: &ProviderName) -> FunctionCall<'a> {
    let args = match &call.arguments {
        Arguments::Object(members) => Cow::Borrowed(members),
        // The API accepts only an object; the result of the call reports the mistake to the model.
        Arguments::Broken(text) => Cow::Owned(Map::from_iter([(
            "unreadable_arguments".to_owned(),
            text.as_str().into(),
        )])),
    };
    FunctionCall {
        id: own_id(call, provider),
        name: plain(&call.name),
        args,
    }
}

fn function_response<'a>(answer: &CallResult<'a>, provider: &ProviderName) -> Part<'a> {
    let response = match answer.output {
        Some(output) if output.is_error => Cow::Owned(json!({"error": output.output})),
        Some(output) if output.output.is_object() => Cow::Borrowed(&output.output),
        Some(output) => Cow::Owned(json!({"output": output.output})),
        None => Cow::Owned(json!({"error": UNANSWERED})),
    };
    Part {
        function_response: Some(FunctionResponse {
            id: own_id(answer.call, provider),
            name: plain(&answer.call.name),
            response,
        }),
        ..Part::default()
    }
}

/// The id that this provider gave the call. Generated ids and ids of other providers are not sent;
/// the API matches calls and results by position.
fn own_id<'a>(call: &'a ToolCall, provider: &ProviderName) -> Option<&'a str> {
    let opaque = call.opaque.as_ref();
    member(opaque.filter(|opaque| opaque.provider == *provider), "id")
}

/// A signature is valid only for the model that made it.
fn signature<'a>(opaque: Option<&'a Opaque>, model: &ModelId) -> Option<&'a str> {
    member(opaque.filter(|opaque| opaque.is_of(model)), "signature")
}

fn member<'a>(opaque: Option<&'a Opaque>, name: &str) -> Option<&'a str> {
    opaque?.data.get(name)?.as_str()
}

fn wants_placeholder(options: &Options) -> bool {
    match options.foreign_calls {
        ForeignCalls::Placeholder => true,
        ForeignCalls::Unsigned => false,
        ForeignCalls::ByModel => {
            generation(&options.context.id.model).is_some_and(|number| number >= 3)
        }
    }
}

/// The generation of a model: 3 for `gemini-3-pro` and `models/gemini-3.6-flash`.
fn generation(model: &str) -> Option<u32> {
    let (_, after) = model.split_once("gemini-")?;
    let end = after
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(after.len());
    after[..end].parse().ok()
}

fn declarations(dialect: SchemaDialect, tools: &[Tool]) -> Vec<Declarations<'_>> {
    if tools.is_empty() {
        return Vec::new();
    }
    let declare = |tool| declaration(dialect, tool);
    vec![Declarations {
        function_declarations: tools.iter().map(declare).collect(),
    }]
}

fn declaration(dialect: SchemaDialect, tool: &Tool) -> Declaration<'_> {
    // Older models reject an object without members; a function without parameters has the same
    // meaning.
    let parameters = Some(&tool.parameters).filter(|schema| takes_arguments(schema));
    let (json_schema, open_api) = match dialect {
        SchemaDialect::JsonSchema => (parameters, None),
        SchemaDialect::OpenApi => (None, parameters.map(schema::open_api)),
    };
    Declaration {
        name: &tool.name,
        description: &tool.description,
        parameters_json_schema: json_schema,
        parameters: open_api,
    }
}

fn takes_arguments(schema: &Value) -> bool {
    let has_properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| !properties.is_empty());
    has_properties
        || ["$ref", "anyOf", "oneOf", "allOf"]
            .iter()
            .any(|keyword| schema.get(keyword).is_some())
}

fn tool_config(request: &ChatRequest) -> Option<Value> {
    if request.tools.is_empty() {
        return None;
    }
    let config = match &request.tool_choice {
        ToolChoice::Auto => json!({"mode": "AUTO"}),
        ToolChoice::None => json!({"mode": "NONE"}),
        ToolChoice::Required => json!({"mode": "ANY"}),
        ToolChoice::Named(name) => json!({"mode": "ANY", "allowedFunctionNames": [name]}),
    };
    Some(json!({"functionCallingConfig": config}))
}

fn generation_config(options: &Options, request: &ChatRequest) -> GenerationConfig {
    let shape = match &request.response {
        ResponseFormat::Text => None,
        ResponseFormat::Json { schema, .. } => Some(schema),
    };
    let (json_schema, open_api) = match options.schemas {
        SchemaDialect::JsonSchema => (shape.cloned(), None),
        SchemaDialect::OpenApi => (None, shape.map(schema::open_api)),
    };
    GenerationConfig {
        max_output_tokens: request
            .max_output_tokens
            .unwrap_or(options.max_output_tokens)
            .max(1),
        temperature: request
            .temperature
            .filter(|degree| degree.is_finite())
            .map(|degree| degree.clamp(0.0, 2.0)),
        response_mime_type: shape.map(|_| "application/json"),
        response_json_schema: json_schema,
        response_schema: open_api,
        thinking_config: thinking_config(options, request),
    }
}

/// The amount of thinking: by level from Gemini 3 on, by tokens before. The models before 2.5 do
/// not think, and refuse the member.
fn thinking_config(options: &Options, request: &ChatRequest) -> Option<Value> {
    let model = &*options.context.id.model;
    let effort = options.effort.map(|effort| effort.sized(request.size));
    if generation(model).is_some_and(|number| number >= 3) {
        let level = match effort? {
            Effort::None | Effort::Minimal | Effort::Low => "low",
            // Not every model knows a level between.
            Effort::Medium | Effort::High => "high",
        };
        return Some(json!({"thinkingLevel": level}));
    }
    if !model.contains("gemini-2.5") {
        return None;
    }
    let by_effort = effort.map(|effort| match effort {
        Effort::None => 0,
        Effort::Minimal => 512,
        Effort::Low => 1_024,
        Effort::Medium => 4_096,
        Effort::High => 16_384,
    });
    // The Pro model cannot be kept from thinking.
    let least = if model.contains("pro") { 128 } else { 0 };
    let budget: u32 = options.thinking_budget.or(by_effort)?;
    let budget = if request.size == AnswerSize::Brief {
        least
    } else {
        budget.max(least)
    };
    Some(json!({"thinkingBudget": budget}))
}

/// Whether the model thinks before it answers this.
pub(super) fn may_think(options: &Options, request: &ChatRequest) -> bool {
    let model = &*options.context.id.model;
    let older = ["gemini-1", "gemini-2.0", "gemma"]
        .iter()
        .any(|name| model.contains(name));
    let kept_from_it = thinking_config(options, request).is_some_and(|config| {
        config["thinkingBudget"]
            .as_u64()
            .is_some_and(|most| most <= 128)
    });
    !older && !kept_from_it
}

#[cfg(test)]
mod tests;
