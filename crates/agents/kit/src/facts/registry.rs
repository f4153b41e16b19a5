//! The facts of one answer.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use contracts::tools::Period;
use serde_json::{Value, json};

use super::{
    Bounds, Fact, FactId, Kind, Measure, Series, Subject, Unit, lexicon, statements::Statement,
};

/// Maximum number of values of one answer that get an id; a model cannot name the others.
const MOST: usize = 600;

/// The facts of one answer: its values, what follows from them, and the sentences of the rules.
#[derive(Debug, Clone, Default)]
pub struct FactRegistry {
    pub(super) facts: Vec<Fact>,
    pub(super) statements: Vec<Statement>,
    /// Names of subjects, in lower case, longest first.
    names: Vec<String>,
    /// Phrases that hold of all facts, in lower case, longest first: the conditions of a query.
    phrases: Vec<String>,
    /// What rows are called: "city".
    nouns: BTreeSet<String>,
    /// Nouns for the subjects of rows.
    row_nouns: BTreeSet<String>,
    /// The day that people call today.
    pub(super) today: Option<NaiveDate>,
    /// Facts from which others were derived already.
    pub(super) derived_from: usize,
    /// Sentences that the model has.
    pub(super) told: usize,
    /// What holds for the values that are read at the moment.
    pub(super) bounds: Bounds,
    /// Whether there are devices other than inverters: meters, sensors.
    pub(super) has_other_roles: bool,
    /// Whether there are rows of a query, which may be about anything.
    pub(super) has_rows: bool,
    counts: BTreeMap<char, u32>,
}

