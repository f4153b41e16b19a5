//! Formats, branches, prompts and phrases.

use contracts::tools::{
    AnomalySeverity, AvailableRange, ComparisonBasis, ComparisonMetric, Period,
};

use super::facts::{comparison, day, health, overview, rows};
use crate::language::tests::{demo, horizon};
use crate::language::{Argument, Flow, Note, Offered, PickerAnswer, parse_answer};
use crate::narrative::prompts::{Picker, picker, recovery_dates, recovery_logger};
use crate::narrative::{
    Branch, Facts, FleetSnapshot, Preferences, Severity, Verbosity, fleet_severity, format,
    health_severity, narrate, phrases, time_of_day,
};

fn branch(facts: &Facts<'_>) -> Branch {
    narrate(facts, &Preferences::default()).branch
}

#[test]
fn figures_amounts_and_days() {
    assert_eq!(
        [
            format::power(0.0),
            format::power(-3.2),
            format::power(999.4),
            format::power(999.6),
            format::power(4_321.0),
            format::power(98_765.0),
            format::power(1_234_567.0)
        ],
        [
            "0 W", "-3 W", "999 W", "1 kW", "4.32 kW", "98.8 kW", "1.23 MW"
        ]
    );
    assert_eq!(
        [
            format::energy(0.004),
            format::energy(9.5),
            format::energy(132.47),
            format::energy(9_999.0),
            format::energy(12_345.0)
        ],
        ["0 kWh", "9.5 kWh", "132 kWh", "9,999 kWh", "12.3 MWh"]
    );
    assert_eq!(
        [format::mass(532.4), format::mass(15_400.0)],
        ["532 kg", "15.4 t"]
    );
    assert_eq!(
        [
            format::percent(75.0),
            format::percent(74.96),
            format::percent(0.04)
        ],
        ["75 %", "75 %", "0 %"]
    );
    assert_eq!(
        [
            format::money(1_234.5, "CHF"),
            format::money(-0.001, "USD"),
            format::rate(0.285, "CHF"),
            format::rate(0.2, "USD")
        ],
        ["CHF 1,234.50", "USD 0.00", "CHF 0.285", "USD 0.20"]
    );
    assert_eq!(
        [
            format::decimal(1_234_567.891, 2),
            format::decimal(-1_000.0, 0),
            format::decimal(f64::NAN, 1)
        ],
        ["1,234,567.89", "-1,000", "an unknown number of"]
    );
    assert_eq!(
        [
            format::duration(1.0),
            format::duration(45.0),
            format::duration(60.0),
            format::duration(238.0)
        ],
        ["1 minute", "45 minutes", "1 hour", "4 hours"]
    );
    let (start, end) = (day("2025-11-28"), day("2025-12-04"));
    assert_eq!(
        format::period(Period { start, end }),
        "28 November to 4 December 2025"
    );
    assert_eq!(
        format::from_to(day("2024-12-28"), end),
        "from 28 December 2024 to 4 December 2025"
    );
    assert_eq!(format::from_to(end, end), "on 4 December 2025");
    assert_eq!(format::list(&["a", "b", "c"]), "a, b and c");
    assert_eq!(format::alternatives(&["a", "b"]), "a or b");
    assert_eq!(
        format::list_most(&["a", "b", "c", "d"], 2),
        "a, b and 2 more"
    );
}

