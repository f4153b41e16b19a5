//! Sentences about an inverter beside the meter that counts what it delivers.

use contracts::tools::{Comparison, ComparisonBasis, ComparisonMetric, Unranked};

use super::facts::comparison;
use crate::narrative::{Asked, Facts, Preferences, narrate_asked};

/// GW-INV-001 and LTI-INV-001 as a meter, which has no rank.
fn with_meter(metric: ComparisonMetric) -> Comparison {
    let mut comparison = comparison(2, 0.0, metric, ComparisonBasis::StatedCapacity);
    if let Some(meter) = comparison.summary.get_mut("LTI-INV-001") {
        meter.unranked = Some(Unranked::Meter);
        meter.rank = None;
        meter.total = Some(250.0);
    }
    comparison.ranking.pop();
    comparison.worst.clone_from(&comparison.best);
    comparison.spread_percent = None;
    comparison.total_kwh = Some(41.2);
    comparison
}

fn told(comparison: &Comparison, asked: Option<Asked>) -> String {
    let facts = Facts::Audit { comparison };
    narrate_asked(&facts, asked, &Preferences::default()).text
}

#[test]
fn an_inverter_beside_its_meter_has_its_energy_and_the_meter_is_named_as_one() {
    let text = told(&with_meter(ComparisonMetric::Energy), None);
    let both = "GW-INV-001 came to 41.2 kWh and LTI-INV-001 came to 250 kWh on 4 December 2025.";
    assert!(text.contains(both), "{text}");
    assert!(
        text.contains("LTI-INV-001 measures what the inverters deliver"),
        "{text}"
    );
    assert!(!text.contains("made nothing"), "{text}");
    let text = told(&with_meter(ComparisonMetric::Power), None);
    assert!(text.contains("2.41 kW on average"), "{text}");
    assert!(!text.contains("made nothing"), "{text}");
}

#[test]
fn a_total_does_not_add_a_meter_to_its_inverter() {
    let text = told(&with_meter(ComparisonMetric::Power), Some(Asked::Together));
    assert!(
        text.contains("GW-INV-001 made 41.2 kWh, and LTI-INV-001 counted 250 kWh; a meter counts"),
        "{text}"
    );
    assert!(!text.contains("Together"), "{text}");
}

#[test]
fn a_meter_did_not_make_the_most() {
    let comparison = with_meter(ComparisonMetric::Energy);
    for asked in [Asked::Most, Asked::Best, Asked::More] {
        let text = told(&comparison, Some(asked));
        assert!(!text.contains("LTI-INV-001 made"), "{text}");
    }
}

#[test]
fn a_device_that_made_nothing_still_leads_nothing() {
    let mut comparison = with_meter(ComparisonMetric::Energy);
    (comparison.best, comparison.ranking) = (None, comparison.logger_ids.clone());
    let text = told(&comparison, None);
    assert!(text.contains("made nothing"), "{text}");
}
