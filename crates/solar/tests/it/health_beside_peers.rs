//! Health beside the site's other inverters: what a logger should have made, and what it cost that
//! it did not.

use chrono::NaiveDate;
use chrono_tz::{Europe, Tz};
use proptest::prelude::*;
use solar::calendar::{self, DaySpan};
use solar::health::{
    Event, EventKind, Evidence, Health, HealthQuestion, Peer, Surroundings, analyze, health_score,
};
use solar::{
    Calibration, Capacity, CapacityBasis, DayFigures, LoggerContext, Series, calibrate, rollup,
};

use crate::fixtures::assert_near;
use crate::made_up::{bells, change, date};

const ZONE: Tz = Europe::Berlin;

/// An inverter with what is known of it.
pub(crate) struct Device {
    series: Series,
    context: LoggerContext,
    calibration: Calibration,
    days: Vec<DayFigures>,
}

impl Device {
    fn of(series: Series, capacity_kw: Option<f64>) -> Self {
        let context = LoggerContext {
            capacity: capacity_kw.map(|kw| Capacity {
                kw,
                basis: CapacityBasis::Configured,
            }),
            ..LoggerContext::new(ZONE)
        };
        let calibration = calibrate(&series, &context);
        let days = rollup(&series, &calibration, &context);
        Self {
            series,
            context,
            calibration,
            days,
        }
    }

    fn peer(&self) -> Peer {
        Peer::of(&self.days, &self.calibration, self.context.capacity)
    }

    pub(crate) fn examined(&self, from: NaiveDate, to: NaiveDate, peers: &[&Device]) -> Health {
        let peers: Vec<Peer> = peers.iter().map(|device| device.peer()).collect();
        let peers: Vec<&Peer> = peers.iter().collect();
        let window = DaySpan::of_days(from, to, ZONE);
        analyze(&HealthQuestion {
            silent_after: None,
            series: &self.series,
            window,
            days: &self.days,
            calibration: &self.calibration,
            context: &self.context,
            surroundings: Surroundings::default(),
            peers: &peers,
        })
    }
}

fn june() -> (NaiveDate, NaiveDate) {
    (date("2024-06-01"), date("2024-06-30"))
}

/// May and June without a sensor, at a share of the power that depends on the day.
pub(crate) fn device(capacity_kw: Option<f64>, share: impl Fn(NaiveDate) -> f64) -> Device {
    let series = change(&bells("2024-05-01", 61, ZONE), |reading| {
        reading.irradiance = f64::NAN;
        reading.power_w *= share(calendar::local_day(reading.time, ZONE));
    });
    Device::of(series, capacity_kw)
}

fn well(capacity_kw: Option<f64>) -> Device {
    device(capacity_kw, |_| 1.0)
}

fn standstills(health: &Health) -> f64 {
    let costs = |event: &&Event| matches!(event.kind, EventKind::Outage | EventKind::DeadDay);
    health
        .events
        .iter()
        .filter(costs)
        .map(|event| event.lost_kwh)
        .sum()
}

#[test]
fn a_device_as_good_as_its_peers_scores_one_hundred() {
    let (own, a, b) = (
        well(Some(5.0)),
        well(Some(5.0)),
        device(Some(4.6), |_| 0.92),
    );
    let health = own.examined(june().0, june().1, &[&a, &b]);
    assert_eq!(health.events, []);
    assert_near("score", health.score, 100.0, 1e-9);
    assert_near("deviation", health.vs_peers.unwrap(), 0.0, 0.01);
}