#[test]
fn branches_in_order() {
    use AnomalySeverity::{High, Low, Medium};

    let brief = |offline, historical, previous: Option<&FleetSnapshot>| {
        branch(&Facts::Briefing {
            overview: &overview(offline, historical, false),
            diagnostics: &[],
            previous,
        })
    };
    assert_eq!(
        [
            brief(0, false, None),
            brief(0, true, None),
            brief(1, true, None),
            brief(2, false, None),
            brief(4, false, None)
        ],
        [
            Branch::HealthyAllClear,
            Branch::DataStale,
            Branch::WarningSingle,
            Branch::CriticalHighSeverity,
            Branch::CriticalHighSeverity
        ]
    );
    let before = FleetSnapshot::of(&overview(0, false, false));
    assert_eq!(brief(1, false, Some(&before)), Branch::TrendDegrading);
    let audit = |step, count| {
        branch(&Facts::Audit {
            comparison: &comparison(
                count,
                step,
                ComparisonMetric::Power,
                ComparisonBasis::StatedCapacity,
            ),
        })
    };
    assert_eq!(
        [
            audit(9.9, 2),
            audit(10.0, 2),
            audit(10.0, 4),
            audit(30.0, 2)
        ],
        [
            Branch::ComparisonConsistent,
            Branch::ComparisonModerate,
            Branch::ComparisonSignificant,
            Branch::ComparisonSignificant
        ]
    );
    let days = ["2025-11-29", "2025-12-01", "2025-12-03"];
    let of = |count: usize, severity, score| {
        branch(&Facts::Health {
            report: &health(&days[..count], severity, score),
        })
    };
    assert_eq!(of(2, High, None), Branch::DataIncomplete);
    assert_eq!(of(3, High, Some(50.0)), Branch::RecurrentIssue);
    assert_eq!(of(1, High, Some(50.0)), Branch::CriticalHighSeverity);
    assert_eq!(of(1, Medium, Some(90.0)), Branch::WarningMultiple);
    assert_eq!(of(2, Low, Some(90.0)), Branch::WarningSingle);
    assert_eq!(of(0, Low, Some(95.0)), Branch::HealthyAllClear);
    assert_eq!(of(0, Low, Some(94.9)), Branch::HealthyMinorNotes);
    assert_eq!(
        branch(&Facts::FleetHealth {
            rows: &rows([0, 1, 1, 0], false),
            reports: &[],
            availability: None,
        }),
        Branch::CriticalFleetWide
    );
    assert_eq!(
        branch(&Facts::FleetHealth {
            rows: &rows([0, 1, 0, 0], false),
            reports: &[],
            availability: None,
        }),
        Branch::WarningSingle
    );
    assert_eq!(
        branch(&Facts::FleetHealth {
            rows: &[],
            reports: &[],
            availability: None,
        }),
        Branch::DataIncomplete
    );
}

#[test]
fn severity_bands() {
    assert_eq!(
        [99.0, 95.0, 85.0, 70.0, 69.9].map(fleet_severity),
        [
            Severity::Excellent,
            Severity::Good,
            Severity::Attention,
            Severity::Concern,
            Severity::Urgent
        ]
    );
    assert_eq!(
        [98.0, 95.0, 75.0, 50.0, 49.9].map(health_severity),
        [
            Severity::Excellent,
            Severity::Good,
            Severity::Attention,
            Severity::Concern,
            Severity::Urgent
        ]
    );
}

#[test]
fn times_of_day() {
    assert_eq!(
        [4, 5, 11, 12, 17, 18, 21, 22].map(time_of_day),
        [
            "evening",
            "morning",
            "morning",
            "afternoon",
            "afternoon",
            "evening",
            "evening",
            "evening"
        ]
    );
}

#[test]
fn unknown_scores_are_never_good_ones() {
    let text = narrate(
        &Facts::Health {
            report: &health(&[], AnomalySeverity::Low, None),
        },
        &Preferences::default(),
    )
    .text;
    assert!(
        text.contains("too little data") && !text.contains("healthy") && !text.contains("100"),
        "{text}"
    );
}

#[test]
fn a_weak_device_is_told_by_what_its_peers_make_and_not_praised_for_running() {
    let mut report = health(&[], AnomalySeverity::Medium, Some(69.0));
    report.anomaly_count = 1;
    report.availability_energy = Some(1.0);
    report.vs_peers_pct = Some(-31.2);
    report.shortfall_kwh = Some(118.4);
    let verbosity = crate::narrative::Verbosity::Detailed;
    let preferences = Preferences {
        verbosity,
        ..Preferences::default()
    };
    let text = narrate(&Facts::Health { report: &report }, &preferences).text;
    assert!(
        text.contains("31.2 % less than its site's other inverters"),
        "{text}"
    );
    assert!(
        !text.contains("looks healthy") && !text.contains("offered"),
        "{text}"
    );
    assert!(text.contains("not how well"), "{text}");
}

#[test]
fn sites_of_different_ages_are_told_with_windows_of_their_own() {
    let mut old = health(&[], AnomalySeverity::Low, Some(100.0));
    (old.logger_id, old.site_id) = ("RSF2-INV2".to_owned(), Some("rsf2".to_owned()));
    old.period.start = day("2021-12-31");
    old.period.end = day("2022-01-06");
    let mut new = health(&[], AnomalySeverity::Low, Some(100.0));
    new.site_id = Some("demo".to_owned());
    let text = narrate(
        &Facts::FleetHealth {
            rows: &rows([0, 0, 0, 0], false),
            reports: &[new, old],
            availability: None,
        },
        &Preferences::default(),
    )
    .text;
    assert!(!text.contains("December 2021 to 4 December 2025"), "{text}");
    assert!(text.contains("(rsf2)") && text.contains("(demo)"), "{text}");
}

