//! A memory that is away, fails, or belongs to another run by now.

use std::sync::atomic::Ordering;

use contracts::{run::FinishReason, todo::TodoListState};

use crate::{chat::Chat, double::Double};

const QUESTION: &str = "Show shipments to Miami last week";

#[tokio::test]
async fn nothing_is_done_while_the_memory_can_not_be_read() {
    let mut chat = Chat::new(Double::new());
    chat.memory.blind.store(true, Ordering::Relaxed);
    let turn = chat.say(QUESTION).await;
    assert_eq!(
        (turn.flow().0, turn.reason()),
        ("error", FinishReason::Stop)
    );
    assert!(
        turn.text().contains("can't read what I remember"),
        "{}",
        turn.text()
    );
    assert!(chat.tools.called().is_empty());
}

#[tokio::test]
async fn an_open_question_outlives_a_memory_that_was_away() {
    let mut chat = Chat::new(Double::ambiguous());
    chat.say(QUESTION).await;
    chat.memory.blind.store(true, Ordering::Relaxed);
    chat.say("Port of Miami").await;
    chat.memory.recovers();
    let turn = chat.say("Port of Miami").await;
    assert_eq!(turn.flow().0, "exact_answer");
    assert_eq!(chat.attempts().len(), 6);
}

#[tokio::test]
async fn what_can_not_be_recorded_is_not_gone_past() {
    for records in 0..6 {
        let mut chat = Chat::new(Double::new());
        chat.memory.fails_after(records);
        let turn = chat.say(QUESTION).await;
        let text = turn.text();
        assert!(text.contains("could not save"), "{records}: {text}");
        // One record is the plan's, the others are attempts.
        assert_eq!(chat.attempts().len(), records.saturating_sub(1) as usize);
        chat.memory.recovers();
        let turn = chat
            .say(if records == 0 { QUESTION } else { "continue" })
            .await;
        assert!(
            turn.text().contains("142 shipments"),
            "{records}: {}",
            turn.text()
        );
        assert_eq!(chat.attempts().len(), 5, "{records}");
        assert_eq!(chat.states(), [TodoListState::Complete]);
    }
}

#[tokio::test]
async fn a_thread_that_another_run_has_taken_over_is_left_to_it() {
    let mut chat = Chat::new(Double::new());
    chat.memory.is_lost_after(2);
    let turn = chat.say(QUESTION).await;
    assert!(turn.text().contains("elsewhere"), "{}", turn.text());
    assert_eq!(chat.attempts().len(), 1);
}
