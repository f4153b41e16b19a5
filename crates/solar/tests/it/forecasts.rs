//! Forecasts of the past against the reference.

use solar::forecast::{Basis, DailyEnergies, Trial, Weather, backtest_trials};

use crate::fixtures::{self, Logger};

const LOGGERS: [&str; 3] = ["sdt-30339", "sdt-tae", "serf-east-2016"];

fn history(logger: &Logger) -> DailyEnergies {
    DailyEnergies::of_days(&logger.days, logger.days.last().unwrap().date)
}

/// The trials that the reference made too: those with thirty known days before them.
fn trials(logger: &Logger, horizon: u32) -> Vec<Trial> {
    let history = history(logger);
    let mut trials = backtest_trials(&history, &Weather::default(), horizon, &logger.context);
    trials.retain(|trial| {
        history.kwh[..=trial.origin]
            .iter()
            .filter(|kwh| kwh.is_finite())
            .count()
            >= 30
    });
    trials
}

fn reference(site: &str, logger: &Logger) -> &'static serde_json::Value {
    &fixtures::expected()[site]["forecast"][&logger.name]
}

fn rmse(trials: &[Trial]) -> f64 {
    let squares: f64 = trials
        .iter()
        .map(|trial| (trial.expected_kwh - trial.actual_kwh).powi(2))
        .sum();
    (squares / trials.len() as f64).sqrt()
}

#[test]
fn the_same_days_are_known() {
    for site in LOGGERS {
        let logger = fixtures::one(site);
        let history = history(logger);
        assert_eq!(
            history.known_in_last(usize::MAX) as u64,
            reference(site, logger)["days"].as_u64().unwrap()
        );
    }
}

#[test]
fn forecasts_err_no_more_than_the_reference() {
    for site in LOGGERS {
        let logger = fixtures::one(site);
        let reference = reference(site, logger);
        for horizon in [1, 2, 3, 5, 7] {
            let method = if horizon == 1 { "cliper30" } else { "auto" };
            let expected = &reference["daily"][format!("{method}@{horizon}")];
            let trials = trials(logger, horizon);
            assert_eq!(
                trials.len() as u64,
                expected["n"].as_u64().unwrap(),
                "{site}@{horizon}"
            );
            let most = 1.02 * expected["rmse"].as_f64().unwrap();
            assert!(
                rmse(&trials) <= most,
                "{site}@{horizon}: {} > {most}",
                rmse(&trials)
            );
        }
    }
}

fn rmse_of(trials: &[Trial], forecast: impl Fn(&Trial) -> f64) -> f64 {
    let squares = trials
        .iter()
        .map(|trial| (forecast(trial) - trial.actual_kwh).powi(2));
    (squares.sum::<f64>() / trials.len() as f64).sqrt()
}

/// Root mean square error of the forecasts divided by that of the mean of the 14 days before. Over
/// several series, each counts in units of its own mean day.
fn against_mean14(series: &[&[Trial]]) -> f64 {
    let (mut ours, mut theirs) = (0.0, 0.0);
    for trials in series {
        let usual = trials.iter().map(|trial| trial.actual_kwh).sum::<f64>() / trials.len() as f64;
        let squares = trials.len() as f64 / usual.powi(2);
        ours += squares * rmse(trials).powi(2);
        theirs += squares * rmse_of(trials, |trial| trial.mean14_kwh).powi(2);
    }
    (ours / theirs).sqrt()
}

#[test]
fn the_next_day_errs_a_tenth_less_than_the_mean_of_14_days_and_day_7_no_more() {
    println!("RMSE / RMSE of the 14-day mean (trials)");
    for horizon in 1..=7 {
        let series = LOGGERS.map(|site| trials(fixtures::one(site), horizon));
        let pooled = against_mean14(&series.each_ref().map(Vec::as_slice));
        let row: Vec<String> = LOGGERS
            .iter()
            .zip(&series)
            .map(|(site, trials)| {
                let ratio = against_mean14(&[trials]);
                assert!(horizon < 7 || ratio <= 1.0, "{site}@{horizon}: {ratio}");
                format!("{site} {ratio:.3} ({})", trials.len())
            })
            .collect();
        println!("day {horizon}: {} | pooled {pooled:.3}", row.join(", "));
        assert!(horizon > 1 || pooled <= 0.90, "day 1: {pooled}");
        assert!(horizon < 7 || pooled <= 1.0, "day 7: {pooled}");
    }
}

