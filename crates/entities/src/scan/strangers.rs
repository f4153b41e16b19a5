//! Words that are written like a name and are none that is known: misspelt ones, ids, things that do not exist.

use std::ops::Range;

use super::{Kind, Scene, Span, overlap};
use crate::text::{Case, Gap, Token};
use crate::words::is_link;

/// Words in capitals that are no name are taken for one when they are so much like one, or follow a word that names follow.
const LIKE: f64 = 0.6;
/// Words in small letters that follow such a word are taken for a name when they are so much like one.
const VERY_LIKE: f64 = 0.75;
/// The longest misspelt name that is looked for in small letters.
const LONGEST: usize = 3;

/// Takes the mentions among the words that are not understood.
pub(super) fn take(scene: &Scene<'_>, taken: &mut Vec<Span>) {
    let mut at = 0;
    while at < scene.tokens.len() {
        let words = [quoted, code, capitals, small]
            .iter()
            .find_map(|kind| kind(scene, taken, at))
            .filter(|words| taken.iter().all(|span| !overlap(words, &span.words)));
        at = words.as_ref().map_or(at + 1, |words| words.end);
        taken.extend(words.map(|words| Span {
            words,
            kind: Kind::Stranger,
        }));
    }
}

/// What stands between quotation marks.
fn quoted(scene: &Scene<'_>, taken: &[Span], at: usize) -> Option<Range<usize>> {
    let quote = scene.tokens[at].quote?;
    let rest = scene.tokens[at..].iter();
    let end = at + rest.take_while(|token| token.quote == Some(quote)).count();
    let words = at..end;
    let first = at == 0 || scene.tokens[at - 1].quote != Some(quote);
    let tells = scene.tokens[words.clone()]
        .iter()
        .any(|token| !is_link(&token.folded) && !scene.is_noun(token));
    let free = taken.iter().all(|span| !overlap(&words, &span.words));
    (first && tells && free && words.len() <= super::LONGEST).then_some(words)
}

/// `SHP-10001`, `MSCU1234565`: letters and then digits, written together.
fn code(scene: &Scene<'_>, _: &[Span], at: usize) -> Option<Range<usize>> {
    let tokens = scene.tokens;
    let joined = |next: usize| {
        let between = &scene.text[tokens[next - 1].end..tokens[next].start];
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
    let raw = scene.raw(&(at..end));
    let digits = raw.chars().filter(char::is_ascii_digit).count();
    // `RIVAL-1` is one, `top-5` is none.
    let marked = digits == 1 && end > at + 1 && tokens[at].case == Case::Upper;
    (raw.len() >= 5 && (digits >= 2 || marked)).then_some(at..end)
}

/// A run of words that are written as names are.
fn capitals(scene: &Scene<'_>, taken: &[Span], at: usize) -> Option<Range<usize>> {
    if scene.all_upper() {
        return None;
    }
    let free = |at: usize| taken.iter().all(|span| !span.words.contains(&at));
    let capital = |token: &Token| matches!(token.case, Case::Capitalised | Case::Upper);
    // A word that everybody uses begins a sentence, not a name.
    let begins =
        |at: usize| capital(&scene.tokens[at]) && free(at) && !scene.is_plain(&scene.tokens[at]);
    if !begins(at) {
        return None;
    }
    let mut end = at + 1;
    let mut next = end;
    while next < scene.tokens.len() && free(next) && scene.tokens[next].gap == Gap::Joined {
        let token = &scene.tokens[next];
        if !capital(token) && !is_link(&token.folded) && token.case != Case::Number {
            break;
        }
        next += 1;
        if capital(token) && !scene.is_plain(token) {
            end = next;
        }
    }
    let words = at..end;
    let tells = scene.tokens[words.clone()]
        .iter()
        .any(|token| !is_link(&token.folded) && !scene.is_noun(token));
    (tells && (scene.follows_cue(at, taken) || scene.likeness(&words) >= LIKE)).then_some(words)
}

/// Misspelt words in small letters, where a name is expected.
fn small(scene: &Scene<'_>, taken: &[Span], at: usize) -> Option<Range<usize>> {
    if !scene.follows_cue(at, taken) {
        return None;
    }
    let strange = |at: usize| {
        let token = &scene.tokens[at];
        token.folded.chars().count() >= 4
            && !scene.is_plain(token)
            && !scene.is_noun(token)
            && token.case != Case::Number
    };
    let mut best: Option<(f64, Range<usize>)> = None;
    for end in at + 1..=(at + LONGEST).min(scene.tokens.len()) {
        let words = at..end;
        if end > at + 1 && !scene.goes_on(end - 1) {
            break;
        }
        if !words.clone().any(strange) || is_link(&scene.tokens[end - 1].folded) {
            continue;
        }
        let likeness = scene.likeness(&words);
        if likeness >= VERY_LIKE && best.as_ref().is_none_or(|(before, _)| likeness > *before) {
            best = Some((likeness, words));
        }
    }
    best.map(|(_, words)| words)
}
