//! Turns of threads.

use std::sync::Arc;

use agent_kit::{
    Assistant, Attempt, Runner, TurnInput,
    testing::{Model, calls, says},
};
use graph::MemorySaver;
use llm::ChatModel;
use serde_json::json;

use crate::clerk::{Clerk, LIMITS, Shelf, input, said};

fn runner() -> Runner<Clerk> {
    Runner::new(Clerk(LIMITS), Some(Arc::new(MemorySaver::new()))).unwrap()
}

async fn lines(runner: &Runner<Clerk>) -> Vec<String> {
    let kept = runner.thread("owner:thread").await.unwrap().unwrap();
    kept.state.lines
}

#[tokio::test]
async fn what_is_said_and_called_is_recorded_in_order_where_the_state_asks_for_that() {
    let runner = runner();
    let model = Model::new([
        calls("a", "list_loggers", json!({})),
        says("There are 42 of them."),
    ]);
    let tools = Shelf::with([]);
    let turn = TurnInput {
        model: Some(model as Arc<dyn ChatModel>),
        ..input("r1", "How many?", &tools)
    };
    said(&runner, turn).await;
    assert_eq!(
        lines(&runner).await,
        [
            "asked How many?",
            "called list_loggers Ok",
            "said There are 42 of them."
        ]
    );
}

#[tokio::test]
async fn an_open_question_is_answered_by_the_next_turn_whose_run_has_a_context_of_its_own() {
    let runner = runner();
    let tools = Shelf::with([]);
    assert_eq!(
        said(&runner, input("r1", "Hello", &tools)).await,
        "Which day?"
    );
    let kept = runner.thread("owner:thread").await.unwrap().unwrap();
    assert!(Clerk::remembered(&kept).asks);
    assert_eq!(
        said(&runner, input("r2", "Monday", &tools)).await,
        "On Monday, then."
    );
    let kept = runner.thread("owner:thread").await.unwrap().unwrap();
    assert!(!Clerk::remembered(&kept).asks);
    assert_eq!(kept.state.lines, ["asked Hello", "said On Monday, then."]);
}

#[tokio::test]
async fn a_turn_that_was_cut_off_builds_on_the_thread_as_it_was_before() {
    let runner = runner();
    let tools = Shelf::with([]);
    let again = |run_id: &str, message: &str| TurnInput {
        attempt: Attempt {
            number: 2,
            worker: None,
        },
        ..input(run_id, message, &tools)
    };
    said(&runner, input("r1", "Hello", &tools)).await;
    // As if the process had ended right after the thread was stored.
    assert_eq!(said(&runner, again("r1", "Hello")).await, "Which day?");
    assert_eq!(lines(&runner).await, ["asked Hello"]);
    said(&runner, input("r2", "Monday", &tools)).await;
    assert_eq!(
        said(&runner, again("r2", "Monday")).await,
        "On Monday, then."
    );
    assert_eq!(
        lines(&runner).await,
        ["asked Hello", "said On Monday, then."]
    );
}
