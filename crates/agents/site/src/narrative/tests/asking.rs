//! The explicitly requested figure is in the sentence, and sentences about several
//! devices do not contradict themselves.

use contracts::tools::{
    AnomalyReport, AnomalySeverity, CapacityBasis, DataGap, ExcludedLogger, ExclusionReason,
    FinancialReport, Flag, HealthEventKind, LoggerList, PerformanceRating, PerformanceReport,
    Scope, ScopeKind,
};

use super::facts::{at, day, financial, forecast, health, performance, rows};
use crate::language::tests::demo;
use crate::language::{Beyond, Question, Tongue, understand};
use crate::narrative::refusals::{Near, nearest, refusal};
use crate::narrative::{Asked, Facts, Preferences, narrate, narrate_asked};
use agent_kit::figures::unsupported;

fn answer(facts: &Facts<'_>, asked: Asked) -> String {
    let text = narrate_asked(facts, Some(asked), &Preferences::default()).text;
    assert!(unsupported(&text, &facts.known()).is_empty(), "{text}");
    text
}

fn told(facts: &Facts<'_>) -> String {
    let text = narrate(facts, &Preferences::default()).text;
    assert!(unsupported(&text, &facts.known()).is_empty(), "{text}");
    text
}

fn park() -> Scope {
    Scope {
        kind: ScopeKind::All,
        site_id: None,
        name: "all 2 devices".to_owned(),
        devices: 2,
    }
}

/// One device dead on 30 November, which its outage of that day is part of; one out on 29 November;
/// one that ran.
fn three() -> Vec<AnomalyReport> {
    let mut dead = health(&["2025-11-30"], AnomalySeverity::High, Some(80.0));
    dead.logger_id = "GW-INV-001".to_owned();
    dead.dead_days = vec![day("2025-11-30")];
    let mut event = dead.events[0].clone();
    event.kind = HealthEventKind::DeadDay;
    event.start = at("2025-11-30T00:00:00+01:00");
    event.minutes = 1440.0;
    dead.events.push(event);
    let out = health(&["2025-11-29"], AnomalySeverity::High, Some(88.0));
    let mut well = health(&[], AnomalySeverity::Low, Some(100.0));
    well.logger_id = "SD-INV-001".to_owned();
    (well.availability_time, well.availability_energy) = (Some(1.0), Some(1.0));
    vec![dead, out, well]
}

#[test]
fn all_devices_of_a_long_list_are_named_with_their_place() {
    let one = &demo()[0];
    let loggers: Vec<_> = ('A'..='V')
        .map(|letter| {
            let mut logger = one.clone();
            logger.logger_id = format!("INV-{letter}");
            logger
        })
        .collect();
    let text = told(&Facts::Loggers {
        list: &LoggerList {
            kind: "logger_list".to_owned(),
            count: 22,
            loggers,
        },
    });
    assert!(
        text.starts_with("You have 22 inverters at Demo Site: INV-A, INV-B,"),
        "{text}"
    );
    assert!(text.contains("INV-U and INV-V."), "{text}");
}

#[test]
fn who_was_out_over_several_days_names_the_devices_and_says_a_dead_day_once() {
    let reports = three();
    let rows = rows([1, 1, 0, 0], false);
    let facts = Facts::FleetHealth {
        rows: &rows,
        reports: &reports,
        availability: None,
    };
    let text = answer(&facts, Asked::Outages);
    assert!(
        text.contains("Out then: GW-INV-001 all day on 30 November; LTI-INV-001 on 29 November from 10:05 for 3.8 hours.")
            || text.contains("Out then: LTI-INV-001 on 29 November from 10:05 for 3.8 hours; GW-INV-001 all day on 30 November."),
        "{text}"
    );
    let well = &reports[2..];
    let facts = Facts::FleetHealth {
        rows: &rows,
        reports: well,
        availability: None,
    };
    assert!(answer(&facts, Asked::Outages).contains("No device stood still"));
    // The dead day's outage is not mentioned separately.
    let one = Facts::Health {
        report: &reports[0],
    };
    let text = answer(&one, Asked::Outages);
    assert!(text.contains("It stood still for 1 whole day."), "{text}");
    assert!(!text.contains("out in full sun"), "{text}");
}

