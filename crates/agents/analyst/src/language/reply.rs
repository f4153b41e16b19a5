//! What a message is to what stands open: an answer, a change, something new.

use contracts::todo::AskedClarification;
use contracts::tools::clarification::ClarificationAnswer;

/// What stands open when a message comes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Standing<'s> {
    /// The question that waits for an answer.
    pub open: Option<&'s AskedClarification>,
    /// Whether a list is worked on.
    pub active: bool,
    /// Whether its last task failed.
    pub last_task_failed: bool,
    /// Whether the thread has results of an earlier query.
    pub has_results: bool,
}

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Answers to the open question, each an option; parts that are not in it are not answered. One part may be answered with several options
    /// ("both").
    Exact(Vec<ClarificationAnswer>),
    /// Answers, if there are any, and something that changes the request.
    Modification {
        /// The answers, each an option.
        answers: Vec<ClarificationAnswer>,
        /// What is to be added, without the connecting words: `include arrival date`.
        addition: String,
    },
    /// Something else is asked.
    NewRequest {
        /// What is asked, without the words around it: of "forget it, show me X instead" it is "show me X".
        text: String,
    },
    /// Go on, or try again.
    Continue,
    /// Give up.
    Cancel,
    /// Earlier results are to be analysed.
    Analysis,
    /// The earlier query is to be changed.
    Edit,
    /// An answer to the open question that is none of its options.
    FreeAnswer(Vec<ClarificationAnswer>),
    /// Not certain; a model should decide. Without one, this.
    Unclear(Box<Reply>),
}

/// A message that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadReply {
    /// What it is.
    pub reply: Reply,
    /// How certain that is, 0 to 1; 1 where the words leave no choice.
    pub confidence: f64,
}

/// What `text` is to what stands open.
pub fn read_reply(text: &str, standing: &Standing<'_>) -> ReadReply {
    let _ = standing;
    ReadReply {
        reply: Reply::NewRequest {
            text: text.to_owned(),
        },
        confidence: 0.5,
    }
}
