//! Local days. A day D of a site holds the readings with local time in (D 00:00, D+1 00:00],
//! because a stamp ends its step; it lasts 23, 24 or 25 hours. Everything is computed from the
//! site's zone, never from the zone of the process.

use chrono::{
    DateTime, Days, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, Offset, SecondsFormat,
    TimeZone, Utc,
};
use chrono_tz::Tz;

/// A local day, or several in a row: the instants with `after < t <= until`, in seconds since 1970.
///
/// In SQL: `"timestamp" > $after AND "timestamp" <= $until`, which an index on (logger, timestamp)
/// serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DaySpan {
    /// The first day.
    pub first: NaiveDate,
    /// The last day, included.
    pub last: NaiveDate,
    /// Local midnight that opens the first day; not part of it.
    pub after: i64,
    /// Local midnight that ends the last day; part of it.
    pub until: i64,
}

impl DaySpan {
    /// One local day.
    pub fn of_day(date: NaiveDate, zone: Tz) -> Self {
        Self::of_days(date, date, zone)
    }

    /// The days from `first` to `last`, both included.
    pub fn of_days(first: NaiveDate, last: NaiveDate, zone: Tz) -> Self {
        Self {
            first,
            last,
            after: day_start(first, zone),
            until: day_start(next(last), zone),
        }
    }

    /// The `days` local days that end with the day of `anchor`, that day included.
    pub fn last_days(anchor: i64, days: u32, zone: Tz) -> Self {
        let last = local_day(anchor, zone);
        let first = last
            .checked_sub_days(Days::new(u64::from(days.max(1) - 1)))
            .unwrap_or(NaiveDate::MIN);
        Self::of_days(first, last, zone)
    }

    /// The opening midnight as an instant.
    pub fn after_utc(&self) -> DateTime<Utc> {
        instant(self.after)
    }

    /// The closing midnight as an instant.
    pub fn until_utc(&self) -> DateTime<Utc> {
        instant(self.until)
    }

    /// Whether an instant lies in the span.
    pub fn contains(&self, time: i64) -> bool {
        self.after < time && time <= self.until
    }

    /// Length in hours.
    pub fn hours(&self) -> f64 {
        (self.until - self.after) as f64 / 3600.0
    }

    /// Number of days.
    pub fn days(&self) -> usize {
        usize::try_from((self.last - self.first).num_days() + 1).unwrap_or(0)
    }

    /// The days in order.
    pub fn dates(&self) -> impl Iterator<Item = NaiveDate> + use<> {
        let last = self.last;
        self.first.iter_days().take_while(move |date| *date <= last)
    }
}

/// The local day that a reading belongs to. A stamp at local midnight ends the day before.
pub fn local_day(time: i64, zone: Tz) -> NaiveDate {
    instant(time - 1).with_timezone(&zone).date_naive()
}

/// The instant at which a local day opens.
pub fn day_start(date: NaiveDate, zone: Tz) -> i64 {
    local_instant(date.and_time(NaiveTime::MIN), zone)
}

/// Length of a local day: 23, 24 or 25 hours where clocks change.
pub fn day_hours(date: NaiveDate, zone: Tz) -> f64 {
    DaySpan::of_day(date, zone).hours()
}

/// A local time as an instant: the first of two when clocks go back, the moment of change when they
/// skip it.
pub fn local_instant(local: NaiveDateTime, zone: Tz) -> i64 {
    match zone.from_local_datetime(&local) {
        LocalResult::Single(instant) | LocalResult::Ambiguous(instant, _) => instant.timestamp(),
        LocalResult::None => {
            // With the offset in force before the change, the skipped time names the moment of
            // change or just after it.
            let before = local - chrono::TimeDelta::hours(26);
            let offset = zone
                .offset_from_utc_datetime(&before)
                .fix()
                .local_minus_utc();
            local.and_utc().timestamp() - i64::from(offset)
        }
    }
}

/// Local time of an instant.
pub fn local_time(time: i64, zone: Tz) -> DateTime<Tz> {
    instant(time).with_timezone(&zone)
}

/// RFC 3339 with the offset of the zone: `2022-01-05T13:45:00-07:00`.
pub fn rfc3339(time: i64, zone: Tz) -> String {
    local_time(time, zone).to_rfc3339_opts(SecondsFormat::Secs, false)
}

/// Seconds since 1970 as an instant; what no calendar can show becomes the nearest end of time.
pub fn instant(time: i64) -> DateTime<Utc> {
    let end = if time < 0 {
        DateTime::<Utc>::MIN_UTC
    } else {
        DateTime::<Utc>::MAX_UTC
    };
    DateTime::from_timestamp(time, 0).unwrap_or(end)
}

