//! What every [`Checkpointer`] has to do, as tests that take one (feature `conformance`).
//!
//! ```
//! # use std::sync::Arc;
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), graph::CheckpointError> {
//! graph::conformance::check(Arc::new(graph::MemorySaver::new())).await
//! # }
//! ```

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::{Map, json};
use uuid::Uuid;

use crate::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Interrupt, NextTask, Target, Targets,
    TaskRecord, TaskWrite, earliest_id,
};

type Checked = Result<(), CheckpointError>;

/// Runs the whole suite. The store may hold other threads; the suite's own have ids that begin with
/// `conformance`.
///
/// # Panics
///
/// When the store does something else than it should.
pub async fn check(store: Arc<dyn Checkpointer>) -> Checked {
    returns_what_was_put(&*store).await?;
    finds_the_newest_and_any(&*store).await?;
    lists_newest_first(&*store).await?;
    adds_and_replaces_writes(&*store).await?;
    refuses_writes_without_checkpoint(&*store).await?;
    replaces_a_checkpoint_put_again(&*store).await?;
    keeps_threads_apart(&*store).await?;
    takes_any_text_as_thread_id(&*store).await?;
    takes_large_states(&*store).await?;
    deletes_threads(&*store).await?;
    prunes_the_oldest(&*store).await?;
    deletes_idle_threads(&*store).await?;
    takes_concurrent_writers(store).await
}

/// A checkpoint comes back as it was put, and what was not put is not there.
///
/// # Panics
///
/// When the store does something else.
pub async fn returns_what_was_put(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-round-trip";
    assert_eq!(
        store.get(thread, None).await?,
        None,
        "a thread that does not exist has no checkpoint"
    );
    let mut full = checkpoint(thread, 7);
    full.parent_id = Some(id(6));
    full.step = u32::MAX;
    full.state = b"{\"text\":\"\\u0000 \xC3\xA9\"}".to_vec();
    full.next.push(NextTask {
        node: "sub/worker".into(),
        input: Some(json!({"n": [1, 2.5, null]})),
    });
    full.metadata.insert("run".into(), json!("r-1"));
    full.writes = vec![finished(0), waiting(1)];
    store.put(&full).await?;
    assert_eq!(
        store.get(thread, Some(full.id)).await?,
        Some(full.clone()),
        "a checkpoint with everything in it"
    );
    let mut bare = checkpoint(thread, 8);
    bare.next.clear();
    store.put(&bare).await?;
    assert_eq!(
        store.get(thread, Some(bare.id)).await?,
        Some(bare),
        "a checkpoint with nothing to do"
    );
    assert_eq!(
        store.get(thread, Some(id(99))).await?,
        None,
        "an id that was never put"
    );
    store.delete_thread(thread).await
}

/// Without an id the newest is intended, by id and not by time of storing.
///
/// # Panics
///
/// When the store does something else.
pub async fn finds_the_newest_and_any(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-newest";
    for n in [2, 3, 1] {
        store.put(&checkpoint(thread, n)).await?;
    }
    assert_eq!(
        store.get(thread, None).await?.map(|found| found.id),
        Some(id(3))
    );
    assert_eq!(
        store.get(thread, Some(id(2))).await?.map(|found| found.id),
        Some(id(2))
    );
    store.delete_thread(thread).await
}

/// Lists come newest first, with writes, and can be read page by page.
///
/// # Panics
///
/// When the store does something else.
pub async fn lists_newest_first(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-list";
    for n in 1..=5 {
        store.put(&checkpoint(thread, n)).await?;
    }
    store
        .put_writes(thread, id(4), &[waiting(1), finished(0)])
        .await?;
    assert_eq!(
        ids(&store.list(thread, 10, None).await?),
        [5, 4, 3, 2, 1].map(id)
    );
    let page = store.list(thread, 2, Some(id(5))).await?;
    assert_eq!(ids(&page), [4, 3].map(id));
    assert_eq!(
        page[0].writes,
        [finished(0), waiting(1)],
        "listed checkpoints have their writes"
    );
    assert!(store.list(thread, 10, Some(id(1))).await?.is_empty());
    assert!(store.list(thread, 0, None).await?.is_empty());
    store.delete_thread(thread).await
}

/// Writes add up, come in order of task, and a task's later write replaces its earlier one.
///
/// # Panics
///
/// When the store does something else.
pub async fn adds_and_replaces_writes(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-writes";
    store.put(&checkpoint(thread, 1)).await?;
    store
        .put_writes(thread, id(1), &[waiting(11), waiting(2)])
        .await?;
    store.put_writes(thread, id(1), &[]).await?;
    store
        .put_writes(thread, id(1), &[finished(2), finished(0)])
        .await?;
    let found = store
        .get(thread, Some(id(1)))
        .await?
        .map(|found| found.writes);
    assert_eq!(found, Some(vec![finished(0), finished(2), waiting(11)]));
    store.delete_thread(thread).await
}

