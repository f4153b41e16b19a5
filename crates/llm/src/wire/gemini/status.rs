//! Reads errors of the Gemini API, in bodies of refusals and in streams.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;

use crate::provider::ModelContext;
use crate::wire::refusal::{self, quote};
use crate::{Error, ErrorKind};

/// Google's error, `google.rpc.Status` in JSON.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Status {
    code: Option<u16>,
    message: String,
    #[serde(rename = "status")]
    name: String,
    details: Vec<Value>,
}

impl Status {
    /// Reads `{"error": {…}}`, alone or in a list, which replaces a list of chunks.
    pub(super) fn read(body: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Body {
            error: Status,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Bodies {
            // First, because a list of one value also matches a body.
            List(Vec<Body>),
            One(Body),
        }
        match serde_json::from_str(body.trim()).ok()? {
            Bodies::List(bodies) => bodies.into_iter().next().map(|body| body.error),
            Bodies::One(body) => Some(body.error),
        }
    }

    /// The error. `http` is the status of the response, if there is one.
    pub(super) fn error(&self, http: Option<StatusCode>, key: &SecretString) -> Error {
        let code = self.code.and_then(|code| StatusCode::from_u16(code).ok());
        let kind = self
            .kind()
            .or_else(|| http.or(code).map(refusal::kind))
            .unwrap_or(ErrorKind::Provider);
        let mut error =
            Error::new(kind).with_detail(quote(&format!("{} {}", self.name, self.message), key));
        error.retry_after = self.retry_delay();
        error
    }

    fn kind(&self) -> Option<ErrorKind> {
        // Google reports a wrong key, and an invalid name of a model, as an invalid argument.
        if self
            .details
            .iter()
            .any(|detail| detail["reason"] == "API_KEY_INVALID")
            || self.message.starts_with("API key")
        {
            return Some(ErrorKind::Unauthorized);
        }
        if self.message.contains("unexpected model name") {
            return Some(ErrorKind::UnknownModel);
        }
        Some(match self.name.as_str() {
            "UNAUTHENTICATED" | "PERMISSION_DENIED" => ErrorKind::Unauthorized,
            "NOT_FOUND" => ErrorKind::UnknownModel,
            "RESOURCE_EXHAUSTED" => ErrorKind::RateLimited,
            "UNAVAILABLE" => ErrorKind::Overloaded,
            "DEADLINE_EXCEEDED" => ErrorKind::Timeout,
            "INTERNAL" | "UNKNOWN" | "ABORTED" | "CANCELLED" | "DATA_LOSS" => ErrorKind::Provider,
            "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" | "UNIMPLEMENTED" => {
                ErrorKind::BadRequest
            }
            _ => return None,
        })
    }

    /// `retryDelay` of `google.rpc.RetryInfo`: seconds, followed by `s`.
    fn retry_delay(&self) -> Option<Duration> {
        let delay = self
            .details
            .iter()
            .find_map(|detail| detail.get("retryDelay")?.as_str())?;
        let seconds = delay.trim().strip_suffix('s')?.parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// The error for a response with an error status.
pub(super) fn refusal(
    context: &ModelContext,
    http: StatusCode,
    headers: &HeaderMap,
    body: &str,
) -> Error {
    let mut error = match Status::read(body) {
        Some(said) => said.error(Some(http), &context.key),
        None => Error::new(refusal::kind(http)).with_detail(quote(body, &context.key)),
    };
    let words = error.detail.take().unwrap_or_default();
    error.detail = Some(match error.kind {
        ErrorKind::UnknownModel => {
            let (model, hint) = (&context.id.model, &context.hints.model);
            format!("{http}, model {model:?} ({hint}): {words}")
        }
        ErrorKind::Unauthorized => format!("{http}, see {}: {words}", context.hints.key),
        _ => format!("{http}: {words}"),
    });
    error.retry_after = error.retry_after.or_else(|| refusal::retry_after(headers));
    error
}

/// The error for text outside of all messages, after the end of the body.
pub(super) fn stray(text: &str, key: &SecretString) -> Option<Error> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if let Some(said) = Status::read(text) {
        return Some(said.error(None, key));
    }
    // A long error is truncated.
    let kind = if text.contains("\"error\"") {
        kind_in(text).unwrap_or(ErrorKind::Provider)
    } else {
        ErrorKind::Unreadable
    };
    Some(Error::new(kind).with_detail(quote(text, key)))
}

fn kind_in(text: &str) -> Option<ErrorKind> {
    let (_, after) = text.split_once("\"status\"")?;
    let name = after.split('"').nth(1)?.to_owned();
    Status {
        name,
        ..Status::default()
    }
    .kind()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::testing::context;

    fn read(status: u16, body: &str) -> Error {
        refusal(
            &context("gemini", "gemini-9"),
            StatusCode::from_u16(status).unwrap(),
            &HeaderMap::new(),
            body,
        )
    }

    #[test]
    fn a_limit_tells_its_delay_in_the_body() {
        let body = json!({"error": {
            "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota.",
            "details": [
                {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}
            ]
        }});
        let error = read(429, &body.to_string());
        assert_eq!(error.kind, ErrorKind::RateLimited);
        assert_eq!(error.retry_after, Some(Duration::from_millis(34_400)));
    }

    #[test]
    fn an_unknown_model_is_named_with_its_variable() {
        let body = json!({"error": {"code": 404, "status": "NOT_FOUND", "message": "models/gemini-9 is not found"}});
        let error = read(404, &body.to_string());
        assert_eq!(error.kind, ErrorKind::UnknownModel);
        let detail = error.detail.unwrap();
        assert!(detail.contains("\"gemini-9\" (GEMINI_MODEL)"), "{detail}");
    }

    #[test]
    fn a_wrong_key_comes_as_an_invalid_argument() {
        let body = json!({"error": {
            "code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid: hunter22",
            "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
        }});
        let error = read(400, &body.to_string());
        assert_eq!(error.kind, ErrorKind::Unauthorized);
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("hunter22"), "{shown}");
        assert!(shown.contains("GOOGLE_GENERATIVE_AI_API_KEY"));
    }

    #[test]
    fn statuses_without_words_have_their_usual_meaning() {
        let kinds = [(400, "{}"), (500, "<html>"), (503, "[]"), (403, "")]
            .map(|(status, body)| read(status, body).kind);
        assert_eq!(
            kinds,
            [
                ErrorKind::BadRequest,
                ErrorKind::Provider,
                ErrorKind::Overloaded,
                ErrorKind::Unauthorized
            ]
        );
    }

    #[test]
    fn a_bare_error_is_known_whole_in_a_list_and_cut_off() {
        let key = SecretString::from("hunter22");
        let whole = "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"The model is overloaded.\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}\n";
        let list = format!("[{whole}]");
        let cut = whole.trim_end().trim_end_matches('}');
        for text in [whole, &list, cut] {
            assert_eq!(
                stray(text, &key).unwrap().kind,
                ErrorKind::Overloaded,
                "{text}"
            );
        }
        assert_eq!(stray("<html>", &key).unwrap().kind, ErrorKind::Unreadable);
        assert!(stray(" \r\n", &key).is_none());
    }
}
