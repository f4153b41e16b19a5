//! Comparisons: a device reads the same whatever it is compared with, and a sick one does not lead.

use chrono_tz::{Europe, Tz};
use proptest::prelude::*;
use solar::calendar::local_day;
use solar::compare::{Candidate, Entrant, Metric, Places, Sunlight, align, compare, compare_at};
use solar::{Calibration, DayFigures, LoggerContext, Reading, Series, calibrate, rollup};

use crate::fixtures::assert_near;
use crate::made_up::{bells, change, date, readings};

/// A device of a comparison.
struct Device {
    series: Series,
    calibration: Calibration,
    days: Vec<DayFigures>,
    context: LoggerContext,
    size_kw: Option<f64>,
}

impl Device {
    fn of(series: Series, size_kw: Option<f64>) -> Self {
        let context = LoggerContext::new(Tz::UTC);
        let calibration = calibrate(&series, &context);
        let days = rollup(&series, &calibration, &context);
        Self {
            series,
            calibration,
            days,
            context,
            size_kw,
        }
    }

    fn entrant(&self) -> Entrant<'_> {
        Entrant {
            days: &self.days,
            calibration: &self.calibration,
            size_kw: self.size_kw,
            is_implausible: false,
            is_estimated: false,
            is_meter: false,
            site: "roof",
            sunlight: None,
        }
    }

    fn at<'a>(&'a self, site: &'a str) -> Entrant<'a> {
        Entrant {
            site,
            ..self.entrant()
        }
    }

    fn candidate(&self) -> Candidate<'_> {
        Candidate {
            series: &self.series,
            days: &self.days,
            calibration: &self.calibration,
            context: &self.context,
        }
    }

    fn kwh(&self) -> f64 {
        self.days
            .iter()
            .filter_map(DayFigures::energy)
            .map(|(kwh, _)| kwh)
            .sum()
    }
}

/// A constant kilowatt, with every n-th reading missing.
fn constant(missing: Option<usize>) -> Device {
    let series: Series = (0..192)
        .filter(|step| missing.is_none_or(|every| step % every != 1))
        .map(|step| Reading {
            time: 1_717_200_000 + 900 * i64::try_from(step + 1).unwrap(),
            power_w: 1000.0,
            ..Reading::default()
        })
        .collect();
    Device::of(series, Some(1.0))
}

#[test]
fn equal_devices_are_equal_however_many_of_their_readings_are_missing() {
    let devices = [constant(None), constant(Some(4)), constant(Some(4))];
    let entrants: Vec<Entrant<'_>> = devices.iter().map(Device::entrant).collect();
    let comparison = compare(&entrants);
    for (one, device) in comparison.loggers.iter().zip(&devices) {
        assert_near("energy", one.energy_kwh.unwrap(), device.kwh(), 1e-9);
        assert_near("energy", one.energy_kwh.unwrap(), 48.0, 0.3);
    }
    assert!(comparison.spread_pct.unwrap() < 1.0);
}

#[test]
fn days_that_a_device_lacks_count_as_the_others_had_them() {
    // The second half of the month is dark.
    let month = change(&bells("2024-06-01", 10, Tz::UTC), |reading| {
        if local_day(reading.time, Tz::UTC) > date("2024-06-05") {
            reading.power_w *= 0.2;
        }
    });
    let half: Series = readings(&month)
        .filter(|reading| local_day(reading.time, Tz::UTC) <= date("2024-06-05"))
        .collect();
    let weak = change(&half, |reading| reading.power_w *= 0.7);
    let devices = [
        Device::of(month, Some(5.0)),
        Device::of(half, Some(5.0)),
        Device::of(weak, Some(5.0)),
    ];
    let entrants: Vec<Entrant<'_>> = devices.iter().map(Device::entrant).collect();
    let comparison = compare(&entrants);
    assert!(!comparison.same_days);
    let [all, half, weak] = &comparison.loggers[..] else {
        panic!("three devices")
    };
    assert_near("equal", half.compared.unwrap(), all.compared.unwrap(), 0.01);
    assert_near("energy", half.energy_kwh.unwrap(), devices[1].kwh(), 1e-9);
    assert_eq!((weak.rank, weak.underperformer), (Some(2), true));
    assert_near("spread", comparison.spread_pct.unwrap(), 30.0, 0.1);
}

