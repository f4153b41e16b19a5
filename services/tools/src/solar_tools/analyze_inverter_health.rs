//! `analyze_inverter_health`: outages and other anomalies of one logger.

mod words;

use chrono::{Days, NaiveDate};
use contracts::tools::{
    Anomaly, AnomalyPoint, AnomalyReport, AnomalySeverity, HealthEvent, HealthWord,
    InverterHealthArguments, Money, ToolEnvelope,
};
use solar::calendar::DaySpan;
use solar::health::{
    Event, EventKind, Health, HealthQuestion, Surroundings, analyze, site_irradiance,
    site_utilisation,
};
use solar::{Calibration, DayFigures, Series};
use sqlx::types::Json;
use sqlx::{PgConnection, Row};

use super::subject::{Subject, period};
use super::subjects::Wanted;
use super::window::Window;
use super::{SolarTools, wire};
use crate::error::Error;
use crate::store::readings::{self, Detail};
use crate::store::{Logger, daily};

/// Days before the window: what is usual, and whether the clock was moved.
const DAYS_BEFORE: u64 = 60;

/// Days after it.
const DAYS_AFTER: u64 = 15;

/// With fewer days of history and no sunlight to judge by there is no score.
const FEWEST_DAYS: u64 = 3;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: InverterHealthArguments,
) -> Result<ToolEnvelope<AnomalyReport>, Error> {
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
    let window = Window::of(arguments.days, arguments.start_date, arguments.end_date)?
        .span(subject.newest_day, subject.logger.site.zone)?;
    let examined = examine(&mut conn, &subject, window).await?;
    let report = report(toolbox, &subject, window, &examined);
    let context = words::guidance(&report);
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(report)
    })
}

/// What was found, and the readings that it was found in.
pub(super) struct Examined {
    series: Series,
    pub(super) health: Health,
}

/// Examines a window of a logger.
pub(super) async fn examine(
    conn: &mut PgConnection,
    subject: &Subject,
    window: DaySpan,
) -> Result<Examined, Error> {
    let logger = &subject.logger;
    let (first, last) = (
        window.first - Days::new(DAYS_BEFORE),
        window.last + Days::new(DAYS_AFTER),
    );
    let days = daily::load(conn, logger.key, first, last).await?;
    let series = readings::load_days(conn, logger, window, Detail::Power).await?;
    // A logger whose readings stopped has a window without readings, and that is a finding, as long as it had any before.
    let after_the_end = window.first > subject.available.end;
    if series.is_empty() && (after_the_end || window.last < subject.available.start) {
        return Err(subject.nothing_in(period(window)));
    }
    let neighbours = if needs_neighbours(&series, &days, window) {
        neighbours(conn, logger, window).await?
    } else {
        Vec::new()
    };
    let others: Vec<(&Series, &Calibration)> =
        neighbours.iter().map(|(series, c)| (series, c)).collect();
    let lit: Vec<_> = others
        .iter()
        .copied()
        .filter(|(series, _)| series.has_irradiance())
        .collect();
    let irradiance = (!lit.is_empty()).then(|| site_irradiance(series.time(), &lit));
    let producing: Vec<_> = others
        .iter()
        .copied()
        .filter(|(_, c)| c.robust_peak_w > 0.0)
        .collect();
    let utilisation = (!producing.is_empty()).then(|| site_utilisation(series.time(), &producing));
    let health = analyze(&HealthQuestion {
        series: &series,
        window,
        days: &days,
        calibration: &logger.calibration,
        context: &logger.context(),
        surroundings: Surroundings {
            irradiance: irradiance.as_deref(),
            utilisation: utilisation.as_deref(),
        },
    });
    Ok(Examined { series, health })
}

/// Whether the logger's own irradiance does not tell everything.
fn needs_neighbours(series: &Series, days: &[DayFigures], window: DaySpan) -> bool {
    let in_window = |date: NaiveDate| (window.first..=window.last).contains(&date);
    !series.has_irradiance()
        || days
            .iter()
            .any(|day| day.sun.suspect && in_window(day.date))
}

/// The readings of a few other loggers of the site.
async fn neighbours(
    conn: &mut PgConnection,
    logger: &Logger,
    window: DaySpan,
) -> Result<Vec<(Series, Calibration)>, Error> {
    let rows = sqlx::query(include_str!("../../queries/neighbours.sql"))
        .bind(logger.key)
        .fetch_all(&mut *conn)
        .await?;
    let mut calibrations = Vec::with_capacity(rows.len());
    for row in rows {
        let key: i32 = row.try_get(0)?;
        let calibration: Json<Calibration> = row.try_get(1)?;
        calibrations.push((key, calibration.0));
    }
    let keys: Vec<i32> = calibrations.iter().map(|(key, _)| *key).collect();
    let mut series = readings::load_keys(conn, &keys, window).await?;
    Ok(calibrations
        .into_iter()
        .filter_map(|(key, calibration)| Some((series.remove(&key)?, calibration)))
        .collect())
}

