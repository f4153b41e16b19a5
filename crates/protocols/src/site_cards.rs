//! The cards of the site assistant as Markdown: their figures rounded and with units, as its page
//! and its sentences have them.

use std::fmt::Write;

use chrono::NaiveDate;
use contracts::figures::{aged_day, decimal, energy, figure, mass, percent, power};
use contracts::tools::{ComparisonMetric, ComparisonSummary};
use contracts::ui::{
    AlertType, ComparisonChart, ErrorCard, FinancialReportCard, FleetHealthReportCard,
    FleetOverviewCard, HealthReportCard, UiComponent,
};
use serde::Serialize;
use serde_json::Value;

use crate::markdown::{escaped, line, lines_of_table};

/// The time of day and the day of a moment.
const MOMENT: &str = "%-d %B %Y, %H:%M";
const DAY: &str = "%-d %B %Y";

/// A card with a title, figures and a table.
struct Card {
    text: String,
    has_figures: bool,
}

impl Card {
    fn new(title: &str) -> Self {
        Self {
            text: format!("**{}**\n", line(title)),
            has_figures: false,
        }
    }

    fn figure(&mut self, label: &str, value: impl AsRef<str>) {
        if !std::mem::replace(&mut self.has_figures, true) {
            self.text.push('\n');
        }
        let _ = writeln!(self.text, "- {label}: {}", line(value.as_ref()));
    }

    /// A figure that may not be known.
    fn known(&mut self, label: &str, value: Option<String>) {
        if let Some(value) = value {
            self.figure(label, value);
        }
    }

    fn sentence(&mut self, sentence: &str) {
        let _ = write!(self.text, "\n{}\n", line(sentence));
    }

    /// Sentences below a heading.
    fn list<'a>(&mut self, heading: &str, sentences: impl Iterator<Item = &'a str>) {
        for (first, sentence) in (0..).zip(sentences) {
            if first == 0 {
                self.text.push('\n');
                if !heading.is_empty() {
                    let _ = write!(self.text, "{heading}\n\n");
                }
            }
            let _ = writeln!(self.text, "- {}", line(sentence));
        }
    }

    /// A table without the columns in which no row has anything.
    fn table<const COLUMNS: usize>(&mut self, heads: [&str; COLUMNS], rows: &[[String; COLUMNS]]) {
        let used = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
        let columns: Vec<usize> = (0..COLUMNS).filter(used).collect();
        let heads: Vec<String> = columns
            .iter()
            .map(|column| heads[*column].to_owned())
            .collect();
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| {
                columns
                    .iter()
                    .map(|column| escaped(&row[*column]))
                    .collect()
            })
            .collect();
        lines_of_table(&mut self.text, &heads, &rows);
    }

    fn done(self) -> String {
        self.text.trim_end().to_owned()
    }
}

/// A card; `None` for those that tables and charts of any kind are drawn from.
pub(crate) fn draw(component: &UiComponent) -> Option<String> {
    let card = match component {
        UiComponent::FleetOverview(card) => fleet(card),
        UiComponent::HealthReport(card) => health(card),
        UiComponent::FleetHealthReport(card) => fleet_health(card),
        UiComponent::FinancialReport(card) => financial(card),
        UiComponent::ComparisonChart(chart) => comparison(chart),
        UiComponent::ErrorCard(card) => error(card),
        UiComponent::DynamicChart(_) | UiComponent::DataCard(_) => return None,
    };
    Some(card.done())
}

fn fleet(card: &FleetOverviewCard) -> Card {
    let mut text = Card::new(&format!(
        "Fleet: {} of {} devices online",
        card.online_count, card.device_count
    ));
    if let Some(mismatch) = &card.date_mismatch {
        text.sentence(&format!(
            "The newest data are of {}.",
            aged_day(
                &mismatch.actual_data_date.format(DAY).to_string(),
                mismatch.days_difference
            )
        ));
    }
    text.figure("Power", power(card.total_power));
    text.figure("Energy of the day", energy(card.total_energy));
    for alert in &card.alerts {
        let label = match alert.kind {
            AlertType::Info => "Note",
            AlertType::Warning => "Warning",
            AlertType::Error => "Error",
        };
        text.figure(label, &alert.message);
    }
    let rows: Vec<[String; 4]> = card
        .devices
        .iter()
        .map(|device| {
            [
                device.logger_id.clone(),
                word(&device.state),
                device.power.map(power).unwrap_or_default(),
                device.energy.map(energy).unwrap_or_default(),
            ]
        })
        .collect();
    text.table(["Device", "State", "Power", "Energy of the day"], &rows);
    text
}

