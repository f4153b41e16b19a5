//! The memory of a thread, its limits, and its survival of the process.

use std::sync::Arc;

use agent_kit::{UserInput, events::check_laws};
use agent_site::{MAX_RECORDS, Record};
use async_trait::async_trait;
use contracts::{
    run::{FinishReason, RunEvent},
    tools::{ToolStatus, names},
};
use futures::StreamExt;
use graph::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, MemorySaver, TaskWrite};
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, Ending},
};

#[tokio::test]
async fn what_was_chosen_for_one_task_does_not_leak_into_the_next() {
    let mut chat = Chat::new(Double::new());
    chat.say("Health check").await.picker();
    chat.say("Selected: GW-INV-001").await;
    assert_eq!(
        chat.state()
            .await
            .flow_context
            .selected_logger_id
            .as_deref(),
        Some("GW-INV-001")
    );
    // The same workflow again, about another device: the choice of before is forgotten.
    let turn = chat.say("Check the health of another inverter").await;
    turn.picker();
    let context = chat.state().await.flow_context;
    assert_eq!(
        (
            context.selected_logger_id,
            context.selected_date,
            context.date_range,
        ),
        (None, None, None)
    );
}

#[tokio::test]
async fn dates_do_not_leak_either() {
    let mut chat = Chat::new(Double::new().once(
        names::CALCULATE_FINANCIAL_SAVINGS,
        Ending::Status(ToolStatus::NoDataInWindow, "Nothing."),
    ));
    chat.say("Financial report for GW-INV-001").await.picker();
    chat.say("Selected: 2025-11-10:2025-11-12").await;
    chat.tools.calls();
    chat.say("Financial report for SD-INV-001").await;
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0]["start_date"],
        "2025-11-05"
    );
}

#[tokio::test]
async fn an_ignored_recovery_leaves_nothing_behind() {
    let mut chat = Chat::new(Double::new().once(
        names::GET_POWER_CURVE,
        Ending::Status(ToolStatus::NoDataInWindow, "Nothing."),
    ));
    chat.say("Power curve of GW-INV-001").await.picker();
    chat.say("Check the health of SD-INV-001").await;
    let state = chat.state().await;
    assert_eq!(
        (state.recovery_attempts, state.pending_selection),
        (0, None)
    );
}

#[tokio::test]
async fn the_transition_is_said_when_the_subject_changes_and_only_then() {
    let mut chat = Chat::new(Double::new());
    let first = chat.say("Check the health of GW-INV-001").await;
    let second = chat.say("Check the health of SD-INV-001").await;
    let third = chat.say("Morning briefing").await;
    assert!(
        first.text().starts_with("I'll check the health"),
        "{}",
        first.text()
    );
    assert!(
        !second.text().contains("I'll check the health"),
        "{}",
        second.text()
    );
    assert!(
        third.text().starts_with("I'll check how your solar fleet"),
        "{}",
        third.text()
    );
}

#[tokio::test]
async fn an_open_picker_survives_a_restart() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Health check in November").await;
    chat.restart();
    let turn = chat.give(&asked.picker().0, json!("LTI-INV-001")).await;
    assert_eq!(turn.card()["props"]["loggerId"], "LTI-INV-001");
    assert_eq!(
        chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH)[0]["end_date"],
        "2025-11-30"
    );
}

#[tokio::test]
async fn an_open_recovery_survives_a_restart() {
    let mut chat = Chat::new(Double::new().once(
        names::COMPARE_LOGGERS,
        Ending::Status(ToolStatus::NoDataInWindow, "Nothing."),
    ));
    chat.say("Compare GW-INV-001 and SD-INV-001").await.picker();
    chat.restart();
    let turn = chat.say("Selected: 2025-11-20").await;
    assert_eq!(turn.card()["component"], "ComparisonChart");
}

#[tokio::test]
async fn the_history_is_bounded_and_holds_no_data() {
    let mut chat = Chat::new(Double::new());
    for _ in 0..20 {
        chat.say("Compare all inverters").await;
        chat.say("Power curve of GW-INV-001").await;
    }
    let state = chat.state().await;
    assert_eq!(state.messages.len(), MAX_RECORDS);
    let size = serde_json::to_vec(&state).unwrap().len();
    assert!(size < 16 * 1024, "{size}");
    assert!(!serde_json::to_string(&state).unwrap().contains("timestamp"));
}

