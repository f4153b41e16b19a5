//! What was to happen and has not: "due", "overdue", "not yet arrived". It has a planned date and no actual one.

use chrono::NaiveDate;
use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldDescription, FieldType, FilterOp};
use serde_json::Value;

use super::scan::{Scan, Use};
use crate::language::text::stem;

/// Words of a date that is planned.
const PLANNED: &[&str] = &["planned", "scheduled", "expected", "estimated", "due"];
/// Words of a date that happened.
const ACTUAL: &[&str] = &["actual", "real"];
/// Values of what will not happen any more.
const CALLED_OFF: &[&str] = &["cancelled", "canceled", "void", "withdrawn"];

/// The planned and the actual date of one event, by the names of their fields.
struct Event {
    planned: String,
    actual: String,
}

impl Scan<'_> {
    /// Conditions of what is due, overdue, or has not happened yet.
    pub(super) fn due(&mut self, today: NaiveDate) {
        for at in 0..self.tokens.len() {
            if !self.free(at) {
                continue;
            }
            if self.is(at, &["overdue"]) {
                let Some(event) = self.event(None) else {
                    continue;
                };
                self.open(&event);
                let day = Value::from(today.to_string());
                let planned = spoken(&event.planned);
                self.term(planned, TermRole::Filter, Some(FilterOp::Lt), Some(day));
                self.mark(at..at + 1, Use::Read);
                self.planned_time();
            } else if self.is(at, &["due"]) && !self.is(at + 1, &["date", "dates"]) {
                // "Due to depart tomorrow".
                let verb = self.past(at + 1, &["to", "for"]);
                let end = if self.is_happening(verb) {
                    verb + 1
                } else {
                    at + 1
                };
                let verb = self.word(verb).filter(|_| end > at + 1).map(str::to_owned);
                let Some(event) = self.event(verb.as_deref()) else {
                    continue;
                };
                self.open(&event);
                self.mark_free(at, end);
                self.planned_time();
            } else {
                self.not_yet(at);
            }
        }
    }

    /// "Have not arrived yet", "yet to arrive"; "have arrived".
    fn not_yet(&mut self, at: usize) {
        const NO: &[&str] = &[
            "not", "haven't", "hasn't", "hadn't", "didn't", "never", "haven", "hasn", "hadn",
            "didn",
        ];
        let yet_to = self.is(at, &["yet", "still"]) && self.is(at + 1, &["to"]);
        let no = self.is(at, NO);
        let has = self.is(at, &["have", "has"]);
        if !(yet_to || no || has) || self.request.time_range.is_some() {
            return;
        }
        let verb = self.past(
            at + 1,
            &[
                "to", "yet", "so", "far", "been", "have", "has", "already", "'", "t", "\u{2019}",
            ],
        );
        let is_value = self.vocabulary.valued(&self.tokens, verb).is_some();
        if !self.free(verb) || !self.is_happening(verb) {
            return;
        }
        let said = self.word(verb).unwrap_or_default().to_owned();
        let Some(event) = self.event(Some(&said)) else {
            return;
        };
        // "Not delivered" may be a value of its own, and no date has the word.
        if is_value
            && !event
                .actual
                .split('_')
                .any(|word| stem(word) == stem_of_event(&said))
        {
            return;
        }
        if has {
            let actual = spoken(&event.actual);
            self.term(actual, TermRole::Filter, Some(FilterOp::Exists), None);
        } else {
            self.open(&event);
        }
        self.mark(at..verb + 1, Use::Read);
        if self.is(verb + 1, &["yet"]) {
            self.mark(verb + 1..verb + 2, Use::Read);
        }
    }

    /// Whether a word is of what happens to records: `arrive`, `departed`.
    fn is_happening(&self, at: usize) -> bool {
        self.word(at)
            .is_some_and(|word| self.vocabulary.is_event(word))
    }

    fn mark_free(&mut self, from: usize, to: usize) {
        for at in from..to {
            if self.free(at) {
                self.mark(at..at + 1, Use::Read);
            }
        }
    }

    /// It has not happened, and was not called off.
    fn open(&mut self, event: &Event) {
        let actual = spoken(&event.actual);
        self.term(actual, TermRole::Filter, Some(FilterOp::Missing), None);
        let fields = self.vocabulary.fields();
        let values = fields.iter().flat_map(|field| &field.values);
        let off = values
            .into_iter()
            .find(|value| CALLED_OFF.contains(&value.to_lowercase().as_str()))
            .cloned();
        // "Overdue cancelled shipments" are asked for as they are.
        let asked = off.as_ref().is_some_and(|off| {
            self.tokens
                .iter()
                .any(|token| token.text == off.to_lowercase())
        });
        if let Some(off) = off.filter(|_| !asked) {
            self.term(off, TermRole::Filter, Some(FilterOp::IsNot), None);
        }
    }

    /// The days of the request are those of the plan.
    fn planned_time(&mut self) {
        if let Some(range) = &self.request.time_range {
            let words = range.kind.clone().unwrap_or_default();
            let said = self.request.time_words.take().unwrap_or(words);
            self.request.time_words = Some(format!("planned {said}"));
        }
    }

    /// The event of a verb, or the usual one.
    fn event(&self, verb: Option<&str>) -> Option<Event> {
        let dates: Vec<&FieldDescription> = self
            .vocabulary
            .fields()
            .iter()
            .copied()
            .filter(|field| field.field_type == FieldType::Date)
            .collect();
        let usual = self.usual_date();
        let mut events = dates.iter().filter_map(|planned| {
            let rest = without(&planned.name, PLANNED)?;
            let actual = dates.iter().find(|other| {
                without(&other.name, ACTUAL).as_ref() == Some(&rest) || other.name == rest
            })?;
            Some((planned, actual))
        });
        let fits = |planned: &FieldDescription, actual: &FieldDescription| match verb {
            Some(verb) => {
                let stem = stem_of_event(verb);
                let words = actual.name.split('_').chain(planned.name.split('_'));
                let synonyms = actual.synonyms.iter().flat_map(|words| words.split(' '));
                words
                    .chain(synonyms)
                    .any(|word| crate::language::text::stem(word) == stem)
            }
            None => usual
                .as_ref()
                .is_none_or(|usual| *usual == actual.name || *usual == planned.name),
        };
        let (planned, actual) = events.find(|(planned, actual)| fits(planned, actual))?;
        Some(Event {
            planned: planned.name.clone(),
            actual: actual.name.clone(),
        })
    }
}

/// The stem of what a verb is about, where it is another word: `left` is a departure.
fn stem_of_event(verb: &str) -> String {
    match verb {
        "left" | "leave" | "leaves" | "sailed" | "sail" => stem("departure"),
        verb => stem(verb),
    }
}

/// A name without one of these words; `None` without any.
fn without(name: &str, words: &[&str]) -> Option<String> {
    let parts: Vec<&str> = name.split('_').collect();
    let rest: Vec<&str> = parts
        .iter()
        .copied()
        .filter(|part| !words.contains(&part.to_lowercase().as_str()))
        .collect();
    (rest.len() < parts.len() && !rest.is_empty()).then(|| rest.join("_"))
}

fn spoken(name: &str) -> String {
    name.replace('_', " ")
}
