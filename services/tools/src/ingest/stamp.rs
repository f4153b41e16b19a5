//! Time stamps of readings: RFC 3339, `2025-12-04 12:00[:30[.5]]`, `04.12.2025 12:00[:30]` and Unix
//! seconds.
//!
//! A stamp without an offset is local time and needs a zone. Where clocks go back, a local time
//! happens twice: both instants are given, and the order of the rows says which one it is. Where
//! they go forward, it does not happen at all: the reading is refused.

use chrono::{
    DateTime, Datelike as _, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone,
    Utc,
};
use chrono_tz::Tz;

/// The first second that a reading may have: 1970-01-01 in UTC.
const EARLIEST: i64 = 0;
/// The first second that no reading may have: 2200-01-01 in UTC.
const END: i64 = 7_258_118_400;

/// The instant of a stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Once(DateTime<Utc>),
    /// The earlier and the later of two.
    Twice(DateTime<Utc>, DateTime<Utc>),
}

/// Which instants are taken, and how stamps without an offset are read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StampRules {
    /// The zone of local times; `None` refuses them.
    pub(super) zone: Option<Tz>,
    /// Earlier stamps are refused: they come from clocks that were not set, which start in 1970
    /// or 1980.
    pub(super) earliest: Option<DateTime<Utc>>,
    /// Later stamps are refused: one reading from next year would move what "now" is for its site.
    pub(super) latest: Option<DateTime<Utc>>,
}

impl StampRules {
    /// The instant that a stamp names, or why it names none.
    pub(super) fn instant(&self, text: &str) -> Result<When, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("the time stamp is empty".to_owned());
        }
        let when = match parse(text) {
            Some(Stamp::Instant(at)) => When::Once(at),
            Some(Stamp::Local(local)) => self.resolve(local, text)?,
            None => return Err(unreadable(text)),
        };
        let (When::Once(at) | When::Twice(at, _)) = when;
        if !(EARLIEST..END).contains(&at.timestamp()) {
            let first = self.earliest.map_or(1970, |earliest| earliest.year());
            return Err(format!(
                "the time stamp {text:?} is not between {first} and 2200"
            ));
        }
        if let Some(earliest) = self.earliest.filter(|earliest| at < *earliest) {
            return Err(format!(
                "the time stamp {text:?} lies before {}; was the logger's clock not set? If the reading is that old, say so with `earliest`",
                earliest.date_naive()
            ));
        }
        match self.latest {
            Some(latest) if at > latest => Err(format!(
                "the time stamp {text:?} lies in the future; is the logger's clock or the time zone right?"
            )),
            _ => Ok(when),
        }
    }

    fn resolve(&self, local: NaiveDateTime, text: &str) -> Result<When, String> {
        let Some(zone) = self.zone else {
            return Err(format!(
                "the time stamp {text:?} has no offset; name its zone with `timezone`"
            ));
        };
        match zone.from_local_datetime(&local) {
            LocalResult::Single(at) => Ok(When::Once(at.to_utc())),
            LocalResult::Ambiguous(earlier, later) => {
                Ok(When::Twice(earlier.to_utc(), later.to_utc()))
            }
            LocalResult::None => Err(format!(
                "the time {text:?} does not exist in {zone}: clocks go forward there"
            )),
        }
    }
}

fn unreadable(text: &str) -> String {
    let shown: String = text.chars().take(40).collect();
    format!("the time stamp {shown:?} is in none of the known formats")
}

enum Stamp {
    Instant(DateTime<Utc>),
    Local(NaiveDateTime),
}

fn parse(text: &str) -> Option<Stamp> {
    let bytes = text.as_bytes();
    match bytes {
        [_, _, _, _, b'-', ..] => parse_iso(bytes),
        [_, _, b'.', ..] => parse_dotted(bytes),
        _ => parse_unix(text),
    }
}

/// `YYYY-MM-DD`, then `T` or a blank, the time, and an offset where there is one.
fn parse_iso(bytes: &[u8]) -> Option<Stamp> {
    let (date, rest) = bytes.split_at_checked(10)?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *date else {
        return None;
    };
    let year = number(&[y1, y2, y3, y4])?;
    let date = date_of(year, number(&[m1, m2])?, number(&[d1, d2])?)?;
    let (separator, rest) = rest.split_first()?;
    if !matches!(separator, b'T' | b't' | b' ') {
        return None;
    }
    let (time, rest) = parse_time(rest)?;
    let local = date.and_time(time);
    match rest.trim_ascii_start() {
        [] => Some(Stamp::Local(local)),
        offset => {
            let ahead = parse_offset(offset)?;
            Some(Stamp::Instant(local.checked_sub_signed(ahead)?.and_utc()))
        }
    }
}