/// A month of a 5 kW device at a share of its power, from a day on.
fn from_day(first: &str, share: f64) -> Device {
    let series = change(&bells("2024-06-01", 30, Tz::UTC), |reading| {
        // No two days are alike, and the first ones are dark.
        let day = local_day(reading.time, Tz::UTC) - date("2024-06-01");
        let light = 0.3 + 0.02 * day.num_days() as f64;
        reading.power_w *= share * light;
    });
    let kept = readings(&series)
        .filter(|reading| local_day(reading.time, Tz::UTC) >= date(first))
        .collect();
    Device::of(kept, Some(5.0))
}

fn spread(entrants: &[Entrant<'_>]) -> f64 {
    compare(entrants).spread_pct.unwrap()
}

#[test]
fn a_weak_device_that_has_days_alone_makes_no_day_weak() {
    let (young, weak) = (from_day("2024-06-18", 1.0), from_day("2024-06-01", 0.6));
    let comparison = compare(&[weak.entrant(), young.entrant()]);
    assert_eq!(comparison.ranking, [1, 0]);
    assert_near("spread", comparison.spread_pct.unwrap(), 40.0, 0.1);
    assert_eq!(comparison.loggers[1].filled_days, 17);
    assert_eq!(
        (comparison.loggers[0].filled_days, comparison.same_days),
        (0, false)
    );
    let (well, gaps) = (from_day("2024-06-01", 1.0), from_day("2024-06-25", 0.8));
    let entrants = [
        weak.entrant(),
        young.entrant(),
        well.entrant(),
        gaps.entrant(),
    ];
    let comparison = compare(&entrants);
    assert_near(
        "weak",
        comparison.loggers[0].vs_median_pct.unwrap(),
        -33.3,
        0.2,
    );
    assert_near(
        "gaps",
        comparison.loggers[3].vs_median_pct.unwrap(),
        -11.1,
        0.2,
    );
    assert_near("spread", comparison.spread_pct.unwrap(), 40.0, 0.1);
}

#[test]
fn sites_far_apart_are_ranked_by_their_own_sun_or_not_judged() {
    // The sun of the south is half as strong again; one of the south is ill, the north is sound.
    let of = |share: f64| {
        Device::of(
            change(&bells("2024-06-01", 10, Tz::UTC), |reading| {
                reading.power_w *= share;
            }),
            Some(5.0),
        )
    };
    let (north, south, ill) = (of(0.6), of(0.9), of(0.54));
    let sun = |share: f64| -> Sunlight {
        let days = north.days.iter();
        days.map(|day| (day.date, share * day.sun.insolation_kwh_m2))
            .collect()
    };
    let (weak, strong) = (sun(0.6), sun(0.9));
    let entrants = |known: bool| -> Vec<Entrant<'_>> {
        [
            (&north, "north", &weak),
            (&north, "north", &weak),
            (&north, "north", &weak),
            (&south, "south", &strong),
            (&south, "south", &strong),
            (&south, "south", &strong),
            (&ill, "south", &strong),
        ]
        .map(|(device, site, sunlight)| Entrant {
            sunlight: Some(sunlight).filter(|_| known),
            ..device.at(site)
        })
        .into()
    };
    let weak_ones = |comparison: &solar::compare::Comparison| -> Vec<bool> {
        let loggers = comparison.loggers.iter();
        loggers.map(|one| one.underperformer).collect()
    };
    let only_the_ill = [false, false, false, false, false, false, true];
    let by_sun = compare_at(&entrants(true), Places::OwnSun);
    assert_eq!(weak_ones(&by_sun), only_the_ill);
    assert_eq!(by_sun.ranking.last(), Some(&6));
    let of_device = |index: usize| by_sun.loggers[index].compared.unwrap();
    assert_near("north", of_device(0), of_device(3), 1e-6);
    let apart = compare_at(&entrants(false), Places::Different);
    assert_eq!(weak_ones(&apart), only_the_ill);
    assert_near(
        "beside its site",
        apart.loggers[0].vs_median_pct.unwrap(),
        0.0,
        1e-6,
    );
}

