use contracts::tools::{ComparisonMetric, Period};
use serde_json::{Value, json};

use super::*;
use crate::language::Choice;

fn day(text: &str) -> chrono::NaiveDate {
    text.parse().unwrap()
}

#[test]
fn a_new_task_keeps_only_what_belongs_to_the_thread() {
    let flow_context = FlowContext {
        request: "Health check".to_owned(),
        selected_logger_id: Some("A".to_owned()),
        selected_logger_ids: vec!["B".to_owned()],
        selected_date: Some(day("2025-12-01")),
        date_range: Some(Period {
            start: day("2025-12-01"),
            end: day("2025-12-02"),
        }),
        metric: Some(ComparisonMetric::Energy),
        user_timezone: Some("Europe/Zurich".to_owned()),
        electricity_rate: Some(0.3),
        ..FlowContext::default()
    };
    let mut state = SiteState {
        flow_context,
        recovery_attempts: 2,
        flow_step: 3,
        ..SiteState::default()
    };
    state.apply(SiteUpdate::NewTask {
        flow: Flow::HealthCheck,
        request: "Check another".to_owned(),
        slots: String::new(),
        leans_on: None,
    });
    let expected = FlowContext {
        request: "Check another".to_owned(),
        user_timezone: Some("Europe/Zurich".to_owned()),
        electricity_rate: Some(0.3),
        ..FlowContext::default()
    };
    assert_eq!(state.flow_context, expected);
    assert_eq!((state.recovery_attempts, state.flow_step), (0, 0));
}

#[test]
fn a_choice_replaces_the_one_before_of_its_kind_and_leaves_the_other_kind() {
    let days = Period {
        start: day("2025-12-01"),
        end: day("2025-12-02"),
    };
    let context = FlowContext::default()
        .choose(Choice::Loggers(vec!["A".to_owned(), "B".to_owned()]))
        .choose(Choice::Range(days))
        .choose(Choice::Logger("C".to_owned()));
    assert_eq!(context.chosen_loggers(), ["C"]);
    assert_eq!(context.chosen_period(), Some(days));
    let context = context.choose(Choice::Day(days.end));
    assert_eq!(
        context.chosen_period(),
        Some(Period {
            start: days.end,
            end: days.end
        })
    );
}

#[test]
fn every_update_can_be_stored_and_read_back() {
    let updates = [
        SiteUpdate::Begin {
            user_timezone: Some("UTC".to_owned()),
        },
        SiteUpdate::Recorded(Box::new(Record::User {
            text: "Hi".to_owned(),
        })),
        SiteUpdate::Answered {
            call_id: "call_1".to_owned(),
            result: json!({ "selection": ["A"] }),
        },
        SiteUpdate::NewTask {
            flow: Flow::FreeChat,
            request: "Hi".to_owned(),
            slots: "GW-INV-001".to_owned(),
            leans_on: None,
        },
        SiteUpdate::Switched(Flow::PerformanceAudit),
        SiteUpdate::Dropped,
        SiteUpdate::Step(2),
        SiteUpdate::Context(Box::default()),
        SiteUpdate::Pending(None),
        SiteUpdate::RecoveryAttempts(1),
    ];
    for update in updates {
        let stored = serde_json::to_value(&update).unwrap();
        let read: SiteUpdate = serde_json::from_value(stored.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), stored);
    }
}

#[test]
fn a_state_of_an_older_version_is_read_with_defaults() {
    let state: SiteState = serde_json::from_value(
        json!({ "flow_context": { "electricity_rate": 0.3, "gone": true }, "unknown": 1 }),
    )
    .unwrap();
    assert_eq!(state.flow_context.electricity_rate, Some(0.3));
    assert_eq!(
        serde_json::to_value(SiteState::default()).unwrap()["pending_selection"],
        Value::Null
    );
}
