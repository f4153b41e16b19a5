//! Laws that hold for any input.

use chrono_tz::{America, Asia, Europe, Tz};
use proptest::prelude::*;
use solar::{
    Calibration, Carry, DayFigures, LoggerContext, Reading, Series, calendar, calibrate,
    day_figures, rollup,
};

use crate::fixtures;

const ZONES: [Tz; 4] = [Tz::UTC, America::Denver, Europe::Berlin, Asia::Kolkata];

/// Days without readings in between, steps that wander, glitches, registers that reset or do not.
fn any_series() -> impl Strategy<Value = Series> {
    let power = prop_oneof![
        6 => 0.0..5000.0_f64,
        2 => Just(0.0),
        1 => Just(f64::NAN),
        1 => Just(-1e9),
        1 => -40.0..0.0_f64,
    ];
    let gap =
        prop_oneof![20 => Just(1800_i64), 2 => Just(3600), 2 => Just(1700), 1 => 7200..300_000_i64];
    let register = prop_oneof![6 => 0.0..30.0_f64, 1 => Just(f64::NAN), 1 => 0.0..900.0_f64];
    let irradiance = prop_oneof![5 => 0.0..1100.0_f64, 1 => Just(f64::NAN)];
    let row = (gap, power, register, irradiance, 0.0..3.0_f64);
    // A Sunday in March 2024: the clocks of Berlin change a few days in.
    (0..86_400_i64, proptest::collection::vec(row, 1..400)).prop_map(|(offset, rows)| {
        let (mut time, mut lifetime) = (1_711_238_400 + offset, 5000.0);
        rows.into_iter()
            .map(|(gap, power_w, daily_kwh, irradiance, rise)| {
                time += gap;
                lifetime += rise;
                Reading {
                    time,
                    power_w,
                    daily_kwh,
                    lifetime_kwh: lifetime,
                    irradiance,
                    module_c: 30.0,
                }
            })
            .collect()
    })
}

fn context() -> impl Strategy<Value = LoggerContext> {
    proptest::sample::select(&ZONES[..]).prop_map(LoggerContext::new)
}

/// Each day from its own rows and the carry that the day before left.
fn day_by_day(
    series: &Series,
    calibration: &Calibration,
    context: &LoggerContext,
) -> Vec<DayFigures> {
    let (Some(&first), Some(&last)) = (series.time().first(), series.time().last()) else {
        return Vec::new();
    };
    let span = calendar::DaySpan::of_days(
        calendar::local_day(first, context.zone),
        calendar::local_day(last, context.zone),
        context.zone,
    );
    let mut carry = Carry::default();
    let mut days = Vec::new();
    for date in span.dates() {
        let day = calendar::DaySpan::of_day(date, context.zone);
        let rows = series.between(day.after, day.until);
        let (figures, closing) = day_figures(&rows, date, &carry, calibration, context);
        carry = closing;
        days.extend(figures);
    }
    days
}

proptest! {
    #[test]
    fn day_by_day_gives_the_figures_of_the_whole(series in any_series(), context in context()) {
        let calibration = calibrate(&series, &context);
        prop_assert_eq!(day_by_day(&series, &calibration, &context), rollup(&series, &calibration, &context));
    }

    #[test]
    fn a_rollup_can_be_taken_up_anywhere(series in any_series(), context in context(), pick in any::<proptest::sample::Index>()) {
        let calibration = calibrate(&series, &context);
        let whole = rollup(&series, &calibration, &context);
        prop_assume!(!whole.is_empty());
        let date = whole[pick.index(whole.len())].date;
        let span = calendar::DaySpan::of_day(date, context.zone);
        let carry = Carry::of_rows(&series.between(i64::MIN, span.after), &calibration, &context);
        let (day, _) = day_figures(&series, date, &carry, &calibration, &context);
        prop_assert_eq!(day.as_ref(), whole.iter().find(|day| day.date == date));
    }

    #[test]
    fn the_zone_moves_energy_between_days_but_makes_none(series in any_series()) {
        let calibration = calibrate(&series, &LoggerContext::new(Tz::UTC));
        prop_assume!(calibration.step_hours < 12.0);
        let total = |zone: Tz| -> f64 {
            rollup(&series, &calibration, &LoggerContext::new(zone)).iter().map(|day| day.power_kwh).sum()
        };
        for zone in ZONES {
            prop_assert!((total(zone) - total(Tz::UTC)).abs() <= 1e-6);
        }
    }

    #[test]
    fn shares_stay_between_nothing_and_all(series in any_series(), context in context()) {
        let calibration = calibrate(&series, &context);
        for day in rollup(&series, &calibration, &context) {
            prop_assert!((0.0..=1.0).contains(&day.completeness));
            prop_assert!(day.power_kwh >= 0.0 && day.night_import_kwh >= 0.0 && day.hole_hours >= 0.0);
            prop_assert!(day.valid + day.null_power + day.dropped == day.records);
            prop_assert!(day.daily_register_kwh.is_none_or(|kwh| kwh >= 0.0));
            prop_assert!(day.peak_w.is_none_or(|peak| peak <= 2.0 * calibration.robust_peak_w.max(1e8)));
        }
    }
}

#[test]
fn day_by_day_gives_the_figures_of_the_whole_on_measured_data() {
    for logger in fixtures::all() {
        let days = day_by_day(&logger.series, &logger.calibration, &logger.context);
        assert!(days == logger.days, "{}", logger.name);
    }
}

#[test]
fn stored_figures_come_back_as_they_were() {
    for logger in fixtures::all() {
        let json = serde_json::to_string(&logger.calibration).unwrap();
        let back: Calibration = serde_json::from_str(&json).unwrap();
        assert!((back.robust_peak_w - logger.calibration.robust_peak_w).abs() < 1e-9);
        assert!(back.keeps_days_of(&logger.calibration));
        for day in &logger.days {
            let back: DayFigures =
                serde_json::from_str(&serde_json::to_string(day).unwrap()).unwrap();
            assert_eq!(
                (back.date, back.records, back.peak_time),
                (day.date, day.records, day.peak_time)
            );
            assert!((back.power_kwh - day.power_kwh).abs() < 1e-9);
        }
    }
}