#[test]
fn a_meter_has_no_rank_among_inverters() {
    let inverters = [constant(None), constant(None), constant(None)];
    let meter = from_day("2024-06-01", 0.2);
    for size in [Some(1.0), None] {
        let mut entrants: Vec<Entrant<'_>> = inverters.iter().map(Device::entrant).collect();
        entrants.push(Entrant {
            is_estimated: false,
            is_meter: true,
            ..meter.entrant()
        });
        for entrant in &mut entrants {
            entrant.size_kw = size;
        }
        let comparison = compare(&entrants);
        assert_eq!(comparison.ranking, [0, 1, 2], "{size:?}");
        assert!(!comparison.loggers[3].underperformer && comparison.loggers[3].rank.is_none());
    }
}

#[test]
fn days_are_not_filled_from_another_site() {
    let (here, young) = (from_day("2024-06-01", 0.6), from_day("2024-06-18", 0.9));
    let there = from_day("2024-06-01", 1.0);
    // Only the days that both sites have count.
    let (a, b) = (there.at("desert"), young.at("roof"));
    let comparison = compare(&[a, b]);
    assert_near("spread", comparison.spread_pct.unwrap(), 10.0, 0.1);
    assert_eq!(comparison.loggers[1].filled_days, 0);
    assert_eq!(comparison.loggers[0].ranked_days, 13);
    // The device of the same site has the others, and the desert is not a reference for them.
    let three = compare(&[a, b, here.at("roof")]);
    assert_eq!(three.loggers[1].filled_days, 17);
    assert_near("spread", three.spread_pct.unwrap(), 40.0, 0.1);
    // A device with a single day does not make it the only day of all others.
    let brief = from_day("2024-06-30", 1.0);
    let many = compare(&[a, here.at("desert"), brief.at("attic")]);
    assert_eq!(many.ranking, [0, 1]);
    assert_eq!(many.loggers[0].ranked_days, 30);
}

/// The device with a register that counts `factor` times what the power makes.
fn counted(device: &Device, factor: f64) -> Device {
    let (mut total, mut today) = (0.0, date("2024-06-01"));
    let series = readings(&device.series)
        .map(|reading| {
            let day = local_day(reading.time, Tz::UTC);
            if day != today {
                (total, today) = (0.0, day);
            }
            total += factor * reading.power_w * 0.25 / 1000.0;
            Reading {
                daily_kwh: total,
                ..reading
            }
        })
        .collect();
    Device::of(series, device.size_kw)
}

#[test]
fn a_register_that_counts_too_much_does_not_lead() {
    let well = from_day("2024-06-01", 1.0);
    let (honest, other) = (
        counted(&well, 1.0),
        counted(&from_day("2024-06-01", 0.97), 1.0),
    );
    for factor in [1.3, 1.9] {
        let inflated = counted(&well, factor);
        assert_near(
            "energy",
            inflated.kwh(),
            factor * well.kwh(),
            0.05 * well.kwh(),
        );
        let comparison = compare(&[inflated.entrant(), honest.entrant(), other.entrant()]);
        assert_eq!(comparison.ranking[0], 1);
        assert!(comparison.loggers[0].doubtful && !comparison.loggers[1].doubtful);
        assert_near(
            "energy",
            comparison.loggers[0].energy_kwh.unwrap(),
            inflated.kwh(),
            1e-9,
        );
        assert!(comparison.loggers.iter().all(|one| !one.underperformer));
        assert!(comparison.spread_pct.unwrap() < 4.0);
    }
    assert_near(
        "equal",
        spread(&[honest.entrant(), other.entrant()]),
        3.0,
        0.1,
    );
    // Alone it has a place.
    let inflated = counted(&well, 1.3);
    assert_eq!(compare(&[inflated.entrant()]).ranking, [0]);
}

