//! The words of each field, and how well other words match them.

use contracts::tools::search::FieldDescription;
use strsim::normalized_damerau_levenshtein;

use crate::text::{pieces, stem, stems};

/// Stems that do not distinguish fields.
const GENERIC: &[&str] = &[
    "a",
    "an",
    "and",
    "at",
    "by",
    "count",
    "dat",
    "day",
    "field",
    "ft",
    "h",
    "has",
    "hour",
    "id",
    "in",
    "is",
    "kg",
    "name",
    "number",
    "of",
    "on",
    "pct",
    "per",
    "percent",
    "teu",
    "that",
    "the",
    "tim",
    "timestamp",
    "total",
    "unit",
    "usd",
    "with",
];
/// The score of words that differ only in their ending or a letter.
const NEARLY: f64 = 0.8;

/// The fields of an index with their words.
pub(super) struct Lexicon<'a> {
    fields: Vec<FieldWords<'a>>,
}

/// A field with the words that name it.
pub(super) struct FieldWords<'a> {
    pub(super) field: &'a FieldDescription,
    /// The stems of the name and of each synonym.
    pub(super) phrases: Vec<Vec<String>>,
    /// The stems of the description.
    pub(super) description: Vec<String>,
    unit: Option<String>,
}

impl<'a> Lexicon<'a> {
    pub(super) fn of(fields: &'a [FieldDescription]) -> Self {
        let known = |field: &'a FieldDescription| {
            let texts = std::iter::once(&field.name).chain(&field.synonyms);
            let mut phrases: Vec<Vec<String>> = texts.map(|text| stems(text)).collect();
            if let Some((_, member)) = field.name.rsplit_once('.') {
                phrases.push(stems(member));
            }
            phrases.retain(|phrase| !phrase.is_empty());
            FieldWords {
                field,
                phrases,
                description: field.description.as_deref().map(stems).unwrap_or_default(),
                unit: field.unit.as_deref().map(str::to_lowercase),
            }
        };
        Self {
            fields: fields.iter().map(known).collect(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &FieldWords<'a>> {
        self.fields.iter()
    }

    pub(super) fn get(&self, name: &str) -> Option<&FieldWords<'a>> {
        self.fields.iter().find(|known| known.field.name == name)
    }
}

impl FieldWords<'_> {
    /// The score of words for the field, from 0 to 1.
    pub(super) fn score(&self, words: &[String]) -> f64 {
        if words.is_empty() {
            return 0.0;
        }
        let by_name = self.phrases.iter().map(|phrase| likeness(words, phrase));
        let by_name = by_name.fold(0.0, f64::max);
        let told: Vec<&String> = words.iter().filter(|word| !is_generic(word)).collect();
        let described = !told.is_empty() && told.iter().all(|word| self.description.contains(word));
        let unit = self
            .unit
            .as_ref()
            .is_some_and(|unit| matches!(words, [word] if word == unit));
        by_name
            .max(if described { 0.62 } else { 0.0 })
            .max(if unit { 0.7 } else { 0.0 })
    }

    /// Whether the field holds the id of a thing rather than its name.
    pub(super) fn is_id(&self) -> bool {
        pieces(&self.field.name).last().is_some_and(|piece| {
            matches!(
                piece.as_str(),
                "id" | "ids" | "code" | "key" | "uuid" | "guid" | "ref"
            )
        })
    }

    /// The words of the name without those that distinguish an id from a name. Two fields with the
    /// same base are about the same thing.
    pub(super) fn base(&self) -> Vec<String> {
        let mut pieces = pieces(&self.field.name);
        while pieces.len() > 1
            && pieces.last().is_some_and(|piece| {
                matches!(
                    piece.as_str(),
                    "id" | "ids" | "code" | "key" | "uuid" | "guid" | "ref" | "name"
                )
            })
        {
            pieces.pop();
        }
        pieces
    }

    /// Whether one field holds the id and the other the name of the same thing.
    pub(super) fn is_twin(&self, other: &Self) -> bool {
        self.field.entity_type == other.field.entity_type && self.base() == other.base()
    }

    /// Whether the name, a synonym or the description has the word.
    pub(super) fn has(&self, stem: &str) -> bool {
        self.phrases
            .iter()
            .flatten()
            .chain(&self.description)
            .any(|word| word == stem)
    }
}

/// Whether a stem does not distinguish fields.
pub(super) fn is_generic(stem: &str) -> bool {
    GENERIC.binary_search(&stem).is_ok()
}

/// The score of words for a phrase, from 0 to 1.
pub(super) fn likeness(words: &[String], phrase: &[String]) -> f64 {
    if words == phrase {
        return 1.0;
    }
    let mut spelling: f64 = 1.0;
    let mut in_common = |one: &String, others: &[String]| {
        let best = others
            .iter()
            .map(|other| same(one, other))
            .fold(0.0, f64::max);
        if best > 0.0 {
            spelling = spelling.min(best);
        }
        best > 0.0
    };
    let (mut common, mut beside, mut only_generic) = (0, 0, true);
    for (these, those) in [(words, phrase), (phrase, words)] {
        for word in these {
            if in_common(word, those) {
                common += 1;
            } else {
                beside += 1;
                only_generic &= is_generic(word);
            }
        }
    }
    let tells = words
        .iter()
        .any(|word| !is_generic(word) && in_common(word, phrase));
    if common == 0 || (!tells && beside > 0) {
        return 0.0;
    }
    let whole = (words.len() + phrase.len()) as f64;
    let share = f64::from(common) / whole;
    let contained = words.iter().all(|word| in_common(word, phrase))
        || phrase.iter().all(|word| in_common(word, words));
    spelling
        * match (beside, contained) {
            (0, _) => 0.99,
            (_, true) if only_generic => 0.92,
            (_, true) => 0.45 + 0.35 * share,
            _ => 0.6 * share,
        }
}

/// The similarity of two stems: 1 if equal, less for a possible misspelling, otherwise 0.
fn same(one: &str, another: &str) -> f64 {
    if one == another {
        return 1.0;
    }
    let short = one.chars().count().min(another.chars().count());
    if short >= 5 && normalized_damerau_levenshtein(one, another) >= NEARLY {
        0.9
    } else {
        0.0
    }
}

/// The stems of the words in a request that can refer to a field.
pub(super) fn content_stems(text: &str) -> Vec<String> {
    let pieces = pieces(text).into_iter();
    pieces
        .filter(|word| !matches!(word.as_str(), "the" | "a" | "an" | "their" | "its" | "of"))
        .map(|word| stem(&word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order() {
        assert!(GENERIC.is_sorted());
    }

    #[test]
    fn words_fit_by_what_they_tell() {
        let fit = |words: &str, phrase: &str| likeness(&stems(words), &stems(phrase));
        assert!((fit("arrival date", "arrival_date") - 1.0).abs() < 1e-9);
        assert!(fit("delay", "delay_hours") > 0.9);
        assert!(fit("delays", "delay") > 0.99);
        assert!(fit("delay", "delay_hours") > fit("arrival", "planned arrival"));
        assert!(fit("arrival", "planned arrival") > 0.6);
        assert!(fit("comodity", "commodity") > 0.85);
        assert!(fit("date", "arrival date") < 0.01);
        assert!(fit("weather", "status") < 0.01);
    }
}
