//! Suggestions are messages, and are understood as what they offer.

use contracts::tools::{
    AnomalySeverity, CapacityBasis, ComparisonBasis, ComparisonMetric, LoggerList,
    PerformanceRating, Trend,
};
use contracts::ui::{Suggestion, SuggestionPriority, SuggestionUrgency};

use super::facts::{
    comparison, curve, errors, financial, forecast, health, overview, performance, rows,
};
use crate::language::tests::{demo, horizon};
use crate::language::{Flow, LoggerMention, Question, When, classify, extract, question};
use crate::narrative::{Facts, Preferences, narrate, suggestions};

/// The flow and question that a label promises.
fn promised(label: &str) -> (Flow, Question) {
    match label {
        "Morning briefing" => (Flow::MorningBriefing, Question::Fleet),
        "Check health"
        | "Check the weakest"
        | "Check all devices"
        | "Diagnose offline devices"
        | "Look further back" => (Flow::HealthCheck, Question::Health),
        "Financial summary" | "Show savings" | "Use recent data" => {
            (Flow::FinancialReport, Question::Savings)
        }
        "Check efficiency" => (Flow::FreeChat, Question::PerformanceRatio),
        "Compare devices" | "Compare savings" | "Compare energy" | "Compare power"
        | "Try the latest day" => (Flow::PerformanceAudit, Question::Compare),
        "Show power curve" | "Latest day" => (Flow::FreeChat, Question::PowerCurve),
        "Extend forecast" | "7-day forecast" => (Flow::FreeChat, Question::Forecast),
        "Diagnose errors" => (Flow::FreeChat, Question::ErrorCodes),
        "Check again" => (Flow::FreeChat, Question::ServiceHealth),
        other => panic!("no promise for {other:?}"),
    }
}

fn check(facts: &Facts<'_>) -> Vec<Suggestion> {
    let loggers = demo();
    let offers = suggestions(facts, narrate(facts, &Preferences::default()).branch);
    assert!(offers.len() <= 3);
    assert!(
        offers
            .windows(2)
            .all(|pair| pair[0].urgency <= pair[1].urgency)
    );
    for (index, offer) in offers.iter().enumerate() {
        assert_eq!(offer.priority == SuggestionPriority::Primary, index == 0);
        assert!(
            offers
                .iter()
                .filter(|other| other.label == offer.label)
                .count()
                == 1
        );
        let (flow, tool) = promised(&offer.label);
        let found = classify(&offer.action);
        assert_eq!((found.flow, found.confidence), (flow, 1.0), "{offer:?}");
        assert_eq!(question(&offer.action), tool, "{offer:?}");
        let extraction = extract(&offer.action, &horizon(&loggers));
        assert!(extraction.notes.is_empty(), "{offer:?}: {extraction:?}");
        assert!(
            !matches!(
                extraction.loggers,
                LoggerMention::Unknown { .. } | LoggerMention::Ambiguous { .. }
            ),
            "{offer:?}"
        );
        for logger in loggers
            .iter()
            .filter(|logger| offer.action.contains(&logger.logger_id))
        {
            let named = match &extraction.loggers {
                LoggerMention::One(id) => *id == logger.logger_id,
                LoggerMention::Several(ids) => ids.contains(&logger.logger_id),
                _ => false,
            };
            assert!(named, "{offer:?}: {extraction:?}");
        }
        let dated = offer.action.contains("2025")
            || offer.action.contains("past month")
            || offer.action.contains("last 30 days");
        assert_eq!(
            matches!(extraction.when, Some(When::Day(_) | When::Range(_))),
            dated || offer.action.contains("latest day"),
            "{offer:?}: {extraction:?}"
        );
    }
    offers
}

fn labels(offers: &[Suggestion]) -> Vec<&str> {
    offers.iter().map(|offer| offer.label.as_str()).collect()
}

