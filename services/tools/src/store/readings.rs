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
        let row = sqlx::query(include_str!("../../queries/readings.sql"))
            .bind(key)
            .bind(instant(after))
            .bind(instant(until))
            .fetch_one(conn)
            .await?;
        return series(columns_of(&row)?);
    }
    let sensors = logger.sensor_keys.iter().map(|sensor| (*sensor, true));
    let wanted: Vec<(i32, bool)> = sensors.chain([(key, false)]).collect();
    let (mut own, mut sensors) = (Columns::default(), Vec::new());
    for (found, columns) in load_wanted(conn, &wanted, after, until).await? {
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
    let own = loggers.iter().map(|logger| (logger.key, false));
    let sensors = loggers.iter().flat_map(|logger| &logger.sensor_keys);
    let mut wanted: Vec<(i32, bool)> = own.chain(sensors.map(|sensor| (*sensor, true))).collect();
    // A sensor that is compared itself is wanted whole.
    wanted.sort_unstable();
    wanted.dedup_by_key(|(key, _)| *key);
    let columns: HashMap<i32, Columns> = load_wanted(conn, &wanted, after, until)
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
    let wanted: Vec<(i32, bool)> = keys.iter().map(|key| (*key, false)).collect();
    load_wanted(conn, &wanted, after, until).await
}

/// [`load_keys`], where `true` asks a logger for irradiance and module temperature only.
async fn load_wanted(
    conn: &mut PgConnection,
    wanted: &[(i32, bool)],
    after: i64,
    until: i64,
) -> Result<Vec<(i32, Columns)>, sqlx::Error> {
    let (keys, light_only): (Vec<i32>, Vec<bool>) = wanted.iter().copied().unzip();
    let rows = sqlx::query(include_str!("../../queries/readings_of_many.sql"))
        .bind(keys)
        .bind(instant(after))
        .bind(instant(until))
        .bind(light_only)
        .fetch_all(conn)
        .await?;
    rows.iter()
        .map(|row| Ok((row.try_get(6)?, columns_of(row)?)))
        .collect()
}

/// Columns whose time stamps ascend.
pub(crate) fn series(columns: Columns) -> Result<Series, sqlx::Error> {
    Series::from_columns(columns).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// A row of arrays.
fn columns_of(row: &PgRow) -> Result<Columns, sqlx::Error> {
    let Some(stamps) = row.try_get::<Option<Vec<DateTime<Utc>>>, _>(0)? else {
        return Ok(Columns::default());
    };
    let time: Vec<i64> = stamps.iter().map(DateTime::timestamp).collect();
    let columns = Columns {
        power_w: numbers(row, 1)?,
        daily_kwh: numbers(row, 2)?,
        irradiance: numbers(row, 3)?,
        lifetime_kwh: numbers(row, 4)?,
        module_c: numbers(row, 5)?,
        time,
    };
    if columns.time.is_sorted_by(|a, b| a < b) {
        Ok(columns)
    } else {
        Ok(without_repeats(&columns))
    }
}

/// A column; empty when it was not asked for.
fn numbers(row: &PgRow, index: usize) -> Result<Vec<f64>, sqlx::Error> {
    let values: Option<Vec<Option<f64>>> = row.try_get(index)?;
    let values = values.unwrap_or_default().into_iter();
    Ok(values.map(|value| value.unwrap_or(f64::NAN)).collect())
}

/// Readings are told apart by the second; of several within one the last counts.
fn without_repeats(columns: &Columns) -> Columns {
    let time = &columns.time;
    let last = |row: &usize| time.get(row + 1) != time.get(*row);
    let rows: Vec<usize> = (0..time.len()).filter(last).collect();
    let of = |column: &[f64]| {
        rows.iter()
            .filter_map(|row| column.get(*row).copied())
            .collect()
    };
    Columns {
        time: rows.iter().map(|row| time[*row]).collect(),
        power_w: of(&columns.power_w),
        daily_kwh: of(&columns.daily_kwh),
        lifetime_kwh: of(&columns.lifetime_kwh),
        irradiance: of(&columns.irradiance),
        module_c: of(&columns.module_c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_readings_within_a_second_the_last_counts() {
        let values = vec![1.0, 2.0, 3.0, 4.0];
        let columns = Columns {
            time: vec![10, 20, 20, 30],
            power_w: values.clone(),
            daily_kwh: values.clone(),
            lifetime_kwh: values.clone(),
            irradiance: values.clone(),
            module_c: values,
        };
        let columns = without_repeats(&columns);
        assert_eq!(columns.time, [10, 20, 30]);
        assert_eq!(columns.power_w, [1.0, 3.0, 4.0]);
    }
}
