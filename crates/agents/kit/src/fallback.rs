//! Why the rules answer in place of a model, in words for people.

use std::borrow::Cow;

use llm::{Error, ErrorKind, FinishReason};

use crate::listen::{End, Heard};

/// Something of a model that was needed, came, and cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// Its reading of a message.
    Classification,
    /// Its plan, or its choice among what there is.
    Plan,
    /// The words of its answer.
    Words,
}

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

/// Why an answer that came is not what the person reads.
pub(crate) fn unusable(heard: &Heard) -> Cow<'static, str> {
    let reason = match &heard.end {
        End::Failed(error) => failed(error),
        End::Finished(FinishReason::Length) => {
            "The language model reached its limit of tokens before it had said anything"
        }
        End::Finished(FinishReason::ContentFilter) => {
            "The provider held back the answer of the language model"
        }
        End::Finished(FinishReason::Refusal) => "The language model refused to answer",
        End::Finished(_) if !heard.message.calls.is_empty() => {
            "The language model asked for a tool instead of answering"
        }
        End::Finished(_) if heard.left_out > 0 => "What the language model said cannot be verified",
        End::Finished(_) => "The language model said nothing",
    };
    because(reason).into()
}

impl Unusable {
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
            Self::Words => because("What the language model said cannot be verified").into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llm::AssistantMessage;

    #[test]
    fn each_reason_is_the_right_one() {
        let heard = |end: End, left_out: u32| Heard {
            message: AssistantMessage::default(),
            sentences: 0,
            left_out,
            broken_off: false,
            closing: crate::gate::Closing::default(),
            end,
        };
        for (heard, reason) in [
            (
                heard(End::Failed(Error::new(ErrorKind::Timeout)), 0),
                "in time",
            ),
            (
                heard(End::Finished(FinishReason::Length), 0),
                "limit of tokens",
            ),
            (heard(End::Finished(FinishReason::Refusal), 0), "refused"),
            (heard(End::Finished(FinishReason::Stop), 0), "said nothing"),
            (
                heard(End::Finished(FinishReason::Stop), 2),
                "cannot be verified",
            ),
        ] {
            let text = unusable(&heard);
            assert!(
                text.contains(reason) && text.ends_with("fixed rules."),
                "{text}"
            );
        }
    }
}
