//! Embeddings: requests as the providers take them, and vectors made of a text's words.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::checks::{is_unknown_model, items, text, unknown_member};
use super::http::Incoming;
use super::reply::{Reply, plain};
use super::{Dialect, Operation, Refusal, Seen};

type Checked<T = ()> = Result<T, Refusal>;

/// `POST /v1/embeddings`.
pub(super) fn openai(incoming: &Incoming) -> Checked<Seen> {
    let body = &incoming.body;
    let mut seen = seen(incoming);
    text(body, "model").clone_into(&mut seen.model);
    let refuse = |words: String, param: &str| Err(Refusal::openai(400, words, Some(param), None));
    if seen.model.is_empty() {
        return refuse("you must provide a model parameter".to_owned(), "model");
    }
    if is_unknown_model(&seen.model) {
        let words = format!(
            "The model `{}` does not exist or you do not have access to it.",
            seen.model
        );
        return Err(Refusal::openai(404, words, None, Some("model_not_found")));
    }
    if let Some(name) = unknown_member(
        body,
        &["model", "input", "dimensions", "encoding_format", "user"],
    ) {
        return refuse(
            format!("Unrecognized request argument supplied: {name}"),
            name,
        );
    }
    seen.inputs = texts(&body["input"]);
    if seen.inputs.is_empty() || seen.inputs.iter().any(String::is_empty) {
        return refuse("'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.".to_owned(), "input");
    }
    if seen.inputs.len() > 2048 {
        return refuse(
            format!(
                "Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with length {} instead.",
                seen.inputs.len()
            ),
            "input",
        );
    }
    if !body["dimensions"].is_null() && seen.model.contains("ada-002") {
        return refuse(
            "This model does not support specifying dimensions.".to_owned(),
            "dimensions",
        );
    }
    Ok(seen)
}

/// `POST /api/embed`.
pub(super) fn ollama(incoming: &Incoming) -> Checked<Seen> {
    let mut seen = seen(incoming);
    seen.model = super::ollama::model(&incoming.body)?;
    seen.inputs = texts(&incoming.body["input"]);
    let input = &incoming.body["input"];
    if !input.is_string() && !input.is_array() {
        return Err(Refusal::bad_request(Dialect::Ollama, "invalid input type"));
    }
    Ok(seen)
}

/// `POST .../models/MODEL:embedContent` and `:batchEmbedContents`.
pub(super) fn gemini(incoming: &Incoming, model: &str, method: &str) -> Checked<Seen> {
    super::gemini::unknown_model(model)?;
    let mut seen = seen(incoming);
    model.clone_into(&mut seen.model);
    let single = std::slice::from_ref(&incoming.body);
    let batch = method == "batchEmbedContents";
    let requests = if batch {
        items(&incoming.body["requests"])
    } else {
        single
    };
    let refuse = |words: String| Err(Refusal::bad_request(Dialect::Gemini, words));
    if requests.is_empty() || requests.len() > 100 {
        return refuse(
            "* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch"
                .to_owned(),
        );
    }
    for (index, request) in requests.iter().enumerate() {
        const KNOWN: [&str; 5] = [
            "model",
            "content",
            "taskType",
            "title",
            "outputDimensionality",
        ];
        if let Some(name) = unknown_member(request, &KNOWN) {
            return refuse(format!(
                "Invalid JSON payload received. Unknown name \"{name}\" at 'requests[{index}]': Cannot find field."
            ));
        }
        if batch && text(request, "model") != format!("models/{model}") {
            return refuse(format!(
                "* BatchEmbedContentsRequest.requests[{index}].model: unexpected model name format"
            ));
        }
        let parts = items(&request["content"]["parts"]);
        let words: String = parts.iter().map(|part| text(part, "text")).collect();
        if words.is_empty() {
            return refuse("* EmbedContentRequest.content: content is empty".to_owned());
        }
        seen.inputs.push(words);
    }
    Ok(seen)
}

/// The vectors, in the dialect's form.
pub(super) fn reply(seen: &Seen) -> Reply {
    let body = &seen.body;
    let wanted = |place: &Value, usual: u64| {
        usize::try_from(place.as_u64().unwrap_or(usual)).unwrap_or(usize::MAX)
    };
    let tokens: usize = seen.inputs.iter().map(|text| text.len().div_ceil(4)).sum();
    let answer = match seen.dialect {
        Dialect::Ollama => {
            let vectors = vectors(seen, wanted(&body["dimensions"], 768), 1.0);
            json!({
                "model": seen.model, "embeddings": vectors, "total_duration": 14_143_917, "load_duration": 1_019_500,
                "prompt_eval_count": tokens,
            })
        }
        Dialect::Gemini => {
            let first = if body["requests"].is_array() {
                &body["requests"][0]
            } else {
                body
            };
            // Only full-length vectors come with length one: a client that asks for shorter ones
            // has to normalize them.
            let scale = if first["outputDimensionality"].is_null() {
                1.0
            } else {
                0.75
            };
            let vectors = vectors(seen, wanted(&first["outputDimensionality"], 3072), scale);
            let vectors: Vec<_> = vectors
                .iter()
                .map(|vector| json!({ "values": vector }))
                .collect();
            if body["requests"].is_array() {
                json!({ "embeddings": vectors })
            } else {
                json!({"embedding": vectors[0]})
            }
        }
        Dialect::OpenAi | Dialect::OpenRouter | Dialect::Anthropic => {
            let vectors = vectors(seen, wanted(&body["dimensions"], 1536), 1.0);
            let data = vectors.into_iter().enumerate().map(|(index, vector)| {
                let vector = if body["encoding_format"] == "base64" {
                    base64(&vector)
                } else {
                    json!(vector)
                };
                json!({"embedding": vector, "index": index, "object": "embedding"})
            });
            json!({
                "data": data.collect::<Vec<_>>(), "model": seen.model, "object": "list",
                "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
            })
        }
    };
    plain(200, "application/json", answer.to_string())
}

fn seen(incoming: &Incoming) -> Seen {
    Seen::new(
        incoming.dialect,
        Operation::Embed,
        incoming.headers.clone(),
        incoming.body.clone(),
    )
}

/// One text, or several.
fn texts(input: &Value) -> Vec<String> {
    match input {
        Value::String(text) => vec![text.clone()],
        list => items(list)
            .iter()
            .map(|text| text.as_str().unwrap_or_default().to_owned())
            .collect(),
    }
}

fn vectors(seen: &Seen, dimensions: usize, length: f32) -> Vec<Vec<f32>> {
    seen.inputs
        .iter()
        .map(|text| vector(text, dimensions.max(1), length))
        .collect()
}

/// Every word adds to a place of its own, so texts with words in common are near each other, and
/// the same text is always the same.
fn vector(text: &str, dimensions: usize, length: f32) -> Vec<f32> {
    let mut vector = vec![0.0_f32; dimensions];
    for word in text
        .to_lowercase()
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        vector[place(word, dimensions)] += 1.0;
    }
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if norm == 0.0 {
        vector[0] = length;
    } else {
        for value in &mut vector {
            *value *= length / norm;
        }
    }
    vector
}

/// FNV-1a: the same on every machine and in every version.
fn place(word: &str, dimensions: usize) -> usize {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash % dimensions as u64).unwrap_or_default()
}

fn base64(vector: &[f32]) -> Value {
    let bytes: Vec<u8> = vector
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    STANDARD.encode(bytes).into()
}
