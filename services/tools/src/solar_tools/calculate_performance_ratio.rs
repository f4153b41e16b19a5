//! `calculate_performance_ratio`: the performance ratio (IEC 61724-1) of a local day or a period,
//! from daily figures.

mod total;

use chrono::Days;
use contracts::tools::{
    InsightKind, InsightSeverity, NextStepPriority, PerformanceMetrics, PerformanceRating,
    PerformanceRatioArguments, PerformanceReport, Period, ToolContext, ToolEnvelope, names,
};
use serde_json::json;
use solar::ratio::{Lacking, Performance, Rating, performance};
use solar::{CapacityBasis, DayFigures, Flag};

use super::guidance::Guidance;
use super::sizes::{self, Sizes};
use super::subject::Subject;
use super::subjects::{Selection, Subjects};
use super::window::LONGEST;
use super::{SolarTools, remarks, wire};
use crate::error::Error;
use crate::store::daily;

/// Days on either side that say what a complete day is.
const NEIGHBOURS: u64 = 15;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: PerformanceRatioArguments,
) -> Result<ToolEnvelope<PerformanceReport>, Error> {
    let period = period(&arguments)?;
    let wanted = Selection::of(
        arguments.logger_id.as_ref(),
        arguments.logger_ids.as_ref(),
        arguments.site_id.as_ref(),
    )?;
    let mut conn = toolbox.kept.acquire().await?;
    let report = if let Selection::One(logger_id) = wanted {
        let subject = Subject::find(toolbox, &mut conn, tenant, logger_id).await?;
        let around = Days::new(NEIGHBOURS);
        let days = daily::load(
            &mut conn,
            subject.logger.key,
            period.start - around,
            period.end + around,
        )
        .await?;
        let loggers = [&subject.logger];
        let sizes = sizes::of(&mut conn, &loggers, &[period.start], &[period.end]).await?;
        of_days(&subject, period, &days, &sizes, arguments.capacity_kw)?.report
    } else {
        if let Some(kw) = arguments.capacity_kw {
            return Err(Error::invalid(
                "/capacity_kw",
                format!("{kw} kW is of one device: name it with logger_id"),
            ));
        }
        let subjects = Subjects::find(toolbox, &mut conn, tenant, wanted).await?;
        total::of(&mut conn, subjects, period).await?
    };
    let context = guidance(&report);
    conn.keep();
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(report)
    })
}

fn period(arguments: &PerformanceRatioArguments) -> Result<Period, Error> {
    let (start, end) = (arguments.date, arguments.end_date.unwrap_or(arguments.date));
    if end < start {
        return Err(Error::reversed("/end_date", start, end));
    }
    if (end - start).num_days() >= LONGEST {
        return Err(Error::invalid(
            "/end_date",
            format!("a period has at most {LONGEST} days; this one begins on {start}"),
        ));
    }
    Ok(Period { start, end })
}

/// A device's report, and the figures behind it.
struct Judged {
    report: PerformanceReport,
    figures: Performance,
}

/// The ratio of one device from its days, which may reach beyond the period.
fn of_days(
    subject: &Subject,
    period: Period,
    days: &[DayFigures],
    sizes: &Sizes,
    capacity_kw: Option<f64>,
) -> Result<Judged, Error> {
    let from = days.partition_point(|day| day.date < period.start);
    let until = days.partition_point(|day| day.date <= period.end).max(from);
    let asked = &days[from..until];
    if asked.is_empty() {
        return Err(subject.nothing_in(period));
    }
    let logger = &subject.logger;
    if capacity_kw.is_none() && sizes.is_meter_without(logger.key) {
        return Err(Error::impossible(format!(
            "{} is a meter: it measures what the inverters of its site deliver, and has no capacity of its own. Give capacity_kw, or ask about the inverters.",
            logger.logger_id
        )));
    }
    let figures = performance(
        asked,
        days,
        capacity_kw,
        &logger.calibration,
        &sizes::context(logger, sizes),
    );
    let report = report(subject, period, asked, &figures)?;
    Ok(Judged { report, figures })
}

fn report(
    subject: &Subject,
    period: Period,
    days: &[DayFigures],
    figures: &Performance,
) -> Result<PerformanceReport, Error> {
    let logger = &subject.logger;
    let (Some(pr), Some(capacity)) = (figures.pr, figures.capacity) else {
        return Err(impossible(subject, period, figures));
    };
    let hours = f64::from(figures.paired_records) * logger.calibration.step_hours;
    let peak = days.iter().filter_map(|day| day.peak_w).reduce(f64::max);
    Ok(PerformanceReport {
        kind: "performance_report".to_owned(),
        logger_id: logger.logger_id.clone(),
        scope: None,
        date: period.start,
        period: (period.end > period.start).then_some(period),
        performance_ratio: wire::tenths(100.0 * pr),
        pr: wire::thousandths(pr),
        pr_25c: figures.pr_25c.map(wire::thousandths),
        yf: wire::thousandths(figures.energy_kwh / capacity.kw),
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
        rating: figures.rating.map(rating),
        metrics: PerformanceMetrics {
            avg_power_watts: wire::tenths(1000.0 * figures.pairs.energy_kwh / hours),
            peak_power_watts: wire::tenths(peak.unwrap_or(0.0)),
            avg_irradiance: wire::tenths(1000.0 * figures.pairs.insolation_kwh_m2 / hours),
            data_points: figures.paired_records.into(),
        },
        counted: true,
        devices: Vec::new(),
        left_out: Vec::new(),
        interpretation: match remarks::register(&logger.logger_id, days) {
            Some(remark) => format!("{} {remark}", interpretation(pr, figures)),
            None => interpretation(pr, figures),
        },
        flags: wire::flags(figures.flags, subject.historical),
    })
}

