//! `analyze_inverter_health`: outages and other anomalies of a logger, or of several.

pub(super) mod examination;
mod total;
mod words;

use chrono::NaiveDate;
use contracts::tools::{
    Anomaly, AnomalyPoint, AnomalyReport, AnomalySeverity, DataGap, HealthEvent, HealthWord,
    InverterHealthArguments, Lag, Money, ToolEnvelope,
};
use solar::calendar::DaySpan;
use solar::health::{Event, EventKind, Gap};
use sqlx::PgConnection;

use self::examination::{Examined, Neighbourhood, examine};
use super::moment::judged;
use super::subject::{Subject, period};
use super::subjects::{Selection, Subjects, newest_day};
use super::window::Window;
use super::{SolarTools, Tariff, wire};
use crate::error::Error;
use crate::store::{Logger, LoggerRole, Site, loggers};

/// With fewer days of history and no sunlight to judge by there is no score.
const FEWEST_DAYS: u64 = 3;

/// Gaps that a report lists; all of them are counted.
const MOST_GAPS: usize = 100;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    arguments: InverterHealthArguments,
) -> Result<ToolEnvelope<AnomalyReport>, Error> {
    let window = Window::of(arguments.days, arguments.start_date, arguments.end_date)?;
    let wanted = Selection::of(
        arguments.logger_id.as_ref(),
        arguments.logger_ids.as_ref(),
        arguments.site_id.as_ref(),
    )?;
    let mut conn = toolbox.kept.acquire().await?;
    let report = match wanted {
        Selection::One(logger_id) => {
            let subject = Subject::find(toolbox, &mut conn, tenant, logger_id).await?;
            if subject.logger.role == LoggerRole::Weather {
                return Err(no_inverter(&subject));
            }
            one(toolbox, &mut conn, tenant, &subject, window).await?
        }
        several => {
            let subjects = Subjects::find(toolbox, &mut conn, tenant, several).await?;
            total::of(toolbox, &mut conn, tenant, subjects, window).await?
        }
    };
    let context = if report.scope.is_some() {
        words::guidance_for_several(&report)
    } else {
        words::guidance(&report)
    };
    conn.keep();
    Ok(ToolEnvelope {
        context: Some(context),
        ..ToolEnvelope::ok(report)
    })
}

/// The answer about a weather station: without power there is nothing to judge.
fn no_inverter(subject: &Subject) -> Error {
    let range = subject.available;
    Error::impossible(format!(
        "{} measures the weather; it delivers no energy, so it has no health score. It has readings from {} to {}.",
        subject.logger.logger_id,
        wire::spoken(range.start),
        wire::spoken(range.end)
    ))
}

async fn one(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    tenant: &str,
    subject: &Subject,
    window: Window,
) -> Result<AnomalyReport, Error> {
    let site = &subject.logger.site;
    let newest = loggers::newest_of_sites(conn, tenant, &[&site.site_id]).await?;
    let span = window.span(newest_day(subject, &newest), site.zone)?;
    let days = judged(toolbox, subject, period(span))?;
    let span = DaySpan::of_days(days.start, days.end, site.zone);
    // A named window after the end of the site has no data. A logger that stopped before its site
    // is a finding.
    if window.end().is_some() && span.first > newest_day(subject, &newest) {
        return Err(subject.nothing_in(period(span)));
    }
    let examined = examine_one(conn, tenant, subject, span).await?;
    Ok(report(toolbox, subject, span, &examined))
}

/// Examines a window of a logger.
async fn examine_one(
    conn: &mut PgConnection,
    tenant: &str,
    subject: &Subject,
    window: DaySpan,
) -> Result<Examined, Error> {
    let asked = [(subject, window)];
    let neighbourhood = Neighbourhood::of(conn, tenant, &asked).await?;
    let mut examined = examine(conn, &neighbourhood, &asked).await?;
    examined
        .pop()
        .unwrap_or_else(|| Err(subject.nothing_in(period(window))))
}

