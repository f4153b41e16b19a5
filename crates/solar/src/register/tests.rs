//! Registers on made days.

use chrono::NaiveDate;

use super::lifetime::LifetimeDay;
use super::*;

const PEAK_W: f64 = 5000.0;

const PEAK: Peak = Peak {
    w: PEAK_W,
    of_power: true,
};

const UNKNOWN: Peak = Peak {
    w: 0.0,
    of_power: false,
};

fn opening(previous_kwh: Option<f64>) -> Opening {
    Opening {
        midnight: 0,
        until: 24 * 3600,
        previous_kwh,
    }
}

fn hours(readings: &[(i64, f64)]) -> Vec<(i64, f64)> {
    readings
        .iter()
        .map(|&(hour, kwh)| (hour * 3600, kwh))
        .collect()
}

fn daily(readings: &[(i64, f64)], previous: Option<f64>) -> Option<f64> {
    daily_energy(&hours(readings), &opening(previous), PEAK).map(|day| day.energy_kwh)
}

fn near(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
}

#[test]
fn a_daily_register_counts_from_its_reset_although_the_day_opens_with_yesterdays_value() {
    assert_eq!(
        daily(
            &[(1, 30.0), (5, 30.0), (6, 0.0), (12, 15.0), (20, 28.0)],
            Some(30.0)
        ),
        Some(28.0)
    );
    assert_eq!(daily(&[(1, 30.0), (23, 30.0)], Some(30.0)), Some(0.0));
}

#[test]
fn a_register_that_is_reset_seconds_before_midnight_keeps_its_day() {
    // 0.1 was there at the midnight before, and 0.0 is there at the next.
    let readings = [
        (0, 0.1),
        (1, 0.1),
        (8, 2.0),
        (12, 20.0),
        (18, 40.1),
        (24, 0.0),
    ];
    near(daily(&readings[1..], Some(0.0)), 40.1);
    let day = daily_energy(&hours(&readings[1..]), &opening(Some(0.0)), PEAK).unwrap();
    assert!(day.closing_kwh.abs() < 1e-9);
    // The day before ended with the 0.1, which is this day's.
    let before = [(8, 3.0), (18, 30.0), (24, 0.1)];
    let before = daily_energy(&hours(&before), &opening(Some(0.0)), PEAK).unwrap();
    assert_eq!((before.energy_kwh, before.closing_kwh), (30.0, 0.0));
}

#[test]
fn a_register_of_another_zone_counts_on_both_sides_of_its_reset() {
    // Reset at 17:00 local: 3 kWh since then were there at midnight, 30 follow, and 3 more
    // after the reset.
    let readings = [
        (1, 3.0),
        (7, 3.0),
        (10, 10.0),
        (13, 25.0),
        (16, 33.0),
        (17, 0.0),
        (20, 3.0),
        (24, 3.0),
    ];
    near(daily(&readings, Some(3.0)), 33.0);
}

#[test]
fn a_register_that_is_read_in_the_evening_only_tells_the_day() {
    near(daily(&[(20, 40.0), (24, 0.0)], Some(38.0)), 40.0);
    near(daily(&[(20, 20.0)], None), 20.0);
    // Still yesterday's, as no device makes that much in an hour.
    near(daily(&[(1, 30.0), (5, 30.0)], Some(20.0)), 0.0);
}

#[test]
fn an_inverter_that_starts_anew_at_noon_adds_up() {
    near(
        daily(
            &[
                (6, 0.0),
                (9, 8.0),
                (12, 20.0),
                (13, 0.0),
                (15, 7.0),
                (18, 12.0),
            ],
            Some(30.0),
        ),
        32.0,
    );
}

#[test]
fn a_day_that_opens_with_a_glitch_does_not_count_the_day_before() {
    let stale = [
        (1, 0.0),
        (2, 20.0),
        (3, 20.0),
        (4, 20.0),
        (5, 20.0),
        (6, 0.0),
        (12, 9.0),
    ];
    near(daily(&stale, Some(20.0)), 9.0);
}

#[test]
fn a_value_that_is_stuck_beyond_the_possible_adds_nothing() {
    let readings = [
        (6, 0.0),
        (9, 8.0),
        (10, 6553.5),
        (11, 6553.5),
        (12, 6553.5),
        (13, 16.0),
        (14, 18.0),
    ];
    near(daily(&readings, Some(30.0)), 18.0);
}

#[test]
fn a_register_that_counts_more_than_the_power_is_believed_up_to_three_times() {
    // Quarters of an hour at the peak, counted 1.3 and 2.8 times.
    for factor in [1.3, 2.8] {
        let quarters = |steps: i32| f64::from(steps) * 1.25 * factor;
        let readings: Vec<(i64, f64)> = (0..=24)
            .map(|step| (8 * 3600 + i64::from(step) * 900, quarters(step)))
            .collect();
        let day = daily_energy(&readings, &opening(Some(30.0)), PEAK).unwrap();
        near(Some(day.energy_kwh), quarters(24));
        assert!(!day.refused);
    }
}

