//! Failures of model calls, distinguished by what a caller can do about them.

use std::time::Duration;

/// A failed call. Contains no key, no header and at most the beginning of the provider's message.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{kind}{}", .detail.as_deref().map(|detail| format!(": {detail}")).unwrap_or_default())]
pub struct Error {
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The provider's message, shortened and cleaned; for logs.
    pub detail: Option<String>,
    /// The delay that the provider requests before the next call.
    pub retry_after: Option<Duration>,
    /// Whether a part of the answer was received before. Then the call is not repeated.
    pub after_first_token: bool,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// The connection failed.
    #[error("cannot connect to the provider")]
    Connect,
    /// The response, its first token or the next one did not arrive in time.
    #[error("the provider did not answer in time")]
    Timeout,
    /// 429.
    #[error("the provider limits our rate")]
    RateLimited,
    /// 503, 529 and similar.
    #[error("the provider is overloaded")]
    Overloaded,
    /// Any other 5xx.
    #[error("the provider failed")]
    Provider,
    /// 401 or 403.
    #[error("the provider rejects the key")]
    Unauthorized,
    /// 404, or a message of that meaning.
    #[error("the provider does not know the model")]
    UnknownModel,
    /// 400 and other rejections of the request.
    #[error("the provider rejects the request")]
    BadRequest,
    /// The stream ended before the answer did.
    #[error("the answer was cut off")]
    Truncated,
    /// The response is not in the provider's format.
    #[error("the answer cannot be read")]
    Unreadable,
    /// The answer exceeds a limit of `[llm.limits]`.
    #[error("the answer is too large")]
    TooLarge,
    /// A content filter of the provider withheld the whole answer.
    #[error("the provider blocked the answer")]
    Blocked,
    /// The circuit is open after repeated failures.
    #[error("the provider failed too often and is not called for a while")]
    CircuitOpen,
    /// No place among the calls in progress became free in time.
    #[error("too many calls are in progress")]
    Busy,
    /// The caller has used up what it may spend on models.
    #[error("the budget for models is used up")]
    OverBudget,
}

impl ErrorKind {
    /// Whether the same request may succeed a little later.
    pub fn is_transient(self) -> bool {
        matches!(
            self,
            Self::Connect
                | Self::Timeout
                | Self::RateLimited
                | Self::Overloaded
                | Self::Provider
                | Self::Truncated
                | Self::Unreadable
        )
    }
}

impl Error {
    /// A failure of this kind.
    pub fn new(kind: ErrorKind) -> Self {
        Self {
            kind,
            detail: None,
            retry_after: None,
            after_first_token: false,
        }
    }

    /// Adds the provider's message.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Adds the delay before the next call.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// A stream that ended before the answer did.
    pub fn truncated() -> Self {
        Self::new(ErrorKind::Truncated)
    }
}
