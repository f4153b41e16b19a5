//! Finds words that are written like a name but are unknown: misspellings, ids, things that do not
//! exist.

use std::ops::Range;

use super::{Kind, Scanner, Span, overlap};
use crate::text::{Case, Gap, Token};
use crate::words::is_link;

/// Minimum similarity to a known name for capitalized words that do not follow a cue.
const LIKE: f64 = 0.6;
/// Minimum similarity to a known name for lower-case words after a cue.
const VERY_LIKE: f64 = 0.75;
/// Maximum number of words of a misspelt name in lower case.
const LONGEST: usize = 3;

/// Adds the mentions among the words without a role.
pub(super) fn take(scanner: &Scanner<'_>, taken: &mut Vec<Span>) {
    let mut at = 0;
    while at < scanner.tokens.len() {
        let words = [quoted, code, capitals, small]
            .iter()
            .find_map(|kind| kind(scanner, taken, at))
            .filter(|words| taken.iter().all(|span| !overlap(words, &span.words)));
        at = words.as_ref().map_or(at + 1, |words| words.end);
        taken.extend(words.map(|words| Span {
            words,
            kind: Kind::Unknown,
        }));
    }
}

/// A text between quotation marks.
fn quoted(scanner: &Scanner<'_>, taken: &[Span], at: usize) -> Option<Range<usize>> {
    let quote = scanner.tokens[at].quote?;
    let rest = scanner.tokens[at..].iter();
    let end = at + rest.take_while(|token| token.quote == Some(quote)).count();
    let words = at..end;
    let first = at == 0 || scanner.tokens[at - 1].quote != Some(quote);
    let tells = scanner.tokens[words.clone()]
        .iter()
        .any(|token| !is_link(&token.folded) && !scanner.is_noun(token));
    let free = taken.iter().all(|span| !overlap(&words, &span.words));
    (first && tells && free && words.len() <= super::LONGEST).then_some(words)
}

/// `SHP-10001`, `MSCU1234565`: letters followed by digits, without a space.
fn code(scanner: &Scanner<'_>, _: &[Span], at: usize) -> Option<Range<usize>> {
    let tokens = scanner.tokens;
    let joined = |next: usize| {
        let between = &scanner.text[tokens[next - 1].end..tokens[next].start];
        tokens[next].gap == Gap::Joined && matches!(between, "-" | "_" | "/" | ".")
    };
    if !tokens[at]
        .folded
        .starts_with(|c: char| c.is_ascii_alphabetic())
        || (at > 0 && joined(at))
    {
        return None;
    }
    let mut end = at + 1;
    while end < tokens.len() && joined(end) {
        end += 1;
    }
    let raw = scanner.raw(&(at..end));
    let digits = raw.chars().filter(char::is_ascii_digit).count();
    // `RIVAL-1` is a code, `top-5` is not.
    let marked = digits == 1 && end > at + 1 && tokens[at].case == Case::Upper;
    (raw.len() >= 5 && (digits >= 2 || marked)).then_some(at..end)
}

/// A run of capitalized words.
fn capitals(scanner: &Scanner<'_>, taken: &[Span], at: usize) -> Option<Range<usize>> {
    if scanner.all_upper() {
        return None;
    }
    let free = |at: usize| taken.iter().all(|span| !span.words.contains(&at));
    let capital = |token: &Token| matches!(token.case, Case::Capitalised | Case::Upper);
    // A common word starts a sentence, not a name.
    let begins = |at: usize| {
        capital(&scanner.tokens[at]) && free(at) && !scanner.is_plain(&scanner.tokens[at])
    };
    if !begins(at) {
        return None;
    }
    let mut end = at + 1;
    let mut next = end;
    while next < scanner.tokens.len() && free(next) && scanner.tokens[next].gap == Gap::Joined {
        let token = &scanner.tokens[next];
        if !capital(token) && !is_link(&token.folded) && token.case != Case::Number {
            break;
        }
        next += 1;
        if capital(token) && !scanner.is_plain(token) {
            end = next;
        }
    }
    let words = at..end;
    let tells = scanner.tokens[words.clone()]
        .iter()
        .any(|token| !is_link(&token.folded) && !scanner.is_noun(token));
    (tells && (scanner.follows_cue(at, taken) || scanner.likeness(&words) >= LIKE)).then_some(words)
}

/// Misspelt words in lower case, where a name is expected.
fn small(scanner: &Scanner<'_>, taken: &[Span], at: usize) -> Option<Range<usize>> {
    if !scanner.follows_cue(at, taken) {
        return None;
    }
    let strange = |at: usize| {
        let token = &scanner.tokens[at];
        token.folded.chars().count() >= 4
            && !scanner.is_plain(token)
            && !scanner.is_noun(token)
            && token.case != Case::Number
    };
    let mut best: Option<(f64, Range<usize>)> = None;
    for end in at + 1..=(at + LONGEST).min(scanner.tokens.len()) {
        let words = at..end;
        if end > at + 1 && !scanner.goes_on(end - 1) {
            break;
        }
        if !words.clone().any(strange) || is_link(&scanner.tokens[end - 1].folded) {
            continue;
        }
        let likeness = scanner.likeness(&words);
        if likeness >= VERY_LIKE && best.as_ref().is_none_or(|(before, _)| likeness > *before) {
            best = Some((likeness, words));
        }
    }
    best.map(|(_, words)| words)
}