#[test]
fn a_device_that_was_dead_all_month_scores_nothing_and_costs_what_its_peers_made() {
    let peer = well(Some(5.0));
    let daily = peer.days[0].power_kwh;
    for capacity in [Some(5.0), None] {
        let peers = [&well(capacity), &well(capacity)];
        for (name, own) in [
            (
                "since June",
                device(capacity, |day| if day < june().0 { 1.0 } else { 0.0 }),
            ),
            ("always", device(capacity, |_| 0.0)),
            ("but for noise", device(capacity, |_| 0.001)),
        ] {
            let health = own.examined(june().0, june().1, &peers);
            assert_eq!(health.dead_days.len(), 30, "{name} {capacity:?}");
            assert_near("score", health.score, 0.0, 1e-9);
            assert_near(name, health.lost_kwh, 30.0 * daily, 0.02 * 30.0 * daily);
            assert_near("sum", health.lost_kwh, standstills(&health), 1e-9);
        }
    }
}

#[test]
fn a_dead_day_costs_the_same_whatever_window_it_is_in() {
    let dead = date("2024-06-20");
    // Its share of its peers falls day by day.
    let worn = |day: NaiveDate| {
        let age = (day - date("2024-05-01")).num_days() as f64;
        if day == dead { 0.0 } else { 1.0 - age / 150.0 }
    };
    let device = device(Some(5.0), worn);
    let peers = [well(Some(5.0)), well(Some(5.0)), well(Some(5.0))];
    let peers: Vec<&Device> = peers.iter().collect();
    let lost = |from: &str, to: &str| {
        let health = device.examined(date(from), date(to), &peers);
        assert_eq!(health.dead_days, [dead]);
        let event = health
            .events
            .iter()
            .find(|event| event.kind == EventKind::DeadDay);
        event.unwrap().lost_kwh
    };
    let alone = lost("2024-06-20", "2024-06-20");
    assert!(alone > 10.0);
    for (from, to) in [
        ("2024-06-14", "2024-06-20"),
        ("2024-06-20", "2024-06-26"),
        ("2024-06-01", "2024-06-30"),
        ("2024-05-20", "2024-06-21"),
    ] {
        assert_near(from, lost(from, to), alone, 1e-9);
    }
}

#[test]
fn dead_days_without_peers_cost_what_the_device_usually_makes() {
    let dead = [date("2024-06-10"), date("2024-06-11"), date("2024-06-20")];
    let own = device(None, |day| if dead.contains(&day) { 0.0 } else { 1.0 });
    let health = own.examined(june().0, june().1, &[]);
    let daily = own.days[0].power_kwh;
    assert_eq!(health.dead_days, dead);
    assert_near("lost", health.lost_kwh, 3.0 * daily, 0.02 * daily);
    assert!(health.score < 95.0, "{}", health.score);
}

#[test]
fn a_dead_day_in_seen_sunshine_is_counted_once() {
    let dead = date("2024-06-10");
    let series = change(&bells("2024-05-01", 61, ZONE), |reading| {
        if calendar::local_day(reading.time, ZONE) == dead {
            reading.power_w = 0.0;
        }
    });
    let own = Device::of(series, None);
    let daily = own.days[0].power_kwh;
    let (peer, other) = (well(None), well(None));
    for peers in [&[][..], &[&peer, &other]] {
        let health = own.examined(june().0, june().1, peers);
        assert_eq!(health.dead_days, [dead]);
        assert_eq!(health.count(EventKind::Outage), 1);
        assert_near("lost", health.lost_kwh, daily, 0.03 * daily);
        assert_near("sum", health.lost_kwh, standstills(&health), 1e-9);
    }
}

#[test]
fn a_device_a_third_behind_its_peers_is_in_a_critical_state() {
    let own = device(Some(5.0), |_| 0.69);
    let peers = [
        well(Some(5.0)),
        device(Some(5.0), |_| 0.98),
        device(Some(5.0), |_| 0.9),
    ];
    let peers: Vec<&Device> = peers.iter().collect();
    let health = own.examined(june().0, june().1, &peers);
    assert_near("deviation", health.vs_peers.unwrap(), -0.296, 0.01);
    assert!(health.score < 75.0, "{}", health.score);
    let event = health
        .events
        .iter()
        .find(|event| event.kind == EventKind::Underperformance)
        .unwrap();
    assert!(matches!(event.evidence, Evidence::Peers(share, 3) if (share - 0.296).abs() < 0.01));
    let expected: f64 = 30.0 * own.days[0].power_kwh / 0.69 * 0.98;
    assert_near(
        "shortfall",
        health.shortfall_kwh,
        0.296 * expected,
        0.02 * expected,
    );
    assert_near("lost", health.lost_kwh, 0.0, 1e-9);
}

