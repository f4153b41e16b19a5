//! What can go wrong with a source, distinguished by who can do something about it.

use std::time::Duration;

use contracts::tools::search::{QueryExecution, QueryOutcome, QueryProblem};

/// The reason why a source returned no answer. Every message is safe to show: it names no host and
/// repeats nothing that the source said about its internals.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SourceError {
    /// The query may not be run; the source was not asked for it.
    #[error("{}", refusal(problems))]
    Refused {
        /// Everything that is wrong with it.
        problems: Vec<QueryProblem>,
    },
    /// The source cannot be reached, or refuses the connection. Another query does not help.
    #[error("The source '{name}' {reason}.")]
    Unavailable {
        /// The source's name.
        name: String,
        /// In what way.
        reason: &'static str,
    },
    /// The query took longer than it may.
    #[error("The source '{name}' did not answer within {:.1} s. Ask for less: a shorter period, a filter, fewer groups.", after.as_secs_f64())]
    TimedOut {
        /// The source's name.
        name: String,
        /// The limit.
        after: Duration,
    },
    /// The source rejected the request, or its answer cannot be read.
    #[error("The source '{name}' {reason}.")]
    Failed {
        /// The source's name.
        name: String,
        /// In what way.
        reason: String,
    },
    /// The configuration cannot work.
    #[error("The source '{name}': {reason}.")]
    Configuration {
        /// The source's name.
        name: String,
        /// The fault in the configuration.
        reason: String,
    },
}

fn refusal(problems: &[QueryProblem]) -> &str {
    problems
        .first()
        .map_or("The query was refused.", |problem| problem.message.as_str())
}

/// A sentence about a source with its name in it: where several sources are, people see which it is
/// about.
pub fn naming(source: &str, sentence: String) -> String {
    if sentence.contains(&format!("'{source}'")) {
        sentence
    } else {
        format!("The source '{source}': {sentence}")
    }
}

impl SourceError {
    /// The message with the source's name in it. A refusal does not name the source, because it is
    /// about the query.
    pub fn sentence(&self, source: &str) -> String {
        naming(source, self.to_string())
    }

    /// One problem.
    pub fn refused(problem: QueryProblem) -> SourceError {
        SourceError::Refused {
            problems: vec![problem],
        }
    }

    /// How a query that met it went.
    pub fn outcome(&self) -> QueryOutcome {
        match self {
            SourceError::Refused { .. } => QueryOutcome::Refused,
            SourceError::Unavailable { .. } => QueryOutcome::Unavailable,
            SourceError::TimedOut { .. } => QueryOutcome::TimedOut,
            SourceError::Failed { .. } | SourceError::Configuration { .. } => QueryOutcome::Failed,
        }
    }

    /// The result of an executor whose query failed with this error. An error that the query did
    /// not cause becomes one problem of the whole query, with the outcome as its code.
    pub fn into_execution(self) -> QueryExecution {
        let outcome = self.outcome();
        let code = match outcome {
            QueryOutcome::Unavailable => "unavailable",
            QueryOutcome::TimedOut => "timed_out",
            _ => "failed",
        };
        let message = self.to_string();
        let problems = match self {
            SourceError::Refused { problems } => problems,
            _ => vec![QueryProblem {
                pointer: String::new(),
                code: code.to_owned(),
                message,
                suggestions: Vec::new(),
            }],
        };
        QueryExecution {
            outcome,
            run: None,
            problems,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_names_the_source_once() {
        let name = "shipping".to_owned();
        for error in [
            SourceError::refused(search::problem(
                "/index",
                "unknown_field",
                "There is no field 'shipping_cost'.",
            )),
            SourceError::refused(search::problem(
                "/index",
                "unknown_index",
                "The source 'shipping' has no index 'x'.",
            )),
            SourceError::Unavailable {
                name: name.clone(),
                reason: "cannot be reached",
            },
            SourceError::TimedOut {
                name: name.clone(),
                after: Duration::from_secs(2),
            },
            SourceError::Failed {
                name: name.clone(),
                reason: "could not answer the query".to_owned(),
            },
            SourceError::Configuration {
                name,
                reason: "its url is no database URL".to_owned(),
            },
        ] {
            let sentence = error.sentence("shipping");
            assert_eq!(sentence.matches("'shipping'").count(), 1, "{sentence}");
        }
    }
}