/// `DD.MM.YYYY`, a blank, the time.
fn parse_dotted(bytes: &[u8]) -> Option<Stamp> {
    let (date, rest) = bytes.split_at_checked(10)?;
    let [d1, d2, b'.', m1, m2, b'.', y1, y2, y3, y4] = *date else {
        return None;
    };
    let year = number(&[y1, y2, y3, y4])?;
    let date = date_of(year, number(&[m1, m2])?, number(&[d1, d2])?)?;
    let (time, rest) = parse_time(rest.strip_prefix(b" ")?)?;
    rest.is_empty().then(|| Stamp::Local(date.and_time(time)))
}

/// Seconds since 1970. Shorter numbers could as well be a date written without separators.
fn parse_unix(text: &str) -> Option<Stamp> {
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let digits = (9..=11).contains(&whole.len()) && whole.bytes().all(|byte| byte.is_ascii_digit());
    if !digits {
        return None;
    }
    let seconds: i64 = whole.parse().ok()?;
    let nanos = match text.as_bytes().get(whole.len() + 1..) {
        Some(fraction) => parse_fraction(fraction)?,
        None => 0,
    };
    DateTime::from_timestamp(seconds, nanos).map(Stamp::Instant)
}

/// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.fff`, and what follows it.
fn parse_time(bytes: &[u8]) -> Option<(NaiveTime, &[u8])> {
    let (clock, rest) = bytes.split_at_checked(5)?;
    let [h1, h2, b':', m1, m2] = *clock else {
        return None;
    };
    let (hour, minute) = (number(&[h1, h2])?, number(&[m1, m2])?);
    let [b':', s1, s2, rest @ ..] = rest else {
        return Some((NaiveTime::from_hms_opt(hour, minute, 0)?, rest));
    };
    let second = number(&[*s1, *s2])?;
    let (nanos, rest) = match rest {
        [b'.' | b',', rest @ ..] => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (parse_fraction(&rest[..digits])?, &rest[digits..])
        }
        _ => (0, rest),
    };
    Some((
        NaiveTime::from_hms_nano_opt(hour, minute, second, nanos)?,
        rest,
    ))
}

/// The digits after the point as nanoseconds, cut to the microseconds that the database keeps.
fn parse_fraction(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let micros = (0..6).fold(0, |sum, place| {
        sum * 10 + digits.get(place).map_or(0, |digit| u32::from(digit - b'0'))
    });
    Some(micros * 1000)
}

/// `Z`, `+01:00`, `+0100` or `+01`.
fn parse_offset(bytes: &[u8]) -> Option<TimeDelta> {
    if matches!(bytes, b"Z" | b"z") {
        return Some(TimeDelta::zero());
    }
    let (sign, rest) = bytes.split_first()?;
    let (hours, minutes) = match *rest {
        [h1, h2] => (number(&[h1, h2])?, 0),
        [h1, h2, m1, m2] | [h1, h2, b':', m1, m2] => (number(&[h1, h2])?, number(&[m1, m2])?),
        _ => return None,
    };
    if hours > 23 || minutes > 59 {
        return None;
    }
    let ahead = TimeDelta::minutes(i64::from(hours * 60 + minutes));
    match sign {
        b'+' => Some(ahead),
        b'-' => Some(-ahead),
        _ => None,
    }
}

