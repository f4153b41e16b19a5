//! A picture of groups: a line over time, bars by what they are made by.

use contracts::{
    tools::search::{FieldType, QueryRun, ResultColumn},
    ui::{AxisSide, ChartSeries, ChartType, DynamicChart},
};
use serde_json::{Map, Value};

use super::COUNT;
use crate::words;

/// Points of a line, bars, series of an axis, characters of a title.
const POINTS: usize = 400;
const BARS: usize = 30;
const SERIES: usize = 4;
const TITLE: usize = 80;

/// Words of a request that asks how many records there are.
const COUNTING: [&str; 3] = ["how many", "number of", "count"];

/// The chart of an aggregation by one thing; `None` where the rows make no picture. An axis has
/// figures of one unit: what was asked for is on the left, figures of another unit on the right.
/// What is not drawn is in the rows.
pub(crate) fn chart(title: &str, run: &QueryRun) -> Option<DynamicChart> {
    let query = run.structure.as_ref()?;
    let [by] = query.group_by.as_slice() else {
        return None;
    };
    if !run.aggregated || run.rows.len() < 2 {
        return None;
    }
    let x = run.columns.iter().find(|column| column.name == by.field)?;
    let figures = asked_first(run, title);
    let is_time = x.field_type == Some(FieldType::Date);
    let most = if is_time { POINTS } else { BARS };
    if figures.is_empty() || run.rows.len() > most {
        return None;
    }
    let mut units: Vec<String> = Vec::new();
    for column in &figures {
        let unit = quantity(column);
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    let on_axis = |unit: Option<&String>| -> Vec<&ResultColumn> {
        let drawn = figures.iter().copied();
        drawn
            .filter(|column| unit.is_some_and(|unit| quantity(column) == *unit))
            .take(SERIES)
            .collect()
    };
    let (left, right) = (on_axis(units.first()), on_axis(units.get(1)));
    let is_mixed = !is_time && !right.is_empty();
    let series = |column: &ResultColumn, side: AxisSide| ChartSeries {
        data_key: column.name.clone(),
        name: named(column),
        // Figures of another unit are not drawn as bars beside bars.
        kind: is_mixed.then_some(match side {
            AxisSide::Left => ChartType::Bar,
            AxisSide::Right => ChartType::Scatter,
        }),
        color: None,
        low_key: None,
        high_key: None,
        y_axis_id: (side == AxisSide::Right).then_some(side),
    };
    let drawn = |row: &Map<String, Value>| row.get(&x.name).is_some_and(|place| !place.is_null());
    let data: Vec<_> = run.rows.iter().filter(|row| drawn(row)).cloned().collect();
    Some(DynamicChart {
        chart_type: if is_time {
            ChartType::Line
        } else if is_mixed {
            ChartType::Composed
        } else {
            ChartType::Bar
        },
        title: title
            .trim_end_matches(['?', '.', '!'])
            .chars()
            .take(TITLE)
            .collect(),
        x_axis_key: x.name.clone(),
        x_axis_label: Some(words::capital(&x.label)),
        y_axis_label: axis_label(&left),
        y_axis_right_label: axis_label(&right),
        series: left
            .iter()
            .map(|column| series(column, AxisSide::Left))
            .chain(right.iter().map(|column| series(column, AxisSide::Right)))
            .collect(),
        data,
        summary_stats: None,
    })
}

/// The columns with figures, those that the request asks for first. Every source reports how many
/// records a group has; that column is included only where it is the only one, or where the request
/// asks for it.
pub(super) fn asked_first<'r>(run: &'r QueryRun, request: &str) -> Vec<&'r ResultColumn> {
    let groups = run.structure.as_ref().map(|query| &query.group_by);
    let is_group = |column: &ResultColumn| {
        groups.is_some_and(|groups| groups.iter().any(|by| by.field == column.name))
    };
    let figures = run.columns.iter();
    let figures = figures.filter(|column| !is_group(column) && is_figure(run, column));
    let (counts, mut asked): (Vec<_>, Vec<_>) = figures.partition(|column| column.name == COUNT);
    let request = request.to_lowercase();
    let asks_how_many = COUNTING.iter().any(|word| request.contains(word));
    if asked.is_empty() || asks_how_many {
        asked.extend(counts);
    }
    asked
}

/// The quantity of a column: figures of one unit belong on one axis, figures without a unit with
/// only their like.
fn quantity(column: &ResultColumn) -> String {
    match (&column.unit, column.field_type) {
        (Some(unit), _) => unit.clone(),
        (None, Some(FieldType::Long)) if column.label.starts_with(COUNT) => COUNT.to_owned(),
        (None, _) => column.label.clone(),
    }
}

fn named(column: &ResultColumn) -> String {
    let heading = words::heading(&column.label, column.unit.as_deref());
    match &column.unit {
        Some(unit) => format!("{heading} ({unit})"),
        None => heading,
    }
}

/// The axis of these columns: the one that there is, otherwise their unit.
fn axis_label(columns: &[&ResultColumn]) -> Option<String> {
    match columns {
        [] => None,
        [one] => Some(named(one)),
        [first, ..] => first.unit.as_ref().map(|unit| format!("Value ({unit})")),
    }
}

fn is_figure(run: &QueryRun, column: &ResultColumn) -> bool {
    let mut values = run.rows.iter().filter_map(|row| row.get(&column.name));
    values.all(|value| value.is_number() || value.is_null())
}
