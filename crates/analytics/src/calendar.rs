//! Series of periods in a time zone, and the phase of a period in a calendar cycle.

use chrono::{DateTime, Datelike, Days, LocalResult, NaiveDate, TimeZone, Timelike, Utc};
use chrono_tz::Tz;

use crate::column::Column;

/// The length of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Interval {
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Interval {
    const ALL: [Self; 6] = [
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Quarter,
        Self::Year,
    ];
}

/// A series without gaps in time. A period without a value is NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The length of a period.
    pub interval: Interval,
    /// The start of each period.
    pub starts: Vec<DateTime<Tz>>,
    /// The mean of each period, or the number of its rows.
    pub values: Vec<f64>,
    /// The number of rows behind each value.
    pub counts: Vec<usize>,
}

impl Series {
    /// Number of periods that have a value.
    pub fn known(&self) -> usize {
        self.values.iter().filter(|value| !value.is_nan()).count()
    }

    /// The periods that have a value: days since the first period, and the value.
    pub fn points(&self) -> Vec<(f64, f64)> {
        let Some(first) = self.starts.first() else {
            return Vec::new();
        };
        let days = |start: &DateTime<Tz>| (start.timestamp() - first.timestamp()) as f64 / 86_400.0;
        self.starts
            .iter()
            .zip(&self.values)
            .filter(|(_, value)| !value.is_nan())
            .map(|(start, value)| (days(start), *value))
            .collect()
    }
}

/// The mean of a column per period, from the first row that has a time and a value to the last.
/// Returns `None` if there is no such row, or if the series would have more than `most` periods.
pub fn means(
    times: &[Option<DateTime<Utc>>],
    column: &Column,
    zone: Tz,
    interval: Interval,
    most: usize,
) -> Option<Series> {
    let rows = times
        .iter()
        .enumerate()
        .filter_map(|(row, time)| Some(((*time)?, column.get(row)?)));
    let mut series = collect(rows, zone, interval, most)?;
    for (value, count) in series.values.iter_mut().zip(&series.counts) {
        *value = if *count > 0 {
            *value / *count as f64
        } else {
            f64::NAN
        };
    }
    Some(series)
}

/// The number of rows per period, from the first row with a time to the last. Returns `None` if
/// there is no such row, or if the series would have more than `most` periods.
pub fn counts(
    times: &[Option<DateTime<Utc>>],
    zone: Tz,
    interval: Interval,
    most: usize,
) -> Option<Series> {
    collect(
        times.iter().flatten().map(|time| (*time, 1.0)),
        zone,
        interval,
        most,
    )
}

/// Sums per period.
fn collect(
    rows: impl Iterator<Item = (DateTime<Utc>, f64)>,
    zone: Tz,
    interval: Interval,
    most: usize,
) -> Option<Series> {
    let mut rows: Vec<(i64, DateTime<Tz>, f64)> = rows
        .map(|(time, value)| {
            let local = time.with_timezone(&zone);
            (number(local, interval), local, value)
        })
        .collect();
    // The value is part of the key so that the sums do not depend on the order of the rows.
    rows.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.total_cmp(&b.2)));
    let (first, last) = (rows.first()?, rows.last()?);
    let periods = usize::try_from(last.0 - first.0).ok()?.checked_add(1)?;
    if periods > most {
        return None;
    }
    let beginning = first.1;
    let mut values = vec![0.0; periods];
    let mut counts = vec![0; periods];
    for (period, _, value) in &rows {
        let place = usize::try_from(period - first.0).ok()?;
        values[place] += value;
        counts[place] += 1;
    }
    let starts = (first.0..=last.0)
        .map(|period| start(period, beginning, interval))
        .collect::<Option<Vec<_>>>()?;
    Some(Series {
        interval,
        starts,
        values,
        counts,
    })
}

/// The number of the period; consecutive periods have consecutive numbers.
fn number(local: DateTime<Tz>, interval: Interval) -> i64 {
    let (year, month) = (i64::from(local.year()), i64::from(local.month0()));
    let day = i64::from(local.num_days_from_ce());
    match interval {
        Interval::Hour => whole_hour(local).div_euclid(3_600),
        Interval::Day => day,
        // Day 1 was a Monday.
        Interval::Week => (day - 1).div_euclid(7),
        Interval::Month => year * 12 + month,
        Interval::Quarter => year * 4 + month / 3,
        Interval::Year => year,
    }
}

/// The second at which the hour of a time began on the clock of the zone. That clock can differ
/// from UTC by a half or a quarter of an hour.
fn whole_hour(local: DateTime<Tz>) -> i64 {
    local.timestamp() - i64::from(local.minute() * 60 + local.second())
}

