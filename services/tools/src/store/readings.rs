//! The readings of a range, as the columns that the arithmetic works on.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use solar::calendar::{DaySpan, instant};
use solar::{Columns, Series};
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use super::irradiance::with_sensors;
use super::loggers::Logger;

/// Which columns a question needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Power and irradiance: what charts, comparisons and health checks look at.
    Power,
    /// Registers and module temperature, too: what daily figures are made of.
    Everything,
}

/// The readings of a logger on some local days. Irradiance that the logger has not of its own is its sensors'.
pub async fn load_days(
    conn: &mut PgConnection,
    logger: &Logger,
    span: DaySpan,
    detail: Detail,
) -> Result<Series, sqlx::Error> {
    let mut found = load_many(conn, &[logger], span, detail).await?;
    Ok(found.remove(&logger.key).unwrap_or_default())
}

/// [`load_days`] for several loggers at once, by key; loggers without readings are left out.
pub async fn load_many(
    conn: &mut PgConnection,
    loggers: &[&Logger],
    span: DaySpan,
    detail: Detail,
) -> Result<HashMap<i32, Series>, sqlx::Error> {
    let own = loggers.iter().map(|logger| (logger.key, false));
    let sensors = loggers.iter().flat_map(|logger| &logger.sensor_keys);
    let mut wanted: Vec<(i32, bool)> = own.chain(sensors.map(|sensor| (*sensor, true))).collect();
    // A sensor that is asked for itself is wanted whole.
    wanted.sort_unstable();
    wanted.dedup_by_key(|(key, _)| *key);
    let columns = load_columns(conn, &wanted, span, detail).await?;
    let mut found = HashMap::new();
    for logger in loggers {
        let Some(own) = columns.get(&logger.key).cloned() else {
            continue;
        };
        let sensors = logger.sensor_keys.iter().filter_map(|key| columns.get(key));
        let sensors: Vec<Columns> = sensors.cloned().collect();
        let lit = if logger.sensor_keys.is_empty() {
            own
        } else {
            with_sensors(own, &sensors)
        };
        found.insert(logger.key, series(lit)?);
    }
    Ok(found)
}

/// Power and irradiance of several loggers, each with its own irradiance only; loggers without readings are left out.
pub async fn load_keys(
    conn: &mut PgConnection,
    keys: &[i32],
    span: DaySpan,
) -> Result<HashMap<i32, Series>, sqlx::Error> {
    let wanted: Vec<(i32, bool)> = keys.iter().map(|key| (*key, false)).collect();
    let columns = load_columns(conn, &wanted, span, Detail::Power).await?;
    columns
        .into_iter()
        .map(|(key, columns)| Ok((key, series(columns)?)))
        .collect()
}

/// Columns by logger, where `true` asks a logger for its light only.
async fn load_columns(
    conn: &mut PgConnection,
    wanted: &[(i32, bool)],
    span: DaySpan,
    detail: Detail,
) -> Result<HashMap<i32, Columns>, sqlx::Error> {
    let query = match detail {
        Detail::Power => include_str!("../../queries/power_readings.sql"),
        Detail::Everything => include_str!("../../queries/readings.sql"),
    };
    let (keys, light_only): (Vec<i32>, Vec<bool>) = wanted.iter().copied().unzip();
    let rows = sqlx::query(query)
        .bind(keys)
        .bind(instant(span.after))
        .bind(instant(span.until))
        .bind(light_only)
        .fetch_all(conn)
        .await?;
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, columns_of(row)?)))
        .collect()
}

fn series(columns: Columns) -> Result<Series, sqlx::Error> {
    Series::from_columns(columns).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// A row of arrays.
fn columns_of(row: &PgRow) -> Result<Columns, sqlx::Error> {
    let stamps: Vec<DateTime<Utc>> = row.try_get(1)?;
    let time: Vec<i64> = stamps.iter().map(DateTime::timestamp).collect();
    let columns = Columns {
        irradiance: numbers(row, 2)?,
        power_w: numbers(row, 3)?,
        module_c: numbers(row, 4)?,
        daily_kwh: numbers(row, 5)?,
        lifetime_kwh: numbers(row, 6)?,
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
    if index >= row.len() {
        return Ok(Vec::new());
    }
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
        let values = rows.iter().filter_map(|row| column.get(*row));
        values.copied().collect()
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
            irradiance: values,
            ..Columns::default()
        };
        let columns = without_repeats(&columns);
        assert_eq!(columns.time, [10, 20, 30]);
        assert_eq!(columns.power_w, [1.0, 3.0, 4.0]);
        assert!(columns.module_c.is_empty());
    }
}
