//! The parts of a request, as far as its words show.
//!
//! Words mean fields, values and indices only where the sources' descriptions have them. Names of
//! things are left alone: `entity_resolution` looks for them in the whole text. What no rule reads
//! is [`Request::leftover`].

mod averages;
mod bare;
mod conditions;
mod directions;
mod due;
mod events;
mod fields;
mod happened;
mod measures;
mod nouns;
mod refusals;
mod scan;
mod strategy;
mod superlatives;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

use std::collections::BTreeSet;
use std::ops::Range;

use chrono::NaiveDate;
use contracts::tools::meanings::{EntityMention, FieldTerm};
use contracts::tools::search::{FilterOp, Interval, MeasureOp, SourceList, TimeRange};
use serde_json::Value;

use super::text::tokens;

pub use strategy::strategy;

/// A request that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// One thing, many, or something computed.
    pub retrieval: Retrieval,
    /// Whether the words say so; otherwise it is the default.
    pub retrieval_certain: bool,
    /// The indices whose records are named, the likeliest first.
    pub indices: Vec<IndexCandidate>,
    /// The days; its `type` are the words that they were made of.
    pub time_range: Option<TimeRange>,
    /// The words of the time with the verb that belongs to them (`arrived last week`): they say
    /// which date is intended.
    pub time_words: Option<String>,
    /// Why words that look like a date are none, a sentence for the person.
    pub time_problem: Option<String>,
    /// Fields that are named, and conditions: the `terms` of `field_mapping`.
    pub terms: Vec<FieldTerm>,
    /// The measures.
    pub measures: Vec<MeasureTerm>,
    /// What groups are made by, outermost first.
    pub group_by: Vec<GroupTerm>,
    /// The order.
    pub sort: Vec<SortTerm>,
    /// Maximum number of records, or groups.
    pub limit: Option<u32>,
    /// "Top" was said (true), or "bottom": the first ones by the figure that there is.
    pub top: Option<bool>,
    /// Words that surely name something, by their form: the `mentions` of `entity_resolution`.
    pub entity_hints: Vec<EntityMention>,
    /// Phrases that are excluded: `not from Shanghai`, `except Miami`. Entities in them are not
    /// wanted.
    pub negated: Vec<String>,
    /// The words that ask for something computed: `average`, `most`, `latest`.
    pub aggregation_keywords: Vec<String>,
    /// It asks how things are at this moment.
    pub live: bool,
    /// It asks for a comparison.
    pub compare: bool,
    /// Content words that nothing above was made of. Names are among them until they are resolved.
    pub leftover: Vec<Leftover>,
    /// The first days that are left out of the range, and the first ones behind them that are not:
    /// months that are compared and do not touch.
    pub gap: Option<(NaiveDate, NaiveDate)>,
    /// Words that change the meaning of others, and that nothing above was made of: `not`, `or`,
    /// `more`.
    pub operators: Vec<Operator>,
    /// The word for records that are named, where those of another index are asked because they
    /// have what is wanted of these.
    pub other_records: Option<String>,
    /// Bounds without a word for what they bound, with their places in bytes: "at most 5".
    pub bounds: Vec<(Range<usize>, FilterOp, Value)>,
    /// Why a question of this form is not answered at all, a sentence for the person.
    pub refusal: Option<String>,
    /// The differences between the query and the words, as sentences for the person.
    pub remarks: Vec<String>,
    /// The positions of values that were read with their field, in bytes: they are not looked for
    /// among names.
    pub told: Vec<Range<usize>>,
}

/// A word that changes the meaning of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The position in the request, in bytes.
    pub span: Range<usize>,
    /// The word.
    pub word: String,
    /// The excluded words, the value among them: `not from Shanghai`. A name in them has been used.
    pub excludes: Option<String>,
}

/// The amount of a retrieval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Retrieval {
    /// One thing.
    SingleEntity,
    /// Records.
    #[default]
    MultiEntity,
    /// Something computed.
    Aggregation,
}

impl Retrieval {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SingleEntity => "single_entity",
            Self::MultiEntity => "multi_entity",
            Self::Aggregation => "aggregation",
        }
    }
}

/// An index whose records are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexCandidate {
    /// The source.
    pub source: String,
    /// The index.
    pub index: String,
    /// The word: `shipments`.
    pub noun: String,
}

