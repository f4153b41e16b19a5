//! Records and groups that share a place: the answer to a question for the first of some names
//! those that are as great.

use contracts::tools::search::{FieldType, QueryRun, QueryStructure};
use serde_json::{Map, Value};

use super::values;
use crate::words;

/// Longer lists show the ends themselves.
const MOST: u32 = 20;
/// Number of groups behind the last one that are looked at.
const BEHIND: u32 = 10;
/// Maximum number of groups that are named.
const NAMED: usize = 5;

/// The query for what comes behind the rows of a run that a number was asked of; `None` where no
/// tie can be cut off.
pub(crate) fn behind(run: &QueryRun) -> Option<QueryStructure> {
    let query = run.structure.as_ref()?;
    let limit = query.limit.filter(|limit| *limit <= MOST)?;
    let by = query.sort.first()?;
    let column = run.columns.iter().find(|column| column.name == by.by)?;
    let number = column.field_type.is_some_and(FieldType::is_number);
    let whole = run.rows.len() as u64 == u64::from(limit);
    let more = run.aggregated || run.total.value > u64::from(limit);
    (number && whole && more).then(|| QueryStructure {
        limit: Some(limit + BEHIND),
        ..query.clone()
    })
}

/// ` Port of Hamburg shares this place with Port of Rotterdam: both have 12.`; nothing where the
/// next one is not as great.
pub(crate) fn told(run: &QueryRun, longer: &QueryRun) -> Option<String> {
    let query = run.structure.as_ref()?;
    let by = &query.sort.first()?.by;
    let column = run.columns.iter().find(|column| column.name == *by)?;
    let last = run.rows.last()?;
    let value = last.get(by).filter(|value| !value.is_null())?;
    let same: Vec<&Map<String, Value>> = longer
        .rows
        .iter()
        .skip(run.rows.len())
        .take_while(|row| row.get(by) == Some(value))
        .collect();
    if same.is_empty() {
        return None;
    }
    let all = same.len() >= BEHIND as usize;
    let named = same.iter().take(NAMED).map(|row| name(run, row));
    let names = words::list(named);
    let others = match same.len() {
        count if count > NAMED && all => format!("at least {count} others ({names}, and more)"),
        count if count > NAMED => format!("{count} others ({names}, and more)"),
        _ => names,
    };
    let said = values::with_unit(value, column);
    let label = &column.label;
    Some(if run.rows.len() == 1 {
        format!(
            "{} shares this place with {others}: each has {label} {said}.",
            words::capital(&name(run, last))
        )
    } else {
        format!("The last place is shared with {others}: each has {label} {said}.")
    })
}

/// The name of a row: its group, or the first thing that it shows.
pub(super) fn name(run: &QueryRun, row: &Map<String, Value>) -> String {
    let groups = run
        .structure
        .as_ref()
        .map_or(&[][..], |query| &query.group_by);
    if groups.is_empty() {
        let first = run.columns.iter().find_map(|column| row.get(&column.name));
        return first.map_or_else(String::new, values::plain);
    }
    let each = groups
        .iter()
        .filter_map(|group| row.get(&group.field))
        .map(values::plain);
    words::list(each)
}
