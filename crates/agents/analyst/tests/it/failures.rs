//! Tools that fail, answer nonsense, or refuse.

use agent_kit::ToolsError;
use contracts::{
    run::FinishReason,
    todo::{EntryStatus, TodoListState},
    tools::{ToolEnvelope, ToolStatus},
};
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, failed},
};

const QUESTION: &str = "Show shipments to Miami last week";

#[tokio::test]
async fn every_tool_may_fail_and_the_list_waits_there() {
    for (tool, done) in [
        ("entity_resolution", 0),
        ("field_mapping", 1),
        ("query_builder", 2),
        ("es_executor", 3),
    ] {
        for answer in [
            Err(ToolsError::Unavailable),
            Err(ToolsError::Refused),
            Ok(ToolEnvelope::without_result(ToolStatus::Error, "It broke.")),
            Ok(ToolEnvelope::ok(json!({ "nonsense": true }))),
            Ok(ToolEnvelope::without_result(
                ToolStatus::NoData,
                "There is nothing.",
            )),
        ] {
            let mut chat = Chat::new(Double::new().then(tool, answer));
            let turn = chat.say(QUESTION).await;
            assert_eq!(turn.reason(), FinishReason::Stop);
            assert_eq!(chat.attempts().len(), done + 1, "{tool}");
            assert_eq!(chat.attempts()[done].1, EntryStatus::Error, "{tool}");
            assert!(turn.text().contains("continue"), "{}", turn.text());
            chat.say("continue").await;
            assert_eq!(chat.states(), [TodoListState::Complete], "{tool}");
            assert_eq!(chat.attempts().len(), 6, "{tool}");
        }
    }
}

#[tokio::test]
async fn nothing_begins_while_it_is_not_known_what_can_be_asked() {
    let mut chat = Chat::new(Double::new().then("list_sources", Err(ToolsError::Unavailable)));
    let turn = chat.say(QUESTION).await;
    let text = turn.text();
    assert!(text.contains("cannot be reached"), "{text}");
    assert!(chat.lists().is_empty() && chat.tools.called().is_empty());
    let turn = chat.say(QUESTION).await;
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
}

#[tokio::test]
async fn no_task_goes_on_by_guessing_what_can_be_asked() {
    let mut chat = Chat::new(Double::new().then("field_mapping", Err(ToolsError::Unavailable)));
    chat.say(QUESTION).await;
    let away = || Err(ToolsError::Unavailable);
    chat.tools
        .then("list_sources", away())
        .then("list_sources", away());
    chat.tools.calls();
    let turn = chat.say("continue").await;
    assert!(turn.text().contains("cannot be reached"), "{}", turn.text());
    assert!(chat.tools.called().is_empty());
    let turn = chat.say("continue").await;
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
    assert_eq!(chat.attempts().len(), 1 + 2 + 4);
}

#[tokio::test]
async fn a_query_that_a_source_accepts_no_more_is_built_anew_once() {
    let refused = || {
        let problem = json!({ "pointer": "/query", "code": "unknown_field", "message": "The field is gone." });
        Ok(failed(
            json!({ "outcome": "refused", "problems": [problem] }),
            "The query is not accepted.",
        ))
    };
    // It is built as it was, so there is no use in running it again.
    let mut chat = Chat::new(Double::new().then("es_executor", refused()));
    let turn = chat.say(QUESTION).await;
    assert!(
        turn.text().contains("The field is gone."),
        "{}",
        turn.text()
    );
    assert_eq!(
        chat.entries()[3].tools_called,
        ["es_executor", "query_builder"]
    );
}

#[tokio::test]
async fn a_message_without_words_asks_for_nothing() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("   ").await;
    assert_eq!(turn.text(), "What would you like to know?");
    let turn = chat.say("hello, how are you?").await;
    assert_eq!(
        turn.text(),
        "I answer questions about shipments, containers and ports. What would you like to know?"
    );
    assert!(chat.lists().is_empty());
}
