//! SQLite in trouble: a locked file, a damaged one, a full disk.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use checkpoint::{SqliteOptions, SqliteSaver};
use graph::{CheckpointError, Checkpointer};
use sqlx::{
    ConnectOptions, Executor, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteLockingMode},
};

use test_support::disk::SmallDisk;

use crate::sqlite::{checkpoint, numbered, raw};

/// Longer than any of these may take; nothing is measured against it.
const LONG: Duration = Duration::from_mins(1);

fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("c.sqlite")
}

/// Gives up soon: after 3 × 50 ms at the lock, and 20 ms and 40 ms between.
pub(crate) fn hasty(path: &Path) -> SqliteOptions {
    SqliteOptions {
        busy_timeout: Duration::from_millis(50),
        retry_delay: Duration::from_millis(20),
        ..SqliteOptions::new(path)
    }
}

/// Tries often rather than waiting long at the lock.
pub(crate) fn persistent(path: &Path) -> SqliteOptions {
    SqliteOptions {
        busy_timeout: Duration::from_millis(1),
        retry_attempts: 14,
        retry_delay: Duration::from_millis(5),
        ..SqliteOptions::new(path)
    }
}

/// What [`hasty`] waits at least, less what clocks may differ.
const HASTY: Duration = Duration::from_millis(190);

#[test]
fn the_defaults_are_those_of_the_documents() {
    let options = SqliteOptions::new("c.sqlite");
    assert_eq!(options.busy_timeout, Duration::from_secs(5));
    assert_eq!(options.retry_attempts, 3);
    assert_eq!(options.retry_delay, Duration::from_millis(100));
    assert_eq!(options.history, None);
}

#[tokio::test]
async fn a_lock_shorter_than_the_retries_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let options = persistent(&file(&folder));
    let saver = Arc::new(SqliteSaver::open_with(options).await.unwrap());
    let mut other = raw(&folder).await;
    other.execute("BEGIN EXCLUSIVE").await.unwrap();
    let put = tokio::spawn({
        let saver = Arc::clone(&saver);
        async move { saver.put(&checkpoint("t")).await }
    });
    // Far longer than the busy timeout, so that the attempt that succeeds is not the first. However
    // the two are timed, it does.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(!put.is_finished());
    other.execute("COMMIT").await.unwrap();
    tokio::time::timeout(LONG, put)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    let stored = saver.get("t", None).await.unwrap();
    assert_eq!(stored, Some(checkpoint("t")));
}

#[tokio::test]
async fn a_lock_longer_than_the_retries_is_unavailable_and_then_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let saver = SqliteSaver::open_with(hasty(&file(&folder))).await.unwrap();
    saver.put(&checkpoint("t")).await.unwrap();
    let mut other = raw(&folder).await;
    other.execute("BEGIN EXCLUSIVE").await.unwrap();
    let began = Instant::now();
    let refused = saver.put(&numbered("t", 8)).await;
    assert!(
        matches!(refused, Err(CheckpointError::Unavailable { .. })),
        "{refused:?}"
    );
    assert!(began.elapsed() >= HASTY, "{:?}", began.elapsed());
    let refused = saver.delete_idle(std::time::SystemTime::now()).await;
    assert!(
        matches!(refused, Err(CheckpointError::Unavailable { .. })),
        "{refused:?}"
    );
    // Readers do not wait for a writer.
    assert_eq!(saver.get("t", None).await.unwrap(), Some(checkpoint("t")));
    other.execute("ROLLBACK").await.unwrap();
    saver.put(&numbered("t", 8)).await.unwrap();
    assert_eq!(saver.list("t", 9, None).await.unwrap().len(), 2);
}

/// A connection that locks out all others, readers too, until it is dropped.
async fn hog(path: &Path) -> SqliteConnection {
    let mut hog = SqliteConnectOptions::new()
        .filename(path)
        .locking_mode(SqliteLockingMode::Exclusive)
        .connect()
        .await
        .unwrap();
    hog.execute("BEGIN EXCLUSIVE").await.unwrap();
    hog
}

#[tokio::test]
async fn opening_waits_for_a_lock_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    SqliteSaver::open(&path).await.unwrap().close().await;
    let hog = hog(&path).await;
    let refused = SqliteSaver::open_with(hasty(&path)).await;
    assert!(
        matches!(refused, Err(CheckpointError::Unavailable { .. })),
        "{refused:?}"
    );
    let opened = tokio::spawn(SqliteSaver::open_with(persistent(&path)));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!opened.is_finished());
    drop(hog);
    let saver = tokio::time::timeout(LONG, opened).await.unwrap();
    assert_eq!(saver.unwrap().unwrap().get("t", None).await.unwrap(), None);
}

#[tokio::test]
async fn a_file_that_was_cut_off_is_corrupt_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let saver = SqliteSaver::open(&path).await.unwrap();
    let mut large = checkpoint("t");
    large.state = vec![b' '; 20_000];
    for n in 0..50 {
        large.thread_id = format!("t-{n}").into();
        saver.put(&large).await.unwrap();
    }
    saver.close().await;
    let whole = std::fs::metadata(&path).unwrap().len();
    std::fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(whole / 2 / 4096 * 4096)
        .unwrap();
    let mut corrupt = 0;
    match SqliteSaver::open(&path).await {
        Err(CheckpointError::Corrupt { .. }) => corrupt += 1,
        Err(other) => panic!("{other:?}"),
        Ok(saver) => {
            for n in 0..50 {
                large.thread_id = format!("t-{n}").into();
                match saver.get(&large.thread_id, None).await {
                    Ok(found) => assert_eq!(found.as_ref(), Some(&large)),
                    Err(CheckpointError::Corrupt { .. }) => corrupt += 1,
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
    }
    assert!(corrupt > 0);
}

#[tokio::test]
async fn a_file_whose_beginning_was_overwritten_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder);
    let saver = SqliteSaver::open(&path).await.unwrap();
    saver.put(&checkpoint("t")).await.unwrap();
    saver.close().await;
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..64].fill(0xff);
    std::fs::write(&path, bytes).unwrap();
    let opened = SqliteSaver::open(&path).await;
    assert!(
        matches!(opened, Err(CheckpointError::Corrupt { .. })),
        "{opened:?}"
    );
}

#[tokio::test]
async fn a_full_disk_is_unavailable_until_there_is_room() {
    // Where none may be mounted the test before this one is in: a full file.
    let Some(disk) = SmallDisk::mounted().unwrap() else {
        return;
    };
    let saver = SqliteSaver::open(disk.path().join("c.sqlite"))
        .await
        .unwrap();
    saver.put(&checkpoint("t")).await.unwrap();
    disk.fill().unwrap();
    let mut large = numbered("t", 8);
    large.state = vec![b' '; 200_000];
    for _ in 0..2 {
        let refused = saver.put(&large).await;
        assert!(
            matches!(refused, Err(CheckpointError::Unavailable { .. })),
            "{refused:?}"
        );
        let kept = saver.list("t", 9, None).await.unwrap();
        assert_eq!(kept, [checkpoint("t")]);
    }
    disk.clear().unwrap();
    saver.put(&large).await.unwrap();
    assert_eq!(saver.get("t", None).await.unwrap(), Some(large));
    saver.close().await;
}
