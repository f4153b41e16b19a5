//! Cards, charts and pickers as text.

use std::fmt::Write;

use contracts::figures;
use contracts::ui::{
    AlertType, CardTable, ChartSeries, ComparisonChart, DataCard, DynamicChart, ErrorCard,
    FinancialReportCard, FleetHealthReportCard, FleetOverviewCard, HealthReportCard,
    RequestUserSelection, UiComponent,
};
use serde_json::{Map, Value};

use super::chart::{bar, peak, sparkline};

/// Rows of a table that a card shows.
const ROWS: usize = 12;

/// A component as lines of text.
pub(super) fn draw(component: &UiComponent) -> String {
    let lines = match component {
        UiComponent::FleetOverview(card) => fleet(card),
        UiComponent::HealthReport(card) => health(card),
        UiComponent::FleetHealthReport(card) => fleet_health(card),
        UiComponent::FinancialReport(card) => financial(card),
        UiComponent::ComparisonChart(chart) => comparison(chart),
        UiComponent::DynamicChart(chart) => dynamic(chart),
        UiComponent::DataCard(card) => data(card),
        UiComponent::ErrorCard(card) => error(card),
    };
    boxed(&lines)
}

/// A question as lines of text.
pub(super) fn draw_selection(selection: &RequestUserSelection) -> String {
    let mut lines = vec![selection.prompt.clone()];
    lines.extend(selection.context_message.clone());
    for (number, option) in selection.options.iter().enumerate() {
        let subtitle = option
            .subtitle
            .as_deref()
            .map(|text| format!("  ({text})"))
            .unwrap_or_default();
        lines.push(format!("{:>2}. {}{subtitle}", number + 1, option.label));
    }
    if let (Some(first), Some(last)) = (selection.min_date, selection.max_date) {
        lines.push(format!("a date from {first} to {last}"));
    }
    if let (Some(least), Some(most)) = (selection.min_count, selection.max_count) {
        lines.push(format!("choose {least} to {most}"));
    }
    if let Some(hint) = &selection.flow_hint {
        lines.push(hint.expected_next.clone());
        lines.extend(
            hint.skip_option
                .as_ref()
                .map(|skip| format!("or: \"{}\"", skip.action)),
        );
    }
    boxed(&lines)
}

fn fleet(card: &FleetOverviewCard) -> Vec<String> {
    let mut lines = vec![
        format!(
            "Fleet   {} of {} online ({})",
            card.online_count,
            card.device_count,
            figures::percent(card.percent_online)
        ),
        format!("Power   {}", figures::power(card.total_power)),
        format!("Energy  {}", figures::energy(card.total_energy)),
    ];
    lines.extend(card.date_mismatch.as_ref().map(|mismatch| {
        format!(
            "Data of {}",
            figures::aged_day(
                &mismatch.actual_data_date.to_string(),
                mismatch.days_difference
            )
        )
    }));
    lines.extend(card.alerts.iter().map(|alert| {
        let mark = match alert.kind {
            AlertType::Info => "i",
            AlertType::Warning => "!",
            AlertType::Error => "!!",
        };
        format!("{mark} {}", alert.message)
    }));
    let most = card
        .devices
        .iter()
        .filter_map(|device| device.energy)
        .fold(0.0, f64::max);
    for device in &card.devices {
        let energy = device
            .energy
            .map_or_else(|| "-".to_owned(), figures::energy);
        let state = format!("{:?}", device.state).to_lowercase();
        lines.push(format!(
            "  {:<16} {state:<10} {energy:>12}  {}",
            device.logger_id,
            bar(device.energy.unwrap_or_default(), most, 20)
        ));
    }
    lines
}

fn health(card: &HealthReportCard) -> Vec<String> {
    let score = card.health_score.map_or_else(
        || "too little data to judge".to_owned(),
        |score| {
            let word = format!("{:?}", card.health_status).to_lowercase();
            format!("{} of 100, {word}", contracts::figures::decimal(score, 1))
        },
    );
    let mut lines = vec![
        format!("Health of {}, {}", card.logger_id, card.period),
        format!("Score   {score}"),
        format!(
            "Found   {}   Lost {}",
            card.anomaly_count,
            figures::energy(card.lost_kwh)
        ),
    ];
    for anomaly in card.anomalies.iter().take(10) {
        let time = anomaly.timestamp.format("%Y-%m-%d %H:%M");
        lines.push(format!(
            "  {time}  {:<6}  {}",
            format!("{:?}", anomaly.severity).to_lowercase(),
            anomaly.description
        ));
    }
    if card.anomalies.len() > 10 {
        lines.push(format!("  … and {} more", card.anomalies.len() - 10));
    }
    lines
}