#[test]
fn devices_without_a_day_in_common_are_not_ranked_against_each_other() {
    let early = Device::of(bells("2024-06-01", 3, Tz::UTC), Some(5.0));
    let late = Device::of(bells("2024-06-10", 3, Tz::UTC), Some(5.0));
    let comparison = compare(&[early.entrant(), late.entrant()]);
    assert!(comparison.ranking.is_empty() && comparison.spread_pct.is_none());
    assert!(
        comparison
            .loggers
            .iter()
            .all(|one| one.energy_kwh.is_some())
    );
    let beside = Device::of(bells("2024-06-01", 3, Tz::UTC), Some(4.0));
    let comparison = compare(&[early.entrant(), late.entrant(), beside.entrant()]);
    assert_eq!(comparison.ranking, [2, 0]);
}

#[test]
fn the_curve_of_an_energy_ends_each_day_at_the_energy_of_the_day() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    // A register that counts 10 % more than the power, and readings that are missing.
    let (mut total, mut today) = (0.0, date("2024-06-01"));
    let series: Series = readings(&bells("2024-06-01", 3, zone))
        .filter(|reading| reading.time % 3600 != 1800)
        .map(|reading| {
            let day = local_day(reading.time, zone);
            if day != today {
                (total, today) = (0.0, day);
            }
            total += 1.1 * reading.power_w * 0.25 / 1000.0;
            Reading {
                daily_kwh: total,
                ..reading
            }
        })
        .collect();
    let mut device = Device::of(series, Some(5.0));
    device.context = context;
    device.calibration = calibrate(&device.series, &device.context);
    device.days = rollup(&device.series, &device.calibration, &device.context);
    for most in [10, 100, 10_000] {
        let chart = align(&[device.candidate()], Metric::Energy, most);
        let last = chart.values[0].iter().rev().flatten().next().unwrap();
        assert_near("end", *last, device.kwh(), 1e-9);
        assert!(chart.values[0].iter().flatten().is_sorted());
    }
    let chart = align(&[device.candidate()], Metric::Energy, 10_000);
    let midnight = solar::calendar::day_start(date("2024-06-02"), zone);
    let row = chart
        .times
        .iter()
        .position(|time| *time == midnight)
        .unwrap();
    let (first, _) = device.days[0].energy().unwrap();
    assert_near("first day", chart.values[0][row].unwrap(), first, 1e-9);
}

#[test]
fn times_without_any_value_are_one_gap() {
    let dark = change(&bells("2024-06-01", 2, Tz::UTC), |reading| {
        if reading.power_w == 0.0 {
            reading.power_w = f64::NAN;
        }
    });
    let device = Device::of(dark, Some(5.0));
    let chart = align(&[device.candidate()], Metric::Power, 10_000);
    let empty: Vec<bool> = chart.values[0].iter().map(Option::is_none).collect();
    assert!(empty.iter().any(|empty| *empty));
    assert!(empty.windows(2).all(|pair| !(pair[0] && pair[1])));
}

proptest! {
    #[test]
    fn what_a_device_reads_does_not_depend_on_the_others(
        lost in proptest::collection::vec((0..480_usize, 1..40_usize), 3),
        factors in proptest::collection::vec(0.2..1.2_f64, 3),
        alone in 0..3_usize,
    ) {
        let whole = bells("2024-06-01", 5, Tz::UTC);
        let devices: Vec<Device> = lost
            .iter()
            .zip(&factors)
            .map(|((from, count), factor)| {
                let series = change(&whole, |reading| reading.power_w *= factor);
                let kept = readings(&series)
                    .enumerate()
                    .filter(|(row, _)| !(*from..from + count).contains(row))
                    .map(|(_, reading)| reading);
                Device::of(kept.collect(), Some(5.0))
            })
            .collect();
        let entrants: Vec<Entrant<'_>> = devices.iter().map(Device::entrant).collect();
        let together = compare(&entrants);
        let by_itself = compare(&entrants[alone..=alone]);
        let (one, other) = (&together.loggers[alone], &by_itself.loggers[0]);
        prop_assert_eq!(one.energy_kwh, other.energy_kwh);
        prop_assert_eq!(one.specific_yield, other.specific_yield);
        prop_assert_eq!((one.peak_w, one.average_w), (other.peak_w, other.average_w));
        prop_assert!((one.energy_kwh.unwrap() - devices[alone].kwh()).abs() < 1e-9);
    }
}

