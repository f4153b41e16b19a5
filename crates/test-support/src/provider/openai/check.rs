//! What OpenAI refuses. Words marked [rec] are recorded or written down in protocols d.1, the
//! others are those of its public errors.

use serde_json::{Value, json};

use super::conversation::conversation;
use super::schema::strict_violation;
use crate::provider::checks::{is_unknown_model, items, members, plain_name, text, unknown_member};
use crate::provider::http::Incoming;
use crate::provider::{Choice, Dialect, Operation, Refusal, Seen, SeenTool};

pub(super) type Checked<T = ()> = Result<T, Refusal>;

/// A key in `Authorization`, the right one.
pub(in crate::provider) fn authorize(incoming: &Incoming, key: &str) -> Checked {
    let given = incoming
        .header("authorization")
        .and_then(|value| value.strip_prefix("Bearer "));
    match (incoming.dialect, given) {
        (_, Some(given)) if given == key => Ok(()),
        (Dialect::OpenRouter, None) => Err(Refusal::new(
            Dialect::OpenRouter,
            401,
            "No auth credentials found",
        )),
        (Dialect::OpenRouter, _) => Err(Refusal::new(Dialect::OpenRouter, 401, "User not found.")),
        (_, None) => {
            let words = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
            Err(Refusal::openai(401, words, None, None))
        }
        (_, Some(given)) => {
            // The real one shows the key's ends, too.
            let (start, end) = (
                given.get(..7).unwrap_or_default(),
                given
                    .get(given.len().saturating_sub(4)..)
                    .unwrap_or_default(),
            );
            let words = format!(
                "Incorrect API key provided: {start}********{end}. You can find your API key at https://platform.openai.com/account/api-keys."
            );
            Err(Refusal::openai(401, words, None, Some("invalid_api_key")))
        }
    }
}

/// Reads a request, or refuses it.
pub(in crate::provider) fn check(incoming: &Incoming) -> Checked<Seen> {
    read(incoming).map_err(|refusal| match incoming.dialect {
        // OpenRouter hands OpenAI's words on, in a form of its own.
        Dialect::OpenRouter => Refusal::new(Dialect::OpenRouter, refusal.status, refusal.message),
        _ => refusal,
    })
}

fn read(incoming: &Incoming) -> Checked<Seen> {
    let body = &incoming.body;
    let mut seen = Seen::new(
        incoming.dialect,
        Operation::Chat,
        incoming.headers.clone(),
        body.clone(),
    );
    let model = text(body, "model");
    if model.is_empty() {
        return Err(Refusal::openai(
            400,
            "you must provide a model parameter",
            None,
            None,
        ));
    }
    if is_unknown_model(model) {
        let words = format!("The model `{model}` does not exist or you do not have access to it.");
        return Err(Refusal::openai(404, words, None, Some("model_not_found")));
    }
    model.clone_into(&mut seen.model);
    top_level(incoming)?;
    limits(body, model, incoming.dialect)?;
    seen.stream = body["stream"] == json!(true);
    if body
        .get("stream_options")
        .is_some_and(|options| !options.is_null())
        && !seen.stream
    {
        let words = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
        return Err(Refusal::openai(400, words, Some("stream_options"), None));
    }
    seen.tools = tools(body)?;
    seen.tool_choice = tool_choice(body, &seen.tools)?;
    seen.json_schema = response_format(body)?;
    conversation(items(&body["messages"]), &mut seen)?;
    Ok(seen)
}

