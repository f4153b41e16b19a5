//! A picture of rows, where their shape calls for one.

use std::collections::BTreeSet;

use contracts::{
    tools::sql::{ResultColumn, SqlRun, ValueKind},
    ui::{AxisSide, ChartSeries, ChartType, DynamicChart},
};
use serde_json::{Map, Number, Value};

use super::values::{capital, cut, is_no_date, is_period, is_time, label};
use crate::language::names::words;

/// Points of a line.
const POINTS: usize = 400;
/// Bars.
const BARS: usize = 30;
/// Shares of a pie.
const SHARES: usize = 6;
/// Series of one chart.
const SERIES: usize = 4;
/// Characters of a title.
const TITLE: usize = 80;

/// The title: the question, or the columns where the query does not answer all of it.
fn title(question: &str, x: &ResultColumn, figures: &[&ResultColumn]) -> String {
    let question = question.trim().trim_end_matches(['?', '.', '!']);
    if !question.is_empty() {
        return cut(question, TITLE);
    }
    let figures: Vec<String> = figures.iter().map(|column| label(&column.name)).collect();
    let columns = format!("{} by {}", figures.join(", "), label(&x.name));
    cut(&capital(&columns), TITLE)
}

/// The chart: figures by date as a line, by category as bars, or as a pie where a few shares are
/// asked for.
pub(crate) fn chart(question: &str, run: &SqlRun) -> Option<DynamicChart> {
    if run.rows.len() < 2 {
        return None;
    }
    let (figures, labels): (Vec<_>, Vec<_>) = run
        .columns
        .iter()
        .filter(|column| !is_key(column) && !is_number_of_row(column))
        // A year or a month in a number is a place on the time axis, no figure.
        .partition(|column| column.kind == ValueKind::Number && !is_period(column));
    let [x] = labels.as_slice() else { return None };
    if figures.is_empty() || figures.len() > SERIES {
        return None;
    }
    let is_time = is_time(x);
    // A row without a date has no place on the time axis; the text has it.
    let shown = run
        .rows
        .iter()
        .filter(|row| !is_time || !is_no_date(row.get(&x.name)));
    let rows = plotted(shown, x, &figures)?;
    if rows.len() < 2 {
        return None;
    }
    let chart_type = if is_time {
        ChartType::Line
    } else if !matches!(x.kind, ValueKind::Text | ValueKind::Boolean) {
        return None;
    } else if figures.len() == 1
        && rows.len() <= SHARES
        && asks_for_shares(question, figures[0])
        && all_positive(&rows, figures[0])
    {
        ChartType::Pie
    } else {
        ChartType::Bar
    };
    let most = if is_time { POINTS } else { BARS };
    if rows.len() > most {
        return None;
    }
    let (left, right) = axes(&figures);
    let is_mixed = chart_type == ChartType::Bar && !right.is_empty();
    let series = |column: &ResultColumn, side: AxisSide| ChartSeries {
        data_key: column.name.clone(),
        name: capital(&label(&column.name)),
        // Figures of another kind are not drawn as bars beside bars.
        kind: is_mixed.then_some(match side {
            AxisSide::Left => ChartType::Bar,
            AxisSide::Right => ChartType::Scatter,
        }),
        color: None,
        y_axis_id: (side == AxisSide::Right).then_some(side),
        low_key: None,
        high_key: None,
    };
    Some(DynamicChart {
        chart_type: if is_mixed {
            ChartType::Composed
        } else {
            chart_type
        },
        title: title(question, x, &figures),
        x_axis_key: x.name.clone(),
        x_axis_label: Some(capital(&label(&x.name))),
        y_axis_label: axis_label(&left),
        y_axis_right_label: axis_label(&right),
        series: left
            .iter()
            .map(|column| series(column, AxisSide::Left))
            .chain(right.iter().map(|column| series(column, AxisSide::Right)))
            .collect(),
        data: rows,
        summary_stats: None,
    })
}

/// The quantity of a column, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    Time,
    Share,
    Money,
    Count,
    /// The name does not say.
    Other,
}

/// Words that name a quantity.
const QUANTITIES: [(Quantity, &[&str]); 4] = [
    (
        Quantity::Time,
        &["hours", "hour", "minutes", "days", "duration", "overtime"],
    ),
    (
        Quantity::Share,
        &["percent", "percentage", "share", "ratio", "rate"],
    ),
    (
        Quantity::Money,
        &[
            "amount", "net", "gross", "price", "cost", "costs", "revenue", "turnover", "tax",
            "salary", "wage", "balance",
        ],
    ),
    (Quantity::Count, &["count", "number", "quantity"]),
];

