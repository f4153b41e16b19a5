//! The health of several devices: each on its own, their totals, and all of their events in order
//! of time.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use contracts::tools::{
    Anomaly, AnomalyReport, DataGap, HealthEvent, HealthEventKind, HealthWord, Money, SiteHealth,
};
use solar::calendar::DaySpan;
use solar::errors::{Brand, Issue, diagnose};
use sqlx::PgConnection;

use super::examination::{Asked, Neighbourhood, examine, parts};
use super::{MOST_GAPS, report};
use crate::error::Error;
use crate::solar_tools::diagnose_error_codes::coded_runs;
use crate::solar_tools::moment::judged;
use crate::solar_tools::subject::period;
use crate::solar_tools::subjects::{Subjects, by_site, common, counted, excuse};
use crate::solar_tools::window::Window;
use crate::solar_tools::{SolarTools, wire};
use crate::store::Logger;

/// Events of all devices together.
const MOST_EVENTS: usize = 1_000;

/// Anomalies that each device's own report lists.
const MOST_ANOMALIES: usize = 20;

/// A device's report, and what the total is weighted by.
struct Row {
    report: AnomalyReport,
    outage_kwh: f64,
    expected_kwh: f64,
    sun_hours: f64,
}

pub(super) async fn of(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    tenant: &str,
    mut subjects: Subjects,
    window: Window,
) -> Result<AnomalyReport, Error> {
    let found = std::mem::take(&mut subjects.found);
    let mut asked: Vec<Asked<'_>> = Vec::with_capacity(found.len());
    for subject in &found {
        let zone = subject.logger.site.zone;
        let span = window.span(subjects.newest_day(subject), zone)?;
        let asked_of = match subjects.taken_down(subject, period(span)) {
            Some(error) => Err(error),
            None => judged(toolbox, subject, period(span)),
        };
        match asked_of {
            Ok(days) => asked.push((subject, DaySpan::of_days(days.start, days.end, zone))),
            Err(error) => {
                let id = subject.logger.logger_id.clone();
                subjects.left_out.push(excuse(id, error)?);
            }
        }
    }
    let neighbourhood = Neighbourhood::of(conn, tenant, &asked).await?;
    let mut rows: Vec<(&Logger, Row)> = Vec::with_capacity(asked.len());
    for part in parts(&asked) {
        let examined = examine(conn, &neighbourhood, part).await?;
        for ((subject, span), examined) in part.iter().zip(examined) {
            match examined {
                Ok(examined) => {
                    let mut report = report(toolbox, subject, *span, &examined);
                    report.points.clear();
                    report.anomalies.truncate(MOST_ANOMALIES);
                    let health = &examined.health;
                    let row = Row {
                        report,
                        outage_kwh: health.outage_kwh,
                        expected_kwh: health.expected_kwh,
                        sun_hours: health.sun_hours,
                    };
                    rows.push((&subject.logger, row));
                }
                Err(error) => {
                    let id = subject.logger.logger_id.clone();
                    subjects.left_out.push(excuse(id, error)?);
                }
            }
        }
    }
    subjects.or_nothing(&rows)?;
    let loggers: Vec<&Logger> = rows.iter().map(|(logger, _)| *logger).collect();
    for ((_, row), counts) in rows.iter_mut().zip(counted(&loggers)) {
        row.report.counted = counts;
    }
    rows.sort_by(|(_, a), (_, b)| {
        let score = |row: &Row| row.report.health_score.unwrap_or(f64::MAX);
        score(a)
            .total_cmp(&score(b))
            .then_with(|| a.report.logger_id.cmp(&b.report.logger_id))
    });
    let codes = error_events(conn, &asked).await?;
    Ok(total(&rows, &subjects, codes))
}

