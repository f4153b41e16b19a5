//! When a schedule is due: a local time, or several with the same interval, on some days of the
//! week, in a time zone whose clocks change.

use chrono::{
    DateTime, Datelike, Days, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc,
};
use chrono_tz::Tz;
use contracts::schedules::{ScheduleTiming, Weekday};

/// Days that are looked at for the next time: a week, and some around it.
const HORIZON: u64 = 10;

/// Minutes of the longest gap in local time: a day that was left out.
const LONGEST_GAP: i64 = 24 * 60;

/// Times that are counted as missed one by one.
const MOST_MISSED: u32 = 10_000;

/// A checked [`ScheduleTiming`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Timing {
    time: NaiveTime,
    /// The interval of further times on the same day, and the last local time at which there can be
    /// one.
    again: Option<(TimeDelta, NaiveTime)>,
    /// Monday first.
    days: [bool; 7],
    zone: Tz,
}

impl Timing {
    /// Reads a timing, or says which member is wrong and why.
    pub(crate) fn of(timing: &ScheduleTiming) -> Result<Self, (&'static str, String)> {
        let time = clock(&timing.time)
            .ok_or_else(|| ("/time", "must be a time such as 07:00".to_owned()))?;
        let zone: Tz = timing.timezone.parse().map_err(|_unknown| {
            let detail = "must be an IANA time zone such as Europe/Zurich".to_owned();
            ("/timezone", detail)
        })?;
        let days = Weekday::ALL.map(|day| timing.days.is_empty() || timing.days.contains(&day));
        let again = again(timing, time)?;
        Ok(Self {
            time,
            again,
            days,
            zone,
        })
    }

    /// The first time after `after`.
    pub(crate) fn next_after(&self, after: DateTime<Utc>) -> DateTime<Utc> {
        let today = after.with_timezone(&self.zone).date_naive();
        let first = today - Days::new(1);
        (0..HORIZON)
            .map(|ahead| first + Days::new(ahead))
            .filter(|date| self.days[date.weekday().num_days_from_monday() as usize])
            .find_map(|date| self.next_of_day(date, after))
            // A week has each of its days.
            .unwrap_or(after + TimeDelta::days(1))
    }

    /// The first time of a day that is after `after`. An interval counts hours that pass, so that
    /// an hour that exists twice has two times.
    fn next_of_day(&self, date: NaiveDate, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let first = self.instant(date.and_time(self.time));
        if first > after {
            return Some(first);
        }
        let (interval, until) = self.again?;
        let passed = (after - first).num_seconds() / interval.num_seconds();
        let next = first + interval * i32::try_from(passed + 1).ok()?;
        (next <= self.last_instant(date.and_time(until))).then_some(next)
    }