fn quantity(column: &ResultColumn) -> Quantity {
    let words = words(&column.name);
    let named = |names: &[&str]| words.iter().any(|word| names.contains(&&**word));
    let known = QUANTITIES.iter().find(|(_, names)| named(names));
    known.map_or(Quantity::Other, |(quantity, _)| *quantity)
}

/// The figures of each axis: those of the first one's quantity, and those of the next one's.
/// Figures whose names do not say may be of one kind or of several; each has an axis of its own.
/// What finds no axis is in the rows.
fn axes<'c>(figures: &[&'c ResultColumn]) -> (Vec<&'c ResultColumn>, Vec<&'c ResultColumn>) {
    let mut axes: [Vec<&ResultColumn>; 2] = [Vec::new(), Vec::new()];
    for figure in figures {
        let fits = |axis: &&mut Vec<&ResultColumn>| {
            let of = quantity(figure);
            axis.first()
                .is_none_or(|first| of != Quantity::Other && quantity(first) == of)
        };
        if let Some(axis) = axes.iter_mut().find(fits) {
            axis.push(figure);
        }
    }
    let [left, right] = axes;
    (left, right)
}

fn axis_label(columns: &[&ResultColumn]) -> Option<String> {
    match columns {
        [one] => Some(capital(&label(&one.name))),
        _ => None,
    }
}

fn is_key(column: &ResultColumn) -> bool {
    words(&column.name)
        .last()
        .is_some_and(|last| last == "id" || last == "uuid")
}

/// Whether a column numbers rows within others: the lines of a delivery.
fn is_number_of_row(column: &ResultColumn) -> bool {
    let last = words(&column.name).pop();
    column.kind == ValueKind::Number && last.is_some_and(|last| ["no", "nr"].contains(&&*last))
}

/// Words of figures that do not add up to a whole.
const NO_PARTS: [&str; 10] = [
    "average", "avg", "mean", "median", "min", "minimum", "lowest", "max", "maximum", "highest",
];

/// Whether a question asks which part of a whole each figure is. "Percent" alone may be the name of
/// a column: "total discount percent".
fn asks_for_shares(question: &str, column: &ResultColumn) -> bool {
    let figure = words(&column.name);
    let question = question.to_lowercase();
    let said = words(&question);
    let has = |names: &[&str]| {
        let mut all = figure.iter().chain(&said);
        all.any(|word| names.contains(&&**word))
    };
    if has(&NO_PARTS) {
        return false;
    }
    let in_percent = ["what percent", "which percent", "in percent", "as percent"];
    if in_percent.iter().any(|words| question.contains(words))
        || question.starts_with("percent")
        || figure.iter().any(|word| word.starts_with("percent"))
    {
        return true;
    }
    let text = format!("{question} {}", column.name.to_lowercase());
    [
        "share",
        "proportion",
        "distribution",
        "breakdown",
        "pie",
        "split",
    ]
    .iter()
    .any(|word| text.contains(word))
}

fn all_positive(rows: &[Map<String, Value>], column: &ResultColumn) -> bool {
    rows.iter().all(|row| {
        row.get(&column.name)
            .and_then(Value::as_f64)
            .is_some_and(|value| value >= 0.0)
    })
}

