//! Chooses the index that a request is about.

use std::ops::Range;

use contracts::tools::meanings::{FieldMappingArguments, TermRole};
use contracts::tools::search::{FieldType, IndexDescription};

use super::lexicon::{Lexicon, content_stems};
use super::of_entities::has_field_for;
use crate::text::{Gap, Token, key, tokens};

/// Words before a noun that is not the subject of the request: `by vessel`, `to the port`.
const BEFORE_OTHERS: &[&str] = &[
    "aboard", "across", "along", "among", "around", "at", "between", "by", "each", "every", "for",
    "from", "in", "inside", "into", "near", "of", "on", "onto", "out", "over", "per", "through",
    "to", "toward", "towards", "under", "via", "with", "within",
];
/// Words after which `of` still introduces the subject: `the number of shipments`.
const MEASURES: &[&str] = &[
    "amount",
    "average",
    "count",
    "list",
    "lot",
    "mean",
    "median",
    "most",
    "number",
    "percentage",
    "share",
    "sum",
    "table",
    "total",
];

/// The place of the index that the request is about: the named index, otherwise the index whose
/// records the request mentions first, otherwise the index that fits the terms best.
pub fn choose_index(
    arguments: &FieldMappingArguments,
    indices: &[IndexDescription],
) -> Option<usize> {
    if let Some(wanted) = &arguments.index {
        return indices.iter().position(|index| index.name == *wanted);
    }
    let nouns = nouns(arguments, indices);
    if let Some(noun) = nouns.iter().find(|noun| noun.asked_for) {
        return Some(noun.index);
    }
    let mentioned = |at: usize| nouns.iter().any(|noun| noun.index == at);
    // With equal scores, the first index is chosen.
    let mut best: Option<(f64, usize)> = None;
    for (at, index) in indices.iter().enumerate() {
        let fit = fit(arguments, index) + if mentioned(at) { 0.5 } else { 0.0 };
        if best.is_none_or(|(before, _)| fit > before) {
            best = Some((fit, at));
        }
    }
    best.map(|(_, at)| at)
}

/// A noun in the request that names the records of an index.
struct Noun {
    index: usize,
    asked_for: bool,
}

/// The nouns for records in the order of the request, without those in the names of things.
fn nouns(arguments: &FieldMappingArguments, indices: &[IndexDescription]) -> Vec<Noun> {
    let tokens = tokens(&arguments.text);
    let mut named = named(arguments, &tokens);
    named.extend(values(indices, &tokens));
    let mut nouns = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let found = (1..=3).rev().find_map(|length| {
            let words = tokens.get(at..at + length)?;
            let told: Vec<&str> = words.iter().map(|token| token.canonical.as_str()).collect();
            let told = told.join(" ");
            let is = |index: &IndexDescription| {
                index
                    .nouns
                    .iter()
                    .chain([&index.name])
                    .any(|noun| key(noun) == told)
            };
            Some((indices.iter().position(is)?, at..at + length))
        });
        match found {
            Some((index, words))
                if !named.iter().any(|taken| taken.contains(&words.start))
                    && !is_verb(&tokens, words.start) =>
            {
                let followed = indices.iter().any(|other| {
                    let next = tokens
                        .get(words.end)
                        .filter(|token| token.gap == Gap::Joined);
                    next.is_some_and(|next| {
                        other.nouns.iter().any(|noun| key(noun) == next.canonical)
                    })
                });
                nouns.push(Noun {
                    index,
                    asked_for: !followed && is_asked_for(&tokens, &named, words.start),
                });
                at = words.end;
            }
            _ => at += 1,
        }
    }
    nouns
}