fn top_level(incoming: &Incoming) -> Checked {
    const KNOWN: [&str; 35] = [
        "model",
        "messages",
        "stream",
        "stream_options",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "response_format",
        "temperature",
        "top_p",
        "n",
        "stop",
        "max_tokens",
        "max_completion_tokens",
        "presence_penalty",
        "frequency_penalty",
        "logit_bias",
        "logprobs",
        "top_logprobs",
        "user",
        "seed",
        "service_tier",
        "store",
        "metadata",
        "modalities",
        "audio",
        "prediction",
        "reasoning_effort",
        "verbosity",
        "web_search_options",
        "prompt_cache_key",
        "safety_identifier",
        "functions",
        "function_call",
        "prompt_cache_retention",
    ];
    // OpenRouter's own, which OpenAI does not know.
    const ROUTED: [&str; 12] = [
        "provider",
        "models",
        "route",
        "transforms",
        "reasoning",
        "include_reasoning",
        "usage",
        "plugins",
        "top_k",
        "min_p",
        "repetition_penalty",
        "session_id",
    ];
    let routed = incoming.dialect == Dialect::OpenRouter;
    let unknown = members(&incoming.body).keys().find(|name| {
        !(KNOWN.contains(&name.as_str()) || routed && ROUTED.contains(&name.as_str()))
    });
    match unknown {
        Some(name) => {
            let words = format!("Unrecognized request argument supplied: {name}");
            Err(Refusal::openai(400, words, None, None))
        }
        None => Ok(()),
    }
}

/// [rec] Reasoning models refuse `max_tokens` and a temperature other than 1. OpenRouter translates
/// them.
fn limits(body: &Value, model: &str, dialect: Dialect) -> Checked {
    let reasons = ["o1", "o3", "o4", "gpt-5"]
        .iter()
        .any(|prefix| model.starts_with(prefix))
        && !model.contains("chat-latest");
    if reasons && dialect == Dialect::OpenAi {
        if !body["max_tokens"].is_null() {
            let words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
            return Err(Refusal::openai(
                400,
                words,
                Some("max_tokens"),
                Some("unsupported_parameter"),
            ));
        }
        if let Some(temperature) = body["temperature"]
            .as_f64()
            .filter(|given| (given - 1.0).abs() > f64::EPSILON)
        {
            let words = format!(
                "Unsupported value: 'temperature' does not support {temperature} with this model. Only the default (1) value is supported."
            );
            return Err(Refusal::openai(
                400,
                words,
                Some("temperature"),
                Some("unsupported_value"),
            ));
        }
    }
    if body["temperature"]
        .as_f64()
        .is_some_and(|given| !(0.0..=2.0).contains(&given))
    {
        let words = "Invalid 'temperature': decimal above maximum value. Expected a value <= 2.";
        return Err(Refusal::openai(
            400,
            words,
            Some("temperature"),
            Some("decimal_above_max_value"),
        ));
    }
    for limit in ["max_tokens", "max_completion_tokens"] {
        if !body[limit].is_null() && body[limit].as_u64().is_none_or(|given| given == 0) {
            let words =
                format!("Invalid '{limit}': integer below minimum value. Expected a value >= 1.");
            return Err(Refusal::openai(
                400,
                words,
                Some(limit),
                Some("integer_below_min_value"),
            ));
        }
    }
    Ok(())
}

fn tools(body: &Value) -> Checked<Vec<SeenTool>> {
    let Some(given) = body.get("tools").filter(|tools| !tools.is_null()) else {
        return Ok(Vec::new());
    };
    let given = items(given);
    if given.is_empty() {
        let words = "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.";
        return Err(Refusal::openai(
            400,
            words,
            Some("tools"),
            Some("empty_array"),
        ));
    }
    if given.len() > 128 {
        let words = format!(
            "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length {} instead.",
            given.len()
        );
        return Err(Refusal::openai(
            400,
            words,
            Some("tools"),
            Some("array_above_max_length"),
        ));
    }
    given
        .iter()
        .enumerate()
        .map(|(index, tool)| self::tool(index, tool))
        .collect()
}

