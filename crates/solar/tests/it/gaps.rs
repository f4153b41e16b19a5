//! Hours of daylight without readings.

use chrono_tz::{Europe, Tz};
use solar::calendar::{self, DaySpan};
use solar::health::{Gap, HealthQuestion, Surroundings, gaps};
use solar::{LoggerContext, Position, Reading, Series, calibrate, rollup};

use crate::fixtures::assert_near;
use crate::made_up::{bells, date, readings};

const ZONE: Tz = Europe::Berlin;

/// The gaps of the days from `from` to `to`, as local start and hours.
fn found(
    series: &Series,
    context: &LoggerContext,
    (from, to): (&str, &str),
    newest: Option<i64>,
) -> Vec<(String, f64)> {
    let calibration = calibrate(series, context);
    let days = rollup(series, &calibration, context);
    let question = HealthQuestion {
        silent_after: None,
        series,
        window: DaySpan::of_days(date(from), date(to), ZONE),
        days: &days,
        calibration: &calibration,
        context,
        surroundings: Surroundings::default(),
        peers: &[],
    };
    let newest = newest.or(series.time().last().copied()).unwrap_or(0);
    let local = |gap: Gap| {
        let start = calendar::local_time(gap.start, ZONE);
        (start.format("%d %H:%M").to_string(), gap.hours())
    };
    gaps(&question, newest).into_iter().map(local).collect()
}

/// Without the readings for which `lost` holds, by day of the month and hour.
fn without(series: &Series, lost: impl Fn(u32, f64) -> bool) -> Series {
    let kept = |reading: &Reading| {
        use chrono::{Datelike, Timelike};
        let at = calendar::local_time(reading.time - 1, ZONE);
        !lost(
            at.day(),
            f64::from(at.hour()) + f64::from(at.minute()) / 60.0,
        )
    };
    readings(series).filter(kept).collect()
}

#[test]
fn gaps_are_hours_of_daylight_on_days_that_have_readings() {
    let context = LoggerContext::new(ZONE);
    let whole = bells("2024-06-01", 20, ZONE);
    let june = ("2024-06-01", "2024-06-20");
    assert_eq!(found(&whole, &context, june, None), []);
    let gappy = without(&whole, |day, hour| match day {
        // At night, at noon, a whole day, and the evening.
        4 => hour < 3.0,
        5 => (11.0..13.5).contains(&hour),
        7 => true,
        9 => hour >= 15.0,
        _ => false,
    });
    let gaps = found(&gappy, &context, june, None);
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    assert_eq!(gaps[0], ("05 11:00".to_owned(), 2.5));
    assert_eq!(gaps[1].0, "09 15:00");
    assert!((3.0..6.0).contains(&gaps[1].1), "{gaps:?}");
    // A single missing reading is a gap of one step.
    let one = without(&whole, |day, hour| {
        day == 6 && (12.0..12.25).contains(&hour)
    });
    let gaps = found(&one, &context, june, None);
    assert_eq!(gaps, [("06 12:00".to_owned(), 0.25)]);
}

#[test]
fn readings_without_a_power_are_a_gap() {
    let series: Series = readings(&bells("2024-06-01", 10, ZONE))
        .map(|mut reading| {
            let at = calendar::local_time(reading.time - 1, ZONE).to_rfc3339();
            if at.starts_with("2024-06-05T12") {
                reading.power_w = f64::NAN;
            }
            reading
        })
        .collect();
    let gaps = found(
        &series,
        &LoggerContext::new(ZONE),
        ("2024-06-05", "2024-06-05"),
        None,
    );
    assert_eq!(gaps, [("05 12:00".to_owned(), 1.0)]);
}

#[test]
fn what_comes_before_the_first_or_after_the_newest_reading_is_no_gap() {
    let context = LoggerContext::new(ZONE);
    let series = without(&bells("2024-06-01", 10, ZONE), |day, hour| match day {
        1 => hour < 12.0,
        10 => hour >= 12.0,
        _ => false,
    });
    let june = ("2024-06-01", "2024-06-10");
    assert_eq!(found(&series, &context, june, None), []);
    // The others of its site continued.
    let later = series.time().last().map(|last| last + 3 * 3600);
    let gaps = found(&series, &context, june, later);
    assert_eq!(gaps, [("10 12:00".to_owned(), 3.0)]);
}

#[test]
fn without_other_days_the_sun_or_the_day_itself_says_what_daylight_is() {
    let whole = bells("2024-06-01", 1, ZONE);
    let gappy = without(&whole, |_, hour| {
        (11.0..12.0).contains(&hour) || hour >= 16.0
    });
    let day = ("2024-06-01", "2024-06-01");
    let unplaced = LoggerContext::new(ZONE);
    let newest = whole.time().last().copied();
    assert_eq!(
        found(&gappy, &unplaced, day, newest),
        [("01 11:00".to_owned(), 1.0)]
    );
    let placed = LoggerContext {
        position: Some(Position {
            latitude: 52.5,
            longitude: 13.4,
        }),
        ..unplaced
    };
    let gaps = found(&gappy, &placed, day, newest);
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    assert_eq!(gaps[1].0, "01 16:00");
    // Sunset in Berlin is at 21:20.
    assert_near("hours until sunset", gaps[1].1, 5.3, 0.2);
}
