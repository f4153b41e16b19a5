//! Values that a model quotes as it got them, without their ids.
//!
//! A value that is written as the facts have it, with its unit, is that of a fact if the sentence
//! holds with its id. So such a sentence says what a fact says, or is left out.

use super::{
    Fact, FactRegistry, Kind,
    tokens::{self, Token},
};

/// Readings of one sentence that are tried.
const READINGS: usize = 24;

/// Values of one sentence that may be quoted.
const VALUES: usize = 4;

/// The sentence with ids in place of the values that it quotes, in each way that there is. Nothing
/// where a figure of it is that of no fact.
pub(super) fn readings(sentence: &str, registry: &FactRegistry) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut values = 0;
    let mut last = 0;
    for one in tokens::tokens(sentence, registry) {
        let Token::Word(word) = &one.token else {
            continue;
        };
        let start = one.span.start;
        let is_figure = word.starts_with(char::is_numeric);
        // It belongs to the value before it, or begins none.
        if start < last || !is_figure && !sentence[start..].starts_with(char::is_uppercase) {
            continue;
        }
        let before = sentence[..start].chars().next_back();
        let (length, ids) = quoted(&sentence[start..], before, registry);
        if ids.is_empty() {
            if is_figure {
                return Vec::new();
            }
            continue;
        }
        values += 1;
        let between = &sentence[last..start];
        let each = all.iter().flat_map(|one| {
            let written = ids.iter();
            written.map(move |id| format!("{one}{between}[[{id}]]"))
        });
        all = each.take(READINGS).collect();
        last = start + length;
    }
    for one in &mut all {
        one.push_str(&sentence[last..]);
    }
    if (1..=VALUES).contains(&values) {
        all
    } else {
        Vec::new()
    }
}

/// The length of the value at the beginning of a text, and the ids of the facts that have it.
fn quoted(text: &str, before: Option<char>, registry: &FactRegistry) -> (usize, Vec<String>) {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '-' | '\u{2212}');
    if before.is_some_and(joins) {
        return (0, Vec::new());
    }
    let is_quoted = |fact: &&Fact| {
        let has_figure = fact.text.chars().any(|c| c.is_ascii_digit());
        let value = !matches!(
            fact.kind,
            Kind::Word | Kind::Extreme { .. } | Kind::Place(_) | Kind::Trend(_)
        );
        has_figure && value && text.starts_with(&fact.text) && ends(&text[fact.text.len()..])
    };
    let longest = registry.facts.iter().filter(is_quoted);
    let Some(length) = longest.map(|fact| fact.text.len()).max() else {
        return (0, Vec::new());
    };
    let same = registry.facts.iter().filter(is_quoted);
    let same = same.filter(|fact| fact.text.len() == length);
    (length, same.map(|fact| fact.id.to_string()).collect())
}

/// Whether a value ends before this text: no digit, letter or sign of a unit follows.
fn ends(behind: &str) -> bool {
    let mut chars = behind.chars();
    match chars.next() {
        None => true,
        Some('.' | ',' | '-' | ':') => !chars.next().is_some_and(|c| c.is_ascii_digit()),
        Some(' ') => !behind.trim_start().starts_with(['%', '\u{b0}']),
        Some(c) => !c.is_alphanumeric() && !matches!(c, '%' | '\u{b2}' | '\u{b0}' | '/'),
    }
}