#[test]
fn a_roof_of_another_slope_is_no_fault() {
    let own = device(Some(5.0), |_| 0.89);
    let health = own.examined(june().0, june().1, &[&well(Some(5.0)), &well(Some(5.0))]);
    assert_eq!(health.events, []);
}

#[test]
fn without_stated_capacities_a_device_is_measured_by_what_it_was_before() {
    let own = device(None, |day| if day < june().0 { 1.0 } else { 0.59 });
    let health = own.examined(june().0, june().1, &[&well(None), &well(None)]);
    assert_near("deviation", health.vs_peers.unwrap(), -0.41, 0.01);
    assert!(health.score < 75.0, "{}", health.score);
    assert!(health.events.iter().any(
        |event| matches!(event.evidence, Evidence::OwnShare(share) if (share - 0.41).abs() < 0.01)
    ));
    // It always made less than its peers, and nothing is known of sizes.
    let small = device(None, |_| 0.59);
    let health = small.examined(june().0, june().1, &[&well(None), &well(None)]);
    assert_eq!(health.events, []);
}

#[test]
fn a_sound_device_stays_sound_when_a_neighbour_joins_or_leaves() {
    let from = |first: &str, share: f64, capacity| {
        let first = date(first);
        let whole = device(capacity, |_| share);
        let readings = crate::made_up::readings(&whole.series)
            .filter(|reading| calendar::local_day(reading.time, ZONE) >= first);
        Device::of(readings.collect(), capacity)
    };
    let until = |last: &str, share: f64, capacity| {
        let last = date(last);
        let whole = device(capacity, |_| share);
        let readings = crate::made_up::readings(&whole.series)
            .filter(|reading| calendar::local_day(reading.time, ZONE) <= last);
        Device::of(readings.collect(), capacity)
    };
    for capacity in [Some(5.0), None] {
        // It makes a tenth less than the neighbour that was always there.
        let own = device(capacity, |_| 0.9);
        let old = well(capacity);
        for other in [
            from("2024-06-05", 1.6, capacity),
            from("2024-06-20", 1.6, capacity),
            until("2024-06-03", 0.3, capacity),
        ] {
            let alone = own.examined(june().0, june().1, &[&old]);
            let joined = own.examined(june().0, june().1, &[&old, &other]);
            assert_eq!(alone.events, [], "{capacity:?}");
            assert_eq!(joined.events, [], "{capacity:?}");
        }
        // A dead day costs what it made beside the neighbours that it had.
        let dead = device(
            capacity,
            |day| if day == date("2024-06-20") { 0.0 } else { 0.9 },
        );
        let other = from("2024-06-18", 1.6, capacity);
        let alone = dead.examined(june().0, june().1, &[&old]);
        let joined = dead.examined(june().0, june().1, &[&old, &other]);
        assert_near(
            "lost",
            joined.lost_kwh,
            alone.lost_kwh,
            0.01 * alone.lost_kwh,
        );
    }
}