impl FactRegistry {
    /// Whether there is nothing to name.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.statements.is_empty()
    }

    /// A name that a text may hold.
    pub fn know(&mut self, name: &str) {
        let name = name.trim().to_lowercase();
        let claims = lexicon::is_neutral(&name) || lexicon::is_reserved(&name);
        let speaks = name.chars().any(char::is_alphanumeric) && !claims;
        if speaks && name.chars().count() <= 80 && !self.names.contains(&name) {
            let longer = |other: &String| other.len() > name.len();
            let at = self.names.iter().position(|other| !longer(other));
            self.names.insert(at.unwrap_or(self.names.len()), name);
        }
    }

    /// A phrase that holds of all facts: a condition of the query that they come from, "to Port of
    /// Miami".
    pub fn hold_under(&mut self, phrase: &str) {
        super::phrases::learn(&mut self.phrases, phrase);
    }

    /// The phrase at the beginning of a text that holds of all facts, as it is written there.
    pub(super) fn phrase_at<'t>(&self, text: &'t str) -> Option<&'t str> {
        super::phrases::at(&self.phrases, text)
    }

    /// The day that people call today, where the figures are of it.
    pub fn know_today(&mut self, today: NaiveDate) {
        self.today = Some(today);
    }

    /// A word for what the facts count: "shipment".
    pub fn know_record_noun(&mut self, noun: &str) {
        self.know_noun(noun);
        self.know_row_noun(noun);
    }

    /// A word for what has a name.
    pub(super) fn know_noun(&mut self, label: &str) {
        self.nouns.extend(super::measure::tokens(label));
    }

    /// A word for the subjects of rows.
    pub(super) fn know_row_noun(&mut self, label: &str) {
        self.row_nouns.extend(super::measure::tokens(label));
    }

    pub(super) fn has_row_noun(&self, word: &str) -> bool {
        has_form(&self.row_nouns, word)
    }

    pub(super) fn has_noun(&self, word: &str) -> bool {
        has_form(&self.nouns, word)
    }

    /// Whether a word is what a measure is called, and does not say the state of something.
    pub(super) fn labels(&self, word: &str) -> bool {
        let mut facts = self.facts.iter();
        !lexicon::is_state(word)
            && !lexicon::is_reserved(word)
            && facts.any(|fact| fact.measure.label.split(' ').any(|label| label == word))
    }

    /// Whether a text beside the sentences of an answer claims nothing: the title of a chart, a
    /// question, a suggestion.
    pub fn is_label(&self, text: &str) -> bool {
        let tokens = super::tokens::tokens(text, self);
        super::courtesy::is_label(&tokens, self) || super::courtesy::passes(&tokens, self)
    }

    /// Whether a sentence greets, announces, offers or asks, and claims nothing.
    pub(crate) fn is_courtesy(&self, text: &str) -> bool {
        super::courtesy::passes(&super::tokens::tokens(text, self), self)
    }

    /// The names that a text holds, in lower case.
    pub fn names_of(&self, text: &str) -> BTreeSet<String> {
        self.names_in(text)
    }

    /// Whether a text that calls the values of a key something says no other measure and no other
    /// unit.
    pub fn is_label_of(&self, text: &str, key: &str) -> bool {
        let Some((measure, unit)) = super::measure::of_key(key, "", None) else {
            return true;
        };
        let written = unit.write(1.0).to_lowercase();
        super::measure::tokens(text).iter().all(|word| {
            let is_unit = lexicon::is_unit(word);
            let of_time = [
                "date",
                "day",
                "days",
                "hours",
                "month",
                "time",
                "timestamp",
                "year",
            ];
            !(is_unit || self.labels(word) && !of_time.contains(&word.as_str()))
                || measure.names(word)
                || is_unit && written.split_whitespace().any(|unit| unit == word)
                || unit.is_power() && ["kw", "w", "watts"].contains(&word.as_str())
        })
    }

    /// Whether this is the name of a subject.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains(&name.to_lowercase())
    }

    /// The name at the beginning of a text, as it is written there.
    pub(super) fn name_at<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.names.iter().find_map(|name| {
            let found = text.get(..name.len())?;
            let behind = text[name.len()..].chars().next();
            let ends = !behind.is_some_and(char::is_alphanumeric);
            (ends && found.to_lowercase() == *name).then_some(found)
        })
    }

    /// Adds a value. `None` when there are too many.
    pub fn add(
        &mut self,
        subject: Subject,
        label: &str,
        unit: Unit,
        number: f64,
        period: Option<Period>,
    ) -> Option<FactId> {
        let text = unit.write(number);
        let measure = Measure::of(label);
        self.value(subject, measure, unit, Some(number), text, period)
    }

    /// The same, as a model gets it: the value with its id behind it.
    pub fn tell(&mut self, subject: Subject, label: &str, unit: Unit, number: f64) -> Value {
        let text = unit.write(number);
        let id = self.add(subject, label, unit, number, None);
        super::read::marked(&text, id).unwrap_or_else(|| text.into())
    }

    pub(super) fn value(
        &mut self,
        subject: Subject,
        measure: Measure,
        unit: Unit,
        number: Option<f64>,
        text: String,
        period: Option<Period>,
    ) -> Option<FactId> {
        self.insert(Series::Value, Kind::Value, |id, kind| Fact {
            id,
            subject,
            measure,
            unit,
            number,
            text,
            period,
            kind,
            bounds: Bounds::default(),
        })
    }

    pub(super) fn insert(
        &mut self,
        series: Series,
        kind: Kind,
        fact: impl FnOnce(FactId, Kind) -> Fact,
    ) -> Option<FactId> {
        if self.facts.len() >= MOST {
            return None;
        }
        let id = self.next(series);
        let mut fact = fact(id, kind);
        if series == Series::Value {
            fact.bounds = self.bounds.clone();
        }
        if let Some(name) = fact.subject.name() {
            let name = name.to_owned();
            self.know(&name);
        }
        self.facts.push(fact);
        Some(id)
    }

    pub(super) fn next(&mut self, series: Series) -> FactId {
        let letter = match series {
            Series::Value => 'f',
            Series::Derived => 'd',
            Series::Sentence => 's',
        };
        let number = self.counts.entry(letter).or_default();
        *number += 1;
        FactId {
            series,
            number: *number,
        }
    }

    pub(super) fn fact(&self, id: FactId) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.id == id)
    }

    pub(super) fn same_measure<'a>(&'a self, fact: &'a Fact) -> impl Iterator<Item = &'a Fact> {
        self.facts.iter().filter(move |other| {
            other.subject == fact.subject
                && other.measure.label == fact.measure.label
                && other.kind == Kind::Value
        })
    }

    /// The subject of all values, if they have the same one.
    pub(super) fn only_subject(&self) -> Option<&Subject> {
        let values = self.facts.iter().filter(|fact| fact.kind != Kind::Days);
        let mut subjects = values.map(|fact| &fact.subject);
        let first = subjects.next()?;
        subjects.all(|subject| subject == first).then_some(first)
    }

    /// The derived facts, a line each, for a model.
    pub fn derived(&self) -> Value {
        let lines = self.facts.iter().filter_map(|fact| {
            let says = super::derive::line(fact)?;
            Some(json!(format!("[[{}]] {says}", fact.id)))
        });
        Value::Array(lines.collect())
    }
}

/// Whether a word is one of these, in either number.
fn has_form(nouns: &BTreeSet<String>, word: &str) -> bool {
    let one = |word: &str| nouns.contains(word) && !lexicon::is_reserved(word);
    let several = |end: &str, single: &str| {
        let stem = word.strip_suffix(end);
        stem.is_some_and(|stem| one(&format!("{stem}{single}")))
    };
    one(word) || several("ies", "y") || several("s", "")
}