/// The runs of error codes of all devices.
async fn error_events(
    conn: &mut PgConnection,
    asked: &[Asked<'_>],
) -> Result<Vec<HealthEvent>, Error> {
    let mut runs = coded_runs(conn, asked).await?;
    let mut events = Vec::new();
    for (subject, _) in asked {
        let logger = &subject.logger;
        let Some(runs) = runs.remove(&logger.key) else {
            continue;
        };
        let brand = Brand::of_logger_type(&logger.logger_type);
        let step = logger.calibration.step_hours;
        for issue in diagnose(runs, brand, step, &[]) {
            events.extend(error_event(logger, &issue));
        }
    }
    Ok(events)
}

fn error_event(logger: &Logger, issue: &Issue) -> impl Iterator<Item = HealthEvent> {
    let zone = logger.site.zone;
    let minutes = 60.0 * logger.calibration.step_hours;
    let meaning = issue
        .meaning
        .description
        .map_or_else(|| "its meaning is unknown".to_owned(), str::to_owned);
    issue.runs.iter().map(move |(first, last)| HealthEvent {
        logger_id: Some(logger.logger_id.clone()),
        kind: HealthEventKind::ErrorCode,
        start: wire::time(*first, zone),
        end: wire::time(*last, zone),
        minutes: wire::tenths(minutes + wire::minutes_between(*first, *last)),
        lost_kwh: None,
        lost_money: None,
        evidence: format!("Code {}: {meaning}.", issue.code.trim_end_matches('.')),
    })
}

fn total(rows: &[(&Logger, Row)], subjects: &Subjects, codes: Vec<HealthEvent>) -> AnomalyReport {
    let sites = sites(rows);
    let reports = || rows.iter().map(|(_, row)| &row.report);
    let counting: Vec<&Row> = rows
        .iter()
        .map(|(_, row)| row)
        .filter(|row| row.report.counted)
        .collect();
    let expected: f64 = counting.iter().map(|row| row.expected_kwh).sum();
    let outage: f64 = counting.iter().map(|row| row.outage_kwh).sum();
    let newest = reports()
        .map(|report| report.period)
        .max_by_key(|period| period.end);
    let dates = |of: fn(&AnomalyReport) -> &Vec<chrono::NaiveDate>| {
        let dates: BTreeSet<_> = reports().flat_map(|report| of(report).clone()).collect();
        dates.into_iter().collect()
    };
    let flags: BTreeSet<_> = reports().flat_map(|report| report.flags.clone()).collect();
    let lost_kwh = sum(&counting, |report| report.lost_kwh);
    let health_score = score(reports().filter_map(|report| report.health_score));
    AnomalyReport {
        kind: "anomaly_report".to_owned(),
        logger_id: subjects.scope.name.clone(),
        scope: Some(subjects.scope.clone()),
        site_id: common(sites.iter().map(|site| site.site_id.clone())),
        period: newest.unwrap_or(rows[0].1.report.period),
        days_analyzed: reports()
            .map(|report| report.days_analyzed)
            .max()
            .unwrap_or(0),
        total_records: reports().map(|report| report.total_records).sum(),
        anomaly_count: reports().map(|report| report.anomaly_count).sum(),
        anomalies: anomalies(rows),
        points: Vec::new(),
        events: events(rows, codes),
        health_score,
        health_status: HealthWord::of(health_score),
        availability_time: weighted(&counting),
        availability_energy: (expected > 0.0)
            .then(|| wire::thousandths((1.0 - outage / expected).max(0.0))),
        sun_hours: sum(&counting, |report| report.sun_hours),
        lost_kwh,
        lost_money: money(rows, lost_kwh),
        shortfall_kwh: counting
            .iter()
            .any(|row| row.report.shortfall_kwh.is_some())
            .then(|| sum(&counting, |report| report.shortfall_kwh.unwrap_or(0.0))),
        vs_peers_pct: None,
        capacity_kw: None,
        capacity_basis: None,
        dead_days: dates(|report| &report.dead_days),
        missing_days: dates(|report| &report.missing_days),
        gaps: gaps(rows),
        gap_count: reports().map(|report| report.gap_count).sum(),
        gap_hours: wire::cents(reports().map(|report| report.gap_hours).sum()),
        counted: true,
        devices: reports().cloned().collect(),
        sites,
        left_out: subjects.left_out.clone(),
        silence: None,
        lag: None,
        flags: flags.into_iter().collect(),
    }
}

fn sum(rows: &[&Row], figure: impl Fn(&AnomalyReport) -> f64) -> f64 {
    wire::cents(rows.iter().map(|row| figure(&row.report)).sum())
}

/// The score of several devices: the mean of their scores, and below the score of a healthy scope
/// as long as one of them is not healthy.
fn score(scores: impl Iterator<Item = f64>) -> Option<f64> {
    let scores: Vec<f64> = scores.collect();
    let worst = scores.iter().copied().reduce(f64::min)?;
    let mean = mean(scores.into_iter())?;
    if worst < HealthWord::HEALTHY {
        return Some(mean.min(HealthWord::HEALTHY - 0.1));
    }
    Some(mean)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| wire::tenths(sum / f64::from(count)))
}

/// Availability by time, each device by its hours of sunshine.
fn weighted(rows: &[&Row]) -> Option<f64> {
    let hours: f64 = rows.iter().map(|row| row.sun_hours).sum();
    let up: f64 = rows
        .iter()
        .filter_map(|row| Some(row.report.availability_time? * row.sun_hours))
        .sum();
    (hours > 0.0).then(|| wire::thousandths(up / hours))
}

