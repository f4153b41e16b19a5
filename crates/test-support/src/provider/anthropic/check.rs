//! What Anthropic refuses. Words marked [rec] are recorded or written down in protocols d.3, the
//! others are those of its public errors.

use serde_json::{Value, json};

use super::conversation::conversation;
use crate::provider::checks::{
    is_unknown_model, items, members, plain_name, repeated, text, unknown_member,
};
use crate::provider::http::Incoming;
use crate::provider::{Choice, Dialect, Operation, Refusal, Seen, SeenTool};

pub(super) type Checked<T = ()> = Result<T, Refusal>;

pub(super) fn refuse<T>(words: impl Into<String>) -> Checked<T> {
    Err(Refusal::bad_request(Dialect::Anthropic, words))
}

/// A key in `x-api-key`, the right one, and the interface's version.
pub(in crate::provider) fn authorize(incoming: &Incoming, key: &str) -> Checked {
    match incoming.header("x-api-key") {
        None => Err(Refusal::new(
            Dialect::Anthropic,
            401,
            "x-api-key header is required",
        )),
        Some(given) if given != key => {
            // [rec] error_identity_edge__streaming_connect_auth_rejection_classifies_with_contract.
            let mut refusal = Refusal::new(Dialect::Anthropic, 401, "API key is invalid.");
            refusal.body["request_id"] = Value::Null;
            Err(refusal)
        }
        Some(_) => match incoming.header("anthropic-version") {
            Some("2023-06-01") => Ok(()),
            Some(other) => refuse(format!(
                "anthropic-version: \"{other}\" is not a valid version."
            )),
            None => refuse("anthropic-version: header is required"),
        },
    }
}

/// Reads a request, or refuses it.
pub(in crate::provider) fn check(incoming: &Incoming) -> Checked<Seen> {
    let body = &incoming.body;
    let mut seen = Seen::new(
        Dialect::Anthropic,
        Operation::Chat,
        incoming.headers.clone(),
        body.clone(),
    );
    top_level(body)?;
    let model = text(body, "model");
    if is_unknown_model(model) {
        // [rec] error_identity_edge__streaming_connect_4xx_matches_blocking_richness.
        return Err(Refusal::new(
            Dialect::Anthropic,
            404,
            format!("model: {model}"),
        ));
    }
    model.clone_into(&mut seen.model);
    seen.stream = body["stream"] == json!(true);
    seen.system = system(&body["system"])?;
    seen.tools = tools(body)?;
    seen.tool_choice = tool_choice(body, &seen.tools)?;
    seen.json_schema = output_format(&body["output_config"]["format"])?;
    thinking(body, &seen.tool_choice)?;
    conversation(items(&body["messages"]), &mut seen)?;
    Ok(seen)
}

fn top_level(body: &Value) -> Checked {
    const KNOWN: [&str; 18] = [
        "model",
        "messages",
        "max_tokens",
        "system",
        "tools",
        "tool_choice",
        "temperature",
        "top_p",
        "top_k",
        "stop_sequences",
        "stream",
        "metadata",
        "thinking",
        "service_tier",
        "output_config",
        "container",
        "inference_geo",
        "cache_control",
    ];
    if let Some(name) = unknown_member(body, &KNOWN) {
        return refuse(format!("{name}: Extra inputs are not permitted"));
    }
    for name in ["model", "messages", "max_tokens"] {
        if body.get(name).is_none() {
            return refuse(format!("{name}: Field required"));
        }
    }
    if body["max_tokens"].as_u64().is_none() {
        return refuse("max_tokens: Input should be a valid integer");
    }
    if body["max_tokens"] == 0 {
        return refuse("max_tokens: must be greater than or equal to 1");
    }
    let temperature = &body["temperature"];
    if !temperature.is_null()
        && temperature
            .as_f64()
            .is_none_or(|given| !(0.0..=1.0).contains(&given))
    {
        return refuse("temperature: range: 0..1");
    }
    // Present but null is refused for what is not optional in the schema.
    let null = ["tools", "system", "messages"]
        .into_iter()
        .find(|name| body.get(*name).is_some_and(Value::is_null));
    match null {
        Some(name) => refuse(format!("{name}: Input should be a valid list")),
        None => Ok(()),
    }
}

fn system(system: &Value) -> Checked<String> {
    match system {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        blocks => {
            let texts: Vec<_> = items(blocks)
                .iter()
                .map(|block| text(block, "text"))
                .collect();
            if texts.iter().any(|text| text.is_empty()) {
                return refuse("system: text content blocks must be non-empty");
            }
            Ok(texts.join("\n"))
        }
    }
}

fn tools(body: &Value) -> Checked<Vec<SeenTool>> {
    let tools: Vec<_> = items(&body["tools"])
        .iter()
        .enumerate()
        .map(|(index, tool)| self::tool(index, tool))
        .collect::<Checked<_>>()?;
    if repeated(tools.iter().map(|tool| tool.name.as_str())).is_some() {
        return refuse("tools: Tool names must be unique.");
    }
    Ok(tools)
}

