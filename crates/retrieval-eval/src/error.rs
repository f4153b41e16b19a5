//! Why nothing could be measured.

use crate::Question;

/// Why nothing could be measured.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A line of the questions can not be read.
    #[error("line {line} of the questions can not be read")]
    Question {
        /// Which, from 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
    /// There are none.
    #[error("there are no questions")]
    NoQuestions,
    /// A question's passage is in no document.
    #[error("no passage of {} holds {:?}, which {:?} asks for", .0.filename, .0.contains, .0.question)]
    NoPassage(Question),
    /// The library failed.
    #[error("the library failed")]
    Library(#[from] knowledge::Error),
    /// The database failed.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// Made-up passages did not become what they should.
    #[error("the made-up passages can not be used: {0}")]
    MadeUp(String),
}
