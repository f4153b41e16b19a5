//! Charts: a day's power, coming days, devices side by side.

use contracts::{
    tools::{Comparison, ComparisonMetric, PowerCurve, ProductionForecast, SummaryStats},
    ui::{
        AxisSide, ChartSeries, ChartType, ComparisonChart, DynamicChart, LoggerComparison,
        UiComponent,
    },
};
use serde_json::{Map, Value};

use crate::narrative::format;

/// One colour per series, in the order that existing pages use.
const COLOURS: [&str; 5] = ["#FDB813", "#3B82F6", "#22C55E", "#EF4444", "#A855F7"];

const IRRADIANCE_COLOUR: &str = "#F97316";

/// For devices that the table has and the chart has not.
const UNDRAWN: &str = "#8B8B94";

/// A day of one device: power, and irradiance on an axis of its own when it is known.
pub(crate) fn power_curve_chart(curve: &PowerCurve, stats: Option<SummaryStats>) -> UiComponent {
    let irradiance = curve.data.iter().any(|point| point.irradiance.is_some());
    let mut drawn = vec![series(
        "power",
        "Power",
        ChartType::Area,
        COLOURS[0],
        AxisSide::Left,
    )];
    if irradiance {
        drawn.push(series(
            "irradiance",
            "Irradiance",
            ChartType::Line,
            IRRADIANCE_COLOUR,
            AxisSide::Right,
        ));
    }
    let data = curve.data.iter().map(|point| {
        let mut row = Map::new();
        row.insert(
            "timestamp".to_owned(),
            Value::from(point.timestamp.to_rfc3339()),
        );
        row.insert("power".to_owned(), Value::from(point.power));
        if irradiance {
            row.insert("irradiance".to_owned(), Value::from(point.irradiance));
        }
        row
    });
    UiComponent::DynamicChart(DynamicChart {
        chart_type: ChartType::Composed,
        title: format!(
            "Power of {} on {}",
            curve.logger_id,
            format::date(curve.date)
        ),
        x_axis_key: "timestamp".to_owned(),
        x_axis_label: Some("Time".to_owned()),
        y_axis_label: Some("Power (W)".to_owned()),
        y_axis_right_label: irradiance.then(|| "Irradiance (W/m²)".to_owned()),
        series: drawn,
        data: data.collect(),
        summary_stats: stats,
    })
}

/// The coming days of one device, each with its range.
pub(crate) fn forecast_chart(forecast: &ProductionForecast) -> UiComponent {
    let data = forecast.forecasts.iter().map(|day| {
        let mut row = Map::new();
        row.insert("date".to_owned(), Value::from(day.date.to_string()));
        row.insert("expectedKwh".to_owned(), Value::from(day.expected_kwh));
        row.insert("rangeMin".to_owned(), Value::from(day.range_min));
        row.insert("rangeMax".to_owned(), Value::from(day.range_max));
        row
    });
    let days = format::count(forecast.forecasts.len() as u64, "day");
    UiComponent::DynamicChart(DynamicChart {
        chart_type: ChartType::Bar,
        title: format!("Forecast for {}, {days}", forecast.logger_id),
        x_axis_key: "date".to_owned(),
        x_axis_label: Some("Day".to_owned()),
        y_axis_label: Some("Energy (kWh)".to_owned()),
        y_axis_right_label: None,
        series: vec![ChartSeries {
            low_key: Some("rangeMin".to_owned()),
            high_key: Some("rangeMax".to_owned()),
            ..series(
                "expectedKwh",
                "Expected",
                ChartType::Bar,
                COLOURS[0],
                AxisSide::Left,
            )
        }],
        data: data.collect(),
        summary_stats: None,
    })
}

/// Devices side by side, best first.
pub(crate) fn comparison_chart(comparison: &Comparison) -> UiComponent {
    let period = format::period(comparison.period);
    let (what, unit) = comparison_metric_words(comparison.metric);
    // A device without a single value would be a series that no row has, which clients cannot draw.
    let has_values = |id: &str| {
        comparison.data.is_empty()
            || comparison
                .data
                .iter()
                .any(|row| row.values.contains_key(id))
    };
    let shown: Vec<&String> = if comparison.charted.is_empty() {
        comparison.logger_ids.iter().collect()
    } else {
        comparison.charted.iter().collect()
    };
    let colour = |id: &String| {
        let drawn = shown.iter().position(|shown| *shown == id);
        drawn.map_or(UNDRAWN, |index| COLOURS[index % COLOURS.len()])
    };
    let drawn = shown
        .iter()
        .filter(|id| has_values(id))
        .map(|id| ChartSeries {
            data_key: (*id).clone(),
            name: (*id).clone(),
            kind: Some(ChartType::Line),
            color: Some(colour(id).to_owned()),
            low_key: None,
            high_key: None,
            y_axis_id: None,
        });
    let series = drawn.collect();
    let mut loggers: Vec<_> = comparison
        .logger_ids
        .iter()
        .filter_map(|id| {
            let figures = comparison.summary.get(id)?.clone();
            Some(LoggerComparison {
                logger_id: id.clone(),
                color: colour(id).to_owned(),
                figures,
            })
        })
        .collect();
    loggers.sort_by_key(|logger| logger.figures.rank.unwrap_or(u32::MAX));
    let data = comparison.data.iter().map(|row| {
        let mut drawn = Map::new();
        drawn.insert(
            "timestamp".to_owned(),
            Value::from(row.timestamp.to_rfc3339()),
        );
        drawn.extend(
            row.values
                .iter()
                .map(|(id, value)| (id.clone(), Value::from(*value))),
        );
        drawn
    });
    UiComponent::ComparisonChart(ComparisonChart {
        metric: comparison.metric,
        title: format!("{what} comparison, {period}"),
        period,
        loggers,
        best: comparison.best.clone(),
        worst: comparison.worst.clone(),
        spread_percent: comparison.spread_percent,
        chart_type: ChartType::Line,
        x_axis_key: "timestamp".to_owned(),
        y_axis_label: format!("{what} ({unit})"),
        series,
        data: data.collect(),
        logger_ids: comparison.logger_ids.clone(),
        summary_stats: comparison.summary.clone(),
        excluded: comparison.excluded.clone(),
        total_kwh: comparison.total_kwh,
    })
}

/// A metric's name and unit.
fn comparison_metric_words(metric: ComparisonMetric) -> (&'static str, &'static str) {
    match metric {
        ComparisonMetric::Power => ("Power", "W"),
        ComparisonMetric::Energy => ("Energy", "kWh"),
        ComparisonMetric::Irradiance => ("Irradiance", "W/m²"),
    }
}

fn series(key: &str, name: &str, kind: ChartType, colour: &str, axis: AxisSide) -> ChartSeries {
    ChartSeries {
        data_key: key.to_owned(),
        name: name.to_owned(),
        kind: Some(kind),
        color: Some(colour.to_owned()),
        low_key: None,
        high_key: None,
        y_axis_id: Some(axis),
    }
}
