//! `get_power_curve`: one logger's power over one local day.

use chrono::{Days, NaiveDate};
use contracts::tools::{
    CurvePoint, EnergySource, InsightKind, InsightSeverity, NextStepPriority, Period, PointQuality,
    PowerCurve, PowerCurveArguments, SummaryStats, ToolContext, ToolEnvelope, Trend, names,
};
use serde_json::json;
use solar::calendar::DaySpan;
use solar::curve::{CurveFigures, Quality, counted_curve, curve_figures, thin};
use solar::{DayFigures, Series};

use super::guidance::Guidance;
use super::subject::Subject;
use super::{SolarTools, remarks, wire};
use crate::error::Error;
use crate::store::readings::{self, Detail};
use crate::store::{Logger, daily};

/// Days before the one asked for, to compare it with.
const DAYS_BEFORE: u64 = 31;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: PowerCurveArguments,
) -> Result<ToolEnvelope<PowerCurve>, Error> {
    let mut conn = toolbox.kept.acquire().await?;
    let subject = Subject::find(toolbox, &mut conn, tenant, &arguments.logger_id).await?;
    let (logger, date) = (&subject.logger, arguments.date);
    let span = DaySpan::of_day(date, logger.site.zone);
    let first = date - Days::new(DAYS_BEFORE);
    let mut days = daily::load(&mut conn, logger.key, first, date).await?;
    let Some(day) = days.pop_if(|day| day.date == date) else {
        return Err(subject.nothing_in(Period {
            start: date,
            end: date,
        }));
    };
    let counts_alone = logger.calibration.counts_alone();
    let detail = if counts_alone {
        Detail::Everything
    } else {
        Detail::Power
    };
    let series = readings::load_days(&mut conn, logger, span, detail).await?;
    conn.keep();
    let counted = counted_curve(&series, &logger.calibration, &logger.context());
    let figures = curve_figures(&day, &days, &logger.calibration).with_counted(&counted);
    let points = if counted.is_empty() {
        points(toolbox, logger, &series)
    } else {
        counted
            .into_iter()
            .map(|point| curve_point(point, logger, false))
            .collect()
    };
    let curve = curve(&subject, &day, (series.len(), points), &figures);
    let stats = summary(&subject, &figures);
    let message = without_power(&subject, date, &figures, counts_alone);
    Ok(ToolEnvelope {
        message,
        context: stats
            .as_ref()
            .map(|stats| guidance(&curve, stats, &figures, &day)),
        summary_stats: stats,
        ..ToolEnvelope::ok(curve)
    })
}

/// What to know about the power of a device that sends none, or sent none on the day.
fn without_power(
    subject: &Subject,
    date: NaiveDate,
    figures: &CurveFigures,
    counts_alone: bool,
) -> Option<String> {
    let (id, day) = (&subject.logger.logger_id, wire::spoken(date));
    let Some(kwh) = figures.total_kwh.filter(|_| counts_alone) else {
        return figures
            .peak_w
            .is_none()
            .then(|| format!("{id} sent readings on {day}, none of them with power."));
    };
    let curve = if figures.peak_w.is_some() {
        "The curve is the mean power between readings of its register."
    } else {
        "It has too few readings of its register for a curve."
    };
    let energy = wire::spoken_energy(kwh);
    Some(format!(
        "{id} sends no power. It made {energy} on {day}. {curve}"
    ))
}

fn points(toolbox: &SolarTools, logger: &Logger, series: &Series) -> Vec<CurvePoint> {
    let points = thin(
        series,
        &logger.calibration,
        &logger.context(),
        toolbox.settings.curve_points,
    );
    let thinned = points.len() < series.len();
    let points = points.into_iter();
    points
        .map(|point| curve_point(point, logger, thinned))
        .collect()
}

fn curve_point(point: solar::curve::CurvePoint, logger: &Logger, thinned: bool) -> CurvePoint {
    CurvePoint {
        timestamp: wire::time(point.time, logger.site.zone),
        power: point.mean_w.map(wire::tenths),
        irradiance: point.irradiance.map(wire::tenths),
        min: point.min_w.filter(|_| thinned).map(wire::tenths),
        max: point.max_w.filter(|_| thinned).map(wire::tenths),
        quality: quality(point.quality),
    }
}

