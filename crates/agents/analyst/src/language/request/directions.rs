//! The records of requests that say where something goes or comes from: "how many boxes went to
//! Genoa" is of shipments, which have a destination and a number of containers.

use std::ops::Range;

use contracts::tools::search::{FieldDescription, FieldType, IndexDescription};

use super::due;
use super::scan::{Scan, Use};
use super::vocabulary::Vocabulary;
use super::words::FILLERS;
use crate::language::text::{stem, tokens};

/// Words before a place that say a direction.
const WAYS: &[&str] = &["to", "from", "into", "towards", "toward"];
/// Words of fields that have a direction.
const OF_FIELDS: &[&str] = &[
    "to",
    "from",
    "origin",
    "destination",
    "discharge",
    "loading",
    "sender",
    "recipient",
    "consignee",
];
/// Words behind which "to" and "from" are of something else.
const OTHERWISE: &[&str] = &[
    "due",
    "up",
    "compared",
    "similar",
    "close",
    "equal",
    "according",
    "back",
    "next",
    "yet",
    "want",
    "like",
    "going",
    "need",
    "have",
    "has",
    "belong",
    "belongs",
    "apart",
    "aside",
    "different",
    "related",
    "respect",
];

/// An index that is asked in the place of the one that is named.
pub(super) struct Instead<'s> {
    pub(super) index: &'s IndexDescription,
    /// The number of it that counts what is named.
    pub(super) counted_by: Option<String>,
}

/// Whether a request says where something goes or comes from.
pub(super) fn is_directed(scan: &Scan<'_>) -> bool {
    (0..scan.tokens.len().min(200)).any(|at| {
        // "Arrived in Hamburg".
        let happened = at > 0
            && scan.is(at, &["in", "at"])
            && scan
                .word(at - 1)
                .is_some_and(|word| scan.vocabulary.is_event(word));
        if !(happened || scan.is(at, WAYS)) || at > 0 && scan.is(at - 1, OTHERWISE) {
            return false;
        }
        let next = scan.past(at + 1, &["the", "port", "of", "harbour", "terminal", "all"]);
        match scan.uses.get(next) {
            Some(Use::Name) => true,
            Some(Use::Free) => scan.word(next).is_some_and(|word| {
                !scan.is(next, FILLERS)
                    && !scan.vocabulary.is_event(word)
                    && scan.vocabulary.noun(&scan.tokens, next).is_none()
            }),
            _ => false,
        }
    })
}

/// Whether things of an index go somewhere.
pub(super) fn has_direction(index: &IndexDescription) -> bool {
    index.fields.iter().any(is_of_direction)
}

fn is_of_direction(field: &FieldDescription) -> bool {
    let own = std::iter::once(field.name.as_str()).chain(field.synonyms.iter().map(String::as_str));
    field.entity_type.is_some()
        && own
            .flat_map(tokens)
            .flat_map(|token| token.text.split('_').map(str::to_owned).collect::<Vec<_>>())
            .any(|word| OF_FIELDS.contains(&word.as_str()))
}

/// The index with a direction that knows of what is named, where the one that is named has none.
pub(super) fn of_direction<'s>(
    scan: &Scan<'s>,
    named: &'s IndexDescription,
    noun: Range<usize>,
) -> Option<Instead<'s>> {
    let mut indices = scan
        .sources
        .sources
        .iter()
        .flat_map(|source| &source.indices)
        .filter(|index| index.name != named.name);
    // "Container count" is a field of another index.
    let own = known(named);
    let longer = indices.clone().find_map(|index| {
        let (end, fields) = known(index).named(&scan.tokens, noun.start)?;
        let mut fields = fields.into_iter().map(|field| &index.fields[field]);
        let number = fields.find(|field| field.field_type.is_number())?;
        let more = end > noun.end && own.named(&scan.tokens, noun.start).is_none();
        more.then(|| Instead {
            index,
            counted_by: Some(number.name.clone()),
        })
    });
    if longer.is_some() {
        return longer;
    }
    if has_direction(named) || !is_directed(scan) {
        return None;
    }
    indices.find_map(|index| {
        if !has_direction(index) {
            return None;
        }
        let counted_by = counter(named, index);
        let kind = named.entity_type.as_ref();
        let mut fields = index.fields.iter();
        let refers = fields.any(|field| {
            field.entity_type.is_some()
                && field.entity_type.as_ref() == kind
                && !is_of_direction(field)
        });
        // Ports do not go to ports.
        let mut fields = index.fields.iter();
        let goes =
            !fields.any(|field| is_of_direction(field) && field.entity_type.as_ref() == kind);
        (goes && (refers || counted_by.is_some())).then_some(Instead { index, counted_by })
    })
}

