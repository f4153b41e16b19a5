//! A request in Gemini's words.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{ForeignCalls, GeminiSettings, SchemaDialect, schema};
use crate::providers::checks::{check, plain, refuse};
use crate::providers::turns::{Answer, Turn, UNANSWERED, turns};
use crate::{
    Arguments, AssistantMessage, ChatRequest, Error, Opaque, ProviderKind, ResponseFormat, Tool,
    ToolCall, ToolChoice,
};

/// `skip_thought_signature_validator`, in the base64 that bytes have in JSON.
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
}

/// Translates a request, or refuses it.
pub(super) fn body<'a>(
    settings: &'a GeminiSettings,
    request: &'a ChatRequest,
) -> Result<Body<'a>, Error> {
    check(request)?;
    let contents = contents(settings, &turns(&request.messages));
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
        tools: declarations(settings.schemas, &request.tools),
        tool_config: tool_config(request),
        generation_config: generation_config(settings, request),
    })
}

fn contents<'a>(settings: &GeminiSettings, turns: &[Turn<'a>]) -> Vec<Content<'a>> {
    turns
        .iter()
        .map(|turn| match turn {
            Turn::User { answers, texts } => Content {
                role: "user",
                parts: answers
                    .iter()
                    .map(function_response)
                    .chain(texts.iter().copied().map(text_part))
                    .collect(),
            },
            Turn::Assistant(said) => Content {
                role: "model",
                parts: said
                    .iter()
                    .flat_map(|message| model_parts(settings, message))
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

fn model_parts<'a>(settings: &GeminiSettings, message: &'a AssistantMessage) -> Vec<Part<'a>> {
    let mut parts = Vec::with_capacity(1 + message.calls.len());
    if !message.text.trim().is_empty() {
        parts.push(Part {
            thought_signature: signature(message.opaque.as_ref(), &settings.model),
            ..text_part(&message.text)
        });
    }
    let first_call = parts.len();
    parts.extend(message.calls.iter().map(|call| Part {
        thought_signature: signature(call.opaque.as_ref(), &settings.model),
        function_call: Some(function_call(call)),
        ..Part::default()
    }));
    // Of the calls of a step, the first has to be signed.
    if let Some(first) = parts.get_mut(first_call)
        && first.thought_signature.is_none()
        && wants_placeholder(settings)
    {
        first.thought_signature = Some(PLACEHOLDER);
    }
    parts
}

fn function_call(call: &ToolCall) -> FunctionCall<'_> {
    let args = match &call.arguments {
        Arguments::Object(members) => Cow::Borrowed(members),
        // Only an object is taken; the answer to the call says what is wrong with this.
        Arguments::Broken(text) => Cow::Owned(Map::from_iter([(
            "unreadable_arguments".to_owned(),
            text.as_str().into(),
        )])),
    };
    FunctionCall {
        id: own_id(call),
        name: plain(&call.name),
        args,
    }
}

fn function_response<'a>(answer: &Answer<'a>) -> Part<'a> {
    let response = match answer.output {
        Some(output) if output.is_error => Cow::Owned(json!({"error": output.output})),
        Some(output) if output.output.is_object() => Cow::Borrowed(&output.output),
        Some(output) => Cow::Owned(json!({"output": output.output})),
        None => Cow::Owned(json!({"error": UNANSWERED})),
    };
    Part {
        function_response: Some(FunctionResponse {
            id: own_id(answer.call),
            name: plain(&answer.call.name),
            response,
        }),
        ..Part::default()
    }
}

/// The id that Gemini gave. Ids of our own making and of other providers mean nothing to it; calls and results are matched by position.
fn own_id(call: &ToolCall) -> Option<&str> {
    kept(call.opaque.as_ref(), "id")
}

/// A signature holds for the model that made it.
fn signature<'a>(opaque: Option<&'a Opaque>, model: &str) -> Option<&'a str> {
    kept(opaque, "signature").filter(|_| kept(opaque, "model") == Some(model))
}

fn kept<'a>(opaque: Option<&'a Opaque>, member: &str) -> Option<&'a str> {
    opaque
        .filter(|opaque| opaque.provider == ProviderKind::Gemini)
        .and_then(|opaque| opaque.data.get(member)?.as_str())
}

fn wants_placeholder(settings: &GeminiSettings) -> bool {
    match settings.foreign_calls {
        ForeignCalls::Placeholder => true,
        ForeignCalls::Unsigned => false,
        ForeignCalls::ByModel => generation(&settings.model).is_some_and(|number| number >= 3),
    }
}

/// The 3 of `gemini-3-pro`, `models/gemini-3.6-flash` and the like.
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
    // Older models refuse an object without members; a function without parameters is the same.
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

fn generation_config(settings: &GeminiSettings, request: &ChatRequest) -> GenerationConfig {
    let shape = match &request.response {
        ResponseFormat::Text => None,
        ResponseFormat::Json { schema, .. } => Some(schema),
    };
    let (json_schema, open_api) = match settings.schemas {
        SchemaDialect::JsonSchema => (shape.cloned(), None),
        SchemaDialect::OpenApi => (None, shape.map(schema::open_api)),
    };
    GenerationConfig {
        max_output_tokens: request
            .max_output_tokens
            .unwrap_or(settings.max_output_tokens)
            .max(1),
        temperature: request
            .temperature
            .filter(|degree| degree.is_finite())
            .map(|degree| degree.clamp(0.0, 2.0)),
        response_mime_type: shape.map(|_| "application/json"),
        response_json_schema: json_schema,
        response_schema: open_api,
    }
}

#[cfg(test)]
mod tests;