fn fleet_health(card: &FleetHealthReportCard) -> Vec<String> {
    let score = card.avg_health_score.map_or_else(
        || "unknown".to_owned(),
        |score| format!("{score:.0} of 100"),
    );
    let mut lines = vec![
        format!("Health of {} loggers, {}", card.total_loggers, card.period),
        format!(
            "Mean score {score}, {} with issues, {} anomalies",
            card.loggers_with_issues, card.total_anomalies
        ),
    ];
    for row in &card.loggers {
        let score = row.health_score.map_or_else(
            || "  -".to_owned(),
            |score| format!("{:>3.0}", score.floor()),
        );
        let status = format!("{:?}", row.status).to_lowercase();
        lines.push(format!(
            "  {:<16} {score}  {status:<9} {} anomalies",
            row.logger_id, row.anomaly_count
        ));
    }
    lines
}

/// The savings. Several sites can have no common currency or tariff.
fn saved(card: &FinancialReportCard) -> String {
    match (card.savings, &card.currency, card.electricity_rate) {
        (Some(savings), Some(currency), Some(rate)) => {
            let savings = figures::decimal(savings, 2);
            format!("Saved   {savings} {currency} at {rate} per kWh")
        }
        (Some(savings), Some(currency), None) => {
            let savings = figures::decimal(savings, 2);
            format!("Saved   {savings} {currency} at the sites' own tariffs")
        }
        _ => "Saved   in several currencies, see the text".to_owned(),
    }
}

fn financial(card: &FinancialReportCard) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{}, {} to {}",
            card.logger_id, card.period.start, card.period.end
        ),
        format!("Energy  {}", figures::energy(card.energy_generated)),
        saved(card),
        format!(
            "CO2     {} avoided, {} trees",
            figures::mass(card.co2_offset),
            figures::decimal(card.trees_equivalent, 1)
        ),
    ];
    for device in &card.devices {
        let worth = match (device.savings, &device.currency) {
            (Some(savings), Some(currency)) => {
                format!("  {} {currency}", figures::decimal(savings, 2))
            }
            _ => String::new(),
        };
        let note = if device.counted {
            ""
        } else {
            "  (not in the total)"
        };
        lines.push(format!(
            "  {:<16} {:>13}{worth}{note}",
            device.logger_id,
            figures::energy(device.energy)
        ));
    }
    if let Some(forecast) = &card.forecast {
        lines.push(format!(
            "Forecast {}",
            figures::energy(forecast.total_predicted)
        ));
        let most = forecast
            .days
            .iter()
            .map(|day| day.range_max)
            .fold(0.0, f64::max);
        for day in &forecast.days {
            lines.push(format!(
                "  {}  {:>11} ({} to {})  {}",
                day.date,
                figures::energy(day.predicted_energy),
                figures::figure(day.range_min),
                figures::figure(day.range_max),
                bar(day.predicted_energy, most, 20)
            ));
        }
    }
    lines
}

fn comparison(chart: &ComparisonChart) -> Vec<String> {
    let mut lines = vec![chart.title.clone()];
    lines.extend(series(&chart.series, &chart.data));
    for one in &chart.loggers {
        let yields = one
            .figures
            .specific_yield
            .map(|value| format!("  {} kWh/kW", figures::decimal(value, 2)))
            .unwrap_or_default();
        let deviation = one
            .figures
            .vs_median_pct
            .map(|value| {
                let sign = if value > 0.0 { "+" } else { "" };
                format!("  {sign}{}", figures::percent(value))
            })
            .unwrap_or_default();
        let total = one
            .figures
            .total
            .map(|value| format!("  {}", figures::energy(value)))
            .unwrap_or_default();
        lines.push(format!("  {:<16}{total}{yields}{deviation}", one.logger_id));
    }
    lines.extend(
        chart
            .spread_percent
            .map(|spread| format!("Spread {}", figures::percent(spread))),
    );
    let together = chart.total_kwh.filter(|_| chart.loggers.len() > 1);
    lines.extend(together.map(|kwh| format!("Together {}", figures::energy(kwh))));
    lines.extend(chart.excluded.iter().map(|one| one.message.clone()));
    lines
}

fn dynamic(chart: &DynamicChart) -> Vec<String> {
    let mut lines = vec![chart.title.clone()];
    lines.extend(series(&chart.series, &chart.data));
    if let (Some(first), Some(last)) = (chart.data.first(), chart.data.last()) {
        lines.push(format!(
            "from {} to {}",
            plain(first, &chart.x_axis_key),
            plain(last, &chart.x_axis_key)
        ));
    }
    if let Some(stats) = &chart.summary_stats {
        let energy = stats
            .total_energy
            .map(|energy| format!(", {}", figures::energy(energy)))
            .unwrap_or_default();
        lines.push(format!(
            "peak {} at {}{energy}",
            figures::power(stats.peak_value),
            stats.peak_time.format("%H:%M")
        ));
    }
    lines
}

