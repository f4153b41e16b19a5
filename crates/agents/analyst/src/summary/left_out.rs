//! Records that a figure, a group or a condition leaves out because a value is not there, and in
//! what words the answer says so.

use contracts::tools::search::{Filter, FilterOp, Measure, MeasureOp, QueryRun, QueryStructure};
use serde_json::Value;

use super::conditions::adjective;
use crate::words;

/// Maximum number of questions behind an answer.
const MOST: usize = 2;

/// A question behind an answer: how many records are left out, and why.
pub(crate) struct LeftOut {
    /// Counts them.
    pub(crate) query: QueryStructure,
    why: Why,
}

enum Why {
    /// They have no value of this field, of which a figure is made.
    NoFigure(String),
    /// They have no such date, so no group holds them.
    NoGroup(String),
    /// It is not known whether they are so.
    Unknown(String),
    /// They have no value to compare.
    NoValue(String),
}

/// What may be left out of a result.
pub(crate) fn of(run: &QueryRun) -> Vec<LeftOut> {
    let Some(query) = &run.structure else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for filter in query.filters.iter().filter(|filter| filter.or.is_empty()) {
        let compares_below = matches!(filter.op, FilterOp::Lt | FilterOp::Lte)
            && filter.values.iter().all(Value::is_number);
        if is_denied(filter) {
            let bare = Filter {
                values: vec![Value::Bool(true)],
                op: FilterOp::Is,
                ..filter.clone()
            };
            let state = adjective(&bare).unwrap_or_else(|| words::label(&filter.field));
            found.push(without(query, &filter.field, Why::Unknown(state)));
        } else if compares_below {
            let field = words::label(&filter.field);
            found.push(without(query, &filter.field, Why::NoValue(field)));
        }
    }
    let compared = |field: &String| query.filters.iter().any(|filter| filter.field == *field);
    for measure in &query.measures {
        let computed = matches!(
            measure.op,
            MeasureOp::Sum | MeasureOp::Average | MeasureOp::Minimum | MeasureOp::Maximum
        );
        if let Some(field) = measure
            .field
            .as_ref()
            .filter(|field| computed && !compared(field))
        {
            let why = Why::NoFigure(words::label(field));
            found.push(without(query, field, why));
        }
    }
    for group in query
        .group_by
        .iter()
        .filter(|group| group.interval.is_some())
    {
        let dated = query
            .time_range
            .as_ref()
            .and_then(|range| range.field.as_ref());
        let shown = run
            .rows
            .iter()
            .any(|row| row.get(&group.field).is_none_or(Value::is_null));
        if dated != Some(&group.field) && !compared(&group.field) && !shown {
            let why = Why::NoGroup(words::label(&group.field));
            found.push(without(query, &group.field, why));
        }
    }
    found.truncate(MOST);
    found
}

/// Whether a condition is negated.
fn is_denied(filter: &Filter) -> bool {
    match filter.values.as_slice() {
        [Value::Bool(wanted)] => matches!(
            (filter.op, wanted),
            (FilterOp::Is, false) | (FilterOp::IsNot, true)
        ),
        _ => false,
    }
}

/// The same records without a value of the field.
fn without(query: &QueryStructure, field: &str, why: Why) -> LeftOut {
    let mut filters: Vec<Filter> = query
        .filters
        .iter()
        .filter(|filter| filter.field != field)
        .cloned()
        .collect();
    filters.push(Filter {
        field: field.to_owned(),
        op: FilterOp::Missing,
        values: Vec::new(),
        label: None,
        or: Vec::new(),
    });
    LeftOut {
        query: QueryStructure {
            index: query.index.clone(),
            filters,
            time_range: query.time_range.clone(),
            measures: vec![Measure {
                op: MeasureOp::Count,
                field: None,
            }],
            ..QueryStructure::default()
        },
        why,
    }
}

impl LeftOut {
    /// The sentence for a number of records; empty for none.
    pub(crate) fn told(&self, count: u64, (singular, plural): &(String, String)) -> Option<String> {
        if count == 0 {
            return None;
        }
        let one = count == 1;
        let number = words::whole(count);
        let noun = if one { singular } else { plural };
        let (have, are, they) = if one {
            ("has", "is", "it is")
        } else {
            ("have", "are", "they are")
        };
        Some(match &self.why {
            Why::NoFigure(field) => {
                format!("{number} of these {plural} {have} no {field} and {are} not in the figure.")
            }
            Why::NoGroup(field) => {
                format!("{number} of these {plural} {have} no {field} and {are} in no group.")
            }
            Why::Unknown(state) => {
                format!(
                    "{number} more {noun} {are} left out, because it is not known whether {they} {state}."
                )
            }
            Why::NoValue(field) => {
                format!("{number} more {noun} {are} left out, because no {field} is known of them.")
            }
        })
    }
}
