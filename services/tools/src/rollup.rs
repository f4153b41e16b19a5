//! What is kept beside the readings: the daily figures, and of each logger its range, newest values and long-run figures.
//!
//! Ingestion calls [`refresh_many`] in the transaction that stored the readings, so that answers never see one without the other.
//! Recomputed are the days that changed, and the days after them as long as what is handed on from day to day (the last power,
//! the registers) changes. Of loggers that take their irradiance from one that changed, the same days.
//!
//! The long-run figures ([`solar::Calibration`]) come from the [`CALIBRATION_DAYS`] days that end with the newest, so that their
//! cost does not grow with the history. They are recomputed when the newest day advances, or when the readings that came are more
//! than one in [`RECALIBRATION_SHARE`] of those behind them. When they move so far that days would come out differently, all
//! days of the logger are recomputed.

mod days;

use chrono::{DateTime, Utc};
use solar::calendar::{DaySpan, local_day};
use solar::forecast::hourly_shape;
use solar::series::epoch;
use solar::{Calibration, calibration};
use sqlx::types::Json;
use sqlx::{PgConnection, Row};

use crate::store::{Logger, daily, loggers, readings};

/// Days behind the long-run figures.
pub const CALIBRATION_DAYS: u32 = 366;

/// One in so many readings changed: worth a new calibration.
const RECALIBRATION_SHARE: u64 = 100;

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

/// [`refresh_many`] for one logger.
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

/// Brings everything that is kept up to date with readings that were just written. Call it once per transaction with all loggers
/// of it: those that others take irradiance from come first, and no day is computed twice.
pub async fn refresh_many(conn: &mut PgConnection, touched: &[Touched]) -> Result<(), sqlx::Error> {
    let mut keys: Vec<i32> = touched.iter().map(|touched| touched.logger_key).collect();
    keys.sort_unstable();
    keys.dedup();
    // Locked in the order of their keys, so that two ingestions wait for each other instead of dead-locking.
    lock(conn, &keys).await?;
    for &key in &keys {
        update_ends(conn, key).await?;
    }
    for touched in with_dependents(conn, touched).await? {
        refresh_one(conn, touched).await?;
    }
    Ok(())
}

/// Recomputes everything that is kept about a logger, after what is known about it or its site was changed.
pub async fn rebuild(conn: &mut PgConnection, logger_key: i32) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("../queries/rollup_forget.sql"))
        .bind(logger_key)
        .execute(&mut *conn)
        .await?;
    // The range does not matter: without figures of before, all days are computed.
    refresh(conn, logger_key, DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH).await
}

async fn lock(conn: &mut PgConnection, keys: &[i32]) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("../queries/rollup_lock.sql"))
        .bind(keys)
        .execute(conn)
        .await?;
    Ok(())
}

/// First and newest reading, newest irradiance of its own: what decides who serves whom with irradiance.
async fn update_ends(conn: &mut PgConnection, key: i32) -> Result<(), sqlx::Error> {
    sqlx::query(include_str!("../queries/rollup_ends.sql"))
        .bind(key)
        .execute(conn)
        .await?;
    Ok(())
}

/// What was touched, merged per logger, and the loggers that take their irradiance from those.
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
        let dependents: Vec<i32> =
            sqlx::query_scalar(include_str!("../queries/rollup_dependents.sql"))
                .bind(one.logger_key)
                .bind(one.from)
                .bind(one.to)
                .fetch_all(&mut *conn)
                .await?;
        for logger_key in dependents {
            add(Touched { logger_key, ..*one });
        }
    }
    Ok(all)
}

async fn refresh_one(conn: &mut PgConnection, touched: Touched) -> Result<(), sqlx::Error> {
    let Some((logger, days_calibration)) = load(conn, touched.logger_key).await? else {
        return Ok(());
    };
    let (Some(first_at), Some(anchor)) = (logger.first_at, logger.anchor()) else {
        return Ok(());
    };
    let zone = logger.site.zone;
    let window = DaySpan::last_days(anchor, CALIBRATION_DAYS, zone);
    let due = calibration_is_due(conn, &logger, touched, window).await?;
    let mut calibration = if due {
        calibrate(conn, &logger, window).await?
    } else {
        logger.calibration.clone()
    };
    let keeps = days_calibration
        .as_ref()
        .is_some_and(|old| calibration.keeps_days_of(old));
    let (from, to) = if keeps {
        (
            local_day(epoch(touched.from), zone),
            local_day(epoch(touched.to), zone),
        )
    } else {
        (local_day(epoch(first_at), zone), window.last)
    };
    days::recompute(conn, &logger, &calibration, from, to).await?;
    if due {
        let days = daily::load(conn, logger.key, window.first, window.last).await?;
        calibration = calibration.with_days(&days);
    }
    let days_calibration = if keeps { None } else { Some(&calibration) };
    store(conn, &logger, due, &calibration, days_calibration).await
}

async fn load(
    conn: &mut PgConnection,
    key: i32,
) -> Result<Option<(Logger, Option<Calibration>)>, sqlx::Error> {
    let row = sqlx::query(include_str!("../queries/rollup_logger.sql"))
        .bind(key)
        .fetch_optional(conn)
        .await?;
    row.map(|row| {
        let old: Option<Json<Calibration>> = row.try_get("days_calibration")?;
        Ok((loggers::from_row(&row)?, old.map(|json| json.0)))
    })
    .transpose()
}

async fn calibration_is_due(
    conn: &mut PgConnection,
    logger: &Logger,
    touched: Touched,
    window: DaySpan,
) -> Result<bool, sqlx::Error> {
    let (newest, records): (Option<chrono::NaiveDate>, i64) =
        sqlx::query_as(include_str!("../queries/rollup_due.sql"))
            .bind(logger.key)
            .bind(touched.from.max(window.after_utc()))
            .bind(touched.to)
            .fetch_one(conn)
            .await?;
    let changed = records.unsigned_abs() * RECALIBRATION_SHARE > logger.calibration.records;
    Ok(changed || newest.is_none_or(|newest| newest < window.last))
}

async fn calibrate(
    conn: &mut PgConnection,
    logger: &Logger,
    window: DaySpan,
) -> Result<Calibration, sqlx::Error> {
    let series = readings::load_days(conn, logger, window).await?;
    Ok(calibration::calibrate_rows(&series, &logger.context()))
}

async fn store(
    conn: &mut PgConnection,
    logger: &Logger,
    recalibrated: bool,
    calibration: &Calibration,
    days_calibration: Option<&Calibration>,
) -> Result<(), sqlx::Error> {
    let shape = if recalibrated {
        shape(conn, logger, calibration).await?
    } else {
        None
    };
    sqlx::query(include_str!("../queries/rollup_store.sql"))
        .bind(logger.key)
        .bind(Json(calibration))
        .bind(days_calibration.map(Json))
        .bind(shape.map(|hours| hours.to_vec()))
        .execute(conn)
        .await?;
    Ok(())
}

async fn shape(
    conn: &mut PgConnection,
    logger: &Logger,
    calibration: &Calibration,
) -> Result<Option<[f64; 24]>, sqlx::Error> {
    let Some(anchor) = logger.anchor() else {
        return Ok(None);
    };
    let span = DaySpan::last_days(anchor, SHAPE_DAYS, logger.site.zone);
    let series = readings::load_days(conn, logger, span).await?;
    Ok(hourly_shape(&series, calibration, &logger.context()))
}