#[test]
fn a_size_that_is_not_known_or_not_possible_gives_no_rank() {
    let device = |size_kw| Device {
        size_kw,
        ..from_day("2024-06-01", 1.0)
    };
    let (one, other, unknown) = (device(Some(5.0)), device(Some(5.5)), device(None));
    let wrong = Entrant {
        is_implausible: true,
        size_kw: Some(1.0),
        ..one.entrant()
    };
    let comparison = compare(&[wrong, one.entrant(), unknown.entrant(), other.entrant()]);
    assert!(comparison.by_size);
    assert_eq!(comparison.ranking, [1, 3]);
    assert!(comparison.loggers[0].specific_yield.is_some());
    assert!(comparison.loggers[2].specific_yield.is_none());
    // One size says nothing about the others: then energies are ranked.
    let comparison = compare(&[wrong, one.entrant(), unknown.entrant()]);
    assert!(!comparison.by_size);
    assert_eq!(comparison.ranking, [0, 1, 2]);
}

#[test]
fn an_estimate_has_no_place_among_stated_sizes() {
    let device = |size_kw| Device {
        size_kw,
        ..from_day("2024-06-01", 1.0)
    };
    let (one, other, small) = (device(Some(5.0)), device(Some(5.5)), device(Some(1.0)));
    let estimated = Entrant {
        is_estimated: true,
        ..small.entrant()
    };
    let comparison = compare(&[estimated, one.entrant(), other.entrant()]);
    assert!(comparison.by_size && comparison.stated_only);
    assert_eq!(comparison.ranking, [1, 2]);
    assert!(comparison.loggers[0].specific_yield.is_some());
    // Beside a single stated size energies are ranked; estimates alone are ranked by size.
    let comparison = compare(&[estimated, one.entrant()]);
    assert!(!comparison.by_size);
    let comparison = compare(&[estimated, estimated]);
    assert!(comparison.by_size && !comparison.stated_only);
    assert_eq!(comparison.ranking, [0, 1]);
}

#[test]
fn what_missing_readings_hide_is_not_held_against_a_register() {
    let well = counted(&from_day("2024-06-01", 1.0), 1.0);
    // Without the three brightest hours of the last day.
    let kept = |reading: &Reading| {
        let local = solar::calendar::local_time(reading.time, Tz::UTC);
        let hour: u32 = local.format("%H").to_string().parse().unwrap();
        local.date_naive() != date("2024-06-30") || !(11..14).contains(&hour)
    };
    let gappy =
        |device: &Device| Device::of(readings(&device.series).filter(kept).collect(), Some(5.0));
    let honest = gappy(&well);
    let day = honest.days.last().unwrap();
    assert!(day.register_differs() && !day.register_is_doubtful(&honest.calibration));
    let last = |device: &Device| {
        let mut device = Device::of(device.series.clone(), device.size_kw);
        device.days.drain(..29);
        device
    };
    let (honest, well) = (last(&honest), last(&well));
    let comparison = compare(&[honest.entrant(), well.entrant()]);
    assert!(!comparison.loggers[0].doubtful);
    assert_near("spread", comparison.spread_pct.unwrap(), 0.0, 0.5);
    // A register that counts too much is doubted on such a day, too.
    let inflated = last(&gappy(&counted(&from_day("2024-06-01", 1.0), 2.4)));
    let comparison = compare(&[inflated.entrant(), well.entrant()]);
    assert!(comparison.loggers[0].doubtful);
    assert_eq!(comparison.ranking, [1, 0]);
}
