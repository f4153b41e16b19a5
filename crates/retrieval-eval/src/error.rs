//! Errors of an evaluation.

use crate::LabelledQuestion;

/// Why an evaluation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line of the questions is not valid.
    #[error("line {line} of the questions is not valid")]
    Question {
        /// The line number, from 1.
        line: usize,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The file has no questions.
    #[error("there are no questions")]
    NoQuestions,
    /// No document contains the passage of this question.
    #[error("no passage of {} contains {:?}, which the question {:?} requires", .0.filename, .0.contains, .0.question)]
    NoPassage(LabelledQuestion),
    /// The library failed.
    #[error("the library failed")]
    Library(#[from] knowledge::Error),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// The synthetic passages were not stored as expected.
    #[error("the synthetic passages cannot be used: {0}")]
    Synthetic(String),
}
