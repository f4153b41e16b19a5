//! The table `daily`: the figures of local days, typed column by column, so that reading a month costs no parsing.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use solar::calendar::instant;
use solar::days::{PairSums, SunFigures};
use solar::register::LifetimeReading;
use solar::series::epoch;
use solar::{Carry, DayFigures};
use sqlx::postgres::PgRow;
use sqlx::types::Json;
use sqlx::{FromRow, PgConnection, Row};

/// Where `queries/daily_figures_of_many.sql` has the logger's key: behind the figures.
const KEY_COLUMN: usize = 43;

/// Where `queries/daily_energies_of_many.sql` has it.
const ENERGIES_KEY_COLUMN: usize = 15;

/// The figures of a logger's days from `first` to `last`, both included, in order.
pub async fn load(
    conn: &mut PgConnection,
    logger_key: i32,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<DayFigures>, sqlx::Error> {
    let rows: Vec<FiguresRow> = sqlx::query_as(include_str!("../../queries/daily_figures.sql"))
        .bind(logger_key)
        .bind(first)
        .bind(last)
        .fetch_all(conn)
        .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// [`load`] with the energies, their completeness and their flags only; every other figure is zero or absent. A third of the columns,
/// for questions about many days.
pub async fn load_energies(
    conn: &mut PgConnection,
    logger_key: i32,
    first: NaiveDate,
    last: NaiveDate,
) -> Result<Vec<DayFigures>, sqlx::Error> {
    let rows = sqlx::query(include_str!("../../queries/daily_energies.sql"))
        .bind(logger_key)
        .bind(first)
        .bind(last)
        .fetch_all(conn)
        .await?;
    rows.iter().map(energies).collect()
}

fn energies(row: &PgRow) -> Result<DayFigures, sqlx::Error> {
    Ok(DayFigures {
        records: count(row, 1)?,
        valid: count(row, 2)?,
        dropped: count(row, 3)?,
        completeness: row.try_get(4)?,
        power_kwh: row.try_get(5)?,
        daily_register_kwh: row.try_get(6)?,
        lifetime_register_kwh: row.try_get(7)?,
        register_suspect: row.try_get(8)?,
        unallocated_kwh: row.try_get(9)?,
        bridged: count(row, 10)?,
        night_import_kwh: row.try_get(11)?,
        clipped: count(row, 12)?,
        stale: count(row, 13)?,
        sun: SunFigures {
            suspect: row.try_get(14)?,
            ..SunFigures::default()
        },
        ..nothing(row.try_get(0)?)
    })
}

/// The figures of several loggers' days, each logger with a range of its own (both ends included), by logger and in order.
pub async fn load_ranges(
    conn: &mut PgConnection,
    logger_keys: &[i32],
    firsts: &[NaiveDate],
    lasts: &[NaiveDate],
) -> Result<HashMap<i32, Vec<DayFigures>>, sqlx::Error> {
    let rows = sqlx::query(include_str!("../../queries/daily_figures_of_many.sql"))
        .bind(logger_keys)
        .bind(firsts)
        .bind(lasts)
        .fetch_all(conn)
        .await?;
    let mut days: HashMap<i32, Vec<DayFigures>> = HashMap::new();
    for row in &rows {
        let key: i32 = row.try_get(KEY_COLUMN)?;
        days.entry(key)
            .or_default()
            .push(FiguresRow::from_row(row)?.0);
    }
    Ok(days)
}

/// [`load_ranges`] with what [`load_energies`] reads.
pub async fn load_energies_of_many(
    conn: &mut PgConnection,
    logger_keys: &[i32],
    firsts: &[NaiveDate],
    lasts: &[NaiveDate],
) -> Result<HashMap<i32, Vec<DayFigures>>, sqlx::Error> {
    let rows = sqlx::query(include_str!("../../queries/daily_energies_of_many.sql"))
        .bind(logger_keys)
        .bind(firsts)
        .bind(lasts)
        .fetch_all(conn)
        .await?;
    let mut days: HashMap<i32, Vec<DayFigures>> = HashMap::new();
    for row in &rows {
        let key: i32 = row.try_get(ENERGIES_KEY_COLUMN)?;
        days.entry(key).or_default().push(energies(row)?);
    }
    Ok(days)
}

/// What the last day before `day` hands on, and when that day was.
pub(crate) async fn carry_before(
    conn: &mut PgConnection,
    logger_key: i32,
    day: NaiveDate,
) -> Result<Carry, sqlx::Error> {
    let row = sqlx::query(include_str!("../../queries/daily_carry_before.sql"))
        .bind(logger_key)
        .bind(day)
        .fetch_optional(conn)
        .await?;
    row.as_ref()
        .map_or(Ok(Carry::default()), |row| carry(row, 0))
}

/// The first day after `day` that has readings, and what it hands on.
pub(crate) async fn next_after(
    conn: &mut PgConnection,
    logger_key: i32,
    day: NaiveDate,
) -> Result<Option<(NaiveDate, Carry)>, sqlx::Error> {
    let row = sqlx::query(include_str!("../../queries/daily_next_after.sql"))
        .bind(logger_key)
        .bind(day)
        .fetch_optional(conn)
        .await?;
    row.map(|row| Ok((row.try_get(0)?, carry(&row, 1)?)))
        .transpose()
}

/// A day to store.
pub(crate) struct StoredDay {
    pub(crate) figures: DayFigures,
    /// Whether its only reading is the one at its closing midnight: such a day has no figures of its own.
    pub(crate) midnight_only: bool,
}

impl StoredDay {
    /// A day whose only reading is the one at its closing midnight: a count, and what it hands on.
    pub(crate) fn midnight_only(day: NaiveDate, closing: Carry) -> Self {
        let figures = DayFigures {
            records: 1,
            closing,
            ..nothing(day)
        };
        Self {
            figures,
            midnight_only: true,
        }
    }
}

/// A day of which nothing is known.
fn nothing(date: NaiveDate) -> DayFigures {
    DayFigures {
        date,
        day_hours: 0.0,
        records: 0,
        valid: 0,
        null_power: 0,
        dropped: 0,
        completeness: 0.0,
        power_kwh: 0.0,
        daily_register_kwh: None,
        lifetime_register_kwh: None,
        register_suspect: false,
        unallocated_kwh: 0.0,
        hole_hours: 0.0,
        bridged: 0,
        night_import_kwh: 0.0,
        peak_w: None,
        peak_time: None,
        producing: 0,
        producing_mean_w: None,
        centroid_hour: None,
        sun: SunFigures::default(),
        clipped: 0,
        stale: 0,
        closing: Carry::default(),
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
    sqlx::query(include_str!("../../queries/daily_delete.sql"))
        .bind(logger_key)
        .bind(first)
        .bind(last)
        .execute(&mut *conn)
        .await?;
    let rows: Vec<NewRow> = days.iter().map(|day| NewRow::of(logger_key, day)).collect();
    sqlx::query(include_str!("../../queries/daily_insert.sql"))
        .bind(Json(rows))
        .execute(conn)
        .await?;
    Ok(())
}

/// A row of `queries/daily_figures.sql`; its columns are read by position, which saves looking up forty names per row.
struct FiguresRow(DayFigures);

impl FromRow<'_, PgRow> for FiguresRow {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let peak_at: Option<DateTime<Utc>> = row.try_get(15)?;
        Ok(Self(DayFigures {
            date: row.try_get(0)?,
            records: count(row, 1)?,
            day_hours: row.try_get(2)?,
            valid: count(row, 3)?,
            null_power: count(row, 4)?,
            dropped: count(row, 5)?,
            completeness: row.try_get(6)?,
            power_kwh: row.try_get(7)?,
            daily_register_kwh: row.try_get(8)?,
            lifetime_register_kwh: row.try_get(9)?,
            register_suspect: row.try_get(10)?,
            unallocated_kwh: row.try_get(11)?,
            hole_hours: row.try_get(12)?,
            bridged: count(row, 13)?,
            peak_w: row.try_get(14)?,
            peak_time: peak_at.map(epoch),
            night_import_kwh: row.try_get(16)?,
            producing: count(row, 17)?,
            producing_mean_w: row.try_get(18)?,
            centroid_hour: row.try_get(19)?,
            clipped: count(row, 20)?,
            stale: count(row, 21)?,
            closing: carry(row, 22)?,
            sun: sun(row, 27)?,
        }))
    }
}

fn sun(row: &PgRow, at: usize) -> Result<SunFigures, sqlx::Error> {
    Ok(SunFigures {
        records: count(row, at)?,
        daylight: count(row, at + 1)?,
        insolation_kwh_m2: row.try_get(at + 2)?,
        pairs: pairs(row, at + 3)?,
        corrected: pairs(row, at + 6)?,
        bright: pairs(row, at + 9)?,
        sunny: count(row, at + 12)?,
        sunny_valid: count(row, at + 13)?,
        peak_irradiance: row.try_get(at + 14)?,
        suspect: row.try_get(at + 15)?,
    })
}

fn pairs(row: &PgRow, at: usize) -> Result<PairSums, sqlx::Error> {
    Ok(PairSums {
        records: count(row, at)?,
        energy_kwh: row.try_get(at + 1)?,
        insolation_kwh_m2: row.try_get(at + 2)?,
    })
}

fn carry(row: &PgRow, at: usize) -> Result<Carry, sqlx::Error> {
    let power_at: Option<DateTime<Utc>> = row.try_get(at)?;
    let power_w: Option<f64> = row.try_get(at + 1)?;
    let lifetime_day: Option<NaiveDate> = row.try_get(at + 3)?;
    let lifetime_kwh: Option<f64> = row.try_get(at + 4)?;
    Ok(Carry {
        last_power: power_at.map(epoch).zip(power_w),
        last_daily_kwh: row.try_get(at + 2)?,
        last_lifetime: lifetime_day
            .zip(lifetime_kwh)
            .map(|(date, kwh)| LifetimeReading { date, kwh }),
    })
}

/// Counts are stored as signed integers and are never negative.
fn count(row: &PgRow, index: usize) -> Result<u32, sqlx::Error> {
    Ok(row.try_get::<i32, _>(index)?.unsigned_abs())
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
        }
    }
}
