//! The router: rules first, a model for what they are not sure of.

use std::time::Duration;

use agent_kit::{PastMessage, PastRole};
use contracts::{
    run::Source,
    tools::{knowledge::names as knowledge, sql::names},
};
use llm::ErrorKind;
use serde_json::json;

use crate::{
    chat::Chat,
    double::Double,
    model::{Answer, Model, material, says},
};

/// A message that no rule is sure of.
const UNCLEAR: &str = "Explain the seasons";

#[tokio::test]
async fn what_a_rule_is_sure_of_asks_no_model() {
    for (message, route) in [
        ("How do I create a work order?", "rag"),
        ("What can you do?", "general"),
        ("How many employees are there?", "sql"),
    ] {
        let turn = Chat::new(Double::new()).say(message).await;
        assert_eq!(turn.route(), (route, Source::Rules), "{message}");
    }
}

#[tokio::test]
async fn an_unclear_message_goes_where_the_model_says() {
    for (answer, route) in [
        (r#"{"route": "rag", "confidence": 0.9}"#, "rag"),
        ("GENERAL", "general"),
        (
            "```json\n{\"route\": \"rag\", \"confidence\": 0.8}\n```",
            "rag",
        ),
    ] {
        let model = Model::new([says(answer), says("In winter the days are short.")]);
        let turn = Chat::with_model(Double::new(), &model).say(UNCLEAR).await;
        assert_eq!(turn.route(), (route, Source::Model), "{answer}");
    }
}

#[tokio::test]
async fn the_model_sees_the_end_of_the_conversation_and_the_tables() {
    let model = Model::new([
        says("GENERAL"),
        says("The seasons differ in the length of days."),
    ]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.history = (0..9)
        .map(|at| PastMessage {
            role: if at % 2 == 0 {
                PastRole::User
            } else {
                PastRole::Assistant
            },
            text: format!("{at} {}", "x".repeat(900)),
            calls: Vec::new(),
        })
        .collect();
    chat.say(UNCLEAR).await;
    let requests = model.requests();
    let asked = material(&requests[0]);
    assert_eq!(asked["message"], UNCLEAR);
    let recent = asked["recent"].as_array().unwrap();
    assert_eq!(recent.len(), 4);
    assert!(
        recent
            .iter()
            .all(|message| message["text"].as_str().unwrap().len() <= 200)
    );
    assert!(
        requests[0]
            .system
            .as_deref()
            .unwrap()
            .contains("\"workOrder\"")
    );
    // The answer itself has the whole conversation.
    assert_eq!(requests[1].messages.len(), 10);
}

#[tokio::test]
async fn an_unsure_or_unreadable_model_leaves_it_to_the_rules() {
    for (answer, warned) in [
        (r#"{"route": "sql", "confidence": 0.3}"#, false),
        ("sql or rag", true),
    ] {
        let model = Model::new([
            says(answer),
            says("The seasons differ in the length of days."),
        ]);
        let turn = Chat::with_model(Double::new(), &model).say(UNCLEAR).await;
        assert_eq!(turn.route(), ("general", Source::Rules));
        assert_eq!(!turn.warnings().is_empty(), warned, "{answer}");
    }
}

#[tokio::test]
async fn a_failed_or_stalled_model_leaves_it_to_the_rules_and_is_not_asked_again() {
    for answer in [
        Answer::Fails(ErrorKind::Overloaded),
        Answer::Hangs("{".to_owned()),
    ] {
        let model = Model::new([answer]);
        let mut chat = Chat::with_model(Double::new(), &model)
            .limited(|options| options.routing_timeout = Duration::from_millis(20));
        let turn = chat.say(UNCLEAR).await;
        assert_eq!(turn.route(), ("general", Source::Rules));
        assert_eq!(
            (turn.warnings(), turn.source()),
            (vec!["model_unavailable"], Source::Rules)
        );
    }
}

#[tokio::test]
async fn routing_by_a_model_can_be_turned_off() {
    let model = Model::new([says("The seasons differ in the length of days.")]);
    let mut chat =
        Chat::with_model(Double::new(), &model).limited(|options| options.model_routing = false);
    let turn = chat.say(UNCLEAR).await;
    assert_eq!(
        (turn.route(), turn.text().as_str()),
        (
            ("general", Source::Rules),
            "The seasons differ in the length of days."
        )
    );
}

#[tokio::test]
async fn agents_that_are_turned_off_name_their_variable_and_touch_nothing() {
    let mut chat = Chat::new(Double::new()).limited(|options| options.sql_enabled = false);
    let turn = chat.say("How many employees are there?").await;
    assert!(turn.text().contains("ENABLE_SQL_AGENT"), "{}", turn.text());
    assert!(chat.tools.calls().is_empty());
    let mut chat = Chat::new(Double::new()).limited(|options| options.rag_enabled = false);
    let turn = chat.say("How do I create a work order?").await;
    assert!(turn.text().contains("ENABLE_RAG_AGENT"), "{}", turn.text());
    assert!(
        !chat
            .tools
            .calls()
            .iter()
            .any(|(name, _)| name == knowledge::KNOWLEDGE_SEARCH)
    );
}

#[tokio::test]
async fn the_configured_target_is_asked() {
    let mut chat =
        Chat::new(Double::new()).limited(|options| options.target = Some("warehouse".to_owned()));
    chat.say("How many employees are there?").await;
    let calls = chat.tools.calls();
    let target =
        |tool: &str| calls.iter().find(|(name, _)| name == tool).unwrap().1["target"].clone();
    assert_eq!(
        (
            target(names::LIST_TABLES),
            target(names::FIND_PAST_QUESTIONS)
        ),
        (json!("warehouse"), json!("warehouse"))
    );
    // As the service answered it.
    assert_eq!(target(names::RUN_SQL), "fieldservice");
}