#[test]
fn who_was_out_on_a_day_is_named_with_the_time() {
    let mut out = health(&["2025-11-29"], AnomalySeverity::High, Some(80.0));
    out.period.start = day("2025-11-29");
    out.period.end = day("2025-11-29");
    let mut well = health(&[], AnomalySeverity::Low, Some(100.0));
    (well.logger_id, well.period) = ("GW-INV-001".to_owned(), out.period);
    let text = narrate(
        &Facts::FleetHealth {
            rows: &rows([0, 1, 0, 0], false),
            reports: &[well, out],
            availability: None,
        },
        &Preferences::default(),
    )
    .text;
    assert!(
        text.contains("LTI-INV-001 from 10:05 for 3.8 hours"),
        "{text}"
    );
}

#[test]
fn night_is_no_fault() {
    let text = narrate(
        &Facts::Briefing {
            overview: &overview(0, false, true),
            diagnostics: &[],
            previous: None,
        },
        &Preferences::default(),
    )
    .text;
    assert!(
        text.contains("asleep") && !text.contains("offline"),
        "{text}"
    );
}

#[test]
fn every_way_around_a_choice_is_understood() {
    let loggers = demo();
    let range = AvailableRange {
        start: day("2025-11-05"),
        end: day("2025-12-04"),
    };
    for argument in [
        Argument::LoggerId,
        Argument::LoggerIds,
        Argument::Date,
        Argument::DateRange,
    ] {
        for flow in Flow::ALL {
            for count in [2, 3, 4] {
                let words = picker(&Picker {
                    all: true,
                    argument,
                    flow,
                    count,
                    pre_selected: &[],
                    range: Some(range),
                });
                assert!(words.prompt.ends_with('?') && !words.expected_next.is_empty());
                let Some((_, action)) = words.skip else {
                    continue;
                };
                let option =
                    |logger: &contracts::tools::LoggerSummary| contracts::ui::SelectionOption {
                        value: logger.logger_id.clone(),
                        label: logger.logger_id.clone(),
                        group: None,
                        subtitle: None,
                    };
                let offered = Offered {
                    argument,
                    options: loggers.iter().take(count).map(option).collect(),
                    min_date: Some(range.start),
                    max_date: Some(range.end),
                    min_count: Some(2),
                    max_count: Some(5),
                    skip_action: Some(action.clone()),
                };
                assert!(
                    matches!(
                        parse_answer(&action, &offered, &horizon(&loggers)),
                        PickerAnswer::Chosen(_)
                    ),
                    "{action}"
                );
            }
        }
    }
}

#[test]
fn sentences_around_the_answers() {
    let range = AvailableRange {
        start: day("2025-11-05"),
        end: day("2025-12-04"),
    };
    insta::assert_snapshot!(
        [
            phrases::no_data_in_window("GW-INV-001", Some("15 January 2025"), &range),
            recovery_dates(Argument::Date, Some("15 January 2025"), &range).prompt,
            recovery_dates(Argument::DateRange, None, &range).prompt,
            recovery_logger("INV-9", 3).prompt,
            phrases::no_data("GW-INV-001", true),
            phrases::no_data("GW-INV-001", false),
            phrases::tool_failed(Some("The weather service did not answer")),
            phrases::tool_failed(None),
            phrases::unknown_logger(
                "INV-999",
                &["GW-INV-001".to_owned(), "LTI-INV-001".to_owned()]
            ),
            phrases::ambiguous_logger(
                "inverter 1",
                &["GW-INV-001".to_owned(), "LTI-INV-001".to_owned()]
            ),
            phrases::ambiguous_logger("LTI-IVN-001", &["LTI-INV-001".to_owned()]),
            phrases::not_a_date("Feb 30"),
            phrases::note(&Note::HorizonCapped { asked: 30 }),
            phrases::note(&Note::RateOutOfRange { asked: 30.0 }),
            phrases::comparing_instead(3),
            phrases::acknowledgement(&["GW-INV-001".to_owned(), "SD-INV-001".to_owned()]),
            phrases::GIVE_UP.to_owned(),
        ]
        .join("\n")
    );
}

#[test]
fn a_site_that_sends_nothing_has_to_be_said() {
    let mut fleet = overview(0, true, false);
    let mut barn = fleet.sites[0].clone();
    barn.name = "Barn".to_owned();
    barn.current = false;
    fleet.sites.push(barn);
    let facts = Facts::Briefing {
        overview: &fleet,
        diagnostics: &[],
        previous: None,
    };
    for verbosity in [Verbosity::Brief, Verbosity::Standard, Verbosity::Detailed] {
        let preferences = Preferences {
            verbosity,
            ..Preferences::default()
        };
        let must = narrate(&facts, &preferences).must;
        let says = must
            .iter()
            .any(|one| one.starts_with("Barn has sent nothing"));
        assert!(says, "{must:?}");
    }
}