#[test]
fn availability_is_in_the_sentence_of_one_device_and_of_several() {
    let reports = three();
    let one = Facts::Health {
        report: &reports[1],
    };
    let text = answer(&one, Asked::Availability);
    assert!(
        text.contains("94.8 % by time and 93.4 % by energy"),
        "{text}"
    );
    assert_eq!(text.matches("by energy").count(), 1, "{text}");
    let rows = rows([1, 1, 0, 0], false);
    let all = Facts::FleetHealth {
        rows: &rows,
        reports: &reports,
        availability: None,
    };
    let all = match all {
        Facts::FleetHealth { rows, reports, .. } => Facts::FleetHealth {
            rows,
            reports,
            availability: Some(0.965),
        },
        other => other,
    };
    let text = answer(&all, Asked::Availability);
    assert!(
        text.contains(
            "The availability by time was 96.5 % in all; GW-INV-001 has the lowest, 94.8 %."
        ),
        "{text}"
    );
}

#[test]
fn carbon_and_losses_are_in_the_sentence_when_they_are_asked_for() {
    let report = financial(30, 30);
    for facts in [
        Facts::Energy { report: &report },
        Facts::Financial {
            report: &report,
            forecast: None,
        },
    ] {
        let text = answer(&facts, Asked::Carbon);
        assert_eq!(text.matches("of CO2 out of the air").count(), 1, "{text}");
    }
    let lost = health(&["2025-11-29"], AnomalySeverity::High, Some(88.0));
    let text = answer(&Facts::Health { report: &lost }, Asked::Losses);
    assert!(text.contains("Outages cost you about 16.8 kWh"), "{text}");
    let mut well = health(&[], AnomalySeverity::Low, Some(100.0));
    well.lost_kwh = 0.0;
    let text = answer(&Facts::Health { report: &well }, Asked::Losses);
    assert!(text.contains("lost nothing"), "{text}");
}

#[test]
fn days_of_one_device_are_not_days_of_all() {
    let whole = financial(30, 30);
    let lacking = FinancialReport {
        logger_id: "LTI-INV-001".to_owned(),
        ..financial(10, 30)
    };
    let mut all = FinancialReport {
        logger_id: "all 2 devices".to_owned(),
        scope: Some(park()),
        days_expected: 60,
        days_with_data: 25,
        missing_days: lacking.missing_days.clone(),
        ..financial(10, 30)
    };
    all.devices = vec![whole, lacking];
    for facts in [
        Facts::Energy { report: &all },
        Facts::Financial {
            report: &all,
            forecast: None,
        },
    ] {
        let text = told(&facts);
        assert!(
            text.contains("Data are missing from LTI-INV-001 (20 days)."),
            "{text}"
        );
        assert!(
            !text.contains("of 60 days") && !text.contains("missing for"),
            "{text}"
        );
        assert!(
            text.contains("All 2 devices") || text.contains("on all 2 devices"),
            "{text}"
        );
    }
}

fn ratio(id: &str, percent: f64, flags: Vec<Flag>) -> PerformanceReport {
    PerformanceReport {
        logger_id: id.to_owned(),
        performance_ratio: percent,
        pr: percent / 100.0,
        ..performance(CapacityBasis::Configured, None, flags)
    }
}

