//! Data of an earlier start, complete or incomplete.

use std::fs;

use embedded_postgres::{Error, Server};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use provision::server;
use tempfile::TempDir;

use crate::support::{durable, eventually, execute, folder, number};

/// A stopped cluster with one row.
async fn stopped_cluster() -> TempDir {
    let folder = folder();
    let server = durable(&folder).await.unwrap();
    execute(
        &server.url("postgres"),
        "CREATE TABLE t (n bigint); INSERT INTO t VALUES (7)",
    )
    .await;
    server.stop().await.unwrap();
    folder
}

async fn assert_row_is_there(server: Server) {
    assert_eq!(
        number(&server.url("postgres"), "SELECT n FROM t")
            .await
            .unwrap(),
        7
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_server_that_was_killed_with_its_guard_starts_again() {
    let folder = stopped_cluster().await;
    let server = durable(&folder).await.unwrap();
    let pid = Pid::from_raw(server.pid().unwrap());
    let pid_file = server.data_dir().join("cluster/postmaster.pid");
    killpg(pid, Signal::SIGKILL).unwrap();
    drop(server);
    eventually("the killed server is gone", || kill(pid, None).is_err()).await;
    assert!(pid_file.exists());
    assert_row_is_there(durable(&folder).await.unwrap()).await;
}

#[tokio::test]
async fn a_server_that_lost_its_owner_is_ended_and_replaced() {
    let folder = stopped_cluster().await;
    let server = durable(&folder).await.unwrap();
    let pid = server.pid().unwrap();
    // Dropping only starts the shutdown. The next start finds the server running or just stopped.
    drop(server);
    let server = durable(&folder).await.unwrap();
    assert_ne!(server.pid().unwrap(), pid);
    assert_row_is_there(server).await;
}

#[tokio::test]
async fn a_process_id_of_another_process_does_not_block() {
    let folder = stopped_cluster().await;
    let pid_file = folder.path().join("data/cluster/postmaster.pid");
    fs::write(
        &pid_file,
        format!("{}\n/elsewhere\n1\n5432\n", std::process::id()),
    )
    .unwrap();
    assert_row_is_there(durable(&folder).await.unwrap()).await;
}

#[tokio::test]
async fn an_incomplete_cluster_is_created_again() {
    let folder = folder();
    let half = folder.path().join("data/cluster.new/base");
    fs::create_dir_all(&half).unwrap();
    fs::write(half.join("1"), "x").unwrap();
    let server = durable(&folder).await.unwrap();
    assert_eq!(
        number(&server.url("postgres"), "SELECT 1::bigint")
            .await
            .unwrap(),
        1
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn data_of_another_major_version_are_refused_and_kept() {
    let folder = stopped_cluster().await;
    let version = folder.path().join("data/cluster/PG_VERSION");
    let real = fs::read_to_string(&version).unwrap();
    fs::write(&version, "12\n").unwrap();
    let error = durable(&folder).await.unwrap_err();
    assert!(
        matches!(&error, Error::OtherMajor { data, .. } if data == "12"),
        "{error}"
    );
    fs::write(&version, real).unwrap();
    assert_row_is_there(durable(&folder).await.unwrap()).await;
}

#[tokio::test]
async fn a_missing_password_is_named() {
    let folder = stopped_cluster().await;
    fs::remove_file(folder.path().join("data/password")).unwrap();
    assert!(matches!(
        durable(&folder).await,
        Err(Error::Server(server::Error::PasswordLost { .. }))
    ));
}