fn report(
    toolbox: &SolarTools,
    subject: &Subject,
    window: DaySpan,
    examined: &Examined,
) -> AnomalyReport {
    let Examined { series, health } = examined;
    let logger = &subject.logger;
    let limit = toolbox.settings.anomaly_limit;
    let site = &logger.site;
    let rate = site.tariff_per_kwh.unwrap_or(toolbox.settings.rate_per_kwh);
    let borrowed = !logger.sensor_keys.is_empty();
    let anomalies: Vec<&Event> = health
        .events
        .iter()
        .filter(|event| is_anomaly(event))
        .collect();
    let judged = health.availability_time.is_some() || logger.calibration.days >= FEWEST_DAYS;
    let health_score = (judged && !series.is_empty()).then(|| wire::tenths(health.score));
    AnomalyReport {
        kind: "anomaly_report".to_owned(),
        logger_id: logger.logger_id.clone(),
        scope: None,
        site_id: Some(site.site_id.clone()),
        period: period(window),
        days_analyzed: u32::try_from(window.days()).unwrap_or(u32::MAX),
        total_records: health.records.into(),
        anomaly_count: anomalies.len() as u64,
        anomalies: anomalies
            .into_iter()
            .take(limit)
            .map(|event| anomaly(event, examined, logger))
            .collect(),
        points: points(examined, limit, logger),
        events: health
            .events
            .iter()
            .map(|event| health_event(event, logger, borrowed))
            .collect(),
        health_score,
        health_status: HealthWord::of(health_score),
        availability_time: health.availability_time.map(wire::thousandths),
        availability_energy: health.availability_energy.map(wire::thousandths),
        sun_hours: wire::cents(health.sun_hours),
        lost_kwh: wire::cents(health.lost_kwh),
        lost_money: (health.lost_kwh > 0.0).then(|| Money {
            amount: wire::cents(health.lost_kwh * rate),
            currency: site.currency.clone(),
        }),
        shortfall_kwh: None,
        vs_peers_pct: None,
        devices: Vec::new(),
        sites: Vec::new(),
        left_out: Vec::new(),
        dead_days: health.dead_days.clone(),
        missing_days: health.missing_days.clone(),
        flags: wire::flags(health.flags, subject.historical),
    }
}

/// Clipping is an inverter that works as designed.
fn is_anomaly(event: &Event) -> bool {
    event.kind != EventKind::Clipping
}

fn anomaly(event: &Event, examined: &Examined, logger: &Logger) -> Anomaly {
    let series = &examined.series;
    let row = series.rows(event.start, event.end).next();
    let at = |column: &[f64]| row.map(|row| column[row]).filter(|value| value.is_finite());
    Anomaly {
        logger_id: None,
        timestamp: wire::time(event.start, logger.site.zone),
        kind: words::kind(event.kind),
        description: words::description(event, logger.site.zone),
        severity: severity(event),
        power: at(series.power_w()).map(wire::tenths),
        irradiance: at(series.irradiance()).map(wire::tenths),
    }
}

fn severity(event: &Event) -> AnomalySeverity {
    match event.kind {
        EventKind::DeadDay => AnomalySeverity::High,
        EventKind::Outage if event.minutes >= 60.0 => AnomalySeverity::High,
        EventKind::Outage
        | EventKind::DataOutage
        | EventKind::MissingDay
        | EventKind::Underperformance => AnomalySeverity::Medium,
        EventKind::StaleValues
        | EventKind::Clipping
        | EventKind::IrradianceSuspect
        | EventKind::ClockShift => AnomalySeverity::Low,
    }
}

/// The readings of outages and of data outages, oldest first.
fn points(examined: &Examined, limit: usize, logger: &Logger) -> Vec<AnomalyPoint> {
    let Examined { series, health } = examined;
    let silent = health
        .events
        .iter()
        .filter(|event| event.kind == EventKind::DataOutage)
        .flat_map(|event| series.rows(event.start, event.end))
        .filter(|row| series.power_w()[*row].is_nan())
        .map(|row| (row, "data_outage"));
    let dark = health
        .outage_rows
        .iter()
        .map(|row| (*row, "daytime_outage"));
    let mut rows: Vec<(usize, &str)> = dark.chain(silent).collect();
    rows.sort_unstable();
    rows.truncate(limit);
    let value = |value: f64| value.is_finite().then(|| wire::tenths(value));
    rows.into_iter()
        .map(|(row, reason)| AnomalyPoint {
            timestamp: wire::time(series.time()[row], logger.site.zone),
            active_power_watts: value(series.power_w()[row]),
            irradiance: value(series.irradiance()[row]),
            reason: reason.to_owned(),
        })
        .collect()
}

fn health_event(event: &Event, logger: &Logger, borrowed: bool) -> HealthEvent {
    let zone = logger.site.zone;
    let loses = matches!(event.kind, EventKind::Outage | EventKind::Underperformance);
    HealthEvent {
        logger_id: None,
        lost_money: None,
        kind: words::kind(event.kind),
        start: wire::time(event.start, zone),
        end: wire::time(event.end, zone),
        minutes: wire::tenths(event.minutes),
        lost_kwh: loses.then(|| wire::cents(event.lost_kwh)),
        evidence: words::evidence(event, borrowed),
    }
}
