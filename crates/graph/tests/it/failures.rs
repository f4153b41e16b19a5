//! Nodes that fail, hang or panic; runs that are too long or unwanted.

use std::{
    error::Error as _,
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use graph::{
    Command, CompiledGraph, Context, END, Error, Failure, Input, MemorySaver, Node, NodeError,
    NodeOptions, NodeResult, Outcome, RetryPolicy, RunConfig, START, State, StateGraph,
};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::fixtures::{Counter, Log, OnDrop, branch, chain, fan_out, line, log_name, only, slow};

fn with_options(options: NodeOptions, node: impl Node<Log>) -> CompiledGraph<Log> {
    let mut graph = StateGraph::new();
    graph
        .add_node_with("only", node, options)
        .add_edge(START, "only")
        .add_edge("only", END);
    graph.build("test").unwrap()
}

async fn fail(app: &CompiledGraph<Log>) -> (u32, Failure) {
    match app
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap_err()
    {
        Error::Node {
            attempts, source, ..
        } => (attempts, source),
        other => panic!("{other}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_node_is_tried_again_as_often_as_its_policy_says() {
    let tries = Counter::default();
    let node = {
        let tries = tries.clone();
        move |_: Arc<Log>, context: Context<Log>| {
            let tries = tries.clone();
            async move {
                assert_eq!(tries.count(), context.attempt());
                if context.attempt() < 3 {
                    Err(NodeError::new("not yet"))
                } else {
                    Ok(line("done"))
                }
            }
        }
    };
    let policy = |attempts| RetryPolicy::attempts(attempts).jitter(0.0);
    let begun = Instant::now();
    let outcome = with_options(NodeOptions::new().retry(policy(3)), node.clone());
    let outcome = outcome
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap();
    assert_eq!(outcome.state().lines, ["done"]);
    assert_eq!(begun.elapsed(), Duration::from_millis(100 + 200));

    let tries_before = tries.get();
    assert_eq!(tries_before, 3);
    let always =
        |_: Arc<Log>, _: Context<Log>| async { Err::<Command<Log>, _>(NodeError::new("never")) };
    let (attempts, failure) =
        fail(&with_options(NodeOptions::new().retry(policy(4)), always)).await;
    assert_eq!(
        (attempts, failure.source().unwrap().to_string()),
        (4, "never".to_owned())
    );
}

#[tokio::test]
async fn a_permanent_failure_is_not_tried_again() {
    let node =
        |_: Arc<Log>, _: Context<Log>| async { Err::<Command<Log>, _>(NodeError::permanent("no")) };
    let (attempts, failure) = fail(&with_options(
        NodeOptions::new().retry(RetryPolicy::attempts(5)),
        node,
    ))
    .await;
    assert!(matches!(failure, Failure::Permanent { .. }));
    assert_eq!(attempts, 1);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_hangs_is_dropped_when_its_time_is_up() {
    let dropped = Arc::new(AtomicBool::new(false));
    let node = {
        let dropped = Arc::clone(&dropped);
        move |_: Arc<Log>, _: Context<Log>| {
            let guard = OnDrop(Arc::clone(&dropped));
            async move {
                let _guard = guard;
                pending::<NodeResult<Log>>().await
            }
        }
    };
    let begun = Instant::now();
    let (attempts, failure) = fail(&with_options(
        NodeOptions::new().timeout(Duration::from_secs(3)),
        node,
    ))
    .await;
    assert!(matches!(failure, Failure::TimedOut { after } if after == Duration::from_secs(3)));
    assert_eq!((attempts, begun.elapsed()), (1, Duration::from_secs(3)));
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_retried_like_any_failure() {
    let node = |_: Arc<Log>, context: Context<Log>| async move {
        if context.attempt() == 1 {
            pending::<()>().await;
        }
        Ok(line("second"))
    };
    let options = NodeOptions::new()
        .timeout(Duration::from_secs(1))
        .retry(RetryPolicy::attempts(2));
    let outcome = with_options(options, node)
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap();
    assert_eq!(outcome.state().lines, ["second"]);
}

#[tokio::test]
async fn a_panic_in_a_node_is_a_failure_alone_and_among_others() {
    async fn panics(_: Arc<Log>, _: Context<Log>) -> NodeResult<Log> {
        panic!("out of {}", "cheese")
    }
    let (_, failure) = fail(&only(panics)).await;
    assert!(
        matches!(&failure, Failure::Panicked { message } if message == "out of cheese"),
        "{failure}"
    );
    let (_, failure) = fail(&fan_out(vec![branch("a", log_name), branch("b", panics)])).await;
    assert!(matches!(failure, Failure::Panicked { .. }));
    let before_its_future =
        |_: Arc<Log>, _: Context<Log>| -> std::future::Ready<NodeResult<Log>> { panic!("early") };
    let (_, failure) = fail(&only(before_its_future)).await;
    assert!(matches!(failure, Failure::Panicked { .. }));
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Touchy;

impl State for Touchy {
    type Update = ();
    type Event = ();

    fn apply(&mut self, (): ()) {
        panic!("do not touch")
    }
}

#[tokio::test]
async fn a_panic_in_a_reducer_or_a_condition_is_an_error() {
    let mut graph = StateGraph::new();
    graph.add_node("a", |_: Arc<Touchy>, _: Context<Touchy>| async {
        Ok(Command::update(()))
    });
    graph.add_edge(START, "a").add_edge("a", END);
    let app = graph.build("touchy").unwrap();
    let error = app.invoke(Touchy, RunConfig::new()).await.unwrap_err();
    assert!(
        matches!(&error, Error::Panicked { message } if message == "do not touch"),
        "{error}"
    );
    let error = app
        .stream(Touchy, RunConfig::new())
        .finish()
        .await
        .unwrap()
        .unwrap_err();
    assert!(matches!(error, Error::Panicked { .. }), "{error}");

    let mut graph = chain(&["a"]);
    graph.add_conditional_edges("a", |_: &Log| -> &'static str { panic!("lost") }, [END]);
    let error = graph
        .build("lost")
        .unwrap()
        .invoke(Log::default(), RunConfig::new())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Panicked { .. }), "{error}");
}

#[tokio::test]
async fn a_run_that_does_not_end_is_stopped_at_the_limit() {
    let mut graph = StateGraph::new();
    graph.add_node("a", log_name).add_edge(START, "a");
    graph.add_conditional_edges(
        "a",
        |state: &Log| if state.lines.len() < 5 { "a" } else { END },
        ["a", END],
    );
    let app = graph
        .build("loop")
        .unwrap()
        .with_checkpointer(Arc::new(MemorySaver::new()));
    let config = |limit| RunConfig::thread("t").recursion_limit(limit);
    let error = app.invoke(Log::default(), config(3)).await.unwrap_err();
    assert!(
        matches!(error, Error::RecursionLimit { limit: 3 }),
        "{error}"
    );
    // What it did is kept, and exactly the limit is enough.
    let outcome = app.invoke(Input::Continue, config(2)).await.unwrap();
    assert_eq!(outcome.state().lines.len(), 5);
    assert!(outcome.is_done());
}

#[tokio::test(start_paused = true)]
async fn cancelling_stops_at_once_and_keeps_what_was_done() {
    let dropped = Arc::new(AtomicBool::new(false));
    let hang = {
        let dropped = Arc::clone(&dropped);
        move |_: Arc<Log>, _: Context<Log>| {
            let guard = OnDrop(Arc::clone(&dropped));
            async move {
                let _guard = guard;
                pending::<NodeResult<Log>>().await
            }
        }
    };
    let mut graph = chain(&["a"]);
    graph
        .add_node("hang", hang)
        .add_edge("a", "hang")
        .add_edge("hang", END);
    graph
        .add_node("quick", log_name)
        .add_edge("a", "quick")
        .add_edge("quick", END);
    let app = graph
        .build("test")
        .unwrap()
        .with_checkpointer(Arc::new(MemorySaver::new()));
    let token = CancellationToken::new();
    tokio::spawn({
        let token = token.clone();
        async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            token.cancel();
        }
    });
    let begun = Instant::now();
    let outcome = app
        .invoke(Log::default(), RunConfig::thread("t").cancellation(token))
        .await
        .unwrap();
    assert!(
        matches!(&outcome, Outcome::Cancelled { state } if state.lines == ["a"]),
        "{outcome:?}"
    );
    assert_eq!(begun.elapsed(), Duration::from_secs(1));
    assert!(
        dropped.load(Ordering::SeqCst),
        "the node is gone when the run returns"
    );
    let kept = app.get_state("t", None).await.unwrap().unwrap();
    assert_eq!(
        (
            kept.state.lines.len(),
            kept.checkpoint.next.len(),
            kept.checkpoint.writes.len()
        ),
        (1, 2, 1)
    );
}

#[tokio::test]
async fn a_run_cancelled_before_it_begins_runs_nothing() {
    let token = CancellationToken::new();
    token.cancel();
    let config = RunConfig::new().cancellation(token);
    let outcome = only(log_name).invoke(Log::default(), config).await.unwrap();
    assert_eq!(
        outcome,
        Outcome::Cancelled {
            state: Log::default()
        }
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_stops_its_siblings_and_keeps_what_finished() {
    let fail_once = {
        let tries = Counter::default();
        move |_: Arc<Log>, _: Context<Log>| {
            let tries = tries.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(10)).await;
                if tries.count() == 1 {
                    Err(NodeError::new("boom"))
                } else {
                    Ok(line("b"))
                }
            }
        }
    };
    let (quick_runs, slow_runs) = (Counter::default(), Counter::default());
    let counted = |runs: &Counter, wait: u64| {
        let runs = runs.clone();
        move |_: Arc<Log>, context: Context<Log>| {
            let runs = runs.clone();
            async move {
                runs.count();
                tokio::time::sleep(Duration::from_millis(wait)).await;
                Ok(line(context.node()))
            }
        }
    };
    let app = fan_out(vec![
        branch("a", counted(&quick_runs, 0)),
        branch("b", fail_once),
        branch("c", counted(&slow_runs, 1000)),
    ]);
    let app = app.with_checkpointer(Arc::new(MemorySaver::new()));
    let begun = Instant::now();
    let error = app
        .invoke(Log::default(), RunConfig::thread("t"))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, Error::Node { node, step: 0, attempts: 1, .. } if &**node == "b"),
        "{error}"
    );
    assert_eq!(
        begun.elapsed(),
        Duration::from_millis(10),
        "the slow sibling is not waited for"
    );
    let outcome = app
        .invoke(Input::Continue, RunConfig::thread("t"))
        .await
        .unwrap();
    assert_eq!(outcome.state().lines, ["a", "b", "c", "join"]);
    assert_eq!((quick_runs.get(), slow_runs.get()), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn tasks_of_a_superstep_run_at_the_same_time() {
    let wait = Duration::from_secs(1);
    let app = fan_out(vec![
        branch("a", slow(wait)),
        branch("b", slow(wait)),
        branch("c", slow(wait)),
    ]);
    let begun = Instant::now();
    app.invoke(Log::default(), RunConfig::new()).await.unwrap();
    assert_eq!(begun.elapsed(), wait);
}
