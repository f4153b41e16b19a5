//! What can go wrong with a model, told by what a caller can do about it.

use std::time::Duration;

/// A failed call. Holds no key, no header and at most the start of what the provider said.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{kind}{}", .detail.as_deref().map(|detail| format!(": {detail}")).unwrap_or_default())]
pub struct Error {
    /// What it is.
    pub kind: ErrorKind,
    /// What the provider said, shortened and cleaned; for logs, not for people.
    pub detail: Option<String>,
    /// When the provider wants to be asked again.
    pub retry_after: Option<Duration>,
    /// Whether anything of the answer had come before. Then the call is not repeated.
    pub after_first_token: bool,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// No connection.
    #[error("the provider can not be reached")]
    Connect,
    /// No answer, no first token or no next one in time.
    #[error("the provider did not answer in time")]
    Timeout,
    /// 429.
    #[error("the provider limits our rate")]
    RateLimited,
    /// 503, 529 and their like.
    #[error("the provider is overloaded")]
    Overloaded,
    /// Any other 5xx.
    #[error("the provider failed")]
    Provider,
    /// 401 or 403.
    #[error("the provider does not accept our key")]
    Unauthorized,
    /// 404, or words to that effect.
    #[error("the provider does not know the model")]
    UnknownModel,
    /// 400 and other refusals of what we sent.
    #[error("the provider does not accept the request")]
    BadRequest,
    /// The stream ended before its end.
    #[error("the answer was cut off")]
    Truncated,
    /// What came is not in the provider's format.
    #[error("the answer can not be read")]
    Unreadable,
    /// More came than we take.
    #[error("the answer is too large")]
    TooLarge,
    /// The provider held the whole answer back.
    #[error("the provider blocked the answer")]
    Blocked,
    /// It failed so often that it is left alone for a while.
    #[error("the provider failed too often and is not asked for a while")]
    CircuitOpen,
    /// Too many calls are under way.
    #[error("too many calls are under way")]
    Busy,
}

impl ErrorKind {
    /// Whether the same request may work a little later.
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

    /// With what the provider said.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// With when to ask again.
    #[must_use]
    pub fn with_retry_after(mut self, delay: Duration) -> Self {
        self.retry_after = Some(delay);
        self
    }

    /// A stream that ended before its end.
    pub fn truncated() -> Self {
        Self::new(ErrorKind::Truncated)
    }
}