fn curve(
    subject: &Subject,
    day: &DayFigures,
    (records, points): (usize, Vec<CurvePoint>),
    figures: &CurveFigures,
) -> PowerCurve {
    let logger = &subject.logger;
    PowerCurve {
        kind: "timeseries".to_owned(),
        logger_id: logger.logger_id.clone(),
        date: day.date,
        record_count: records as u64,
        data: points,
        energy_source: figures
            .source
            .map_or(EnergySource::Power, wire::energy_source),
        register_kwh: figures.register_kwh.map(wire::cents),
        completeness: wire::thousandths(figures.completeness),
        hole_hours: wire::cents(figures.hole_hours),
        night_import_kwh: wire::cents(figures.night_import_kwh),
        clipped_samples: figures.clipped_samples.into(),
        step_minutes: wire::step_minutes(&logger.calibration),
        flags: wire::flags(figures.flags, subject.historical),
    }
}

fn quality(quality: Quality) -> PointQuality {
    match quality {
        Quality::Good => PointQuality::Ok,
        Quality::Clipped => PointQuality::Clipped,
        Quality::Stale => PointQuality::Stale,
        Quality::Dropped => PointQuality::Dropped,
        Quality::Missing => PointQuality::Missing,
    }
}

fn summary(subject: &Subject, figures: &CurveFigures) -> Option<SummaryStats> {
    Some(SummaryStats {
        peak_value: wire::tenths(figures.peak_w?),
        peak_time: wire::time(figures.peak_time?, subject.logger.site.zone),
        avg_value: wire::tenths(figures.average_w?),
        total_energy: figures.total_kwh.map(wire::cents),
        trend: match figures.trend {
            solar::curve::Trend::Increasing => Trend::Increasing,
            solar::curve::Trend::Decreasing => Trend::Decreasing,
            solar::curve::Trend::Stable => Trend::Stable,
        },
    })
}

fn guidance(
    curve: &PowerCurve,
    stats: &SummaryStats,
    figures: &CurveFigures,
    day: &DayFigures,
) -> ToolContext {
    let (id, date) = (curve.logger_id.as_str(), curve.date);
    let total = wire::spoken_energy(stats.total_energy.unwrap_or(0.0));
    let peak = wire::spoken_power(stats.peak_value);
    let at = stats.peak_time.format("%H:%M");
    let falling = stats.trend == Trend::Decreasing;
    let mut guidance = Guidance::new(format!(
        "{id} delivered {total} on {}, with a peak of {peak} at {at}.",
        wire::spoken(date)
    ))
    .insight(
        InsightKind::Performance,
        InsightSeverity::Info,
        "Peak power",
        format!("The highest power was {peak}, first reached at {at}."),
    )
    .measured(format!("{} W", stats.peak_value), None);
    if let Some(usual) = figures.trend_median_kwh {
        let usual = wire::spoken_energy(usual);
        let (severity, words) = match stats.trend {
            Trend::Increasing => (InsightSeverity::Info, "more than 10 % above"),
            Trend::Decreasing => (InsightSeverity::Warning, "more than 10 % below"),
            Trend::Stable => (InsightSeverity::Info, "within 10 % of"),
        };
        guidance = guidance
            .insight(
                InsightKind::Performance,
                severity,
                "Against the days before",
                format!("{total} is {words} the median of the complete days before, {usual}."),
            )
            .measured(total, Some(usual));
    }
    if curve.hole_hours > 0.0 {
        guidance = guidance.insight(
            InsightKind::Operational,
            InsightSeverity::Warning,
            "Missing readings",
            format!(
                "Nothing is known of {:.1} hours of the day.",
                curve.hole_hours
            ),
        );
    }
    if falling {
        guidance = guidance.step(
            NextStepPriority::Recommended,
            "Check the device's health",
            "The day brought clearly less than the days before.",
            (
                names::ANALYZE_INVERTER_HEALTH,
                json!({ "logger_id": id, "days": 7, "end_date": date }),
            ),
        );
    }
    guidance
        .step(
            NextStepPriority::Suggested,
            "Calculate the day's performance ratio",
            "It tells weather from faults.",
            (
                names::CALCULATE_PERFORMANCE_RATIO,
                json!({ "logger_id": id, "date": date }),
            ),
        )
        .step(
            NextStepPriority::Optional,
            "See the other loggers",
            "Neighbours under the same sky make the best comparison.",
            (names::LIST_LOGGERS, json!({})),
        )
        .alert(remarks::register(id, std::slice::from_ref(day)))
        .show(
            "chart_composed",
            "detailed",
            Some("peakValue"),
            if falling { "warning" } else { "success" },
        )
        .build()
}
