//! The router's second tier.

use agent_kit::testing::{Answer, Model, fails, says};
use std::time::Duration;

use agent_site::SiteSettings;
use contracts::{
    run::{RunEvent, Source},
    tools::names,
};
use llm::{ErrorKind, ResponseFormat};
use serde_json::{Value, json};

use crate::{
    chat::{Chat, Turn},
    double::Double,
};

/// A message that no rule knows.
const UNCLEAR: &str = "Is the thing in the garage still alright?";

fn classified(flow: &str, confidence: f64, loggers: &[&str], days: Option<(&str, &str)>) -> Answer {
    let (start, end) = days.unzip();
    says(
        &json!({ "flow": flow, "confidence": confidence, "logger_ids": loggers, "start_date": start, "end_date": end })
            .to_string(),
    )
}

fn route(turn: &Turn) -> (&str, f64, Source) {
    turn.events
        .iter()
        .find_map(|event| match event {
            RunEvent::Route {
                flow,
                confidence,
                source,
            } => Some((flow.as_str(), *confidence, *source)),
            _ => None,
        })
        .unwrap()
}

fn health_calls(chat: &Chat) -> Vec<Value> {
    chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH)
}

#[tokio::test]
async fn an_unclear_message_goes_where_the_model_is_sure() {
    let model = Model::new([
        classified(
            "health_check",
            0.9,
            &["GW-INV-001"],
            Some(("2025-11-10", "2025-11-12")),
        ),
        says("All is well."),
    ]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(UNCLEAR).await;
    assert_eq!(route(&turn), ("health_check", 0.9, Source::Model));
    assert_eq!(
        health_calls(&chat),
        [json!({ "logger_id": "GW-INV-001", "days": 3, "end_date": "2025-11-12" })]
    );
    let requests = model.requests();
    assert!(matches!(requests[0].response, ResponseFormat::Json { .. }));
    assert!(
        requests[0]
            .system
            .as_deref()
            .unwrap()
            .contains("Today is 2025-12-05")
    );
}

#[tokio::test]
async fn what_the_message_spells_out_stands_before_the_models_reading() {
    let model = Model::new([
        classified("health_check", 0.9, &["SD-INV-001"], None),
        says("All is well."),
    ]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say("Is LTI-INV-001 in the garage alright? Hm").await;
    assert!(
        health_calls(&chat)
            .iter()
            .all(|call| call["logger_id"] == "LTI-INV-001")
    );
}

#[tokio::test]
async fn a_device_that_does_not_exist_is_asked_for() {
    let model = Model::new([classified("health_check", 0.9, &["NOPE-1"], None)]);
    let mut chat = Chat::with_model(Double::new(), &model);
    let turn = chat.say(UNCLEAR).await;
    turn.picker();
    assert!(health_calls(&chat).is_empty());
}

#[tokio::test]
async fn an_unsure_model_leads_to_free_chat() {
    let model = Model::new([
        classified("health_check", 0.69, &[], None),
        says("What do you mean?"),
    ]);
    let turn = Chat::with_model(Double::new(), &model).say(UNCLEAR).await;
    assert_eq!(route(&turn), ("free_chat", 0.69, Source::Model));
    assert_eq!(turn.blocks(), ["What do you mean?"]);
}

#[tokio::test]
async fn nonsense_leads_to_free_chat_with_a_notice() {
    let model = Model::new([says("health, I guess"), says("What do you mean?")]);
    let turn = Chat::with_model(Double::new(), &model).say(UNCLEAR).await;
    assert_eq!(route(&turn).2, Source::Rules);
    assert_eq!(
        (turn.flow(), turn.warnings()),
        ("free_chat", vec!["model_unavailable"])
    );
}

#[tokio::test]
async fn a_failed_or_stalled_model_leads_to_free_chat_by_rules_and_is_not_asked_again() {
    let options = SiteSettings {
        routing_timeout: Duration::from_millis(20),
        ..SiteSettings::default()
    };
    for answer in [fails(ErrorKind::Overloaded), says("{").hangs()] {
        let model = Model::new([answer]);
        let turn = Chat::with_model(Double::new(), &model)
            .limited(options.clone())
            .say(UNCLEAR)
            .await;
        assert_eq!((turn.flow(), turn.source()), ("free_chat", Source::Rules));
        assert_eq!(turn.warnings(), ["model_unavailable"]);
        assert!(turn.text().contains("Morning briefing"), "{}", turn.text());
    }
}

#[tokio::test]
async fn what_a_rule_is_sure_of_never_asks_the_model() {
    let model = Model::new([]);
    let options = SiteSettings {
        narratives: false,
        ..SiteSettings::default()
    };
    let mut chat = Chat::with_model(Double::new(), &model).limited(options);
    for message in [
        "Hello",
        "Morning briefing",
        "Compare all inverters",
        "Check the health of GW-INV-001",
    ] {
        assert_eq!(
            route(&chat.say(message).await).2,
            Source::Rules,
            "{message}"
        );
    }
}

#[tokio::test]
async fn routing_by_a_model_can_be_turned_off() {
    let model = Model::new([says("What do you mean?")]);
    let options = SiteSettings {
        routing: false,
        ..SiteSettings::default()
    };
    let turn = Chat::with_model(Double::new(), &model)
        .limited(options)
        .say(UNCLEAR)
        .await;
    assert_eq!(turn.blocks(), ["What do you mean?"]);
}
