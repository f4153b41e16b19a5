//! `heliograph questions`.

use clap::{Subcommand, ValueEnum};

/// Options of `questions`.
#[derive(Debug, Subcommand)]
pub enum QuestionsCommand {
    /// Lists your confirmed questions and the released ones. With the scope `questions:approve`,
    /// also lists those waiting for a release.
    List {
        /// The questions to list. Default: all.
        #[arg(long, value_enum)]
        show: Option<ShownQuestions>,
        /// Lists only the questions on this target database.
        #[arg(long)]
        target: Option<String>,
    },
    /// Shows a question and its query.
    Show {
        /// The id of the question.
        id: String,
    },
    /// Edits a question or its query. Without either option, confirms a stale question unchanged.
    Edit {
        /// The id of the question.
        id: String,
        /// The new wording of the question.
        #[arg(long)]
        question: Option<String>,
        /// The new query. Write relative days in double braces: `{{week-1}}` is the Monday of last
        /// week.
        #[arg(long)]
        sql: Option<String>,
    },
    /// Releases a question for all users of the tenant.
    Approve {
        /// The id of the question.
        id: String,
        /// Withdraws the question that is already released with the same wording.
        #[arg(long)]
        replace: bool,
    },
    /// Withdraws a question. It is not used for answers any more.
    Withdraw {
        /// The id of the question.
        id: String,
    },
}

/// The confirmed questions to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShownQuestions {
    /// Your own questions.
    Own,
    /// Questions that are released for all users of the tenant.
    Released,
    /// Questions of other users that wait for a release.
    Waiting,
}
