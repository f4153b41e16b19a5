//! Questions about earlier results: which ones, whether there are any, the source of the rows; and
//! earlier queries with a change.

use contracts::todo::{EntryStatus, QueryStrategy, TodoListState};
use serde_json::json;

use crate::{chat::Chat, double::Double};

const QUESTION: &str = "Show shipments to Miami last week";
const ANALYSIS: &str = "analyze delay patterns in these results";

#[tokio::test]
async fn there_may_be_nothing_to_analyse() {
    let mut chat = Chat::new(Double::new().finds(0));
    let turn = chat.say(ANALYSIS).await;
    assert!(chat.entries().is_empty(), "{}", turn.text());
    chat.say(QUESTION).await;
    let turn = chat.say(ANALYSIS).await;
    assert_eq!(turn.flow().0, "analysis");
    assert!(turn.text().contains("found nothing"), "{}", turn.text());
    assert_eq!(chat.attempts().len(), 5);
}

#[tokio::test]
async fn kept_rows_are_analysed_while_they_are_fresh_and_complete() {
    for (found, now, from) in [
        (3, "2025-01-15T10:31:00Z", "rows"),
        (3, "2025-01-15T10:50:00Z", "query"),
        (142, "2025-01-15T10:31:00Z", "query"),
    ] {
        let mut chat = Chat::new(Double::new().finds(found));
        chat.say(QUESTION).await;
        chat.now = now;
        chat.tools.calls();
        let turn = chat.say(ANALYSIS).await;
        let data = &chat.tools.calls_of("stats_analysis")[0]["data"];
        assert_eq!(data["from"], from, "{found} {now}");
        if from == "rows" {
            assert_eq!(data["rows"].as_array().unwrap().len(), 3);
            // Who watches is not sent all of them.
            let shown = turn.events.iter().find_map(|event| match event {
                contracts::run::RunEvent::ToolCall { name, input, .. }
                    if name == "stats_analysis" =>
                {
                    Some(&input["data"]["rows"])
                }
                _ => None,
            });
            assert_eq!(shown, Some(&json!("3 rows")));
        }
    }
}

#[tokio::test]
async fn too_many_rows_are_not_kept() {
    let mut chat = Chat::new(Double::new().finds(3)).with(|options| options.cache_rows = 2);
    chat.say(QUESTION).await;
    assert!(chat.queries()[0].rows.is_none());
    chat.say(ANALYSIS).await;
    assert_eq!(
        chat.tools.calls_of("stats_analysis")[0]["data"]["from"],
        "query"
    );
}

#[tokio::test]
async fn an_earlier_query_is_addressed_by_its_place_or_its_words() {
    let mut chat = Chat::new(Double::new());
    chat.say("Show shipments from Shanghai").await;
    chat.say(QUESTION).await;
    for (text, turn_id) in [
        (ANALYSIS, 9),
        ("analyze delay patterns in the first query", 4),
        ("analyze delays in the Shanghai results", 4),
    ] {
        chat.tools.calls();
        chat.say(text).await;
        let list = chat.lists().into_iter().next_back().unwrap();
        assert_eq!(list.query_strategy, QueryStrategy::Analysis, "{text}");
        let found = list.tasks["retrieve_query_metadata"]
            .result
            .clone()
            .unwrap();
        assert_eq!(found["turn_id"], turn_id, "{text}");
    }
}

#[tokio::test]
async fn an_analysis_that_fails_waits_and_goes_on() {
    let tools = Double::new().then("stats_analysis", Err(agent_kit::ToolsError::TimedOut));
    let mut chat = Chat::new(tools);
    chat.say(QUESTION).await;
    let turn = chat.say(ANALYSIS).await;
    assert!(
        turn.text().contains("did not answer in time"),
        "{}",
        turn.text()
    );
    chat.tools.calls();
    let turn = chat.say("continue").await;
    assert!(turn.text().contains("7.25 h"), "{}", turn.text());
    assert_eq!(
        chat.tools.called(),
        ["stats_analysis", "pattern_recognition"]
    );
    let errors = chat
        .attempts()
        .into_iter()
        .filter(|(_, status)| *status == EntryStatus::Error);
    assert_eq!(errors.count(), 1);
}

#[tokio::test]
async fn an_earlier_query_is_changed_and_only_as_asked() {
    let mut chat = Chat::new(Double::new());
    chat.say(QUESTION).await;
    let before = chat.queries()[0].metadata.query_structure.clone().unwrap();
    chat.now = "2025-02-20T10:30:00Z";
    let turn = chat.say("add filter for delivered status").await;
    assert_eq!(turn.flow().0, "edit_query");
    let queries = chat.queries();
    let after = queries[1].metadata.query_structure.clone().unwrap();
    assert_eq!(
        after.time_range, before.time_range,
        "days stay as they were resolved"
    );
    assert_eq!(after.filters[..1], before.filters[..]);
    assert_eq!(
        (after.filters[1].field.as_str(), &after.filters[1].values[0]),
        ("status", &json!("delivered"))
    );
    assert_eq!(
        chat.states(),
        [TodoListState::Complete, TodoListState::Complete]
    );
    assert_eq!(chat.attempts().len(), 10);
    assert!(
        turn.text().contains("Changed against the earlier query"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn there_may_be_no_query_to_change() {
    let mut chat = Chat::new(Double::new());
    chat.say("add filter for delivered status").await;
    // Without results it can only be a request of its own.
    assert!(chat.lists().iter().all(|list| {
        list.tasks
            .values()
            .all(|task| task.params.get("previous").is_none())
    }));
}
