//! Ids in any spelling: `GW-INV-001`, `gw inv 1`, `gwinv001`.

pub(super) mod ranges;

use contracts::tools::LoggerSummary;

use crate::language::text::{Kind, Message, Token, normalize, tokens};

/// A whole id in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundId {
    pub(super) at: usize,
    pub(super) len: usize,
    pub(super) phrase: String,
    /// The device that is spelt so; several where ids are equal but for zeros and separators.
    pub(super) loggers: Vec<usize>,
}

/// An id cut at its dashes, each part without them and without leading zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segments(pub(super) Vec<String>);

impl Segments {
    pub(super) fn of_id(id: &str) -> Self {
        let text = normalize(id);
        Self::of(&tokens(&text))
    }

    pub(super) fn of(tokens: &[Token<'_>]) -> Self {
        let mut segments: Vec<String> = Vec::new();
        for token in tokens {
            if token.kind == Kind::Mark {
                continue;
            }
            let touches = token.glued && token.start > 0 && segments.last().is_some();
            let after_mark = tokens
                .iter()
                .any(|mark| mark.kind == Kind::Mark && mark.end == token.start);
            let text = canonical(token);
            match segments.last_mut().filter(|_| touches && !after_mark) {
                Some(last) => last.push_str(text),
                None => segments.push(text.to_owned()),
            }
        }
        Self(segments)
    }

    /// All of it as one word.
    pub(super) fn joined(&self) -> String {
        self.0.concat()
    }

    /// Whether `part` is a run of whole segments.
    pub(super) fn contains(&self, part: &str) -> bool {
        (0..self.0.len())
            .any(|start| (start + 1..=self.0.len()).any(|end| self.0[start..end].concat() == part))
    }

    /// The number at the end, if there is one.
    pub(super) fn last_number(&self) -> Option<&str> {
        let last = self.0.last()?;
        let digits = last.trim_start_matches(|c: char| !c.is_ascii_digit());
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
    }
}

/// A token's text; a number without leading zeros.
pub(super) fn canonical<'t>(token: &Token<'t>) -> &'t str {
    match token.kind {
        Kind::Number => {
            let short = token.text.trim_start_matches('0');
            if short.is_empty() { "0" } else { short }
        }
        _ => token.text,
    }
}

/// Shorter ids are too much like other words.
const SHORTEST: usize = 3;

/// Whether `chain` spells the id of one of the `loggers`.
pub(in crate::language) fn is_id(chain: &[Token<'_>], loggers: &[LoggerSummary]) -> bool {
    let spelt = Segments::of(chain).joined();
    loggers
        .iter()
        .any(|one| Segments::of_id(&one.logger_id).joined() == spelt)
}

/// The whole ids in `message`, the longest at each place. Ids of digits alone are left to the
/// looser search.
pub(super) fn find(message: &Message<'_>, loggers: &[LoggerSummary]) -> Vec<FoundId> {
    let tokens = message.tokens();
    let mut wanted: Vec<(usize, String)> = loggers
        .iter()
        .enumerate()
        .map(|(index, one)| (index, Segments::of_id(&one.logger_id).joined()))
        .collect();
    wanted.retain(|(logger, id)| {
        id.len().max(loggers[*logger].logger_id.len()) >= SHORTEST
            && id.chars().any(char::is_alphabetic)
    });
    wanted.sort_by_key(|(_, id)| std::cmp::Reverse(id.len()));
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let spelt = |(logger, id): &(usize, String)| {
            let written = &loggers[*logger].logger_id;
            let end = end_of(&tokens, at, id, written)?;
            // "F01" is that device; "Q1" is not the device "Q01".
            let typed = message.text().get(tokens[at].start..tokens[end - 1].end);
            let spelt = id.len() >= SHORTEST || typed == Some(normalize(written).as_str());
            spelt.then_some((*logger, end))
        };
        let hit = wanted
            .iter()
            .filter(|_| starts(&tokens, at))
            .find_map(|one| Some((&one.1, spelt(one)?.1)));
        let Some((id, end)) = hit else {
            at += 1;
            continue;
        };
        let same = wanted.iter().filter(|(_, other)| other == id);
        let same = same.filter_map(spelt).filter(|(_, stop)| *stop == end);
        let typed = &message.text()[tokens[at].start..tokens[end - 1].end];
        let meant = exact(same.map(|(logger, _)| logger).collect(), typed, loggers);
        let logger = meant[0];
        let place = |from: usize, to: usize, loggers: Vec<usize>| {
            let (start, stop) = (tokens[from].start, tokens[to - 1].end);
            FoundId {
                at: start,
                len: stop - start,
                phrase: message.words_of(start..stop).to_owned(),
                loggers,
            }
        };
        found.push(place(at, end, meant));
        at = end;
        if let Some((next, span)) = ranges::behind(&tokens, at, logger, loggers, &wanted) {
            found.extend(span.into_iter().map(|one| place(at, next, vec![one])));
            at = next;
        }
        // "LIN-INV-1, 2 and 4": the ids that differ in their last part alone.
        while let Some((ending, siblings)) =
            siblings(message, &tokens, at, &loggers[logger].logger_id, loggers)
        {
            found.push(place(ending, ending + 1, siblings));
            at = ending + 1;
        }
    }
    found
}

