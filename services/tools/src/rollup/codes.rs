//! The runs of error codes that are kept beside the readings.

use chrono::{DateTime, Days, NaiveDate, Utc};
use chrono_tz::Tz;
use solar::calendar::{DaySpan, local_day};
use solar::series::epoch;
use sqlx::{PgConnection, PgPool};

use super::{Kept, Touched};
use crate::store::codes;

/// Days whose readings are looked through at once: some 90,000 at one minute.
const CHUNK_DAYS: u64 = 62;

/// The result of [`complete`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completed {
    /// Number of loggers whose runs were computed.
    pub loggers: u64,
    /// Whether other transactions worked on some, which are still to be done.
    pub more: bool,
}

/// Computes the runs of the local days that hold what was written.
pub(super) async fn refresh(
    conn: &mut PgConnection,
    zone: Tz,
    touched: Touched,
) -> Result<(), sqlx::Error> {
    let day = |at: DateTime<Utc>| local_day(epoch(at), zone);
    let days = (day(touched.from), day(touched.to));
    recompute(conn, touched.logger_key, zone, days).await
}

/// Computes all runs of a logger.
pub(super) async fn rebuild(conn: &mut PgConnection, logger_key: i32) -> Result<(), sqlx::Error> {
    // Days of another zone have other ends.
    sqlx::query_file!(
        "queries/code_runs_forget.sql",
        logger_key,
        None::<DateTime<Utc>>,
        None::<DateTime<Utc>>
    )
    .execute(&mut *conn)
    .await?;
    if let Some(kept) = Kept::load(conn, logger_key).await?
        && let (Some(from), Some(to)) = (kept.logger.first_at, kept.logger.last_at)
    {
        let touched = Touched {
            logger_key,
            from,
            to,
        };
        refresh(conn, kept.logger.site.zone, touched).await?;
    }
    // From now on, ingestion keeps the runs of this logger.
    sqlx::query!(
        "UPDATE tools.loggers AS l SET codes_kept = true WHERE l.logger_key = $1",
        logger_key,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Computes the runs of every logger that has readings from before runs were kept, each in a
/// transaction of its own.
pub async fn complete(pool: &PgPool) -> Result<Completed, sqlx::Error> {
    let mut loggers = 0;
    let mut last = i32::MIN;
    loop {
        let mut tx = pool.begin().await?;
        let next = sqlx::query_file_scalar!("queries/code_runs_missing.sql", last)
            .fetch_optional(&mut *tx)
            .await?;
        let Some(key) = next else {
            let more = sqlx::query_scalar!(
                r#"SELECT EXISTS (SELECT FROM tools.loggers AS l WHERE NOT l.codes_kept) AS "more!""#
            )
            .fetch_one(&mut *tx)
            .await?;
            return Ok(Completed { loggers, more });
        };
        rebuild(&mut tx, key).await?;
        tx.commit().await?;
        last = key;
        loggers += 1;
    }
}

async fn recompute(
    conn: &mut PgConnection,
    logger_key: i32,
    zone: Tz,
    (first, last): (NaiveDate, NaiveDate),
) -> Result<(), sqlx::Error> {
    let mut from = first;
    while from <= last {
        let to = last.min(from + Days::new(CHUNK_DAYS - 1));
        let days = codes::Days {
            logger_key,
            zone,
            span: DaySpan::of_days(from, to, zone),
        };
        let runs = codes::of_readings(conn, &[days]).await?;
        let runs = runs.get(&logger_key).map_or(&[][..], Vec::as_slice);
        codes::replace(conn, days, runs).await?;
        from = to + Days::new(1);
    }
    Ok(())
}
