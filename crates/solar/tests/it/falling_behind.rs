//! Since when a logger is behind its peers.

use chrono::NaiveDate;
use solar::health::Lag;

use crate::fixtures::assert_near;
use crate::health_beside_peers::{Device, device};
use crate::made_up::date;

/// A share that scatters by up to 4 percent from day to day, without chance.
fn scattered(day: NaiveDate) -> f64 {
    let place = (day - date("2024-05-01")).num_days();
    0.02 * ((place * 7 % 5) as f64 - 2.0) / 2.0 + 0.98
}

/// The trend of a device beside two good ones, from May to June.
fn lag(capacity: Option<f64>, share: impl Fn(NaiveDate) -> f64) -> Option<Lag> {
    let peers = [
        device(capacity, |_| 1.0),
        device(capacity, |day| scattered(day) + 0.02),
    ];
    let own = device(capacity, share);
    beside(&own, &peers.iter().collect::<Vec<_>>())
}

fn beside(own: &Device, peers: &[&Device]) -> Option<Lag> {
    own.examined(date("2024-05-01"), date("2024-06-30"), peers)
        .lag
}

#[test]
fn the_first_day_behind_is_found_with_the_ratios_before_and_after() {
    for capacity in [Some(5.0), None] {
        for (since, level) in [
            ("2024-05-20", 0.8),
            ("2024-06-01", 0.85),
            ("2024-06-22", 0.6),
        ] {
            let since = date(since);
            let found = lag(capacity, |day| {
                scattered(day) * if day < since { 1.0 } else { level }
            });
            let found = found.unwrap();
            assert!(found.lags, "{since} {capacity:?}: {found:?}");
            assert_eq!(found.since, Some(since), "{capacity:?}: {found:?}");
            let before = found.before.unwrap();
            assert_near("fall", found.after / before, level, 0.02);
            if capacity.is_some() {
                assert_near("before", before, 0.98, 0.03);
            }
        }
    }
}

#[test]
fn gaps_dead_days_and_odd_days_do_not_move_the_day() {
    let since = date("2024-06-01");
    let found = lag(Some(5.0), |day| {
        let odd = ["2024-05-10", "2024-05-11", "2024-06-15"].map(date);
        let gap = date("2024-05-15")..date("2024-05-24");
        if gap.contains(&day) {
            f64::NAN
        } else if day == date("2024-05-27") {
            0.0
        } else if odd.contains(&day) {
            0.4
        } else {
            scattered(day) * if day < since { 1.0 } else { 0.8 }
        }
    });
    let found = found.unwrap();
    assert_eq!((found.lags, found.since), (true, Some(since)), "{found:?}");
    assert!((40..=52).contains(&found.days), "{found:?}");
}

#[test]
fn a_slow_fall_begins_with_its_first_step() {
    let found = lag(Some(5.0), |day| {
        let level = match day {
            day if day < date("2024-05-20") => 1.0,
            day if day < date("2024-06-08") => 0.92,
            _ => 0.8,
        };
        scattered(day) * level
    });
    let found = found.unwrap();
    assert_eq!(found.since, Some(date("2024-05-20")), "{found:?}");
}

#[test]
fn a_device_that_keeps_its_level_or_recovered_does_not_lag() {
    let steady = lag(Some(5.0), scattered).unwrap();
    assert_eq!((steady.lags, steady.since), (false, None), "{steady:?}");
    assert_near("level", steady.after, 0.98, 0.03);
    let recovered = lag(Some(5.0), |day| {
        let weak = date("2024-05-15")..date("2024-06-01");
        scattered(day) * if weak.contains(&day) { 0.7 } else { 1.0 }
    });
    let recovered = recovered.unwrap();
    assert_eq!((recovered.lags, recovered.since), (false, None));
    // A bad week is no more than an odd one when it is one day.
    let one_day = lag(Some(5.0), |day| {
        scattered(day) * if day == date("2024-06-30") { 0.5 } else { 1.0 }
    });
    assert!(!one_day.unwrap().lags);
}

#[test]
fn a_device_that_was_always_behind_has_no_first_day() {
    let always = lag(Some(5.0), |day| 0.75 * scattered(day)).unwrap();
    assert!(always.lags);
    assert_eq!((always.since, always.before), (None, None));
    assert_near("level", always.after, 0.735, 0.03);
    assert_eq!(always.first, date("2024-05-01"));
    // Without a size only changes show.
    assert!(!lag(None, |day| 0.75 * scattered(day)).unwrap().lags);
}

#[test]
fn too_few_days_or_no_peers_say_nothing() {
    let own = device(Some(5.0), scattered);
    assert_eq!(beside(&own, &[]), None);
    let peer = device(Some(5.0), |_| 1.0);
    let short = own.examined(date("2024-06-18"), date("2024-06-30"), &[&peer]);
    assert_eq!(short.lag, None);
}
