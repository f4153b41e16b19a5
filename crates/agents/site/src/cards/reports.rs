//! Money, health, and what went wrong.

use contracts::{
    tools::{AnomalyReport, FinancialReport, LoggerSummary, ProductionForecast},
    ui::{
        ErrorCard, FinancialCardDevice, FinancialReportCard, FleetHealthReportCard, FleetHealthRow,
        ForecastCard, ForecastCardDay, HealthReportCard, HealthWord, UiComponent,
    },
};

use crate::{
    findings::{Failure, HealthFindings},
    narrative::{format, score_of_all, subject_of_savings},
};

/// Particulars that an error card has room for.
const DETAILS: usize = 3;

/// The financial card, with the forecast when there is one.
pub(crate) fn financial_card(
    report: &FinancialReport,
    forecast: Option<&ProductionForecast>,
) -> UiComponent {
    UiComponent::FinancialReport(FinancialReportCard {
        logger_id: subject_of_savings(report),
        energy_generated: report.total_energy_kwh,
        savings: report.savings,
        currency: report.currency.clone(),
        electricity_rate: report.electricity_rate,
        co2_offset: report.co2_offset_kg,
        trees_equivalent: report.trees_equivalent,
        period: report.period,
        missing_days: report.missing_days.len() as u64,
        devices: report
            .devices
            .iter()
            .map(|device| FinancialCardDevice {
                logger_id: device.logger_id.clone(),
                energy: device.total_energy_kwh,
                savings: device.savings,
                currency: device.currency.clone(),
                co2_offset: device.co2_offset_kg,
                counted: device.counted,
            })
            .collect(),
        forecast: forecast
            .filter(|forecast| !forecast.insufficient_data)
            .map(forecast_card),
    })
}

fn forecast_card(forecast: &ProductionForecast) -> ForecastCard {
    let days = forecast.forecasts.iter().map(|day| ForecastCardDay {
        date: day.date,
        predicted_energy: day.expected_kwh,
        range_min: day.range_min,
        range_max: day.range_max,
        confidence: day.confidence,
    });
    ForecastCard {
        total_predicted: forecast.total_predicted,
        days: days.collect(),
    }
}

/// One device's health.
pub(crate) fn health_card(report: &AnomalyReport) -> UiComponent {
    UiComponent::HealthReport(HealthReportCard {
        logger_id: report.logger_id.clone(),
        period: format::period(report.period),
        health_score: report.health_score,
        health_status: health_word(report),
        anomaly_count: report.anomaly_count,
        anomalies: report.anomalies.clone(),
        lost_kwh: report.lost_kwh,
        lost_money: report.lost_money.clone(),
        availability: report.availability_energy,
        shortfall_kwh: report.shortfall_kwh,
        vs_peers_pct: report.vs_peers_pct,
    })
}

/// Several devices' health.
pub(crate) fn fleet_health_card(health: &HealthFindings) -> UiComponent {
    let rows = &health.rows;
    UiComponent::FleetHealthReport(FleetHealthReportCard {
        period: windows(&health.reports),
        total_loggers: rows.len() as u64,
        avg_health_score: score_of_all(rows).map(round),
        total_anomalies: rows.iter().map(|row| row.anomaly_count).sum(),
        loggers_with_issues: rows.iter().filter(|row| row.anomaly_count > 0).count() as u64,
        loggers: rows.clone(),
    })
}

/// The findings of a report on several devices whose types are not known.
pub(crate) fn findings_of_several(report: AnomalyReport) -> HealthFindings {
    let judged = report.devices.iter().map(|device| FleetHealthRow {
        logger_id: device.logger_id.clone(),
        logger_type: String::new(),
        health_score: device.health_score,
        anomaly_count: device.anomaly_count,
        lost_kwh: Some(device.lost_kwh),
        status: health_word(device),
        message: None,
    });
    let left_out = report.left_out.iter().map(|out| FleetHealthRow {
        logger_id: out.logger_id.clone(),
        logger_type: String::new(),
        health_score: None,
        anomaly_count: 0,
        lost_kwh: None,
        status: HealthWord::Unknown,
        message: Some(out.message.clone()),
    });
    HealthFindings {
        rows: judged.chain(left_out).collect(),
        availability: report.availability_time,
        reports: report.devices,
    }
}

/// One device's row; a device that could not be judged says so.
pub(crate) fn fleet_health_row(
    logger: &LoggerSummary,
    outcome: Result<&AnomalyReport, &Failure>,
) -> FleetHealthRow {
    let report = outcome.ok();
    let status = report.map_or(HealthWord::Unknown, health_word);
    FleetHealthRow {
        logger_id: logger.logger_id.clone(),
        logger_type: logger.logger_type.clone(),
        health_score: report.and_then(|report| report.health_score),
        anomaly_count: report.map_or(0, |report| report.anomaly_count),
        lost_kwh: report.map(|report| report.lost_kwh),
        status,
        message: match outcome {
            Err(failure) => Some(failure.message.to_string()),
            Ok(_) if status == HealthWord::Unknown => {
                Some("There is too little to judge by.".to_owned())
            }
            Ok(_) => None,
        },
    }
}

/// A device's health in a word, which follows from its score alone. What could not be judged is
/// never healthy.
pub(crate) fn health_word(report: &AnomalyReport) -> HealthWord {
    HealthWord::of(report.health_score)
}

/// The window in words; sites whose data end on different days have windows of their own.
fn windows(reports: &[AnomalyReport]) -> String {
    let windows: Vec<String> = format::windows(reports)
        .into_iter()
        .map(|(site, period)| match site {
            None => format::period(period),
            Some(site) => format!("{site}: {}", format::period(period)),
        })
        .collect();
    windows.join("; ")
}

/// What could not be shown, and why.
pub(crate) fn error_card(title: &str, message: &str, mut details: Vec<String>) -> UiComponent {
    details.truncate(DETAILS);
    UiComponent::ErrorCard(ErrorCard {
        title: title.to_owned(),
        message: message.to_owned(),
        details,
    })
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