#[test]
fn a_device_that_always_lagged_is_measured_by_the_size_that_its_peers_have() {
    let sized = |share: f64, basis| {
        let mut device = device(None, |_| share);
        device.context.capacity = Some(Capacity { kw: 5.0, basis });
        device
    };
    let own = sized(0.59, CapacityBasis::Peers);
    let peers = [
        sized(1.0, CapacityBasis::Inferred),
        sized(0.98, CapacityBasis::Inferred),
        sized(1.02, CapacityBasis::Configured),
    ];
    let health = own.examined(june().0, june().1, &peers.each_ref());
    assert_near("deviation", health.vs_peers.unwrap(), -0.41, 0.01);
    assert!(health.score < 75.0, "{}", health.score);
    assert!(health.flags.contains(solar::Flag::CapacityInferred));
    assert!(health.events.iter().any(
        |event| matches!(event.evidence, Evidence::Peers(share, 3) if (share - 0.41).abs() < 0.01)
    ));
    // What is estimated says nothing of a device whose size is stated.
    let stated = sized(0.59, CapacityBasis::Configured);
    let estimated = [&peers[0], &peers[1]];
    let health = stated.examined(june().0, june().1, &estimated);
    assert_eq!(health.vs_peers.filter(|share| *share < -0.1), None);
}

#[test]
fn a_low_performance_ratio_without_peers_is_told() {
    let series = change(&bells("2024-05-01", 61, ZONE), |reading| {
        reading.power_w *= 0.68;
    });
    let mut own = Device::of(series, Some(5.0));
    own.context.irradiance_basis = solar::IrradianceBasis::Poa;
    let health = own.examined(june().0, june().1, &[]);
    assert!(health.events.iter().any(
        |event| matches!(event.evidence, Evidence::PerformanceRatio(ratio) if (ratio - 0.68).abs() < 0.01)
    ));
    assert_eq!(health.availability_energy, Some(1.0));
    assert!(health.score < 95.0, "{}", health.score);
}

#[test]
fn an_outage_is_no_shortfall_of_the_hours_that_the_device_ran() {
    let out = date("2024-06-12");
    let series = change(&bells("2024-05-01", 61, ZONE), |reading| {
        let hour = calendar::local_time(reading.time - 1, ZONE)
            .format("%H")
            .to_string();
        let noon = ["11", "12", "13"].contains(&hour.as_str());
        reading.power_w *= 0.85;
        if noon && calendar::local_day(reading.time, ZONE) == out {
            reading.power_w = 0.0;
        }
    });
    let mut own = Device::of(series, Some(5.0));
    own.context.irradiance_basis = solar::IrradianceBasis::Poa;
    let health = own.examined(out, out, &[]);
    let kinds: Vec<EventKind> = health.events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventKind::Outage], "{:?}", health.events);
    assert_near("shortfall", health.shortfall_kwh, 0.0, 1e-9);
}

#[test]
fn a_device_that_stopped_reporting_loses_half_a_day_for_each_day() {
    let own = device(None, |_| 1.0);
    let until = calendar::day_start(date("2024-06-16"), ZONE);
    let readings = crate::made_up::readings(&own.series).filter(|reading| reading.time <= until);
    let own = Device::of(readings.collect(), None);
    let health = own.examined(june().0, june().1, &[&well(None)]);
    assert_eq!(health.missing_days.len(), 15);
    assert_near("score", health.score, 75.0, 1e-9);
}

fn some_health() -> Health {
    let own = device(Some(5.0), |_| 1.0);
    own.examined(june().0, june().1, &[])
}

fn with(health: &Health, kind: EventKind, count: usize) -> Health {
    let mut changed = health.clone();
    let event = Event {
        kind,
        start: 0,
        end: 86_400,
        minutes: 1440.0,
        lost_kwh: 1.0,
        evidence: Evidence::Records(1),
    };
    changed.events.extend(vec![event; count]);
    let dates: Vec<NaiveDate> = june().0.iter_days().take(count).collect();
    match kind {
        EventKind::DeadDay => changed.dead_days = dates,
        EventKind::MissingDay => changed.missing_days = dates,
        _ => {}
    }
    changed
}

