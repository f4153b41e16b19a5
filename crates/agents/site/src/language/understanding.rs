//! The request of a message, all of its words weighed: the rules propose, and words that they do
//! not explain object.

use contracts::tools::LoggerSummary;

use super::classify::{self, Classification, Flow, certain};
use super::keywords::{Concept, Keywords};
use super::loggers::{Finder, Place, is_id};
use super::question::{self, Question};
use super::text::{Message, normalize, tokens};
use super::{Beyond, beyond, coverage, foreign, glossary};
use crate::narrative::Asked;

/// The confidence of a message that no rule knows.
const NO_RULE: f64 = 0.5;

/// The confidence of a message that a rule knows and whose other words say that it asks for
/// something else.
const DOUBTFUL: f64 = 0.4;

/// The request of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Understanding {
    /// Which flow.
    pub classification: Classification,
    /// Which single tool answers, when free chat has no model.
    pub question: Question,
    /// The words that nothing explains.
    pub unexplained: Vec<String>,
    /// Whether any of its words has matter that the grammar knows: a concept, a device, a day.
    pub is_about_something: bool,
}

/// The flow that `message` asks for, by its words alone.
pub fn classify(message: &str) -> Classification {
    understand(message, &[]).classification
}

/// The question that `message` puts, by its words alone.
pub fn question(message: &str) -> Question {
    understand(message, &[]).question
}

/// Whether `message` asks how much energy there was, and not for money or carbon.
pub fn asks_for_energy(message: &str) -> bool {
    let text = normalize(message);
    let keywords = Keywords::of(&text);
    keywords.about_energy() && !keywords.has(Concept::Money)
}

/// The figure that `message` names, where the report that answers it has many.
pub fn asked_figure(message: &str) -> Option<Asked> {
    question::figure(&Keywords::of(&normalize(message)))
}

/// What `message` asks for. Names of the `loggers` that exist, and of their sites, are no
/// unexplained words.
pub fn understand(message: &str, loggers: &[LoggerSummary]) -> Understanding {
    if super::is_greeting(message) {
        return Understanding {
            classification: certain(Flow::Greeting),
            question: Question::Unknown,
            unexplained: Vec::new(),
            is_about_something: false,
        };
    }
    if let Some(tongue) = foreign::tongue(message) {
        let names = coverage::of(message, &[]).slots > 0;
        return refused(Beyond::Language(tongue), Vec::new(), names);
    }
    let text = normalize(message);
    let text = with_codes(&text, loggers).unwrap_or(text);
    let text = with_names(&text, loggers).unwrap_or(text);
    let keywords = Keywords::of(&text);
    let asked_tool = question::tool_asked_for(&keywords);
    let coverage = match asked_tool {
        Some((_, phrase)) => coverage::of(&without(message, phrase), loggers),
        None => coverage::of(message, loggers),
    };
    if glossary::is_possible(&coverage) && !glossary::asked_meaning(message).is_empty() {
        return Understanding {
            classification: certain(Flow::FreeChat),
            question: Question::Definition,
            unexplained: Vec::new(),
            is_about_something: true,
        };
    }
    let is_about_something = coverage.concepts + coverage.slots > 0;
    let about_us = question::about_us(&keywords).is_some();
    let answered = about_us || asked_tool.is_some();
    if let Some(kind) = beyond::certainly(&keywords, &coverage).filter(|_| !answered) {
        return refused(kind, coverage.unexplained, true);
    }
    if !about_us && coverage.is_doubtful() {
        let kind = beyond::kind_of(message, &coverage);
        return refused(kind, coverage.unexplained, is_about_something);
    }
    let classification = classify::by_rules(&keywords).unwrap_or(Classification {
        flow: Flow::FreeChat,
        confidence: NO_RULE,
    });
    Understanding {
        classification,
        question: question::by_rules(&keywords, classification.flow),
        unexplained: coverage.unexplained,
        is_about_something,
    }
}

/// The message with a word that the grammar knows in the place of a phrase that asks for a tool.
fn without(message: &str, phrase: &str) -> String {
    normalize(message).replacen(phrase, "energy", 1)
}

fn refused(kind: Beyond, unexplained: Vec<String>, is_about_something: bool) -> Understanding {
    Understanding {
        classification: Classification {
            flow: Flow::FreeChat,
            confidence: DOUBTFUL,
        },
        question: if kind == Beyond::Other && !is_about_something {
            Question::Unknown
        } else {
            Question::Beyond(kind)
        },
        unexplained,
        is_about_something,
    }
}

/// Whether a part of `message` looks like an error code, so that only the list of devices can say
/// which of the two it is.
pub fn may_name_a_device(message: &str) -> bool {
    classify::has_error_code(&tokens(&normalize(message)))
}

/// The text with "dev-001" in the places of devices whose ids look like error codes ("F01").
fn with_codes(text: &str, loggers: &[LoggerSummary]) -> Option<String> {
    if loggers.is_empty() {
        return None;
    }
    let tokens = tokens(text);
    let mut named = String::with_capacity(text.len());
    let mut end = 0;
    for code in classify::error_codes(&tokens) {
        let chain = &tokens[code];
        let (first, last) = (chain.first()?, chain.last()?);
        if is_id(chain, loggers) {
            named.push_str(text.get(end..first.start)?);
            named.push_str("dev-001");
            end = last.end;
        }
    }
    if end == 0 {
        return None;
    }
    named.push_str(text.get(end..)?);
    Some(named)
}

/// The text with "dev-001" and "site" in the places of devices and sites that only the list of
/// devices distinguishes from other words, so that the rules see them like those that they
/// recognize by form.
fn with_names(text: &str, loggers: &[LoggerSummary]) -> Option<String> {
    if loggers.is_empty() || classify::device_hints(&tokens(text)) > 0 {
        return None;
    }
    let mut message = Message::new(text);
    coverage::mask_days(&mut message, &mut 0);
    let places = Finder::new(loggers).places(&mut message);
    if places.is_empty() {
        return None;
    }
    let mut named = String::with_capacity(text.len());
    let mut end = 0;
    for (span, place) in places {
        named.push_str(text.get(end..span.start)?);
        named.push_str(match place {
            Place::Device => "dev-001",
            Place::Site => "site",
        });
        end = span.end;
    }
    named.push_str(text.get(end..)?);
    Some(named)
}
