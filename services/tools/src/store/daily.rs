//! The table `daily`: the figures of local days, typed column by column, so that reading a month
//! costs no parsing.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use solar::calendar::instant;
use solar::days::{PairSums, SunFigures};
use solar::register::LifetimeReading;
use solar::series::epoch;
use solar::{Carry, DayFigures};
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::metrics::read_rows;

/// The figures of a logger's days from `first` to `last`, both included, in order.
pub async fn load(
    conn: &mut PgConnection,
    logger_key: i32,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<DayFigures>, sqlx::Error> {
    let rows = sqlx::query_file_as!(
        FiguresRow,
        "queries/daily_figures.sql",
        logger_key,
        first,
        last,
    )
    .fetch_all(conn)
    .await?;
    read_rows(rows.len());
    Ok(rows.into_iter().map(DayFigures::from).collect())
}

/// [`load`] with the energies, their completeness and their flags only; every other figure is zero
/// or absent. A third of the columns, for questions about many days.
pub async fn load_energies(
    conn: &mut PgConnection,
    logger_key: i32,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<DayFigures>, sqlx::Error> {
    let rows = sqlx::query_file_as!(
        EnergiesRow,
        "queries/daily_energies.sql",
        logger_key,
        first,
        last,
    )
    .fetch_all(conn)
    .await?;
    read_rows(rows.len());
    Ok(rows.into_iter().map(DayFigures::from).collect())
}

/// The figures of several loggers' days, each logger with a range of its own (both ends included),
/// by logger and in order.
pub async fn load_ranges(
    conn: &mut PgConnection,
    logger_keys: &[i32],
    firsts: &[NaiveDate],
    lasts: &[NaiveDate],
) -> Result<HashMap<i32, Vec<DayFigures>>, sqlx::Error> {
    let rows = sqlx::query_file_as!(
        FiguresRow,
        "queries/daily_figures_of_many.sql",
        logger_keys,
        firsts,
        lasts,
    )
    .fetch_all(conn)
    .await?;
    read_rows(rows.len());
    Ok(by_logger(rows, |row| row.logger_key))
}

/// [`load_ranges`] with what [`load_energies`] reads.
pub async fn load_energies_of_many(
    conn: &mut PgConnection,
    logger_keys: &[i32],
    firsts: &[NaiveDate],
    lasts: &[NaiveDate],
) -> Result<HashMap<i32, Vec<DayFigures>>, sqlx::Error> {
    let rows = sqlx::query_file_as!(
        EnergiesRow,
        "queries/daily_energies_of_many.sql",
        logger_keys,
        firsts,
        lasts,
    )
    .fetch_all(conn)
    .await?;
    read_rows(rows.len());
    Ok(by_logger(rows, |row| row.logger_key))
}

/// The days of several loggers, by logger and in the order of the rows.
fn by_logger<R: Into<DayFigures>>(
    rows: Vec<R>,
    key: impl Fn(&R) -> i32,
) -> HashMap<i32, Vec<DayFigures>> {
    let mut days: HashMap<i32, Vec<DayFigures>> = HashMap::new();
    for row in rows {
        days.entry(key(&row)).or_default().push(row.into());
    }
    days
}

/// The carry of the last day before `day`, and its date.
pub(crate) async fn carry_before(
    conn: &mut PgConnection,
    logger_key: i32,
    day: NaiveDate,
) -> Result<Carry, sqlx::Error> {
    let row = sqlx::query_file_as!(
        ClosingRow,
        "queries/daily_carry_before.sql",
        logger_key,
        day
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Carry::from).unwrap_or_default())
}

/// The first day after `day` that has readings, and what it hands on.
pub(crate) async fn next_after(
    conn: &mut PgConnection,
    logger_key: i32,
    day: NaiveDate,
) -> Result<Option<(NaiveDate, Carry)>, sqlx::Error> {
    let row = sqlx::query_file_as!(ClosingRow, "queries/daily_next_after.sql", logger_key, day)
        .fetch_optional(conn)
        .await?;
    Ok(row.map(|row| (row.day, row.into())))
}

/// A day to store.
pub(crate) struct StoredDay {
    pub(crate) figures: DayFigures,
    /// Whether its only reading is the one at its closing midnight: such a day has no figures of
    /// its own.
    pub(crate) midnight_only: bool,
}

impl StoredDay {
    /// A day whose only reading is the one at its closing midnight: a count, and what it hands on.
    pub(crate) fn midnight_only(day: NaiveDate, closing: Carry) -> Self {
        let figures = DayFigures {
            records: 1,
            closing,
            ..DayFigures::empty(day)
        };
        Self {
            figures,
            midnight_only: true,
        }
    }
}

/// Replaces the days from `first` to `last`, both included.
pub(crate) async fn replace(
    conn: &mut PgConnection,
    logger_key: i32,
    first: NaiveDate,
    last: NaiveDate,
    days: &[StoredDay],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM tools.daily AS d
         WHERE d.logger_key = $1
           AND d.day BETWEEN $2 AND $3",
        logger_key,
        first,
        last,
    )
    .execute(&mut *conn)
    .await?;
    let rows: Vec<NewRow> = days.iter().map(|day| NewRow::of(logger_key, day)).collect();
    sqlx::query!(
        "INSERT INTO tools.daily
         SELECT (jsonb_populate_recordset(NULL::tools.daily, $1)).*",
        Json(rows) as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A row of `queries/daily_figures.sql` and `queries/daily_figures_of_many.sql`. Counts are stored
/// as signed integers and are never negative.
struct FiguresRow {
    logger_key: i32,
    day: NaiveDate,
    records: i32,
    day_hours: f64,
    valid: i32,
    null_power: i32,
    dropped: i32,
    completeness: f64,
    power_kwh: f64,
    daily_register_kwh: Option<f64>,
    lifetime_register_kwh: Option<f64>,
    register_suspect: bool,
    unallocated_kwh: f64,
    hole_hours: f64,
    bridged: i32,
    peak_w: Option<f64>,
    peak_at: Option<DateTime<Utc>>,
    night_import_kwh: f64,
    producing: i32,
    producing_mean_w: Option<f64>,
    centroid_hour: Option<f64>,
    clipped: i32,
    stale: i32,
    closing_power_at: Option<DateTime<Utc>>,
    closing_power_w: Option<f64>,
    closing_daily_kwh: Option<f64>,
    closing_lifetime_day: Option<NaiveDate>,
    closing_lifetime_kwh: Option<f64>,
    closing_lifetime_ahead_kwh: f64,
    sun_records: i32,
    daylight: i32,
    insolation_kwh_m2: f64,
    pairs: i32,
    pairs_kwh: f64,
    pairs_insolation: f64,
    corrected: i32,
    corrected_kwh: f64,
    corrected_insolation: f64,
    bright: i32,
    bright_kwh: f64,
    bright_insolation: f64,
    sunny: i32,
    sunny_valid: i32,
    peak_irradiance: f64,
    irradiance_suspect: bool,
}

impl From<FiguresRow> for DayFigures {
    fn from(row: FiguresRow) -> Self {
        Self {
            date: row.day,
            records: row.records.unsigned_abs(),
            day_hours: row.day_hours,
            valid: row.valid.unsigned_abs(),
            null_power: row.null_power.unsigned_abs(),
            dropped: row.dropped.unsigned_abs(),
            completeness: row.completeness,
            power_kwh: row.power_kwh,
            daily_register_kwh: row.daily_register_kwh,
            lifetime_register_kwh: row.lifetime_register_kwh,
            register_suspect: row.register_suspect,
            unallocated_kwh: row.unallocated_kwh,
            hole_hours: row.hole_hours,
            bridged: row.bridged.unsigned_abs(),
            peak_w: row.peak_w,
            peak_time: row.peak_at.map(epoch),
            night_import_kwh: row.night_import_kwh,
            producing: row.producing.unsigned_abs(),
            producing_mean_w: row.producing_mean_w,
            centroid_hour: row.centroid_hour,
            clipped: row.clipped.unsigned_abs(),
            stale: row.stale.unsigned_abs(),
            closing: Carry::from(ClosingRow {
                day: row.day,
                closing_power_at: row.closing_power_at,
                closing_power_w: row.closing_power_w,
                closing_daily_kwh: row.closing_daily_kwh,
                closing_lifetime_day: row.closing_lifetime_day,
                closing_lifetime_kwh: row.closing_lifetime_kwh,
                closing_lifetime_ahead_kwh: row.closing_lifetime_ahead_kwh,
            }),
            sun: SunFigures {
                records: row.sun_records.unsigned_abs(),
                daylight: row.daylight.unsigned_abs(),
                insolation_kwh_m2: row.insolation_kwh_m2,
                pairs: PairSums {
                    records: row.pairs.unsigned_abs(),
                    energy_kwh: row.pairs_kwh,
                    insolation_kwh_m2: row.pairs_insolation,
                },
                corrected: PairSums {
                    records: row.corrected.unsigned_abs(),
                    energy_kwh: row.corrected_kwh,
                    insolation_kwh_m2: row.corrected_insolation,
                },
                bright: PairSums {
                    records: row.bright.unsigned_abs(),
                    energy_kwh: row.bright_kwh,
                    insolation_kwh_m2: row.bright_insolation,
                },
                sunny: row.sunny.unsigned_abs(),
                sunny_valid: row.sunny_valid.unsigned_abs(),
                peak_irradiance: row.peak_irradiance,
                suspect: row.irradiance_suspect,
            },
        }
    }
}

/// A row of `queries/daily_energies.sql` and `queries/daily_energies_of_many.sql`.
struct EnergiesRow {
    logger_key: i32,
    day: NaiveDate,
    records: i32,
    valid: i32,
    dropped: i32,
    completeness: f64,
    power_kwh: f64,
    daily_register_kwh: Option<f64>,
    lifetime_register_kwh: Option<f64>,
    register_suspect: bool,
    unallocated_kwh: f64,
    bridged: i32,
    night_import_kwh: f64,
    clipped: i32,
    stale: i32,
    irradiance_suspect: bool,
}

impl From<EnergiesRow> for DayFigures {
    fn from(row: EnergiesRow) -> Self {
        Self {
            records: row.records.unsigned_abs(),
            valid: row.valid.unsigned_abs(),
            dropped: row.dropped.unsigned_abs(),
            completeness: row.completeness,
            power_kwh: row.power_kwh,
            daily_register_kwh: row.daily_register_kwh,
            lifetime_register_kwh: row.lifetime_register_kwh,
            register_suspect: row.register_suspect,
            unallocated_kwh: row.unallocated_kwh,
            bridged: row.bridged.unsigned_abs(),
            night_import_kwh: row.night_import_kwh,
            clipped: row.clipped.unsigned_abs(),
            stale: row.stale.unsigned_abs(),
            sun: SunFigures {
                suspect: row.irradiance_suspect,
                ..SunFigures::default()
            },
            ..DayFigures::empty(row.day)
        }
    }
}

/// The carry of a day.
struct ClosingRow {
    day: NaiveDate,
    closing_power_at: Option<DateTime<Utc>>,
    closing_power_w: Option<f64>,
    closing_daily_kwh: Option<f64>,
    closing_lifetime_day: Option<NaiveDate>,
    closing_lifetime_kwh: Option<f64>,
    closing_lifetime_ahead_kwh: f64,
}

impl From<ClosingRow> for Carry {
    fn from(row: ClosingRow) -> Self {
        Self {
            last_power: row.closing_power_at.map(epoch).zip(row.closing_power_w),
            last_daily_kwh: row.closing_daily_kwh,
            last_lifetime: row.closing_lifetime_day.zip(row.closing_lifetime_kwh).map(
                |(date, kwh)| LifetimeReading {
                    date,
                    kwh,
                    ahead_kwh: row.closing_lifetime_ahead_kwh,
                },
            ),
        }
    }
}

/// A row of the table under its column names, for `jsonb_populate_recordset`.
#[derive(Serialize)]
struct NewRow {
    logger_key: i32,
    day: NaiveDate,
    records: u32,
    midnight_only: bool,
    day_hours: f64,
    valid: u32,
    null_power: u32,
    dropped: u32,
    completeness: f64,
    power_kwh: f64,
    daily_register_kwh: Option<f64>,
    lifetime_register_kwh: Option<f64>,
    register_suspect: bool,
    unallocated_kwh: f64,
    hole_hours: f64,
    bridged: u32,
    night_import_kwh: f64,
    peak_w: Option<f64>,
    peak_at: Option<DateTime<Utc>>,
    producing: u32,
    producing_mean_w: Option<f64>,
    centroid_hour: Option<f64>,
    sun_records: u32,
    daylight: u32,
    insolation_kwh_m2: f64,
    pairs: u32,
    pairs_kwh: f64,
    pairs_insolation: f64,
    corrected: u32,
    corrected_kwh: f64,
    corrected_insolation: f64,
    bright: u32,
    bright_kwh: f64,
    bright_insolation: f64,
    sunny: u32,
    sunny_valid: u32,
    peak_irradiance: f64,
    irradiance_suspect: bool,
    clipped: u32,
    stale: u32,
    closing_power_at: Option<DateTime<Utc>>,
    closing_power_w: Option<f64>,
    closing_daily_kwh: Option<f64>,
    closing_lifetime_day: Option<NaiveDate>,
    closing_lifetime_kwh: Option<f64>,
    closing_lifetime_ahead_kwh: f64,
}

impl NewRow {
    fn of(logger_key: i32, stored: &StoredDay) -> Self {
        let day = &stored.figures;
        let closing = &day.closing;
        let sun = &day.sun;
        Self {
            logger_key,
            day: day.date,
            records: day.records,
            midnight_only: stored.midnight_only,
            day_hours: day.day_hours,
            valid: day.valid,
            null_power: day.null_power,
            dropped: day.dropped,
            completeness: day.completeness,
            power_kwh: day.power_kwh,
            daily_register_kwh: day.daily_register_kwh,
            lifetime_register_kwh: day.lifetime_register_kwh,
            register_suspect: day.register_suspect,
            unallocated_kwh: day.unallocated_kwh,
            hole_hours: day.hole_hours,
            bridged: day.bridged,
            night_import_kwh: day.night_import_kwh,
            peak_w: day.peak_w,
            peak_at: day.peak_time.map(instant),
            producing: day.producing,
            producing_mean_w: day.producing_mean_w,
            centroid_hour: day.centroid_hour,
            sun_records: sun.records,
            daylight: sun.daylight,
            insolation_kwh_m2: sun.insolation_kwh_m2,
            pairs: sun.pairs.records,
            pairs_kwh: sun.pairs.energy_kwh,
            pairs_insolation: sun.pairs.insolation_kwh_m2,
            corrected: sun.corrected.records,
            corrected_kwh: sun.corrected.energy_kwh,
            corrected_insolation: sun.corrected.insolation_kwh_m2,
            bright: sun.bright.records,
            bright_kwh: sun.bright.energy_kwh,
            bright_insolation: sun.bright.insolation_kwh_m2,
            sunny: sun.sunny,
            sunny_valid: sun.sunny_valid,
            peak_irradiance: sun.peak_irradiance,
            irradiance_suspect: sun.suspect,
            clipped: day.clipped,
            stale: day.stale,
            closing_power_at: closing.last_power.map(|(at, _)| instant(at)),
            closing_power_w: closing.last_power.map(|(_, watts)| watts),
            closing_daily_kwh: closing.last_daily_kwh,
            closing_lifetime_day: closing.last_lifetime.map(|reading| reading.date),
            closing_lifetime_kwh: closing.last_lifetime.map(|reading| reading.kwh),
            closing_lifetime_ahead_kwh: closing
                .last_lifetime
                .map_or(0.0, |reading| reading.ahead_kwh),
        }
    }
}