fn date_of(year: u32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, digit| {
        digit
            .is_ascii_digit()
            .then(|| sum * 10 + u32::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, zone: Option<Tz>) -> Result<String, String> {
        let rules = StampRules {
            zone,
            ..StampRules::default()
        };
        let told = |at: DateTime<Utc>| at.format("%FT%T%.fZ").to_string();
        rules.instant(text).map(|when| match when {
            When::Once(at) => told(at),
            When::Twice(earlier, later) => format!("{} or {}", told(earlier), told(later)),
        })
    }

    #[test]
    fn stamps_with_an_offset_need_no_zone() {
        for (text, expected) in [
            ("2025-12-04T12:00:00Z", "2025-12-04T12:00:00Z"),
            ("2025-12-04t12:00:00z", "2025-12-04T12:00:00Z"),
            ("2025-12-04T12:00:00+01:00", "2025-12-04T11:00:00Z"),
            ("2025-12-04 12:00:00-0730", "2025-12-04T19:30:00Z"),
            ("2025-12-04 12:00:00 +02", "2025-12-04T10:00:00Z"),
            ("2025-12-04T12:00+00:00", "2025-12-04T12:00:00Z"),
            (
                "2025-12-04T12:00:00.1234567Z",
                "2025-12-04T12:00:00.123456Z",
            ),
            ("1764849600", "2025-12-04T12:00:00Z"),
            ("1764849600.5", "2025-12-04T12:00:00.500Z"),
        ] {
            assert_eq!(read(text, None).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn local_stamps_are_read_in_the_named_zone() {
        let zone = Some(chrono_tz::Europe::Zurich);
        for text in [
            "2025-12-04 12:00",
            "2025-12-04T12:00:00",
            "04.12.2025 12:00",
            " 04.12.2025 12:00:00 ",
        ] {
            assert_eq!(
                read(text, zone).as_deref(),
                Ok("2025-12-04T11:00:00Z"),
                "{text}"
            );
        }
        assert!(
            read("2025-12-04 12:00", None)
                .unwrap_err()
                .contains("`timezone`")
        );
    }

    #[test]
    fn a_local_time_that_happens_twice_is_one_of_two_instants() {
        let zone = Some(chrono_tz::Europe::Zurich);
        assert_eq!(
            read("2025-10-26 02:30", zone).unwrap(),
            "2025-10-26T00:30:00Z or 2025-10-26T01:30:00Z"
        );
    }

    #[test]
    fn a_local_time_that_does_not_happen_is_refused() {
        let refused = read("2025-03-30 02:30", Some(chrono_tz::Europe::Zurich));
        assert!(
            refused
                .unwrap_err()
                .contains("does not exist in Europe/Zurich")
        );
    }

    #[test]
    fn nonsense_is_refused() {
        let zone = Some(chrono_tz::UTC);
        for text in [
            "",
            "yesterday",
            "2025-13-01 00:00",
            "2025-02-30 00:00",
            "2025-12-04",
            "2025-12-04 25:00",
            "2025-12-04 12:60",
            "2025-12-04 12:00:60",
            "2025-12-04 12:00:00x",
            "2025-12-04T12:00:00+25:00",
            "2025-12-04T12:00:00.Z",
            "20251204",
            "-1764849600",
            "1764849600000",
            "99999999999",
            "1969-12-31T23:59:59Z",
            "2200-01-01T00:00:00Z",
            "2025-12-04é12:00",
            "4.12.2025 12:00",
            "04.12.2025 12:00 Z",
            "１764849600",
        ] {
            assert!(read(text, zone).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_future_is_refused() {
        let latest = DateTime::from_timestamp(1_764_849_600, 0);
        let rules = StampRules {
            latest,
            ..StampRules::default()
        };
        assert!(rules.instant("2025-12-04T12:00:00Z").is_ok());
        let refused = rules.instant("2025-12-04T12:00:01Z").unwrap_err();
        assert!(refused.contains("future"), "{refused}");
    }

    #[test]
    fn the_time_of_a_clock_that_was_not_set_is_refused() {
        let rules = StampRules {
            earliest: "1985-01-01T00:00:00Z".parse().ok(),
            ..StampRules::default()
        };
        for text in ["1970-01-01T00:00:00Z", "1980-01-06T00:00:00Z"] {
            let refused = rules.instant(text).unwrap_err();
            assert!(refused.contains("before 1985-01-01"), "{refused}");
            assert!(refused.contains("`earliest`"), "{refused}");
        }
        assert!(rules.instant("1985-01-01T00:00:00Z").is_ok());
        for text in ["1969-12-31T23:00:00Z", "2200-01-01T00:00:00Z"] {
            let refused = rules.instant(text).unwrap_err();
            assert!(refused.contains("not between 1985 and 2200"), "{refused}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_a_panic(text in ".{0,40}") {
            let _ = read(&text, Some(chrono_tz::Europe::Zurich));
        }

        #[test]
        fn what_chrono_writes_is_read_back(seconds in EARLIEST..END, offset in -14 * 3600..14 * 3600i32) {
            let offset = chrono::FixedOffset::east_opt(offset / 60 * 60).unwrap();
            let at = DateTime::from_timestamp(seconds, 0).unwrap();
            let text = at.with_timezone(&offset).to_rfc3339();
            let rules = StampRules::default();
            proptest::prop_assert_eq!(rules.instant(&text), Ok(When::Once(at)));
        }
    }
}
