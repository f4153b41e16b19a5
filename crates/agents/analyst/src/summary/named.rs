//! The first records and groups by their names, as the text of an answer has them.

use contracts::tools::search::{FieldType, Grouping, Interval, QueryRun, ResultColumn};
use serde_json::{Map, Value};

use super::chart::asked_first;
use super::{ties, values};
use crate::words;

/// Records that are named.
const RECORDS: usize = 10;
/// Groups that are named.
const GROUPS: usize = 12;

/// `: SHP-1, SHP-2 and 140 more`, each with what it is sorted by; nothing without rows.
pub(super) fn records(run: &QueryRun) -> String {
    if run.rows.is_empty() {
        return String::new();
    }
    let sorted = run.structure.as_ref().and_then(|query| {
        let by = &query.sort.first()?.by;
        let number = |column: &&ResultColumn| {
            column.name == *by && column.field_type.is_some_and(FieldType::is_number)
        };
        run.columns.iter().find(number)
    });
    let mut all: Vec<String> = run
        .rows
        .iter()
        .take(RECORDS)
        .map(|row| {
            let name = ties::name(run, row);
            match sorted.and_then(|column| Some((column, row.get(&column.name)?))) {
                Some((column, value)) => format!("{name} ({})", values::with_unit(value, column)),
                None => name,
            }
        })
        .collect();
    if all.iter().all(String::is_empty) {
        return String::new();
    }
    let named = all.len() as u64;
    if run.total.value > named {
        all.push(format!("{} more", words::whole(run.total.value - named)));
    }
    format!(": {}", words::list(all))
}

/// A line for each of the first groups.
pub(super) fn groups(run: &QueryRun) -> String {
    let figures = asked_first(run, "");
    if figures.is_empty() || run.rows.len() < 2 {
        return String::new();
    }
    let mut lines: Vec<String> = run
        .rows
        .iter()
        .take(GROUPS)
        .map(|row| format!("- {}: {}", name(run, row), said(row, &figures)))
        .collect();
    if run.rows.len() > GROUPS {
        let more = (run.rows.len() - GROUPS) as u64;
        lines.push(format!("- {} more", words::whole(more)));
    }
    format!("\n\n{}", lines.join("\n"))
}

fn said(row: &Map<String, Value>, figures: &[&ResultColumn]) -> String {
    let each = figures.iter().filter_map(|column| {
        let value = row.get(&column.name)?;
        let value = values::with_unit(value, column);
        Some(match figures {
            [_] => value,
            _ => format!("{} {value}", column.label),
        })
    });
    words::list(each)
}

/// The name of a group: a month by its name and year.
pub(super) fn name(run: &QueryRun, row: &Map<String, Value>) -> String {
    let groups = run
        .structure
        .as_ref()
        .map_or(&[][..], |query| &query.group_by);
    let each = groups
        .iter()
        .filter_map(|group| Some(of_group(group, row.get(&group.field)?)));
    words::list(each)
}

/// The name of a group by one thing.
pub(super) fn of_group(group: &Grouping, value: &Value) -> String {
    let day = value
        .as_str()
        .and_then(|text| text.get(..10)?.parse::<chrono::NaiveDate>().ok());
    if let (Some(Interval::Month), Some(day)) = (group.interval, day) {
        return day.format("%B %Y").to_string();
    }
    let length = match group.interval {
        Some(Interval::Year) => 4,
        Some(Interval::Month | Interval::Quarter) => 7,
        Some(Interval::Week | Interval::Day) => 10,
        Some(Interval::Hour) | None => return values::plain(value),
    };
    match value.as_str().and_then(|day| day.get(..length)) {
        Some(day) => day.to_owned(),
        None => values::plain(value),
    }
}
