//! `check_alert`: whether the condition of an alert holds at the present time.
//!
//! Unlike the other solar tools this one judges by the clock and not by the newest reading: a
//! device that has sent nothing since yesterday is out today.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Days, TimeDelta, Utc};
use contracts::figures;
use contracts::tools::{AlertCheck, AlertCondition, AlertEvent, AlertKind, ToolEnvelope};
use solar::calendar::{instant, local_day};
use solar::forecast::{DailyEnergies, forecast_with};
use solar::series::epoch;
use solar::sun::elevation;
use sqlx::PgConnection;

use super::{SolarTools, wire};
use crate::error::Error;
use crate::metrics::read_rows;
use crate::store::{Logger, LoggerRole, daily, loggers, weather};

/// Days of readings in which the last delivery is looked for. A device that has delivered nothing
/// for longer is out, whatever the limit.
const LOOK_BACK: TimeDelta = TimeDelta::days(8);

/// The share of its usual peak from which on a device delivers.
const DELIVERS: f64 = 0.005;

/// Watts from which on a device whose peak is not known delivers.
const DELIVERS_WATTS: f64 = 1.0;

/// Elevation of the sun above which a device that works delivers, degrees. Lower, inverters wake
/// and sleep.
const DAYLIGHT: f64 = 10.0;

/// Hours that count as daylight at a site whose position is not known.
const MIDDAY: std::ops::Range<u32> = 10..15;

/// Time after which a site that sends nothing is not in service any more, beyond the limit of an
/// alert. Findings of an alert before stay as they were.
const OUT_OF_SERVICE: TimeDelta = TimeDelta::days(60);

/// Seconds between two looks at the sun.
const STEP: i64 = 300;

/// Days of history that the forecast for a day is made of.
const HISTORY_DAYS: u64 = 210;

pub(super) async fn run(
    toolbox: &SolarTools,
    tenant: &str,
    condition: AlertCondition,
) -> Result<ToolEnvelope<AlertCheck>, Error> {
    let mut conn = toolbox.kept.acquire().await?;
    let loggers = watched(&mut conn, tenant, &condition).await?;
    let now = toolbox.clock.now();
    let mut found = Found::default();
    let (loggers, left_out) = in_service(loggers, &condition, now);
    found.undecided.extend(left_out.iter().map(key));
    match condition.kind {
        AlertKind::DeviceOut => {
            device_out(&mut conn, &loggers, &condition, now, &mut found).await?;
        }
        AlertKind::NoData => no_data(&loggers, &condition, now, &mut found),
        AlertKind::LowEnergy => {
            low_energy(&mut conn, &loggers, &condition, now, &mut found).await?;
        }
    }
    let zone = loggers
        .first()
        .map_or(chrono_tz::UTC, |logger| logger.site.zone);
    let devices = u32::try_from(loggers.len()).unwrap_or(u32::MAX);
    let summary = summary(&condition, &found, devices, left_out.len());
    conn.keep();
    Ok(ToolEnvelope::ok(AlertCheck {
        kind: "alert_check".to_owned(),
        checked_at: wire::time(epoch(now), zone),
        events: found.events,
        undecided: found.undecided,
        devices,
        summary,
    }))
}

/// The findings for the devices.
#[derive(Default)]
struct Found {
    events: Vec<AlertEvent>,
    undecided: Vec<String>,
}

impl Found {
    fn holds(&mut self, logger: &Logger, since: Option<DateTime<Utc>>, text: String) {
        self.events.push(AlertEvent {
            key: key(logger),
            logger_id: logger.logger_id.clone(),
            site_id: logger.site.site_id.clone(),
            since: since.map(|since| wire::time(epoch(since), logger.site.zone)),
            text,
        });
    }
}

fn key(logger: &Logger) -> String {
    format!("{}/{}", logger.site.site_id, logger.logger_id)
}