/// The rows with the figures that are drawn as numbers; `None` when one cannot be drawn, or when
/// two are at the same place.
fn plotted<'a>(
    rows: impl Iterator<Item = &'a Map<String, Value>>,
    x: &ResultColumn,
    figures: &[&ResultColumn],
) -> Option<Vec<Map<String, Value>>> {
    let mut places = BTreeSet::new();
    rows.map(|row| {
        let place = row.get(&x.name).filter(|place| !place.is_null())?;
        if !places.insert(place.to_string()) {
            return None;
        }
        let mut point = row.clone();
        for column in figures {
            let value = match row.get(&column.name)? {
                Value::Null => Value::Null,
                Value::String(text) => Value::Number(Number::from_f64(text.parse().ok()?)?),
                number => Value::Number(number.as_number()?.clone()),
            };
            point.insert(column.name.clone(), value);
        }
        Some(point)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use contracts::tools::sql::SqlOutcome;
    use serde_json::json;

    use super::*;

    fn run(columns: &[(&str, ValueKind)], rows: Value) -> SqlRun {
        let names = columns.iter().map(|(name, kind)| ResultColumn {
            name: (*name).to_owned(),
            kind: *kind,
        });
        SqlRun {
            target: "t".to_owned(),
            outcome: SqlOutcome::Rows,
            sql: None,
            tables: Vec::new(),
            columns: names.collect(),
            rows: serde_json::from_value(rows).unwrap(),
            row_count: 2,
            truncated: false,
            truncated_by: None,
            elapsed_ms: 1.0,
            estimated_rows: None,
            findings: Vec::new(),
            person: String::new(),
        }
    }

    fn kind(question: &str, columns: &[(&str, ValueKind)], rows: Value) -> Option<ChartType> {
        chart(question, &run(columns, rows)).map(|chart| chart.chart_type)
    }

    #[test]
    fn the_shape_of_the_rows_decides() {
        use ValueKind::{Date, Number, Text};
        let cities = json!([{ "city": "Bonn", "jobs": 3 }, { "city": "Ulm", "jobs": "4.50" }]);
        let by_city = [("city", Text), ("jobs", Number)];
        assert_eq!(
            kind("Jobs by city", &by_city, cities.clone()),
            Some(ChartType::Bar)
        );
        assert_eq!(
            kind("Share of jobs by city", &by_city, cities),
            Some(ChartType::Pie)
        );
        let days = json!([{ "day": "2026-01-01", "jobs": 3 }, { "day": "2026-01-02", "jobs": 4 }]);
        assert_eq!(
            kind("Jobs", &[("day", Date), ("jobs", Number)], days),
            Some(ChartType::Line)
        );
        let months = json!([{ "month": "2026-01", "jobs": 3 }, { "month": "2026-02", "jobs": 4 }]);
        assert_eq!(
            kind("Jobs", &[("month", Text), ("jobs", Number)], months),
            Some(ChartType::Line)
        );
        let years = json!([{ "year": 2025, "jobs": 3 }, { "year": 2026, "jobs": 4 }]);
        assert_eq!(
            kind("Jobs", &[("year", Number), ("jobs", Number)], years),
            Some(ChartType::Line)
        );
    }

    #[test]
    fn what_is_no_picture_is_drawn_as_none() {
        use ValueKind::{Number, Text};
        let by_city = [("city", Text), ("jobs", Number)];
        for (columns, rows, why) in [
            (
                &by_city[..],
                json!([{ "city": "Bonn", "jobs": 3 }]),
                "one row",
            ),
            (
                &by_city,
                json!([{ "city": "Bonn", "jobs": 3 }, { "city": "Bonn", "jobs": 4 }]),
                "the same place twice",
            ),
            (
                &by_city,
                json!([{ "city": null, "jobs": 3 }, { "city": "Bonn", "jobs": 4 }]),
                "no place",
            ),
            (
                &[("city", Text), ("jobId", Number)],
                json!([{ "city": "A", "jobId": 3 }, { "city": "B", "jobId": 4 }]),
                "a key",
            ),
            (
                &[("a", Text), ("b", Text), ("n", Number)],
                json!([{ "a": "A", "b": "B", "n": 1 }, { "a": "C", "b": "B", "n": 1 }]),
                "two categories",
            ),
            (
                &[("a", Text)],
                json!([{ "a": "A" }, { "a": "B" }]),
                "no figure",
            ),
        ] {
            assert_eq!(kind("Jobs", columns, rows), None, "{why}");
        }
        let many: Vec<_> = (0..31)
            .map(|at| json!({ "city": at.to_string(), "jobs": 1 }))
            .collect();
        assert_eq!(kind("Jobs", &by_city, json!(many)), None, "too many bars");
    }

    #[test]
    fn an_axis_has_figures_of_one_kind_and_the_first_comes_first() {
        use ValueKind::{Number, Text};
        let columns = [
            ("team", Text),
            ("hoursWorked", Number),
            ("overtimeHours", Number),
            ("jobCount", Number),
            ("netAmount", Number),
        ];
        let row = |team: &str| json!({ "team": team, "hoursWorked": 40, "overtimeHours": 2, "jobCount": 9, "netAmount": 7000 });
        let chart = chart("Hours by team", &run(&columns, json!([row("A"), row("B")]))).unwrap();
        let drawn: Vec<_> = chart
            .series
            .iter()
            .map(|series| (series.data_key.as_str(), series.y_axis_id, series.kind))
            .collect();
        assert_eq!(
            drawn,
            [
                ("hoursWorked", None, Some(ChartType::Bar)),
                ("overtimeHours", None, Some(ChartType::Bar)),
                ("jobCount", Some(AxisSide::Right), Some(ChartType::Scatter)),
            ]
        );
        assert_eq!(
            chart.data[0]["netAmount"], 7000,
            "what is not drawn is in the rows"
        );
    }

    #[test]
    fn figures_of_a_chart_are_numbers() {
        let by_city = [("city", ValueKind::Text), ("jobs", ValueKind::Number)];
        let rows = json!([{ "city": "Bonn", "jobs": "3.25" }, { "city": "Ulm", "jobs": null }]);
        let chart = chart("Jobs by city?", &run(&by_city, rows)).unwrap();
        assert_eq!(chart.data[0]["jobs"], json!(3.25));
        assert_eq!(chart.title, "Jobs by city");
    }
}
