//! Words about results: none, groups, guessed or left out parts; plans over GraphQL and over both.

use contracts::{
    run::Source,
    todo::{EntryStatus, QueryStrategy, TaskStatus, TodoListState},
    tools::{ToolEnvelope, ToolStatus},
};
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, failed},
};

const QUESTION: &str = "Show shipments to Miami last week";

#[tokio::test]
async fn nothing_found_is_a_success_that_helps() {
    let mut chat = Chat::new(Double::new().finds(0));
    let turn = chat.say(QUESTION).await;
    assert!(
        turn.text().contains("I found no shipments"),
        "{}",
        turn.text()
    );
    assert!(
        turn.text()
            .contains("no shipments with these conditions on any day"),
        "{}",
        turn.text()
    );
    assert!(
        chat.attempts()
            .iter()
            .all(|(_, status)| *status == EntryStatus::Complete)
    );
    assert_eq!(chat.queries()[0].metadata.record_count, 0);
    assert_eq!(chat.queries()[0].metadata.summary, "0 shipments found");
}

#[tokio::test]
async fn groups_are_told_with_a_picture() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("How many shipments by status?").await;
    assert!(
        turn.told_calls().contains(&"render_ui_component"),
        "{:?}",
        turn.told_calls()
    );
    assert!(
        turn.text().contains("2 groups over 142 shipments"),
        "{}",
        turn.text()
    );
    assert_eq!(
        chat.queries()[0].metadata.summary,
        "142 shipments found, in 2 groups"
    );
    assert_eq!(turn.data().unwrap()[0]["count"], 100);
}

#[tokio::test]
async fn what_was_remembered_unknown_or_unmapped_is_told() {
    let resolved = json!({
        "resolved": [{
            "mention": "Miami", "entity_type": "port", "id": "USMIA", "name": "Port of Miami", "confidence": 1.0, "matched_by": "remembered",
            "source": "shipping", "index": "ports",
        }],
        "ambiguous": [],
        "unresolved": [{ "original_value": "Atlantis", "nearest": [] }],
    });
    let mapped = json!({
        "source": "shipping", "index": "shipments", "fields": [],
        "entities": [{ "mention": "Miami", "entity_type": "port", "name": "Port of Miami", "field": "destination_port_id", "value": "USMIA" }],
        "unmapped": [{ "term": "mood", "role": "select", "nearest": ["status"] }],
    });
    let tools = Double::new()
        .then("entity_resolution", Ok(ToolEnvelope::ok(resolved)))
        .then("field_mapping", Ok(ToolEnvelope::ok(mapped)));
    let mut chat = Chat::new(tools);
    let text = chat.say("Show shipments to Miami").await.text();
    for told in [
        "as you chose before",
        "I know nothing called \u{201c}Atlantis\u{201d}",
        "called \u{201c}mood\u{201d}, so I left it out. Did you mean status?",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

#[tokio::test]
async fn one_thing_is_asked_with_graphql() {
    let mut chat = Chat::new(Double::new().asked_by(&["graphql"]));
    let turn = chat.say(QUESTION).await;
    assert_eq!(chat.lists()[0].query_strategy, QueryStrategy::Graphql);
    assert_eq!(
        chat.tools.called(),
        [
            "entity_resolution",
            "field_mapping",
            "query_builder",
            "graphql_executor"
        ]
    );
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
    let keys: Vec<_> = chat.attempts().into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys[2..4], ["build_graphql_query", "execute_graphql"]);
}

#[tokio::test]
async fn a_query_that_is_not_accepted_is_repaired_once_and_never_run_otherwise() {
    let refused = |pointer: &str, suggestions: &[&str]| {
        let problem = json!({ "pointer": pointer, "code": "unknown_field", "message": "There is no such field.", "suggestions": suggestions });
        Ok(failed(
            json!({ "problems": [problem] }),
            "The query is not accepted.",
        ))
    };
    let tools = Double::new().then(
        "query_builder",
        refused("/structure/filters/0/field", &["destination_port"]),
    );
    let mut chat = Chat::new(tools);
    let turn = chat.say(QUESTION).await;
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
    assert_eq!(
        chat.entries()[2].tools_called,
        ["query_builder", "query_builder"]
    );
    let structure = chat.queries()[0].metadata.query_structure.clone().unwrap();
    assert_eq!(structure.filters[0].field, "destination_port");

    let tools = Double::new()
        .then(
            "query_builder",
            refused("/structure/filters/0/field", &["destination_port"]),
        )
        .then(
            "query_builder",
            refused("/structure/filters/0/field", &["destination_port"]),
        );
    let mut chat = Chat::new(tools);
    let turn = chat.say(QUESTION).await;
    assert!(
        turn.text()
            .contains("There is no such field (did you mean destination_port?)"),
        "{}",
        turn.text()
    );
    assert!(!chat.tools.called().contains(&"es_executor".to_owned()));
    assert_eq!(
        chat.attempts()[2],
        ("build_es_query".to_owned(), EntryStatus::Error)
    );
    assert_eq!(turn.source(), Source::Rules);
}

#[tokio::test]
async fn of_two_sources_one_may_be_away() {
    let question = "Compare the current status of shipments to Miami with last week";
    let mut chat = Chat::new(Double::new());
    chat.say(question).await;
    let list = &chat.lists()[0];
    assert_eq!(
        list.query_strategy,
        QueryStrategy::Hybrid,
        "{}",
        list.strategy_reason
    );
    assert_eq!(chat.attempts().len(), 9);

    let mut chat = Chat::new(Double::new().away("graphql_executor"));
    let turn = chat.say(question).await;
    assert!(
        turn.text()
            .contains("One of two sources could not be asked"),
        "{}",
        turn.text()
    );
    let list = &chat.lists()[0];
    assert_eq!(list.state, TodoListState::Complete);
    assert_eq!(list.tasks["execute_graphql"].status, TaskStatus::Cancelled);
    let errors = chat
        .attempts()
        .into_iter()
        .filter(|(_, status)| *status == EntryStatus::Error);
    assert_eq!((errors.count(), chat.attempts().len()), (1, 9));

    // Without either there is no result: the list waits.
    let mut chat = Chat::new(Double::new().away("es_executor").away("graphql_executor"));
    let turn = chat.say(question).await;
    assert!(turn.text().contains("continue"), "{}", turn.text());
    assert_eq!(chat.states(), [TodoListState::Active]);
}

#[tokio::test]
async fn without_sources_nothing_is_planned() {
    let none = ToolEnvelope::ok(json!({ "sources": [] }));
    // As the tools service says it.
    let no_data =
        ToolEnvelope::without_result(ToolStatus::NoData, "No search source is connected.");
    for answer in [none, no_data] {
        let tools = Double::new().then("list_sources", Ok(answer));
        let mut chat = Chat::new(tools);
        let turn = chat.say(QUESTION).await;
        let text = turn.text();
        assert!(text.contains("No search source is connected"), "{text}");
        assert!(chat.lists().is_empty());
    }
}
