//! Recomputing daily figures from readings.

use chrono::{Days, NaiveDate};
use solar::calendar::{DaySpan, local_day};
use solar::{Calibration, Carry, LoggerContext, Series, day_figures};
use sqlx::PgConnection;

use crate::store::Logger;
use crate::store::daily::{self, StoredDay};
use crate::store::readings::{self, Detail};

/// Days whose readings are held at once: some 18,000 at five minutes, 90,000 at one.
const CHUNK_DAYS: u64 = 62;

/// Recomputes the days from `first` to `last`, then those after them for as long as what they are
/// handed differs from before.
pub(super) async fn recompute(
    conn: &mut PgConnection,
    logger: &Logger,
    calibration: &Calibration,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<(), sqlx::Error> {
    let mut carry = daily::carry_before(conn, logger.key, first).await?;
    let mut from = first;
    while from <= last {
        let to = last.min(from + Days::new(CHUNK_DAYS - 1));
        carry = chunk(conn, logger, calibration, (from, to), carry).await?;
        from = to + Days::new(1);
    }
    let mut done = last;
    while let Some((day, before)) = daily::next_after(conn, logger.key, done).await? {
        let after = chunk(conn, logger, calibration, (day, day), carry).await?;
        if after == before {
            break;
        }
        (carry, done) = (after, day);
    }
    Ok(())
}

/// Recomputes days, both included; returns what they hand on.
async fn chunk(
    conn: &mut PgConnection,
    logger: &Logger,
    calibration: &Calibration,
    (from, to): (NaiveDate, NaiveDate),
    carry: Carry,
) -> Result<Carry, sqlx::Error> {
    let context = logger.context();
    let span = DaySpan::of_days(from, to, context.zone);
    let series = readings::load_days(conn, logger, span, Detail::Everything).await?;
    let (days, carry) = days_of(&series, calibration, &context, carry);
    daily::replace(conn, logger.key, from, to, &days).await?;
    Ok(carry)
}

fn days_of(
    series: &Series,
    calibration: &Calibration,
    context: &LoggerContext,
    mut carry: Carry,
) -> (Vec<StoredDay>, Carry) {
    let mut days = Vec::new();
    let mut next = 0;
    while let Some(&time) = series.time().get(next) {
        let date = local_day(time, context.zone);
        let (figures, closing) = day_figures(series, date, &carry, calibration, context);
        days.push(match figures {
            Some(figures) => StoredDay {
                figures,
                midnight_only: false,
            },
            None => StoredDay::midnight_only(date, closing),
        });
        carry = closing;
        let end = DaySpan::of_day(date, context.zone).until;
        next += series.time()[next..].partition_point(|&t| t <= end).max(1);
    }
    (days, carry)
}
