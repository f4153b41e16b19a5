//! The run context reaches nodes and routers, and never the store.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use graph::{
    Answers, Command, CompiledGraph, Context, Durability, END, Error, Input, Lens, MemorySaver,
    NodeError, NodeResult, Outcome, RunConfig, START, State, StateGraph, Target,
};
use serde::{Deserialize, Serialize};

use crate::fixtures::{Change, Log, line};

/// A context that cannot be cloned, stored or compared.
struct Office {
    clerk: &'static str,
    is_open: bool,
    visits: AtomicU32,
}

impl Office {
    fn of(clerk: &'static str) -> Self {
        Self {
            clerk,
            is_open: true,
            visits: AtomicU32::new(0),
        }
    }
}

async fn visit(_: Arc<Log>, context: Context<Log, Office>) -> NodeResult<Log> {
    let office = context.run();
    office.visits.fetch_add(1, Ordering::SeqCst);
    Ok(line(format!("{} by {}", context.node(), office.clerk)))
}

async fn ask(_: Arc<Log>, context: Context<Log, Office>) -> NodeResult<Log> {
    let answer: String = context.interrupt("day", "Which day?")?;
    Ok(line(format!("{answer}, {}", context.run().clerk)))
}

/// visit → ask → visit again when the office is open.
fn app() -> CompiledGraph<Log, Office> {
    let mut graph = StateGraph::new();
    graph
        .add_node("first", visit)
        .add_node("ask", ask)
        .add_node("last", visit)
        .add_edge(START, "first")
        .add_edge("first", "ask")
        .add_conditional_edges_with(
            "ask",
            |_: &Log, office: &Office| if office.is_open { "last" } else { END },
            ["last", END],
        )
        .add_edge("last", END);
    graph.build("office").unwrap()
}

