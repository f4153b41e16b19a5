//! Times as loggers write them.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
pub use contracts::imports::TimeOrder as Order;

/// The time of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stamp {
    /// The plant's local time.
    Local(NaiveDateTime),
    /// An instant.
    Instant(DateTime<Utc>),
}

impl Stamp {
    /// The text that the ingestion of readings understands.
    pub fn text(self) -> String {
        match self {
            Self::Local(local) => local.format("%Y-%m-%d %H:%M:%S%.6f").to_string(),
            Self::Instant(at) => at.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
        }
    }

    /// The digits of a clock in this zone.
    pub fn local(self, zone: chrono_tz::Tz) -> NaiveDateTime {
        match self {
            Self::Local(local) => local,
            Self::Instant(at) => at.with_timezone(&zone).naive_local(),
        }
    }
}

/// Reads a date with a time. The error says what is wrong.
pub fn parse(text: &str, order: Order) -> Result<Stamp, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the time is empty".to_owned());
    }
    match order {
        Order::UnixSeconds => unix(text, 1),
        Order::UnixMilliseconds => unix(text, 1000),
        order => {
            let mut cursor = Cursor { rest: text };
            let date = cursor.date(order).map_err(|why| fault(text, why))?;
            let (time, days) = cursor.time().map_err(|why| fault(text, why))?;
            let offset = cursor.offset().map_err(|why| fault(text, why))?;
            if !cursor.rest.is_empty() {
                return Err(fault(text, "more follows the time"));
            }
            let local = date
                .and_time(time)
                .checked_add_signed(TimeDelta::days(days))
                .ok_or_else(|| fault(text, "it lies too far away"))?;
            Ok(match offset {
                None => Stamp::Local(local),
                Some(minutes) => Stamp::Instant((local - TimeDelta::minutes(minutes)).and_utc()),
            })
        }
    }
}

/// Reads a date without a time.
pub fn parse_date(text: &str, order: Order) -> Option<NaiveDate> {
    let mut cursor = Cursor { rest: text.trim() };
    let date = cursor.date(order).ok()?;
    cursor.rest.trim().is_empty().then_some(date)
}

/// Reads a time without a date, and the number of days that `24:00` adds.
pub fn parse_time(text: &str) -> Option<(NaiveTime, i64)> {
    let mut cursor = Cursor { rest: text.trim() };
    let time = cursor.clock().ok()?;
    cursor.rest.trim().is_empty().then_some(time)
}

fn fault(text: &str, why: &str) -> String {
    let shown: String = text.chars().take(40).collect();
    format!("{shown:?} is not a time of this format: {why}")
}

fn unix(text: &str, per_second: i64) -> Result<Stamp, String> {
    let not = || {
        fault(
            text,
            "it is not a number of seconds between the years 2000 and 2100",
        )
    };
    let number: f64 = text.parse().map_err(|_| not())?;
    let seconds = number / per_second as f64;
    if !(946_684_800.0..4_102_444_800.0).contains(&seconds) {
        return Err(not());
    }
    #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
    let at = DateTime::from_timestamp_micros((seconds * 1e6).round() as i64);
    at.map(Stamp::Instant).ok_or_else(not)
}

struct Cursor<'a> {
    rest: &'a str,
}

