//! The relation of a message to the open question or plan: an answer, a change, something new.
//!
//! Only what the words leave no doubt about is decided here; the rest is [`Reply::Unclear`] with
//! the likeliest reading in it.

mod corrections;
mod options;
mod phrases;
#[cfg(test)]
mod tests;

use contracts::todo::AskedClarification;
use contracts::tools::clarification::ClarificationAnswer;

use super::text::{Token, between, tokens};
use options::Answered;

pub use corrections::Correction;

/// The open question or plan when a message comes.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplyContext<'s> {
    /// The question that waits for an answer.
    pub open: Option<&'s AskedClarification>,
    /// Whether a list is worked on.
    pub active: bool,
    /// Whether its last task failed.
    pub last_task_failed: bool,
    /// Whether the thread has results of an earlier query.
    pub has_results: bool,
}

impl ReplyContext<'_> {
    /// Whether there is nothing that a message could be about but itself.
    pub fn has_nothing(&self) -> bool {
        self.open.is_none() && !self.active && !self.has_results
    }
}

/// The relation of a message to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Answers to the open question, each an option; parts that are not in it are not answered. One
    /// part may be answered with several options ("both").
    Exact(Vec<ClarificationAnswer>),
    /// Answers, if there are any, and something that changes the request.
    Modification {
        /// The answers, each an option.
        answers: Vec<ClarificationAnswer>,
        /// The words of the addition, without the connecting words: `include arrival date`.
        addition: String,
    },
    /// Something else is asked. What it leaves out may are in the request before ("what about
    /// Rotterdam?").
    NewRequest {
        /// The new request, without the words around it: of "forget it, show me X instead" it is
        /// "show me X".
        text: String,
    },
    /// Go on, or try again.
    Continue,
    /// Give up.
    Cancel,
    /// Earlier results are to be analysed. Also without any, when the words surely mean earlier
    /// results.
    Analysis,
    /// The earlier query is to be changed.
    Edit,
    /// An answer to the open question that is none of its options.
    FreeAnswer(Vec<ClarificationAnswer>),
    /// None of the options of the open question, and nothing in their place.
    NoneOfThem,
    /// Something that was said or chosen is taken back.
    Correct(Correction),
    /// Not certain; a model should decide. Without one, this.
    Unclear(Box<Reply>),
}

/// A message that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadReply {
    /// The relation of the message.
    pub reply: Reply,
    /// How certain that is, 0 to 1; 1 where the words leave no choice.
    pub confidence: f64,
}

impl ReadReply {
    fn certain(reply: Reply) -> Self {
        Self {
            reply,
            confidence: 1.0,
        }
    }

    fn likely(reply: Reply) -> Self {
        Self {
            reply,
            confidence: 0.9,
        }
    }

    fn unclear(reply: Reply) -> Self {
        Self {
            reply: Reply::Unclear(Box::new(reply)),
            confidence: 0.5,
        }
    }
}

/// What `text` is to what stands open.
pub fn read_reply(text: &str, standing: &ReplyContext<'_>) -> ReadReply {
    let (text, labelled) = phrases::without_label(text);
    let message = Message {
        text,
        tokens: tokens(text),
        labelled,
    };
    if !message
        .tokens
        .iter()
        .any(|token| token.is_word() || token.number().is_some())
    {
        return ReadReply::unclear(match standing.open {
            Some(_) => Reply::Continue,
            None => message.as_request(),
        });
    }
    match standing.open {
        Some(open) => to_question(&message, open, standing),
        None => to_nothing_open(&message, standing),
    }
}

/// A message, cut into tokens.
struct Message<'m> {
    text: &'m str,
    tokens: Vec<Token>,
    /// A client wrote it, so that it is an answer whatever it says.
    labelled: bool,
}

impl Message<'_> {
    fn as_request(&self) -> Reply {
        Reply::NewRequest {
            text: self.text.to_owned(),
        }
    }

    /// The text of the tokens from `at` on.
    fn from(&self, at: usize) -> String {
        between(self.text, &self.tokens[at..]).to_owned()
    }
}