#[test]
fn an_implausible_ratio_is_named_and_is_neither_the_highest_nor_in_the_verdict() {
    let mut report = PerformanceReport {
        scope: Some(park()),
        rating: Some(PerformanceRating::Normal),
        devices: vec![
            ratio("LTI-INV-001", 78.0, Vec::new()),
            ratio("SD-INV-001", 82.0, Vec::new()),
            ratio("GW-INV-001", 199.4, vec![Flag::CapacityImplausible]),
        ],
        ..ratio("all 3 devices", 80.0, Vec::new())
    };
    let text = told(&Facts::Performance { report: &report });
    assert!(
        text.contains("LTI-INV-001 has the lowest, 78 %, and SD-INV-001 the highest, 82 %."),
        "{text}"
    );
    assert!(
        text.contains("I left out GW-INV-001: no array has such a ratio"),
        "{text}"
    );
    assert!(!text.contains("hardly plausible"), "{text}");
    // Where all are, there is no verdict.
    report.devices.drain(..2);
    report.flags = vec![Flag::CapacityImplausible];
    let text = told(&Facts::Performance { report: &report });
    assert!(
        text.contains("hardly plausible") && !text.contains("normal"),
        "{text}"
    );
}

#[test]
fn a_size_that_is_taken_from_the_peers_is_said_to_be() {
    let report = performance(CapacityBasis::Peers, None, Vec::new());
    let text = told(&Facts::Performance { report: &report });
    assert!(
        text.contains("took that of the site's other inverters"),
        "{text}"
    );
    let mut report = health(&[], AnomalySeverity::Medium, Some(52.0));
    (report.vs_peers_pct, report.shortfall_kwh) = (Some(-38.0), Some(41.2));
    report.capacity_basis = Some(CapacityBasis::Peers);
    let text = told(&Facts::Health { report: &report });
    assert!(
        text.contains("38 % less than its site's other inverters"),
        "{text}"
    );
    assert!(
        text.contains("Its size isn't stated, so I took theirs"),
        "{text}"
    );
}

