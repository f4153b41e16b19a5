//! `calculate_performance_ratio`: the performance ratio (IEC 61724-1) of one local day, from its daily figures.

use chrono::Days;
use contracts::tools::{
    InsightKind, InsightSeverity, NextStepPriority, PerformanceMetrics, PerformanceRating,
    PerformanceRatioArguments, PerformanceReport, Period, ToolContext, ToolEnvelope, names,
};
use serde_json::json;
use solar::ratio::{Lacking, Performance, Rating, performance};
use solar::{CapacityBasis, DayFigures, Flag};

use super::guidance::Guidance;
use super::subject::Subject;
use super::subjects::Wanted;
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::daily;

/// Days on either side that tell what a complete day is.
const NEIGHBOURS: u64 = 15;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: PerformanceRatioArguments,
) -> Result<ToolEnvelope<PerformanceReport>, Error> {
    let Wanted::One(logger_id) = Wanted::of(
        arguments.logger_id.as_ref(),
        arguments.logger_ids.as_ref(),
        arguments.site_id.as_ref(),
    )?
    else {
        return Err(Error::invalid("/logger_id", "is required"));
    };
    let mut conn = toolbox.pool.acquire().await?;
    let subject = Subject::find(toolbox, &mut conn, tenant, logger_id).await?;
    let (logger, date) = (&subject.logger, arguments.date);
    let around = Days::new(NEIGHBOURS);
    let days = daily::load(&mut conn, logger.key, date - around, date + around).await?;
    let Some(day) = days.iter().find(|day| day.date == date) else {
        return Err(subject.nothing_in(Period {
            start: date,
            end: date,
        }));
    };
    let figures = performance(
        std::slice::from_ref(day),
        &days,
        arguments.capacity_kw,
        &logger.calibration,
        &logger.context(),
    );
    let report = report(&subject, day, &figures)?;
    let context = guidance(&report);
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(report)
    })
}

fn report(
    subject: &Subject,
    day: &DayFigures,
    figures: &Performance,
) -> Result<PerformanceReport, Error> {
    let logger = &subject.logger;
    let (Some(pr), Some(yf), Some(capacity)) = (figures.pr, figures.yf, figures.capacity) else {
        return Err(impossible(subject, day, figures));
    };
    let hours = f64::from(figures.paired_records) * logger.calibration.step_hours;
    let pairs = &day.sun.pairs;
    let rating = figures.rating.map(|rating| match rating {
        Rating::Normal => PerformanceRating::Normal,
        Rating::Low => PerformanceRating::Low,
        Rating::Critical => PerformanceRating::Critical,
    });
    Ok(PerformanceReport {
        kind: "performance_report".to_owned(),
        logger_id: logger.logger_id.clone(),
        scope: None,
        date: day.date,
        period: None,
        performance_ratio: wire::tenths(100.0 * pr),
        pr: wire::thousandths(pr),
        pr_25c: figures.pr_25c.map(wire::thousandths),
        yf: wire::thousandths(yf),
        yr: wire::thousandths(figures.yr),
        paired_records: figures.paired_records.into(),
        coverage: wire::thousandths(figures.coverage.unwrap_or(0.0)),
        capacity_kw: wire::cents(capacity.kw),
        capacity_basis: wire::capacity_basis(capacity.basis),
        inferred_capacity_kw: logger
            .calibration
            .dc_capacity_estimate_kw()
            .map(wire::cents),
        stc_power_kw: figures.stc_power_kw.map(wire::cents),
        irradiance_basis: wire::irradiance_basis(logger.irradiance_basis),
        rating,
        metrics: PerformanceMetrics {
            avg_power_watts: wire::tenths(1000.0 * pairs.energy_kwh / hours),
            peak_power_watts: wire::tenths(day.peak_w.unwrap_or(0.0)),
            avg_irradiance: wire::tenths(1000.0 * pairs.insolation_kwh_m2 / hours),
            data_points: figures.paired_records.into(),
        },
        counted: true,
        devices: Vec::new(),
        left_out: Vec::new(),
        interpretation: interpretation(pr, figures),
        flags: wire::flags(figures.flags, subject.historical),
    })
}

