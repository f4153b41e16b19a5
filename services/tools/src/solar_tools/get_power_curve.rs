//! `get_power_curve`: one logger's power over one local day.

use chrono::Days;
use contracts::tools::{
    CurvePoint, EnergySource, InsightKind, InsightSeverity, NextStepPriority, Period, PointQuality,
    PowerCurve, PowerCurveArguments, SummaryStats, ToolContext, ToolEnvelope, Trend, names,
};
use serde_json::json;
use solar::calendar::DaySpan;
use solar::curve::{CurveFigures, Quality, curve_figures, thin};
use solar::{DayFigures, Series};

use super::guidance::Guidance;
use super::subject::Subject;
use super::{SolarTools, remarks, wire};
use crate::error::Error;
use crate::store::daily;
use crate::store::readings::{self, Detail};

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
    let series = readings::load_days(&mut conn, logger, span, Detail::Power).await?;
    conn.keep();
    let figures = curve_figures(&day, &days, &logger.calibration);
    let curve = curve(toolbox, &subject, &day, &series, &figures);
    let stats = summary(&subject, &figures);
    let message = stats.is_none().then(|| {
        format!(
            "{} sent readings on {}, none of them with power.",
            logger.logger_id,
            wire::spoken(date)
        )
    });
    Ok(ToolEnvelope {
        message,
        context: stats
            .as_ref()
            .map(|stats| guidance(&curve, stats, &figures, &day)),
        summary_stats: stats,
        ..ToolEnvelope::ok(curve)
    })
}

fn curve(
    toolbox: &SolarTools,
    subject: &Subject,
    day: &DayFigures,
    series: &Series,
    figures: &CurveFigures,
) -> PowerCurve {
    let logger = &subject.logger;
    let zone = logger.site.zone;
    let points = thin(
        series,
        &logger.calibration,
        &logger.context(),
        toolbox.settings.curve_points,
    );
    let thinned = points.len() < series.len();
    let data = points.into_iter().map(|point| CurvePoint {
        timestamp: wire::time(point.time, zone),
        power: point.mean_w.map(wire::tenths),
        irradiance: point.irradiance.map(wire::tenths),
        min: point.min_w.filter(|_| thinned).map(wire::tenths),
        max: point.max_w.filter(|_| thinned).map(wire::tenths),
        quality: quality(point.quality),
    });
    PowerCurve {
        kind: "timeseries".to_owned(),
        logger_id: logger.logger_id.clone(),
        date: day.date,
        record_count: series.len() as u64,
        data: data.collect(),
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
