//! A shell in place of a server: started, stopped, dropped.

use std::cell::Cell;

use tempfile::TempDir;

use super::*;
use crate::server::Guard;

fn program(folder: &TempDir) -> Program {
    Program {
        name: "the shell",
        log: folder.path().join("server.log"),
        passing: &["in a moment"],
        stop: vec![(Signal::SIGKILL, Duration::from_mins(1))],
        remove: None,
    }
}

/// The guarded command of a shell that runs `script`. The guard stops it, then removes `kept` in
/// `folder`.
fn guarded(folder: &TempDir, script: &str) -> Command {
    let mut server = Command::new("/bin/sh");
    server.args(["-c", script]);
    let kept = folder.path().join("kept");
    let guard = Guard {
        name: "test-guard",
        pid_file: &folder.path().join("server.pid"),
        remove: Some(&kept),
        end: r#"kill -KILL "$server"; wait_for_server; rm -rf -- "$remove""#,
    };
    guard.command(&server)
}

fn logged(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("server.log")).unwrap_or_default()
}

async fn started(folder: &TempDir) -> ServerProcess {
    fs::create_dir(folder.path().join("kept")).unwrap();
    let call = |_| guarded(folder, "echo ready; exec sleep 600");
    let is_ready = |_| logged(folder).contains("ready");
    launch(program(folder), None, call, is_ready).await.unwrap()
}

async fn gone(path: &Path) {
    let start = Instant::now();
    while path.exists() {
        assert!(start.elapsed() < START_LIMIT, "waited in vain");
        tokio::time::sleep(POLL).await;
    }
}

#[tokio::test]
async fn a_stopped_server_is_gone_and_its_guard_has_nothing_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = started(&folder).await;
    assert!(process.pid().is_some() && process.port() != 0);
    process.end().await.unwrap();
    assert_eq!(process.pid(), None);
    process.end().await.unwrap();
    assert!(folder.path().join("kept").exists());
}

#[tokio::test]
async fn the_guard_of_a_dropped_server_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let process = started(&folder).await;
    let pid = process.pid().unwrap();
    drop(process);
    gone(&folder.path().join("kept")).await;
    gone(Path::new(&format!("/proc/{pid}"))).await;
}

#[tokio::test]
async fn a_server_that_ends_is_told_with_the_end_of_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let call = |_| guarded(&folder, "echo no licence >&2; exit 7");
    let error = launch(program(&folder), None, call, |_| false).await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("exit status: 7") && error.ends_with("no licence"),
        "{error}"
    );
}

#[tokio::test]
async fn what_passes_is_tried_anew_and_a_given_port_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let attempts = Cell::new(0);
    let call = |_| {
        attempts.set(attempts.get() + 1);
        match attempts.get() {
            1 => guarded(&folder, "echo in a moment; exit 1"),
            2 => guarded(&folder, "echo Address already in use; exit 1"),
            _ => guarded(&folder, "echo ready; exec sleep 600"),
        }
    };
    let is_ready = |_| logged(&folder).contains("ready");
    let mut process = launch(program(&folder), None, call, is_ready)
        .await
        .unwrap();
    assert_eq!(attempts.get(), 3);
    process.end().await.unwrap();

    attempts.set(1);
    let error = launch(program(&folder), Some(4_711), call, |_| false).await;
    assert!(
        matches!(error, Err(Error::PortTaken { port: 4_711 })),
        "{error:?}"
    );
    assert_eq!(attempts.get(), 2);
}

#[tokio::test]
async fn a_server_that_stops_for_good_takes_its_data_with_it_and_one_that_is_ended_leaves_them() {
    for stops in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        let program = Program {
            remove: Some(data.clone()),
            ..program(&folder)
        };
        let call = |_| guarded(&folder, "echo ready; exec sleep 600");
        let is_ready = |_| logged(&folder).contains("ready");
        let mut process = launch(program, None, call, is_ready).await.unwrap();
        process.end().await.unwrap();
        assert!(data.exists());
        if stops {
            process.stop().await.unwrap();
            assert!(!data.exists());
        }
    }
}