/// A message while a question waits for an answer.
fn to_question(
    message: &Message<'_>,
    open: &AskedClarification,
    standing: &ReplyContext<'_>,
) -> ReadReply {
    let Answered {
        answers,
        residue,
        slips,
        doubtful,
    } = options::read(message, open);
    let exact = |answers| {
        if slips {
            ReadReply::likely(Reply::Exact(answers))
        } else {
            ReadReply::certain(Reply::Exact(answers))
        }
    };
    if !answers.is_empty() && doubtful {
        return ReadReply::unclear(Reply::Exact(answers));
    }
    if !answers.is_empty() && residue.is_empty() {
        return exact(answers);
    }
    if message.labelled && answers.is_empty() {
        return ReadReply::certain(free_answer(message, open));
    }
    if let Some(read) = bare(message, standing) {
        return read;
    }
    if answers.is_empty()
        && let Some(read) = refused(message, open)
    {
        return read;
    }
    if let Some((text, strong)) = phrases::reframed(message) {
        if !answers.is_empty() && phrases::verb_of_request(&tokens(&text)).is_none() {
            return ReadReply::unclear(Reply::Exact(answers));
        }
        let request = Reply::NewRequest { text };
        return if strong {
            ReadReply::certain(request)
        } else {
            ReadReply::likely(request)
        };
    }
    if answers.is_empty() {
        return without_answer(message, open, standing);
    }
    with_more(message, answers, &residue)
}

/// "Neither", "none of these, Hamburg", "sorry, december".
fn refused(message: &Message<'_>, open: &AskedClarification) -> Option<ReadReply> {
    let correction = corrections::read(message);
    if correction == Some(Correction::Undo) {
        return Some(ReadReply::certain(Reply::Cancel));
    }
    if let Some(Correction::Value(said)) = correction {
        let is_time = [said.clone(), format!("in {said}")].iter().any(|said| {
            let found = super::dates::find(said, chrono::NaiveDate::default());
            found.iter().any(|time| time.phrase == (0..said.len()))
        });
        return Some(ReadReply::likely(if is_time {
            Reply::Modification {
                answers: Vec::new(),
                addition: said,
            }
        } else {
            free_answer_of(&said, open)
        }));
    }
    let rest = phrases::behind_refusal(message)?;
    Some(if rest.is_empty() {
        ReadReply::certain(Reply::NoneOfThem)
    } else {
        ReadReply::likely(free_answer_of(&rest, open))
    })
}

/// The options of a question that a text names, each once; nothing where it says more than that.
pub fn chosen(text: &str, open: &AskedClarification) -> Vec<ClarificationAnswer> {
    let message = Message {
        text,
        tokens: tokens(text),
        labelled: false,
    };
    let read = options::read(&message, open);
    if read.doubtful || !read.residue.is_empty() {
        return Vec::new();
    }
    read.answers
}

/// Answers with other words around them.
fn with_more(
    message: &Message<'_>,
    answers: Vec<ClarificationAnswer>,
    residue: &options::Residue,
) -> ReadReply {
    if let Some(tail) = residue.tail {
        let (addition, said) = phrases::addition(message, tail);
        let modification = Reply::Modification { answers, addition };
        return if said {
            ReadReply::certain(modification)
        } else {
            ReadReply::unclear(modification)
        };
    }
    if phrases::verb_of_request(&message.tokens).is_some() {
        return ReadReply::likely(message.as_request());
    }
    ReadReply::unclear(Reply::Modification {
        answers,
        addition: message.text.to_owned(),
    })
}