/// The start of a period. Hours are counted from the first one.
fn start(number: i64, first: DateTime<Tz>, interval: Interval) -> Option<DateTime<Tz>> {
    let zone = first.timezone();
    let day = match interval {
        Interval::Hour => {
            let past_the_hour = whole_hour(first).rem_euclid(3_600);
            return zone
                .timestamp_opt(number * 3_600 + past_the_hour, 0)
                .single();
        }
        Interval::Day => NaiveDate::from_num_days_from_ce_opt(i32::try_from(number).ok()?)?,
        Interval::Week => {
            NaiveDate::from_num_days_from_ce_opt(i32::try_from(number * 7 + 1).ok()?)?
        }
        Interval::Month => first_of(number.div_euclid(12), number.rem_euclid(12))?,
        Interval::Quarter => first_of(number.div_euclid(4), number.rem_euclid(4) * 3)?,
        Interval::Year => first_of(number, 0)?,
    };
    midnight(day, zone)
}

fn first_of(year: i64, month0: i64) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(
        i32::try_from(year).ok()?,
        u32::try_from(month0).ok()? + 1,
        1,
    )
}

/// The first moment of a day. Where clocks go forward at midnight, that is an hour later.
fn midnight(day: NaiveDate, zone: Tz) -> Option<DateTime<Tz>> {
    (0..4).find_map(
        |hour| match zone.from_local_datetime(&day.and_hms_opt(hour, 0, 0)?) {
            LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => Some(time),
            LocalResult::None => None,
        },
    )
}

/// The finest interval that fits the data: not too many periods, and most of them have rows.
pub fn fitting_interval(times: &[Option<DateTime<Utc>>], zone: Tz) -> Option<Interval> {
    /// Maximum number of hours, and of longer periods.
    const HOURS: usize = 336;
    const PERIODS: usize = 800;
    /// Minimum share of the periods that must have rows.
    const OCCUPIED: f64 = 0.6;
    const FEW: usize = 8;
    let with_hours = times.iter().flatten().any(|time| {
        let local = time.with_timezone(&zone);
        local.hour() > 0 || local.minute() > 0
    });
    let mut best: Option<(Interval, f64)> = None;
    for interval in Interval::ALL {
        if interval == Interval::Hour && !with_hours {
            continue;
        }
        let most = if interval == Interval::Hour {
            HOURS
        } else {
            PERIODS
        };
        let Some(series) = counts(times, zone, interval, most) else {
            continue;
        };
        let occupied = series.counts.iter().filter(|count| **count > 0).count();
        let share = occupied as f64 / series.counts.len() as f64;
        if best.is_some() && occupied < FEW {
            break;
        }
        if best.is_none_or(|(_, best)| share > best) {
            best = Some((interval, share));
        }
        if share >= OCCUPIED {
            break;
        }
    }
    best.map(|(interval, _)| interval)
}

/// A calendar cycle that values can repeat in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Cycle {
    HourOfDay,
    DayOfWeek,
    MonthOfYear,
    QuarterOfYear,
}

impl Cycle {
    /// The interval a series needs for this cycle to show.
    pub fn interval(self) -> Interval {
        match self {
            Self::HourOfDay => Interval::Hour,
            Self::DayOfWeek => Interval::Day,
            Self::MonthOfYear => Interval::Month,
            Self::QuarterOfYear => Interval::Quarter,
        }
    }

    /// Number of phases of the cycle.
    pub fn phases(self) -> usize {
        match self {
            Self::HourOfDay => 24,
            Self::DayOfWeek => 7,
            Self::MonthOfYear => 12,
            Self::QuarterOfYear => 4,
        }
    }

    /// The phase of a time, from 0.
    pub fn phase(self, at: DateTime<Tz>) -> usize {
        let phase = match self {
            Self::HourOfDay => at.hour(),
            Self::DayOfWeek => at.weekday().num_days_from_monday(),
            Self::MonthOfYear => at.month0(),
            Self::QuarterOfYear => at.month0() / 3,
        };
        phase as usize
    }

