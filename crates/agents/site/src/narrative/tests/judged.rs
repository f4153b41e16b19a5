//! Sentences about what devices lost, and about devices that are judged by a guess of their size.

use contracts::tools::{
    AnomalyReport, AnomalySeverity, CapacityBasis, FleetOverview, HealthEvent, HealthEventKind,
};
use contracts::ui::FleetHealthRow;

use super::facts::{at, day, health, overview, rows};
use crate::narrative::{Asked, Branch, Facts, Preferences, narrate_asked, suggestions};

/// A report on a device that ran and made this much less than its neighbours, kWh.
fn weak(id: &str, score: f64, kwh: f64, basis: CapacityBasis) -> AnomalyReport {
    let mut report = health(&[], AnomalySeverity::Medium, Some(score));
    id.clone_into(&mut report.logger_id);
    report.anomaly_count = 1;
    report.shortfall_kwh = Some(kwh);
    report.vs_peers_pct = Some(-40.0);
    report.capacity_basis = Some(basis);
    report.events = vec![HealthEvent {
        logger_id: None,
        lost_money: None,
        kind: HealthEventKind::Underperformance,
        start: at("2025-11-28T00:00:00+01:00"),
        end: at("2025-12-05T00:00:00+01:00"),
        minutes: 10_080.0,
        lost_kwh: Some(kwh),
        evidence: "Less than its neighbours.".to_owned(),
    }];
    report
}

/// A device that was dead, one that is weak, and a healthy one that may just be small.
fn plant() -> (Vec<FleetHealthRow>, Vec<AnomalyReport>) {
    let mut dead = health(&[], AnomalySeverity::High, Some(86.0));
    dead.logger_id = "GW-INV-001".to_owned();
    dead.anomaly_count = 1;
    dead.dead_days = vec![day("2025-12-01")];
    dead.lost_kwh = 73.5;
    dead.lost_money = None;
    let reports = vec![
        dead,
        weak("LTI-INV-001", 60.0, 247.0, CapacityBasis::Configured),
        weak("MEIER-INV-001", 40.0, 300.0, CapacityBasis::Peers),
    ];
    let mut rows = rows([1, 1, 1, 0], false);
    for (row, report) in rows.iter_mut().zip(&reports) {
        row.health_score = report.health_score;
    }
    (rows, reports)
}

fn told(reports: &[AnomalyReport], rows: &[FleetHealthRow], asked: Option<Asked>) -> String {
    let facts = Facts::FleetHealth {
        rows,
        reports,
        availability: None,
    };
    narrate_asked(&facts, asked, &Preferences::default()).text
}

#[test]
fn a_guess_of_a_size_does_not_lead_the_sick_ones() {
    let (rows, reports) = plant();
    let text = told(&reports, &rows, None);
    assert!(text.contains("LTI-INV-001 is worst off"), "{text}");
    assert!(
        text.contains("The size of MEIER-INV-001 is an estimate"),
        "{text}"
    );
    let facts = Facts::FleetHealth {
        rows: &rows,
        reports: &reports,
        availability: None,
    };
    let offers = suggestions(&facts, Branch::CriticalHighSeverity);
    assert!(
        offers
            .iter()
            .any(|offer| offer.action == "Check the health of LTI-INV-001"),
        "{offers:?}"
    );
    let text = told(&reports, &rows, Some(Asked::Health { worst: true }));
    assert!(
        text.contains("LTI-INV-001 has the lowest health score, 60"),
        "{text}"
    );
}

#[test]
fn what_was_lost_is_standstill_and_weakness_each_by_its_name() {
    let (rows, reports) = plant();
    let text = told(&reports, &rows, Some(Asked::Losses));
    assert!(
        text.contains("Standstill cost you about 73.5 kWh"),
        "{text}"
    );
    assert!(
        text.contains("While it ran, LTI-INV-001 made about 247 kWh less"),
        "{text}"
    );
    assert!(!text.contains("300 kWh"), "{text}");
    let text = told(&reports, &rows, Some(Asked::LostMost));
    assert!(
        text.contains("LTI-INV-001 lost the most, 247 kWh, all of it while it ran."),
        "{text}"
    );
    assert!(text.contains("GW-INV-001 (73.5 kWh)"), "{text}");
}