#[test]
fn every_action_leads_where_its_label_says() {
    for offline in 0..=4 {
        let overview = overview(offline, true, false);
        check(&Facts::Briefing {
            overview: &overview,
            diagnostics: &[],
            previous: None,
        });
        check(&Facts::Greeting {
            local_hour: 8,
            overview: Some(&overview),
        });
    }
    for (with_data, expected) in [(0, 30), (10, 30), (30, 30)] {
        check(&Facts::Financial {
            report: &financial(with_data, expected),
            forecast: None,
        });
    }
    for metric in [ComparisonMetric::Power, ComparisonMetric::Energy] {
        for (count, step) in [(2, 1.0), (3, 8.0), (4, 20.0)] {
            let mut compared = comparison(count, step, metric, ComparisonBasis::StatedCapacity);
            check(&Facts::Audit {
                comparison: &compared,
            });
            compared.worst = None;
            check(&Facts::Audit {
                comparison: &compared,
            });
        }
    }
    for outages in [
        &[][..],
        &["2025-11-29"][..],
        &["2025-11-29", "2025-12-01", "2025-12-03"][..],
    ] {
        for (severity, score) in [
            (AnomalySeverity::Low, Some(99.0)),
            (AnomalySeverity::High, Some(70.0)),
            (AnomalySeverity::Low, None),
        ] {
            check(&Facts::Health {
                report: &health(outages, severity, score),
            });
        }
    }
    check(&Facts::FleetHealth {
        rows: &rows([0, 3, 1, 0], true),
        reports: &[],
        availability: None,
    });
    check(&Facts::FleetHealth {
        rows: &rows([0; 4], false),
        reports: &[],
        availability: None,
    });
    for trend in [Trend::Increasing, Trend::Decreasing] {
        let (curve, stats) = curve(1.0, trend);
        check(&Facts::PowerCurve {
            curve: &curve,
            stats: Some(&stats),
        });
        check(&Facts::PowerCurve {
            curve: &curve,
            stats: None,
        });
    }
    check(&Facts::Forecast {
        forecast: &forecast(7),
    });
    check(&Facts::Forecast {
        forecast: &forecast(0),
    });
    check(&Facts::Performance {
        report: &performance(
            CapacityBasis::Configured,
            Some(PerformanceRating::Low),
            vec![],
        ),
    });
    check(&Facts::Errors {
        report: &errors("LTI-INV-001", false, 1),
    });
    check(&Facts::Errors {
        report: &errors("LTI-INV-001", false, 0),
    });
    check(&Facts::Loggers {
        list: &LoggerList {
            kind: "logger_list".to_owned(),
            count: 4,
            loggers: demo(),
        },
    });
}

#[test]
fn the_documents_lists_are_there() {
    let healthy = overview(0, false, false);
    assert_eq!(
        labels(&check(&Facts::Briefing {
            overview: &healthy,
            diagnostics: &[],
            previous: None
        }))[..2],
        ["Check efficiency", "Financial summary"]
    );
    assert_eq!(
        labels(&check(&Facts::Financial {
            report: &financial(30, 30),
            forecast: None
        }))[..2],
        ["Extend forecast", "Compare savings"]
    );
    let close = comparison(
        3,
        1.0,
        ComparisonMetric::Power,
        ComparisonBasis::StatedCapacity,
    );
    assert_eq!(
        labels(&check(&Facts::Audit { comparison: &close }))[..2],
        ["Compare energy", "Check health"]
    );
    let warned = health(&["2025-11-29"], AnomalySeverity::Medium, Some(90.0));
    assert_eq!(
        labels(&check(&Facts::Health { report: &warned }))[..2],
        ["Show power curve", "Diagnose errors"]
    );
}

#[test]
fn what_is_urgent_comes_first() {
    let broken = overview(2, false, false);
    let offers = check(&Facts::Briefing {
        overview: &broken,
        diagnostics: &[],
        previous: None,
    });
    assert_eq!(
        (offers[0].urgency, offers[0].action.as_str()),
        (SuggestionUrgency::Urgent, "Diagnose MEIER-INV-001")
    );
    let grave = health(&["2025-11-29"], AnomalySeverity::High, Some(60.0));
    assert_eq!(
        check(&Facts::Health { report: &grave })[0].label,
        "Diagnose errors"
    );
}
