//! Sentences about comparisons: of all devices, of those that are left out, and of sizes that are
//! not stated.

use contracts::tools::{
    CapacityBasis, Comparison, ComparisonBasis, ComparisonMetric, ComparisonSummary,
    ExcludedLogger, ExclusionReason, Flag, Unranked,
};

use super::facts::comparison;
use crate::narrative::{Asked, Facts, Place, Preferences, by_kwh, narrate, narrate_asked};

fn told(comparison: &Comparison) -> String {
    narrate(&Facts::Audit { comparison }, &Preferences::default()).text
}

fn excluded(id: &str, reason: ExclusionReason) -> ExcludedLogger {
    ExcludedLogger {
        logger_id: id.to_owned(),
        reason,
        message: format!("{id} is left out."),
        first_day: None,
        last_day: None,
    }
}

fn energies(count: usize) -> Comparison {
    comparison(
        count,
        12.0,
        ComparisonMetric::Energy,
        ComparisonBasis::StatedCapacity,
    )
}

#[test]
fn a_device_that_is_left_out_is_named_and_the_others_are_ranked() {
    let mut comparison = energies(3);
    comparison.excluded = vec![
        excluded("RSF2-INV2", ExclusionReason::NoDataInWindow),
        excluded("RSF2-METER", ExclusionReason::Meter),
    ];
    let text = told(&comparison);
    assert!(
        text.contains("RSF2-INV2 has no data then, so I left it out."),
        "{text}"
    );
    assert!(
        text.contains("GW-INV-001") && text.contains("MEIER-INV-001"),
        "{text}"
    );
    assert!(!text.contains("can't rank"), "{text}");
}

#[test]
fn one_device_with_data_is_told_as_such() {
    let mut comparison = energies(1);
    comparison.spread_percent = None;
    comparison.excluded = vec![
        excluded("A", ExclusionReason::NoDataInWindow),
        excluded("B", ExclusionReason::NoData),
    ];
    let text = told(&comparison);
    assert!(
        text.contains("Only GW-INV-001 has data on 4 December 2025"),
        "{text}"
    );
    assert!(
        text.contains("A and B have no data then, so I left them out."),
        "{text}"
    );
    assert!(text.contains("41.2 kWh"), "{text}");
}

#[test]
fn of_many_devices_the_best_three_are_named() {
    let mut comparison = energies(4);
    for index in 0..4 {
        let id = format!("INV-{index}");
        comparison
            .summary
            .insert(id.clone(), ComparisonSummary::default());
        comparison.ranking.push(id.clone());
        comparison.logger_ids.push(id);
    }
    let text = told(&comparison);
    let best = "The three best are GW-INV-001, LTI-INV-001 and MEIER-INV-001.";
    assert!(text.contains(best), "{text}");
    assert!(!text.contains("INV-2 came to"), "{text}");
}

#[test]
fn a_size_that_is_not_stated_and_a_register_that_differs_are_told() {
    let mut comparison = energies(3);
    comparison.basis = ComparisonBasis::StcPower;
    comparison.flags = vec![Flag::RegisterPowerMismatch];
    let last = comparison.logger_ids[2].clone();
    if let Some(summary) = comparison.summary.get_mut(&last) {
        summary.capacity_basis = Some(CapacityBasis::Peers);
    }
    let text = told(&comparison);
    assert!(
        text.contains("The size of MEIER-INV-001 isn't stated"),
        "{text}"
    );
    assert!(
        text.contains("don't agree; I went by the counter"),
        "{text}"
    );
}

fn answered(comparison: &Comparison, asked: Asked) -> String {
    let facts = Facts::Audit { comparison };
    narrate_asked(&facts, Some(asked), &Preferences::default()).text
}

