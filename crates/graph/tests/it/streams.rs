//! Runs that are watched.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::StreamExt;
use graph::{
    Command, Context, Durability, END, MemorySaver, NodeError, NodeOptions, NodeResult, Outcome,
    RetryPolicy, Run, RunConfig, START, StateGraph, StreamItem, StreamModes, TaskStatus,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::fixtures::{Log, OnDrop, branch, chain, fan_out, line, log_name, only};

async fn tells(_: Arc<Log>, context: Context<Log>) -> NodeResult<Log> {
    for word in ["one", "two", "three"] {
        context.emit(word.to_owned()).await;
    }
    Ok(line("told"))
}

/// The items as short texts.
async fn watch(run: Run<Log>) -> Vec<String> {
    run.map(|item| match item {
        StreamItem::TaskStarted { node, step, task } => format!("{node} started {step}.{task}"),
        StreamItem::TaskRetried {
            node,
            attempt,
            error,
            ..
        } => format!("{node} retried {attempt}: {error}"),
        StreamItem::TaskFinished { node, status, .. } => format!("{node} {status:?}"),
        StreamItem::Custom(event) => event,
        StreamItem::Update { node, update } => format!("{node}: {update:?}"),
        StreamItem::Values { step, state } => format!("{step}: {}", state.lines.join(",")),
        StreamItem::Checkpoint { step, .. } => format!("checkpoint {step}"),
        StreamItem::Interrupted(interrupt) => format!("asks {}", interrupt.key),
        StreamItem::Finished(result) => {
            format!("finished {}", result.is_ok_and(|outcome| outcome.is_done()))
        }
        other => format!("{other:?}"),
    })
    .collect()
    .await
}

#[tokio::test]
async fn only_what_is_asked_for_is_yielded() {
    let app = only(tells);
    let modes = |modes| app.stream(Log::default(), RunConfig::new().modes(modes));
    assert_eq!(
        watch(modes(StreamModes::default())).await,
        ["one", "two", "three", "finished true"]
    );
    assert_eq!(watch(modes(StreamModes::NONE)).await, ["finished true"]);
    assert_eq!(
        watch(modes(StreamModes::UPDATES)).await,
        ["only: Line(\"told\")", "finished true"]
    );
    assert_eq!(
        watch(modes(StreamModes::VALUES)).await,
        ["1: told", "finished true"]
    );
    assert_eq!(
        watch(modes(StreamModes::TASKS)).await,
        ["only started 0.0", "only Done", "finished true"]
    );
    assert_eq!(
        watch(modes(StreamModes::CHECKPOINTS)).await,
        ["finished true"],
        "there is no checkpointer"
    );
}

#[tokio::test]
async fn everything_comes_in_the_order_in_which_it_happens() {
    let app = only(tells).with_checkpointer(Arc::new(MemorySaver::new()));
    let run = app.stream(
        Log::default(),
        RunConfig::thread("t").modes(StreamModes::ALL),
    );
    assert_eq!(
        watch(run).await,
        [
            "checkpoint 0",
            "only started 0.0",
            "one",
            "two",
            "three",
            "only Done",
            "only: Line(\"told\")",
            "1: told",
            "checkpoint 1",
            "finished true",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn retries_and_interrupts_are_told() {
    let mut graph = StateGraph::new();
    let node = |_: Arc<Log>, context: Context<Log>| async move {
        if context.attempt() == 1 {
            return Err(NodeError::new("busy"));
        }
        context.interrupt::<()>("k", "?").map(|()| Command::none())
    };
    graph.add_node_with(
        "a",
        node,
        NodeOptions::new().retry(RetryPolicy::attempts(2)),
    );
    graph.add_edge(START, "a").add_edge("a", END);
    let run = graph
        .build("g")
        .unwrap()
        .stream(Log::default(), RunConfig::new().modes(StreamModes::TASKS));
    assert_eq!(
        watch(run).await,
        [
            "a started 0.0",
            "a retried 1: the node returned an error: busy",
            "a Interrupted",
            "asks k",
            "finished false",
        ]
    );
    assert!(StreamModes::ALL.contains(StreamModes::TASKS | StreamModes::VALUES));
    assert_ne!(TaskStatus::Done, TaskStatus::Failed);
}

#[tokio::test]
async fn a_slow_reader_slows_the_run_and_loses_nothing() {
    let counts = |_: Arc<Log>, context: Context<Log>| async move {
        let mut refused = 0;
        for n in 0..100 {
            if let Err(event) = context.try_emit(n.to_string()) {
                refused += 1;
                context.emit(event).await;
            }
        }
        Ok(line(if refused > 0 {
            "waited"
        } else {
            "never waited"
        }))
    };
    let mut config = RunConfig::new();
    config.buffer = 2;
    let mut run = only(counts).stream(Log::default(), config);
    let mut events = Vec::new();
    let outcome = loop {
        match run.next().await.unwrap() {
            StreamItem::Custom(event) => events.push(event),
            StreamItem::Finished(result) => break result.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(events, (0..100).map(|n| n.to_string()).collect::<Vec<_>>());
    assert_eq!(outcome.state().lines, ["waited"]);
    assert!(run.next().await.is_none(), "nothing comes after the end");
    assert!(run.finish().await.is_none());
}

/// A node that reports its start and its drop.
fn hanging() -> (
    impl graph::Node<Log>,
    oneshot::Receiver<()>,
    Arc<AtomicBool>,
) {
    let (running, is_running) = oneshot::channel();
    let running = std::sync::Mutex::new(Some(running));
    let dropped = Arc::new(AtomicBool::new(false));
    let node = {
        let dropped = Arc::clone(&dropped);
        move |_: Arc<Log>, _: Context<Log>| {
            let guard = OnDrop(Arc::clone(&dropped));
            let running = running.lock().unwrap().take();
            async move {
                let _guard = guard;
                running.map(|running| running.send(()));
                pending::<NodeResult<Log>>().await
            }
        }
    };
    (node, is_running, dropped)
}

async fn until(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn dropping_the_handle_stops_the_run_alone_and_among_others() {
    let (node, is_running, dropped) = hanging();
    let run = only(node).stream(Log::default(), RunConfig::new());
    is_running.await.unwrap();
    drop(run);
    until(&dropped).await;

    let (node, is_running, dropped) = hanging();
    let run = fan_out(vec![branch("a", node), branch("b", log_name)])
        .stream(Log::default(), RunConfig::new());
    is_running.await.unwrap();
    drop(run);
    until(&dropped).await;
}

#[tokio::test]
async fn dropping_an_invocation_stops_the_run() {
    let (node, is_running, dropped) = hanging();
    let app = fan_out(vec![branch("a", node), branch("b", log_name)]);
    let mut invocation = Box::pin(app.invoke(Log::default(), RunConfig::new()));
    tokio::select! {
        _ = &mut invocation => panic!("it hangs"),
        told = is_running => told.unwrap(),
    }
    drop(invocation);
    until(&dropped).await;
}

#[tokio::test]
async fn a_cancelled_run_still_tells_its_end() {
    let (node, is_running, _) = hanging();
    let mut run = only(node).stream(Log::default(), RunConfig::new());
    is_running.await.unwrap();
    run.cancel();
    assert!(matches!(
        run.finish().await,
        Some(Ok(Outcome::Cancelled { .. }))
    ));
}

#[tokio::test]
async fn a_reader_that_stopped_reading_does_not_hold_up_a_cancelled_run() {
    let token = CancellationToken::new();
    let mut config = RunConfig::new()
        .modes(StreamModes::ALL)
        .cancellation(token.clone());
    config.buffer = 1;
    let mut run = chain(&["a", "b", "c"])
        .build("chain")
        .unwrap()
        .stream(Log::default(), config);
    assert!(run.next().await.is_some());
    token.cancel();
    assert!(matches!(
        run.finish().await,
        Some(Ok(Outcome::Cancelled { .. }))
    ));
}

#[tokio::test]
async fn a_detached_run_goes_on_alone() {
    let (finished, is_finished) = oneshot::channel();
    let finished = std::sync::Mutex::new(Some(finished));
    let (go, may_go) = oneshot::channel::<()>();
    let may_go = std::sync::Mutex::new(Some(may_go));
    let node = move |_: Arc<Log>, context: Context<Log>| {
        let (finished, may_go) = (
            finished.lock().unwrap().take(),
            may_go.lock().unwrap().take(),
        );
        async move {
            may_go.unwrap().await?;
            for n in 0..1000 {
                context.emit(n.to_string()).await;
            }
            finished.unwrap().send(()).unwrap();
            Ok(Command::none())
        }
    };
    only(node).stream(Log::default(), RunConfig::new()).detach();
    go.send(()).unwrap();
    is_finished.await.unwrap();
}

#[tokio::test]
async fn work_that_a_node_handed_on_is_told_when_the_run_ends_and_does_not_keep_the_stream_open() {
    let (told, is_told) = oneshot::channel();
    let told = std::sync::Mutex::new(Some(told));
    let node = move |_: Arc<Log>, context: Context<Log>| {
        let told = told.lock().unwrap().take().unwrap();
        tokio::spawn(async move {
            context.cancelled().await;
            assert!(context.cancellation().is_cancelled());
            told.send(()).unwrap();
            pending::<()>().await;
        });
        async { Ok(Command::none()) }
    };
    let run = only(node).stream(Log::default(), RunConfig::new());
    assert_eq!(watch(run).await, ["finished true"]);
    tokio::time::timeout(Duration::from_secs(30), is_told)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_run_here_yields_what_a_run_in_a_task_of_its_own_does() {
    for buffer in [1, 2, 64] {
        let mut config = RunConfig::new().modes(StreamModes::ALL);
        config.buffer = buffer;
        let app = fan_out(vec![branch("a", tells), branch("b", log_name)]);
        let here = app.stream_here_with(Log::default(), (), config.clone());
        let mut items = watch(here).await;
        let mut others = watch(app.stream(Log::default(), config)).await;
        assert_eq!(items.last().map(String::as_str), Some("finished true"));
        // The branches run at the same time, so their items come in any order.
        items.sort_unstable();
        others.sort_unstable();
        assert_eq!(items, others);
    }
}

#[tokio::test]
async fn a_run_here_goes_on_only_while_it_is_read_and_ends_when_it_is_dropped() {
    let (node, mut is_running, dropped) = hanging();
    let mut run = only(node).stream_here_with(Log::default(), (), RunConfig::new());
    tokio::task::yield_now().await;
    assert!(is_running.try_recv().is_err(), "nothing reads it yet");
    assert!(futures::poll!(run.next()).is_pending());
    is_running.await.unwrap();
    drop(run);
    until(&dropped).await;
}

#[tokio::test]
async fn a_run_here_that_was_dropped_is_stored_as_a_cancelled_one() {
    let saver = Arc::new(MemorySaver::default());
    let (node, is_running, dropped) = hanging();
    let app = only(node).with_checkpointer(saver);
    let config = RunConfig::thread("t").durability(Durability::Exit);
    let mut run = app.stream_here_with(Log::default(), (), config);
    assert!(futures::poll!(run.next()).is_pending());
    is_running.await.unwrap();
    drop(run);
    until(&dropped).await;
    let kept = app.get_state("t", None).await.unwrap().unwrap();
    assert_eq!(kept.checkpoint.step, 0);
}

#[tokio::test]
async fn a_run_here_that_is_cancelled_tells_its_end_and_a_detached_one_goes_on() {
    let (node, is_running, _) = hanging();
    let mut run = only(node).stream_here_with(Log::default(), (), RunConfig::new());
    assert!(futures::poll!(run.next()).is_pending());
    is_running.await.unwrap();
    run.cancel();
    assert!(matches!(
        run.finish().await,
        Some(Ok(Outcome::Cancelled { .. }))
    ));

    let (finished, is_finished) = oneshot::channel();
    let finished = std::sync::Mutex::new(Some(finished));
    let node = move |_: Arc<Log>, context: Context<Log>| {
        let finished = finished.lock().unwrap().take();
        async move {
            for n in 0..1000 {
                context.emit(n.to_string()).await;
            }
            finished.unwrap().send(()).unwrap();
            Ok(Command::none())
        }
    };
    only(node)
        .stream_here_with(Log::default(), (), RunConfig::new())
        .detach();
    is_finished.await.unwrap();
}
