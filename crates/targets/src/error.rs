//! What can go wrong with a target, distinguished by who can do something about it.

mod classify;
mod person;
mod safe;

use std::fmt;
use std::time::Duration;

use crate::queue::Crowd;

pub(crate) use classify::{Failure, failure};
pub(crate) use safe::Safe;

/// Why a target did not answer. Every message is safe to show: it names no host, no secure view and
/// no value of a session variable.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TargetError {
    /// The database cannot be reached, or refuses the connection. No other statement helps.
    #[error("The database '{target}' {reason}.")]
    Unavailable {
        /// The target's name.
        target: String,
        /// In what way.
        reason: Away,
    },
    /// There is no turn for the statement now: as many run and wait as may. The same statement may
    /// do later.
    #[error(
        "The database '{target}' is busy: {} Try again in {} s.",
        match crowd {
            Crowd::Own => "you have as many queries running there, and waiting, as one person may.",
            Crowd::Others => "too many queries of others wait for it.",
        },
        retry_after.as_secs()
    )]
    Busy {
        /// The target's name.
        target: String,
        /// The owner of the running statements.
        crowd: Crowd,
        /// When it is worth another try.
        retry_after: Duration,
    },
    /// The statement took longer than it may. A narrower one may do.
    #[error("The query was stopped after {:.1} s. Ask for less: a shorter period, fewer tables, a filter.", after.as_secs_f64())]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// The database expects to read more than is allowed. A narrower statement may do.
    #[error(
        "The query would read {} rows; {limit} are allowed. Ask for less: a shorter period, fewer tables, a filter.",
        estimated.map_or_else(|| "too many".to_owned(), |rows| format!("about {rows:.0}"))
    )]
    TooExpensive {
        /// Number of rows; absent where the database does not report it.
        estimated: Option<f64>,
        /// Maximum number of rows.
        limit: u64,
    },
    /// The statement went beyond what it may take while it ran. A narrower one may do.
    #[error(
        "The query was stopped: {bound}. Ask for less: a shorter period, fewer tables, a filter."
    )]
    Stopped {
        /// The limit that it exceeded.
        bound: Bound,
    },
    /// The database says that the statement is wrong. Another statement may do; only this is worth
    /// correcting.
    #[error("{message}")]
    Rejected {
        /// In the database's words.
        message: String,
    },
    /// The database does not know a table or a column of the statement, by its own words: it may
    /// have been changed after the catalogue was read. See
    /// [`Target::look_again`](crate::Target::look_again).
    #[error("{message}")]
    UnknownName {
        /// In the database's words.
        message: String,
        /// Whether the name is of the target's rules, and the statement does not have it.
        of_rules: bool,
    },
    /// The target's policy or the database's role does not fit what was asked. Its operator can
    /// help.
    #[error("{message}")]
    Policy {
        /// What does not fit.
        message: String,
    },
    /// The target's role may do more than read. Its operator can help; the log has the role's
    /// rights.
    #[error(
        "The database '{target}' is not asked: the role that it is read with may do more than read."
    )]
    Role {
        /// The target's name.
        target: String,
        /// The privileges beyond reading, with the statements that take them away, for the
        /// operator.
        beyond: String,
    },
    /// The database or this program is at fault. The log has the cause.
    #[error("{message}")]
    Internal {
        /// What failed.
        message: String,
    },
}

/// A limit of a statement while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The rows, or the steps, of a recursion.
    Recursion,
    /// The length of a recursion's row.
    Growth,
    /// Temporary files.
    Space,
    /// The length of a text that `LPAD`, `RPAD`, `REPEAT` or `SPACE` makes.
    Padding,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Recursion => write!(
                f,
                "its recursion goes on beyond {} rows; maybe what it follows leads in a circle",
                sql_guard::MOST_STEPS
            ),
            Bound::Growth => f.write_str("a text or list in its recursion grows too long"),
            Bound::Space => f.write_str("it needs more space for temporary files than it may have"),
            Bound::Padding => f.write_str(
                "LPAD, RPAD, REPEAT or SPACE would make a text of more than 1000 characters",
            ),
        }
    }
}
/// The message for a failure that depends on rows. It names no row and no value, because some may
/// be of tenants whose rows must not be seen.
const OF_DATA: &str = "The database could not work out the query for these rows: a division by zero, a number or a date \
    out of range, a text that is no number, date, JSON or pattern, or a subquery that gives more than one row. \
    Guard the expression (NULLIF, CASE, LIMIT 1) or leave it out.";

/// In what way a database is away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Away {
    /// It does not answer.
    Unreachable,
    /// It answers, and not in the protocol of the target's dialect.
    OtherProtocol,
    /// It answers, and does not encrypt the connection as asked.
    NotEncrypted,
    /// It answers with a certificate that no known authority signed.
    NotTrusted,
    /// It refuses the target's login.
    LoginRefused,
    /// It knows the role, which has no privilege on the database.
    NoPrivilege,
    /// It has as many connections as it takes.
    TooManyConnections,
    /// All connections of the target's pool are in use.
    Busy,
    /// The connection broke while it worked on a statement.
    ConnectionLost,
}

impl fmt::Display for Away {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Away::Unreachable => "cannot be reached",
            Away::OtherProtocol => "answers, but not as a database of this kind does",
            Away::NotEncrypted => "answers, but does not encrypt the connection as `tls` asks",
            Away::NotTrusted => "answers, but its certificate is not trusted",
            Away::LoginRefused => "refuses our login",
            Away::NoPrivilege => {
                "knows the role that it is read with, but the role has no privilege on it: the role needs SELECT on tables or views"
            }
            Away::TooManyConnections => "takes no more connections at the moment",
            Away::Busy => "is busy: all connections to it are in use",
            Away::ConnectionLost => "closed the connection",
        })
    }
}

impl TargetError {
    /// The error for a failure of a statement.
    pub(crate) fn of(failure: Failure, safe: &Safe, after: Duration, limit: u64) -> TargetError {
        match failure {
            Failure::Away(reason) => TargetError::Unavailable {
                target: safe.target().to_owned(),
                reason,
            },
            Failure::TimedOut => TargetError::TimedOut { after },
            Failure::TooExpensive => TargetError::TooExpensive {
                estimated: None,
                limit,
            },
            Failure::Beyond(bound) => TargetError::Stopped { bound },
            Failure::Wrong(message) => TargetError::Rejected {
                message: safe.message(&message),
            },
            Failure::UnknownName(message) => TargetError::UnknownName {
                of_rules: safe.tells_of_rules(&message),
                message: safe.message(&message),
            },
            Failure::OfData => TargetError::Rejected {
                message: OF_DATA.to_owned(),
            },
            // A function that is not there is looked for among the stored ones, which the role may
            // not execute.
            Failure::NoFunction(name) if safe.is_asked(&name) => TargetError::Rejected {
                message: format!(
                    "The database has no function '{}'. Use one that it has.",
                    name.to_uppercase()
                ),
            },
            Failure::NoFunction(name) => TargetError::Policy {
                message: format!(
                    "The role may not execute the routine '{name}', which a view needs."
                ),
            },
            Failure::Denied(message) => TargetError::Policy {
                message: safe.message(&message),
            },
            Failure::Broken(cause) => {
                tracing::error!(
                    target_database = safe.target(),
                    cause = safe.message(&cause),
                    "a target database failed"
                );
                TargetError::Internal {
                    message: format!("The database '{}' failed.", safe.target()),
                }
            }
        }
    }
}
