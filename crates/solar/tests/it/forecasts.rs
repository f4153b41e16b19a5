//! Forecasts of the past against the reference.

use solar::forecast::{DailyEnergies, Trial, backtest_trials};

use crate::fixtures::{self, Logger};

const LOGGERS: [&str; 3] = ["sdt-30339", "sdt-tae", "serf-east-2016"];

fn history(logger: &Logger) -> DailyEnergies {
    DailyEnergies::of_days(&logger.days, logger.days.last().unwrap().date)
}

/// The trials that the reference made too: those with thirty known days before them.
fn trials(logger: &Logger, horizon: u32) -> Vec<Trial> {
    let history = history(logger);
    let mut trials = backtest_trials(&history, horizon, &logger.context);
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

#[test]
fn ranges_hold_what_they_promise() {
    let mut checked = 0;
    for site in LOGGERS {
        let logger = fixtures::one(site);
        for horizon in 1..=7 {
            let ranged: Vec<(f64, (f64, f64))> = trials(logger, horizon)
                .iter()
                .filter_map(|trial| Some((trial.actual_kwh, trial.range_kwh?)))
                .collect();
            if ranged.len() < 90 {
                continue;
            }
            let inside = ranged
                .iter()
                .filter(|(actual, (low, high))| (low..=high).contains(&actual))
                .count();
            let coverage = inside as f64 / ranged.len() as f64;
            assert!(
                (0.70..=0.90).contains(&coverage),
                "{site}@{horizon}: {coverage}"
            );
            checked += 1;
        }
    }
    assert!(checked >= 8);
}