/// Whether a noun is the subject of the request. It is not if it says where, by what or whose.
fn is_asked_for(tokens: &[Token], named: &[Range<usize>], at: usize) -> bool {
    for before in (0..at).rev() {
        let word = tokens[before].folded.as_str();
        if tokens[before + 1].gap == Gap::Broken
            || named.iter().any(|taken| taken.contains(&before))
        {
            return true;
        }
        if BEFORE_OTHERS.binary_search(&word).is_ok() {
            let measured = before
                .checked_sub(1)
                .is_some_and(|at| MEASURES.binary_search(&tokens[at].folded.as_str()).is_ok());
            return word == "of" && measured;
        }
        if !matches!(
            word,
            "the"
                | "a"
                | "an"
                | "all"
                | "any"
                | "my"
                | "our"
                | "these"
                | "this"
                | "that"
                | "those"
                | "which"
        ) {
            return true;
        }
    }
    true
}

/// Whether a noun for records is used as a verb, as in "did they ship".
fn is_verb(tokens: &[Token], at: usize) -> bool {
    let subject = at
        .checked_sub(1)
        .map(|before| tokens[before].folded.as_str());
    tokens[at].folded == "ship"
        && matches!(subject, Some("we" | "they" | "you" | "i" | "to" | "will"))
}

/// The ranges of values with several words: `Nordhavn Container` is a carrier, not a container.
fn values(indices: &[IndexDescription], tokens: &[Token]) -> Vec<Range<usize>> {
    let fields = indices.iter().flat_map(|index| &index.fields);
    let mut places = Vec::new();
    for value in fields.flat_map(|field| &field.values) {
        let wanted: Vec<String> = crate::text::tokens(value)
            .into_iter()
            .map(|token| token.canonical)
            .collect();
        if wanted.len() < 2 {
            continue;
        }
        for (at, window) in tokens.windows(wanted.len()).enumerate() {
            if window.iter().map(|token| &token.canonical).eq(&wanted) {
                places.push(at..at + wanted.len());
            }
        }
    }
    places
}

/// The ranges of the things that the request names.
fn named(arguments: &FieldMappingArguments, tokens: &[Token]) -> Vec<Range<usize>> {
    let place = |words: &str| {
        let wanted: Vec<String> = crate::text::tokens(words)
            .into_iter()
            .map(|token| token.canonical)
            .collect();
        let mut windows = tokens.windows(wanted.len().max(1));
        let at =
            windows.position(|window| window.iter().map(|token| &token.canonical).eq(&wanted))?;
        Some(at..at + wanted.len())
    };
    let entities = arguments.entities.iter();
    entities
        .filter_map(|entity| place(&entity.mention).or_else(|| place(&entity.name)))
        .collect()
}

/// The share of the terms and entities that fit the index.
fn fit(arguments: &FieldMappingArguments, index: &IndexDescription) -> f64 {
    let lexicon = Lexicon::of(&index.fields);
    let terms = arguments.terms.iter().map(|term| {
        let words = content_stems(&term.text);
        let fitting = lexicon
            .iter()
            .filter(|known| term.role != TermRole::Measure || known.field.field_type.is_number());
        let field = fitting.map(|known| known.score(&words)).fold(0.0, f64::max);
        // "Coffee or furniture" are two values.
        let lower = term
            .text
            .to_lowercase()
            .replace(',', " or ")
            .replace(" and ", " or ");
        let mut parts = lower.split(" or ").map(key).filter(|part| !part.is_empty());
        let values = || index.fields.iter().flat_map(|field| &field.values);
        let value = values().any(|value| key(value) == key(&term.text))
            || lower.contains(" or ") && parts.all(|part| values().any(|value| key(value) == part));
        if value { 1.0 } else { field }
    });
    let entities = arguments.entities.iter().map(|entity| {
        let own = index.name == entity.index;
        if own {
            0.6
        } else if has_field_for(index, &entity.entity_type) {
            0.5
        } else {
            0.0
        }
    });
    let dates = index
        .fields
        .iter()
        .any(|field| field.field_type == FieldType::Date);
    let time = if arguments.time_words.is_some() && dates {
        0.5
    } else {
        0.0
    };
    terms.sum::<f64>() + entities.sum::<f64>() + time
}