/// Something to be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasureTerm {
    /// The operation.
    pub op: MeasureOp,
    /// The words for its field, which are among the terms with the role `measure` (`group_by` for
    /// how many different); none for a count.
    pub term: Option<String>,
}

/// Something that groups are made by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupTerm {
    /// The words for its field, which are among the terms with the role `group_by`; none for the
    /// date field of the request.
    pub term: Option<String>,
    /// Of a date: how long each group is.
    pub interval: Option<Interval>,
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortTerm {
    /// By what.
    pub by: SortKey,
    /// The greatest first.
    pub descending: bool,
}

/// The key of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortKey {
    /// The field of these words, which are among the terms with the role `sort`.
    Term(String),
    /// The date field of the request.
    Time,
    /// Number of records that a group has.
    Count,
    /// The measure at this place of the request's measures.
    Measure(usize),
}

/// Words that nothing was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// The position in the request, in bytes.
    pub span: Range<usize>,
    /// The words.
    pub words: String,
    /// The words before them are such that a name is expected: `to`, `from`, `vessel`, or they are
    /// written like one.
    pub name_like: bool,
}

impl Request {
    /// The operators that nothing was made of, given the places of the names that were resolved, in
    /// bytes, and whether two of them are compared with one field.
    pub fn unread(
        &self,
        names: &[Range<usize>],
        is_one_field: impl Fn(&Range<usize>, &Range<usize>) -> bool,
    ) -> Vec<String> {
        let unread = self.operators.iter().filter(|operator| {
            if let Some(excluded) = &operator.excludes {
                let end = operator.span.start + excluded.len();
                let inside =
                    |name: &Range<usize>| operator.span.end <= name.start && name.start < end;
                return !names.iter().any(inside);
            }
            if operator.word != "or" && operator.word != "either" {
                return true;
            }
            let from = operator.span.start;
            let before = names.iter().filter(|name| name.end <= from);
            let behind = names.iter().filter(|name| name.start > from);
            let before = before.max_by_key(|name| name.end);
            let behind = behind.min_by_key(|name| name.start);
            match (operator.word.as_str(), before, behind) {
                ("or", Some(before), Some(behind)) => !is_one_field(before, behind),
                ("either", _, Some(_)) => false,
                _ => true,
            }
        });
        unread.map(|operator| operator.word.clone()).collect()
    }

    /// The words of these places were read: conditions one of which is enough.
    pub fn read_alternatives(&mut self, places: &[Range<usize>]) {
        self.operators
            .retain(|operator| !places.contains(&operator.span));
        if !places.is_empty() {
            self.operators.retain(|operator| operator.word != "either");
        }
    }

    /// The words of a comparison are those of the groups that it was made to.
    pub fn read_comparison(&mut self) {
        let of_comparison = |operator: &Operator| words::COMPARE.contains(&operator.word.as_str());
        self.operators.retain(|operator| !of_comparison(operator));
    }

    /// What of the request was not used, given the words that turned out to be names.
    pub fn unused(&self, mentions: &[&str]) -> Vec<String> {
        let named: BTreeSet<String> = mentions
            .iter()
            .flat_map(|mention| tokens(mention))
            .map(|token| token.text)
            .collect();
        let of_a_name = |left: &&Leftover| {
            !tokens(&left.words)
                .iter()
                .filter(|token| token.is_word() || token.number().is_some())
                .all(|token| named.contains(&token.text))
        };
        self.leftover
            .iter()
            .filter(of_a_name)
            .map(|left| left.words.clone())
            .collect()
    }
}

/// What `text` needs of `sources`.
pub fn read_request(text: &str, sources: &SourceList, today: NaiveDate) -> Request {
    scan::read(text, sources, None, &[], today)
}

/// The same where it is known which words of the text are names: nothing else is read in them.
pub fn read_named(text: &str, sources: &SourceList, names: &[String], today: NaiveDate) -> Request {
    scan::read(text, sources, None, names, today)
}

/// The same of a text about the records of one index.
pub(super) fn read_about(
    text: &str,
    sources: &SourceList,
    index: &str,
    names: &[String],
    today: NaiveDate,
) -> Request {
    scan::read(text, sources, Some(index), names, today)
}