/// The devices that a condition is about. Those that never sent a reading are not in service yet.
async fn watched(
    conn: &mut PgConnection,
    tenant: &str,
    condition: &AlertCondition,
) -> Result<Vec<Logger>, Error> {
    let mut found = loggers::list(conn, tenant, condition.site_id.as_deref()).await?;
    if let Some(wanted) = &condition.logger_id {
        found.retain(|logger| logger.logger_id == *wanted);
    }
    if found.is_empty() {
        return Err(Error::no_data(
            match (&condition.logger_id, &condition.site_id) {
                (Some(logger), _) => format!("There is no device {logger:?}."),
                (None, Some(site)) => format!("There is no site {site:?} with devices."),
                (None, None) => "There are no devices yet.".to_owned(),
            },
        ));
    }
    found.retain(|logger| logger.last_at.is_some());
    if condition.kind != AlertKind::NoData {
        let with_inverters: Vec<String> = found
            .iter()
            .filter(|logger| logger.role == LoggerRole::Inverter)
            .map(|logger| logger.site.site_id.clone())
            .collect();
        // Meters measure what inverters deliver; they count where there are no inverters.
        found.retain(|logger| match logger.role {
            LoggerRole::Inverter => true,
            LoggerRole::Meter => {
                condition.logger_id.is_some() || !with_inverters.contains(&logger.site.site_id)
            }
            LoggerRole::Weather => false,
        });
    }
    Ok(found)
}

/// The devices at sites that are in service, and the others. An alert that names a device or a site
/// is about it in any case.
fn in_service(
    loggers: Vec<Logger>,
    condition: &AlertCondition,
    now: DateTime<Utc>,
) -> (Vec<Logger>, Vec<Logger>) {
    if condition.logger_id.is_some() || condition.site_id.is_some() {
        return (loggers, Vec::new());
    }
    let limit = match condition.kind {
        // Minutes of daylight, of which a day in winter has few.
        AlertKind::DeviceOut => TimeDelta::minutes(i64::from(condition.minutes())) * 4,
        AlertKind::NoData => TimeDelta::hours(i64::from(condition.hours())),
        AlertKind::LowEnergy => TimeDelta::zero(),
    };
    let since = now - OUT_OF_SERVICE - limit;
    let recent = loggers
        .iter()
        .filter(|logger| logger.last_at.is_some_and(|at| at >= since));
    let sites: HashSet<String> = recent.map(|logger| logger.site.site_id.clone()).collect();
    loggers
        .into_iter()
        .partition(|logger| sites.contains(&logger.site.site_id))
}

async fn device_out(
    conn: &mut PgConnection,
    loggers: &[Logger],
    condition: &AlertCondition,
    now: DateTime<Utc>,
    found: &mut Found,
) -> Result<(), Error> {
    let limit = TimeDelta::minutes(i64::from(condition.minutes()));
    let keys: Vec<i32> = loggers.iter().map(|logger| logger.key).collect();
    let watts: Vec<f64> = loggers
        .iter()
        .map(|logger| (DELIVERS * logger.calibration.robust_peak_w).max(DELIVERS_WATTS))
        .collect();
    let rows = sqlx::query_file!(
        "queries/check_alert.sql",
        &keys,
        &watts,
        now - LOOK_BACK,
        now,
    )
    .fetch_all(conn)
    .await?;
    read_rows(rows.len());
    let delivered: HashMap<i32, DateTime<Utc>> = rows
        .into_iter()
        .map(|row| (row.logger_key, row.delivered_at))
        .collect();
    for logger in loggers {
        // Of a device that sends no power, its readings are the only sign that it runs.
        let last = match delivered.get(&logger.key) {
            None if logger.counts_alone() => logger.last_at,
            known => known.copied(),
        };
        let peers = loggers
            .iter()
            .filter(|peer| peer.site.site_id == logger.site.site_id)
            .filter_map(|peer| delivered.get(&peer.key).copied());
        let out = match last {
            None => true,
            Some(last) => {
                // What its neighbours deliver says more of the sky than the sun's position.
                peers.max().is_some_and(|newest| newest - last >= limit)
                    || daylight(logger, last, now) >= limit
            }
        };
        if out {
            let since = last.or(logger.last_at.filter(|at| *at < now - LOOK_BACK));
            let sends = logger.last_at.is_some_and(|at| now - at < limit);
            let text = match (since, sends) {
                (Some(since), true) => format!(
                    "{} has delivered nothing since {}, although it sends readings.",
                    logger.logger_id,
                    moment(logger, since)
                ),
                (Some(since), false) => format!(
                    "{} has been out since {}.",
                    logger.logger_id,
                    moment(logger, since)
                ),
                (None, _) => format!(
                    "{} has delivered nothing for more than {} days.",
                    logger.logger_id,
                    LOOK_BACK.num_days()
                ),
            };
            found.holds(logger, since, text);
        }
    }
    Ok(())
}

