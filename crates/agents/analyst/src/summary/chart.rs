//! A picture of groups: a line over time, bars by what they are made by.

use contracts::{
    tools::search::{FieldType, QueryRun, ResultColumn},
    ui::{ChartSeries, ChartType, DynamicChart},
};
use serde_json::{Map, Value};

use crate::words;

/// Points of a line, bars, series of one chart, characters of a title.
const POINTS: usize = 400;
const BARS: usize = 30;
const SERIES: usize = 4;
const TITLE: usize = 80;

/// The chart of an aggregation by one thing; `None` where the rows make no picture.
pub(crate) fn chart(title: &str, run: &QueryRun) -> Option<DynamicChart> {
    let query = run.structure.as_ref()?;
    let [by] = query.group_by.as_slice() else {
        return None;
    };
    if !run.aggregated || run.rows.len() < 2 {
        return None;
    }
    let x = run.columns.iter().find(|column| column.name == by.field)?;
    let series: Vec<&ResultColumn> = run
        .columns
        .iter()
        .filter(|column| column.name != by.field && is_figure(run, column))
        .collect();
    let is_time = x.field_type == Some(FieldType::Date);
    let most = if is_time { POINTS } else { BARS };
    if series.is_empty() || series.len() > SERIES || run.rows.len() > most {
        return None;
    }
    let drawn = |row: &Map<String, Value>| row.get(&x.name).is_some_and(|place| !place.is_null());
    let data: Vec<_> = run.rows.iter().filter(|row| drawn(row)).cloned().collect();
    let named = |column: &ResultColumn| match &column.unit {
        Some(unit) => format!("{} ({unit})", words::capital(&column.label)),
        None => words::capital(&column.label),
    };
    Some(DynamicChart {
        chart_type: if is_time {
            ChartType::Line
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
        y_axis_label: match series.as_slice() {
            [one] => Some(named(one)),
            _ => None,
        },
        y_axis_right_label: None,
        series: series
            .iter()
            .map(|column| ChartSeries {
                data_key: column.name.clone(),
                name: named(column),
                kind: None,
                color: None,
                y_axis_id: None,
            })
            .collect(),
        data,
        summary_stats: None,
    })
}

fn is_figure(run: &QueryRun, column: &ResultColumn) -> bool {
    let mut values = run.rows.iter().filter_map(|row| row.get(&column.name));
    values.all(|value| value.is_number() || value.is_null())
}