#[test]
fn a_display_that_stood_still_catches_up() {
    let still = [(8, 2.0), (9, 4.0), (10, 4.0), (11, 4.0), (12, 4.0)];
    let mut readings = hours(&still);
    // Shown at once, and shown from then on.
    readings.extend([(45_000, 29.0), (46_800, 31.0), (54_000, 40.0)]);
    let day = daily_energy(&readings, &opening(Some(30.0)), PEAK).unwrap();
    near(Some(day.energy_kwh), 40.0);
    assert!(!day.refused);
    // It was a glitch after all: the register shows again what it showed before.
    readings.extend([(55_800, 5.0), (57_600, 6.0)]);
    let day = daily_energy(&readings, &opening(Some(30.0)), PEAK).unwrap();
    near(Some(day.energy_kwh), 6.0);
}

#[test]
fn a_rise_that_nothing_can_have_made_is_refused_and_the_day_says_so() {
    let day = |readings: &[(i64, f64)]| {
        daily_energy(&hours(readings), &opening(Some(30.0)), PEAK).unwrap()
    };
    let swapped = day(&[(6, 0.0), (9, 8.0), (10, 400.0), (11, 403.0), (14, 410.0)]);
    assert_eq!((swapped.energy_kwh, swapped.refused), (18.0, true));
    let other_counter = day(&[(6, 0.0), (9, 8.0), (12, 300.0), (13, 301.0), (14, 100.0)]);
    assert!(other_counter.refused);
    // A single reading that is out of place takes nothing away.
    let spike = day(&[(6, 0.0), (9, 8.0), (10, 400.0), (11, 12.0), (14, 20.0)]);
    assert_eq!((spike.energy_kwh, spike.refused), (20.0, false));
    // What the register still shows of the day before is not of this day, and nothing is lost.
    let stale = day(&[(1, 29.0), (5, 29.0), (6, 0.0), (12, 15.0)]);
    assert_eq!((stale.energy_kwh, stale.refused), (15.0, false));
}

#[test]
fn glitches_add_nothing() {
    // Down to zero and back, and up beyond what the device can deliver.
    let readings = [
        (6, 0.0),
        (9, 8.0),
        (10, 0.0),
        (11, 12.0),
        (12, 400.0),
        (13, 16.0),
    ];
    assert_eq!(daily(&readings, Some(30.0)), Some(16.0));
    assert_eq!(daily(&[], Some(30.0)), None);
}

fn date(day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2024, 5, day).unwrap()
}

/// The readings one hour after the other.
fn lifetime(
    shown: &[f64],
    date: NaiveDate,
    before: Option<LifetimeReading>,
    power_kwh: f64,
) -> LifetimeDay {
    let readings: Vec<(i64, f64)> = shown
        .iter()
        .zip(1..)
        .map(|(kwh, hour)| (3600 * hour, *kwh))
        .collect();
    lifetime_energy(&readings, (date, 0), before, power_kwh, PEAK)
}

fn before(day: u32, kwh: f64) -> LifetimeReading {
    LifetimeReading {
        date: date(day),
        kwh,
        ahead_kwh: 0.0,
    }
}

#[test]
fn a_lifetime_register_counts_from_yesterdays_last_reading() {
    let day = lifetime(
        &[1001.0, 1010.0, 1020.0],
        date(2),
        Some(before(1, 1000.0)),
        20.0,
    );
    assert_eq!(
        (day.energy_kwh, day.unallocated_kwh, day.suspect),
        (Some(20.0), 0.0, false)
    );
}

#[test]
fn what_it_gained_over_lost_days_belongs_to_no_day() {
    let day = lifetime(&[1090.0, 1110.0], date(7), Some(before(1, 1000.0)), 20.0);
    assert_eq!((day.energy_kwh, day.unallocated_kwh), (Some(20.0), 90.0));
}

#[test]
fn what_was_counted_while_it_stood_still_is_not_counted_again() {
    let stood = |ahead_kwh| {
        Some(LifetimeReading {
            ahead_kwh,
            ..before(1, 1000.0)
        })
    };
    let energy = |readings: &[f64], ahead_kwh, power_kwh| {
        lifetime(readings, date(2), stood(ahead_kwh), power_kwh)
    };
    // It catches up over night, or in the middle of the day.
    for readings in [[1021.0, 1030.0, 1041.0], [1000.0, 1032.0, 1041.0]] {
        let day = energy(&readings, 20.0, 20.5);
        assert_eq!((day.energy_kwh, day.ahead_kwh), (Some(21.0), 0.0));
    }
    // After four days it shows more than a day can make.
    let day = energy(&[1600.0, 1610.0], 590.0, 20.0);
    assert_eq!((day.energy_kwh, day.suspect), (Some(20.0), false));
    // It continues from where it stood.
    let day = energy(&[1000.0, 1005.0, 1010.0, 1016.0, 1021.0], 20.0, 20.5);
    assert_eq!((day.energy_kwh, day.ahead_kwh), (Some(21.0), 20.0));
    // Days without readings follow: what it gained beyond the days that were counted.
    let later = |readings: &[f64]| {
        let day = lifetime(readings, date(5), stood(20.0), 20.0);
        (day.energy_kwh, day.unallocated_kwh)
    };
    assert_eq!(later(&[1060.0, 1080.0]), (Some(20.0), 40.0));
    assert_eq!(
        later(&[1000.0, 1005.0, 1010.0, 1015.0, 1020.0]),
        (Some(20.0), 0.0)
    );
}

