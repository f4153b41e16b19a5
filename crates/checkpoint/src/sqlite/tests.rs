//! What only a saver that was opened in a special way shows.

use super::*;

fn checkpoint(thread_id: &str, n: u128, size: usize) -> Checkpoint {
    Checkpoint {
        thread_id: thread_id.into(),
        id: CheckpointId::from_u128(n),
        parent_id: None,
        step: 1,
        state: vec![b' '; size],
        next: Vec::new(),
        writes: Vec::new(),
        metadata: serde_json::Map::new(),
    }
}

/// As on a full disk: SQLite may use as many pages as it has, and gets no more.
#[tokio::test]
async fn a_file_that_can_not_grow_takes_again_what_fits_when_something_went() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(folder.path().join("c.sqlite"));
    let connect = options.connect_options().pragma("max_page_count", "40");
    let saver = SqliteSaver::open_on(options, connect).await.unwrap();
    saver.put(&checkpoint("old", 1, 100_000)).await.unwrap();
    let large = checkpoint("new", 2, 100_000);
    for _ in 0..2 {
        let refused = saver.put(&large).await;
        assert!(
            matches!(refused, Err(CheckpointError::Unavailable { .. })),
            "{refused:?}"
        );
        assert_eq!(saver.get("new", None).await.unwrap(), None);
    }
    // Small ones still fit, and a failed transaction leaves the connection in order.
    saver.put(&checkpoint("small", 3, 10)).await.unwrap();
    let id = CheckpointId::from_u128(3);
    let write = TaskWrite {
        task: 0,
        record: graph::TaskRecord::Finished {
            updates: vec!["x".repeat(100_000).into()],
            goto: None,
        },
    };
    let refused = saver.put_writes("small", id, &[write]).await;
    assert!(
        matches!(refused, Err(CheckpointError::Unavailable { .. })),
        "{refused:?}"
    );
    saver.delete_thread("old").await.unwrap();
    saver.put(&large).await.unwrap();
    assert_eq!(saver.get("new", None).await.unwrap(), Some(large));
    let small = saver.get("small", None).await.unwrap();
    assert_eq!(small, Some(checkpoint("small", 3, 10)));
}

/// The rights of the file and of what SQLite puts beside it.
fn modes(path: &Path) -> Vec<u32> {
    use std::os::unix::fs::PermissionsExt;
    let name = path.display();
    let files = [
        format!("{name}"),
        format!("{name}-wal"),
        format!("{name}-shm"),
    ];
    let mode = |file| std::fs::metadata(file).unwrap().permissions().mode() & 0o777;
    files.into_iter().map(mode).collect()
}

#[tokio::test]
async fn only_the_owner_reads_the_file_and_what_is_beside_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.sqlite");
    let saver = SqliteSaver::open(&path).await.unwrap();
    saver.put(&checkpoint("t", 1, 100)).await.unwrap();
    assert_eq!(modes(&path), [0o600; 3]);
    // One that an earlier version made, while another process has it open.
    for end in ["", "-wal", "-shm"] {
        let file = format!("{}{end}", path.display());
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    let again = SqliteSaver::open(&path).await.unwrap();
    assert_eq!(modes(&path), [0o600; 3]);
    again.close().await;
    saver.close().await;
}
