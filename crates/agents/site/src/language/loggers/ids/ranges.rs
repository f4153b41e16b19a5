//! Devices from one id to another: "LIN-INV-1 to LIN-INV-4", "LIN-INV-1 through 4".

use contracts::tools::LoggerSummary;

use super::{Segments, canonical, end_of, number_of_something};
use crate::language::text::{Kind, Token};

/// Words with which two names are set against one another, so that "to" joins two devices.
const AGAINST: &[&str] = &[
    "compare",
    "comparing",
    "compared",
    "comparison",
    "ratio",
    "relative",
    "relation",
    "close",
    "next",
    "similar",
    "equal",
    "than",
];

/// Whether "to" joins the two ends of a range in this message.
pub(in crate::language::loggers) fn is_range(tokens: &[Token<'_>]) -> bool {
    !tokens.iter().any(|token| AGAINST.contains(&token.text))
}

/// The number of tokens at `at` that join the two ends of a range; zero when none do.
pub(in crate::language::loggers) fn joint(tokens: &[Token<'_>], at: usize) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    match text(at) {
        "through" | "thru" | "until" | "till" => 1,
        "to" if is_range(tokens) => 1,
        "." if text(at + 1) == "." => 2 + usize::from(text(at + 2) == "."),
        _ => 0,
    }
}

/// The devices behind the first one of a range, in the order of their ids, and the index after it.
pub(super) fn behind(
    tokens: &[Token<'_>],
    at: usize,
    first: usize,
    loggers: &[LoggerSummary],
    wanted: &[(usize, String)],
) -> Option<(usize, Vec<usize>)> {
    let joint = joint(tokens, at);
    let start = at + joint;
    if joint == 0 || start >= tokens.len() {
        return None;
    }
    let own = End::of(&loggers[first].logger_id)?;
    let whole = wanted.iter().find_map(|(logger, id)| {
        let end = end_of(tokens, start, id, &loggers[*logger].logger_id)?;
        Some((end, End::of(&loggers[*logger].logger_id)?))
    });
    let (next, last) = match whole {
        Some(found) => found,
        None => (start + 1, own.sibling(tokens, start)?),
    };
    if last.stem != own.stem || last.place <= own.place {
        return None;
    }
    let mut span: Vec<(u32, usize)> = loggers
        .iter()
        .enumerate()
        .filter_map(|(index, one)| {
            let end = End::of(&one.logger_id).filter(|end| end.stem == own.stem)?;
            (end.place > own.place && end.place <= last.place).then_some((end.place, index))
        })
        .collect();
    span.sort_unstable();
    // The last one has to exist.
    let exists = span.last().is_some_and(|(place, _)| *place == last.place);
    exists.then(|| (next, span.into_iter().map(|(_, index)| index).collect()))
}

/// An id as what it shares with others and its place among them, a number or a letter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    stem: String,
    place: u32,
}

impl End {
    fn of(id: &str) -> Option<Self> {
        let mut parts = Segments::of_id(id).0;
        let last = parts.pop()?;
        let digits = last.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let (head, place) = if digits.is_empty() {
            let mut letters = last.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => ("", u32::from(letter)),
                _ => return None,
            }
        } else {
            (&last[..last.len() - digits.len()], digits.parse().ok()?)
        };
        parts.push(head.to_owned());
        Some(Self {
            stem: parts.join("-"),
            place,
        })
    }

    /// The end of another id at a token that says its last part alone: "LIN-INV-1 to 4".
    fn sibling(&self, tokens: &[Token<'_>], at: usize) -> Option<Self> {
        let token = tokens.get(at)?;
        let dated = tokens
            .get(at + 1)
            .is_some_and(|next| crate::language::dates::month(next.text).is_some());
        if token.kind != Kind::Number || dated || number_of_something(tokens, at) {
            return None;
        }
        Some(Self {
            stem: self.stem.clone(),
            place: canonical(token).parse().ok()?,
        })
    }
}
