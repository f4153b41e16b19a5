//! Why the rules answer in place of a model, in words for people.

use std::borrow::Cow;

use llm::{Error, ErrorKind, FinishReason};

use crate::listen::{End, Heard, Wrote};

/// Something of a model that was needed, came, and cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// Its reading of a message.
    Classification,
    /// Its plan, or its choice among what there is.
    Plan,
    /// The words of its answer.
    Words,
    /// The words of its answer, for this reason.
    Because(&'static str),
    /// Its query, which is not accepted.
    Query,
    /// It read nothing, for this reason.
    Unread(&'static str),
}

const SAID_NOTHING: &str = "The language model said nothing";
const ASKED_FOR_TOOL: &str = "The language model asked for a tool instead of answering";
const NOT_VERIFIED: &str = "What the language model said cannot be verified";
const OTHER_LANGUAGE: &str = "The language model did not answer in English";

/// The reason, and what follows from it.
pub(crate) fn because(reason: &str) -> String {
    format!("{reason}, so this answer follows fixed rules.")
}

/// Why a failed model does not answer.
pub(crate) fn failed(error: &Error) -> &'static str {
    match error.kind {
        ErrorKind::Connect => "The language model cannot be reached",
        ErrorKind::Timeout => "The language model did not answer in time",
        ErrorKind::RateLimited => {
            "The provider of the language model limits how often it can be asked"
        }
        ErrorKind::Overloaded => "The provider of the language model is overloaded",
        ErrorKind::Provider => "The provider of the language model failed",
        ErrorKind::Unauthorized => {
            "The provider of the language model rejects the key of this installation"
        }
        ErrorKind::UnknownModel => "The provider does not know the configured language model",
        ErrorKind::BadRequest => "The provider of the language model rejected the request",
        ErrorKind::Truncated if !error.after_first_token => {
            "The provider of the language model ended the connection without an answer"
        }
        ErrorKind::Truncated => "The answer of the language model was cut off",
        ErrorKind::Unreadable => "The answer of the language model cannot be read",
        ErrorKind::TooLarge => "The answer of the language model is too large",
        ErrorKind::Blocked => "The provider blocked the answer of the language model",
        ErrorKind::CircuitOpen => {
            "The language model failed several times and is not asked for a moment"
        }
        ErrorKind::Busy => "Too many questions to the language model are in progress",
        ErrorKind::OverBudget => "The budget for the language model is used up for today",
    }
}

/// Why an answer that did not come to its own end is not used.
fn ended_early(reason: FinishReason) -> Option<&'static str> {
    match reason {
        FinishReason::Length => {
            Some("The language model reached its limit of tokens before it had said anything")
        }
        FinishReason::ContentFilter => {
            Some("The provider held back the answer of the language model")
        }
        FinishReason::Refusal => Some("The language model refused to answer"),
        FinishReason::Stop | FinishReason::ToolCalls => None,
    }
}

/// Why an answer that came is not what the person reads.
pub(crate) fn unusable(heard: &Heard) -> Cow<'static, str> {
    let reason = match &heard.end {
        End::Failed(error) => failed(error),
        End::Finished(reason) => ended_early(*reason).unwrap_or(match heard.wrote {
            _ if !heard.message.calls.is_empty() => ASKED_FOR_TOOL,
            Wrote::OtherLanguage => OTHER_LANGUAGE,
            _ if heard.left_out > 0 => NOT_VERIFIED,
            Wrote::Words => "What the language model said is no answer to the question",
            Wrote::Nothing => SAID_NOTHING,
        }),
    };
    because(reason).into()
}

impl Unusable {
    /// Of an answer that came at once, of which nothing is said.
    pub fn words(text: &str, ended: FinishReason) -> Self {
        if let Some(reason) = ended_early(ended) {
            return Self::Because(reason);
        }
        match Wrote::of(text) {
            Wrote::Nothing if ended == FinishReason::ToolCalls => Self::Because(ASKED_FOR_TOOL),
            Wrote::Nothing => Self::Because(SAID_NOTHING),
            Wrote::OtherLanguage => Self::Because(OTHER_LANGUAGE),
            Wrote::Words => Self::Words,
        }
    }

    /// Of an answer that reads a message or chooses, and that cannot be read.
    pub fn classification(text: &str) -> Self {
        match Wrote::of(text) {
            Wrote::Nothing => Self::Unread(SAID_NOTHING),
            Wrote::Words | Wrote::OtherLanguage => Self::Classification,
        }
    }

    /// The text for the person.
    pub(crate) fn text(self) -> Cow<'static, str> {
        match self {
            Self::Classification => {
                "What the language model made of the message cannot be used, so fixed rules read it."
                    .into()
            }
            Self::Plan => {
                "The plan of the language model cannot be used, so this one follows fixed rules."
                    .into()
            }
            Self::Query => {
                "The query of the language model cannot be used, so this one follows fixed rules."
                    .into()
            }
            Self::Unread(reason) => format!("{reason}, so fixed rules read the message.").into(),
            Self::Words => because(NOT_VERIFIED).into(),
            Self::Because(reason) => because(reason).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llm::AssistantMessage;

    #[test]
    fn each_reason_is_the_right_one() {
        let heard = |end: End, left_out: u32, wrote: Wrote| Heard {
            message: AssistantMessage::default(),
            sentences: 0,
            left_out,
            broken_off: false,
            wrote,
            closing: crate::gate::Closing::default(),
            end,
        };
        let stopped = || End::Finished(FinishReason::Stop);
        for (heard, reason) in [
            (
                heard(
                    End::Failed(Error::new(ErrorKind::Timeout)),
                    0,
                    Wrote::Nothing,
                ),
                "in time",
            ),
            (
                heard(End::Finished(FinishReason::Length), 0, Wrote::Nothing),
                "limit of tokens",
            ),
            (
                heard(End::Finished(FinishReason::Refusal), 0, Wrote::Words),
                "refused",
            ),
            (heard(stopped(), 0, Wrote::Nothing), "said nothing"),
            (heard(stopped(), 0, Wrote::Words), "no answer"),
            (heard(stopped(), 2, Wrote::Words), "cannot be verified"),
            (heard(stopped(), 2, Wrote::OtherLanguage), "in English"),
        ] {
            let text = unusable(&heard);
            assert!(
                text.contains(reason) && text.ends_with("fixed rules."),
                "{text}"
            );
        }
    }
}
