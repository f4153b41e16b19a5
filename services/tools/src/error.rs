//! Why a tool has no result, and what that is on the wire. The one place with status codes.

use chrono::NaiveDate;
use contracts::problem::FieldError;
use contracts::tools::{AvailableRange, ToolEnvelope, ToolStatus};
use service_kit::problem::ApiError;

/// Why a tool has no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It ran without a result: the call is answered 200 with this.
    #[error("there is no result: {}", .0.message)]
    NoResult(NoResult),
    /// The arguments do not fit together; each fault with its pointer.
    #[error("the arguments are not valid")]
    Invalid(Vec<FieldError>),
    /// There is no such tool; these are there.
    #[error("there is no tool of that name")]
    UnknownTool(Vec<String>),
    /// The caller may not do that.
    #[error("the caller may not do that")]
    Forbidden(ApiError),
    /// The needed resource has no turn for the caller now.
    #[error("what is needed is busy")]
    Busy(ApiError),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// A result could not be written as JSON.
    #[error("the result cannot be written")]
    Serialize(#[from] serde_json::Error),
}

/// An answer without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoResult {
    /// Why there is none.
    pub status: ToolStatus,
    /// A sentence for people.
    pub message: String,
    /// When there are data.
    pub available: Option<AvailableRange>,
}

impl Error {
    /// The logger has data, but not then.
    pub fn no_data_in_window(message: impl Into<String>, available: AvailableRange) -> Self {
        Self::NoResult(NoResult {
            status: ToolStatus::NoDataInWindow,
            message: message.into(),
            available: Some(available),
        })
    }

    /// There is no such logger, or it has no data.
    pub fn no_data(message: impl Into<String>) -> Self {
        Self::NoResult(NoResult {
            status: ToolStatus::NoData,
            message: message.into(),
            available: None,
        })
    }

    /// The figures asked for cannot be had, for a reason that the user can do something about.
    pub fn impossible(message: impl Into<String>) -> Self {
        Self::NoResult(NoResult {
            status: ToolStatus::Error,
            message: message.into(),
            available: None,
        })
    }

    /// One argument does not fit.
    pub fn invalid(pointer: &str, detail: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError {
            pointer: pointer.to_owned(),
            detail: detail.into(),
        }])
    }

    /// The window ends before it begins.
    pub fn reversed(pointer: &str, start: NaiveDate, end: NaiveDate) -> Self {
        Self::invalid(pointer, format!("{end} is before {start}, the first day"))
    }

    /// Whether asking again might help at once: a connection was lost, not the server.
    pub fn is_lost_connection(&self) -> bool {
        matches!(self, Self::Database(error) if is_connection_error(error))
    }
}

impl NoResult {
    /// The envelope that says so.
    pub fn into_envelope(self) -> ToolEnvelope {
        ToolEnvelope {
            available_range: self.available,
            ..ToolEnvelope::without_result(self.status, self.message)
        }
    }
}

impl From<knowledge::Error> for Error {
    /// A search reads the database and nothing else: what else may go wrong with documents goes
    /// wrong when they come.
    fn from(error: knowledge::Error) -> Self {
        match error {
            knowledge::Error::Database(error) => Self::Database(error),
            error => Self::impossible(error.to_string()),
        }
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Invalid(errors) => Self::invalid(errors),
            Error::Forbidden(refusal) | Error::Busy(refusal) => refusal,
            Error::UnknownTool(names) => {
                Self::not_found("There is no tool of that name.").with_available(names)
            }
            Error::Database(error) => database(error),
            error @ (Error::NoResult(_) | Error::Serialize(_)) => Self::internal(error),
        }
    }
}

/// A database error as a problem: 503 when it is unavailable or too slow, otherwise 500. Neither
/// shows SQL.
pub fn database(error: sqlx::Error) -> ApiError {
    if is_connection_error(&error) || matches!(error, sqlx::Error::PoolTimedOut) {
        return ApiError::unavailable("The database is away.", error);
    }
    match code(&error).as_deref() {
        // The statement ran longer than it may.
        Some("57014") => ApiError::unavailable("The database took too long.", error),
        _ => ApiError::internal(error),
    }
}

/// Whether a connection was lost, or none could be had.
pub(crate) fn is_connection_error(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        // Connections lost (08), out of resources (53), an operator's doing: shutting down,
        // starting up, dropping (57P), and databases that accept no connections (55000), do not
        // exist (3D) or reject the role (28).
        _ => code(error).is_some_and(|code| {
            ["08", "53", "57P", "55000", "3D", "28"]
                .iter()
                .any(|class| code.starts_with(class))
        }),
    }
}

fn code(error: &sqlx::Error) -> Option<String> {
    let code = error.as_database_error()?.code()?;
    Some(code.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_database_is_503_and_shows_no_detail_of_it() {
        let lost = sqlx::Error::Io(std::io::Error::other("postgres://u:secret@h"));
        assert!(Error::from(lost).is_lost_connection());
        let problem = database(sqlx::Error::PoolTimedOut).problem().clone();
        assert_eq!(
            (problem.status, problem.code.as_str()),
            (503, "unavailable")
        );
        let problem = database(sqlx::Error::ColumnNotFound("secret".into()));
        assert_eq!(problem.problem().status, 500);
        assert!(!problem.to_string().contains("secret"));
    }

    #[test]
    fn an_unknown_tool_lists_the_known() {
        let problem = ApiError::from(Error::UnknownTool(vec!["a".to_owned()]));
        assert_eq!(problem.problem().status, 404);
        assert_eq!(problem.problem().available, ["a"]);
    }
}
