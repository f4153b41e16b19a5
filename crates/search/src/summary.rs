//! A query as a sentence.

use contracts::tools::search::{
    Filter, FilterOp, IndexDescription, Measure, MeasureOp, QueryStructure,
};
use serde_json::Value;

use crate::columns::{interval_word, measure_word};

/// Describes a checked query: `shipments index, filters: destination_port = Port of Miami,
/// actual_arrival from 2025-01-08 to 2025-01-15`.
pub fn summary(structure: &QueryStructure, index: &IndexDescription) -> String {
    let mut text = vec![format!("{} index", index.name)];
    let mut computed = Vec::new();
    if !structure.measures.is_empty() {
        let measures: Vec<String> = structure.measures.iter().map(measure).collect();
        computed.push(and(&measures));
    }
    if !structure.group_by.is_empty() {
        let groups: Vec<String> = structure
            .group_by
            .iter()
            .map(|group| match group.interval {
                Some(interval) => format!("{} of {}", interval_word(interval), group.field),
                None => group.field.clone(),
            })
            .collect();
        computed.push(format!("by {}", and(&groups)));
        if let (Some(limit), Some(first)) = (structure.limit, structure.sort.first()) {
            let way = if first.descending {
                "highest"
            } else {
                "lowest"
            };
            computed.push(format!("(the {limit} {way} by {})", first.by));
        }
    }
    let mut filters: Vec<String> = structure.filters.iter().map(condition).collect();
    if let Some(range) = &structure.time_range {
        let field = range.field.as_deref().unwrap_or("date");
        filters.push(if range.start == range.end {
            format!("{field} on {}", range.start)
        } else {
            format!("{field} from {} to {}", range.start, range.end)
        });
    }
    if !computed.is_empty() {
        text.push(computed.join(" "));
    }
    if !filters.is_empty() {
        text.push(format!("filters: {}", filters.join(", ")));
    }
    text.join(", ")
}

fn condition(filter: &Filter) -> String {
    if !filter.or.is_empty() {
        let each: Vec<String> = filter.alternatives().iter().map(condition).collect();
        return each.join(" or ");
    }
    let field = &filter.field;
    let values = filter.label.clone().unwrap_or_else(|| {
        let values: Vec<String> = filter.values.iter().map(plain).collect();
        values.join(" or ")
    });
    match filter.op {
        FilterOp::Is => format!("{field} = {values}"),
        FilterOp::IsNot => format!("{field} is not {values}"),
        FilterOp::Gt => format!("{field} > {values}"),
        FilterOp::Gte => format!("{field} ≥ {values}"),
        FilterOp::Lt => format!("{field} < {values}"),
        FilterOp::Lte => format!("{field} ≤ {values}"),
        FilterOp::Exists => format!("{field} is known"),
        FilterOp::Missing => format!("{field} is not known"),
        FilterOp::Matches => format!("{field} has the words {values}"),
    }
}

fn measure(measure: &Measure) -> String {
    match (&measure.op, &measure.field) {
        (MeasureOp::Count, None) => "number of records".to_owned(),
        (MeasureOp::Distinct, Some(field)) => format!("number of different {field}"),
        (op, Some(field)) => format!("{} {field}", measure_word(*op)),
        (op, None) => measure_word(*op).to_owned(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn and(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
