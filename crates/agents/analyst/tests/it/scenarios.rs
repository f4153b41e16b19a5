//! The five scenarios of the BI agent, and the entry counts that belong to them.

use agent_kit::testing::Model;
use contracts::{
    run::{FinishReason, Source},
    todo::{EntryStatus, QueryStrategy, TaskStatus, TodoListState},
};

use crate::{chat::Chat, double::Double};

const QUESTION: &str = "Show shipments to Miami last week";
const FIVE: [&str; 5] = [
    "resolve_entities",
    "map_fields",
    "build_es_query",
    "execute_es",
    "summarize",
];
use EntryStatus::{ClarificationNeeded, Complete};

fn complete(keys: &[&str]) -> Vec<(String, EntryStatus)> {
    keys.iter()
        .map(|key| ((*key).to_owned(), Complete))
        .collect()
}

/// With a model that may only be asked where rules do not understand, and without one.
fn chats(tools: impl Fn() -> std::sync::Arc<Double>) -> [Chat; 2] {
    [
        Chat::new(tools()),
        Chat::with_model(tools(), &Model::new([])),
    ]
}

#[tokio::test]
async fn one_a_simple_query() {
    for mut chat in chats(Double::new) {
        let turn = chat.say(QUESTION).await;
        assert_eq!(turn.flow(), ("data_retrieval", Source::Rules));
        assert_eq!(turn.reason(), FinishReason::Stop);
        let first = turn.plans()[0];
        let keys: Vec<_> = first.tasks.iter().map(|task| task.key.as_str()).collect();
        assert_eq!(keys, FIVE);
        assert!(
            first
                .tasks
                .iter()
                .all(|task| task.status == TaskStatus::Pending)
        );
        assert!(
            turn.tasks()
                .iter()
                .all(|(_, status)| *status == TaskStatus::Complete)
        );
        assert_eq!(
            turn.told_calls(),
            [
                "entity_resolution",
                "field_mapping",
                "query_builder",
                "es_executor",
                "llm_summary"
            ]
        );
        assert!(turn.text().contains("142 shipments"), "{}", turn.text());
        assert_eq!(turn.data().unwrap().as_array().unwrap().len(), 3);

        assert_eq!(chat.attempts(), complete(&FIVE));
        let entries = chat.entries();
        let ids: Vec<_> = entries
            .iter()
            .map(|entry| (entry.turn_id, entry.turn))
            .collect();
        assert_eq!(ids, [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]);
        assert_eq!(entries[3].query_metadata, Some(4));
        assert_eq!(entries[3].tools_called, ["es_executor"]);
        assert_eq!(entries[3].queries_executed.len(), 1);
        assert_eq!(chat.states(), [TodoListState::Complete]);
        let list = &chat.lists()[0];
        assert!(list.current_task_key.is_none() && list.completed_tasks == 5);
        assert_eq!(list.query_strategy, QueryStrategy::Elasticsearch);
        assert!(
            list.rewritten_request.contains("2025-01-08"),
            "{}",
            list.rewritten_request
        );

        let query = &chat.queries()[0].metadata;
        assert_eq!((query.turn_id, query.record_count), (4, 142));
        assert_eq!(query.summary, "142 shipments found");
        let structure = query.query_structure.as_ref().unwrap();
        assert_eq!(structure.filters[0].field, "destination_port_id");
        let range = structure.time_range.as_ref().unwrap();
        assert_eq!(
            (range.start.to_string(), range.end.to_string()),
            ("2025-01-08".to_owned(), "2025-01-15".to_owned())
        );
    }
}

#[tokio::test]
async fn two_a_clarification_and_its_answer() {
    for mut chat in chats(Double::ambiguous) {
        let asked = chat.say(QUESTION).await;
        assert_eq!(asked.reason(), FinishReason::ToolCalls);
        let (call, labels) = asked.picker();
        assert_eq!(labels, ["Port of Miami", "Miami Container Terminal"]);
        assert!(asked.text().contains("Which Miami"), "{}", asked.text());
        assert_eq!(
            chat.attempts(),
            [("resolve_entities".to_owned(), ClarificationNeeded)]
        );
        assert_eq!(asked.tasks()[0].1, TaskStatus::ClarificationNeeded);
        let pending = chat.thread().await.pending.unwrap();
        assert_eq!(pending.call_id, call);

        // Another process, on the same stores.
        chat.restart();
        let turn = chat.say("Port of Miami").await;
        assert_eq!(turn.flow(), ("exact_answer", Source::Rules));
        assert_eq!(
            turn.answered(),
            [(call, &serde_json::json!("Port of Miami"))]
        );
        assert!(turn.text().contains("142 shipments"), "{}", turn.text());
        let mut expected = vec![("resolve_entities".to_owned(), ClarificationNeeded)];
        expected.extend(complete(&FIVE));
        assert_eq!(chat.attempts(), expected);
        assert_eq!(chat.states(), [TodoListState::Complete]);
        let entries = chat.entries();
        assert_eq!((entries[1].turn_id, entries[1].turn), (2, 2));
        assert_eq!(entries[1].user_input, "Port of Miami");
        let task = &chat.lists()[0].tasks["resolve_entities"];
        assert_eq!(task.attempts, 2);
        assert_eq!(
            task.clarifications[0].answers[0].option_id.as_deref(),
            Some("USMIA")
        );
        assert!(task.clarifications[0].answered_at.is_some());
        assert!(chat.thread().await.pending.is_none());
    }
}

