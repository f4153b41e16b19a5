//! What can come of a call instead of an answer.

use contracts::problem::{FieldError, Problem};
use http::StatusCode;
use http_client::SendError;

/// The reason why a call to another service has no answer. The texts are for the log: the other
/// service's message is not repeated to this service's caller.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such thing, or it is not the caller's.
    #[error("not found: {detail}")]
    NotFound {
        /// The missing resource.
        detail: String,
        /// The names that would have been known.
        available: Vec<String>,
    },
    /// The arguments are not valid.
    #[error("invalid arguments: {detail}")]
    InvalidArguments {
        /// All faults in a sentence.
        detail: String,
        /// Each fault, with a pointer to it.
        errors: Vec<FieldError>,
    },
    /// The identity token was refused: a new one may do.
    #[error("unauthorized: {detail}")]
    Unauthorized {
        /// The reason of the refusal.
        detail: String,
    },
    /// The caller may not do this.
    #[error("forbidden: {detail}")]
    Forbidden {
        /// The reason of the refusal.
        detail: String,
    },
    /// The service, or something that it needs, is away for now.
    #[error("unavailable: {detail}")]
    Unavailable {
        /// The unavailable service or dependency.
        detail: String,
        /// The failed connection, when the service itself could not be reached.
        source: Option<SendError>,
    },
    /// The caller, or others, have as much in progress as may be. The text is for people.
    #[error("busy: {detail}")]
    Busy {
        /// With what, and when to try again.
        detail: String,
    },
    /// No answer in time.
    #[error("no answer in time")]
    Timeout {
        /// The client's error, which says what timed out.
        source: SendError,
    },
    /// The service answered with an error of its own.
    #[error("the service answered {status} {code}: {detail}")]
    Upstream {
        /// The HTTP status.
        status: u16,
        /// The problem's code.
        code: String,
        /// The detail of its problem.
        detail: String,
        /// The id that finds it in the other service's log.
        request_id: Option<String>,
    },
    /// The connection broke, or the answer is not what the contract says.
    #[error("the answer cannot be read")]
    Unreadable {
        /// The error of the client or decoder.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The base URL is not one.
    #[error("`{0}` is not a base URL")]
    BaseUrl(String),
}

impl Error {
    /// Whether the same call may succeed a little later.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. } | Self::Busy { .. } | Self::Timeout { .. }
        )
    }

    /// The kind of fault of the other service, or of the way to it; `None` for an answer that is
    /// about what was asked.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match self {
            Self::NotFound { .. }
            | Self::InvalidArguments { .. }
            | Self::Forbidden { .. }
            | Self::Busy { .. } => None,
            Self::Unauthorized { .. } => Some("unauthorized"),
            Self::Unavailable { .. } => Some("unavailable"),
            Self::Timeout { .. } => Some("timeout"),
            Self::Upstream { .. } => Some("failed"),
            Self::Unreadable { .. } => Some("unreadable"),
            Self::BaseUrl(_) => Some("base_url"),
        }
    }

    /// The result of a request that got no response.
    pub(crate) fn of_request(error: SendError) -> Self {
        if error.is_timeout() {
            Self::Timeout { source: error }
        } else if error.is_connect() {
            Self::Unavailable {
                detail: "the service cannot be reached".to_owned(),
                source: Some(error),
            }
        } else {
            Self::Unreadable {
                source: Box::new(error),
            }
        }
    }

    /// The error for a response other than a success.
    pub(crate) fn of_problem(status: StatusCode, problem: Option<Problem>) -> Self {
        let problem = problem.unwrap_or_else(|| {
            Problem::new(status.as_u16(), "not_a_problem", "No problem details")
        });
        let detail = problem.detail.unwrap_or(problem.title);
        match status {
            StatusCode::NOT_FOUND => Self::NotFound {
                detail,
                available: problem.available,
            },
            StatusCode::UNPROCESSABLE_ENTITY | StatusCode::BAD_REQUEST => Self::InvalidArguments {
                detail,
                errors: problem.errors,
            },
            StatusCode::UNAUTHORIZED => Self::Unauthorized { detail },
            StatusCode::FORBIDDEN => Self::Forbidden { detail },
            _ if problem.code == "busy" => Self::Busy { detail },
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => Self::Unavailable {
                detail,
                source: None,
            },
            _ => Self::Upstream {
                status: status.as_u16(),
                code: problem.code,
                detail,
                request_id: problem.request_id,
            },
        }
    }
}
