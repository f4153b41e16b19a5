//! Maps words about time to a date field.

use contracts::tools::meanings::{FieldTerm, TermRole};
use contracts::tools::search::FieldType;

use super::lexicon::{FieldWords, content_stems, is_generic, likeness};
use super::{Request, Unclear, terms};

/// The events of transported things, as stems. Each row is one event.
const EVENTS: &[&[&str]] = &[
    &[
        "arriv", "reach", "land", "dock", "ata", "eta", "destin", "discharg", "deliver", "berth",
    ],
    &[
        "depart", "leav", "left", "sail", "dispatch", "atd", "etd", "origin", "load",
    ],
];
/// Words for planned events, as stems.
const PLANNED: &[&str] = &[
    "plan", "expect", "due", "schedul", "eta", "etd", "estimat", "will", "forecast", "anticip",
    "upcom", "com", "next", "tomorrow", "futur", "propos", "target", "suppos",
];

/// The date field of a time range, chosen by the surrounding words.
pub(super) fn map(request: &Request<'_>, words: &str) -> Result<String, Unclear> {
    let dates: Vec<&FieldWords<'_>> = request
        .lexicon
        .iter()
        .filter(|known| known.field.field_type == FieldType::Date)
        .collect();
    if let Some(known) = request.answered(words, &dates) {
        return Ok(known.field.name.clone());
    }
    if let [only] = dates.as_slice() {
        return Ok(only.field.name.clone());
    }
    let near_stems = content_stems(words);
    let all_stems = content_stems(&request.arguments.text);
    let usual = request.index.date_field.as_deref();
    let usual_event = usual
        .and_then(|usual| request.lexicon.get(usual))
        .and_then(event_of);
    let mut scored: Vec<(f64, &FieldWords<'_>)> = dates
        .iter()
        .map(|known| {
            let mut score = fit(known, &near_stems) + 0.5 * fit_event(known, &all_stems);
            if usual == Some(known.field.name.as_str()) {
                score += 0.4;
            } else if usual_event.is_some() && event_of(known) == usual_event {
                score += 0.2;
            }
            (score, *known)
        })
        .collect();
    scored.sort_by(|one, another| another.0.total_cmp(&one.0));
    let Some(&(best, known)) = scored.first() else {
        let term = FieldTerm {
            text: words.to_owned(),
            role: TermRole::Filter,
            op: None,
            value: None,
        };
        return Err(terms::unmapped(request, &term, std::iter::empty()));
    };
    let equals: Vec<&FieldWords<'_>> = scored
        .iter()
        .filter(|(score, _)| best - score < 0.05)
        .map(|(_, known)| *known)
        .collect();
    if equals.len() == 1 || request.arguments.best_guess {
        return Ok(known.field.name.clone());
    }
    Err(request.ask(words, equals.iter().map(|known| known.field)))
}

/// The score of a date field for some words: the event counts most, then whether it was planned,
/// then other words.
fn fit(known: &FieldWords<'_>, words: &[String]) -> f64 {
    let planned = words.iter().any(|word| PLANNED.contains(&word.as_str()));
    let mut score = fit_event(known, words);
    if planned == is_planned(known) {
        score += 0.6;
    }
    let others = words.iter().filter(|word| {
        !is_generic(word) && event(word).is_none() && !PLANNED.contains(&word.as_str())
    });
    score += 0.5
        * others
            .filter(|word| known.phrases.iter().flatten().any(|own| own == *word))
            .count()
            .min(2) as f64;
    // The words are exactly those of the field: `last event`.
    if known
        .phrases
        .iter()
        .any(|phrase| likeness(words, phrase) > 0.9)
    {
        score += 1.0;
    }
    score
}

/// The score for the event: whether the field's event is the one in the words, or another.
fn fit_event(known: &FieldWords<'_>, words: &[String]) -> f64 {
    let said: Vec<usize> = words.iter().filter_map(|word| event(word)).collect();
    match event_of(known) {
        Some(event) if said.contains(&event) => 2.0,
        Some(_) if !said.is_empty() => -2.0,
        _ => 0.0,
    }
}

/// The event whose time the field holds. The name is checked before the synonyms.
fn event_of(known: &FieldWords<'_>) -> Option<usize> {
    known
        .phrases
        .iter()
        .find_map(|phrase| phrase.iter().find_map(|word| event(word)))
}

fn event(stem: &str) -> Option<usize> {
    EVENTS.iter().position(|words| words.contains(&stem))
}

/// Whether a field holds a planned time.
pub(super) fn is_planned(known: &FieldWords<'_>) -> bool {
    known
        .phrases
        .iter()
        .flatten()
        .any(|word| PLANNED.contains(&word.as_str()))
}
