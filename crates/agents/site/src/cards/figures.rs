//! Bars: performance ratios by device, error codes by code.

use contracts::{
    tools::{DiagnosticsReport, ErrorCodeIssue, PerformanceReport, Period},
    ui::{AxisSide, ChartSeries, ChartType, DynamicChart, UiComponent},
};
use serde_json::{Map, Value};

use crate::narrative::format;

/// Bars that one chart has room for; of more the ends are drawn.
const BARS: usize = 30;

const RATIO_COLOUR: &str = "#22C55E";
const CODE_COLOUR: &str = "#EF4444";

/// The performance ratio of each device, lowest first.
pub(crate) fn performance_chart(report: &PerformanceReport) -> UiComponent {
    let alone = std::slice::from_ref(report);
    let devices = if report.devices.is_empty() {
        alone
    } else {
        &report.devices
    };
    let row = |device: &PerformanceReport| {
        let mut row = Map::new();
        row.insert(
            "loggerId".to_owned(),
            Value::from(device.logger_id.as_str()),
        );
        row.insert(
            "performanceRatio".to_owned(),
            Value::from(device.performance_ratio),
        );
        row
    };
    let days = report.period.unwrap_or(Period {
        start: report.date,
        end: report.date,
    });
    UiComponent::DynamicChart(DynamicChart {
        chart_type: ChartType::Bar,
        title: format!(
            "Performance ratio of {}, {}",
            report.logger_id,
            format::period(days)
        ),
        x_axis_key: "loggerId".to_owned(),
        x_axis_label: Some("Device".to_owned()),
        y_axis_label: Some("Performance ratio (%)".to_owned()),
        y_axis_right_label: None,
        series: vec![bars("performanceRatio", "Performance ratio", RATIO_COLOUR)],
        data: ends(devices).map(row).collect(),
        summary_stats: None,
    })
}

/// Duration of each error code; without any an empty bar for each device.
pub(crate) fn error_codes_chart(report: &DiagnosticsReport) -> UiComponent {
    let row = |label: String, hours: f64, events: u64| {
        let mut row = Map::new();
        row.insert("code".to_owned(), Value::from(label));
        row.insert("hours".to_owned(), Value::from(hours));
        row.insert("events".to_owned(), Value::from(events));
        row
    };
    let none = report.issues.is_empty();
    let data: Vec<Map<String, Value>> = if none {
        let alone = std::slice::from_ref(report);
        let devices = if report.devices.is_empty() {
            alone
        } else {
            &report.devices
        };
        ends(devices)
            .map(|device| row(device.logger_id.clone(), 0.0, 0))
            .collect()
    } else {
        report
            .issues
            .iter()
            .map(|issue| row(label(issue), issue.hours, issue.events))
            .collect()
    };
    UiComponent::DynamicChart(DynamicChart {
        chart_type: ChartType::Bar,
        title: format!(
            "Error codes of {}, {}",
            report.logger_id,
            format::period(report.period)
        ),
        x_axis_key: "code".to_owned(),
        x_axis_label: Some(if none { "Device" } else { "Code" }.to_owned()),
        y_axis_label: Some("Hours with an error code".to_owned()),
        y_axis_right_label: None,
        series: vec![bars("hours", "Hours", CODE_COLOUR)],
        data,
        summary_stats: None,
    })
}

/// "E-501 (LTI-INV-001)", "E-501 (3 devices)".
fn label(issue: &ErrorCodeIssue) -> String {
    match issue.logger_ids.as_slice() {
        [] => issue.code.clone(),
        [only] => format!("{} ({only})", issue.code),
        several => format!(
            "{} ({})",
            issue.code,
            format::count(several.len() as u64, "device")
        ),
    }
}

/// All of them, or as many of both ends as a chart has room for.
fn ends<T>(all: &[T]) -> impl Iterator<Item = &T> {
    let (head, tail) = if all.len() > BARS {
        (&all[..BARS / 2], &all[all.len() - BARS / 2..])
    } else {
        (all, &[][..])
    };
    head.iter().chain(tail)
}

fn bars(key: &str, name: &str, colour: &str) -> ChartSeries {
    ChartSeries {
        data_key: key.to_owned(),
        name: name.to_owned(),
        kind: Some(ChartType::Bar),
        color: Some(colour.to_owned()),
        low_key: None,
        high_key: None,
        y_axis_id: Some(AxisSide::Left),
    }
}
