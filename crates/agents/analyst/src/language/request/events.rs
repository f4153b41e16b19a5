//! Nouns of what happened to records: "the fewest arrivals", "departures by port", "the earliest
//! departure". They count the records to which it happened, or order them.

use std::ops::Range;

use contracts::tools::meanings::TermRole;
use contracts::tools::search::FilterOp;

use super::due::spoken;
use super::scan::{Scan, Use};
use super::{SortKey, SortTerm};

/// Endings of such nouns in the plural, and in the singular.
const ENDINGS: &[(&str, &str)] = &[("als", "al"), ("ures", "ure"), ("ies", "y")];
/// Words for the ends of an order in time, and whether the last comes first.
const ENDS: &[(&str, bool)] = &[
    ("latest", true),
    ("newest", true),
    ("last", true),
    ("earliest", false),
    ("oldest", false),
    ("first", false),
];

/// A noun of an event.
struct Noun {
    at: usize,
    single: String,
    is_one: bool,
    /// The words for the date on which it happened.
    actual: String,
}

impl Scan<'_> {
    /// Takes "arrivals" for the records, where no other noun names them: those that have arrived.
    /// Days say the same, so that nothing is added to them.
    pub(super) fn event_nouns(&mut self) {
        if self.head.is_some() {
            return;
        }
        let Some(noun) = (0..self.tokens.len()).find_map(|at| self.event_noun_at(at)) else {
            return;
        };
        let at = noun.at;
        // "Late arrivals" have arrived.
        let is_late = at > 0 && self.is(at - 1, &["late", "delayed", "early", "punctual"]);
        if self.request.time_range.is_none() && !is_late {
            let actual = noun.actual.clone();
            self.term(actual, TermRole::Filter, Some(FilterOp::Exists), None);
        }
        if let Some((place, descending)) = self.end_before(at) {
            self.term(noun.actual.clone(), TermRole::Sort, None, None);
            self.request.sort.push(SortTerm {
                by: SortKey::Term(noun.actual),
                descending,
            });
            if noun.is_one {
                self.request.limit = Some(1);
            }
            self.mark(place..at, Use::Read);
        }
        self.event_noun = Some(noun.single);
        self.head = Some(at..at + 1);
        self.mark(at..at + 1, Use::Read);
    }

    fn event_noun_at(&self, at: usize) -> Option<Noun> {
        // "Departures in December": the noun is read with the days.
        let is_dated = self.uses.get(at) == Some(&Use::Time);
        let word = self.word(at).filter(|_| is_dated || self.free(at))?;
        let many = ENDINGS.iter().find_map(|(many, one)| {
            let stem = word.strip_suffix(many)?;
            Some(format!("{stem}{one}"))
        });
        let is_one = many.is_none();
        let ends = ENDINGS.iter().any(|(_, one)| word.ends_with(one));
        // "The latest arrival date" is a field.
        let is_field = self.is(at + 1, &["date", "dates", "time", "times"]);
        if is_field || is_one && (is_dated || !ends || self.end_before(at).is_none()) {
            return None;
        }
        let is_known = self.vocabulary.has_event(word);
        let event = self.event(Some(word)).filter(|_| is_known)?;
        Some(Noun {
            at,
            single: many.unwrap_or_else(|| word.to_owned()),
            is_one,
            actual: spoken(&event.actual),
        })
    }

    /// "Latest" before a place, and its direction.
    fn end_before(&self, at: usize) -> Option<(usize, bool)> {
        let place = at.checked_sub(1).filter(|place| self.free(*place))?;
        let (_, descending) = ENDS.iter().find(|(word, _)| self.is(place, &[word]))?;
        Some((place, *descending))
    }

    /// The words for what groups are made by: the port of "which port has the most departures?" is
    /// the departure port, where a field is called so.
    pub(super) fn group_words(&self, range: Range<usize>) -> String {
        let said = self.words(range);
        let event = self.event_noun.as_ref();
        let whole = event.and_then(|event| self.called(event, &said));
        whole.unwrap_or(said)
    }

    /// A field's words that begin with those for what happened.
    fn called(&self, event: &str, said: &str) -> Option<String> {
        let whole = format!("{event} {}", said.to_lowercase());
        let words = crate::language::text::tokens(&whole);
        let (end, _) = self.vocabulary.named(&words, 0)?;
        (end == words.len()).then_some(whole)
    }

    /// The words for the place of an event, where a field is called so: "arrival port".
    pub(super) fn place_of_event(&self, event: &str) -> Option<String> {
        let begin = format!("{event} ");
        let mut fields = self.vocabulary.fields().iter();
        fields.find_map(|field| {
            let mut synonyms = field.synonyms.iter().map(|words| words.to_lowercase());
            let place = field.entity_type.is_some();
            synonyms.find(|words| place && words.starts_with(&begin))
        })
    }

    /// Calls groups by what happened to their records, whether a noun or a verb says it: the port
    /// of "shipments that left in December by port" is the departure port.
    pub(super) fn groups_of_the_event(&mut self) {
        let verb = || {
            let said = self.request.time_words.as_deref()?;
            let all = crate::language::text::tokens(said);
            let mut words = all.iter().filter(|token| token.is_word());
            words.find_map(|word| {
                let is_known = self.vocabulary.has_event(&word.text);
                self.event(Some(&word.text)).filter(|_| is_known)
            })
        };
        let noun = self.event_noun.as_deref();
        let Some(event) = noun.and_then(|noun| self.event(Some(noun))).or_else(verb) else {
            return;
        };
        let fields = self.vocabulary.fields().iter();
        let words: Vec<String> = fields
            .filter(|field| field.name == event.actual)
            .flat_map(|field| field.synonyms.clone())
            .collect();
        for at in 0..self.request.group_by.len() {
            let group = &self.request.group_by[at];
            let Some(said) = group.term.clone().filter(|_| group.interval.is_none()) else {
                continue;
            };
            let Some(whole) = words.iter().find_map(|word| self.called(word, &said)) else {
                continue;
            };
            for term in &mut self.request.terms {
                if term.role == TermRole::GroupBy && term.text == said {
                    term.text.clone_from(&whole);
                }
            }
            self.request.group_by[at].term = Some(whole);
        }
    }
}