/// Writes to a checkpoint that is not there are an error, and leave nothing behind.
///
/// # Panics
///
/// When the store does something else.
pub async fn refuses_writes_without_checkpoint(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-orphans";
    let refused = store.put_writes(thread, id(1), &[finished(0)]).await;
    assert!(
        matches!(refused, Err(CheckpointError::NotFound { .. })),
        "{refused:?}"
    );
    store.put(&checkpoint(thread, 1)).await?;
    assert_eq!(store.get(thread, None).await?, Some(checkpoint(thread, 1)));
    store.delete_thread(thread).await
}

/// Putting an id again replaces all of it, writes included.
///
/// # Panics
///
/// When the store does something else.
pub async fn replaces_a_checkpoint_put_again(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-again";
    let mut first = checkpoint(thread, 1);
    first.writes = vec![finished(0), finished(1)];
    store.put(&first).await?;
    let mut second = checkpoint(thread, 1);
    second.state = b"{\"second\":true}".to_vec();
    second.writes = vec![waiting(1)];
    store.put(&second).await?;
    assert_eq!(store.list(thread, 10, None).await?, [second]);
    store.delete_thread(thread).await
}

/// The same checkpoint id in two threads is two checkpoints.
///
/// # Panics
///
/// When the store does something else.
pub async fn keeps_threads_apart(store: &dyn Checkpointer) -> Checked {
    let (a, b) = ("conformance-apart", "conformance-apart ");
    store.put(&checkpoint(a, 1)).await?;
    store.put(&checkpoint(b, 1)).await?;
    store.put(&checkpoint(b, 2)).await?;
    store.put_writes(b, id(1), &[finished(0)]).await?;
    assert_eq!(store.list(a, 10, None).await?, [checkpoint(a, 1)]);
    assert_eq!(store.prune(b, 1).await?, 1);
    store.delete_thread(b).await?;
    assert_eq!(store.list(a, 10, None).await?, [checkpoint(a, 1)]);
    assert_eq!(store.get(b, None).await?, None);
    store.delete_thread(a).await
}

/// Thread ids are texts and nothing else.
///
/// # Panics
///
/// When the store does something else.
pub async fn takes_any_text_as_thread_id(store: &dyn Checkpointer) -> Checked {
    let long = "conformance".repeat(100);
    let threads = [
        "",
        "conformance Ünïcødé 日本語 🛰",
        "conformance'; DROP TABLE checkpoints; --",
        "conformance%_\\\n\t",
        "conformance\0nul",
        "conformance\\0nul",
        &long,
    ];
    for (n, thread) in (1..).zip(threads) {
        store.put(&checkpoint(thread, n)).await?;
    }
    for (n, thread) in (1..).zip(threads) {
        assert_eq!(
            store.list(thread, 10, None).await?,
            [checkpoint(thread, n)],
            "{thread:?}"
        );
        store.delete_thread(thread).await?;
    }
    Ok(())
}

/// States of four megabytes are stored.
///
/// # Panics
///
/// When the store does something else.
pub async fn takes_large_states(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-large";
    let mut large = checkpoint(thread, 1);
    large.state = format!("{{\"text\":\"{}\"}}", "large ".repeat(700_000)).into_bytes();
    store.put(&large).await?;
    let found = store.get(thread, None).await?;
    assert!(
        found.is_some_and(|found| found.state == large.state),
        "a large state comes back whole"
    );
    store.delete_thread(thread).await
}

/// A deleted thread loses all of its data, and can start again.
///
/// # Panics
///
/// When the store does something else.
pub async fn deletes_threads(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-delete";
    store.put(&checkpoint(thread, 1)).await?;
    store.put_writes(thread, id(1), &[finished(0)]).await?;
    store.delete_thread(thread).await?;
    assert_eq!(store.list(thread, 10, None).await?, []);
    store.put(&checkpoint(thread, 1)).await?;
    assert_eq!(
        store.get(thread, None).await?,
        Some(checkpoint(thread, 1)),
        "the writes went with the checkpoint"
    );
    store.delete_thread(thread).await?;
    store.delete_thread(thread).await
}