pub(crate) fn next(date: NaiveDate) -> NaiveDate {
    date.succ_opt().unwrap_or(NaiveDate::MAX)
}

/// The local days that hold at least one of the ascending `times`, each with its rows.
pub(crate) fn split_days(times: &[i64], zone: Tz) -> Vec<(DaySpan, std::ops::Range<usize>)> {
    let mut days = Vec::new();
    let mut start = 0;
    let mut span: Option<DaySpan> = None;
    while let Some(&time) = times.get(start) {
        // Consecutive days share a midnight; looking it up again would double the cost.
        let day = match span {
            Some(before) if day_follows(before, time, zone) => {
                let date = next(before.last);
                DaySpan {
                    first: date,
                    last: date,
                    after: before.until,
                    until: day_start(next(date), zone),
                }
            }
            _ => DaySpan::of_day(local_day(time, zone), zone),
        };
        let rows = times[start..].partition_point(|&t| t <= day.until).max(1);
        days.push((day, start..start + rows));
        start += rows;
        span = Some(day);
    }
    days
}

fn day_follows(before: DaySpan, time: i64, zone: Tz) -> bool {
    time > before.until
        && time - before.until <= 23 * 3600
        && local_day(time, zone) == next(before.last)
}

#[cfg(test)]
mod tests {
    use chrono_tz::{America, Europe, Pacific};

    use super::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn time(text: &str) -> i64 {
        DateTime::parse_from_rfc3339(text).unwrap().timestamp()
    }

    #[test]
    fn a_stamp_at_local_midnight_ends_the_day_before() {
        let zone = America::Denver;
        assert_eq!(
            local_day(time("2022-01-05T00:00:00-07:00"), zone),
            date("2022-01-04")
        );
        assert_eq!(
            local_day(time("2022-01-05T00:00:01-07:00"), zone),
            date("2022-01-05")
        );
    }

    #[test]
    fn days_last_23_24_or_25_hours() {
        let zone = Europe::Berlin;
        let hours = |day: &str| DaySpan::of_day(date(day), zone).hours();
        assert!((hours("2024-03-31") - 23.0).abs() < 1e-9);
        assert!((hours("2024-04-01") - 24.0).abs() < 1e-9);
        assert!((hours("2024-10-27") - 25.0).abs() < 1e-9);
    }

    #[test]
    fn midnights_that_do_not_exist_become_the_moment_of_change() {
        // Clocks went from 00:00 to 01:00.
        assert_eq!(
            day_start(date("2018-11-04"), America::Sao_Paulo),
            time("2018-11-04T01:00:00-02:00")
        );
        // Samoa skipped the whole day.
        assert!(
            DaySpan::of_day(date("2011-12-30"), Pacific::Apia)
                .hours()
                .abs()
                < 1e-9
        );
    }

    #[test]
    fn the_last_days_include_the_anchor_and_survive_a_change_of_clocks() {
        let zone = America::Los_Angeles;
        let span = DaySpan::last_days(time("2016-03-14T00:00:00-07:00"), 3, zone);
        assert_eq!(
            (span.first, span.last),
            (date("2016-03-11"), date("2016-03-13"))
        );
        assert_eq!(span.after, time("2016-03-11T00:00:00-08:00"));
        assert!((span.hours() - 71.0).abs() < 1e-9);
        assert_eq!(span.days(), span.dates().count());
    }

    #[test]
    fn times_carry_the_offset_of_the_site() {
        assert_eq!(
            rfc3339(time("2022-01-05T20:45:00Z"), America::Denver),
            "2022-01-05T13:45:00-07:00"
        );
        assert_eq!(rfc3339(0, Tz::UTC), "1970-01-01T00:00:00+00:00");
    }

    #[test]
    fn days_are_split_as_each_stamp_says() {
        let zone = Europe::Berlin;
        let start = time("2024-03-29T00:00:00+01:00");
        let times: Vec<i64> = (0..400)
            .map(|hour| start + hour * 3600)
            .filter(|t| t % 7 != 0)
            .collect();
        let days = split_days(&times, zone);
        for (span, rows) in &days {
            assert!(
                times[rows.clone()]
                    .iter()
                    .all(|&t| local_day(t, zone) == span.first && span.contains(t))
            );
        }
        assert_eq!(
            days.iter().map(|(_, rows)| rows.len()).sum::<usize>(),
            times.len()
        );
    }
}