proptest! {
    #[test]
    fn the_score_falls_with_every_kind_of_fault(dead in 0_usize..30, missing in 0_usize..30, share in 0.0..0.9_f64, more in 0.01..0.1_f64) {
        let healthy = some_health();
        let mut ill = with(&with(&healthy, EventKind::DeadDay, dead), EventKind::MissingDay, missing);
        ill.shortfall_share = share;
        let score = health_score(&ill, 30);
        prop_assert!((0.0..=100.0).contains(&score));
        prop_assert_eq!(score > 94.9, dead + missing == 0 && share < 0.051);
        for worse in [
            with(&ill, EventKind::DeadDay, dead + 1),
            with(&ill, EventKind::MissingDay, missing + 1),
            Health { shortfall_share: share + more, ..ill.clone() },
        ] {
            let lower = health_score(&worse, 30);
            prop_assert!(lower < score || lower <= 0.0, "{score} {lower}");
        }
    }
}

/// The device with a register that counts `factor` times what the power makes.
fn with_register(device: &Device, factor: f64) -> Device {
    let (mut total, mut today) = (0.0, NaiveDate::MIN);
    let series = crate::made_up::readings(&device.series)
        .map(|reading| {
            let day = calendar::local_day(reading.time, ZONE);
            if day != today {
                (total, today) = (0.0, day);
            }
            total += factor * reading.power_w * 0.25 / 1000.0;
            solar::Reading {
                daily_kwh: total,
                ..reading
            }
        })
        .collect();
    Device::of(series, device.context.capacity.map(|capacity| capacity.kw))
}

#[test]
fn a_register_that_counts_too_much_is_a_finding_and_no_measure_for_others() {
    let inflated = with_register(&well(Some(5.0)), 1.4);
    let (a, b) = (with_register(&well(Some(5.0)), 1.0), well(Some(5.0)));
    let health = inflated.examined(june().0, june().1, &[&a, &b]);
    assert!(health.flags.contains(solar::Flag::RegisterPowerMismatch));
    assert_near("score", health.score, 90.0, 1e-9);
    assert_eq!(health.count(EventKind::RegisterMismatch), 1);
    assert_eq!(health.events.len(), 1);
    // By its power it is as good as the others.
    assert_near("deviation", health.vs_peers.unwrap(), 0.0, 0.01);
    for peers in [&[&inflated, &b][..], &[&inflated, &inflated, &b]] {
        let honest = a.examined(june().0, june().1, peers);
        assert_near("deviation", honest.vs_peers.unwrap(), 0.0, 0.01);
        assert_near("score", honest.score, 100.0, 1e-9);
    }
    // Without another peer there is nothing to judge by.
    let alone = a.examined(june().0, june().1, &[&inflated]);
    assert_eq!((alone.vs_peers, alone.score > 99.9), (None, true));
    // A device that is weak by its power is not saved by its register.
    let weak = with_register(&device(Some(5.0), |_| 0.6), 1.7);
    let health = weak.examined(june().0, june().1, &[&a, &b]);
    assert_near("deviation", health.vs_peers.unwrap(), -0.4, 0.01);
    assert!(health.score < 75.0, "{}", health.score);
}

/// The device without power from 10 to 14 h of one day, and from noon of another.
fn out_at_noon(device: &Device, whole_afternoon: bool) -> Device {
    let until = if whole_afternoon { 24 } else { 14 };
    let series = change(&device.series, |reading| {
        let local = calendar::local_time(reading.time, ZONE);
        let hour: i32 = local.format("%H").to_string().parse().unwrap();
        if local.date_naive() == date("2024-06-10") && (10..until).contains(&hour) {
            reading.power_w = 0.0;
        }
    });
    Device::of(series, device.context.capacity.map(|capacity| capacity.kw))
}