/// Pruning keeps the newest, and says how many went.
///
/// # Panics
///
/// When the store does something else.
pub async fn prunes_the_oldest(store: &dyn Checkpointer) -> Checked {
    let thread = "conformance-prune";
    assert_eq!(
        store.prune(thread, 3).await?,
        0,
        "a thread that does not exist"
    );
    for n in 1..=5 {
        store.put(&checkpoint(thread, n)).await?;
        store.put_writes(thread, id(n), &[finished(0)]).await?;
    }
    assert_eq!(store.prune(thread, 10).await?, 0);
    assert_eq!(store.prune(thread, 2).await?, 3);
    let kept = store.list(thread, 10, None).await?;
    assert_eq!(ids(&kept), [5, 4].map(id));
    assert_eq!(kept[0].writes, [finished(0)]);
    assert_eq!(store.prune(thread, 0).await?, 2);
    assert_eq!(store.get(thread, None).await?, None);
    store.delete_thread(thread).await
}

/// Threads whose newest checkpoint is old go whole; those that have a newer one stay whole.
///
/// # Panics
///
/// When the store does something else.
pub async fn deletes_idle_threads(store: &dyn Checkpointer) -> Checked {
    // So long ago that no other thread of the store is concerned.
    let time = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let at = |thread: &str, seconds| Checkpoint {
        id: earliest_id(time(seconds)),
        ..checkpoint(thread, 1)
    };
    let (idle, exact, busy) = (
        "conformance-idle",
        "conformance-idle-exact",
        "conformance-idle-busy",
    );
    for old in [
        at(idle, 10),
        at(idle, 20),
        at(exact, 30),
        at(busy, 10),
        at(busy, 40),
    ] {
        store.put(&old).await?;
    }
    assert_eq!(
        store.delete_idle(time(20)).await?,
        0,
        "a thread is as old as its newest checkpoint"
    );
    assert_eq!(store.delete_idle(time(30)).await?, 1);
    assert_eq!(store.list(idle, 10, None).await?, []);
    assert_eq!(store.list(exact, 10, None).await?, [at(exact, 30)]);
    assert_eq!(
        store.list(busy, 10, None).await?,
        [at(busy, 40), at(busy, 10)]
    );
    assert_eq!(store.delete_idle(time(41)).await?, 2);
    assert_eq!(store.get(busy, None).await?, None);
    assert_eq!(store.delete_idle(time(41)).await?, 0);
    Ok(())
}

/// Many writers on threads of their own do not lose or mix anything.
///
/// # Panics
///
/// When the store does something else.
pub async fn takes_concurrent_writers(store: Arc<dyn Checkpointer>) -> Checked {
    let writer = |writer: u32| {
        let store = Arc::clone(&store);
        async move {
            let thread = format!("conformance-writer-{writer}");
            for n in 1..=8 {
                store.put(&checkpoint(&thread, n)).await?;
                store
                    .put_writes(&thread, id(n), &[finished(writer)])
                    .await?;
            }
            let found = store.list(&thread, 10, None).await?;
            assert_eq!(ids(&found), [8, 7, 6, 5, 4, 3, 2, 1].map(id));
            assert!(found.iter().all(|found| found.writes == [finished(writer)]));
            store.delete_thread(&thread).await
        }
    };
    let writers: Vec<_> = (0..16).map(|n| tokio::spawn(writer(n))).collect();
    for joined in futures::future::join_all(writers).await {
        joined.map_err(CheckpointError::unavailable)??;
    }
    Ok(())
}

/// An id of version 7, the greater the greater `n`.
fn id(n: u32) -> CheckpointId {
    Uuid::from_u128(0x0193_0000_0000_7000_8000_0000_0000_0000 + (u128::from(n) << 80))
}

fn ids(checkpoints: &[Checkpoint]) -> Vec<CheckpointId> {
    checkpoints.iter().map(|checkpoint| checkpoint.id).collect()
}

fn checkpoint(thread_id: &str, n: u32) -> Checkpoint {
    Checkpoint {
        thread_id: thread_id.into(),
        id: id(n),
        parent_id: None,
        step: n,
        state: format!("{{\"n\":{n}}}").into_bytes(),
        next: vec![NextTask {
            node: "node".into(),
            input: None,
        }],
        writes: Vec::new(),
        metadata: Map::new(),
    }
}

fn finished(task: u32) -> TaskWrite {
    let goto = Some(Targets::from([Target::node("a"), Target::send("b", 1)]));
    TaskWrite {
        task,
        record: TaskRecord::Finished {
            updates: vec![json!({"Add": task}), json!("é\u{0}")],
            goto,
        },
    }
}

fn waiting(task: u32) -> TaskWrite {
    let interrupt = Interrupt {
        id: "i".into(),
        node: "node".into(),
        key: "k".into(),
        payload: json!({"ask": "?"}),
    };
    let answers = BTreeMap::from([("earlier".to_owned(), json!(true))]);
    TaskWrite {
        task,
        record: TaskRecord::Waiting {
            interrupt: Some(interrupt),
            answers,
        },
    }
}
