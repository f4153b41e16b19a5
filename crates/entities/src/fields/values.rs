//! Maps terms that are themselves a value: `delivered`, `hazardous`, `not late`.

use contracts::tools::meanings::{FieldTerm, MappedField, TermRole};
use contracts::tools::search::{FieldDescription, FieldType, FilterOp};
use serde_json::{Value, json};

use super::lexicon::{FieldWords, content_stems, is_generic, likeness};
use super::{Request, Unclear, terms};
use crate::text::{pieces, same_words, stem, stems};

/// Properties that fields and requests name by different words.
const KINDS: &[&[&str]] = &[
    &["late", "delayed", "overdue", "tardy", "behind"],
    &["hazardous", "dangerous", "hazmat"],
];
/// The opposite of late.
const ON_TIME: &[&str] = &["on time", "punctual", "in time", "on schedule"];

/// Whether a term has no value other than its own words.
pub(super) fn is_value_alone(term: &FieldTerm) -> bool {
    term.role == TermRole::Filter
        && term.value.is_none()
        && !matches!(term.op, Some(FilterOp::Exists | FilterOp::Missing))
}

/// The field that has the value, or the Boolean field that the words describe.
pub(super) fn map(request: &Request<'_>, term: &FieldTerm) -> Result<MappedField, Unclear> {
    let (text, negated) = without_not(&term.text);
    let negated = negated != (term.op == Some(FilterOp::IsNot));
    let mut found = found(request, &text);
    if found.is_empty() {
        found = any_of(request, &text);
    }
    found.sort_by(|one, another| another.score.total_cmp(&one.score));
    let fields: Vec<&FieldWords<'_>> = found.iter().map(|found| found.known).collect();
    let answered = request.answered(&term.text, &fields);
    if let Some(known) = answered {
        found.retain(|found| found.known.field.name == known.field.name);
    }
    let Some(best) = found.first() else {
        let words = content_stems(&text);
        let mut near: Vec<(f64, &FieldWords<'_>)> = request
            .lexicon
            .iter()
            .map(|known| (known.score(&words), known))
            .collect();
        near.retain(|(score, _)| *score > 0.3);
        near.sort_by(|one, another| another.0.total_cmp(&one.0));
        return Err(terms::unmapped(
            request,
            term,
            near.into_iter().map(|(_, known)| known),
        ));
    };
    let near = found
        .iter()
        .filter(|other| best.score - other.score < request.thresholds.margin);
    let contenders: Vec<&ValueMatch<'_, '_>> = near.collect();
    if contenders.len() > 1 && !request.arguments.best_guess {
        return Err(request.ask(&term.text, contenders.iter().map(|found| found.known.field)));
    }
    Ok(best.mapped(term, negated))
}

/// A field with the values that a term means.
struct ValueMatch<'k, 'a> {
    known: &'k FieldWords<'a>,
    values: Vec<Value>,
    score: f64,
}

impl ValueMatch<'_, '_> {
    fn mapped(&self, term: &FieldTerm, negated: bool) -> MappedField {
        let field = self.known.field;
        let yes_or_no = field.field_type == FieldType::Boolean;
        let values = match (yes_or_no, negated) {
            (true, true) => self
                .values
                .iter()
                .map(|value| json!(value != &json!(true)))
                .collect(),
            _ => self.values.clone(),
        };
        MappedField {
            term: term.text.clone(),
            role: term.role,
            field: field
                .exact_field
                .clone()
                .unwrap_or_else(|| field.name.clone()),
            field_type: field.field_type,
            score: (self.score * 1e4).round() / 1e4,
            op: Some(if negated && !yes_or_no {
                FilterOp::IsNot
            } else {
                FilterOp::Is
            }),
            values,
        }
    }
}

fn found<'k, 'a>(request: &'k Request<'a>, text: &str) -> Vec<ValueMatch<'k, 'a>> {
    let words = content_stems(text);
    let nouns: Vec<String> = request
        .index
        .nouns
        .iter()
        .flat_map(|noun| stems(noun))
        .collect();
    request
        .lexicon
        .iter()
        .filter_map(|known| match known.field.field_type {
            FieldType::Boolean => yes(known, text, &words, &nouns),
            FieldType::Keyword | FieldType::Text => value(known, &words, &nouns),
            _ => None,
        })
        .collect()
}

/// A value of the field that consists of the words. The words may also contain names of the field
/// or the record.
fn value<'k, 'a>(
    known: &'k FieldWords<'a>,
    words: &[String],
    nouns: &[String],
) -> Option<ValueMatch<'k, 'a>> {
    let own = |word: &String| {
        nouns.contains(word) || known.phrases.iter().flatten().any(|own| own == word)
    };
    let told: Vec<String> = words
        .iter()
        .filter(|word| {
            !own(word)
                && !matches!(
                    word.as_str(),
                    "on" | "with" | "that" | "were" | "wer" | "is" | "are"
                )
        })
        .cloned()
        .collect();
    let mut best: Option<ValueMatch<'_, '_>> = None;
    for value in &known.field.values {
        let stems = stems(value);
        let score = match likeness(words, &stems).max(likeness(&told, &stems).min(0.97)) {
            score if score >= 0.85 => score,
            // `seafood` matches `frozen seafood` if it matches no other value.
            _ if !told.is_empty()
                && told
                    .iter()
                    .all(|word| stems.contains(word) && !is_generic(word)) =>
            {
                0.75
            }
            _ => continue,
        };
        match &mut best {
            Some(found) if (found.score - score).abs() < 1e-9 => found.values.push(json!(value)),
            Some(found) if found.score > score => {}
            _ => {
                best = Some(ValueMatch {
                    known,
                    values: vec![json!(value)],
                    score,
                });
            }
        }
    }
    best
}

/// The match of a Boolean field that the words describe.
fn yes<'k, 'a>(
    known: &'k FieldWords<'a>,
    text: &str,
    words: &[String],
    nouns: &[String],
) -> Option<ValueMatch<'k, 'a>> {
    let told: Vec<String> = words
        .iter()
        .filter(|word| !nouns.contains(word))
        .cloned()
        .collect();
    let phrases = || {
        known.phrases.iter().map(|phrase| {
            let rest: Vec<String> = phrase
                .iter()
                .filter(|word| !matches!(word.as_str(), "is" | "has" | "was" | "flag"))
                .cloned()
                .collect();
            rest
        })
    };
    let direct = phrases()
        .map(|phrase| likeness(&told, &phrase).max(likeness(words, &phrase)))
        .fold(0.0, f64::max);
    let kind = |words: &[String]| {
        KINDS
            .iter()
            .position(|kind| kind.iter().any(|word| words == [stem(word)]))
    };
    let of_a_kind = kind(&told).is_some() && phrases().any(|phrase| kind(&phrase) == kind(&told));
    let score = direct.max(if of_a_kind { 0.9 } else { 0.0 });
    if score >= 0.85 {
        return Some(ValueMatch {
            known,
            values: vec![json!(true)],
            score,
        });
    }
    let late = phrases().any(|phrase| kind(&phrase) == Some(0));
    let on_time = ON_TIME
        .iter()
        .any(|phrase| same_words(phrase, text) || text.to_lowercase().starts_with(phrase));
    (late && on_time).then(|| ValueMatch {
        known,
        values: vec![json!(false)],
        score: 0.9,
    })
}

/// `delivered or arrived`: any of several values of one field.
fn any_of<'k, 'a>(request: &'k Request<'a>, text: &str) -> Vec<ValueMatch<'k, 'a>> {
    let lower = text
        .to_lowercase()
        .replace(',', " or ")
        .replace(" and ", " or ");
    let parts: Vec<&str> = lower
        .split(" or ")
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let Some((first, others)) = parts.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Vec::new();
    };
    let mut all = found(request, first);
    for part in others {
        let more = found(request, part);
        all.retain_mut(|before| {
            let same = more
                .iter()
                .find(|found| found.known.field.name == before.known.field.name);
            let Some(same) = same else {
                return false;
            };
            before.values.extend(same.values.iter().cloned());
            before.score = before.score.min(same.score);
            true
        });
    }
    all
}

