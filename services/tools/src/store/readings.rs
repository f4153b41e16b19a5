//! The readings of a range, as the columns that the arithmetic works on.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use solar::calendar::{DaySpan, instant};
use solar::{Columns, Series};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use super::irradiance::with_sensors;
use super::loggers::Logger;

/// The readings of a logger with `after < timestamp <= until`, in seconds since 1970. Irradiance that the logger has not of its
/// own is its sensors'.
pub async fn load(
    conn: &mut PgConnection,
    logger: &Logger,
    after: i64,
    until: i64,
) -> Result<Series, sqlx::Error> {
    let key = logger.key;
    if logger.sensor_keys.is_empty() {
        let rows = sqlx::query(include_str!("../../queries/readings.sql"))
            .bind(key)
            .bind(instant(after))
            .bind(instant(until))
            .fetch_all(conn)
            .await?;
        return series(columns_of(&rows)?);
    }
    let mut keys = logger.sensor_keys.clone();
    keys.push(key);
    let (mut own, mut sensors) = (Columns::default(), Vec::new());
    for (found, columns) in load_keys(conn, &keys, after, until).await? {
        if found == key {
            own = columns;
        } else {
            sensors.push(columns);
        }
    }
    series(with_sensors(own, &sensors))
}

/// The readings of one span of local days.
pub async fn load_days(
    conn: &mut PgConnection,
    logger: &Logger,
    span: DaySpan,
) -> Result<Series, sqlx::Error> {
    load(conn, logger, span.after, span.until).await
}

/// [`load`] for several loggers at once, by key; loggers without readings are left out.
pub async fn load_many(
    conn: &mut PgConnection,
    loggers: &[&Logger],
    after: i64,
    until: i64,
) -> Result<HashMap<i32, Series>, sqlx::Error> {
    let mut keys: Vec<i32> = loggers.iter().map(|logger| logger.key).collect();
    keys.extend(loggers.iter().flat_map(|logger| &logger.sensor_keys));
    keys.sort_unstable();
    keys.dedup();
    let columns: HashMap<i32, Columns> = load_keys(conn, &keys, after, until)
        .await?
        .into_iter()
        .collect();
    let mut found = HashMap::new();
    for logger in loggers {
        if let Some(own) = columns.get(&logger.key) {
            let sensors: Vec<Columns> = logger
                .sensor_keys
                .iter()
                .filter_map(|key| columns.get(key))
                .cloned()
                .collect();
            let own = own.clone();
            let lit = if logger.sensor_keys.is_empty() {
                own
            } else {
                with_sensors(own, &sensors)
            };
            found.insert(logger.key, series(lit)?);
        }
    }
    Ok(found)
}

/// The readings of several loggers, each with its own irradiance only; loggers without readings are left out.
pub async fn load_keys(
    conn: &mut PgConnection,
    keys: &[i32],
    after: i64,
    until: i64,
) -> Result<Vec<(i32, Columns)>, sqlx::Error> {
    let rows = sqlx::query(include_str!("../../queries/readings_of_many.sql"))
        .bind(keys)
        .bind(instant(after))
        .bind(instant(until))
        .fetch_all(conn)
        .await?;
    let mut loggers = Vec::new();
    let mut start = 0;
    while start < rows.len() {
        let key: i32 = rows[start].try_get(6)?;
        let mut end = start + 1;
        while end < rows.len() && rows[end].try_get::<i32, _>(6)? == key {
            end += 1;
        }
        loggers.push((key, columns_of(&rows[start..end])?));
        start = end;
    }
    Ok(loggers)
}

/// Columns whose time stamps ascend.
pub(crate) fn series(columns: Columns) -> Result<Series, sqlx::Error> {
    Series::from_columns(columns).map_err(|error| sqlx::Error::Decode(error.into()))
}

fn columns_of(rows: &[PgRow]) -> Result<Columns, sqlx::Error> {
    let room = || Vec::with_capacity(rows.len());
    let mut columns = Columns {
        time: Vec::with_capacity(rows.len()),
        power_w: room(),
        daily_kwh: room(),
        lifetime_kwh: room(),
        irradiance: room(),
        module_c: room(),
    };
    for row in rows {
        let time = row.try_get::<DateTime<Utc>, _>(0)?.timestamp();
        // Readings are told apart by the second; of two within one the later counts.
        if columns.time.last() == Some(&time) {
            pop(&mut columns);
        }
        columns.time.push(time);
        columns.power_w.push(number(row, 1)?);
        columns.daily_kwh.push(number(row, 2)?);
        columns.irradiance.push(number(row, 3)?);
        columns.lifetime_kwh.push(number(row, 4)?);
        columns.module_c.push(number(row, 5)?);
    }
    Ok(columns)
}

fn number(row: &PgRow, index: usize) -> Result<f64, sqlx::Error> {
    Ok(row.try_get::<Option<f64>, _>(index)?.unwrap_or(f64::NAN))
}

/// Removes the last reading.
fn pop(columns: &mut Columns) {
    columns.time.pop();
    for column in [
        &mut columns.power_w,
        &mut columns.daily_kwh,
        &mut columns.lifetime_kwh,
        &mut columns.irradiance,
        &mut columns.module_c,
    ] {
        column.pop();
    }
}
