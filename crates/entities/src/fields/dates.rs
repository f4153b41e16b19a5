//! The date field that words about time mean.

use contracts::tools::meanings::{FieldTerm, TermRole};
use contracts::tools::search::FieldType;

use super::lexicon::{Known, is_generic, likeness, told};
use super::{Request, Unclear, terms};

/// What happens to things that travel, in stems: each row is one event.
const EVENTS: &[&[&str]] = &[
    &[
        "arriv", "reach", "land", "dock", "ata", "eta", "destin", "discharg", "deliver", "berth",
    ],
    &[
        "depart", "leav", "left", "sail", "dispatch", "atd", "etd", "origin", "load",
    ],
];
/// Words for what is to come, in stems.
const PLANNED: &[&str] = &[
    "plan", "expect", "due", "schedul", "eta", "etd", "estimat", "will", "forecast", "anticip",
    "upcom", "com", "next", "tomorrow", "futur", "propos", "target", "suppos",
];

/// The field of a time range with these words around it.
pub(super) fn map(request: &Request<'_>, words: &str) -> Result<String, Unclear> {
    let dates: Vec<&Known<'_>> = request
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
    let told_near = told(words);
    let told_anywhere = told(&request.arguments.text);
    let usual = request.index.date_field.as_deref();
    let usual_event = usual
        .and_then(|usual| request.lexicon.get(usual))
        .and_then(event_of);
    let mut scored: Vec<(f64, &Known<'_>)> = dates
        .iter()
        .map(|known| {
            let mut score = fit(known, &told_near) + 0.5 * fit_event(known, &told_anywhere);
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
    let equals: Vec<&Known<'_>> = scored
        .iter()
        .filter(|(score, _)| best - score < 0.05)
        .map(|(_, known)| *known)
        .collect();
    if equals.len() == 1 || request.arguments.best_guess {
        return Ok(known.field.name.clone());
    }
    Err(request.ask(words, equals.iter().map(|known| known.field)))
}

/// How well a date fits words: what happened counts most, then whether it was planned, then other words.
fn fit(known: &Known<'_>, words: &[String]) -> f64 {
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
    // Words that are just the field's: `last event`.
    if known
        .phrases
        .iter()
        .any(|phrase| likeness(words, phrase) > 0.9)
    {
        score += 1.0;
    }
    score
}

/// Whether the event of a field is the one that the words say, or another.
fn fit_event(known: &Known<'_>, words: &[String]) -> f64 {
    let said: Vec<usize> = words.iter().filter_map(|word| event(word)).collect();
    match event_of(known) {
        Some(event) if said.contains(&event) => 2.0,
        Some(_) if !said.is_empty() => -2.0,
        _ => 0.0,
    }
}

/// The event that a field is the time of, by its name before its synonyms.
fn event_of(known: &Known<'_>) -> Option<usize> {
    known
        .phrases
        .iter()
        .find_map(|phrase| phrase.iter().find_map(|word| event(word)))
}

fn event(stem: &str) -> Option<usize> {
    EVENTS.iter().position(|words| words.contains(&stem))
}

/// Whether a field has what was to happen rather than what did.
pub(super) fn is_planned(known: &Known<'_>) -> bool {
    known
        .phrases
        .iter()
        .flatten()
        .any(|word| PLANNED.contains(&word.as_str()))
}