/// The number field of an index that counts the things of another: `container_count`.
fn counter(named: &IndexDescription, index: &IndexDescription) -> Option<String> {
    let vocabulary = known(index);
    let fields = named.nouns.iter().find_map(|noun| {
        let words = tokens(noun);
        let (end, fields) = vocabulary.named(&words, 0)?;
        (end == words.len()).then_some(fields)
    })?;
    let mut fields = fields.into_iter().map(|field| &index.fields[field]);
    let number = fields.find(|field| field.field_type == FieldType::Long)?;
    Some(number.name.clone())
}

/// The index that has the most of what a request without a noun says: its fields, values and the
/// direction; of equals the one that has what is planned and what happened, where the request says
/// a direction.
pub(super) fn best_fit<'s>(scan: &Scan<'s>) -> Option<&'s IndexDescription> {
    let directed = is_directed(scan);
    let scored: Vec<(usize, &IndexDescription)> = scan
        .sources
        .sources
        .iter()
        .flat_map(|source| &source.indices)
        .map(|index| {
            let own = known(index);
            let words = (0..scan.tokens.len().min(200)).filter(|at| scan.free(*at));
            let understood = words.filter(|at| {
                scan.vocabulary.entity_type(&scan.tokens, *at).is_none()
                    && (own.valued(&scan.tokens, *at).is_some()
                        || own.affirmed(&scan.tokens, *at).is_some()
                        || own.named(&scan.tokens, *at).is_some())
            });
            let way = usize::from(directed && has_direction(index));
            (2 * understood.count() + 3 * way, index)
        })
        .collect();
    let most = scored.iter().map(|(score, _)| *score).max()?;
    let mut best = scored
        .iter()
        .filter(|(score, _)| *score == most && most > 0)
        .map(|(_, index)| *index);
    let first = best.next()?;
    if best.next().is_none() {
        return Some(first);
    }
    let mut best = scored.iter().filter(|(score, _)| *score == most);
    best.find(|(_, index)| directed && due::has_plan(index))
        .map(|(_, index)| *index)
}

fn known(index: &IndexDescription) -> Vocabulary<'_> {
    let mut vocabulary = Vocabulary::empty();
    vocabulary.know(index);
    vocabulary
}

impl Scan<'_> {
    /// Remarks that "went to" limits only the place, where records also say whether they have
    /// arrived: records that are booked, in transit or cancelled are among them.
    pub(super) fn say_what_went(&mut self) {
        const WENT: &[&str] = &["went", "came", "gone", "sent", "shipped", "moved"];
        let Some(at) = (0..self.tokens.len()).find(|at| {
            self.is(*at, WENT)
                && (self.is(at + 1, WAYS) || self.is(at + 1, &["there"]))
                && self.request.time_range.is_none()
        }) else {
            return;
        };
        let is_state = |field: &&FieldDescription| {
            field.field_type == FieldType::Keyword && field.name.contains("status")
        };
        let fields = self.vocabulary.fields();
        let Some(state) = fields.iter().copied().find(is_state) else {
            return;
        };
        let arrives = self.event(None).filter(|_| state.values.len() > 1);
        let conditions: Vec<&str> = self
            .request
            .terms
            .iter()
            .filter(|term| term.op.is_some())
            .map(|term| term.text.as_str())
            .collect();
        let (Some(arrives), true) = (arrives, conditions.is_empty()) else {
            return;
        };
        let values: Vec<String> = state
            .values
            .iter()
            .map(|value| value.replace('_', " "))
            .collect();
        let said = self.words(at..at + 2).to_lowercase();
        let actual = due::spoken(&arrives.actual);
        self.request.remarks.push(format!(
            "\u{201c}{}\u{201d} is read as the place alone: every status counts ({}). Ask for those with a known {actual} to leave out the others.",
            crate::words::capital(&said),
            values.join(", ")
        ));
    }

    /// The words for a field at a place: what is counted by a field of another name is called so.
    pub(super) fn field_words(&self, range: Range<usize>) -> String {
        let said = self.words(range.clone());
        match &self.counted_by {
            Some((noun, field)) => {
                let same = self.tokens.get(noun.clone()).is_some_and(|noun| {
                    let all = self.tokens.get(range).unwrap_or_default();
                    !noun.is_empty()
                        && all.len() == noun.len()
                        && noun
                            .iter()
                            .zip(all)
                            .all(|(one, other)| stem(&one.text) == stem(&other.text))
                });
                if same { due::spoken(field) } else { said }
            }
            None => said,
        }
    }
}