fn tool(index: usize, tool: &Value) -> Checked<SeenTool> {
    const KNOWN: [&str; 7] = [
        "type",
        "name",
        "description",
        "input_schema",
        "cache_control",
        "strict",
        "eager_input_streaming",
    ];
    if let Some(name) = unknown_member(tool, &KNOWN) {
        return refuse(format!(
            "tools.{index}.custom.{name}: Extra inputs are not permitted"
        ));
    }
    let name = text(tool, "name");
    if !plain_name(name, 128) {
        return refuse(format!(
            "tools.{index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        ));
    }
    let schema = &tool["input_schema"];
    if schema["type"] != "object" {
        let what = if schema["type"].is_null() {
            "Field required"
        } else {
            "Input should be 'object'"
        };
        return refuse(format!("tools.{index}.custom.input_schema.type: {what}"));
    }
    if ["oneOf", "allOf", "anyOf"]
        .iter()
        .any(|keyword| schema.get(*keyword).is_some())
    {
        let words = "input_schema does not support oneOf, allOf, or anyOf at the top level";
        return refuse(format!("tools.{index}.custom.input_schema: {words}"));
    }
    if tool["strict"] == json!(true)
        && let Some(violation) = strict_violation(schema)
    {
        return refuse(format!("tools.{index}.custom: {violation}"));
    }
    Ok(SeenTool {
        name: name.to_owned(),
        description: text(tool, "description").to_owned(),
        parameters: schema.clone(),
    })
}

fn tool_choice(body: &Value, tools: &[SeenTool]) -> Checked<Choice> {
    let choice = &body["tool_choice"];
    if choice.is_null() {
        return Ok(Choice::Auto);
    }
    if tools.is_empty() {
        return refuse("tool_choice: tool_choice may only be specified while providing tools");
    }
    match text(choice, "type") {
        "auto" => Ok(Choice::Auto),
        "none" => Ok(Choice::None),
        "any" => Ok(Choice::Required),
        "tool" => {
            let name = text(choice, "name");
            if tools.iter().any(|tool| tool.name == name) {
                Ok(Choice::Named(name.to_owned()))
            } else {
                refuse(format!(
                    "tool_choice.tool.name: Tool '{name}' not found in provided tools"
                ))
            }
        }
        other => refuse(format!(
            "tool_choice: Input tag '{other}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'"
        )),
    }
}

fn output_format(format: &Value) -> Checked<Option<Value>> {
    if format.is_null() {
        return Ok(None);
    }
    if format["type"] != "json_schema" {
        return refuse("output_config.format.type: Input should be 'json_schema'");
    }
    if let Some(name) = unknown_member(format, &["type", "schema"]) {
        return refuse(format!(
            "output_config.format.{name}: Extra inputs are not permitted"
        ));
    }
    match strict_violation(&format["schema"]) {
        Some(violation) => refuse(format!("output_config.format.schema: {violation}")),
        None => Ok(Some(format["schema"].clone())),
    }
}

/// [rec] Thinking and a forced tool exclude each other.
fn thinking(body: &Value, choice: &Choice) -> Checked {
    let thinking = &body["thinking"];
    if thinking.is_null() || thinking["type"] == "disabled" {
        return Ok(());
    }
    if matches!(choice, Choice::Required | Choice::Named(_)) {
        return refuse("Thinking may not be enabled when tool_choice forces tool use.");
    }
    let budget = thinking["budget_tokens"].as_u64();
    if thinking["type"] == "enabled" && budget.is_none_or(|budget| budget < 1024) {
        return refuse(
            "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        );
    }
    if budget.is_some_and(|budget| {
        body["max_tokens"]
            .as_u64()
            .is_some_and(|most| most <= budget)
    }) {
        return refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
    }
    Ok(())
}

/// What structured outputs and strict tools do not take: see "JSON Schema limitations" in its
/// documentation.
fn strict_violation(schema: &Value) -> Option<String> {
    const LIMITS: [&str; 9] = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "uniqueItems",
    ];
    let kind = text(schema, "type");
    if kind == "object" && schema["additionalProperties"] != json!(false) {
        return Some(
            "For 'object' type, 'additionalProperties' must be explicitly set to false".to_owned(),
        );
    }
    if let Some(limit) = LIMITS.iter().find(|limit| schema.get(**limit).is_some()) {
        return Some(format!(
            "For '{kind}' type, property '{limit}' is not supported"
        ));
    }
    if schema.get("oneOf").is_some() {
        return Some("Schema type 'oneOf' is not supported".to_owned());
    }
    let groups = ["properties", "$defs", "definitions"].into_iter();
    let named = groups.flat_map(|group| members(&schema[group]).values());
    let listed = items(&schema["anyOf"])
        .iter()
        .chain(items(&schema["allOf"]));
    named
        .chain(listed)
        .chain(schema.get("items"))
        .find_map(strict_violation)
}
