//! The table `weather`: irradiance that was forecast for sites, all issues of it.

use chrono::{DateTime, NaiveDate, Utc};
use solar::forecast::Weather;
use sqlx::{PgConnection, Row};

/// What is forecast for one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The end of the step.
    pub at: DateTime<Utc>,
    /// Mean over the step, W/m2.
    pub irradiance: f64,
}

/// A value as it is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    /// What was forecast.
    pub value: Value,
    /// When.
    pub issued_at: DateTime<Utc>,
    /// Length of the step, minutes.
    pub step_minutes: u32,
}

/// Stores an issue for a site; returns how many values are new, and how many took the place of others.
pub async fn put(
    conn: &mut PgConnection,
    site_key: i32,
    issued_at: DateTime<Utc>,
    step_minutes: u32,
    values: &[Value],
) -> Result<(u64, u64), sqlx::Error> {
    let times: Vec<DateTime<Utc>> = values.iter().map(|value| value.at).collect();
    let irradiance: Vec<f64> = values.iter().map(|value| value.irradiance).collect();
    let row = sqlx::query(include_str!("../../queries/weather_upsert.sql"))
        .bind(site_key)
        .bind(issued_at)
        .bind(step_minutes.cast_signed())
        .bind(times)
        .bind(irradiance)
        .fetch_one(conn)
        .await?;
    Ok((count(&row, 0)?, count(&row, 1)?))
}

/// The first `limit` values of a site between two instants, and how many there are in all.
pub async fn list(
    conn: &mut PgConnection,
    site_key: i32,
    (from, to): (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    limit: i64,
) -> Result<(Vec<Kept>, u64), sqlx::Error> {
    let rows = sqlx::query(include_str!("../../queries/weather_list.sql"))
        .bind(site_key)
        .bind(from)
        .bind(to)
        .bind(limit)
        .fetch_all(conn)
        .await?;
    let in_all = rows.first().map_or(Ok(0), |row| count(row, 4))?;
    let kept = rows.iter().map(|row| {
        Ok(Kept {
            value: Value {
                at: row.try_get(0)?,
                irradiance: row.try_get(3)?,
            },
            issued_at: row.try_get(1)?,
            step_minutes: row.try_get::<i32, _>(2)?.unsigned_abs(),
        })
    });
    Ok((kept.collect::<Result<_, sqlx::Error>>()?, in_all))
}

/// Deletes the values of a site between two instants; returns how many.
pub async fn delete(
    conn: &mut PgConnection,
    site_key: i32,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query(include_str!("../../queries/weather_delete.sql"))
        .bind(site_key)
        .bind(from)
        .bind(to)
        .execute(conn)
        .await?;
    Ok(done.rows_affected())
}

/// The irradiation of a logger's days from `first` to `last`: what was forecast until `now` for its site, and what was measured.
pub async fn load(
    conn: &mut PgConnection,
    logger_key: i32,
    first: NaiveDate,
    last: NaiveDate,
    now: DateTime<Utc>,
) -> Result<Weather, sqlx::Error> {
    let mut weather = Weather::default();
    let rows = sqlx::query(include_str!("../../queries/weather_days.sql"))
        .bind(logger_key)
        .bind(first)
        .bind(last)
        .bind(now)
        .fetch_all(&mut *conn)
        .await?;
    for row in &rows {
        weather.insert_forecast(row.try_get(1)?, row.try_get(0)?, row.try_get(2)?);
    }
    if weather.is_empty() {
        return Ok(weather);
    }
    let rows = sqlx::query(include_str!("../../queries/weather_measured.sql"))
        .bind(logger_key)
        .bind(first)
        .bind(last)
        .fetch_all(conn)
        .await?;
    for row in &rows {
        weather.insert_measured(row.try_get(0)?, row.try_get(1)?);
    }
    Ok(weather)
}

fn count(row: &sqlx::postgres::PgRow, index: usize) -> Result<u64, sqlx::Error> {
    Ok(row.try_get::<i64, _>(index)?.unsigned_abs())
}