/// The sum of what the counted devices lost, in their common currency.
fn money(rows: &[(&Logger, Row)], lost_kwh: f64) -> Option<Money> {
    let counting = || rows.iter().filter(|(_, row)| row.report.counted);
    let currency = common(counting().map(|(logger, _)| logger.site.currency.clone()))?;
    let amounts = counting().filter_map(|(_, row)| row.report.lost_money.as_ref());
    (lost_kwh > 0.0).then(|| added(amounts, currency))
}

/// The sum of amounts in one currency.
fn added<'a>(mut amounts: impl Iterator<Item = &'a Money> + Clone, currency: String) -> Money {
    Money {
        amount: wire::cents(amounts.clone().map(|money| money.amount).sum()),
        currency,
        default_tariff: amounts.any(|money| money.default_tariff),
    }
}

fn sites(rows: &[(&Logger, Row)]) -> Vec<SiteHealth> {
    by_site(rows)
        .into_iter()
        .filter_map(|(logger, rows)| {
            let counting: Vec<&Row> = rows
                .iter()
                .copied()
                .filter(|row| row.report.counted)
                .collect();
            let lost_kwh = sum(&counting, |report| report.lost_kwh);
            let amounts = counting
                .iter()
                .filter_map(|row| row.report.lost_money.as_ref());
            Some(SiteHealth {
                site_id: logger.site.site_id.clone(),
                name: logger.site.name.clone(),
                period: rows.first()?.report.period,
                devices: u32::try_from(rows.len()).unwrap_or(u32::MAX),
                health_score: score(rows.iter().filter_map(|row| row.report.health_score)),
                lost_kwh,
                lost_money: (lost_kwh > 0.0).then(|| added(amounts, logger.site.currency.clone())),
            })
        })
        .collect()
}

/// The anomalies of all, oldest first.
fn anomalies(rows: &[(&Logger, Row)]) -> Vec<Anomaly> {
    let mut all: Vec<Anomaly> = rows
        .iter()
        .flat_map(|(logger, row)| {
            row.report.anomalies.iter().map(|one| Anomaly {
                logger_id: Some(logger.logger_id.clone()),
                ..one.clone()
            })
        })
        .collect();
    all.sort_by(|a, b| (a.timestamp, &a.logger_id).cmp(&(b.timestamp, &b.logger_id)));
    all.truncate(100);
    all
}

/// The gaps of all, oldest first: if not all fit, the longest.
fn gaps(rows: &[(&Logger, Row)]) -> Vec<DataGap> {
    let mut all: Vec<DataGap> = rows
        .iter()
        .flat_map(|(logger, row)| {
            row.report.gaps.iter().map(|gap| DataGap {
                logger_id: Some(logger.logger_id.clone()),
                ..gap.clone()
            })
        })
        .collect();
    all.sort_by(|a, b| b.hours.total_cmp(&a.hours));
    all.truncate(MOST_GAPS);
    all.sort_by(|a, b| (a.start, &a.logger_id).cmp(&(b.start, &b.logger_id)));
    all
}

/// Every event, oldest first. An inverter at its limit works as designed, so it is none.
fn events(rows: &[(&Logger, Row)], codes: Vec<HealthEvent>) -> Vec<HealthEvent> {
    let mut all = codes;
    for (logger, row) in rows {
        let events = row.report.events.iter();
        all.extend(
            events
                .filter(|event| event.kind != HealthEventKind::Clipping)
                .map(|event| HealthEvent {
                    logger_id: Some(logger.logger_id.clone()),
                    ..event.clone()
                }),
        );
    }
    if all.len() > MOST_EVENTS {
        all.sort_by(|a, b| {
            let lost = |event: &HealthEvent| event.lost_kwh.unwrap_or(0.0);
            (matters(b), lost(b))
                .partial_cmp(&(matters(a), lost(a)))
                .unwrap_or(Ordering::Equal)
        });
        all.truncate(MOST_EVENTS);
    }
    all.sort_by(|a, b| (a.start, &a.logger_id, a.end).cmp(&(b.start, &b.logger_id, b.end)));
    all
}

/// The events that are kept if there are too many: first what stood still, then what was not seen.
fn matters(event: &HealthEvent) -> u8 {
    match event.kind {
        HealthEventKind::Outage | HealthEventKind::DeadDay | HealthEventKind::Underperformance => 3,
        HealthEventKind::ErrorCode | HealthEventKind::RegisterMismatch => 2,
        HealthEventKind::MissingDay | HealthEventKind::DataOutage => 1,
        HealthEventKind::StaleValues
        | HealthEventKind::Clipping
        | HealthEventKind::IrradianceSuspect
        | HealthEventKind::ClockShift => 0,
    }
}
