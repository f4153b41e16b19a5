//! Two questions in one message: "how much did I save, and is everything ok?", "energy and PR of
//! LTI". They are answered one after the other.

use contracts::tools::LoggerSummary;

use super::keywords::Keywords;
use super::text::{Kind, normalize, tokens};
use super::{Flow, Question, understand};

/// Words that a question or an order begins with.
const STARTS: &[&str] = &[
    "is", "are", "was", "were", "did", "does", "do", "has", "have", "what", "whats", "what's",
    "which", "who", "how", "how's", "when", "why", "show", "tell", "check", "compare", "forecast",
    "give",
];

/// Figures that are asked for by name, each with the report that has it.
const FIGURES: &[(&[&str], u8)] = &[
    (&["energy"], 1),
    (&["production"], 1),
    (&["kwh"], 1),
    (&["savings"], 1),
    (&["co2"], 1),
    (&["revenue"], 1),
    (&["pr"], 2),
    (&["performance", "ratio"], 2),
    (&["availability"], 3),
    (&["health"], 3),
    (&["outages"], 3),
    (&["forecast"], 4),
    (&["error", "codes"], 5),
    (&["power", "curve"], 6),
];

/// Most characters of a message that is read for two questions.
const LONGEST: usize = 400;

/// The questions of a message that has two; empty when it has one.
pub(super) fn questions(message: &str, loggers: &[LoggerSummary]) -> Vec<String> {
    if message.len() > LONGEST {
        return Vec::new();
    }
    let split = clauses(message)
        .or_else(|| figures(message))
        .unwrap_or_default();
    let understood: Vec<Question> = split
        .iter()
        .map(|part| understand(part, loggers))
        .filter(|read| read.classification.flow != Flow::Greeting)
        .map(|read| read.question)
        .filter(|question| answers(*question))
        .collect();
    match understood.as_slice() {
        [one, other] if one != other => split,
        _ => Vec::new(),
    }
}

fn answers(question: Question) -> bool {
    !matches!(
        question,
        Question::Beyond(_) | Question::Unknown | Question::Thanks | Question::Help
    )
}

/// "How much did I save and is everything ok?", "is LTI ok? what did it save?".
fn clauses(message: &str) -> Option<Vec<String>> {
    let text = normalize(message);
    if text.len() != message.len() {
        return None;
    }
    let tokens = tokens(&text);
    (2..tokens.len()).find_map(|at| {
        let end = matches!(tokens[at - 1].text, "and" | "?" | ";" | "." | "then");
        let starts = STARTS.contains(&tokens[at].text);
        let behind = tokens[at..].iter().filter(|token| token.kind == Kind::Word);
        if !end || !starts || behind.count() < 3 {
            return None;
        }
        let one = message
            .get(..tokens[at - 1].start)?
            .trim_end_matches([',', ' ']);
        let other = message.get(tokens[at].start..)?.trim();
        (!one.trim().is_empty()).then(|| vec![one.trim().to_owned(), other.to_owned()])
    })
}

/// "Energy and PR of LTI in October": the same words with one of the two figures each.
fn figures(message: &str) -> Option<Vec<String>> {
    let text = normalize(message);
    if text.len() != message.len() || Keywords::of(&text).has(super::keywords::Concept::Compare) {
        return None;
    }
    let tokens = tokens(&text);
    let figure = |at: usize| {
        FIGURES.iter().find(|(words, _)| {
            words
                .iter()
                .enumerate()
                .all(|(offset, word)| tokens.get(at + offset).is_some_and(|token| token.is(word)))
        })
    };
    (0..tokens.len()).find_map(|at| {
        let (first, report) = figure(at)?;
        let and = at + first.len();
        if !tokens.get(and).is_some_and(|token| token.is("and")) {
            return None;
        }
        let the = usize::from(tokens.get(and + 1).is_some_and(|token| token.is("the")));
        let (second, other) = figure(and + 1 + the)?;
        let end = and + the + second.len();
        if report == other {
            return None;
        }
        let without = |from: usize, to: usize| {
            let (head, tail) = (message.get(..from)?, message.get(to..)?);
            let joined = format!("{} {}", head.trim_end(), tail.trim_start());
            Some(joined.trim().to_owned())
        };
        Some(vec![
            without(tokens[and].start, tokens[end].end)?,
            without(tokens[at].start, tokens[and].end)?,
        ])
    })
}
