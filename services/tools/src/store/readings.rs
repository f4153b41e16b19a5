//! The readings of a range, as the columns that the arithmetic works on.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use solar::calendar::DaySpan;
use solar::{Columns, Series};
use sqlx::PgConnection;

use super::irradiance::with_sensors;
use super::limits;
use super::loggers::Logger;
use crate::metrics::read_rows;

/// Which columns a question needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Power and irradiance: what charts, comparisons and health checks look at.
    Power,
    /// Registers and module temperature, too: what daily figures are made of.
    Everything,
}

/// The readings of a logger on some local days. Irradiance that the logger has not of its own is
/// its sensors'.
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

/// Power and irradiance of several loggers, each with its own irradiance only; loggers without
/// readings are left out.
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
    let (keys, light_only): (Vec<i32>, Vec<bool>) = wanted.iter().copied().unzip();
    let (after, until) = limits(span);
    let found: HashMap<i32, Columns> = match detail {
        Detail::Power => {
            let rows = sqlx::query_file!(
                "queries/power_readings.sql",
                &keys,
                after,
                until,
                &light_only,
            )
            .fetch_all(conn)
            .await?;
            let loggers = rows.into_iter().map(|row| {
                let columns = Columns {
                    time: seconds(&row.timestamp),
                    irradiance: numbers(row.irradiance),
                    power_w: numbers(row.active_power_watts),
                    ..Columns::default()
                };
                (row.logger_key, told_apart(columns))
            });
            loggers.collect()
        }
        Detail::Everything => {
            let rows = sqlx::query_file!("queries/readings.sql", &keys, after, until, &light_only)
                .fetch_all(conn)
                .await?;
            let loggers = rows.into_iter().map(|row| {
                let columns = Columns {
                    time: seconds(&row.timestamp),
                    irradiance: numbers(row.irradiance),
                    power_w: numbers(row.active_power_watts),
                    module_c: numbers(row.temperature_module_c),
                    daily_kwh: numbers(row.energy_daily_kwh),
                    lifetime_kwh: numbers(row.energy_lifetime_kwh),
                };
                (row.logger_key, told_apart(columns))
            });
            loggers.collect()
        }
    };
    read_rows(found.values().map(|columns| columns.time.len()).sum());
    Ok(found)
}

fn series(columns: Columns) -> Result<Series, sqlx::Error> {
    Series::from_columns(columns).map_err(|error| sqlx::Error::Decode(error.into()))
}

fn seconds(stamps: &[DateTime<Utc>]) -> Vec<i64> {
    stamps.iter().map(DateTime::timestamp).collect()
}

/// A column; empty when it was not asked for.
fn numbers(values: Option<Vec<Option<f64>>>) -> Vec<f64> {
    let values = values.unwrap_or_default().into_iter();
    values.map(|value| value.unwrap_or(f64::NAN)).collect()
}

fn told_apart(columns: Columns) -> Columns {
    if columns.time.is_sorted_by(|a, b| a < b) {
        columns
    } else {
        without_repeats(&columns)
    }
}

/// Readings are distinguished by the second; of several within one the last counts.
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