#[test]
fn impossible_rises_and_falls_are_suspect() {
    assert!(lifetime(&[5000.0, 5001.0], date(2), Some(before(1, 1000.0)), 20.0).suspect);
    assert!(lifetime(&[10.0, 11.0], date(2), Some(before(1, 1000.0)), 20.0).suspect);
    let swapped = lifetime(&[10.0, 12.0], date(9), Some(before(1, 1000.0)), 20.0);
    assert_eq!(
        (swapped.energy_kwh, swapped.unallocated_kwh),
        (Some(2.0), 0.0)
    );
}

#[test]
fn a_register_that_is_reset_counts_before_and_after() {
    let yesterday = Some(before(1, 1000.0));
    // Within the day, to a count that is not zero, twice, and over night.
    for (shown, energy) in [
        (&[1004.0, 1010.0, 0.5, 2.0, 6.5][..], 16.0),
        (&[1004.0, 1010.0, 1012.0, 400.0, 403.0, 409.0], 21.0),
        (&[1004.0, 1010.0, 0.5, 4.5, 9.0, 0.2, 3.2, 5.2], 23.5),
        (&[3.0, 9.0, 12.0], 9.0),
        // Up, as another device counts on.
        (&[1004.0, 1010.0, 5000.0, 5003.0, 5009.0], 19.0),
    ] {
        let day = lifetime(shown, date(2), yesterday, 0.0);
        assert_eq!(
            (day.energy_kwh, day.suspect, day.last_kwh),
            (Some(energy), true, shown.last().copied()),
            "{shown:?}"
        );
        // The power counts what the step over the reset leaves out.
        assert_eq!(lifetime(shown, date(2), yesterday, 24.0).energy_kwh, None);
    }
}

#[test]
fn a_lifetime_register_that_falls_and_comes_back_was_not_reset() {
    let yesterday = Some(before(1, 1000.0));
    for shown in [
        &[1004.0, 960.0, 1010.0, 1020.0][..],
        &[1004.0, 12.0, 12.0, 12.0, 12.0, 1016.0, 1020.0],
        &[1004.0, 1050.0, 1006.0, 1020.0],
        &[1004.0, 1003.5, 1020.0],
    ] {
        let day = lifetime(shown, date(2), yesterday, 20.0);
        assert_eq!(
            (day.energy_kwh, day.suspect),
            (Some(20.0), false),
            "{shown:?}"
        );
    }
    // Nothing is known of the power.
    let quarters = |shown: &[f64]| -> Vec<(i64, f64)> {
        shown
            .iter()
            .zip(1..)
            .map(|(kwh, quarter)| (900 * quarter, *kwh))
            .collect()
    };
    let day =
        |shown: &[f64]| lifetime_energy(&quarters(shown), (date(2), 0), yesterday, 0.0, UNKNOWN);
    assert_eq!(
        day(&[1004.0, 12.0, 12.0, 12.0, 1016.0, 1020.0]).energy_kwh,
        Some(20.0)
    );
    assert_eq!(day(&[1004.0, 1010.0, 0.5, 2.0, 6.5]).energy_kwh, Some(16.0));
}

#[test]
fn a_reading_far_from_its_neighbours_is_no_reading() {
    let day = lifetime(
        &[0.0, 1001.0, 1002.0, 9e9, 1003.0, 0.0],
        date(2),
        Some(before(1, 1000.0)),
        20.0,
    );
    assert_eq!(day.energy_kwh, Some(3.0));
}

#[test]
fn a_register_that_never_resets_is_found_out() {
    let ends = |first: f64, last: f64| DayEnds {
        first,
        last,
        falls: false,
    };
    let rising = [ends(900.0, 920.0), ends(920.0, 941.0), ends(941.0, 950.0)];
    assert_eq!(detect_kind(&rising, PEAK_W), RegisterKind::Lifetime);
    assert_eq!(
        detect_kind(&[ends(0.0, 20.0), ends(0.0, 22.0)], PEAK_W),
        RegisterKind::Daily
    );
    assert_eq!(detect_kind(&[], PEAK_W), RegisterKind::None);
}
