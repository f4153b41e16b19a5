//! The figures beside the readings: the daily figures, the runs of error codes, and of each logger
//! its range, newest values and long-run figures.
//!
//! Ingestion calls [`refresh_many`] in the transaction that stored the readings, so that answers
//! never see one without the other. Recomputed are the days that changed, and the days after them
//! as long as what is handed on from day to day (the last power, the registers) changes. Of loggers
//! that take their irradiance from one that changed, the same days.
//!
//! The long-run figures ([`solar::Calibration`]) come from the [`CALIBRATION_DAYS`] days that end
//! with the newest, so that their cost does not grow with the history. While readings pour in they
//! are recomputed when more than a tenth of the readings behind them changed, which keeps the work
//! in proportion to the readings. [`settle`], which ends an upload and follows every small batch,
//! recomputes them when more than a hundredth did, or the newest day advanced: once a day for live
//! readings. When they move so far that days would come out differently, all days of the logger are
//! recomputed.

mod codes;
mod days;
mod upgrade;

use chrono::{DateTime, NaiveDate, Utc};
use solar::calendar::{DaySpan, local_day};
use solar::forecast::hourly_shape;
use solar::series::epoch;
use solar::{Calibration, calibration};
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::store::loggers::LoggerRow;
use crate::store::readings::{self, Detail};
use crate::store::{Logger, daily};

pub use codes::{Completed, complete as complete_codes};
pub use upgrade::upgrade;

/// Days behind the long-run figures.
pub const CALIBRATION_DAYS: u32 = 366;

/// One changed reading in this many is worth a new calibration, in the midst of an upload.
const POURING_SHARE: i64 = 10;

/// The same at its end.
const SETTLED_SHARE: i64 = 100;

/// A batch of so few readings is settled at once.
const FEW_READINGS: i64 = 5_000;

/// Days behind the hourly shape of a forecast.
const SHAPE_DAYS: u32 = 14;

/// A logger and the range of its time stamps that were written, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The logger.
    pub logger_key: i32,
    /// The earliest time stamp written.
    pub from: DateTime<Utc>,
    /// The latest.
    pub to: DateTime<Utc>,
}

/// [`refresh_many`] and [`settle`] for one logger.
pub async fn refresh(
    conn: &mut PgConnection,
    logger_key: i32,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    refresh_many(
        conn,
        &[Touched {
            logger_key,
            from,
            to,
        }],
    )
    .await
}

/// Brings everything that is kept up to date with readings that were just written, in their
/// transaction. Call it once with all its loggers, so that no day is computed twice, and [`settle`]
/// when the last batch is stored.
pub async fn refresh_many(conn: &mut PgConnection, touched: &[Touched]) -> Result<(), sqlx::Error> {
    let mut keys: Vec<i32> = touched.iter().map(|touched| touched.logger_key).collect();
    keys.sort_unstable();
    keys.dedup();
    // Locked in the order of their keys, so that two ingestions wait for each other instead of
    // dead-locking.
    lock(conn, &keys).await?;
    for &key in &keys {
        update_ends(conn, key).await?;
    }
    let all = with_dependents(conn, touched).await?;
    let all_keys: Vec<i32> = all.iter().map(|touched| touched.logger_key).collect();
    lock(conn, &all_keys).await?;
    let mut changed = 0;
    for touched in all {
        let own = keys.binary_search(&touched.logger_key).is_ok();
        changed += refresh_one(conn, touched, own).await?;
    }
    // Fewer changes are live readings or the end of an upload.
    if changed <= FEW_READINGS {
        settle(conn, &keys).await?;
    }
    Ok(())
}

/// Recomputes everything that is kept about a logger, after what is known about it or its site was
/// changed.
pub async fn rebuild(conn: &mut PgConnection, logger_key: i32) -> Result<(), sqlx::Error> {
    sqlx::query_file!("queries/rollup_forget.sql", logger_key,)
        .execute(&mut *conn)
        .await?;
    // The range does not matter: without figures of before, all days are computed.
    refresh(conn, logger_key, DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH).await?;
    codes::rebuild(conn, logger_key).await
}