/// Number of trials with a range, and the share of these with the result inside it.
fn coverage(trials: &[Trial]) -> (usize, f64) {
    let ranged: Vec<bool> = trials
        .iter()
        .filter_map(|trial| {
            let (low, high) = trial.range_kwh?;
            Some((low..=high).contains(&trial.actual_kwh))
        })
        .collect();
    let inside = ranged.iter().filter(|inside| **inside).count();
    (ranged.len(), inside as f64 / ranged.len() as f64)
}

#[test]
fn ranges_hold_what_they_promise() {
    println!("share of days inside the range of 80 % (ranges)");
    for horizon in 1..=7 {
        let series = LOGGERS.map(|site| (site, coverage(&trials(fixtures::one(site), horizon))));
        let count: usize = series.iter().map(|(_, (count, _))| count).sum();
        let inside: f64 = series.iter().map(|(_, (n, share))| share * *n as f64).sum();
        let pooled = inside / count as f64;
        let row: Vec<String> = series
            .iter()
            .map(|(site, (count, share))| format!("{site} {share:.3} ({count})"))
            .collect();
        println!(
            "day {horizon}: {} | pooled {pooled:.3} ({count})",
            row.join(", ")
        );
        for (site, (count, share)) in series {
            assert!(count >= 60, "{site}@{horizon}: {count} ranges");
            assert!((0.75..=0.85).contains(&share), "{site}@{horizon}: {share}");
        }
        assert!((0.75..=0.85).contains(&pooled), "day {horizon}: {pooled}");
    }
}

#[test]
fn a_forecast_knows_nothing_of_the_days_after_it() {
    for site in LOGGERS {
        let logger = fixtures::one(site);
        let history = history(logger);
        let cut = history.kwh.len() - 20;
        let shorter = DailyEnergies {
            kwh: history.kwh[..cut].to_vec(),
            ..history.clone()
        };
        for horizon in [1, 7] {
            let of = |history: &DailyEnergies| -> Vec<Trial> {
                let mut trials =
                    backtest_trials(history, &Weather::default(), horizon, &logger.context);
                trials.retain(|trial| trial.origin + (horizon as usize) < cut);
                trials
            };
            let (long, short) = (of(&history), of(&shorter));
            assert_eq!(long.len(), short.len());
            for (one, other) in long.iter().zip(&short) {
                let ends = |trial: &Trial| trial.range_kwh.unwrap_or_default();
                let same = |a: f64, b: f64| (a - b).abs() < 1e-6;
                assert!(same(one.expected_kwh, other.expected_kwh));
                assert!(same(ends(one).0, ends(other).0) && same(ends(one).1, ends(other).1));
            }
        }
    }
}

/// Numbers that look random and are the same every time, evenly from -1 to 1.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    }
}

/// Forecasts of the irradiation that was, each day for the seven days after it: biased by `bias`,
/// off by more the farther ahead.
fn issued(irradiation: &[f64], first: chrono::NaiveDate, bias: f64, error: f64) -> Weather {
    issued_and_spoilt(irradiation, first, bias, error, &|_, kwh_m2| kwh_m2)
}

/// The same, with what was issued on each day changed by `spoil`.
fn issued_and_spoilt(
    irradiation: &[f64],
    first: chrono::NaiveDate,
    bias: f64,
    error: f64,
    spoil: &dyn Fn(usize, f64) -> f64,
) -> Weather {
    let mut weather = Weather::default();
    let mut noise = noise(7);
    for origin in 0..irradiation.len() {
        for ahead in 1..=7_u32 {
            if let Some(kwh_m2) = irradiation.get(origin + ahead as usize) {
                let off = 1.0 + error * f64::from(ahead).sqrt() * noise();
                let date = |index: usize| first + chrono::Days::new(index as u64);
                weather.insert_forecast(
                    date(origin),
                    date(origin + ahead as usize),
                    spoil(origin, kwh_m2 * bias * off),
                );
            }
        }
    }
    weather
}

/// The fixture with measured irradiation: its days with that, in the order of the history.
fn with_irradiation() -> (&'static Logger, DailyEnergies, Vec<f64>) {
    let logger = fixtures::one("serf-east-2016");
    let history = history(logger);
    let mut irradiation = vec![f64::NAN; history.kwh.len()];
    for day in &logger.days {
        let index = usize::try_from((day.date - history.first).num_days()).unwrap();
        if let Some(place) = irradiation.get_mut(index) {
            *place = day.sun.insolation_kwh_m2;
        }
    }
    (logger, history, irradiation)
}

