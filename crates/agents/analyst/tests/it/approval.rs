//! Plans that wait for a person.

use agent_analyst::{ApprovePlans, QuestionAbout};
use contracts::{run::FinishReason, todo::TodoListState};

use crate::{chat::Chat, double::Double};

const QUESTION: &str = "Show shipments to Miami last week";

fn asking() -> Chat {
    Chat::new(Double::new()).with(|options| options.approve_plans = ApprovePlans::Always)
}

#[tokio::test]
async fn the_plan_is_shown_and_runs_when_it_is_approved_in_another_process() {
    let mut chat = asking();
    let asked = chat.say(QUESTION).await;
    assert_eq!(asked.reason(), FinishReason::ToolCalls);
    let (call, labels) = asked.picker();
    assert_eq!(labels, ["Run it", "Change it", "Cancel"]);
    assert!(
        asked.text().contains("4. Run the Elasticsearch query"),
        "{}",
        asked.text()
    );
    assert!(chat.entries().is_empty() && chat.tools.called().is_empty());
    assert_eq!(chat.lists()[0].approved, Some(false));
    assert_eq!(
        chat.thread().await.pending.unwrap().about,
        QuestionAbout::Approval
    );
    for lose in [false, true] {
        if lose {
            chat.lose_checkpoint();
        }
    }
    let turn = chat.say("Selected: run").await;
    assert_eq!(turn.flow().0, "approve");
    assert_eq!(turn.answered(), [(call, &serde_json::json!("run"))]);
    assert_eq!(chat.attempts().len(), 5);
    assert_eq!(chat.lists()[0].approved, Some(true));
}

#[tokio::test]
async fn consent_has_many_words() {
    for words in ["yep", "go ahead please", "of course", "looks good to me"] {
        let mut chat = asking();
        chat.say(QUESTION).await;
        let turn = chat.say(words).await;
        assert_eq!(turn.flow().0, "approve", "{words}");
        assert_eq!(chat.attempts().len(), 5, "{words}");
    }
}

#[tokio::test]
async fn nothing_runs_that_is_declined() {
    let mut chat = asking();
    chat.say(QUESTION).await;
    let turn = chat.say("no, thanks").await;
    assert_eq!(turn.text(), "Nothing was run.");
    assert!(chat.tools.called().is_empty());
    assert_eq!(chat.states(), [TodoListState::Aborted]);
}

#[tokio::test]
async fn a_message_may_ask_for_the_plan_itself_and_leave_out_tasks() {
    let mut chat = Chat::new(Double::new());
    let asked = chat
        .say(&format!("{QUESTION}, but show me the plan first"))
        .await;
    assert_eq!(asked.reason(), FinishReason::ToolCalls);
    let changed = chat.say("skip the summary").await;
    assert_eq!(changed.reason(), FinishReason::ToolCalls);
    assert_ne!(asked.picker().0, changed.picker().0);
    assert_eq!(
        chat.states(),
        [TodoListState::Superseded, TodoListState::Active]
    );
    assert_eq!(changed.tasks().len(), 4);
    let turn = chat.say("ok").await;
    assert_eq!(chat.attempts().len(), 4);
    assert_eq!(turn.text(), "142 shipments found.");
    assert!(turn.data().is_some());
}

#[tokio::test]
async fn what_the_rest_needs_is_not_left_out() {
    let mut chat = asking();
    chat.say(QUESTION).await;
    let turn = chat.say("without map_fields").await;
    assert_eq!(turn.warnings(), ["task_needed"]);
    assert_eq!(turn.tasks().len(), 5);
    assert_eq!(turn.reason(), FinishReason::ToolCalls);
}

#[tokio::test]
async fn who_wants_a_change_is_asked_which() {
    let mut chat = asking();
    chat.say(QUESTION).await;
    let asked = chat.say("Selected: change").await;
    assert!(
        asked.text().starts_with("What should be different?"),
        "{}",
        asked.text()
    );
    assert_eq!(asked.reason(), FinishReason::Stop);
    chat.restart();
    let turn = chat.say("run it").await;
    assert!(turn.answered().is_empty(), "it was answered before");
    assert_eq!(chat.attempts().len(), 5);
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
}

#[tokio::test]
async fn another_wish_is_planned_and_shown_anew() {
    let mut chat = asking();
    chat.say(QUESTION).await;
    let changed = chat.say("and include the arrival date").await;
    assert_eq!(changed.reason(), FinishReason::ToolCalls);
    assert_eq!(
        chat.states(),
        [TodoListState::Superseded, TodoListState::Active]
    );
    let request = &chat.lists()[1].rewritten_request;
    assert!(
        request.contains("Miami") && request.contains("arrival date"),
        "{request}"
    );
    let other = chat
        .say("forget it, show me container status instead")
        .await;
    assert_eq!(other.reason(), FinishReason::ToolCalls);
    assert_eq!(
        chat.states(),
        [
            TodoListState::Superseded,
            TodoListState::Aborted,
            TodoListState::Active
        ]
    );
}

#[tokio::test]
async fn a_query_that_reads_much_waits_before_it_runs() {
    let tools = Double::new();
    *tools.large.lock().unwrap() = true;
    let mut chat = Chat::new(tools);
    let asked = chat.say(QUESTION).await;
    assert_eq!(asked.reason(), FinishReason::ToolCalls);
    assert!(asked.text().contains("250,000 records"), "{}", asked.text());
    assert_eq!(chat.attempts().len(), 3);
    assert_eq!(
        chat.tools.called(),
        ["entity_resolution", "field_mapping", "query_builder"]
    );
    chat.restart();
    chat.say("yes").await;
    assert_eq!(chat.tools.called(), ["es_executor"]);
    assert_eq!(chat.attempts().len(), 5);

    for never in [ApprovePlans::Never, ApprovePlans::WhenAsked] {
        let tools = Double::new();
        *tools.large.lock().unwrap() = true;
        let mut chat = Chat::new(tools).with(|options| options.approve_plans = never);
        assert_eq!(chat.say(QUESTION).await.reason(), FinishReason::Stop);
    }
}

#[tokio::test]
async fn an_approval_that_died_is_taken_again() {
    let mut chat = asking();
    chat.say(QUESTION).await;
    chat.dies_after("run", 1).await;
    chat.restart();
    let again = chat.again("run").await;
    assert_eq!(again.flow().0, "approve");
    assert_eq!(chat.attempts().len(), 5);
    assert_eq!(chat.lists().len(), 1);
}