fn rating(rating: Rating) -> PerformanceRating {
    match rating {
        Rating::Normal => PerformanceRating::Normal,
        Rating::Low => PerformanceRating::Low,
        Rating::Critical => PerformanceRating::Critical,
    }
}

/// Why there is no ratio.
fn impossible(subject: &Subject, period: Period, figures: &Performance) -> Error {
    let (id, when) = (&subject.logger.logger_id, spoken(period));
    match figures.lacking {
        Some(Lacking::Capacity) => Error::impossible(format!(
            "The capacity of {id} is not configured and there are too few bright readings to estimate it. Give capacity_kw."
        )),
        _ if !subject.logger.calibration.has_irradiance => Error::impossible(format!(
            "No irradiance is known for {id}, neither its own nor a sensor's, so there is no performance ratio."
        )),
        _ => Error::no_data_in_window(
            format!("{id} has no reading {when} with both power and irradiance."),
            subject.available,
        ),
    }
}

/// `on 4 December 2025`, `from 1 to …`.
fn spoken(period: Period) -> String {
    let Period { start, end } = period;
    if start == end {
        format!("on {}", wire::spoken(end))
    } else {
        format!("from {} to {}", wire::spoken(start), wire::spoken(end))
    }
}

fn interpretation(pr: f64, figures: &Performance) -> String {
    let percent = 100.0 * pr;
    let caveat = [
        (
            Flag::CapacityImplausible,
            "no array has such a ratio, so the stated capacity does not fit the readings",
        ),
        (
            Flag::DeadDay,
            "the device delivered next to nothing on a whole day",
        ),
        (Flag::IncompleteDay, "readings are missing"),
        (
            Flag::IrradianceNotPoa,
            "the irradiance is horizontal, not in the plane of the array",
        ),
    ];
    let caveat = caveat
        .iter()
        .find(|(flag, _)| figures.flags.contains(*flag))
        .map(|(_, words)| *words);
    let basis = figures.capacity.map(|capacity| capacity.basis);
    let verdict = match figures.rating {
        _ if basis == Some(CapacityBasis::Inferred) => {
            "relative to what this logger usually makes of its irradiance, as its capacity was estimated from its own data"
        }
        _ if basis == Some(CapacityBasis::Peers) => {
            "at the size that the site's other inverters have, as its own is not stated"
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
    let when = report.period.unwrap_or(Period {
        start: report.date,
        end: report.date,
    });
    let (severity, colours) = match report.rating {
        Some(PerformanceRating::Critical) => (InsightSeverity::Critical, "danger"),
        Some(PerformanceRating::Low) => (InsightSeverity::Warning, "warning"),
        Some(PerformanceRating::Normal) => (InsightSeverity::Info, "success"),
        None => (InsightSeverity::Info, "neutral"),
    };
    let poor = severity != InsightSeverity::Info;
    let peak = wire::spoken_power(report.metrics.peak_power_watts);
    let mut guidance = Guidance::new(format!("{id} {}: {}", spoken(when), report.interpretation))
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
    if report.scope.is_some() {
        return lowest(guidance, report, when)
            .show("metric_card", "standard", Some("performanceRatio"), colours)
            .build();
    }
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
                    json!({ "logger_id": id, "days": 7, "end_date": when.end }),
                ),
            )
            .step(
                priority,
                "Look for error codes",
                "The device may say itself what is wrong.",
                (
                    names::DIAGNOSE_ERROR_CODES,
                    json!({ "logger_id": id, "days": 7, "end_date": when.end }),
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
                json!({ "logger_id": id, "date": when.end }),
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

/// What to do about the lowest of several ratios.
fn lowest(guidance: Guidance, report: &PerformanceReport, when: Period) -> Guidance {
    match report.devices.first() {
        Some(worst) => guidance.step(
            NextStepPriority::Recommended,
            "Check the health of the lowest",
            "It delivers the least of what its irradiance allows.",
            (
                names::ANALYZE_INVERTER_HEALTH,
                json!({ "logger_id": worst.logger_id, "days": 7, "end_date": when.end }),
            ),
        ),
        None => guidance,
    }
}