impl Cursor<'_> {
    fn digits(&mut self, most: usize) -> Option<(u32, usize)> {
        let length = self
            .rest
            .bytes()
            .take(most)
            .take_while(u8::is_ascii_digit)
            .count();
        let value = self.rest[..length].parse().ok()?;
        self.rest = &self.rest[length..];
        Some((value, length))
    }

    fn run(&self) -> usize {
        self.rest.bytes().take_while(u8::is_ascii_digit).count()
    }

    fn skip(&mut self, wanted: &[char]) -> Option<char> {
        let next = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn date(&mut self, order: Order) -> Result<NaiveDate, &'static str> {
        const SHAPE: &str = "the date has another form";
        let of = |year, month, day| {
            let year = if year < 100 { 2000 + year } else { year };
            i32::try_from(year)
                .ok()
                .and_then(|year| NaiveDate::from_ymd_opt(year, month, day))
                .filter(|date| (1970..2200).contains(&chrono::Datelike::year(date)))
                .ok_or("there is no such date")
        };
        if order == Order::YearFirst && matches!(self.run(), 8 | 12 | 14) {
            let parts = (self.digits(4), self.digits(2), self.digits(2));
            let (Some((year, _)), Some((month, _)), Some((day, _))) = parts else {
                return Err(SHAPE);
            };
            return of(year, month, day);
        }
        let marks = ['-', '/', '.', '_'];
        let (first, first_length) = self.digits(4).ok_or(SHAPE)?;
        let mark = self.skip(&marks).ok_or(SHAPE)?;
        let (second, second_length) = self.digits(2).ok_or(SHAPE)?;
        self.skip(&[mark]).ok_or(SHAPE)?;
        let (third, third_length) = self.digits(4).ok_or(SHAPE)?;
        let lengths = match order {
            Order::YearFirst => (first_length, second_length, third_length),
            _ => (third_length, second_length, first_length),
        };
        if !matches!(lengths, (2 | 4, 1 | 2, 1 | 2))
            || (order == Order::YearFirst && lengths.0 != 4)
        {
            return Err(SHAPE);
        }
        match order {
            Order::YearFirst => of(first, second, third),
            Order::MonthFirst => of(third, first, second),
            _ => of(third, second, first),
        }
    }

    /// The time behind a date; midnight if there is none.
    fn time(&mut self) -> Result<(NaiveTime, i64), &'static str> {
        let before = self.rest.len();
        self.rest = self.rest.trim_start();
        if self.rest.is_empty() {
            return Ok((NaiveTime::MIN, 0));
        }
        let marked = self.skip(&['T', 't', '_', ',', '-']).is_some();
        self.rest = self.rest.trim_start();
        if !marked && before == self.rest.len() && !matches!(self.run(), 4 | 6) {
            return Err("a blank or T has to follow the date");
        }
        self.clock()
    }

    fn clock(&mut self) -> Result<(NaiveTime, i64), &'static str> {
        const SHAPE: &str = "the time has another form";
        let (hour, minute, second) = if matches!(self.run(), 4 | 6) {
            let (hour, _) = self.digits(2).ok_or(SHAPE)?;
            let (minute, _) = self.digits(2).ok_or(SHAPE)?;
            (hour, minute, self.digits(2).map_or(0, |(second, _)| second))
        } else {
            let (hour, _) = self.digits(2).ok_or(SHAPE)?;
            let mark = self.skip(&[':', '.', 'h']).ok_or(SHAPE)?;
            let (minute, length) = self.digits(2).ok_or(SHAPE)?;
            if length != 2 {
                return Err(SHAPE);
            }
            let second = match self.skip(&[mark]) {
                Some(_) => self.digits(2).ok_or(SHAPE)?.0,
                None => 0,
            };
            (hour, minute, second)
        };
        let micros = if self.skip(&['.', ',']).is_some() {
            self.fraction()?
        } else {
            0
        };
        let hour = self.twelve(hour)?;
        // The end of a day, written as an hour of it.
        let (hour, days) = if hour == 24 { (0, 1) } else { (hour, 0) };
        let time = NaiveTime::from_hms_micro_opt(hour, minute, second, micros);
        Ok((time.ok_or("there is no such time")?, days))
    }

    fn fraction(&mut self) -> Result<u32, &'static str> {
        let length = self.run();
        if length == 0 {
            return Err("digits have to follow the point");
        }
        let micros = (0..6).fold(0, |sum, place| {
            let digit = self.rest.as_bytes().get(place).filter(|_| place < length);
            sum * 10 + digit.map_or(0, |digit| u32::from(digit - b'0'))
        });
        self.rest = &self.rest[length..];
        Ok(micros)
    }

    fn twelve(&mut self, hour: u32) -> Result<u32, &'static str> {
        let rest = self.rest.trim_start();
        let half = match rest.get(..2).map(str::to_ascii_uppercase).as_deref() {
            Some("AM") => 0,
            Some("PM") => 12,
            _ => return Ok(hour),
        };
        self.rest = &rest[2..];
        match hour {
            12 => Ok(half),
            1..=11 => Ok(hour + half),
            _ => Err("there is no such time"),
        }
    }

    /// Minutes east of Greenwich.
    fn offset(&mut self) -> Result<Option<i64>, &'static str> {
        self.rest = self.rest.trim();
        if matches!(self.rest, "Z" | "z" | "UTC" | "GMT") {
            self.rest = "";
            return Ok(Some(0));
        }
        let Some(sign) = self.skip(&['+', '-']) else {
            return Ok(None);
        };
        let (hours, _) = self.digits(2).ok_or("the offset has another form")?;
        self.skip(&[':']);
        let minutes = self.digits(2).map_or(0, |(minutes, _)| minutes);
        if hours > 14 || minutes > 59 {
            return Err("there is no such offset");
        }
        let ahead = i64::from(hours * 60 + minutes);
        Ok(Some(if sign == '-' { -ahead } else { ahead }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, order: Order) -> String {
        parse(text, order).map_or_else(|why| format!("! {why}"), Stamp::text)
    }

    #[test]
    fn the_forms_of_loggers_are_read() {
        use Order::{DayFirst, MonthFirst, UnixMilliseconds, UnixSeconds, YearFirst};
        for (text, order, expected) in [
            ("20240601T120000", YearFirst, "2024-06-01 12:00:00.000000"),
            ("202406011205", YearFirst, "2024-06-01 12:05:00.000000"),
            (
                "2024-06-01 12:00:00",
                YearFirst,
                "2024-06-01 12:00:00.000000",
            ),
            (
                "2024_06_01 12:00:00",
                YearFirst,
                "2024-06-01 12:00:00.000000",
            ),
            (
                "2024-06-01T12:00:00.1234567",
                YearFirst,
                "2024-06-01 12:00:00.123456",
            ),
            (
                "2024-06-01T12:00:00+02:00",
                YearFirst,
                "2024-06-01T10:00:00.000000Z",
            ),
            (
                "2024-06-01T12:00Z",
                YearFirst,
                "2024-06-01T12:00:00.000000Z",
            ),
            ("01.06.2024 12:00", DayFirst, "2024-06-01 12:00:00.000000"),
            ("1/6/24 9:05", DayFirst, "2024-06-01 09:05:00.000000"),
            (
                "06/01/2024 1:05 PM",
                MonthFirst,
                "2024-06-01 13:05:00.000000",
            ),
            (
                "31.12.2024 24:00:00",
                DayFirst,
                "2025-01-01 00:00:00.000000",
            ),
            ("29.02.2024", DayFirst, "2024-02-29 00:00:00.000000"),
            ("1717236000", UnixSeconds, "2024-06-01T10:00:00.000000Z"),
            (
                "1717236000500",
                UnixMilliseconds,
                "2024-06-01T10:00:00.500000Z",
            ),
        ] {
            assert_eq!(read(text, order), expected, "{text}");
        }
    }

    #[test]
    fn impossible_times_are_refused() {
        for (text, order) in [
            ("2024-02-31 12:00", Order::YearFirst),
            ("2023-02-29 12:00", Order::YearFirst),
            ("2024-13-01 12:00", Order::YearFirst),
            ("2024-06-01 25:00", Order::YearFirst),
            ("2024-06-01 12:60", Order::YearFirst),
            ("2024-06-01 12:00 x", Order::YearFirst),
            ("2024-06-01x12:00", Order::YearFirst),
            ("01.06.2024", Order::YearFirst),
            ("123", Order::UnixSeconds),
            ("", Order::YearFirst),
        ] {
            assert!(parse(text, order).is_err(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_a_panic(text in ".{0,30}") {
            for order in [Order::YearFirst, Order::DayFirst, Order::MonthFirst, Order::UnixSeconds] {
                let _ = parse(&text, order);
            }
            let _ = parse_time(&text);
        }
    }
}