    /// Of the times from `first` until `now`, the last, and how many came before it.
    pub(crate) fn last_until(
        &self,
        first: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> (DateTime<Utc>, u32) {
        let (mut last, mut before) = (first, 0);
        loop {
            let next = self.next_after(last);
            if next > now || before >= MOST_MISSED {
                return (last, before);
            }
            (last, before) = (next, before + 1);
        }
    }

    /// A local time as a moment. One that exists twice is the first; one that is left out is the
    /// first that exists after it.
    fn instant(&self, local: NaiveDateTime) -> DateTime<Utc> {
        (0..=LONGEST_GAP)
            .map(|minutes| local + TimeDelta::minutes(minutes))
            .find_map(|local| match local.and_local_timezone(self.zone) {
                LocalResult::Single(time) | LocalResult::Ambiguous(time, _) => {
                    Some(time.with_timezone(&Utc))
                }
                LocalResult::None => None,
            })
            .unwrap_or_else(|| local.and_utc())
    }

    /// A local time at the end of a day as a moment: one that exists twice is the second.
    fn last_instant(&self, local: NaiveDateTime) -> DateTime<Utc> {
        match local.and_local_timezone(self.zone) {
            LocalResult::Ambiguous(_, last) => last.with_timezone(&Utc),
            _ => self.instant(local),
        }
    }

    /// A moment on the clock of the schedule.
    pub(crate) fn local(&self, at: DateTime<Utc>) -> String {
        let local = at.with_timezone(&self.zone);
        local.format("%-d %B %Y, %H:%M").to_string()
    }
}

/// A time of day with two digits each.
fn clock(text: &str) -> Option<NaiveTime> {
    let time = NaiveTime::parse_from_str(text, "%H:%M").ok()?;
    (text.len() == 5).then_some(time)
}

/// The interval of a timing, and the last local time.
fn again(
    timing: &ScheduleTiming,
    first: NaiveTime,
) -> Result<Option<(TimeDelta, NaiveTime)>, (&'static str, String)> {
    let until = match &timing.until {
        Some(until) => clock(until)
            .filter(|until| *until > first)
            .map(Some)
            .ok_or_else(|| {
                let detail = format!("must be a time such as 18:00, later than {}", timing.time);
                ("/until", detail)
            })?,
        None => None,
    };
    match (timing.every_minutes, until) {
        (None, None) => Ok(None),
        (None, Some(_)) => {
            let detail = "must be given together with `every_minutes`".to_owned();
            Err(("/until", detail))
        }
        (Some(minutes), _) if !ScheduleTiming::INTERVALS.contains(&minutes) => {
            let (least, most) = ScheduleTiming::INTERVALS.into_inner();
            Err(("/every_minutes", format!("must be {least} to {most}")))
        }
        (Some(minutes), until) => {
            let until = until.or_else(|| NaiveTime::from_hms_opt(23, 59, 59));
            let interval = TimeDelta::minutes(i64::from(minutes));
            Ok(until.map(|until| (interval, until)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(time: &str, zone: &str, days: &[Weekday]) -> Timing {
        Timing::of(&ScheduleTiming {
            time: time.to_owned(),
            days: days.to_vec(),
            timezone: zone.to_owned(),
            ..ScheduleTiming::default()
        })
        .unwrap()
    }

    fn every(minutes: u32, time: &str, until: Option<&str>, zone: &str) -> ScheduleTiming {
        ScheduleTiming {
            time: time.to_owned(),
            every_minutes: Some(minutes),
            until: until.map(str::to_owned),
            days: Vec::new(),
            timezone: zone.to_owned(),
        }
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn following(timing: Timing, after: &str, count: usize) -> Vec<String> {
        let mut last = at(after);
        (0..count)
            .map(|_| {
                last = timing.next_after(last);
                last.format("%m-%dT%H:%MZ").to_string()
            })
            .collect()
    }

    #[test]
    fn seven_in_the_morning_stays_seven_when_the_clocks_change() {
        let zurich = timing("07:00", "Europe/Zurich", &[]);
        assert_eq!(
            following(zurich, "2026-03-27T12:00:00Z", 3),
            ["03-28T06:00Z", "03-29T05:00Z", "03-30T05:00Z"]
        );
        assert_eq!(
            following(zurich, "2026-10-23T12:00:00Z", 3),
            ["10-24T05:00Z", "10-25T06:00Z", "10-26T06:00Z"]
        );
    }

    #[test]
    fn a_time_that_is_left_out_comes_when_the_clocks_have_gone_forward() {
        let zurich = timing("02:30", "Europe/Zurich", &[]);
        assert_eq!(
            following(zurich, "2026-03-28T12:00:00Z", 2),
            ["03-29T01:00Z", "03-30T00:30Z"]
        );
    }

    #[test]
    fn a_time_that_exists_twice_comes_once() {
        let zurich = timing("02:30", "Europe/Zurich", &[]);
        assert_eq!(
            following(zurich, "2026-10-24T12:00:00Z", 2),
            ["10-25T00:30Z", "10-26T01:30Z"]
        );
    }

    #[test]
    fn days_of_the_week_are_those_of_the_zone() {
        let auckland = timing("07:00", "Pacific/Auckland", &[Weekday::Monday]);
        // Monday morning there is Sunday evening in UTC.
        assert_eq!(
            following(auckland, "2026-11-20T00:00:00Z", 2),
            ["11-22T18:00Z", "11-29T18:00Z"]
        );
        let weekdays = timing("06:15", "UTC", &Weekday::ALL[..5]);
        assert_eq!(
            following(weekdays, "2026-11-20T06:15:00Z", 2),
            ["11-23T06:15Z", "11-24T06:15Z"]
        );
    }

    #[test]
    fn times_that_were_missed_are_counted() {
        let daily = timing("07:00", "UTC", &[]);
        let first = at("2026-11-20T07:00:00Z");
        assert_eq!(
            daily.last_until(first, at("2026-11-20T09:00:00Z")),
            (first, 0)
        );
        assert_eq!(
            daily.last_until(first, at("2026-11-23T08:00:00Z")),
            (at("2026-11-23T07:00:00Z"), 3)
        );
    }

    #[test]
    fn what_is_no_time_or_zone_is_refused() {
        let wrong = |time: &str, timezone: &str| {
            let timing = ScheduleTiming {
                time: time.to_owned(),
                timezone: timezone.to_owned(),
                ..ScheduleTiming::default()
            };
            Timing::of(&timing).unwrap_err().0
        };
        for time in ["7:00", "24:00", "07:60", "morning", ""] {
            assert_eq!(wrong(time, "UTC"), "/time", "{time}");
        }
        assert_eq!(wrong("07:00", "Zurich"), "/timezone");
        for (minutes, until, member) in [
            (14, None, "/every_minutes"),
            (721, None, "/every_minutes"),
            (60, Some("25:00"), "/until"),
            (60, Some("08:00"), "/until"),
            (60, Some("07:00"), "/until"),
        ] {
            let refused = Timing::of(&every(minutes, "08:00", until, "UTC")).unwrap_err();
            assert_eq!(refused.0, member, "{minutes} {until:?}: {refused:?}");
        }
        let alone = ScheduleTiming {
            every_minutes: None,
            ..every(60, "08:00", Some("18:00"), "UTC")
        };
        assert_eq!(Timing::of(&alone).unwrap_err().0, "/until");
    }

    #[test]
    fn an_interval_is_counted_within_the_hours_of_each_day() {
        let day = Timing::of(&every(120, "08:00", Some("13:00"), "Europe/Zurich")).unwrap();
        assert_eq!(
            following(day, "2026-11-20T07:30:00Z", 4),
            [
                "11-20T09:00Z",
                "11-20T11:00Z",
                "11-21T07:00Z",
                "11-21T09:00Z"
            ]
        );
        // The last time may be exactly the end.
        let day = Timing::of(&every(120, "08:00", Some("12:00"), "UTC")).unwrap();
        assert_eq!(
            following(day, "2026-11-20T09:00:00Z", 3),
            ["11-20T10:00Z", "11-20T12:00Z", "11-21T08:00Z"]
        );
        let half = Timing::of(&every(30, "00:00", None, "UTC")).unwrap();
        assert_eq!(
            following(half, "2026-11-20T23:10:00Z", 2),
            ["11-20T23:30Z", "11-21T00:00Z"]
        );
    }

    #[test]
    fn every_hour_is_every_hour_when_the_clocks_change() {
        let hourly = Timing::of(&every(60, "00:00", None, "Europe/Zurich")).unwrap();
        for night in ["2026-03-28T22:30:00Z", "2026-10-24T21:30:00Z"] {
            let mut last = at(night);
            for _ in 0..30 {
                let next = hourly.next_after(last);
                assert_eq!(next.timestamp() % 3_600, 0, "{next}");
                assert!((next - last).num_minutes() <= 60, "{last} {next}");
                last = next;
            }
        }
    }
}
