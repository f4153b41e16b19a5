//! The store on its own.

use std::{sync::Arc, time::Duration};

use checkpoint::{SqliteOptions, SqliteSaver};
use graph::{Checkpoint, CheckpointError, CheckpointId, Checkpointer};
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;

pub(crate) async fn raw(folder: &TempDir) -> SqliteConnection {
    let url = format!("sqlite://{}", folder.path().join("c.sqlite").display());
    SqliteConnection::connect(&url).await.unwrap()
}

async fn open(folder: &TempDir) -> SqliteSaver {
    SqliteSaver::open(folder.path().join("c.sqlite"))
        .await
        .unwrap()
}

pub(crate) fn checkpoint(thread_id: &str) -> Checkpoint {
    numbered(thread_id, 7)
}

pub(crate) fn numbered(thread_id: &str, n: u128) -> Checkpoint {
    Checkpoint {
        thread_id: thread_id.into(),
        id: CheckpointId::from_u128(n),
        parent_id: None,
        step: 1,
        state: b"{}".to_vec(),
        next: Vec::new(),
        writes: Vec::new(),
        metadata: serde_json::Map::new(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passes_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    graph::conformance::check(Arc::new(open(&folder).await))
        .await
        .unwrap();
}

/// Whether a text is in one of the store's files, in a table or not.
fn stands_in_a_file(folder: &TempDir, text: &[u8]) -> bool {
    let files = std::fs::read_dir(folder.path()).unwrap();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .any(|bytes| bytes.windows(text.len()).any(|part| part == text))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_of_a_deleted_thread_stays_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let saver = open(&folder).await;
    let words = b"what a person said";
    for thread in ["kept", "deleted"] {
        for n in 1..20 {
            let mut said = numbered(thread, n);
            said.state = [thread.as_bytes(), b": ", &words[..]].concat();
            saver.put(&said).await.unwrap();
        }
    }
    let deleted = b"deleted: what a person said";
    assert!(stands_in_a_file(&folder, deleted));
    saver.delete_thread("deleted").await.unwrap();
    assert!(!stands_in_a_file(&folder, deleted));
    assert!(stands_in_a_file(&folder, b"kept: what a person said"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_savers_on_one_file_do_not_lose_writes() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (Arc::new(open(&folder).await), Arc::new(open(&folder).await));
    let (from_a, from_b) = tokio::join!(graph::conformance::takes_concurrent_writers(a), async {
        graph::conformance::lists_newest_first(&*b).await?;
        graph::conformance::adds_and_replaces_writes(&*b).await
    },);
    from_a.unwrap();
    from_b.unwrap();
}

#[tokio::test]
async fn checkpoints_are_there_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let saver = open(&folder).await;
    saver.put(&checkpoint("t")).await.unwrap();
    saver.close().await;
    assert_eq!(
        open(&folder).await.get("t", None).await.unwrap(),
        Some(checkpoint("t"))
    );
}

#[tokio::test]
async fn an_unreadable_row_is_corrupt_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let saver = open(&folder).await;
    for thread in ["next", "writes", "metadata", "id", "step", "bytes", "good"] {
        saver.put(&checkpoint(thread)).await.unwrap();
    }
    let mut raw = raw(&folder).await;
    for damage in [
        "UPDATE checkpoints SET next = '[{' WHERE thread_id = 'next'",
        "UPDATE checkpoints SET writes = '{}' WHERE thread_id = 'writes'",
        "UPDATE checkpoints SET metadata = 'nothing' WHERE thread_id = 'metadata'",
        "UPDATE checkpoints SET id = x'00' WHERE thread_id = 'id'",
        "UPDATE checkpoints SET step = 4294967296 WHERE thread_id = 'step'",
        "UPDATE checkpoints SET next = CAST(x'5b22ff225d' AS TEXT) WHERE thread_id = 'bytes'",
    ] {
        sqlx::query(damage).execute(&mut raw).await.unwrap();
    }
    for thread in ["next", "writes", "metadata", "id", "step", "bytes"] {
        let got = saver.get(thread, None).await;
        assert!(
            matches!(got, Err(CheckpointError::Corrupt { .. })),
            "{thread}: {got:?}"
        );
        let listed = saver.list(thread, 1, None).await;
        assert!(
            matches!(listed, Err(CheckpointError::Corrupt { .. })),
            "{thread}: {listed:?}"
        );
    }
    let refused = saver
        .put_writes("writes", CheckpointId::from_u128(7), &[])
        .await;
    assert!(
        matches!(refused, Err(CheckpointError::Corrupt { .. })),
        "{refused:?}"
    );
    assert_eq!(
        saver.get("good", None).await.unwrap(),
        Some(checkpoint("good"))
    );
}

#[tokio::test]
async fn a_write_waits_for_another_process_to_let_go_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let saver = Arc::new(open(&folder).await);
    let mut other = raw(&folder).await;
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    let put = tokio::spawn({
        let saver = Arc::clone(&saver);
        async move { saver.put(&checkpoint("t")).await }
    });
    // Reading is possible in the meantime, and does not see what is not committed.
    assert_eq!(saver.get("t", None).await.unwrap(), None);
    assert!(!put.is_finished());
    sqlx::query("COMMIT").execute(&mut other).await.unwrap();
    tokio::time::timeout(Duration::from_secs(30), put)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(saver.get("t", None).await.unwrap(), Some(checkpoint("t")));
}

#[tokio::test]
async fn a_file_that_can_not_be_opened_is_unavailable() {
    let folder = tempfile::tempdir().unwrap();
    let opened = SqliteSaver::open(folder.path().join("no/such/folder/c.sqlite")).await;
    assert!(
        matches!(opened, Err(CheckpointError::Unavailable { .. })),
        "{opened:?}"
    );
    std::fs::write(
        folder.path().join("text"),
        "this is no database, however long it may be".repeat(100),
    )
    .unwrap();
    let opened = SqliteSaver::open(folder.path().join("text")).await;
    assert!(
        matches!(opened, Err(CheckpointError::Corrupt { .. })),
        "{opened:?}"
    );
}

#[tokio::test]
async fn as_much_history_is_kept_as_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let saver = SqliteSaver::open_with(SqliteOptions {
        history: Some(3),
        ..SqliteOptions::new(folder.path().join("c.sqlite"))
    })
    .await
    .unwrap();
    saver.put(&checkpoint("other")).await.unwrap();
    for n in 1..=10 {
        saver.put(&numbered("t", n)).await.unwrap();
    }
    let kept = saver.list("t", 100, None).await.unwrap();
    assert_eq!(kept, [10, 9, 8].map(|n| numbered("t", n)));
    let other = saver.list("other", 100, None).await.unwrap();
    assert_eq!(other, [checkpoint("other")]);
}
