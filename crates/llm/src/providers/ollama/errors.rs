//! What Ollama means by its errors, which are a sentence each.

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use secrecy::SecretString;
use serde_json::Value;

use crate::providers::refusal;
use crate::{Error, ErrorKind};

/// Whose errors they are.
#[derive(Debug)]
pub(super) struct Origin {
    pub(super) model: Arc<str>,
    /// The variable that names the model.
    pub(super) model_variable: &'static str,
    /// To keep it out of what is quoted.
    pub(super) key: SecretString,
}

impl Origin {
    /// What an answer with an error status means.
    pub(super) fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        let said = sentence(body);
        let kind = kind(&said).unwrap_or_else(|| refusal::kind(status));
        let mut error = self.error(kind, &said);
        error.retry_after = refusal::retry_after(headers);
        error
    }

    /// What a line with an error in it means.
    pub(super) fn in_stream(&self, error: &Value) -> Error {
        let said = match error {
            Value::String(said) => said.clone(),
            error => sentence(&error.to_string()),
        };
        self.error(kind(&said).unwrap_or(ErrorKind::Provider), &said)
    }

    /// What text means that stands where a stream should be.
    pub(super) fn stray(&self, stray: &str) -> Error {
        let stray = stray.trim();
        match serde_json::from_str::<Value>(stray) {
            Ok(body) if body.get("error").is_some() => self.in_stream(&body["error"]),
            _ => self.error(ErrorKind::Unreadable, stray),
        }
    }

    fn error(&self, kind: ErrorKind, said: &str) -> Error {
        let said = refusal::quote(said, &self.key);
        let (model, variable) = (&self.model, self.model_variable);
        let detail = match kind {
            ErrorKind::UnknownModel => format!(
                "the model is {model:?} ({variable}); `ollama pull {model}` fetches it, and OLLAMA_BASE_URL says from where: {said}"
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
}

/// The sentence in `{"error": "…"}`, or the body itself.
fn sentence(body: &str) -> String {
    let body = body.trim();
    let value = serde_json::from_str::<Value>(body).unwrap_or_default();
    // Its OpenAI-like side, and gateways, put an object there.
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

/// What the words say more exactly than the status does.
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