/// Blocks other ingestions for these loggers.
pub(crate) async fn lock(conn: &mut PgConnection, keys: &[i32]) -> Result<(), sqlx::Error> {
    sqlx::query_file_scalar!("queries/rollup_lock.sql", keys,)
        .fetch_all(conn)
        .await?;
    Ok(())
}

/// First and newest reading, newest irradiance of its own: what decides who serves whom with
/// irradiance.
async fn update_ends(conn: &mut PgConnection, key: i32) -> Result<(), sqlx::Error> {
    sqlx::query_file!("queries/rollup_ends.sql", key,)
        .execute(conn)
        .await?;
    Ok(())
}

/// The touched days, merged per logger, and the loggers that take their irradiance from those.
async fn with_dependents(
    conn: &mut PgConnection,
    touched: &[Touched],
) -> Result<Vec<Touched>, sqlx::Error> {
    let mut all: Vec<Touched> = Vec::new();
    let mut add = |new: Touched| match all.iter_mut().find(|old| old.logger_key == new.logger_key) {
        Some(old) => {
            old.from = old.from.min(new.from);
            old.to = old.to.max(new.to);
        }
        None => all.push(new),
    };
    for &one in touched {
        add(one);
    }
    for one in touched {
        let dependents = sqlx::query_file_scalar!(
            "queries/rollup_dependents.sql",
            one.logger_key,
            one.from,
            one.to,
        )
        .fetch_all(&mut *conn)
        .await?;
        for logger_key in dependents {
            add(Touched { logger_key, ..*one });
        }
    }
    Ok(all)
}

/// Brings the long-run figures of loggers, and of those that take their irradiance from them, up to
/// date at the end of an upload.
pub async fn settle(conn: &mut PgConnection, logger_keys: &[i32]) -> Result<(), sqlx::Error> {
    let all = sqlx::query_file_scalar!("queries/rollup_with_dependents.sql", logger_keys,)
        .fetch_all(&mut *conn)
        .await?;
    lock(conn, &all).await?;
    for key in all {
        let Some(state) = Kept::load(conn, key).await? else {
            continue;
        };
        let advanced = state
            .calibrated_day
            .is_none_or(|day| day < state.window.last);
        if advanced || state.pending(0) * SETTLED_SHARE > state.calibrated_records() {
            recalibrate(conn, &state, None).await?;
        }
    }
    Ok(())
}

/// Returns how many readings lie in the range that was written. `own` is false for a logger that
/// only takes its irradiance from one with new readings.
async fn refresh_one(
    conn: &mut PgConnection,
    touched: Touched,
    own: bool,
) -> Result<i64, sqlx::Error> {
    let Some(state) = Kept::load(conn, touched.logger_key).await? else {
        return Ok(0);
    };
    if own && state.with_codes {
        codes::refresh(conn, state.logger.site.zone, touched).await?;
    }
    let changed = sqlx::query_scalar!(
        r#"SELECT count(*) AS "changed!"
           FROM tools.measurements AS m
           WHERE m.logger_key = $1
             AND m."timestamp" BETWEEN $2 AND $3"#,
        touched.logger_key,
        touched.from.max(state.window.after_utc()),
        touched.to,
    )
    .fetch_one(&mut *conn)
    .await?;
    let zone = state.logger.site.zone;
    let days = (
        local_day(epoch(touched.from), zone),
        local_day(epoch(touched.to), zone),
    );
    if state.days_calibration.is_none()
        || state.pending(changed) * POURING_SHARE > state.calibrated_records()
    {
        recalibrate(conn, &state, Some(days)).await?;
        return Ok(changed);
    }
    days::recompute(
        conn,
        &state.logger,
        &state.logger.calibration,
        days.0,
        days.1,
    )
    .await?;
    sqlx::query_file!("queries/rollup_store_days.sql", touched.logger_key, changed,)
        .execute(conn)
        .await?;
    Ok(changed)
}