/// The text without a leading `not`.
fn without_not(text: &str) -> (String, bool) {
    let words = pieces(text);
    let lead = words
        .iter()
        .take_while(|word| {
            matches!(
                word.as_str(),
                "is" | "are" | "was" | "were" | "been" | "has" | "have"
            )
        })
        .count();
    match words.get(lead).map(String::as_str) {
        Some(
            "not" | "non" | "no" | "never" | "isnt" | "arent" | "werent" | "wasnt" | "without",
        ) => (words[lead + 1..].join(" "), true),
        _ => (text.to_owned(), false),
    }
}

/// A value in the form of the field: `Delivered` becomes `delivered`, `3` a number, `yes` true.
pub(super) fn as_the_field_has_it(field: &FieldDescription, value: Value) -> Value {
    let Value::String(text) = &value else {
        return value;
    };
    match field.field_type {
        FieldType::Keyword | FieldType::Text => {
            let own = |own: &&String| same_words(own, text) || stems(own) == stems(text);
            field
                .values
                .iter()
                .find(own)
                .map_or(value.clone(), |own| json!(own))
        }
        FieldType::Long => text
            .trim()
            .parse::<i64>()
            .map_or(value.clone(), |number| json!(number)),
        FieldType::Double => text
            .trim()
            .parse::<f64>()
            .map_or(value.clone(), |number| json!(number)),
        FieldType::Boolean => match text.to_lowercase().as_str() {
            "true" | "yes" => json!(true),
            "false" | "no" => json!(false),
            _ => value,
        },
        FieldType::Date => value,
    }
}
