//! What happened to the records of the old query: "by port" of departures is by the departure port,
//! and "in December" is when they left.

use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FieldType, FilterOp, IndexDescription, QueryStructure};

use crate::language::request::Request;

/// The date on which it happened to the records of a query: that of its days, or the one that is
/// known of all of them.
pub(super) fn date_of(old: &QueryStructure, index: &IndexDescription) -> Option<String> {
    if let Some(days) = &old.time_range {
        return days.field.clone();
    }
    let is_date = |name: &String| {
        let mut fields = index.fields.iter();
        fields.any(|field| field.name == *name && field.field_type == FieldType::Date)
    };
    let mut known = old.filters.iter().filter(|filter| {
        filter.op == FilterOp::Exists && filter.or.is_empty() && is_date(&filter.field)
    });
    let first = known.next()?.field.clone();
    known.next().is_none().then_some(first)
}

/// Calls the groups of a change by what happened to the records, where a field is called so: the
/// port of departures is the departure port.
pub(super) fn groups_of_it(request: &mut Request, old: &QueryStructure, index: &IndexDescription) {
    let Some(date) = date_of(old, index) else {
        return;
    };
    let dates = index.fields.iter().filter(|field| field.name == date);
    let words: Vec<String> = dates
        .flat_map(|field| &field.synonyms)
        .map(|word| word.to_lowercase())
        .filter(|word| !word.contains(' '))
        .collect();
    for group in &mut request.group_by {
        let Some(said) = group.term.clone().filter(|_| group.interval.is_none()) else {
            continue;
        };
        let whole = words.iter().find_map(|word| {
            let whole = format!("{word} {}", said.to_lowercase());
            let mut fields = index.fields.iter();
            let called = fields.any(|field| {
                let mut synonyms = field.synonyms.iter();
                field.field_type != FieldType::Date
                    && (field.name.replace('_', " ") == whole
                        || synonyms.any(|synonym| synonym.to_lowercase() == whole))
            });
            called.then_some(whole)
        });
        let Some(whole) = whole else { continue };
        for term in &mut request.terms {
            if term.role == TermRole::GroupBy && term.text == said {
                term.text.clone_from(&whole);
            }
        }
        group.term = Some(whole);
    }
}
