//! What holds for every text: its figures are facts, its length is what was asked for, it ends with
//! a next step.

use contracts::tools::{
    AnomalySeverity, CapacityBasis, ComparisonBasis, ComparisonMetric, Flag, ForecastBasis,
    HealthReport, HealthWord, LoggerList, Money, PerformanceRating, PoolStats, ServiceHealth,
    Trend,
};
use proptest::prelude::*;

use super::facts::{
    by_weather, comparison, curve, day, errors, financial, forecast, health, overview, performance,
    rows,
};
use crate::narrative::{
    Facts, FleetSnapshot, Persona, Preferences, Tone, Verbosity, narrate, suggestions,
};
use agent_kit::figures::unsupported;

const VERBOSITIES: [Verbosity; 3] = [Verbosity::Brief, Verbosity::Standard, Verbosity::Detailed];

/// Every combination of preferences.
fn preferences() -> Vec<Preferences> {
    let mut all = Vec::new();
    for tone in [Tone::Casual, Tone::Professional, Tone::Technical] {
        for verbosity in VERBOSITIES {
            for persona in [Persona::Advisor, Persona::Analyst, Persona::Helper] {
                all.push(Preferences {
                    tone,
                    verbosity,
                    persona,
                    unattended: false,
                });
            }
        }
    }
    all
}

/// Words that give away how it is made.
const INTERNALS: &[&str] = &[
    "logger ",
    "API",
    "JSON",
    "null",
    "query",
    "parameter",
    "database error",
    "NaN",
    "tool",
    "Here is a chart",
    "no_data",
];

fn check(facts: &Facts<'_>) {
    check_for(facts, &preferences());
}

fn check_for(facts: &Facts<'_>, preferences: &[Preferences]) {
    let known = facts.known();
    for preferences in preferences {
        let told = narrate(facts, preferences);
        let text = &told.text;
        let wrong = unsupported(text, &known);
        assert!(
            wrong.is_empty(),
            "{wrong:?} in {text:?} for {preferences:?}"
        );
        assert!(!INTERNALS.iter().any(|word| text.contains(word)), "{text}");
        assert!(
            text.ends_with(['.', '?']) && !text.contains("  ") && !text.contains(".."),
            "{text:?}"
        );
        if preferences.tone != Tone::Casual {
            assert!(
                !text.contains("n't")
                    && !text.contains("'ll")
                    && !text.contains('!')
                    && !text.contains("it's"),
                "{text}"
            );
        }
        if !matches!(facts, Facts::Greeting { .. }) {
            let count = text.split_whitespace().count();
            let (_, most) = preferences.verbosity.words();
            assert!(
                count * 10 <= most * 13,
                "{count} words, at most {most}: {text}"
            );
            assert!(count >= 8, "{text}");
        }
        let offers = suggestions(facts, told.branch);
        assert!(offers.len() <= 3);
    }
}

#[test]
fn briefings() {
    for offline in 0..=4 {
        for (historical, night) in [(false, false), (true, false), (false, true), (true, true)] {
            let overview = overview(offline, historical, night);
            let before = FleetSnapshot {
                percent_online: 100.0,
                offline: Vec::new(),
                at: super::facts::at("2025-12-03T14:00:00+01:00"),
                ..FleetSnapshot::of(&overview)
            };
            for previous in [None, Some(&before), Some(&FleetSnapshot::of(&overview))] {
                for diagnostics in [
                    vec![],
                    vec![errors("SD-INV-001", true, 2)],
                    vec![
                        errors("SD-INV-001", false, 1),
                        errors("GW-INV-001", true, 0),
                    ],
                ] {
                    check(&Facts::Briefing {
                        overview: &overview,
                        diagnostics: &diagnostics,
                        previous,
                    });
                }
            }
            for local_hour in [0, 5, 11, 12, 17, 18, 23] {
                check(&Facts::Greeting {
                    local_hour,
                    overview: Some(&overview),
                });
            }
        }
    }
    let mut empty = overview(0, false, false);
    empty.status.total_loggers = 0;
    check(&Facts::Briefing {
        overview: &empty,
        diagnostics: &[],
        previous: None,
    });
    check(&Facts::Greeting {
        local_hour: 9,
        overview: None,
    });
}

#[test]
fn forecasts_and_savings() {
    for days in [0, 1, 7] {
        let forecast = forecast(days);
        for basis in [
            ForecastBasis::Weather,
            ForecastBasis::Mixed,
            ForecastBasis::History,
        ] {
            check(&Facts::Forecast {
                forecast: &by_weather(days, basis),
            });
        }
        check(&Facts::Forecast {
            forecast: &forecast,
        });
        for (with_data, expected) in [(0, 30), (1, 1), (7, 30), (27, 30), (30, 30), (80, 90)] {
            check(&Facts::Financial {
                report: &financial(with_data, expected),
                forecast: Some(&forecast),
            });
            check(&Facts::Financial {
                report: &financial(with_data, expected),
                forecast: None,
            });
        }
    }
}