/// Of devices whose ids are equal but for zeros and separators, the one whose id is `typed` as it
/// stands; all of them if there is none.
pub(super) fn exact(same: Vec<usize>, typed: &str, loggers: &[LoggerSummary]) -> Vec<usize> {
    let typed = typed.strip_suffix("'s").unwrap_or(typed);
    let is_typed = |logger: &usize| normalize(&loggers[*logger].logger_id) == typed;
    match same.iter().copied().find(is_typed) {
        Some(one) => vec![one],
        None => same,
    }
}

/// The last part of another id behind "and" or a comma, and its device; several where their ids
/// are equal but for zeros and separators.
fn siblings(
    message: &Message<'_>,
    tokens: &[Token<'_>],
    at: usize,
    id: &str,
    loggers: &[LoggerSummary],
) -> Option<(usize, Vec<usize>)> {
    let is = |at: usize, words: &[&str]| {
        tokens
            .get(at)
            .is_some_and(|token| words.contains(&token.text))
    };
    let mut ending = at;
    while is(
        ending,
        &[
            ",", "&", "+", "/", "and", "or", "vs", "versus", "with", "to",
        ],
    ) {
        ending += 1;
    }
    let joined = ending > at && ending <= at + 2 && !is(at, &["to"]);
    let token = tokens.get(ending).filter(|_| joined)?;
    // "LTI-1, 2 November" is a day, "LTI-1 and 2 November" are two devices.
    let dated = is(ending - 1, &[","])
        && tokens
            .get(ending + 1)
            .is_some_and(|next| crate::language::dates::month(next.text).is_some());
    if token.kind == Kind::Mark || dated || number_of_something(tokens, ending) {
        return None;
    }
    // A word is the end of an id where it is written in capitals, a letter anyway: "MESA-A and B".
    let written = message.words_of(token.start..token.end);
    let lower = written.chars().any(char::is_lowercase);
    if token.kind == Kind::Word && lower && (token.text.len() > 1 || token.is("a")) {
        return None;
    }
    let own = Segments::of_id(id).0;
    let (_, stem) = own.split_last()?;
    let wanted = |other: &LoggerSummary| {
        let parts = Segments::of_id(&other.logger_id).0;
        parts
            .split_last()
            .is_some_and(|(last, other)| other == stem && last == canonical(token))
    };
    let found: Vec<usize> = (0..loggers.len())
        .filter(|at| wanted(&loggers[*at]))
        .collect();
    if stem.is_empty() || found.is_empty() {
        return None;
    }
    let id = normalize(id);
    let last = crate::language::text::tokens(&id).last()?.start;
    let typed = format!("{}{}", &id[..last], token.text);
    Some((ending, exact(found, &typed, loggers)))
}

/// Whether a number is one of days, of a date, or of a unit: "and 3 November", "and 2 days".
fn number_of_something(tokens: &[Token<'_>], at: usize) -> bool {
    const UNITS: &[&str] = &[
        "%", "days", "day", "weeks", "week", "months", "hours", "years", "kwh", "kw", "kwp", "ct",
        "cents", "of", "st", "nd", "rd", "th", "am", "pm", ":",
    ];
    tokens.get(at + 1).is_some_and(|next| {
        UNITS.contains(&next.text)
            || next.glued
                && next.kind == Kind::Mark
                && tokens
                    .get(at + 2)
                    .is_some_and(|after| after.glued && after.kind == Kind::Number)
    })
}

/// Whether a name may begin here: not in the middle of one.
fn starts(tokens: &[Token<'_>], at: usize) -> bool {
    let token = &tokens[at];
    if token.kind == Kind::Mark || token.glued && at > 0 && tokens[at - 1].kind != Kind::Mark {
        return false;
    }
    // A dash that touches both sides joins.
    !(at > 1
        && token.glued
        && joins(&tokens[at - 1])
        && tokens[at - 1].glued
        && tokens[at - 2].kind != Kind::Mark)
}

fn joins(token: &Token<'_>) -> bool {
    token.kind == Kind::Mark && matches!(token.text, "-" | "_")
}

/// The index after the tokens from `at` on that spell `id`.
fn end_of(tokens: &[Token<'_>], at: usize, id: &str, written: &str) -> Option<usize> {
    let mut rest = id;
    let mut index = at;
    let mut spaced = false;
    while !rest.is_empty() {
        let token = tokens.get(index)?;
        if token.kind == Kind::Mark {
            // One mark between two parts, as in "GW-INV/001" or "GW_INV".
            if index == at
                || tokens[index - 1].kind == Kind::Mark
                || !matches!(token.text, "-" | "_" | "." | "/" | "#" | ":" | " ")
            {
                return None;
            }
            index += 1;
            continue;
        }
        spaced |= index > at && !token.glued;
        let part = canonical(token);
        // "MESA-A's": the last part, with a genitive.
        rest = match rest.strip_prefix(part) {
            Some(rest) => rest,
            None if part.strip_suffix("'s") == Some(rest) => "",
            None => return None,
        };
        index += 1;
    }
    let whole = tokens.get(index).is_none_or(|next| {
        !next.glued
            || next.kind == Kind::Mark
                && !(joins(next)
                    && tokens
                        .get(index + 1)
                        .is_some_and(|after| after.glued && after.kind != Kind::Mark))
    });
    // Spelt with spaces, a name of one word and a number could be ordinary language ("in 1"); an id
    // in one piece is not cut.
    let parts = written.chars().any(|c| !c.is_alphanumeric());
    (whole && (!spaced || parts && !super::scan::is_ordinary(tokens[at].text))).then_some(index)
}