fn health(card: &HealthReportCard) -> Card {
    let mut text = Card::new(&format!("Health of {}, {}", card.logger_id, card.period));
    let score = card.health_score.map_or_else(
        || "too little data to judge".to_owned(),
        |score| format!("{} of 100 ({})", points(score), word(&card.health_status)),
    );
    text.figure("Health score", score);
    let lost = match &card.lost_money {
        Some(lost) => format!(
            "{}, worth {}",
            energy(card.lost_kwh),
            money(lost.amount, &lost.currency)
        ),
        None => energy(card.lost_kwh),
    };
    text.figure("Energy lost", lost);
    let less = card.shortfall_kwh.filter(|kwh| *kwh > 0.0);
    text.known("Energy less than expected", less.map(energy));
    let availability = card.availability.map(|share| percent(100.0 * share));
    text.known("Availability", availability);
    let against = card.vs_peers_pct.map(|more| {
        let sign = if more > 0.0 { "+" } else { "" };
        format!("{sign}{}", percent(more))
    });
    text.known("Compared with its peers", against);
    text.figure("Anomalies", card.anomaly_count.to_string());
    let rows: Vec<[String; 3]> = card
        .anomalies
        .iter()
        .map(|anomaly| {
            [
                anomaly.timestamp.format(MOMENT).to_string(),
                word(&anomaly.severity),
                anomaly.description.clone(),
            ]
        })
        .collect();
    text.table(["Time", "Severity", "Anomaly"], &rows);
    text
}

fn fleet_health(card: &FleetHealthReportCard) -> Card {
    let mut text = Card::new(&format!(
        "Health of {} devices, {}",
        card.total_loggers, card.period
    ));
    let mean = card.avg_health_score;
    text.known(
        "Mean health score",
        mean.map(|score| format!("{} of 100", points(score))),
    );
    text.figure(
        "Devices with anomalies",
        card.loggers_with_issues.to_string(),
    );
    text.figure("Anomalies", card.total_anomalies.to_string());
    let rows: Vec<[String; 6]> = card
        .loggers
        .iter()
        .map(|row| {
            [
                row.logger_id.clone(),
                word(&row.status),
                row.health_score.map(points).unwrap_or_default(),
                row.anomaly_count.to_string(),
                row.lost_kwh.map(energy).unwrap_or_default(),
                row.message.clone().unwrap_or_default(),
            ]
        })
        .collect();
    text.table(
        [
            "Device",
            "State",
            "Health score",
            "Anomalies",
            "Energy lost",
            "Remark",
        ],
        &rows,
    );
    text
}

fn financial(card: &FinancialReportCard) -> Card {
    let days = |day: NaiveDate| day.format(DAY).to_string();
    let (first, last) = (days(card.period.start), days(card.period.end));
    let when = if first == last {
        first
    } else {
        format!("{first} to {last}")
    };
    let mut text = Card::new(&format!(
        "Energy and earnings of {}, {when}",
        card.logger_id
    ));
    text.figure("Energy", energy(card.energy_generated));
    let worth =
        |amount: Option<f64>, currency: &Option<String>| Some(money(amount?, currency.as_deref()?));
    let saved = worth(card.savings, &card.currency).map(|saved| match card.electricity_rate {
        Some(rate) => format!("{saved}, at {rate} per kWh"),
        None => saved,
    });
    text.known("Savings", saved);
    text.figure("CO₂ avoided", mass(card.co2_offset));
    text.figure("Trees grown for ten years", figure(card.trees_equivalent));
    let missing = (card.missing_days > 0).then(|| card.missing_days.to_string());
    text.known("Days without data", missing);
    let rows: Vec<[String; 5]> = card
        .devices
        .iter()
        .map(|device| {
            let note = if device.counted {
                ""
            } else {
                "not in the total"
            };
            [
                device.logger_id.clone(),
                energy(device.energy),
                worth(device.savings, &device.currency).unwrap_or_default(),
                mass(device.co2_offset),
                note.to_owned(),
            ]
        })
        .collect();
    text.table(
        ["Device", "Energy", "Savings", "CO₂ avoided", "Remark"],
        &rows,
    );
    if let Some(forecast) = &card.forecast {
        text.sentence(&format!(
            "Forecast: {} in the next {} days.",
            energy(forecast.total_predicted),
            forecast.days.len()
        ));
        let rows: Vec<[String; 4]> = forecast
            .days
            .iter()
            .map(|day| {
                [
                    days(day.date),
                    energy(day.predicted_energy),
                    format!("{} to {}", figure(day.range_min), energy(day.range_max)),
                    word(&day.confidence),
                ]
            })
            .collect();
        text.table(["Day", "Expected energy", "Range", "Confidence"], &rows);
    }
    text
}

