//! Why an upstream's tool has no result, in words and in a code.

use std::borrow::Cow;

use contracts::tools::upstreams::{UpstreamFailure, error_codes};
use contracts::tools::{ToolEnvelope, ToolStatus};
use http::StatusCode;

/// Why there is no result. Holds nothing that a user may not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    code: Cow<'static, str>,
    status: Option<u16>,
    message: String,
}

impl Failure {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code: Cow::Borrowed(code),
            status: None,
            message: message.into(),
        }
    }

    /// The upstream answered with another status than a success, and said this.
    pub(crate) fn status(upstream: &str, status: StatusCode, said: Option<&str>) -> Self {
        let number = status.as_u16();
        let meaning = match number {
            401 => "does not accept your credential",
            403 => "does not let you see that",
            404 => "does not have that",
            429 => "was asked too often",
            500.. => "has a problem of its own",
            _ => "refused",
        };
        let said = said.map_or_else(String::new, |said| format!(" It says: {said}"));
        Self {
            code: Cow::Owned(format!("http_{number}")),
            status: Some(number),
            message: format!("`{upstream}` {meaning} (status {number}).{said}"),
        }
    }

    /// Nothing came, or too late.
    pub(crate) fn unavailable(upstream: &str, what: &str) -> Self {
        let message = format!("`{upstream}` {what}. Try again later.");
        Self::new(error_codes::UNAVAILABLE, message)
    }

    /// Something came that is not what was agreed.
    pub(crate) fn invalid_response(upstream: &str, what: &str) -> Self {
        let message = format!("The answer of `{upstream}` {what}.");
        Self::new(error_codes::INVALID_RESPONSE, message)
    }

    pub(crate) fn invalid_arguments(message: impl Into<String>) -> Self {
        Self::new(error_codes::INVALID_ARGUMENTS, message)
    }

    /// For programs.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// For people.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The envelope that says so.
    pub(crate) fn into_envelope(self) -> ToolEnvelope<UpstreamFailure> {
        ToolEnvelope {
            result: Some(UpstreamFailure {
                error_code: self.code.into_owned(),
                status_code: self.status,
            }),
            ..ToolEnvelope::without_result(ToolStatus::Error, self.message)
        }
    }
}
