//! The table `weather`: irradiance that was forecast for sites, all issues of it.

use chrono::{DateTime, NaiveDate, Utc};
use solar::forecast::Weather;
use sqlx::PgConnection;

use crate::metrics::read_rows;

/// The forecast for one step.
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
    /// The forecast value.
    pub value: Value,
    /// The time of the forecast.
    pub issued_at: DateTime<Utc>,
    /// Length of the step, minutes.
    pub step_minutes: u32,
}

/// Stores an issue for a site; returns how many values are new, and how many took the place of
/// others.
pub async fn put(
    conn: &mut PgConnection,
    site_key: i32,
    issued_at: DateTime<Utc>,
    step_minutes: u32,
    values: &[Value],
) -> Result<(u64, u64), sqlx::Error> {
    let times: Vec<DateTime<Utc>> = values.iter().map(|value| value.at).collect();
    let irradiance: Vec<f64> = values.iter().map(|value| value.irradiance).collect();
    let row = sqlx::query_file!(
        "queries/weather_upsert.sql",
        site_key,
        issued_at,
        step_minutes.cast_signed(),
        &times,
        &irradiance,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.new.unsigned_abs(), row.replaced.unsigned_abs()))
}

/// The first `limit` values of a site between two instants, and how many there are in all.
pub async fn list(
    conn: &mut PgConnection,
    site_key: i32,
    (from, to): (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    limit: i64,
) -> Result<(Vec<Kept>, u64), sqlx::Error> {
    let rows = sqlx::query_file!("queries/weather_list.sql", site_key, from, to, limit,)
        .fetch_all(conn)
        .await?;
    read_rows(rows.len());
    let in_all = rows.first().map_or(0, |row| row.in_all.unsigned_abs());
    let kept = rows.into_iter().map(|row| Kept {
        value: Value {
            at: row.timestamp,
            irradiance: row.irradiance,
        },
        issued_at: row.issued_at,
        step_minutes: row.step_minutes.unsigned_abs(),
    });
    Ok((kept.collect(), in_all))
}

/// Deletes the values of a site between two instants; returns how many.
pub async fn delete(
    conn: &mut PgConnection,
    site_key: i32,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        r#"DELETE FROM tools.weather AS w
           WHERE w.site_key = $1
             AND w."timestamp" >= $2
             AND w."timestamp" < $3"#,
        site_key,
        from,
        to,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

/// The irradiation of a logger's days from `first` to `last`: what was forecast until `now` for its
/// site, and what was measured.
pub async fn load(
    conn: &mut PgConnection,
    logger_key: i32,
    first: NaiveDate,
    last: NaiveDate,
    now: DateTime<Utc>,
) -> Result<Weather, sqlx::Error> {
    let mut weather = Weather::default();
    let rows = sqlx::query_file!("queries/weather_days.sql", logger_key, first, last, now,)
        .fetch_all(&mut *conn)
        .await?;
    read_rows(rows.len());
    for row in &rows {
        weather.insert_forecast(row.issued_day, row.day, row.kwh_m2);
    }
    if weather.is_empty() {
        return Ok(weather);
    }
    let rows = sqlx::query_file!("queries/weather_measured.sql", logger_key, first, last,)
        .fetch_all(conn)
        .await?;
    read_rows(rows.len());
    for row in &rows {
        weather.insert_measured(row.day, row.insolation_kwh_m2);
    }
    Ok(weather)
}