/// Daylight between two times at the logger's site.
fn daylight(logger: &Logger, from: DateTime<Utc>, until: DateTime<Utc>) -> TimeDelta {
    let (from, until) = (epoch(from), epoch(until));
    let light = |time: &i64| {
        if let Some(position) = logger.site.position {
            elevation(*time, position) >= DAYLIGHT
        } else {
            use chrono::Timelike;
            let local = instant(*time).with_timezone(&logger.site.zone);
            MIDDAY.contains(&local.hour())
        }
    };
    let steps = std::iter::successors(Some(from), |time| Some(time + STEP))
        .take_while(|time| *time < until)
        .filter(light)
        .count();
    TimeDelta::seconds(i64::try_from(steps).unwrap_or_default() * STEP)
}

fn no_data(loggers: &[Logger], condition: &AlertCondition, now: DateTime<Utc>, found: &mut Found) {
    let limit = TimeDelta::hours(i64::from(condition.hours()));
    for logger in loggers {
        let Some(last) = logger.last_at.filter(|last| now - *last >= limit) else {
            continue;
        };
        let text = format!(
            "{} has sent no data since {}.",
            logger.logger_id,
            moment(logger, last)
        );
        found.holds(logger, Some(last), text);
    }
}

async fn low_energy(
    conn: &mut PgConnection,
    loggers: &[Logger],
    condition: &AlertCondition,
    now: DateTime<Utc>,
    found: &mut Found,
) -> Result<(), Error> {
    let share = f64::from(condition.percent()) / 100.0;
    let yesterdays: Vec<_> = loggers
        .iter()
        .map(|logger| local_day(epoch(now), logger.site.zone) - Days::new(1))
        .collect();
    let firsts: Vec<_> = yesterdays
        .iter()
        .map(|day| *day - Days::new(HISTORY_DAYS))
        .collect();
    let keys: Vec<i32> = loggers.iter().map(|logger| logger.key).collect();
    let days = daily::load_energies_of_many(conn, &keys, &firsts, &yesterdays).await?;
    for (index, logger) in loggers.iter().enumerate() {
        let (first, day) = (firsts[index], yesterdays[index]);
        let days = days.get(&logger.key).map_or(&[][..], Vec::as_slice);
        let known = DailyEnergies::of_days(days, day);
        let complete = days.last().is_some_and(|last| last.date == day)
            && known.kwh.last().is_some_and(|kwh| kwh.is_finite());
        let before = day - Days::new(1);
        let mut history = DailyEnergies::of_days(days, before);
        // The forecast is for the day after the last of the history, known or not.
        let missing = (before - history.first).num_days() + 1;
        let length = usize::try_from(missing).unwrap_or_default();
        history.kwh.resize(length, f64::NAN);
        let weather = weather::load(conn, logger.key, first, day, now - TimeDelta::days(1)).await?;
        let expected = forecast_with(&history, &weather, 1, &logger.context())
            .ok()
            .and_then(|found| found.days.first().map(|day| day.expected_kwh))
            .filter(|kwh| *kwh > 0.0);
        let (true, Some(expected), Some(actual)) = (complete, expected, known.kwh.last()) else {
            found.undecided.push(key(logger));
            continue;
        };
        if *actual < share * expected {
            let text = format!(
                "{} delivered {} on {}, {} % of the {} that were forecast.",
                logger.logger_id,
                figures::energy(wire::cents(*actual)),
                day.format("%-d %B %Y"),
                figures::decimal(100.0 * actual / expected, 0),
                figures::energy(wire::cents(expected)),
            );
            found.holds(logger, None, text);
        }
    }
    Ok(())
}

fn moment(logger: &Logger, at: DateTime<Utc>) -> String {
    let local = at.with_timezone(&logger.site.zone);
    local.format("%-d %B %Y, %H:%M").to_string()
}

fn summary(
    condition: &AlertCondition,
    found: &Found,
    devices: u32,
    out_of_service: usize,
) -> String {
    let held = found.events.len();
    let of = format!("{held} of {devices} devices");
    let what = match condition.kind {
        AlertKind::DeviceOut => format!(
            "have been out for {} minutes of daylight or more",
            condition.minutes()
        ),
        AlertKind::LowEnergy => format!(
            "delivered less than {} % of the forecast for the newest complete day",
            condition.percent()
        ),
        AlertKind::NoData => format!("have sent no data for {} hours or more", condition.hours()),
    };
    let undecided = match found.undecided.len() - out_of_service {
        0 => String::new(),
        count => format!(" {count} could not be judged."),
    };
    let left_out = match out_of_service {
        0 => "",
        _ => {
            " Sites that have sent nothing for two months are left out; an alert that names one watches it."
        }
    };
    format!("{of} {what}.{undecided}{left_out}")
}