#[test]
fn comparisons() {
    for basis in [
        ComparisonBasis::StatedCapacity,
        ComparisonBasis::StcPower,
        ComparisonBasis::RobustPeak,
        ComparisonBasis::Absolute,
    ] {
        for metric in [
            ComparisonMetric::Power,
            ComparisonMetric::Energy,
            ComparisonMetric::Irradiance,
        ] {
            for (count, step) in [(2, 1.3), (3, 7.7), (4, 15.0)] {
                let mut comparison = comparison(count, step, metric, basis);
                check(&Facts::Audit {
                    comparison: &comparison,
                });
                comparison.best = None;
                check(&Facts::Audit {
                    comparison: &comparison,
                });
            }
        }
    }
}

#[test]
fn health_checks() {
    let outages = ["2025-11-29", "2025-12-01", "2025-12-03", "2025-12-04"];
    for count in 0..=4 {
        for score in [None, Some(98.7), Some(71.0)] {
            for severity in [
                AnomalySeverity::Low,
                AnomalySeverity::Medium,
                AnomalySeverity::High,
            ] {
                let mut report = health(&outages[..count], severity, score);
                check(&Facts::Health { report: &report });
                report.missing_days = vec![day("2025-11-30")];
                report.dead_days = vec![day("2025-12-02"), day("2025-12-03")];
                report.flags = vec![Flag::IrradianceMissing];
                check(&Facts::Health { report: &report });
                for (counts, unknown) in [
                    ([0, 0, 0, 0], false),
                    ([0, count as u64, 0, 0], false),
                    ([1, 3, 0, 2], true),
                ] {
                    let reports = [report.clone(), health(&[], severity, Some(100.0))];
                    check(&Facts::FleetHealth {
                        rows: &rows(counts, unknown),
                        reports: &reports,
                        availability: None,
                    });
                }
            }
        }
    }
    check(&Facts::FleetHealth {
        rows: &[],
        reports: &[],
        availability: None,
    });
}

#[test]
fn single_questions() {
    for trend in [Trend::Increasing, Trend::Decreasing, Trend::Stable] {
        for completeness in [1.0, 0.73, 0.31] {
            let (curve, stats) = curve(completeness, trend);
            check(&Facts::PowerCurve {
                curve: &curve,
                stats: Some(&stats),
            });
            check(&Facts::PowerCurve {
                curve: &curve,
                stats: None,
            });
        }
    }
    for (basis, rating) in [
        (CapacityBasis::Configured, Some(PerformanceRating::Low)),
        (CapacityBasis::Parameter, Some(PerformanceRating::Critical)),
        (CapacityBasis::Configured, Some(PerformanceRating::Normal)),
        (CapacityBasis::Inferred, None),
    ] {
        check(&Facts::Performance {
            report: &performance(basis, rating, vec![]),
        });
        check(&Facts::Performance {
            report: &performance(
                basis,
                rating,
                vec![Flag::IncompleteDay, Flag::IrradianceNotPoa],
            ),
        });
    }
    for count in 0..4 {
        check(&Facts::Errors {
            report: &errors("LTI-INV-001", true, count),
        });
        check(&Facts::Errors {
            report: &errors("LTI-INV-001", false, count),
        });
    }
    let loggers = crate::language::tests::demo();
    check(&Facts::Loggers {
        list: &LoggerList {
            kind: "logger_list".to_owned(),
            count: 4,
            loggers,
        },
    });
    for status in [ServiceHealth::Healthy, ServiceHealth::Degraded] {
        let report = HealthReport {
            kind: "health_check".to_owned(),
            status,
            database: "It does not answer.".to_owned(),
            pool_stats: Some(PoolStats {
                pool_size: 1,
                checked_in: 1,
                checked_out: 0,
                overflow: 0,
            }),
        };
        check(&Facts::Service { report: &report });
    }
}

