//! The word for a device's health, its score, and what is said of both, on generated reports.

use contracts::tools::{AnomalyReport, AnomalySeverity, HealthWord, LoggerSummary, Silence};
use contracts::ui::{FleetHealthRow, UiComponent};
use proptest::prelude::*;

use super::facts::{at, health};
use crate::cards::{fleet_health_card, fleet_health_row, health_card};
use crate::findings::{Failure, HealthFindings};
use crate::narrative::{Facts, Preferences, Verbosity, narrate};

/// Words of a device that is well.
const WELL: &[&str] = &[
    "looks healthy",
    "look healthy",
    "Good news",
    "still good",
    "still excellent",
];

/// Words of a device that is in a critical state.
const ILL: &[&str] = &["needs attention", "which is low", "very low"];

/// A report of a week with some outages; of a device that fell silent, with that.
fn report(id: usize, score: Option<f64>, outages: usize, is_silent: bool) -> AnomalyReport {
    let days = ["2025-11-29", "2025-12-01", "2025-12-03"];
    let mut report = health(&days[..outages], AnomalySeverity::Medium, score);
    report.logger_id = format!("INV-{id}");
    report.silence = is_silent.then(|| Silence {
        last_reading: at("2025-12-01T14:00:00+01:00"),
        days: 3,
    });
    report
}

fn logger(id: &str) -> LoggerSummary {
    crate::language::tests::logger(
        id,
        "lti",
        contracts::tools::LoggerRole::Inverter,
        "demo",
        "Demo site",
    )
}

/// Rows of a card: a device without a score has one that could not be judged.
fn rows(reports: &[AnomalyReport], left_out: bool) -> Vec<FleetHealthRow> {
    let judged = reports
        .iter()
        .map(|report| fleet_health_row(&logger(&report.logger_id), Ok(report)));
    let failure = Failure {
        tool: "analyze_inverter_health".into(),
        arguments: serde_json::Map::default(),
        status: contracts::tools::ToolStatus::NoData,
        message: "There are no data.".into(),
        available_range: None,
    };
    let out = left_out.then(|| fleet_health_row(&logger("INV-OUT"), Err(&failure)));
    judged.chain(out).collect()
}

fn told(facts: &Facts<'_>, verbosity: Verbosity) -> String {
    let preferences = Preferences {
        verbosity,
        ..Preferences::default()
    };
    narrate(facts, &preferences).text
}

/// A score as the tool reports it, or none.
fn score() -> impl Strategy<Value = Option<f64>> {
    let edges = prop::sample::select(vec![0.0, 74.9, 75.0, 89.9, 90.0, 94.9, 95.0, 99.0, 100.0]);
    let any = (0_u16..=1000).prop_map(|tenths| f64::from(tenths) / 10.0);
    prop_oneof![edges.prop_map(Some), any.prop_map(Some), Just(None)]
}

fn verbosity() -> impl Strategy<Value = Verbosity> {
    prop::sample::select(vec![
        Verbosity::Brief,
        Verbosity::Standard,
        Verbosity::Detailed,
    ])
}

fn says(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

proptest! {
    #[test]
    fn status_word_and_score_never_disagree(
        devices in prop::collection::vec((score(), 0_usize..4, prop::bool::weighted(0.1)), 1..6),
        left_out in prop::bool::weighted(0.2),
        verbosity in verbosity(),
    ) {
        let reports: Vec<AnomalyReport> = devices
            .iter()
            .enumerate()
            .map(|(id, (score, outages, silent))| report(id, *score, *outages, *silent))
            .collect();
        for report in &reports {
            let word = HealthWord::of(report.health_score);
            let UiComponent::HealthReport(card) = health_card(report) else {
                return Err(TestCaseError::fail("another card"));
            };
            prop_assert_eq!((card.health_score, card.health_status), (report.health_score, word));
            let text = told(&Facts::Health { report }, verbosity);
            prop_assert!(word == HealthWord::Healthy || !says(&text, WELL), "{:?}: {text}", report.health_score);
            prop_assert!(word == HealthWord::Critical || !says(&text, ILL), "{:?}: {text}", report.health_score);
        }
        let rows = rows(&reports, left_out);
        let findings = HealthFindings { rows: rows.clone(), reports: reports.clone(), availability: None };
        let UiComponent::FleetHealthReport(card) = fleet_health_card(&findings) else {
            return Err(TestCaseError::fail("another card"));
        };
        let is_healthy = |row: &FleetHealthRow| row.status == HealthWord::Healthy;
        for row in &card.loggers {
            prop_assert_eq!(row.status, HealthWord::of(row.health_score));
        }
        let scored = || card.loggers.iter().filter(|row| row.health_score.is_some());
        let of_all = HealthWord::of(card.avg_health_score);
        prop_assert_eq!(of_all == HealthWord::Healthy, scored().count() > 0 && scored().all(is_healthy));
        let facts = Facts::FleetHealth { rows: &rows, reports: &reports, availability: None };
        let text = told(&facts, verbosity);
        prop_assert!(scored().all(is_healthy) || !says(&text, WELL), "{rows:?}: {text}");
        for row in rows.iter().filter(|row| !is_healthy(row)) {
            let id = &row.logger_id;
            prop_assert!(!text.contains(&format!("{id} looks fine")), "{rows:?}: {text}");
        }
    }
}
