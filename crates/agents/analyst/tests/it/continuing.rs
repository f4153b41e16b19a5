//! Going on, giving up, and runs that died.

use contracts::{
    run::FinishReason,
    todo::{EntryStatus, TaskStatus, TodoListState},
};

use crate::{chat::Chat, double::Double};

const QUESTION: &str = "Show shipments to Miami last week";

#[tokio::test]
async fn there_may_be_nothing_to_go_on_with_or_to_give_up() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("continue").await;
    assert_eq!(turn.flow().0, "continue");
    assert!(
        turn.text().contains("nothing to go on with"),
        "{}",
        turn.text()
    );
    let turn = chat.say("never mind").await;
    assert_eq!(turn.flow().0, "cancel");
    assert!(turn.text().contains("nothing to stop"), "{}", turn.text());
    assert!(chat.entries().is_empty() && chat.lists().is_empty());
    chat.say(QUESTION).await;
    let turn = chat.say("continue").await;
    assert!(
        turn.text().contains("nothing to go on with"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_list_is_given_up_and_kept() {
    let mut chat = Chat::new(Double::ambiguous());
    let asked = chat.say(QUESTION).await;
    let turn = chat.say("never mind").await;
    assert_eq!(turn.flow().0, "cancel");
    assert_eq!(
        turn.answered(),
        [(asked.picker().0, &serde_json::Value::Null)]
    );
    assert_eq!(chat.states(), [TodoListState::Aborted]);
    assert!(
        turn.tasks()
            .iter()
            .all(|(_, status)| *status == TaskStatus::Cancelled)
    );
    assert_eq!(chat.attempts().len(), 1);
    assert!(chat.thread().await.pending.is_none());
    assert!(
        chat.say("continue")
            .await
            .text()
            .contains("nothing to go on with")
    );
}

#[tokio::test]
async fn a_source_that_comes_back_is_asked_for_what_is_left() {
    let mut chat = Chat::new(Double::new().away("es_executor"));
    let turn = chat.say(QUESTION).await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    let text = turn.text();
    assert!(
        text.contains("The source is away.")
            && text.contains("continue")
            && text.contains("3 of 5"),
        "{text}"
    );
    assert_eq!(turn.tasks()[3], ("execute_es", TaskStatus::Error));
    assert!(chat.queries().is_empty());
    assert_eq!(
        chat.lists()[0].current_task_key.as_deref(),
        Some("execute_es")
    );
    chat.tools.calls();
    chat.restart();
    let turn = chat.say("continue").await;
    assert_eq!(turn.flow().0, "continue");
    assert_eq!(chat.tools.called(), ["es_executor"]);
    let statuses: Vec<_> = chat
        .attempts()
        .into_iter()
        .map(|(_, status)| status)
        .collect();
    assert_eq!(
        statuses,
        [
            EntryStatus::Complete,
            EntryStatus::Complete,
            EntryStatus::Complete,
            EntryStatus::Error,
            EntryStatus::Complete,
            EntryStatus::Complete
        ]
    );
    assert_eq!(chat.states(), [TodoListState::Complete]);
}

#[tokio::test]
async fn something_new_after_an_error_gives_the_list_up() {
    let mut chat = Chat::new(Double::new().away("es_executor"));
    chat.say(QUESTION).await;
    chat.say("show me container status").await;
    assert_eq!(
        chat.states(),
        [TodoListState::Aborted, TodoListState::Complete]
    );
    assert_eq!(chat.attempts().len(), 4 + 5);
}

#[tokio::test]
async fn a_run_that_died_goes_on_where_it_was_and_does_nothing_twice() {
    for results in 0..5 {
        let mut chat = Chat::new(Double::new());
        chat.dies_after(QUESTION, results).await;
        chat.restart();
        let before = chat.attempts().len();
        chat.tools.calls();
        let turn = chat.again(QUESTION).await;
        assert_eq!(turn.flow().0, "data_retrieval", "{results}");
        assert!(
            turn.text().contains("142 shipments"),
            "{results}: {}",
            turn.text()
        );
        assert_eq!(chat.attempts().len(), 5, "{results}");
        assert_eq!(chat.lists().len(), 1, "{results}");
        assert!(
            chat.entries()
                .iter()
                .all(|entry| entry.turn == 1 && entry.run_id == "run1")
        );
        // What was recorded was not called again; the rows were remembered.
        let called = chat.tools.called();
        let last: Vec<_> = [
            "entity_resolution",
            "field_mapping",
            "query_builder",
            "es_executor",
        ][before.min(4)..]
            .to_vec();
        let again: Vec<_> = called.iter().map(String::as_str).collect();
        assert_eq!(again, last, "{results}");
    }
}

#[tokio::test]
async fn a_run_that_died_after_its_question_asks_it_again_as_it_was() {
    let mut chat = Chat::new(Double::ambiguous());
    let first = chat.say(QUESTION).await;
    chat.lose_checkpoint();
    let again = chat.again(QUESTION).await;
    assert_eq!(first.picker(), again.picker());
    assert_eq!(chat.attempts().len(), 1);
    assert_eq!(chat.say("Port of Miami").await.reason(), FinishReason::Stop);
}

#[tokio::test]
async fn an_answer_that_died_is_not_taken_for_a_request() {
    let mut chat = Chat::new(Double::ambiguous());
    chat.say(QUESTION).await;
    chat.dies_after("Port of Miami", 1).await;
    chat.restart();
    let again = chat.again("Port of Miami").await;
    assert_eq!(again.flow().0, "exact_answer");
    assert_eq!(chat.lists().len(), 1);
    assert_eq!(chat.attempts().len(), 6);
}

#[tokio::test]
async fn a_run_that_died_after_its_answer_gives_it_again() {
    let mut chat = Chat::new(Double::new());
    let first = chat.say(QUESTION).await;
    let again = chat.again(QUESTION).await;
    assert_eq!(first.text(), again.text());
    assert_eq!(first.data(), again.data());
    assert_eq!(chat.attempts().len(), 5);

    let mut chat = Chat::new(Double::new().away("es_executor"));
    let first = chat.say(QUESTION).await;
    assert_eq!(chat.again(QUESTION).await.text(), first.text());
    assert_eq!(chat.attempts().len(), 4);
}

#[tokio::test]
async fn a_turn_takes_no_more_attempts_than_it_may() {
    let mut chat = Chat::new(Double::new()).with(|options| options.max_iterations = 2);
    let turn = chat.say(QUESTION).await;
    assert!(
        turn.text().contains("2 of 5 steps") && turn.text().contains("continue"),
        "{}",
        turn.text()
    );
    assert_eq!(chat.attempts().len(), 2);
    chat.say("continue").await;
    let turn = chat.say("go on").await;
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
    assert_eq!(chat.attempts().len(), 5);
    // The rows of a turn before are remembered, not read again.
    assert_eq!(chat.queries().len(), 1);
}

#[tokio::test]
async fn without_a_thread_a_request_is_answered_and_nothing_kept() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say_without_thread(QUESTION).await;
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
    assert!(chat.lists().is_empty());
}