/// The card of every tool without a card of its own.
fn data(card: &DataCard) -> Vec<String> {
    let mut lines = vec![card.title.clone()];
    lines.extend(card.note.clone());
    let width = card.figures.iter().map(|one| one.label.chars().count());
    let width = width.max().unwrap_or(0);
    lines.extend(card.figures.iter().map(|one| {
        let remark = one.remark.as_deref().unwrap_or_default();
        let line = format!("{:<width$}  {}  {remark}", one.label, one.value);
        line.trim_end().to_owned()
    }));
    if let Some(chart) = &card.chart {
        lines.extend(series(&chart.series, &chart.data));
    }
    if let Some(shown) = &card.table {
        lines.extend(table(shown));
    }
    lines
}

/// The head and the first rows of a table, in columns.
fn table(table: &CardTable) -> Vec<String> {
    let heads = table.columns.iter().map(|column| match &column.unit {
        Some(unit) => format!("{} ({unit})", column.label),
        None => column.label.clone(),
    });
    let mut rows: Vec<Vec<String>> = vec![heads.collect()];
    rows.extend(table.rows.iter().take(ROWS).map(|row| {
        let cells = table
            .columns
            .iter()
            .map(|column| match row.get(&column.key) {
                Some(Value::Number(number)) => number
                    .as_f64()
                    .map_or_else(|| number.to_string(), figures::figure),
                Some(Value::Null) | None => "-".to_owned(),
                Some(_) => plain(row, &column.key),
            });
        cells.collect()
    }));
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| match at {
            0 => format!("  {cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        cells.collect::<String>()
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    if table.rows.len() > ROWS {
        lines.push(format!("  … and {} more", table.rows.len() - ROWS));
    }
    lines
}

fn error(card: &ErrorCard) -> Vec<String> {
    let mut lines = vec![card.title.clone(), card.message.clone()];
    lines.extend(card.details.iter().map(|detail| format!("  {detail}")));
    lines
}

fn series(series: &[ChartSeries], data: &[Map<String, Value>]) -> Vec<String> {
    let width = series
        .iter()
        .map(|one| one.name.chars().count())
        .max()
        .unwrap_or(0);
    let line = |one: &ChartSeries| {
        let top = peak(data, &one.data_key)
            .map(|peak| format!(" max {peak:.1}"))
            .unwrap_or_default();
        format!(
            "{:<width$} {}{top}",
            one.name,
            sparkline(data, &one.data_key)
        )
    };
    series.iter().map(line).collect()
}

fn plain(row: &Map<String, Value>, key: &str) -> String {
    match row.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn boxed(lines: &[String]) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let edge = match index {
            0 => '┌',
            _ if index + 1 == lines.len() => '└',
            _ => '│',
        };
        // Writing to a `String` does not fail.
        let _ = writeln!(text, "{edge} {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use contracts::tools::{SummaryStats, Trend};
    use contracts::ui::ChartType;
    use serde_json::{Map, Value};

    use super::*;

    #[test]
    fn the_power_of_a_card_is_rounded_as_the_sentence_rounds_it() {
        let stats = SummaryStats {
            peak_value: 8655.0,
            peak_time: "2026-06-20T13:10:00+02:00".parse().unwrap(),
            avg_value: 1.0,
            total_energy: None,
            trend: Trend::Stable,
        };
        let chart = DynamicChart {
            chart_type: ChartType::Line,
            title: "Power".to_owned(),
            x_axis_key: "time".to_owned(),
            x_axis_label: None,
            y_axis_label: None,
            y_axis_right_label: None,
            series: Vec::new(),
            data: Vec::new(),
            summary_stats: Some(stats),
        };
        let drawn = draw(&UiComponent::DynamicChart(chart));
        assert!(drawn.contains("peak 8.66 kW at "), "{drawn}");
        assert_eq!(figures::power(8655.0), "8.66 kW");
    }

    #[test]
    fn a_data_card_is_drawn_with_its_figures_chart_and_table() {
        let row = |day: &str, energy: f64| {
            Map::from_iter([
                ("day".to_owned(), Value::from(day)),
                ("energyKwh".to_owned(), Value::from(energy)),
            ])
        };
        let rows = vec![row("Monday", 10.456), row("Tuesday", 1234.5)];
        let card = DataCard::new("Energy of INV-1 by day")
            .note("in June")
            .figure("Energy", "1,245 kWh")
            .figure("Highest day", "1,234.5 kWh")
            .chart(DynamicChart {
                chart_type: ChartType::Bar,
                title: "Energy".to_owned(),
                x_axis_key: "day".to_owned(),
                x_axis_label: None,
                y_axis_label: None,
                y_axis_right_label: None,
                series: vec![ChartSeries::new("energyKwh", "Energy", "#F59E0B")],
                data: rows.clone(),
                summary_stats: None,
            })
            .table(&[("day", "Day", ""), ("energyKwh", "Energy", "kWh")], rows);
        assert_eq!(
            draw(&UiComponent::DataCard(Box::new(card))),
            "┌ Energy of INV-1 by day\n│ in June\n│ Energy       1,245 kWh\n│ Highest day  1,234.5 kWh\n\
             │ Energy ▁█ max 1234.5\n│   Day      Energy (kWh)\n│   Monday           10.5\n└   Tuesday         1,235\n"
        );
    }
}