#[tokio::test]
async fn what_both_said_is_remembered_in_order() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Check the health of GW-INV-001").await;
    let state = chat.state().await;
    let records: Vec<_> = state.messages.iter().collect();
    assert_eq!(
        records[0],
        &Record::User {
            text: "Check the health of GW-INV-001".to_owned()
        }
    );
    let said = records.iter().filter_map(|record| match record {
        Record::Assistant { text } => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(said.collect::<Vec<_>>().join("\n"), turn.text());
}

#[tokio::test]
async fn without_a_thread_nothing_is_remembered() {
    let mut chat = Chat::new(Double::new());
    for _ in 0..2 {
        let mut input = chat.input(UserInput::Text("Health check".to_owned()));
        input.thread_key = None;
        let events: Vec<_> = chat.assistant().run(input).collect().await;
        check_laws(&events).unwrap();
    }
    assert!(
        chat.assistant()
            .thread("owner:thread")
            .await
            .unwrap()
            .is_none()
    );
}

/// A store that is away.
struct Away {
    reads: bool,
}

#[async_trait]
impl Checkpointer for Away {
    async fn put(&self, _: &Checkpoint) -> Result<(), CheckpointError> {
        Err(CheckpointError::unavailable("away"))
    }
    async fn put_writes(
        &self,
        _: &str,
        _: CheckpointId,
        _: &[TaskWrite],
    ) -> Result<(), CheckpointError> {
        Err(CheckpointError::unavailable("away"))
    }
    async fn get(
        &self,
        _: &str,
        _: Option<CheckpointId>,
    ) -> Result<Option<Checkpoint>, CheckpointError> {
        if self.reads {
            Ok(None)
        } else {
            Err(CheckpointError::unavailable("away"))
        }
    }
    async fn list(
        &self,
        _: &str,
        _: u32,
        _: Option<CheckpointId>,
    ) -> Result<Vec<Checkpoint>, CheckpointError> {
        Err(CheckpointError::unavailable("away"))
    }
    async fn delete_thread(&self, _: &str) -> Result<(), CheckpointError> {
        Err(CheckpointError::unavailable("away"))
    }
    async fn prune(&self, _: &str, _: u32) -> Result<u64, CheckpointError> {
        Err(CheckpointError::unavailable("away"))
    }
    async fn delete_idle(&self, _: std::time::SystemTime) -> Result<u64, CheckpointError> {
        Err(CheckpointError::unavailable("away"))
    }
}

#[tokio::test]
async fn a_store_that_is_away_costs_the_memory_and_not_the_answer() {
    for (reads, code) in [(true, "thread_not_stored"), (false, "thread_not_loaded")] {
        let mut chat = Chat::on(Double::new(), Arc::new(Away { reads }));
        let input = chat.input(UserInput::Text("Morning briefing".to_owned()));
        let events: Vec<_> = chat.assistant().run(input).collect().await;
        check_laws(&events).unwrap();
        assert!(
            events.iter().any(
                |event| matches!(event, RunEvent::Warning { code: found, .. } if found == code)
            ),
            "{code}"
        );
        assert!(matches!(
            events.last(),
            Some(RunEvent::Finished {
                reason: FinishReason::Stop,
                ..
            })
        ));
    }
}

#[tokio::test]
async fn a_run_that_is_stopped_closes_what_it_opened_and_the_thread_goes_on() {
    let store = Arc::new(MemorySaver::new());
    let mut chat = Chat::on(
        Double::new().always(names::ANALYZE_INVERTER_HEALTH, Ending::Hangs),
        store,
    );
    let input = chat.input(UserInput::Text("Check the health of GW-INV-001".to_owned()));
    let stop = input.cancellation.clone();
    let mut run = chat.assistant().run(input);
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        if matches!(&event, RunEvent::ToolCall { name, .. } if name == names::ANALYZE_INVERTER_HEALTH)
        {
            stop.cancel();
        }
        events.push(event);
    }
    check_laws(&events).unwrap();
    assert!(
        events
            .iter()
            .any(|event| matches!(event, RunEvent::Warning { code, .. } if code == "cancelled"))
    );
    chat.tools.heal();
    let turn = chat.say("Check the health of GW-INV-001").await;
    assert_eq!(turn.card()["component"], "HealthReport");
}

#[tokio::test]
async fn two_threads_know_nothing_of_each_other() {
    let store = Arc::new(MemorySaver::new());
    let mut chat = Chat::on(Double::new(), store);
    chat.say("Health check").await.picker();
    let mut other = chat.input(UserInput::Text("Selected: GW-INV-001".to_owned()));
    other.thread_key = Some("other:thread".into());
    let events: Vec<_> = chat.assistant().run(other).collect().await;
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, RunEvent::ToolCall { .. }))
    );
    assert!(chat.state().await.pending_selection.is_some());
}

#[tokio::test]
async fn a_turn_that_was_cut_off_is_run_again_from_where_it_began() {
    let mut chat = Chat::new(Double::new());
    for message in [
        "Health check",
        "Selected: GW-INV-001",
        "Thanks, and the fleet?",
    ] {
        let answered = chat.say(message).await;
        let remembered = chat.state().await.messages.len();
        // The thread was stored, the answer was not, and that more than once.
        for _ in 0..2 {
            let again = chat.again(message).await;
            assert_eq!(again.events, answered.events);
            assert_eq!(chat.state().await.messages.len(), remembered);
        }
    }
    chat.say("Health check").await.picker();
    // Neither was stored.
    chat.begun();
    let again = chat.again("Selected: GW-INV-001").await;
    assert_eq!(again.card()["component"], "HealthReport");
}
