//! Reads Ollama's errors, which are one sentence each.

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::provider::ModelContext;
use crate::wire::refusal;
use crate::{Error, ErrorKind};

/// The error for a response with an error status.
pub(super) fn refusal(
    context: &ModelContext,
    status: StatusCode,
    headers: &HeaderMap,
    body: &str,
) -> Error {
    let said = sentence(body);
    let kind = kind(&said).unwrap_or_else(|| refusal::kind(status));
    let mut error = error_of(context, kind, &said);
    error.retry_after = refusal::retry_after(headers);
    error
}

/// The error for a line that contains one.
pub(super) fn in_stream(context: &ModelContext, error: &Value) -> Error {
    let said = match error {
        Value::String(said) => said.clone(),
        error => sentence(&error.to_string()),
    };
    error_of(context, kind(&said).unwrap_or(ErrorKind::Provider), &said)
}

/// The error for text in place of a stream.
pub(super) fn stray(context: &ModelContext, stray: &str) -> Error {
    let stray = stray.trim();
    match serde_json::from_str::<Value>(stray) {
        Ok(body) if body.get("error").is_some() => in_stream(context, &body["error"]),
        _ => error_of(context, ErrorKind::Unreadable, stray),
    }
}

fn error_of(context: &ModelContext, kind: ErrorKind, said: &str) -> Error {
    let said = refusal::quote(said, &context.key);
    let (model, hints) = (&context.id.model, &context.hints);
    let detail = match kind {
        ErrorKind::UnknownModel => format!(
            "the model is {model:?} ({}); `ollama pull {model}` downloads it to the server at {}: {said}",
            hints.model, hints.base_url
        ),
        _ => said,
    };
    let error = Error::new(kind);
    if detail.is_empty() {
        error
    } else {
        error.with_detail(detail)
    }
}

/// The sentence in `{"error": "…"}`, or the body itself.
fn sentence(body: &str) -> String {
    let body = body.trim();
    let value = serde_json::from_str::<Value>(body).unwrap_or_default();
    // The OpenAI-compatible endpoints, and gateways, send an object.
    [
        &value["error"],
        &value["error"]["message"],
        &value["message"],
    ]
    .into_iter()
    .find_map(Value::as_str)
    .unwrap_or(body)
    .to_owned()
}

/// The kind of error in the sentence, if it is more exact than the status.
fn kind(said: &str) -> Option<ErrorKind> {
    let said = said.to_lowercase();
    let has = |words: &str| said.contains(words);
    if said.starts_with("model ") && has("not found") || has("try pulling it first") {
        Some(ErrorKind::UnknownModel)
    } else if has("server busy") || has("maximum pending requests") {
        Some(ErrorKind::Overloaded)
    } else if has("does not support") {
        Some(ErrorKind::BadRequest)
    } else {
        None
    }
}