/// Why there is no ratio.
fn impossible(subject: &Subject, day: &DayFigures, figures: &Performance) -> Error {
    let (id, date) = (&subject.logger.logger_id, wire::spoken(day.date));
    match figures.lacking {
        Some(Lacking::Capacity) => Error::impossible(format!(
            "The capacity of {id} is not configured and there are too few bright readings to estimate it. Give capacity_kw."
        )),
        _ if !subject.logger.calibration.has_irradiance => Error::impossible(format!(
            "No irradiance is known for {id}, neither its own nor a sensor's, so there is no performance ratio."
        )),
        _ => Error::no_data_in_window(
            format!("On {date} no reading of {id} has both power and irradiance."),
            subject.available,
        ),
    }
}

fn interpretation(pr: f64, figures: &Performance) -> String {
    let percent = 100.0 * pr;
    let caveat = [
        (
            Flag::DeadDay,
            "the device delivered next to nothing all day",
        ),
        (Flag::IncompleteDay, "the day is incomplete"),
        (
            Flag::CapacityImplausible,
            "the stated capacity does not fit the readings",
        ),
        (
            Flag::IrradianceNotPoa,
            "the irradiance is horizontal, not in the plane of the array",
        ),
    ];
    let caveat = caveat
        .iter()
        .find(|(flag, _)| figures.flags.contains(*flag))
        .map(|(_, words)| *words);
    let inferred = figures
        .capacity
        .is_some_and(|capacity| capacity.basis == CapacityBasis::Inferred);
    let verdict = match figures.rating {
        _ if inferred => {
            "relative to what this logger usually makes of its irradiance, as its capacity was estimated from its own data"
        }
        Some(Rating::Normal) => "which is normal",
        Some(Rating::Low) => "which is low",
        Some(Rating::Critical) => "which is critically low",
        None => "without a verdict",
    };
    match caveat {
        Some(caveat) => {
            format!("The performance ratio is {percent:.1} %, {verdict}; mind that {caveat}.")
        }
        None => format!("The performance ratio is {percent:.1} %, {verdict}."),
    }
}

fn guidance(report: &PerformanceReport) -> ToolContext {
    let id = report.logger_id.as_str();
    let (severity, colours) = match report.rating {
        Some(PerformanceRating::Critical) => (InsightSeverity::Critical, "danger"),
        Some(PerformanceRating::Low) => (InsightSeverity::Warning, "warning"),
        Some(PerformanceRating::Normal) => (InsightSeverity::Info, "success"),
        None => (InsightSeverity::Info, "neutral"),
    };
    let poor = severity != InsightSeverity::Info;
    let peak = wire::spoken_power(report.metrics.peak_power_watts);
    let mut guidance = Guidance::new(format!(
        "{id} on {}: {}",
        wire::spoken(report.date),
        report.interpretation
    ))
    .insight(
        InsightKind::Performance,
        severity,
        "Performance ratio",
        &report.interpretation,
    )
    .measured(
        format!("{:.1} %", report.performance_ratio),
        Some("75 % is normal".to_owned()),
    )
    .insight(
        InsightKind::Weather,
        InsightSeverity::Info,
        "Sunlight",
        format!(
            "The sun brought {:.2} kWh/m², {:.0} W/m² on average while it shone.",
            report.yr, report.metrics.avg_irradiance
        ),
    )
    .insight(
        InsightKind::Performance,
        InsightSeverity::Info,
        "Peak",
        format!(
            "The peak was {peak} with {:.2} kW of capacity.",
            report.capacity_kw
        ),
    );
    if poor {
        let priority = if severity == InsightSeverity::Critical {
            NextStepPriority::Urgent
        } else {
            NextStepPriority::Recommended
        };
        guidance = guidance
            .step(
                priority,
                "Check the device's health",
                "It delivers less than its irradiance allows.",
                (
                    names::ANALYZE_INVERTER_HEALTH,
                    json!({ "logger_id": id, "days": 7, "end_date": report.date }),
                ),
            )
            .step(
                priority,
                "Look for error codes",
                "The device may say itself what is wrong.",
                (
                    names::DIAGNOSE_ERROR_CODES,
                    json!({ "logger_id": id, "days": 7, "end_date": report.date }),
                ),
            );
    }
    guidance
        .step(
            NextStepPriority::Suggested,
            "See the day's power curve",
            "Its shape tells clouds from faults.",
            (
                names::GET_POWER_CURVE,
                json!({ "logger_id": id, "date": report.date }),
            ),
        )
        .alert((severity == InsightSeverity::Critical).then(|| {
            format!(
                "{id} reached only {:.1} % performance ratio.",
                report.performance_ratio
            )
        }))
        .show("metric_card", "standard", Some("performanceRatio"), colours)
        .build()
}
