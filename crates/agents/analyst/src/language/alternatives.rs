//! "To Hamburg or from Hamburg", "late or hazardous": conditions on several fields, one of which is
//! enough.

use std::ops::Range;

use contracts::tools::meanings::{FieldMapping, TermRole};
use contracts::tools::search::{Filter, QueryStructure};

use super::request::Request;
use super::text::{Token, tokens};

/// Words between conditions that add nothing to "or".
const SMALL: &[&str] = &[
    "to", "from", "into", "in", "at", "on", "via", "by", "the", "a", "an", "port", "of", "is",
    "are", "was", "were", "be", "that", "which", "who", "either", "ones", "with", "for",
];

/// A condition where its words are.
struct Said {
    place: Range<usize>,
    field: String,
    /// The values of it, to find it in the query.
    values: Vec<serde_json::Value>,
}

/// Joins conditions of `structure` that the words of `text` say are alternatives, and returns the
/// places of those words.
pub fn join_alternatives(
    text: &str,
    request: &Request,
    mapping: &FieldMapping,
    structure: &mut QueryStructure,
) -> Vec<Range<usize>> {
    let all = tokens(text);
    let said = said(&all, mapping);
    let mut used = Vec::new();
    for operator in &request.operators {
        if operator.word != "or" {
            continue;
        }
        let plain = |range: Range<usize>| {
            let mut between = all
                .iter()
                .filter(|token| token.start >= range.start && token.end <= range.end);
            between.all(|token| token.is(SMALL))
        };
        let before = said
            .iter()
            .filter(|said| said.place.end <= operator.span.start)
            .max_by_key(|said| said.place.end)
            .filter(|said| plain(said.place.end..operator.span.start));
        let behind = said
            .iter()
            .filter(|said| said.place.start >= operator.span.end)
            .min_by_key(|said| said.place.start)
            .filter(|said| plain(operator.span.end..said.place.start));
        let (Some(before), Some(behind)) = (before, behind) else {
            continue;
        };
        if before.field == behind.field
            || excludes(structure, behind)
            || excludes(structure, before)
        {
            continue;
        }
        if join(structure, before, behind) {
            used.push(operator.span.clone());
        }
    }
    used
}

/// The conditions of a mapping with their places.
fn said(all: &[Token], mapping: &FieldMapping) -> Vec<Said> {
    let places = |words: &str| -> Vec<Range<usize>> {
        let wanted: Vec<String> = tokens(words).into_iter().map(|token| token.text).collect();
        let windows = all.windows(wanted.len().max(1));
        windows
            .filter(|window| {
                !wanted.is_empty() && window.iter().map(|token| &token.text).eq(&wanted)
            })
            .filter_map(|window| Some(window.first()?.start..window.last()?.end))
            .collect()
    };
    let mut found: Vec<Said> = Vec::new();
    for (at, entity) in mapping.entities.iter().enumerate() {
        let mention = &entity.mention;
        let same = |other: &&contracts::tools::meanings::MappedEntity| other.mention == *mention;
        // The fields of one name in the order of its places.
        let mut fields: Vec<&String> = Vec::new();
        for other in mapping.entities.iter().filter(same) {
            if !fields.contains(&&other.field) {
                fields.push(&other.field);
            }
        }
        let turn = fields.iter().position(|field| **field == entity.field);
        let places = places(mention);
        let own = if fields.len() == 1 {
            places
        } else {
            let place = turn.and_then(|turn| places.get(turn).cloned());
            place.into_iter().collect()
        };
        let known = mapping.entities[..at]
            .iter()
            .any(|other| other.mention == *mention && other.field == entity.field);
        for place in own.into_iter().filter(|_| !known) {
            found.push(Said {
                place,
                field: entity.field.clone(),
                values: vec![entity.value.clone().into()],
            });
        }
    }
    let terms = mapping.fields.iter();
    for term in terms.filter(|term| term.role == TermRole::Filter) {
        for place in places(&term.term) {
            found.push(Said {
                place,
                field: term.field.clone(),
                values: term.values.clone(),
            });
        }
    }
    found
}

/// The place of the condition in the query.
fn place(structure: &QueryStructure, said: &Said) -> Option<usize> {
    structure.filters.iter().position(|filter| {
        filter.alternatives().iter().any(|one| {
            one.field == said.field && said.values.iter().all(|value| one.values.contains(value))
        })
    })
}

fn excludes(structure: &QueryStructure, said: &Said) -> bool {
    use contracts::tools::search::FilterOp::{IsNot, Missing};
    place(structure, said)
        .is_some_and(|place| matches!(structure.filters[place].op, IsNot | Missing))
}

fn join(structure: &mut QueryStructure, before: &Said, behind: &Said) -> bool {
    let (Some(first), Some(second)) = (place(structure, before), place(structure, behind)) else {
        return false;
    };
    if first == second {
        return true;
    }
    let more = structure.filters.remove(second);
    let first = if second < first { first - 1 } else { first };
    let one = structure.filters[first].clone();
    if let Some(joined) = Filter::any_of([one, more]) {
        structure.filters[first] = joined;
    }
    true
}