/// A logger with readings, and what is kept about how it is kept.
struct Kept {
    logger: Logger,
    /// The local day of the first reading.
    first_day: NaiveDate,
    /// The days that a calibration would come from.
    window: DaySpan,
    /// The calibration that the daily figures were computed with.
    days_calibration: Option<Calibration>,
    /// The newest day when the logger was calibrated.
    calibrated_day: Option<NaiveDate>,
    /// Readings changed since.
    pending: i64,
    /// Whether the runs of error codes are kept; otherwise [`complete_codes`] computes them.
    with_codes: bool,
}

impl Kept {
    async fn load(conn: &mut PgConnection, key: i32) -> Result<Option<Self>, sqlx::Error> {
        let row = sqlx::query_file!("queries/rollup_logger.sql", key,)
            .fetch_optional(conn)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let logger = Logger::try_from(LoggerRow {
            logger_key: row.logger_key,
            logger_id: row.logger_id,
            logger_type: row.logger_type,
            role: row.role,
            capacity_kw: row.capacity_kw,
            temperature_coefficient: row.temperature_coefficient,
            sample_label: row.sample_label,
            irradiance_basis: row.irradiance_basis,
            sensor_keys: row.sensor_keys,
            first_at: row.first_at,
            last_at: row.last_at,
            record_count: row.record_count,
            latest_power_at: row.latest_power_at,
            latest_power_watts: row.latest_power_watts,
            latest_irradiance_at: row.latest_irradiance_at,
            latest_irradiance: row.latest_irradiance,
            calibration: row.calibration,
            hourly_shape: row.hourly_shape,
            site_id: row.site_id,
            site_name: row.site_name,
            timezone: row.timezone,
            latitude: row.latitude,
            longitude: row.longitude,
            tariff_per_kwh: row.tariff_per_kwh,
            currency: row.currency,
            co2_kg_per_kwh: row.co2_kg_per_kwh,
            co2_factor_name: row.co2_factor_name,
            co2_factor_year: row.co2_factor_year,
        })?;
        let (Some(first_at), Some(anchor)) = (logger.first_at, logger.anchor()) else {
            return Ok(None);
        };
        let zone = logger.site.zone;
        Ok(Some(Self {
            first_day: local_day(epoch(first_at), zone),
            window: DaySpan::last_days(anchor, CALIBRATION_DAYS, zone),
            days_calibration: row.days_calibration.map(|json| json.0),
            calibrated_day: row.calibrated_day,
            pending: row.pending_records,
            with_codes: row.codes_kept,
            logger,
        }))
    }

    fn pending(&self, more: i64) -> i64 {
        self.pending.saturating_add(more)
    }

    fn calibrated_records(&self) -> i64 {
        i64::try_from(self.logger.calibration.records).unwrap_or(i64::MAX)
    }
}

/// Computes the long-run figures again, then the days that changed, or all days when their figures
/// would come out differently.
async fn recalibrate(
    conn: &mut PgConnection,
    state: &Kept,
    changed: Option<(NaiveDate, NaiveDate)>,
) -> Result<(), sqlx::Error> {
    let (logger, window) = (&state.logger, state.window);
    let series = readings::load_days(conn, logger, window, Detail::Everything).await?;
    let calibration = calibration::calibrate_rows(&series, &logger.context());
    let keeps = state
        .days_calibration
        .as_ref()
        .is_some_and(|old| calibration.keeps_days_of(old));
    let days = if keeps {
        changed
    } else {
        Some((state.first_day, window.last))
    };
    if let Some((from, to)) = days {
        days::recompute(conn, logger, &calibration, from, to).await?;
    }
    let days = daily::load(conn, logger.key, window.first, window.last).await?;
    let calibration = calibration.with_days(&days);
    let shape = DaySpan::last_days(window.until, SHAPE_DAYS, logger.site.zone);
    let shape = hourly_shape(
        &series.between(shape.after, shape.until),
        &calibration,
        &logger.context(),
    );
    sqlx::query_file!(
        "queries/rollup_store_calibration.sql",
        logger.key,
        Json(&calibration) as _,
        (!keeps).then_some(Json(&calibration)) as _,
        shape.as_ref().map(|hours| &hours[..]),
        window.last,
    )
    .execute(conn)
    .await?;
    Ok(())
}