#[test]
fn an_outage_of_a_peer_does_not_make_the_others_better() {
    let weak = device(Some(5.0), |_| 0.6);
    let well = well(Some(5.0));
    let day = date("2024-06-10");
    for whole_afternoon in [false, true] {
        let out = out_at_noon(&well, whole_afternoon);
        assert!(
            out.days
                .iter()
                .find(|one| one.date == day)
                .unwrap()
                .power_kwh
                < 25.0
        );
        for peers in [&[&out, &well][..], &[&out, &out, &well]] {
            let health = weak.examined(day, day, peers);
            assert_near("deviation", health.vs_peers.unwrap(), -0.4, 0.01);
        }
        // The device itself ran, so the outage of its only peer shows as one.
        let health = weak.examined(day, day, &[&out]);
        assert!(
            health.vs_peers.is_none_or(|share| share < -0.39),
            "{health:?}"
        );
    }
}

#[test]
fn a_second_missing_day_costs_as_the_first_one_did() {
    let healthy = some_health();
    let scores: Vec<f64> = (0..4)
        .map(|missing| health_score(&with(&healthy, EventKind::MissingDay, missing), 30))
        .collect();
    assert!(
        scores.windows(2).all(|pair| pair[1] < pair[0]),
        "{scores:?}"
    );
    assert!(scores[0] > 99.9 && scores[1] < 95.0);
}

/// The first and the last day of each finding of low output.
fn low_days(health: &Health) -> Vec<(NaiveDate, NaiveDate)> {
    let day = |time: i64| calendar::local_day(time, ZONE);
    health
        .events
        .iter()
        .filter(|event| event.kind == EventKind::Underperformance)
        .map(|event| (day(event.start + 1), day(event.end)))
        .collect()
}

#[test]
fn days_of_low_output_are_found_in_any_window_that_has_them() {
    let (first, last) = (date("2024-06-12"), date("2024-06-20"));
    for capacity in [Some(5.0), None] {
        let own = device(capacity, |day| {
            if (first..=last).contains(&day) {
                0.6
            } else {
                1.0
            }
        });
        let peers = [&well(capacity), &well(capacity)];
        let lost = |from: &str, to: &str| {
            let health = own.examined(date(from), date(to), &peers);
            assert_eq!(
                low_days(&health),
                [(first, last)],
                "{capacity:?} {from} {to}"
            );
            let share = 100.0 * health.shortfall_share;
            assert!(health.score <= 100.0 - share, "{} {share}", health.score);
            health.shortfall_kwh
        };
        let alone = lost("2024-06-12", "2024-06-20");
        let daily = own.days[0].power_kwh;
        assert_near("lost", alone, 9.0 * 0.4 * daily, 0.01 * alone);
        for (from, to) in [
            ("2024-06-01", "2024-06-30"),
            ("2024-06-02", "2024-06-20"),
            ("2024-06-12", "2024-06-25"),
            ("2024-05-10", "2024-06-30"),
        ] {
            assert_near(from, lost(from, to), alone, 0.01 * alone);
        }
    }
}

#[test]
fn two_stretches_of_low_output_are_summed_and_single_cloudy_days_are_none() {
    let low = |day: NaiveDate| match day.format("%m-%d").to_string().as_str() {
        "06-04" | "06-05" | "06-06" | "06-07" | "06-20" | "06-21" | "06-22" => 0.5,
        "06-12" | "06-15" => 0.6,
        _ => 1.0,
    };
    let own = device(Some(5.0), low);
    let peers = [&well(Some(5.0)), &well(Some(5.0)), &well(Some(5.0))];
    let health = own.examined(june().0, june().1, &peers);
    let stretches = [
        (date("2024-06-04"), date("2024-06-07")),
        (date("2024-06-20"), date("2024-06-22")),
    ];
    assert_eq!(low_days(&health), stretches);
    let daily = own.days[0].power_kwh;
    assert_near("lost", health.shortfall_kwh, 3.5 * daily, 0.1);
    let single = device(Some(5.0), |day| {
        match day.format("%m-%d").to_string().as_str() {
            "06-12" | "06-15" | "06-21" => 0.6,
            _ => 1.0,
        }
    });
    let health = single.examined(june().0, june().1, &peers);
    assert!(health.shortfall_kwh.abs() < 1e-9);
}
