//! The times at which checkpoints are stored, and the effects of a store that fails.

use std::{sync::Arc, time::Duration};

use futures::StreamExt;
use graph::{
    CheckpointError, Checkpointer, Command, CompiledGraph, Context, Durability, END, Error, Input,
    MemorySaver, Outcome, RunConfig, START, StateGraph, StreamItem, StreamModes, Unreadable,
    Warning,
};
use serde_json::json;

use crate::fixtures::{Change, Fragile, Log, chain};

fn thread() -> RunConfig {
    RunConfig::thread("t")
}

fn app(store: &Arc<Fragile>) -> CompiledGraph<Log> {
    chain(&["a", "b", "c"])
        .build("chain")
        .unwrap()
        .with_checkpointer(Arc::clone(store) as Arc<dyn Checkpointer>)
}

#[tokio::test]
async fn a_checkpoint_follows_each_superstep_and_its_parent() {
    let store = Arc::new(Fragile::default());
    let app = app(&store);
    let mut config = thread();
    config.metadata.insert("run".into(), json!("r-1"));
    app.invoke(Log::default(), config).await.unwrap();
    let history = app.get_state_history("t", 10, None).await.unwrap();
    let seen: Vec<_> = history
        .iter()
        .map(|at| {
            (
                at.checkpoint.step,
                at.state.lines.len(),
                at.checkpoint.next.first().map(|next| &*next.node),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            (3, 3, None),
            (2, 2, Some("c")),
            (1, 1, Some("b")),
            (0, 0, Some("a"))
        ]
    );
    for pair in history.windows(2) {
        assert_eq!(pair[0].checkpoint.parent_id, Some(pair[1].checkpoint.id));
        assert!(pair[0].checkpoint.created_at() >= pair[1].checkpoint.created_at());
    }
    assert_eq!(history[3].checkpoint.parent_id, None);
    assert!(
        history
            .iter()
            .all(|at| at.checkpoint.metadata["run"] == "r-1")
    );
    let page = app
        .get_state_history("t", 1, Some(history[1].checkpoint.id))
        .await
        .unwrap();
    assert_eq!(page[0].checkpoint, history[2].checkpoint);
}

#[tokio::test]
async fn durability_chooses_how_often_is_stored() {
    for (durability, puts) in [
        (Durability::Sync, 4),
        (Durability::Async, 4),
        (Durability::Exit, 1),
    ] {
        let store = Arc::new(Fragile::default());
        let app = app(&store);
        app.invoke(Log::default(), thread().durability(durability))
            .await
            .unwrap();
        assert_eq!(
            store.calls().iter().filter(|&&call| call == "put").count(),
            puts,
            "{durability:?}"
        );
        let last = app.get_state("t", None).await.unwrap().unwrap();
        assert_eq!(
            (last.state.lines.len(), last.checkpoint.step),
            (3, 3),
            "{durability:?}"
        );
    }
}

#[tokio::test]
async fn the_next_turn_begins_with_what_the_last_one_left() {
    let app = app(&Arc::new(Fragile::default()));
    app.invoke(Input::update(Change::Add(1)), thread())
        .await
        .unwrap();
    let outcome = app
        .invoke(Input::update(Change::Add(2)), thread())
        .await
        .unwrap();
    assert_eq!((outcome.state().count, outcome.state().lines.len()), (3, 6));
    let other = app
        .invoke(Input::update(Change::Add(9)), RunConfig::thread("other"))
        .await
        .unwrap();
    assert_eq!(other.state().count, 9);
    // A whole state replaces, and its history is still the thread's.
    let outcome = app.invoke(Log::default(), thread()).await.unwrap();
    assert_eq!(outcome.state().count, 0);
    let history = app.get_state_history("t", 100, None).await.unwrap();
    assert_eq!((history.len(), history[0].checkpoint.step), (12, 9));
}

#[tokio::test]
async fn continuing_a_finished_thread_does_nothing() {
    let app = app(&Arc::new(Fragile::default()));
    let done = app.invoke(Log::default(), thread()).await.unwrap();
    let again = app.invoke(Input::Continue, thread()).await.unwrap();
    assert_eq!(again, done);
    assert_eq!(app.get_state_history("t", 10, None).await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_fork_begins_at_an_old_checkpoint_and_becomes_the_newest() {
    let app = app(&Arc::new(Fragile::default()));
    app.invoke(Log::default(), thread()).await.unwrap();
    let history = app.get_state_history("t", 10, None).await.unwrap();
    let (old, newest) = (&history[2].checkpoint, &history[0].checkpoint);
    let outcome = app
        .invoke(Input::update(Change::Add(5)), thread().checkpoint(old.id))
        .await
        .unwrap();
    assert_eq!(
        (outcome.state().count, outcome.state().lines.join("")),
        (5, "aabc".to_owned())
    );
    let forked = app.get_state_history("t", 4, None).await.unwrap();
    assert_eq!(forked[3].checkpoint.parent_id, Some(old.id));
    assert_eq!(
        app.get_state("t", None).await.unwrap().unwrap().state.count,
        5
    );
    let before = app.get_state("t", Some(newest.id)).await.unwrap().unwrap();
    assert_eq!(
        before.state.lines.join(""),
        "abc",
        "the old branch is still there"
    );
    let unknown = app
        .invoke(
            Input::Continue,
            thread().checkpoint(graph::CheckpointId::nil()),
        )
        .await;
    assert!(matches!(unknown, Err(Error::UnknownCheckpoint { .. })));
}

#[tokio::test]
async fn a_checkpoint_that_can_not_be_stored_is_a_warning() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let store = Arc::new(Fragile {
            puts_fail_from: Some(if durability == Durability::Exit { 1 } else { 2 }),
            ..Fragile::default()
        });
        let mut run = app(&store).stream(Log::default(), thread().durability(durability));
        let (mut warnings, mut finished) = (0, None);
        while let Some(item) = run.next().await {
            match item {
                StreamItem::Warning(Warning::CheckpointFailed { .. }) => warnings += 1,
                StreamItem::Finished(result) => finished = Some(result.unwrap()),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(warnings, 1, "{durability:?}");
        assert_eq!(finished.unwrap().state().lines, ["a", "b", "c"]);
        let puts = store.calls().iter().filter(|&&call| call == "put").count();
        assert_eq!(puts, store.puts_fail_from.unwrap(), "nothing more is tried");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_is_given_up() {
    let store = Arc::new(Fragile {
        hangs: true,
        ..Fragile::default()
    });
    let mut run = app(&store).stream(Log::default(), thread());
    let first = run.next().await.unwrap();
    let StreamItem::Warning(Warning::CheckpointFailed { error }) = first else {
        panic!("{first:?}")
    };
    assert!(
        matches!(error, CheckpointError::TimedOut { after } if after == Duration::from_secs(10))
    );
    assert!(run.finish().await.unwrap().unwrap().is_done());
}

#[tokio::test]
async fn a_checkpoint_that_can_not_be_loaded_is_an_error_before_anything_runs() {
    let store = Arc::new(Fragile {
        gets_fail: true,
        ..Fragile::default()
    });
    for input in [
        Input::State(Log::default()),
        Input::update(Change::Add(1)),
        Input::Continue,
    ] {
        let refused = app(&store).invoke(input, thread()).await;
        assert!(matches!(refused, Err(Error::Load { .. })), "{refused:?}");
    }
    assert!(
        app(&store)
            .invoke(Log::default(), RunConfig::new())
            .await
            .unwrap()
            .is_done()
    );
    assert!(!store.calls().contains(&"put"));
}

/// A run that may begin without what its thread holds: the warnings, and how it ended.
async fn fresh(
    app: &CompiledGraph<Log>,
    input: Input<Log>,
) -> (Vec<Warning>, Result<Outcome<Log>, Error>) {
    let mut run = app.stream(input, thread().unreadable(Unreadable::StartFresh));
    let mut warnings = Vec::new();
    while let Some(item) = run.next().await {
        match item {
            StreamItem::Warning(warning) => warnings.push(warning),
            StreamItem::Finished(result) => return (warnings, result),
            other => panic!("{other:?}"),
        }
    }
    panic!("the run had no end")
}

#[tokio::test]
async fn a_thread_that_can_not_be_loaded_is_done_without_and_left_alone() {
    let store = Arc::new(Fragile {
        gets_fail: true,
        ..Fragile::default()
    });
    for input in [Input::State(Log::default()), Input::update(Change::Add(1))] {
        let (warnings, result) = fresh(&app(&store), input).await;
        assert!(
            matches!(
                &warnings[..],
                [Warning::CheckpointNotLoaded {
                    error: CheckpointError::Unavailable { .. }
                }]
            ),
            "{warnings:?}"
        );
        assert_eq!(result.unwrap().state().lines, ["a", "b", "c"]);
    }
    assert!(!store.calls().contains(&"put"));
    // What can only be done with the thread is not.
    let (warnings, result) = fresh(&app(&store), Input::Continue).await;
    assert!(warnings.is_empty() && matches!(result, Err(Error::Load { .. })));
}

#[tokio::test]
async fn a_corrupt_thread_begins_anew_and_goes_on_from_there() {
    let store = Arc::new(Fragile::default());
    let app = app(&store);
    app.invoke(Input::update(Change::Add(1)), thread())
        .await
        .unwrap();
    let mut newest = store.get("t", None).await.unwrap().unwrap();
    newest.state = b"{\"lines\":[\"a\"".to_vec();
    store.put(&newest).await.unwrap();

    let (warnings, result) = fresh(&app, Input::update(Change::Add(2))).await;
    assert!(
        matches!(
            &warnings[..],
            [Warning::CheckpointNotLoaded {
                error: CheckpointError::Corrupt { .. }
            }]
        ),
        "{warnings:?}"
    );
    assert_eq!(result.unwrap().state().count, 2);
    let (warnings, result) = fresh(&app, Input::update(Change::Add(3))).await;
    assert!(warnings.is_empty());
    assert_eq!(result.unwrap().state().count, 5);
}

#[tokio::test]
async fn a_checkpoint_of_another_graph_is_refused() {
    let store: Arc<dyn Checkpointer> = Arc::new(MemorySaver::new());
    let build = |names: &[&'static str]| {
        chain(names)
            .build("chain")
            .unwrap()
            .with_checkpointer(Arc::clone(&store))
    };
    build(&["a", "old"])
        .invoke(Log::default(), thread().recursion_limit(1))
        .await
        .unwrap_err();
    let refused = build(&["a", "new"]).invoke(Input::Continue, thread()).await;
    assert!(matches!(refused, Err(Error::UnknownNode { node }) if &*node == "old"));
    // A new turn does not need the old node.
    assert!(
        build(&["a", "new"])
            .invoke(Input::update(Change::Add(1)), thread())
            .await
            .unwrap()
            .is_done()
    );
}

#[tokio::test]
async fn checkpoints_are_streamed_when_asked_for() {
    let app = app(&Arc::new(Fragile::default()));
    let run = app.stream(Log::default(), thread().modes(StreamModes::CHECKPOINTS));
    let items: Vec<_> = run.collect().await;
    let steps: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            StreamItem::Checkpoint { step, .. } => Some(*step),
            _ => None,
        })
        .collect();
    assert_eq!(steps, [0, 1, 2, 3]);
    assert_eq!(items.len(), 5);
}

#[tokio::test]
async fn ids_grow_even_when_their_source_does_not() {
    let same = graph::CheckpointId::now_v7();
    let store = Arc::new(Fragile::default());
    let app = app(&store).with_id_source(move || same);
    app.invoke(Log::default(), thread()).await.unwrap();
    app.invoke(Input::update(Change::Add(1)), thread())
        .await
        .unwrap();
    let history = app.get_state_history("t", 100, None).await.unwrap();
    assert_eq!(history.len(), 8);
    assert_eq!(history[0].state.lines.len(), 6);
}

#[tokio::test]
async fn the_state_is_not_cloned_while_it_runs() {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Heavy;
    impl Clone for Heavy {
        fn clone(&self) -> Self {
            panic!("cloned")
        }
    }
    impl graph::State for Heavy {
        type Update = ();
        type Event = ();
        fn apply(&mut self, (): ()) {}
    }
    let mut graph = StateGraph::new();
    for name in ["a", "b"] {
        graph.add_node(name, |_: Arc<Heavy>, _: Context<Heavy>| async {
            Ok(Command::update(()))
        });
        graph.add_edge(START, name).add_edge(name, "join");
    }
    graph
        .add_node("join", |_: Arc<Heavy>, _: Context<Heavy>| async {
            Ok(Command::update(()))
        })
        .add_edge("join", END);
    let app = graph
        .build("heavy")
        .unwrap()
        .with_checkpointer(Arc::new(MemorySaver::new()));
    assert!(app.invoke(Heavy, thread()).await.unwrap().is_done());
}