fn report(
    toolbox: &SolarTools,
    subject: &Subject,
    window: DaySpan,
    examined: &Examined,
) -> AnomalyReport {
    let Examined {
        series,
        health,
        gaps,
        silence,
        capacity,
    } = examined;
    let logger = &subject.logger;
    let limit = toolbox.settings.anomaly_limit;
    let site = &logger.site;
    let tariff = toolbox.tariff(site);
    let borrowed = !logger.sensor_keys.is_empty();
    let in_dead_day = |event: &Event| is_part_of_dead_day(event, &health.dead_days, logger);
    let anomalies: Vec<&Event> = health
        .events
        .iter()
        .filter(|event| is_anomaly(event) && !in_dead_day(event))
        .collect();
    let judged = health.availability_time.is_some() || logger.calibration.days >= FEWEST_DAYS;
    // Without a single reading only silence can be judged.
    let seen = !series.is_empty() || !health.missing_days.is_empty();
    let health_score = (judged && seen).then(|| wire::tenths(health.score));
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
            .map(|event| {
                let mut told = health_event(event, logger, borrowed, tariff);
                if in_dead_day(event) {
                    told.lost_kwh = None;
                    told.evidence.push_str(words::PART_OF_DEAD_DAY);
                }
                told
            })
            .collect(),
        health_score,
        health_status: HealthWord::of(health_score),
        availability_time: health.availability_time.map(wire::thousandths),
        availability_energy: health.availability_energy.map(wire::thousandths),
        sun_hours: wire::cents(health.sun_hours),
        lost_kwh: wire::cents(health.lost_kwh),
        lost_money: money(health.lost_kwh, tariff, site),
        shortfall_kwh: (health.shortfall_kwh > 0.0).then(|| wire::cents(health.shortfall_kwh)),
        vs_peers_pct: health.vs_peers.map(|share| wire::tenths(100.0 * share)),
        capacity_kw: capacity.map(|capacity| wire::cents(capacity.kw)),
        capacity_basis: capacity.map(|capacity| wire::capacity_basis(capacity.basis)),
        counted: true,
        devices: Vec::new(),
        sites: Vec::new(),
        left_out: Vec::new(),
        dead_days: health.dead_days.clone(),
        missing_days: health.missing_days.clone(),
        gaps: longest(gaps)
            .into_iter()
            .map(|gap| data_gap(gap, logger))
            .collect(),
        gap_count: gaps.len() as u64,
        gap_hours: wire::cents(gaps.iter().map(|gap| gap.hours()).sum()),
        silence: *silence,
        lag: health.lag.map(lag),
        flags: wire::flags(health.flags, subject.historical),
    }
}

/// The gaps that a report lists, in order: if not all fit, the longest.
fn longest(gaps: &[Gap]) -> Vec<Gap> {
    let mut kept = gaps.to_vec();
    if kept.len() > MOST_GAPS {
        kept.sort_by_key(|gap| gap.start - gap.end);
        kept.truncate(MOST_GAPS);
        kept.sort_by_key(|gap| gap.start);
    }
    kept
}

fn lag(found: solar::health::Lag) -> Lag {
    Lag {
        lags: found.lags,
        since: found.since,
        ratio_before: found.before.map(wire::thousandths),
        ratio_after: wire::thousandths(found.after),
        first_day: found.first,
        days: u32::try_from(found.days).unwrap_or(u32::MAX),
    }
}

fn data_gap(gap: Gap, logger: &Logger) -> DataGap {
    DataGap {
        logger_id: None,
        start: wire::time(gap.start, logger.site.zone),
        end: wire::time(gap.end, logger.site.zone),
        hours: wire::cents(gap.hours()),
    }
}

/// Clipping is an inverter that works as designed.
fn is_anomaly(event: &Event) -> bool {
    event.kind != EventKind::Clipping
}

/// A day on which nothing came is one anomaly: its standstills in sunshine are the same again,
/// without a loss of their own.
fn is_part_of_dead_day(event: &Event, dead_days: &[NaiveDate], logger: &Logger) -> bool {
    event.kind == EventKind::Outage
        && dead_days
            .iter()
            .any(|day| DaySpan::of_day(*day, logger.site.zone).contains(event.end))
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
        EventKind::RegisterMismatch if words::is_wrong_register(event) => AnomalySeverity::Medium,
        EventKind::StaleValues
        | EventKind::Clipping
        | EventKind::IrradianceSuspect
        | EventKind::ClockShift
        | EventKind::RegisterMismatch => AnomalySeverity::Low,
    }
}

/// The readings of outages and of data outages, oldest first.
fn points(examined: &Examined, limit: usize, logger: &Logger) -> Vec<AnomalyPoint> {
    let Examined { series, health, .. } = examined;
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

/// The value of an energy; `None` without an energy.
fn money(kwh: f64, tariff: Tariff, site: &Site) -> Option<Money> {
    (kwh > 0.0).then(|| Money {
        amount: wire::cents(kwh * tariff.rate),
        currency: site.currency.clone(),
        default_tariff: tariff.is_default,
    })
}

fn health_event(event: &Event, logger: &Logger, borrowed: bool, tariff: Tariff) -> HealthEvent {
    let zone = logger.site.zone;
    let loses = matches!(
        event.kind,
        EventKind::Outage | EventKind::DeadDay | EventKind::Underperformance
    );
    HealthEvent {
        logger_id: None,
        kind: words::kind(event.kind),
        start: wire::time(event.start, zone),
        end: wire::time(event.end, zone),
        minutes: wire::tenths(event.minutes),
        lost_kwh: loses.then(|| wire::cents(event.lost_kwh)),
        lost_money: money(event.lost_kwh, tariff, &logger.site).filter(|_| loses),
        evidence: words::evidence(event, borrowed),
    }
}