fn tested(history: &DailyEnergies, weather: &Weather, logger: &Logger, horizon: u32) -> Vec<Trial> {
    let mut trials = backtest_trials(history, weather, horizon, &logger.context);
    trials.retain(|trial| trial.origin >= 40);
    trials
}

#[test]
fn forecast_irradiance_beats_past_production_on_measured_days() {
    let (logger, history, irradiation) = with_irradiation();
    let weather = issued(&irradiation, history.first, 1.15, 0.1);
    for horizon in 1..=7 {
        let with = tested(&history, &weather, logger, horizon);
        let without = tested(&history, &Weather::default(), logger, horizon);
        let by_weather = with.iter().filter(|t| t.basis == Basis::Weather).count();
        let ratio = rmse(&with) / rmse(&without);
        println!(
            "day {horizon}: {ratio:.3} of the error without, {by_weather} of {} days by weather",
            with.len()
        );
        assert!(ratio < 0.9, "day {horizon}: {ratio}");
        assert!(by_weather * 10 >= with.len() * 8);
    }
}

#[test]
fn bad_irradiance_is_no_worse_than_none() {
    let (logger, history, irradiation) = with_irradiation();
    let first = history.first;
    let mut shuffled = irradiation.clone();
    let mut random = noise(3);
    for index in (1..shuffled.len()).rev() {
        let other = (0..index).find(|_| random() > 0.9).unwrap_or(0);
        shuffled.swap(index, other);
    }
    let half = irradiation.len() / 2 + 10;
    let from_half_on = |spoil: &dyn Fn(f64) -> f64| {
        issued_and_spoilt(&irradiation, first, 1.0, 0.1, &|origin, kwh_m2| {
            if origin < half { kwh_m2 } else { spoil(kwh_m2) }
        })
    };
    for (what, bad, allowed) in [
        ("shuffled", issued(&shuffled, first, 1.0, 0.1), 1.02),
        (
            "constant",
            issued(&vec![5.0; irradiation.len()], first, 1.0, 0.0),
            1.02,
        ),
        (
            "zero",
            issued(&vec![0.0; irradiation.len()], first, 1.0, 0.0),
            1.0001,
        ),
        // A source that was good and then fails is better over the whole, and is left when it
        // fails.
        ("in other units", from_half_on(&|kwh| 1000.0 * kwh), 1.0001),
        ("gone dark", from_half_on(&|_| 0.0), 1.0001),
        ("stuck", from_half_on(&|_| 1.5), 1.02),
        // Forecasts issued seven days ahead, before the failure was known, remain.
        ("far too low", from_half_on(&|kwh| 0.3 * kwh), 1.12),
    ] {
        for horizon in [1, 3, 7] {
            let with = tested(&history, &bad, logger, horizon);
            let without = tested(&history, &Weather::default(), logger, horizon);
            let ratio = rmse(&with) / rmse(&without);
            println!("{what}, day {horizon}: {ratio:.3} of the error without");
            assert!(ratio <= allowed, "{what}, day {horizon}: {ratio}");
        }
    }
}

#[test]
fn forecast_irradiance_helps_a_made_up_plant_whatever_its_response() {
    let mut random = noise(11);
    let irradiation: Vec<f64> = (0..200)
        .map(|day| 4.5 + 1.5 * (f64::from(day) / 60.0).sin() + 2.0 * random())
        .collect();
    // An inverter that clips, and consumption at night.
    let kwh: Vec<f64> = irradiation
        .iter()
        .map(|sun| (5.0 * sun - 0.8 + 0.6 * random()).min(27.0))
        .collect();
    let history = DailyEnergies {
        first: "2025-01-01".parse().unwrap(),
        kwh,
        source: None,
    };
    let weather = issued(&irradiation, history.first, 0.8, 0.1);
    let context = solar::LoggerContext::new(chrono_tz::UTC);
    for horizon in 1..=7 {
        let with = backtest_trials(&history, &weather, horizon, &context);
        let without = backtest_trials(&history, &Weather::default(), horizon, &context);
        let ratio = rmse(&with[60..]) / rmse(&without[60..]);
        let (count, share) = coverage(&with[60..]);
        println!("day {horizon}: {ratio:.3} of the error without, {share:.3} inside ({count})");
        assert!(ratio < 0.7, "day {horizon}: {ratio}");
        assert!((0.75..=0.85).contains(&share), "day {horizon}: {share}");
    }
}
