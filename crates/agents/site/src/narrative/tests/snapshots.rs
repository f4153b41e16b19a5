//! The texts themselves.

use contracts::tools::{
    AnomalySeverity, CapacityBasis, ComparisonBasis, ComparisonMetric, Flag, ForecastBasis,
    LoggerList, PerformanceRating, Trend,
};

use super::facts::{
    by_weather, comparison, curve, day, errors, financial, forecast, health, overview, performance,
    rows,
};
use crate::language::tests::demo;
use crate::narrative::{Facts, FleetSnapshot, Preferences, Verbosity, narrate};

/// Brief, standard and detailed.
fn told(facts: &Facts<'_>) -> String {
    [Verbosity::Brief, Verbosity::Standard, Verbosity::Detailed]
        .map(|verbosity| {
            narrate(
                facts,
                &Preferences {
                    verbosity,
                    ..Preferences::default()
                },
            )
            .text
        })
        .join("\n\n")
}

#[test]
fn briefing_of_a_healthy_old_fleet() {
    insta::assert_snapshot!(told(&Facts::Briefing {
        overview: &overview(0, true, false),
        diagnostics: &[],
        previous: None
    }));
}

#[test]
fn briefing_with_a_device_offline() {
    let overview = overview(1, false, false);
    let before = FleetSnapshot {
        at: super::facts::at("2025-12-03T14:00:00+01:00"),
        percent_online: 50.0,
        offline: vec!["SD-INV-001".to_owned(), "GW-INV-001".to_owned()],
        ..FleetSnapshot::of(&overview)
    };
    insta::assert_snapshot!(told(&Facts::Briefing {
        overview: &overview,
        diagnostics: &[errors("SD-INV-001", false, 1)],
        previous: Some(&before)
    }));
}

#[test]
fn savings() {
    insta::assert_snapshot!(told(&Facts::Financial {
        report: &financial(28, 30),
        forecast: Some(&forecast(7))
    }));
}

#[test]
fn audit_with_a_laggard() {
    insta::assert_snapshot!(told(&Facts::Audit {
        comparison: &comparison(
            4,
            15.0,
            ComparisonMetric::Power,
            ComparisonBasis::StatedCapacity
        )
    }));
}

#[test]
fn health_with_an_outage() {
    let mut report = health(&["2025-11-29"], AnomalySeverity::High, Some(83.0));
    report.missing_days = vec![day("2025-12-02")];
    insta::assert_snapshot!(told(&Facts::Health { report: &report }));
}

#[test]
fn health_of_all() {
    let reports = [
        health(&["2025-11-29"], AnomalySeverity::Medium, Some(83.0)),
        health(&[], AnomalySeverity::Low, Some(100.0)),
    ];
    insta::assert_snapshot!(told(&Facts::FleetHealth {
        rows: &rows([0, 2, 0, 0], true),
        reports: &reports,
        availability: None,
    }));
}

#[test]
fn one_day() {
    let (curve, stats) = curve(0.92, Trend::Decreasing);
    insta::assert_snapshot!(told(&Facts::PowerCurve {
        curve: &curve,
        stats: Some(&stats)
    }));
}

#[test]
fn days_to_come() {
    insta::assert_snapshot!(told(&Facts::Forecast {
        forecast: &forecast(7)
    }));
}

#[test]
fn what_a_forecast_rests_on_is_always_said() {
    for (basis, said) in [
        (
            ForecastBasis::Weather,
            "the irradiance that is forecast for your site",
        ),
        (
            ForecastBasis::Mixed,
            "For 4 days it rests on forecast irradiance",
        ),
        (ForecastBasis::History, "not on the weather forecast"),
    ] {
        let forecast = by_weather(7, basis);
        let facts = Facts::Forecast {
            forecast: &forecast,
        };
        for verbosity in [Verbosity::Brief, Verbosity::Standard, Verbosity::Detailed] {
            let preferences = Preferences {
                verbosity,
                ..Preferences::default()
            };
            let text = narrate(&facts, &preferences).text;
            assert!(text.contains(said), "{text}");
        }
    }
}

#[test]
fn ratios() {
    let known = performance(
        CapacityBasis::Configured,
        Some(PerformanceRating::Low),
        vec![],
    );
    let inferred = performance(CapacityBasis::Inferred, None, vec![Flag::CapacityInferred]);
    insta::assert_snapshot!(
        [
            told(&Facts::Performance { report: &known }),
            told(&Facts::Performance { report: &inferred })
        ]
        .join("\n\n")
    );
}

#[test]
fn codes() {
    insta::assert_snapshot!(
        [
            told(&Facts::Errors {
                report: &errors("LTI-INV-001", false, 1)
            }),
            told(&Facts::Errors {
                report: &errors("GW-INV-001", true, 2)
            })
        ]
        .join("\n\n")
    );
}

#[test]
fn devices() {
    insta::assert_snapshot!(told(&Facts::Loggers {
        list: &LoggerList {
            kind: "logger_list".to_owned(),
            count: 4,
            loggers: demo()
        }
    }));
}

#[test]
fn hello() {
    insta::assert_snapshot!(
        [
            narrate(
                &Facts::Greeting {
                    local_hour: 8,
                    overview: Some(&overview(1, true, false))
                },
                &Preferences::default()
            )
            .text,
            narrate(
                &Facts::Greeting {
                    local_hour: 23,
                    overview: None
                },
                &Preferences::default()
            )
            .text
        ]
        .join("\n\n---\n\n")
    );
}