/// A message that names none of the options.
fn without_answer(
    message: &Message<'_>,
    open: &AskedClarification,
    standing: &ReplyContext<'_>,
) -> ReadReply {
    if let Some(read) = analysis(message, standing) {
        return read;
    }
    let words = message
        .tokens
        .iter()
        .filter(|token| token.is_word())
        .count();
    if phrases::verb_of_request(&message.tokens).is_some() {
        let request = message.as_request();
        return if words >= 3 {
            ReadReply::likely(request)
        } else {
            ReadReply::unclear(request)
        };
    }
    if phrases::begins_addition(&message.tokens) {
        let (addition, _) = phrases::addition(message, 0);
        return ReadReply::likely(Reply::Modification {
            answers: Vec::new(),
            addition,
        });
    }
    if phrases::refuses_all(&message.tokens) {
        return ReadReply::unclear(free_answer(message, open));
    }
    if phrases::asks(message) || words > 8 {
        return ReadReply::unclear(message.as_request());
    }
    if phrases::is_assent(&message.tokens) {
        return ReadReply::unclear(Reply::Continue);
    }
    ReadReply {
        reply: free_answer(message, open),
        confidence: 0.8,
    }
}

fn free_answer(message: &Message<'_>, open: &AskedClarification) -> Reply {
    free_answer_of(message.text, open)
}

fn free_answer_of(text: &str, open: &AskedClarification) -> Reply {
    let part = options::open_parts(open).into_iter().next();
    Reply::FreeAnswer(
        part.map(|part| ClarificationAnswer {
            about: part.about.clone(),
            option_id: None,
            text: options::shortened(text),
        })
        .into_iter()
        .collect(),
    )
}

/// A message while nothing waits for an answer.
fn to_nothing_open(message: &Message<'_>, standing: &ReplyContext<'_>) -> ReadReply {
    if message.labelled {
        return ReadReply::unclear(message.as_request());
    }
    if let Some(read) = bare(message, standing) {
        return read;
    }
    if let Some((text, _)) = phrases::reframed(message) {
        return ReadReply::certain(Reply::NewRequest { text });
    }
    if (standing.has_results || standing.active)
        && let Some(correction) = corrections::read(message)
    {
        return ReadReply::likely(Reply::Correct(correction));
    }
    if let Some(read) = analysis(message, standing) {
        return read;
    }
    if standing.active && phrases::is_assent(&message.tokens) {
        return ReadReply::unclear(Reply::Continue);
    }
    if let Some(certain) = phrases::edits(message) {
        let edit = if standing.has_results {
            Reply::Edit
        } else if standing.active {
            let (addition, _) = phrases::addition(message, 0);
            Reply::Modification {
                answers: Vec::new(),
                addition,
            }
        } else {
            message.as_request()
        };
        return if certain {
            ReadReply::certain(edit)
        } else {
            ReadReply::unclear(edit)
        };
    }
    let request = message.as_request();
    let clear = phrases::verb_of_request(&message.tokens).is_some()
        || phrases::asks(message)
        || !(standing.active || standing.has_results);
    if clear {
        ReadReply::certain(request)
    } else {
        ReadReply {
            reply: request,
            confidence: 0.7,
        }
    }
}

/// "Continue", "cancel", and nothing else.
fn bare(message: &Message<'_>, standing: &ReplyContext<'_>) -> Option<ReadReply> {
    if phrases::is_cancel(&message.tokens) {
        return Some(ReadReply::certain(Reply::Cancel));
    }
    if phrases::is_continue(&message.tokens) {
        return Some(ReadReply::certain(Reply::Continue));
    }
    (standing.last_task_failed && phrases::is_again(&message.tokens))
        .then(|| ReadReply::certain(Reply::Continue))
}

fn analysis(message: &Message<'_>, standing: &ReplyContext<'_>) -> Option<ReadReply> {
    use phrases::AnalysisOf;
    match phrases::analysis(&message.tokens)? {
        AnalysisOf::EarlierResults => Some(ReadReply::certain(Reply::Analysis)),
        AnalysisOf::Nothing if standing.has_results => Some(ReadReply::unclear(Reply::Analysis)),
        AnalysisOf::Nothing | AnalysisOf::SomethingElse => None,
    }
}
