//! Errors that a provider returns instead of an answer.

use serde_json::{Value, json};

use super::Dialect;

/// A request that was refused, as the real provider refuses it.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The status.
    pub status: u16,
    /// The provider's words.
    pub message: String,
    /// The body of the response.
    pub body: Value,
}

impl Refusal {
    /// 400 in the dialect's form.
    pub(super) fn bad_request(dialect: Dialect, message: impl Into<String>) -> Self {
        Self::new(dialect, 400, message)
    }

    /// In the dialect's form.
    pub(super) fn new(dialect: Dialect, status: u16, message: impl Into<String>) -> Self {
        let message = message.into();
        let body = body(dialect, status, &message);
        Self {
            status,
            message,
            body,
        }
    }

    /// With the members `param` and `code` that OpenAI adds.
    pub(super) fn openai(
        status: u16,
        message: impl Into<String>,
        param: Option<&str>,
        code: Option<&str>,
    ) -> Self {
        let message = message.into();
        let body = json!({"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}});
        Self {
            status,
            message,
            body,
        }
    }
}

/// An error's body as the provider writes it.
pub(super) fn body(dialect: Dialect, status: u16, message: &str) -> Value {
    match dialect {
        Dialect::OpenAi => {
            let kind = match status {
                429 => "rate_limit_error",
                500.. => "server_error",
                _ => "invalid_request_error",
            };
            let code = (status == 429).then_some("rate_limit_exceeded");
            json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
        }
        // protocols d.2: {"error":{"code":429,"message","metadata"},"user_id"}.
        Dialect::OpenRouter => {
            json!({"error": {"message": message, "code": status}, "user_id": "user_scripted"})
        }
        // Recorded: error_identity_edge__streaming_connect_*.
        Dialect::Anthropic => {
            let kind = match status {
                401 => "authentication_error",
                403 => "permission_error",
                404 => "not_found_error",
                413 => "request_too_large",
                429 => "rate_limit_error",
                529 => "overloaded_error",
                500.. => "api_error",
                _ => "invalid_request_error",
            };
            json!({"error": {"message": message, "type": kind}, "request_id": "req_scripted", "type": "error"})
        }
        // Recorded: error_envelope__nonexistent_model_streaming_error_preserves_status_and_body.
        Dialect::Gemini => {
            let word = match status {
                401 => "UNAUTHENTICATED",
                403 => "PERMISSION_DENIED",
                404 => "NOT_FOUND",
                429 => "RESOURCE_EXHAUSTED",
                503 => "UNAVAILABLE",
                500.. => "INTERNAL",
                _ => "INVALID_ARGUMENT",
            };
            json!({"error": {"code": status, "message": message, "status": word}})
        }
        Dialect::Ollama => json!({"error": message}),
    }
}