#[tokio::test]
async fn three_a_modification_with_the_answer() {
    for mut chat in chats(Double::ambiguous) {
        chat.say(QUESTION).await;
        chat.tools.calls();
        let turn = chat
            .say("Port of Miami, but also include arrival date")
            .await;
        assert_eq!(turn.reason(), FinishReason::Stop);
        assert_eq!(
            chat.states(),
            [TodoListState::Superseded, TodoListState::Complete]
        );
        let lists = chat.lists();
        assert_eq!(
            lists[0].tasks["resolve_entities"].clarifications[0].answers[0]
                .option_id
                .as_deref(),
            Some("USMIA")
        );
        assert!(
            lists[0]
                .tasks
                .values()
                .all(|task| task.status == TaskStatus::Cancelled)
        );
        let request = &lists[1].rewritten_request;
        assert!(
            request.contains("Port of Miami") && request.contains("arrival date"),
            "{request}"
        );
        assert!(request.contains("2025-01-08"), "{request}");
        let mut expected = vec![("resolve_entities".to_owned(), ClarificationNeeded)];
        expected.extend(complete(&FIVE));
        assert_eq!(chat.attempts(), expected);
        let structure = chat.queries()[0].metadata.query_structure.clone().unwrap();
        assert!(
            structure.fields.contains(&"actual_arrival".to_owned()),
            "{structure:?}"
        );
        assert_eq!(structure.filters[0].values, ["USMIA"]);
    }
}

#[tokio::test]
async fn four_an_abort_with_another_request() {
    for mut chat in chats(Double::ambiguous) {
        chat.say(QUESTION).await;
        let turn = chat
            .say("forget it, show me container status instead")
            .await;
        assert_eq!(turn.flow().0, "data_retrieval");
        assert_eq!(turn.answered()[0].1, &serde_json::Value::Null);
        assert_eq!(
            chat.states(),
            [TodoListState::Aborted, TodoListState::Complete]
        );
        let list = &chat.lists()[1];
        for words in [&list.original_request, &list.rewritten_request] {
            assert!(
                !words.contains("Miami") && !words.contains("2025-01"),
                "{words}"
            );
        }
        let structure = chat.queries()[0].metadata.query_structure.clone().unwrap();
        assert_eq!(structure.index, "containers");
        assert!(
            structure.filters.is_empty() && structure.time_range.is_none(),
            "{structure:?}"
        );
        assert_eq!(chat.attempts().len(), 1 + 5);
    }
}

#[tokio::test]
async fn five_an_analysis_of_what_was_found() {
    for mut chat in chats(Double::new) {
        chat.say(QUESTION).await;
        chat.tools.calls();
        chat.restart();
        let turn = chat.say("analyze delay patterns in these results").await;
        assert_eq!(turn.flow(), ("analysis", Source::Rules));
        let keys: Vec<_> = turn.tasks().into_iter().map(|(key, _)| key).collect();
        assert_eq!(
            keys,
            [
                "retrieve_query_metadata",
                "run_statistical_analysis",
                "identify_delay_patterns",
                "generate_insights"
            ]
        );
        assert_eq!(chat.attempts().len(), 5 + 4);
        assert!(
            chat.attempts()
                .iter()
                .all(|(_, status)| *status == Complete)
        );
        let text = turn.text();
        assert!(
            text.contains("7.25 h") && text.contains("2.1 times"),
            "{text}"
        );
        assert!(text.contains("Two values are missing."), "{text}");
        let calls = chat.tools.calls();
        let names: Vec<_> = calls.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["stats_analysis", "pattern_recognition"]);
        // Only 3 of the 142 rows were kept, so the query is run again, as it was.
        assert_eq!(calls[0].1["data"]["from"], "query");
        assert_eq!(
            calls[0].1["data"]["retrieve"]["query"],
            chat.queries()[0].metadata.query
        );
        assert_eq!(chat.queries().len(), 1);
    }
}