#[test]
fn a_standard_text_is_long_enough() {
    let overview = overview(1, true, false);
    let report = health(&["2025-11-29"], AnomalySeverity::High, Some(88.0));
    let comparison = comparison(
        4,
        7.7,
        ComparisonMetric::Power,
        ComparisonBasis::StatedCapacity,
    );
    let (financial, forecast, (curve, stats)) =
        (financial(30, 30), forecast(7), curve(1.0, Trend::Stable));
    let all = [
        Facts::Briefing {
            overview: &overview,
            diagnostics: &[],
            previous: None,
        },
        Facts::Financial {
            report: &financial,
            forecast: Some(&forecast),
        },
        Facts::Audit {
            comparison: &comparison,
        },
        Facts::Health { report: &report },
        Facts::PowerCurve {
            curve: &curve,
            stats: Some(&stats),
        },
        Facts::Forecast {
            forecast: &forecast,
        },
    ];
    for facts in all {
        for verbosity in VERBOSITIES {
            let text = narrate(
                &facts,
                &Preferences {
                    verbosity,
                    ..Preferences::default()
                },
            )
            .text;
            let (fewest, most) = verbosity.words();
            let count = text.split_whitespace().count();
            assert!(
                (fewest * 7 / 10..=most * 13 / 10).contains(&count),
                "{count} words for {verbosity:?}: {text}"
            );
        }
    }
}

#[test]
fn the_same_facts_are_told_in_the_same_words() {
    let overview = overview(1, true, false);
    let facts = Facts::Briefing {
        overview: &overview,
        diagnostics: &[],
        previous: None,
    };
    assert_eq!(
        narrate(&facts, &Preferences::default()),
        narrate(&facts, &Preferences::default())
    );
}

proptest! {
    #[test]
    fn what_is_said_of_health_agrees_with_the_score(score in 0.0..=100.0_f64, count in 0_usize..4, level in 0_usize..3, verbosity in 0_usize..3) {
        let severity = [AnomalySeverity::Low, AnomalySeverity::Medium, AnomalySeverity::High][level];
        let days = ["2025-11-29", "2025-12-01", "2025-12-03"];
        let report = health(&days[..count], severity, Some(score));
        let word = HealthWord::of(Some(score));
        let preferences = Preferences { verbosity: VERBOSITIES[verbosity], ..Preferences::default() };
        let text = narrate(&Facts::Health { report: &report }, &preferences).text;
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        prop_assert!(word == HealthWord::Healthy || !says(&["looks healthy", "Good news", "still good", "still excellent"]), "{score}: {text}");
        prop_assert!(word == HealthWord::Critical || !says(&["needs attention", "which is low", "very low"]), "{score}: {text}");
        prop_assert!(!says(&["the sun offered"]), "{text}");
        prop_assert_eq!(crate::cards::health_word(&report), word);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn figures_are_facts_whatever_they_are(
        power in -5_000.0..5e9_f64, energy in 0.0..5e6_f64, money in 0.0..1e7_f64, score in 0.0..100.0_f64, share in 0.0..1.0_f64, minutes in 0.0..5_000.0_f64, count in 0_u64..100_000, spread in 0.0..100.0_f64,
    ) {
        let all = VERBOSITIES.map(|verbosity| Preferences { verbosity, ..Preferences::default() });
        let mut fleet = overview(1, false, false);
        fleet.production.current_total_power_watts = power;
        fleet.production.today_total_energy_kwh = energy;
        fleet.production.specific_yield = Some(share * 10.0);
        fleet.oldest_reading_minutes = Some(minutes);
        let before = FleetSnapshot { percent_online: score, at: super::facts::at("2025-12-01T00:00:00+01:00"), ..FleetSnapshot::of(&fleet) };
        check_for(&Facts::Briefing { overview: &fleet, diagnostics: &[], previous: Some(&before) }, &all);

        let mut report = financial(20, 30);
        (report.total_energy_kwh, report.savings, report.co2_offset_kg, report.electricity_rate) = (energy, Some(money), energy * share, Some(share));
        check_for(&Facts::Financial { report: &report, forecast: None }, &all);

        let mut found = health(&["2025-11-29"], AnomalySeverity::Medium, Some(score));
        (found.events[0].minutes, found.lost_kwh, found.availability_energy, found.total_records) = (minutes, energy, Some(share), count);
        found.lost_money = Some(Money { amount: money, currency: "EUR".to_owned(), default_tariff: false });
        check_for(&Facts::Health { report: &found }, &all);

        let (mut day, mut stats) = curve(share, Trend::Stable);
        (stats.peak_value, stats.avg_value, stats.total_energy, day.clipped_samples) = (power, power * share, Some(energy), count);
        check_for(&Facts::PowerCurve { curve: &day, stats: Some(&stats) }, &all);

        let mut side_by_side = comparison(3, spread / 2.0, ComparisonMetric::Power, ComparisonBasis::StatedCapacity);
        side_by_side.spread_percent = Some(spread);
        side_by_side.record_count = count;
        check_for(&Facts::Audit { comparison: &side_by_side }, &all);
    }
}
