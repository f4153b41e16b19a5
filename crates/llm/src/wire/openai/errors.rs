//! Reads errors of servers of chat completions.

use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::provider::ModelContext;
use crate::wire::refusal;
use crate::{Error, ErrorKind};

/// A delay beyond every limit: the server forbids another attempt.
const NEVER: Duration = Duration::from_hours(24);

/// The error for a response with an error status.
pub(super) fn refusal(
    context: &ModelContext,
    status: StatusCode,
    headers: &HeaderMap,
    body: &str,
) -> Error {
    let said = ErrorText::of_body(body);
    let mut kind = said.kind().unwrap_or_else(|| refusal::kind(status));
    let mut delay = refusal::retry_after(headers).or_else(|| delay_in(&said.message));
    match headers
        .get("x-should-retry")
        .map(http::HeaderValue::as_bytes)
    {
        Some(b"true") if !kind.is_transient() => kind = ErrorKind::Provider,
        Some(b"false") if kind.is_transient() => delay = Some(NEVER),
        _ => {}
    }
    let mut error = error_of(context, kind, &said);
    error.retry_after = delay;
    error
}

/// The error for an error object in a stream.
pub(super) fn in_stream(context: &ModelContext, error: &Value) -> Error {
    let said = ErrorText::of_error(error);
    let kind = said
        .kind()
        .or_else(|| Some(refusal::kind(said.status?)))
        .or_else(|| said.kind_by_type())
        .unwrap_or(ErrorKind::Provider);
    let mut error = error_of(context, kind, &said);
    error.retry_after = delay_in(&said.message);
    error
}

/// The error for text in place of a stream.
pub(super) fn stray(context: &ModelContext, stray: &str) -> Error {
    if let Ok(body) = serde_json::from_str::<Value>(stray)
        && body.get("error").is_some_and(|error| !error.is_null())
    {
        return in_stream(context, &body["error"]);
    }
    error_of(context, ErrorKind::Unreadable, &ErrorText::of_body(stray))
}

fn error_of(context: &ModelContext, kind: ErrorKind, said: &ErrorText) -> Error {
    let said = refusal::quote(&said.message, &context.key);
    let hints = &context.hints;
    let detail = if kind == ErrorKind::UnknownModel {
        let (model, base_url) = (&hints.model, &hints.base_url);
        format!(
            "check {model}, now {:?}, and {base_url}: {said}",
            context.id.model
        )
    } else if kind == ErrorKind::Unauthorized {
        format!("see {}: {said}", hints.key)
    } else {
        said
    };
    let error = Error::new(kind);
    if detail.is_empty() {
        error
    } else {
        error.with_detail(detail)
    }
}

/// The details of an error.
#[derive(Debug, Default)]
struct ErrorText {
    message: String,
    /// The code and the type, in lower case.
    codes: String,
    /// The code, if it is an HTTP status.
    status: Option<StatusCode>,
    /// Whether OpenRouter's moderation blocked the prompt.
    is_flagged: bool,
}

impl ErrorText {
    fn of_body(body: &str) -> Self {
        let body = body.trim();
        let Ok(mut value) = serde_json::from_str::<Value>(body) else {
            let is_page = body.starts_with('<');
            return Self {
                message: if is_page { "an HTML page" } else { body }.to_owned(),
                ..Self::default()
            };
        };
        // Gemini's bridge wraps its errors in a list.
        if let Some(first) = value.get_mut(0) {
            value = first.take();
        }
        match value.get("error").filter(|error| !error.is_null()) {
            Some(error) => Self::of_error(error),
            None => Self::of_error(&value),
        }
    }

    fn of_error(error: &Value) -> Self {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let mut message = [error, &error["message"], &error["detail"]]
            .into_iter()
            .map(text)
            .find(|message| !message.is_empty())
            .unwrap_or_default();
        // OpenRouter: the message of the provider behind it.
        let metadata = &error["metadata"];
        if let Some(raw) = metadata["raw"].as_str() {
            message = format!("{message}: {raw}");
        }
        let code = text(&error["code"]);
        Self {
            message,
            status: code
                .parse()
                .ok()
                .and_then(|code| StatusCode::from_u16(code).ok())
                .filter(|status| status.is_client_error() || status.is_server_error()),
            codes: format!("{code} {}", text(&error["type"])).to_lowercase(),
            is_flagged: metadata.get("flagged_input").is_some(),
        }
    }

    /// The kind of error in codes and message, if it is more exact than the status.
    fn kind(&self) -> Option<ErrorKind> {
        let has = |code: &str| self.codes.contains(code);
        let message = self.message.to_lowercase();
        let is_about_models = message.contains("not a valid model")
            || (["model ", "the model "]
                .iter()
                .any(|words| message.starts_with(words))
                && ["does not exist", "not found"]
                    .iter()
                    .any(|words| message.contains(words)));
        if has("model_not_found") || is_about_models {
            Some(ErrorKind::UnknownModel)
        } else if self.is_flagged || has("content_filter") || has("content_policy") {
            Some(ErrorKind::Blocked)
        } else if has("insufficient_quota") || has("billing") {
            // The status is 429, but waiting does not help.
            Some(ErrorKind::Unauthorized)
        } else {
            None
        }
    }

    /// The kind of error in the type, for errors without a status.
    fn kind_by_type(&self) -> Option<ErrorKind> {
        let kinds = [
            ("rate_limit", ErrorKind::RateLimited),
            ("overloaded", ErrorKind::Overloaded),
            ("unavailable", ErrorKind::Overloaded),
            ("api_key", ErrorKind::Unauthorized),
            ("authentication", ErrorKind::Unauthorized),
            ("permission", ErrorKind::Unauthorized),
            ("timeout", ErrorKind::Timeout),
            ("context_length", ErrorKind::BadRequest),
            ("invalid", ErrorKind::BadRequest),
        ];
        let (_, kind) = kinds
            .into_iter()
            .find(|(code, _)| self.codes.contains(code))?;
        Some(kind)
    }
}

/// The delay in a message: "try again in 1m2.5s", "retry after 26 seconds".
fn delay_in(message: &str) -> Option<Duration> {
    let message = message.to_lowercase();
    let rest = ["try again in ", "retry after ", "retry in "]
        .iter()
        .find_map(|words| message.split_once(words))?
        .1;
    let mut seconds = 0.0;
    let mut rest = rest;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let amount: f64 = rest[..digits].parse().ok()?;
        let after = rest[digits..].trim_start();
        let letters = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        seconds += amount
            * match &after[..letters] {
                "ms" | "milliseconds" => 0.001,
                "s" | "second" | "seconds" => 1.0,
                "m" | "minute" | "minutes" => 60.0,
                "h" | "hour" | "hours" => 3600.0,
                _ => return None,
            };
        rest = &after[letters..];
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Duration::try_from_secs_f64(seconds).ok();
        }
    }
}

#[cfg(test)]
mod tests;