#[test]
fn what_a_refusal_offers_is_three_different_questions_that_are_answered() {
    let loggers = demo();
    for kind in [
        Beyond::Control,
        Beyond::Cause,
        Beyond::Work,
        Beyond::Export,
        Beyond::Change,
        Beyond::Notify,
        Beyond::FutureMoney,
        Beyond::FutureFault,
        Beyond::Days,
        Beyond::Periods,
        Beyond::Repair,
        Beyond::Weather,
        Beyond::Quantity,
        Beyond::Language(Tongue::German),
        Beyond::Other,
    ] {
        for device in [None, Some("LTI-INV-001")] {
            for loggers in [&loggers[..], &loggers[..1]] {
                let offers = nearest(
                    kind,
                    &Near {
                        loggers,
                        device,
                        instead: &[],
                    },
                );
                for (at, offer) in offers.iter().enumerate() {
                    let question = understand(offer, loggers).question;
                    let refused = matches!(question, Question::Beyond(_) | Question::Unknown);
                    assert!(!refused, "{kind:?}: {offer:?} is {question:?}");
                    assert!(!offers[..at].contains(offer), "{kind:?}: {offers:?}");
                }
                let text = refusal(
                    kind,
                    &["battery".to_owned()],
                    &Near {
                        loggers,
                        device,
                        instead: &[],
                    },
                );
                assert!(
                    offers.iter().all(|offer| text.contains(offer.as_str())),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn losses_in_two_currencies_are_told_in_each() {
    let home = health(&["2025-11-29"], AnomalySeverity::High, Some(88.0));
    let mut abroad = home.clone();
    abroad.logger_id = "GW-INV-001".to_owned();
    if let Some(money) = &mut abroad.lost_money {
        money.currency = "USD".to_owned();
    }
    let reports = [home, abroad];
    let rows = rows([1, 1, 0, 0], false);
    let facts = Facts::FleetHealth {
        rows: &rows,
        reports: &reports,
        availability: None,
    };
    let text = answer(&facts, Asked::Losses);
    assert!(
        text.contains("worth CHF 4.80 and USD 4.80, in all"),
        "{text}"
    );
}

#[test]
fn a_day_without_data_is_not_a_day_without_an_outage() {
    let mut silent = health(&[], AnomalySeverity::Low, Some(50.0));
    silent.days_analyzed = 1;
    silent.missing_days = vec![day("2025-12-04")];
    let text = answer(&Facts::Health { report: &silent }, Asked::Outages);
    assert!(text.contains("I can't tell whether it ran"), "{text}");
    assert!(!text.contains("stand still"), "{text}");
    let reports = [silent];
    let rows = rows([1, 1, 0, 0], false);
    let facts = Facts::FleetHealth {
        rows: &rows,
        reports: &reports,
        availability: None,
    };
    let text = answer(&facts, Asked::Outages);
    assert!(text.contains("there are none from LTI-INV-001"), "{text}");
}

#[test]
fn why_a_device_failed_is_not_guessed() {
    let out = health(&["2025-11-29"], AnomalySeverity::High, Some(88.0));
    let text = answer(&Facts::Health { report: &out }, Asked::Why);
    assert!(text.contains("Why, the readings don't say"), "{text}");
    let well = health(&[], AnomalySeverity::Low, Some(100.0));
    let text = answer(&Facts::Health { report: &well }, Asked::Why);
    assert!(text.contains("So an outage doesn't explain it"), "{text}");
}

#[test]
fn hours_without_data_are_told_with_their_device_and_day() {
    let gap = |start: &str, end: &str, hours| DataGap {
        logger_id: None,
        start: at(start),
        end: at(end),
        hours,
    };
    let mut one = health(&[], AnomalySeverity::Low, Some(100.0));
    one.gaps = vec![gap(
        "2025-12-01T11:00:00+01:00",
        "2025-12-01T13:30:00+01:00",
        2.5,
    )];
    (one.gap_count, one.gap_hours) = (1, 2.5);
    let text = answer(&Facts::Health { report: &one }, Asked::Missing);
    assert!(
        text.contains(
            "It sent nothing in daylight on 1 December from 11:00 to 13:30 for 2.5 hours."
        ),
        "{text}"
    );
    let mut other = health(&[], AnomalySeverity::Low, Some(100.0));
    other.logger_id = "SD-INV-001".to_owned();
    other.missing_days = vec![day("2025-11-30")];
    for minute in [10, 20, 30, 40, 50] {
        let start = format!("2025-12-02T12:{minute}:00+01:00");
        let end = format!("2025-12-02T12:{}:00+01:00", minute + 5);
        other.gaps.push(gap(&start, &end, 0.08));
    }
    (other.gap_count, other.gap_hours) = (5, 0.42);
    let well = health(&[], AnomalySeverity::Low, Some(100.0));
    let reports = [one, other, well.clone()];
    let facts = Facts::FleetHealth {
        rows: &rows([0, 0, 0, 0], false),
        reports: &reports,
        availability: None,
    };
    let text = answer(&facts, Asked::Missing);
    for part in [
        "No data came from SD-INV-001 on 30 November.",
        "2.9 hours of daylight are without readings: LTI-INV-001 on 1 December from 11:00",
        "and 2 shorter times",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = answer(&Facts::Health { report: &well }, Asked::Missing);
    assert!(text.contains("No day is without data. No hour"), "{text}");
}

#[test]
fn a_tariff_that_nobody_set_is_told_as_the_default() {
    let mut report = financial(30, 30);
    assert!(!told(&Facts::Energy { report: &report }).contains("default"));
    report.default_tariff = true;
    let text = told(&Facts::Energy { report: &report });
    assert!(
        text.contains("No tariff is set, so I took the default of CHF 0.285 per kWh."),
        "{text}"
    );
    let text = answer(&Facts::Energy { report: &report }, Asked::Tariff);
    assert!(text.contains("the default: none is set"), "{text}");
}

#[test]
fn a_loss_at_the_default_tariff_says_so() {
    let mut priced = health(&["2025-11-29"], AnomalySeverity::High, Some(88.0));
    if let Some(money) = &mut priced.lost_money {
        money.default_tariff = true;
    }
    let text = answer(&Facts::Health { report: &priced }, Asked::Losses);
    assert!(
        text.contains("worth CHF 4.80 at the default tariff."),
        "{text}"
    );
    let mut stated = priced.clone();
    stated.logger_id = "GW-INV-001".to_owned();
    if let Some(money) = &mut stated.lost_money {
        money.default_tariff = false;
        money.currency = "USD".to_owned();
    }
    let reports = [priced, stated];
    let rows = rows([1, 1, 0, 0], false);
    let facts = Facts::FleetHealth {
        rows: &rows,
        reports: &reports,
        availability: None,
    };
    let text = answer(&facts, Asked::Losses);
    assert!(
        text.contains("worth CHF 4.80 at the default tariff and USD 4.80, in all"),
        "{text}"
    );
}

/// Of devices with different hours of the day neither the most nor the least is named.
#[test]
fn a_total_ranks_no_devices_with_other_hours_of_the_day() {
    let device = |id: &str| FinancialReport {
        logger_id: id.to_owned(),
        ..financial(1, 1)
    };
    let mut mesa = device("MESA-1");
    mesa.total_energy_kwh /= 2.0;
    let mut all = FinancialReport {
        devices: vec![device("ALP-1"), mesa],
        ..financial(1, 1)
    };
    let told_of = |report: &FinancialReport| told(&Facts::Energy { report });
    assert!(told_of(&all).contains("the most"));
    all.unfinished_day = Some(all.period.end);
    assert!(!told_of(&all).contains("the most"));
    all.unfinished_day = all.period.end.succ_opt();
    let text = told_of(&all);
    assert!(
        text.contains("the most") && text.contains("isn't over at all of your sites"),
        "{text}"
    );
    all.unfinished_day = Some(all.period.end);
    all.other_hours = vec![ExcludedLogger {
        logger_id: "KIWI-1".to_owned(),
        reason: ExclusionReason::OtherHours,
        message: String::new(),
        first_day: None,
        last_day: None,
    }];
    let text = told_of(&all);
    assert!(
        text.contains("the most") && text.contains("KIWI-1 had other hours of that day"),
        "{text}"
    );
}

#[test]
fn the_forecast_of_a_silent_device_names_its_newest_day() {
    let mut silent = forecast(2);
    silent.silent_since = Some(day("2025-12-02"));
    let text = told(&Facts::Forecast { forecast: &silent });
    assert!(
        text.contains("It has sent nothing since 2 December 2025"),
        "{text}"
    );
    let mut long = forecast(0);
    long.silent_since = Some(day("2025-11-17"));
    let text = told(&Facts::Forecast { forecast: &long });
    assert!(
        text.contains(
            "has sent nothing since 17 November 2025, so the forecast would be of days in the past"
        ),
        "{text}"
    );
}

#[test]
fn a_gap_of_hours_leaves_no_device_out_of_the_lowest_ratio() {
    let device = |id: &str, ratio: f64, flags: Vec<Flag>| {
        let mut one = performance(CapacityBasis::Configured, None, flags);
        id.clone_into(&mut one.logger_id);
        one.performance_ratio = ratio;
        one
    };
    let mut report = performance(CapacityBasis::Configured, None, vec![Flag::IncompleteDay]);
    report.scope = Some(park());
    report.coverage = 1.0;
    report.devices = vec![
        device(
            "GAP",
            49.2,
            vec![Flag::IncompleteDay, Flag::RegisterPowerMismatch],
        ),
        device("A", 70.0, Vec::new()),
        device("B", 82.0, Vec::new()),
        device("COUNTS-TOO-MUCH", 99.0, vec![Flag::RegisterPowerMismatch]),
    ];
    let text = told(&Facts::Performance { report: &report });
    for part in [
        "GAP has the lowest, 49.2 %, and B the highest, 82 %.",
        "readings of GAP are missing.",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