fn tool(index: usize, tool: &Value) -> Checked<SeenTool> {
    if tool["type"] != "function" {
        let words = format!("Missing required parameter: 'tools[{index}].type'.");
        return Err(Refusal::openai(
            400,
            words,
            Some(&format!("tools[{index}].type")),
            Some("missing_required_parameter"),
        ));
    }
    let function = &tool["function"];
    let name = text(function, "name");
    valid_name(name, &format!("tools[{index}].function.name"))?;
    if let Some(unknown) =
        unknown_member(function, &["name", "description", "parameters", "strict"])
    {
        let place = format!("tools[{index}].function.{unknown}");
        return Err(Refusal::openai(
            400,
            format!("Unknown parameter: '{place}'."),
            Some(&place),
            Some("unknown_parameter"),
        ));
    }
    let parameters = &function["parameters"];
    let bad = |words: String| {
        let words = format!("Invalid schema for function '{name}': {words}");
        Refusal::openai(
            400,
            words,
            Some(&format!("tools[{index}].function.parameters")),
            Some("invalid_function_parameters"),
        )
    };
    if !parameters.is_null() && parameters["type"] != "object" {
        let given = parameters["type"].as_str().unwrap_or("None");
        return Err(bad(format!(
            "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{given}\"'."
        )));
    }
    if function["strict"] == json!(true)
        && let Some(violation) = strict_violation(parameters, "")
    {
        return Err(bad(violation));
    }
    Ok(SeenTool {
        name: name.to_owned(),
        description: text(function, "description").to_owned(),
        parameters: parameters.clone(),
    })
}

pub(super) fn valid_name(name: &str, place: &str) -> Checked {
    if name.len() > 64 {
        let words = format!(
            "Invalid '{place}': string too long. Expected a string with maximum length 64, but got a string with length {} instead.",
            name.len()
        );
        return Err(Refusal::openai(
            400,
            words,
            Some(place),
            Some("string_above_max_length"),
        ));
    }
    if !plain_name(name, 64) {
        let words = format!(
            "Invalid '{place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
        );
        return Err(Refusal::openai(
            400,
            words,
            Some(place),
            Some("invalid_value"),
        ));
    }
    Ok(())
}

fn tool_choice(body: &Value, tools: &[SeenTool]) -> Checked<Choice> {
    for name in ["tool_choice", "parallel_tool_calls"] {
        if tools.is_empty() && !body[name].is_null() {
            let words = format!(
                "Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified."
            );
            return Err(Refusal::openai(400, words, Some(name), None));
        }
    }
    let choice = &body["tool_choice"];
    let unfit = || {
        let words = format!("Invalid value for 'tool_choice': {choice}.");
        Refusal::openai(400, words, Some("tool_choice"), Some("invalid_value"))
    };
    match choice {
        Value::Null => Ok(Choice::Auto),
        Value::String(word) => match word.as_str() {
            "auto" => Ok(Choice::Auto),
            "none" => Ok(Choice::None),
            "required" => Ok(Choice::Required),
            _ => Err(unfit()),
        },
        named => {
            let name = text(&named["function"], "name");
            if named["type"] != "function" || !tools.iter().any(|tool| tool.name == name) {
                return Err(unfit());
            }
            Ok(Choice::Named(name.to_owned()))
        }
    }
}

fn response_format(body: &Value) -> Checked<Option<Value>> {
    let format = &body["response_format"];
    match text(format, "type") {
        "" if format.is_null() => Ok(None),
        "text" => Ok(None),
        "json_object" => {
            if !body["messages"].to_string().to_lowercase().contains("json") {
                let words = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.";
                return Err(Refusal::openai(400, words, Some("messages"), None));
            }
            Ok(Some(json!(true)))
        }
        "json_schema" => {
            let given = &format["json_schema"];
            let name = text(given, "name");
            valid_name(name, "response_format.json_schema.name")?;
            if given["strict"] == json!(true)
                && let Some(violation) = strict_violation(&given["schema"], "")
            {
                let words = format!("Invalid schema for response_format '{name}': {violation}");
                return Err(Refusal::openai(400, words, Some("response_format"), None));
            }
            Ok(Some(given["schema"].clone()))
        }
        other => {
            let words = format!(
                "Invalid value: '{other}'. Supported values are: 'json_object', 'json_schema', and 'text'."
            );
            Err(Refusal::openai(
                400,
                words,
                Some("response_format.type"),
                Some("invalid_value"),
            ))
        }
    }
}
