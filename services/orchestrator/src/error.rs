//! Errors of starting the service, and the answers for errors of the domain: the one place with
//! status codes.

use contracts::problem::Problem;
use conversations::Error as Stored;
use service_kit::problem::ApiError;

use crate::checkpoints::OpenError;

/// Why the service could not be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The identity's keys are unusable.
    #[error("identities cannot be verified")]
    Identity(#[from] service_kit::identity::KeyError),
    /// No database is configured, or not properly.
    #[error(transparent)]
    Database(#[from] service_kit::database::Error),
    /// The HTTP client could not be made.
    #[error("the HTTP client cannot be made")]
    HttpClient(#[from] reqwest::Error),
    /// The tools service's address is unusable.
    #[error("the tools service's address cannot be used")]
    Tools(#[from] service_client::Error),
    /// The configured models cannot be had.
    #[error("the configured models cannot be used")]
    Models(#[from] llm::Error),
    /// The assistant's graph is not one.
    #[error("the assistant cannot be built")]
    Assistant(#[from] graph::BuildError),
    /// The store of checkpoints cannot be opened. Without it assistants would forget every thread,
    /// so the service does not start.
    #[error(transparent)]
    Checkpoints(#[from] OpenError),
    /// The ways out for results of schedules cannot be set up.
    #[error("results of schedules cannot be sent")]
    Delivery(#[from] delivery::Error),
    /// A default assistant is none.
    #[error("runs.default_assistants names `{name}`; there are: {available}")]
    NoSuchAssistant {
        /// The configured name.
        name: String,
        /// The existing names.
        available: String,
    },
}

/// The answer for an error of stored conversations. `what` is the thing that was requested.
pub(crate) fn refusal(error: Stored, what: &str) -> ApiError {
    match error {
        Stored::NotFound => ApiError::not_found(format!("There is no such {what}.")),
        Stored::Exists => ApiError::conflict(format!("There is such a {what} already.")),
        Stored::Busy { .. } => {
            ApiError::conflict("This thread is answering another message; wait until it is done.")
        }
        Stored::KeyReused => ApiError::invalid_field(
            "/idempotency-key",
            "this key came with another request before",
        ),
        Stored::Invalid(reason) => ApiError::invalid_field("", reason),
        Stored::Unavailable(_) => ApiError::unavailable(
            "Conversations cannot be read or stored at the moment.",
            error,
        ),
        Stored::LostFence | Stored::Database(_) => ApiError::internal(error),
    }
}

/// 410: a run that is over and whose events are kept no more.
pub(crate) fn gone() -> ApiError {
    ApiError::from(Problem::new(410, "events_gone", "Events gone")).with_detail(
        "The run is over and its events are kept no more; the messages of its thread have the answer.",
    )
}