#[test]
fn who_made_more_goes_by_energy_and_equal_devices_are_called_level() {
    let two = energies(2);
    let text = answered(&two, Asked::More);
    let expected = "GW-INV-001 made 4.94 kWh more than LTI-INV-001: 41.2 kWh against 36.3 kWh.";
    assert!(text.starts_with(expected), "{text}");
    let level = comparison(
        3,
        0.0,
        ComparisonMetric::Energy,
        ComparisonBasis::StatedCapacity,
    );
    let text = answered(&level, Asked::Best);
    assert!(text.contains("Your 3 devices are level"), "{text}");
    assert!(!text.contains("is last"), "{text}");
    let text = answered(&level, Asked::Most);
    assert!(
        text.starts_with("Each of them made the same, 41.2 kWh."),
        "{text}"
    );
    // The two first are level, the third is behind.
    let mut tied = energies(3);
    let first = tied.summary[&tied.logger_ids[0]].clone();
    let second = tied.logger_ids[1].clone();
    tied.summary.insert(second, first);
    let text = answered(&tied, Asked::Best);
    let expected = "GW-INV-001 and LTI-INV-001 are level as the best for their size, and MEIER-INV-001 is last.";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn devices_without_a_rank_are_named_with_the_reason_and_not_counted() {
    let mut comparison = energies(4);
    for (id, why) in [
        ("SD-INV-001", Unranked::SizeUnknown),
        ("MEIER-INV-001", Unranked::CapacityImplausible),
    ] {
        let row = comparison.summary.get_mut(id).unwrap();
        (row.unranked, row.rank) = (Some(why), None);
    }
    let ranked = ["GW-INV-001", "LTI-INV-001"].map(str::to_owned);
    (comparison.ranking, comparison.worst) = (ranked.to_vec(), Some(ranked[1].clone()));
    comparison.spread_percent = Some(2.0);
    let text = told(&comparison);
    for part in [
        "SD-INV-001 has no rank: its size isn't stated",
        "MEIER-INV-001 has no rank: its stated capacity can't be right",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("4 devices"), "{text}");
}

#[test]
fn a_place_a_sum_and_a_ratio_are_answered_first() {
    let three = energies(3);
    let place = |nth, worst, by_energy| {
        Asked::Place(Place {
            nth,
            worst,
            by_energy,
        })
    };
    for (asked, expected) in [
        (place(2, false, false), "LTI-INV-001 is the second best."),
        (place(2, true, false), "LTI-INV-001 is the second worst."),
        (
            place(2, false, true),
            "LTI-INV-001 made the second most energy, 36.3 kWh.",
        ),
        (
            place(4, false, false),
            "Only 3 devices can be ranked, so there is none in that place.",
        ),
    ] {
        let text = answered(&three, asked);
        assert!(text.starts_with(expected), "{text}");
    }
    let two = energies(2);
    let text = answered(&two, Asked::Ratio);
    let expected = "GW-INV-001 made 1.14 times as much as LTI-INV-001: 41.2 kWh against 36.3 kWh.";
    assert!(text.starts_with(expected), "{text}");
    let text = answered(&two, Asked::Together);
    let expected = "Together GW-INV-001 and LTI-INV-001 made ";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_device_that_made_nothing_is_none_of_the_best() {
    let mut two = energies(2);
    let last = two.logger_ids[1].clone();
    two.summary[&last].total = Some(0.0);
    let second = Asked::Place(Place {
        nth: 2,
        worst: false,
        by_energy: false,
    });
    let text = answered(&two, second);
    let expected = "Only 1 device made anything, so there is none in that place.";
    assert!(text.starts_with(expected), "{text}");
    let text = answered(&two, Asked::WhyRanked);
    let expected = "LTI-INV-001 sent readings and delivered nothing, so it stood still.";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn two_devices_without_sizes_get_no_verdict() {
    let mut two = comparison(2, 40.0, ComparisonMetric::Energy, ComparisonBasis::Absolute);
    for own in two.summary.values_mut() {
        own.capacity_kw = None;
    }
    for text in [told(&two), answered(&two, Asked::Best)] {
        assert!(text.contains("40 % less, which is no verdict"), "{text}");
        for verdict in ["weak spot", "lags", "behind", "the best", "Roof direction"] {
            assert!(!text.contains(verdict), "{text}");
        }
    }
}

#[test]
fn a_day_that_is_not_over_everywhere_is_told() {
    let mut three = energies(3);
    three.unfinished_day = three.period.end.succ_opt();
    let text = told(&three);
    assert!(text.contains("isn't over at all of your sites"), "{text}");
    three.unfinished_day = Some(three.period.end);
    three.excluded = vec![
        excluded("MESA-1", ExclusionReason::OtherHours),
        excluded("KIWI-1", ExclusionReason::DayNotBegun),
    ];
    let text = told(&three);
    for part in [
        "MESA-1 had other hours of that day so far, so I left it out.",
        "The day hasn't begun for KIWI-1.",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("no data"), "{text}");
}

#[test]
fn sizes_that_only_the_devices_themselves_tell_are_said_to_be_estimates() {
    let mut two = energies(2);
    for own in two.summary.values_mut() {
        own.capacity_basis = Some(contracts::tools::CapacityBasis::Inferred);
    }
    let text = told(&two);
    let expected = "so one that was always weak looks like a smaller one";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn an_estimated_size_is_said_where_a_figure_rests_on_it() {
    let mut three = energies(3);
    let [first, second, third] = [0, 1, 2].map(|index: usize| three.logger_ids[index].clone());
    for id in [&first, &second] {
        three.summary[id].capacity_basis = Some(CapacityBasis::Configured);
    }
    let own = &mut three.summary[&third];
    own.capacity_basis = Some(CapacityBasis::Inferred);
    own.unranked = Some(Unranked::SizeEstimated);
    three.ranking = vec![first.clone(), second.clone()];
    three.worst = Some(second.clone());
    let text = told(&three);
    let apart = "MEIER-INV-001 has no rank among the others: its size is only estimated, by which \
                 it came to 6.26 kWh per estimated kWp.";
    assert!(text.contains(apart), "{text}");
    assert!(text.contains("against 7.25 kWh per kWp."), "{text}");
    // Where all are estimates, the answer says it of each that it names.
    let mut two = energies(2);
    two.basis = ComparisonBasis::StcPower;
    for own in two.summary.values_mut() {
        own.capacity_basis = Some(CapacityBasis::Inferred);
    }
    let text = answered(&two, Asked::Best);
    assert!(text.contains("the best for its estimated size"), "{text}");
    assert!(text.contains("I estimated the size of"), "{text}");
}

#[test]
fn a_ranking_in_kwh_says_nothing_of_sizes() {
    let mut three = energies(3);
    // The last for its size is the largest.
    let last = three.logger_ids[2].clone();
    three.summary[&last].total = Some(90.0);
    for own in three.summary.values_mut() {
        own.capacity_basis = Some(CapacityBasis::Configured);
    }
    let three = by_kwh(three);
    assert_eq!(three.best.as_ref(), Some(&last));
    let most = "MEIER-INV-001 made the most energy, 90 kWh, and LTI-INV-001 the least, 36.3 kWh.";
    let ends = "The energies on 4 December 2025 run from 90 kWh (MEIER-INV-001) to 36.3 kWh \
                (LTI-INV-001).";
    for (text, lead) in [(told(&three), ends), (answered(&three, Asked::Most), most)] {
        assert!(text.starts_with(lead), "{text}");
        for of_size in ["for their size", "for its size", "per kWp", "lags", "Roof"] {
            assert!(!text.contains(of_size), "{of_size}: {text}");
        }
    }
}

#[test]
fn equals_at_the_end_of_a_ranking_are_all_named() {
    let mut four = energies(4);
    let third = four.summary[&four.logger_ids[2]].clone();
    let last = four.logger_ids[3].clone();
    four.summary.insert(last, third);
    let text = answered(&four, Asked::Best);
    let both = "MEIER-INV-001 and SD-INV-001 are last";
    assert!(text.contains(both), "{text}");
    let text = answered(&four, Asked::Last);
    assert!(text.contains(both), "{text}");
    let text = answered(&by_kwh(four), Asked::Most);
    let least = "MEIER-INV-001 and SD-INV-001 the least, 31.3 kWh each";
    assert!(text.contains(least), "{text}");
}