#[test]
fn what_was_to_be_had_is_said_of_a_dead_day_and_of_a_weak_device() {
    let (_, reports) = plant();
    let one = |report: &AnomalyReport| {
        let facts = Facts::Health { report };
        narrate_asked(&facts, Some(Asked::Possible), &Preferences::default()).text
    };
    let mut dead = reports[0].clone();
    dead.days_analyzed = 1;
    dead.lost_kwh = 14.8;
    assert!(
        one(&dead).contains("It would have made about 14.8 kWh"),
        "{}",
        one(&dead)
    );
    let text = one(&reports[1]);
    assert!(
        text.contains("It could have made about 247 kWh more than it did"),
        "{text}"
    );
}

#[test]
fn clouds_do_not_explain_what_the_neighbours_make() {
    let (_, reports) = plant();
    let why = |report: &AnomalyReport| {
        let facts = Facts::Health { report };
        narrate_asked(&facts, Some(Asked::Why), &Preferences::default()).text
    };
    let text = why(&reports[1]);
    assert!(!text.contains("clouds alone can"), "{text}");
    assert!(text.contains("neither an outage nor clouds"), "{text}");
    let sound = health(&[], AnomalySeverity::Low, Some(100.0));
    assert!(why(&sound).contains("clouds alone can"), "{}", why(&sound));
}

#[test]
fn since_when_a_device_lags_is_not_made_up() {
    let (_, reports) = plant();
    let facts = Facts::Health {
        report: &reports[1],
    };
    let preferences = Preferences::default();
    let text = narrate_asked(&facts, Some(Asked::LagsSince), &preferences).text;
    assert!(
        text.contains("Since which day LTI-INV-001 makes less I can't tell"),
        "{text}"
    );
}

#[test]
fn the_days_of_low_output_are_named_where_they_are_not_all_days() {
    let mut report = weak("LTI-INV-001", 88.0, 171.0, CapacityBasis::Configured);
    report.vs_peers_pct = Some(-12.0);
    report.events[0].start = at("2025-12-01T00:00:00+01:00");
    report.events[0].minutes = 4.0 * 1440.0;
    let facts = Facts::Health { report: &report };
    let text = narrate_asked(&facts, None, &Preferences::default()).text;
    let days = "It made about 171 kWh less from 1 December to 4 December 2025 than";
    assert!(text.contains(days), "{text}");
    let text = narrate_asked(&facts, Some(Asked::Losses), &Preferences::default()).text;
    assert!(!text.contains("lost nothing"), "{text}");
    assert!(text.contains(days), "{text}");
    let (rows, mut reports) = plant();
    reports[1] = report;
    let text = told(&reports, &rows, Some(Asked::Losses));
    let of_all = "LTI-INV-001 made from 1 December to 4 December 2025 about 171 kWh less than";
    assert!(text.contains(of_all), "{text}");
}

#[test]
fn a_device_that_is_silent_for_longer_than_the_others_is_named() {
    let mut overview = overview(3, false, false);
    let briefing = |overview: &FleetOverview| {
        let facts = Facts::Briefing {
            overview,
            diagnostics: &[],
            previous: None,
        };
        narrate_asked(&facts, None, &Preferences::default()).text
    };
    assert!(!briefing(&overview).contains("sent nothing since"));
    overview.offline_loggers[1].last_seen = Some(at("2025-11-14T23:45:00+01:00"));
    let text = briefing(&overview);
    let named = "MEIER-INV-001 has sent nothing since 14 November 2025; the last readings of the \
                 others that are offline are of 3 December 2025.";
    assert!(text.contains(named), "{text}");
}