#[tokio::test]
async fn a_run_that_resumes_a_thread_has_a_context_of_its_own() {
    let app = app().with_checkpointer(Arc::new(MemorySaver::new()));
    let first = Arc::new(Office::of("Ann"));
    let stopped = app
        .invoke_with(
            Log::default(),
            Arc::clone(&first),
            RunConfig::thread("t").durability(Durability::Exit),
        )
        .await
        .unwrap();
    assert_eq!(stopped.interrupts().len(), 1);
    assert_eq!(first.visits.load(Ordering::SeqCst), 1);
    let second = Arc::new(Office::of("Bob"));
    let answers = Input::Resume(Answers::one("Monday"));
    let done = app
        .invoke_with(answers, Arc::clone(&second), RunConfig::thread("t"))
        .await
        .unwrap();
    assert_eq!(
        done.state().lines,
        ["first by Ann", "Monday, Bob", "last by Bob"]
    );
    assert_eq!(second.visits.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn nothing_of_the_context_is_stored() {
    let app = app().with_checkpointer(Arc::new(MemorySaver::new()));
    let config = RunConfig::thread("t");
    app.invoke_with(Log::default(), Office::of("Ann"), config)
        .await
        .unwrap();
    let kept = app.get_state("t", None).await.unwrap().unwrap();
    let stored: serde_json::Value = serde_json::from_slice(&kept.checkpoint.state).unwrap();
    assert_eq!(
        stored,
        serde_json::json!({ "lines": ["first by Ann"], "count": 0 })
    );
}

#[tokio::test]
async fn a_router_goes_by_the_context_where_it_continues_a_thread() {
    let app = app().with_checkpointer(Arc::new(MemorySaver::new()));
    let config = || RunConfig::thread("t");
    app.invoke_with(Log::default(), Office::of("Ann"), config())
        .await
        .unwrap();
    let closed = Office {
        is_open: false,
        ..Office::of("Bob")
    };
    let answers = Input::Resume(Answers::one("Sunday"));
    let done = app.invoke_with(answers, closed, config()).await.unwrap();
    assert_eq!(done.state().lines, ["first by Ann", "Sunday, Bob"]);
}

#[tokio::test]
async fn the_first_edges_of_a_graph_go_by_the_context() {
    let mut graph = StateGraph::new();
    graph
        .add_node("visit", visit)
        .add_conditional_edges_with(
            START,
            |_: &Log, office: &Office| if office.is_open { "visit" } else { END },
            ["visit", END],
        )
        .add_edge("visit", END);
    let app = graph.build("door").unwrap();
    let closed = Office {
        is_open: false,
        ..Office::of("Ann")
    };
    for (office, lines) in [(Office::of("Ann"), 1), (closed, 0)] {
        let done = app
            .invoke_with(Log::default(), office, RunConfig::new())
            .await
            .unwrap();
        assert_eq!(done.state().lines.len(), lines);
    }
}

/// A part of [`Tower`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Tower {
    log: Log,
}

#[derive(Clone, Serialize, Deserialize)]
struct Within(Change);

impl State for Tower {
    type Update = Within;
    type Event = String;

    fn apply(&mut self, update: Within) {
        self.log.apply(update.0);
    }
}

#[tokio::test]
async fn subgraphs_and_parallel_tasks_share_the_context() {
    let mut fan = StateGraph::new();
    fan.add_node("visit", visit)
        .add_conditional_edges_with(
            START,
            |_: &Log, office: &Office| {
                let tasks = if office.is_open { 3 } else { 0 };
                (0..tasks)
                    .map(|n| Target::send("visit", n))
                    .collect::<Vec<_>>()
            },
            ["visit"],
        )
        .add_edge("visit", END);
    let fan = fan.build("fan").unwrap();
    let mut same = StateGraph::new();
    same.add_subgraph("inner", &fan)
        .add_edge(START, "inner")
        .add_edge("inner", END);
    let lens = Lens::new(|tower: &Tower| &tower.log, Within, |event| event);
    let mut outer = StateGraph::new();
    outer
        .add_subgraph_with("part", &same.build("same").unwrap(), &lens)
        .add_edge(START, "part")
        .add_edge("part", END);
    let app = outer.build("tower").unwrap();
    let office = Arc::new(Office::of("Ann"));
    let done = app
        .invoke_with(Tower::default(), Arc::clone(&office), RunConfig::new())
        .await
        .unwrap();
    assert_eq!(office.visits.load(Ordering::SeqCst), 3);
    assert_eq!(done.state().log.lines, ["part/inner/visit by Ann"; 3]);
}

#[tokio::test]
async fn a_stream_is_given_a_context_and_gives_it_back_when_it_is_over() {
    let office = Arc::new(Office::of("Ann"));
    let run = app().stream_with(Log::default(), Arc::clone(&office), RunConfig::new());
    assert!(matches!(
        run.finish().await,
        Some(Ok(Outcome::Interrupted { .. }))
    ));
    assert_eq!(Arc::strong_count(&office), 1, "nothing keeps it");
}

#[tokio::test]
async fn a_failed_run_is_continued_with_another_context() {
    let mut graph = StateGraph::new();
    graph
        .add_node(
            "work",
            |_: Arc<Log>, context: Context<Log, Office>| async move {
                if context.run().is_open {
                    Ok(Command::update(Change::Line(
                        context.run().clerk.to_owned(),
                    )))
                } else {
                    Err(NodeError::permanent("the office is closed"))
                }
            },
        )
        .add_edge(START, "work")
        .add_edge("work", END);
    let app = graph
        .build("work")
        .unwrap()
        .with_checkpointer(Arc::new(MemorySaver::new()));
    let closed = Office {
        is_open: false,
        ..Office::of("Ann")
    };
    let failed = app
        .invoke_with(Log::default(), closed, RunConfig::thread("t"))
        .await;
    assert!(matches!(failed, Err(Error::Node { .. })));
    let done = app
        .invoke_with(Input::Continue, Office::of("Bob"), RunConfig::thread("t"))
        .await
        .unwrap();
    assert_eq!(done.state().lines, ["Bob"]);
}