/// Devices side by side. Their curves are for a page: here each has its figures.
fn comparison(chart: &ComparisonChart) -> Card {
    let mut text = Card::new(&chart.title);
    if !chart.title.contains(chart.period.as_str()) {
        text.sentence(&capital(&chart.period));
    }
    text.known("Best", chart.best.clone());
    text.known(
        "Last",
        chart
            .worst
            .clone()
            .filter(|worst| chart.best.as_ref() != Some(worst)),
    );
    let spread = chart.spread_percent;
    text.known("Difference", spread.map(percent));
    text.known("Energy of all", chart.total_kwh.map(energy));
    let value = |value: f64| match chart.metric {
        ComparisonMetric::Power => power(value),
        ComparisonMetric::Energy => energy(value),
        ComparisonMetric::Irradiance => format!("{} W/m²", figure(value)),
    };
    let total = |kwh: f64| match chart.metric {
        ComparisonMetric::Irradiance => format!("{} kWh/m²", figure(kwh)),
        ComparisonMetric::Power | ComparisonMetric::Energy => energy(kwh),
    };
    let given = |of: Option<f64>, write: &dyn Fn(f64) -> String| of.map(write).unwrap_or_default();
    let row = |id: &str, of: &ComparisonSummary| {
        [
            id.to_owned(),
            given(of.total, &total),
            given(of.specific_yield, &|per_peak| {
                format!("{} kWh/kWp", figure(per_peak))
            }),
            given(of.average, &value),
            given(of.peak, &value),
        ]
    };
    let rows: Vec<[String; 5]> = chart
        .loggers
        .iter()
        .map(|one| row(&one.logger_id, &one.figures))
        .collect();
    text.table(["Device", "Total", "Specific yield", "Mean", "Peak"], &rows);
    let excluded = chart.excluded.iter().map(|one| one.message.as_str());
    text.list("Not compared:", excluded);
    text
}

fn error(card: &ErrorCard) -> Card {
    let mut text = Card::new(&card.title);
    text.sentence(&card.message);
    text.list("", card.details.iter().map(String::as_str));
    text
}

/// The word of a state, as it is on the wire.
fn word(state: &impl Serialize) -> String {
    match serde_json::to_value(state) {
        Ok(Value::String(word)) => word.replace('_', " "),
        _ => String::new(),
    }
}

/// A score, with one place at most.
fn points(score: f64) -> String {
    let text = decimal(score, 1);
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// An amount in its currency.
fn money(amount: f64, currency: &str) -> String {
    format!("{} {currency}", decimal(amount, 2))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().collect::<String>());
    first
        .map(|first| format!("{first}{}.", letters.as_str()))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::markdown::card;

    fn shown(component: &str, props: &Value) -> String {
        card(&json!({ "component": component, "props": props, "suggestions": [] }))
    }

    #[test]
    fn the_fleet_is_shown_with_labels_units_and_rounded_figures() {
        let text = shown(
            "FleetOverview",
            &json!({
                "totalPower": 46_123.4, "totalEnergy": 312.449, "deviceCount": 3, "onlineCount": 2, "percentOnline": 66.7,
                "dateMismatch": { "requestedDate": "2026-06-03", "actualDataDate": "2026-06-01", "daysDifference": 2, "isHistorical": true },
                "alerts": [{ "type": "warning", "message": "INV-2 is offline." }],
                "devices": [{ "loggerId": "INV-1", "state": "producing", "energy": 12.5 }, { "loggerId": "INV-2", "state": "offline" }],
            }),
        );
        assert_eq!(
            text,
            "**Fleet: 2 of 3 devices online**\n\nThe newest data are of 1 June 2026, 2 days ago.\n\n\
             - Power: 46.1 kW\n- Energy of the day: 312 kWh\n- Warning: INV-2 is offline.\n\n\
             | Device | State | Energy of the day |\n| --- | --- | --- |\n| INV-1 | producing | 12.5 kWh |\n| INV-2 | offline |  |"
        );
    }

    #[test]
    fn data_of_the_day_before_are_of_yesterday() {
        let text = shown(
            "FleetOverview",
            &json!({
                "totalPower": 1.0, "totalEnergy": 1.0, "deviceCount": 1, "onlineCount": 1, "percentOnline": 100.0, "alerts": [], "devices": [],
                "dateMismatch": { "requestedDate": "2026-06-03", "actualDataDate": "2026-06-02", "daysDifference": 1, "isHistorical": true },
            }),
        );
        assert!(
            text.contains("The newest data are of yesterday, 2 June 2026."),
            "{text}"
        );
    }

    #[test]
    fn health_is_shown_with_its_anomalies() {
        let anomaly = json!({
            "timestamp": "2026-06-01T09:00:00+02:00", "type": "outage", "description": "Out | for an hour.", "severity": "high",
            "power": null, "irradiance": null,
        });
        let text = shown(
            "HealthReport",
            &json!({
                "loggerId": "INV-1", "period": "last 7 days", "healthScore": 91.0, "healthStatus": "warning", "anomalyCount": 1,
                "anomalies": [anomaly], "lostKwh": 12.34, "lostMoney": { "amount": 3.2, "currency": "CHF" }, "availability": 0.982,
                "vsPeersPct": 2.0,
            }),
        );
        assert_eq!(
            text,
            "**Health of INV-1, last 7 days**\n\n- Health score: 91 of 100 (warning)\n- Energy lost: 12.3 kWh, worth 3.20 CHF\n\
             - Availability: 98.2 %\n- Compared with its peers: +2 %\n- Anomalies: 1\n\n\
             | Time | Severity | Anomaly |\n| --- | --- | --- |\n| 1 June 2026, 09:00 | high | Out \\| for an hour. |"
        );
    }

    #[test]
    fn an_error_is_its_sentence_and_its_particulars() {
        let text = shown(
            "ErrorCard",
            &json!({ "title": "No data", "message": "There are none.", "details": ["INV-1", "June"] }),
        );
        assert_eq!(text, "**No data**\n\nThere are none.\n\n- INV-1\n- June");
    }
}
