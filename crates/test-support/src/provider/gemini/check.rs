//! What Gemini refuses. Words marked [rec] are recorded or written down in protocols d.4, the
//! others are those of its public errors.

use serde_json::{Value, json};

use super::conversation::conversation;
use super::is_third_generation;
use super::schema::violation;
use crate::provider::checks::{is_unknown_model, items, repeated, text, unknown_member};
use crate::provider::http::Incoming;
use crate::provider::{Choice, Dialect, Operation, Refusal, Seen, SeenTool};

pub(super) type Checked<T = ()> = Result<T, Refusal>;

pub(super) fn refuse<T>(words: impl Into<String>) -> Checked<T> {
    Err(Refusal::bad_request(Dialect::Gemini, words))
}

/// A key in the header `x-goog-api-key` or in the query, the right one.
pub(in crate::provider) fn authorize(incoming: &Incoming, key: &str) -> Checked {
    match incoming
        .header("x-goog-api-key")
        .or_else(|| incoming.query("key"))
    {
        Some(given) if given == key => Ok(()),
        None => {
            let words = "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
            Err(Refusal::new(Dialect::Gemini, 403, words))
        }
        Some(_) => {
            let mut refusal = Refusal::bad_request(
                Dialect::Gemini,
                "API key not valid. Please pass a valid API key.",
            );
            refusal.body["error"]["details"] = json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
                "metadata": {"service": "generativelanguage.googleapis.com"},
            }]);
            Err(refusal)
        }
    }
}

/// Reads a request, or refuses it.
pub(in crate::provider) fn check(incoming: &Incoming, model: &str, stream: bool) -> Checked<Seen> {
    const KNOWN: [&str; 9] = [
        "contents",
        "systemInstruction",
        "system_instruction",
        "tools",
        "toolConfig",
        "generationConfig",
        "safetySettings",
        "cachedContent",
        "labels",
    ];
    if stream && incoming.query("alt") != Some("sse") {
        // Without it, the real server streams one JSON array, which no client here reads.
        return refuse("this server only streams with alt=sse");
    }
    unknown_model(model)?;
    let body = &incoming.body;
    let mut seen = Seen::new(
        Dialect::Gemini,
        Operation::Chat,
        incoming.headers.clone(),
        body.clone(),
    );
    model.clone_into(&mut seen.model);
    seen.stream = stream;
    if let Some(name) = unknown_member(body, &KNOWN) {
        return refuse(format!(
            "Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."
        ));
    }
    seen.system = system(body)?;
    seen.tools = tools(body)?;
    seen.tool_choice = tool_choice(&body["toolConfig"]["functionCallingConfig"], &seen.tools)?;
    seen.json_schema = generation(&body["generationConfig"])?;
    if seen.json_schema.is_some() && !seen.tools.is_empty() && !is_third_generation(model) {
        // [rec] On 1.x and 2.x.
        return refuse(
            "Function calling with a response mime type: 'application/json' is unsupported",
        );
    }
    conversation(items(&body["contents"]), &mut seen)?;
    Ok(seen)
}

/// [rec] `error_envelope__nonexistent_model_streaming_error_preserves_status_and_body`.
pub(in crate::provider) fn unknown_model(model: &str) -> Checked {
    if !is_unknown_model(model) {
        return Ok(());
    }
    let words = format!(
        "models/{model} is not found for API version v1beta, or is not supported for generateContent. Call ModelService.ListModels to see the list of available models and their supported methods."
    );
    Err(Refusal::new(Dialect::Gemini, 404, words))
}

fn system(body: &Value) -> Checked<String> {
    let system = if body["systemInstruction"].is_null() {
        &body["system_instruction"]
    } else {
        &body["systemInstruction"]
    };
    if system.is_null() {
        return Ok(String::new());
    }
    if !system["parts"].is_array() {
        return refuse(
            "Invalid value at 'system_instruction' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)",
        );
    }
    let texts: Vec<_> = items(&system["parts"])
        .iter()
        .map(|part| text(part, "text"))
        .collect();
    if texts.is_empty() || texts.iter().any(|text| text.is_empty()) {
        return refuse(
            "* GenerateContentRequest.system_instruction.parts[0].data: required oneof field 'data' must have one initialized field",
        );
    }
    Ok(texts.join("\n"))
}

fn tools(body: &Value) -> Checked<Vec<SeenTool>> {
    let mut tools = Vec::new();
    for (group, given) in items(&body["tools"]).iter().enumerate() {
        if let Some(name) = unknown_member(
            given,
            &[
                "functionDeclarations",
                "function_declarations",
                "googleSearch",
                "codeExecution",
                "urlContext",
            ],
        ) {
            return refuse(format!(
                "Invalid JSON payload received. Unknown name \"{name}\" at 'tools[{group}]': Cannot find field."
            ));
        }
        let declarations = items(&given["functionDeclarations"]);
        if declarations.is_empty() {
            return refuse(format!(
                "* GenerateContentRequest.tools[{group}].tool_type: required one_of 'tool_type' must have one initialized field"
            ));
        }
        for (index, declaration) in declarations.iter().enumerate() {
            tools.push(tool(
                declaration,
                &format!("tools[{group}].function_declarations[{index}]"),
            )?);
        }
    }
    if let Some(name) = repeated(tools.iter().map(|tool: &SeenTool| tool.name.as_str())) {
        return refuse(format!("Duplicate function declaration found: {name}"));
    }
    Ok(tools)
}