    /// The name of a phase: `Monday`, `January`, `14:00`, `Q1`.
    pub fn phase_name(self, phase: usize) -> String {
        let named = |format: &str, day: Option<NaiveDate>| {
            day.map_or_else(String::new, |day| day.format(format).to_string())
        };
        match self {
            Self::HourOfDay => format!("{phase:02}:00"),
            Self::DayOfWeek => {
                let monday = NaiveDate::from_ymd_opt(2024, 1, 1);
                named(
                    "%A",
                    monday.and_then(|monday| monday.checked_add_days(Days::new(phase as u64))),
                )
            }
            Self::MonthOfYear => named("%B", first_of(2024, i64::try_from(phase).unwrap_or(0))),
            Self::QuarterOfYear => format!("Q{}", phase + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(texts: &[&str]) -> Vec<Option<DateTime<Utc>>> {
        texts.iter().map(|text| text.parse().ok()).collect()
    }

    fn starts(series: &Series) -> Vec<String> {
        series
            .starts
            .iter()
            .map(|start| start.format("%Y-%m-%d %H:%M %z").to_string())
            .collect()
    }

    #[test]
    fn days_are_those_of_the_zone_and_gaps_have_no_value() {
        let zone = Tz::America__New_York;
        // The second is still the 8th in New York; clocks go forward on the 9th.
        let times = times(&[
            "2025-03-08T12:00:00Z",
            "2025-03-09T04:30:00Z",
            "2025-03-10T12:00:00Z",
            "no time",
        ]);
        let column = Column::new(vec![1.0, 4.0, 7.0, 9.0]);
        let series = means(&times, &column, zone, Interval::Day, 100).unwrap();
        assert_eq!(
            starts(&series),
            [
                "2025-03-08 00:00 -0500",
                "2025-03-09 00:00 -0500",
                "2025-03-10 00:00 -0400"
            ]
        );
        assert_eq!(
            (series.values[0], series.values[2], series.known()),
            (2.5, 7.0, 2)
        );
        assert!(series.values[1].is_nan());
        assert!((series.points()[1].0 - 47.0 / 24.0).abs() < 1e-12);
        let counted = counts(&times, zone, Interval::Day, 100).unwrap();
        assert_eq!(counted.values, [2.0, 0.0, 1.0]);
        assert_eq!(means(&times, &column, zone, Interval::Day, 2), None);
        assert_eq!(counts(&[None], zone, Interval::Day, 2), None);
    }

    #[test]
    fn weeks_begin_on_monday_and_longer_periods_on_their_first() {
        let times = times(&["2024-12-31T10:00:00Z", "2025-01-06T10:00:00Z"]);
        let of = |interval| starts(&counts(&times, Tz::UTC, interval, 100).unwrap());
        assert_eq!(
            of(Interval::Week),
            ["2024-12-30 00:00 +0000", "2025-01-06 00:00 +0000"]
        );
        assert_eq!(
            of(Interval::Month),
            ["2024-12-01 00:00 +0000", "2025-01-01 00:00 +0000"]
        );
        assert_eq!(
            of(Interval::Quarter),
            ["2024-10-01 00:00 +0000", "2025-01-01 00:00 +0000"]
        );
        assert_eq!(
            of(Interval::Year),
            ["2024-01-01 00:00 +0000", "2025-01-01 00:00 +0000"]
        );
        let kolkata = counts(&times[..1], Tz::Asia__Kolkata, Interval::Hour, 100).unwrap();
        assert_eq!(starts(&kolkata), ["2024-12-31 15:00 +0530"]);
    }

    #[test]
    fn a_day_without_midnight_begins_at_its_first_moment() {
        let times = times(&["2018-11-04T15:00:00Z"]);
        let series = counts(&times, Tz::America__Sao_Paulo, Interval::Day, 100).unwrap();
        assert_eq!(starts(&series), ["2018-11-04 01:00 -0200"]);
    }

    #[test]
    fn the_interval_fits_the_data() {
        let every = |hours: i64, count: i64| -> Vec<Option<DateTime<Utc>>> {
            (0..count)
                .map(|i| DateTime::from_timestamp(1_735_689_600 + i * hours * 3_600, 0))
                .collect()
        };
        let fits = |times: &[Option<DateTime<Utc>>]| fitting_interval(times, Tz::UTC);
        assert_eq!(fits(&every(1, 100)), Some(Interval::Hour));
        assert_eq!(fits(&every(24, 100)), Some(Interval::Day));
        assert_eq!(fits(&every(24, 3_000)), Some(Interval::Week));
        assert_eq!(fits(&every(24 * 9, 100)), Some(Interval::Week));
        assert_eq!(fits(&every(24 * 14, 100)), Some(Interval::Month));
        assert_eq!(fits(&every(7, 1)), Some(Interval::Day));
        assert_eq!(fits(&[]), None);
        let ages = [
            Some(DateTime::<Utc>::MIN_UTC),
            Some(DateTime::<Utc>::MAX_UTC),
        ];
        assert_eq!(fits(&ages), None);
    }

    #[test]
    fn phases_have_names() {
        let sunday: DateTime<Utc> = "2025-01-05T23:30:00Z".parse().unwrap();
        let berlin = sunday.with_timezone(&Tz::Europe__Berlin);
        let name = |cycle: Cycle| cycle.phase_name(cycle.phase(berlin));
        assert_eq!(name(Cycle::DayOfWeek), "Monday");
        assert_eq!(name(Cycle::HourOfDay), "00:00");
        assert_eq!(name(Cycle::MonthOfYear), "January");
        assert_eq!(name(Cycle::QuarterOfYear), "Q1");
    }
}
