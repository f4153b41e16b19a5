//! The engine on SQLite: what one process leaves, another one takes up.

use std::{path::Path, sync::Arc};

use checkpoint::SqliteSaver;
use graph::{
    Answers, Checkpointer, Command, CompiledGraph, Context, END, Error, Input, NodeResult, Outcome,
    RunConfig, START, State, StateGraph,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Order {
    log: Vec<String>,
}

impl State for Order {
    type Update = String;
    type Event = ();

    fn apply(&mut self, line: String) {
        self.log.push(line);
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Approval {
    by: String,
    amount: f64,
}

async fn approve(_: Arc<Order>, context: Context<Order>) -> NodeResult<Order> {
    let approval: Approval = context.interrupt("approval", "how much?")?;
    Ok(Command::update(format!(
        "{} approved {}",
        approval.by, approval.amount
    )))
}

/// As a process has it when it starts: a graph and a store of its own.
async fn app(file: &Path) -> CompiledGraph<Order> {
    let saver: Arc<dyn Checkpointer> = Arc::new(SqliteSaver::open(file).await.unwrap());
    let say = |line: &'static str| {
        move |_: Arc<Order>, _: Context<Order>| async move { Ok(Command::update(line.to_owned())) }
    };
    let mut graph = StateGraph::new();
    graph
        .add_node("take", say("taken"))
        .add_node("check", say("checked"))
        .add_node("approve", approve)
        .add_node("ship", say("shipped"))
        .add_edge(START, "take")
        .add_edge("take", "check")
        .add_edge("take", "approve")
        .add_edge("check", "ship")
        .add_edge("approve", "ship")
        .add_edge("ship", END);
    graph.build("order").unwrap().with_checkpointer(saver)
}

#[tokio::test]
async fn an_interrupt_is_answered_in_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.sqlite");
    let outcome = app(&file)
        .await
        .invoke(Order::default(), RunConfig::thread("o-1"))
        .await
        .unwrap();
    let Outcome::Interrupted { state, interrupts } = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(state.log, ["taken"]);
    assert_eq!(
        (&*interrupts[0].key, &interrupts[0].payload),
        ("approval", &"how much?".into())
    );

    let second = app(&file).await;
    let unfit = Answers::new().with(&interrupts[0].id, "plenty");
    let refused = second
        .invoke(Input::Resume(unfit), RunConfig::thread("o-1"))
        .await;
    assert!(matches!(refused, Err(Error::Node { .. })), "{refused:?}");

    let third = app(&file).await;
    let answer = serde_json::to_value(Approval {
        by: "Ann".into(),
        amount: 0.1,
    })
    .unwrap();
    let outcome = third
        .invoke(
            Input::Resume(Answers::one(answer)),
            RunConfig::thread("o-1"),
        )
        .await
        .unwrap();
    assert_eq!(
        outcome.state().log,
        ["taken", "checked", "Ann approved 0.1", "shipped"]
    );
    assert!(outcome.is_done());
}

#[tokio::test]
async fn the_next_turn_finds_the_state_of_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.sqlite");
    app(&file)
        .await
        .invoke(
            Order {
                log: vec!["first".into()],
            },
            RunConfig::thread("o-1"),
        )
        .await
        .unwrap();
    let turn = Input::update("second".to_owned());
    let outcome = app(&file)
        .await
        .invoke(turn, RunConfig::thread("o-1"))
        .await
        .unwrap();
    assert_eq!(outcome.state().log, ["first", "taken", "second", "taken"]);
}

#[tokio::test]
async fn a_damaged_state_is_reported_before_the_run_begins() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.sqlite");
    let app = app(&file).await;
    app.invoke(Order::default(), RunConfig::thread("o-1"))
        .await
        .unwrap();
    let url = format!("sqlite://{}", file.display());
    let mut raw = <sqlx::SqliteConnection as sqlx::Connection>::connect(&url)
        .await
        .unwrap();
    sqlx::query("UPDATE checkpoints SET state = x'ff'")
        .execute(&mut raw)
        .await
        .unwrap();
    let refused = app
        .invoke(Input::update("more".to_owned()), RunConfig::thread("o-1"))
        .await;
    assert!(matches!(refused, Err(Error::Load { .. })), "{refused:?}");
    assert!(matches!(
        app.get_state("o-1", None).await,
        Err(Error::Load { .. })
    ));
}