fn tool(declaration: &Value, place: &str) -> Checked<SeenTool> {
    const KNOWN: [&str; 7] = [
        "name",
        "description",
        "parameters",
        "parametersJsonSchema",
        "response",
        "responseJsonSchema",
        "behavior",
    ];
    if let Some(name) = unknown_member(declaration, &KNOWN) {
        return refuse(format!(
            "Invalid JSON payload received. Unknown name \"{name}\" at '{place}': Cannot find field."
        ));
    }
    let name = text(declaration, "name");
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_.:-".contains(letter);
    let starts = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    if !starts || name.len() > 64 || !name.chars().all(plain) {
        return refuse(format!(
            "* GenerateContentRequest.{place}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
        ));
    }
    let (parameters, schema) = (
        &declaration["parameters"],
        &declaration["parametersJsonSchema"],
    );
    if !parameters.is_null() && !schema.is_null() {
        return refuse(format!(
            "* GenerateContentRequest.{place}: parameters and parameters_json_schema are mutually exclusive"
        ));
    }
    if !parameters.is_null()
        && let Some(words) = violation(parameters, &format!("{place}.parameters"))
    {
        return refuse(words);
    }
    Ok(SeenTool {
        name: name.to_owned(),
        description: text(declaration, "description").to_owned(),
        parameters: if schema.is_null() {
            parameters.clone()
        } else {
            schema.clone()
        },
    })
}

fn tool_choice(config: &Value, tools: &[SeenTool]) -> Checked<Choice> {
    let allowed: Vec<_> = items(&config["allowedFunctionNames"])
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mode = text(config, "mode");
    if !allowed.is_empty() && mode != "ANY" && mode != "VALIDATED" {
        return refuse(
            "Function calling config: allowed_function_names should only be set when the mode is ANY.",
        );
    }
    if let Some(name) = allowed
        .iter()
        .find(|name| !tools.iter().any(|tool| tool.name == **name))
    {
        return refuse(format!(
            "allowed_function_names contains a function that is not declared: {name}"
        ));
    }
    match (mode, allowed.as_slice()) {
        ("" | "AUTO" | "VALIDATED", _) => Ok(Choice::Auto),
        ("NONE", _) => Ok(Choice::None),
        ("ANY", _) if tools.is_empty() => {
            refuse("Function calling config is set without function_declarations.")
        }
        ("ANY", [only]) => Ok(Choice::Named((*only).to_owned())),
        ("ANY", _) => Ok(Choice::Required),
        (other, _) => refuse(format!(
            "Invalid value at 'tool_config.function_calling_config.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), \"{other}\""
        )),
    }
}

/// The schema of the answer, if JSON is asked for.
fn generation(config: &Value) -> Checked<Option<Value>> {
    const KNOWN: [&str; 20] = [
        "temperature",
        "topP",
        "topK",
        "candidateCount",
        "maxOutputTokens",
        "stopSequences",
        "responseMimeType",
        "responseSchema",
        "responseJsonSchema",
        "thinkingConfig",
        "seed",
        "presencePenalty",
        "frequencyPenalty",
        "responseLogprobs",
        "logprobs",
        "responseModalities",
        "speechConfig",
        "mediaResolution",
        "imageConfig",
        "enableEnhancedCivicAnswers",
    ];
    if let Some(name) = unknown_member(config, &KNOWN) {
        return refuse(format!(
            "Invalid JSON payload received. Unknown name \"{name}\" at 'generation_config': Cannot find field."
        ));
    }
    let temperature = &config["temperature"];
    if !temperature.is_null()
        && temperature
            .as_f64()
            .is_none_or(|given| !(0.0..=2.0).contains(&given))
    {
        return refuse(
            "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].",
        );
    }
    let (schema, json_schema) = (&config["responseSchema"], &config["responseJsonSchema"]);
    if config["responseMimeType"] != "application/json" {
        if schema.is_null() && json_schema.is_null() {
            return Ok(None);
        }
        return refuse(
            "* GenerateContentRequest.generation_config.response_schema: response mime type must be set to 'application/json' when using response schema",
        );
    }
    if !schema.is_null() && !json_schema.is_null() {
        return refuse("Only one of response_schema and response_json_schema can be set.");
    }
    if !schema.is_null() {
        if let Some(words) = violation(schema, "generation_config.response_schema") {
            return refuse(words);
        }
        return Ok(Some(schema.clone()));
    }
    Ok(Some(if json_schema.is_null() {
        json!(true)
    } else {
        json_schema.clone()
    }))
}
