//! Comparisons that no query makes: of two fields of one record, and of records with their average.

use contracts::tools::search::FieldType;

use super::super::conditions::COMPARING;
use super::super::due::spoken;
use super::super::scan::Scan;
use crate::language::text::tokens;

/// Words between a comparison and what it is with.
const ARTICLES: &[&str] = &["the", "its", "their", "a", "an", "of"];
/// Words for a date that is agreed.
const DUE: &[&str] = &["due", "deadline", "plan", "planned", "agreed"];
/// Words of the middle of all records.
const MIDDLE: &[&str] = &["average", "avg", "mean", "median", "usual", "normal"];

impl Scan<'_> {
    /// "Returned late", "paid after the due date": whether it is so is known of no field, and the
    /// two dates of one record are not compared.
    pub(super) fn late_by_dates(&self) -> Option<String> {
        let (at, end) = (0..self.tokens.len()).find_map(|at| Some((at, self.lateness(at)?)))?;
        if self.knows_lateness() {
            return None;
        }
        let verb = at.checked_sub(1).and_then(|at| self.word(at));
        let event = verb
            .and_then(|verb| self.event(Some(verb)))
            .or_else(|| self.event(None))?;
        let records = self.records();
        let (actual, planned) = (spoken(&event.actual), spoken(event.planned()));
        let is_verb = verb.is_some_and(|verb| verb.ends_with("ed") || verb == "paid");
        let said = self.words(at - usize::from(is_verb)..end).to_lowercase();
        Some(format!(
            "I cannot tell which {records} are \u{201c}{said}\u{201d}: a query compares a field with a value, and not with another field ({actual} with {planned}). \
             Ask for the overdue {records} (no {actual}, and {planned} before today), or for the {records} with {planned} before a day that you name."
        ))
    }

    /// Whether a field says how late a record is.
    fn knows_lateness(&self) -> bool {
        ["late", "delay"].iter().any(|word| {
            let said = tokens(word);
            self.vocabulary.affirmed(&said, 0).is_some()
                || self.vocabulary.named(&said, 0).is_some()
        })
    }

    /// The place behind words for late or punctual that nothing was made of.
    fn lateness(&self, at: usize) -> Option<usize> {
        if !self.free(at) {
            return None;
        }
        if self.is(at, &["late", "delayed", "early", "punctually", "belatedly"]) {
            return Some(at + 1);
        }
        if self.is(at, &["on", "in"]) && self.is(at + 1, &["time"]) {
            return Some(at + 2);
        }
        let due = self.past(at + 1, ARTICLES);
        let is_due = self.is(at, &["after", "before", "past", "by"]) && self.is(due, DUE);
        let dated = is_due && self.all_free(at..due + 1);
        dated.then(|| due + 1 + usize::from(self.is(due + 1, &["date", "day", "time"])))
    }

    /// "Below reorder level", "with more value than weight", "heavier than average".
    pub(in crate::language::request) fn compared_fields(&self) -> Option<String> {
        (0..self.tokens.len()).find_map(|at| {
            let with = self.past(self.comparing(at)?, ARTICLES);
            if self.is(with, MIDDLE) && self.free(with) {
                return Some(self.with_average(at, with));
            }
            let (end, fields) = self.vocabulary.named(&self.tokens, with)?;
            let amount = self.past(end, &["of", "is"]);
            let compares = |field: &usize| {
                let kind = self.vocabulary.field(*field).field_type;
                kind == FieldType::Date || self.vocabulary.is_quantity(*field)
            };
            let is_field = fields.iter().any(compares) && self.all_free(with..end);
            (is_field && !self.is_amount(amount)).then(|| self.with_field(at..end, with))
        })
    }

    /// The place behind a comparison at a place that nothing was made of.
    fn comparing(&self, at: usize) -> Option<usize> {
        if !self.free(at) {
            return None;
        }
        let said = COMPARING.iter().find(|(words, _)| {
            let mut words = words.iter().enumerate();
            words.all(|(place, word)| self.is(at + place, &[word]))
        });
        if let Some((words, _)) = said {
            return Some(at + words.len());
        }
        // "More value than weight", "heavier than": the comparison is before.
        let is_one = self.is(at, &["than", "before", "after"]) && at > 0;
        is_one.then_some(at + 1)
    }

    fn with_field(&self, range: std::ops::Range<usize>, with: usize) -> String {
        let records = self.records();
        let other = self.words(with..range.end).to_lowercase();
        let said = self.words(range).to_lowercase();
        format!(
            "I cannot compare two fields of a record (\u{201c}{said}\u{201d}): a query compares a field with a value. \
             Ask for the {records} with a number in the place of \u{201c}{other}\u{201d}, or for the list of the {records}, which shows both."
        )
    }

    fn with_average(&self, at: usize, with: usize) -> String {
        let records = self.records();
        let said = self.words(at..with + 1).to_lowercase();
        format!(
            "I cannot compare {records} with a figure over all of them in one step (\u{201c}{said}\u{201d}). \
             Ask for the average first, and then for the {records} with a number in its place."
        )
    }

    /// The name of the records of the request.
    fn records(&self) -> String {
        let head = self
            .head
            .clone()
            .map(|head| self.words(head).to_lowercase());
        let records = head.unwrap_or_else(|| "records".to_owned());
        if records.ends_with('s') {
            records
        } else {
            format!("{records}s")
        }
    }
}
