//! The server ends with its owner, however the owner ends.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use embedded_mariadb::Server;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::support::{cache_dir, durable, eventually, execute, text, throw_away};

/// A process that owns a server, and the server's address.
fn owner(data: Option<PathBuf>) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_embedded-mariadb"));
    command
        .arg(cache_dir())
        .args(data)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut url)
        .unwrap();
    (child, url.trim().to_owned())
}

fn port(url: &str) -> u16 {
    let rest = url.rsplit_once(':').unwrap().1;
    rest.split('/').next().unwrap().parse().unwrap()
}

async fn assert_port_is_closed(port: u16) {
    eventually("the server's port is closed", || {
        TcpStream::connect(("127.0.0.1", port)).is_err()
    })
    .await;
}

async fn keep_a_row(server: &Server) {
    server.create_database("kept").await.unwrap();
    let row = "CREATE TABLE t (name VARCHAR(20)); INSERT INTO t VALUES ('row')";
    execute(&server.url("kept"), row).await.unwrap();
}

async fn assert_row_is_there(folder: &TempDir) {
    let server = durable(folder).await.unwrap();
    let row = text(&server.url("kept"), "SELECT name FROM t").await;
    assert_eq!(row.unwrap(), "row");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_killed_server_is_noticed_and_starts_again_at_its_address_with_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = durable(&folder).await.unwrap();
    keep_a_row(&server).await;
    assert!(!server.has_ended().unwrap());
    let url = server.url("kept");
    kill(Pid::from_raw(server.pid().unwrap()), Signal::SIGKILL).unwrap();
    eventually("the end is noticed", || server.has_ended().unwrap()).await;
    server.restart().await.unwrap();
    assert!(!server.has_ended().unwrap());
    assert_eq!(text(&url, "SELECT name FROM t").await.unwrap(), "row");
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_killed_owner_leaves_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (mut owner, url) = owner(Some(data.clone()));
    execute(&url, "DO 1").await.unwrap();
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_port_is_closed(port(&url)).await;
    // An orderly shutdown removes this file near its end.
    eventually("the server shut down in order", || {
        !data.join("server.pid").exists()
    })
    .await;
}

#[tokio::test]
async fn a_killed_owner_leaves_no_throw_away_data() {
    let (mut owner, url) = owner(None);
    let temporary = std::env::temp_dir();
    let prefix = format!("heliograph-database-{}-", owner.id());
    let left = || {
        let names = std::fs::read_dir(&temporary)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        names
            .filter(|name| name.to_string_lossy().starts_with(&prefix))
            .count()
    };
    assert_eq!(left(), 1);
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_port_is_closed(port(&url)).await;
    eventually("the data are removed", || left() == 0).await;
}

#[tokio::test]
async fn an_interrupted_owner_stops_in_order() {
    let (mut owner, url) = owner(None);
    let pid = Pid::from_raw(owner.id().try_into().unwrap());
    kill(pid, Signal::SIGINT).unwrap();
    assert!(owner.wait().unwrap().success());
    assert!(TcpStream::connect(("127.0.0.1", port(&url))).is_err());
}

#[tokio::test]
async fn a_dropped_server_ends() {
    let server = throw_away().await;
    let (port, data) = (server.port(), server.data_dir().to_path_buf());
    drop(server);
    assert_port_is_closed(port).await;
    eventually("the data are removed", || !data.exists()).await;
}

#[tokio::test]
async fn a_server_that_was_killed_with_its_guard_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = durable(&folder).await.unwrap();
    keep_a_row(&server).await;
    let pid = Pid::from_raw(server.pid().unwrap());
    killpg(pid, Signal::SIGKILL).unwrap();
    drop(server);
    eventually("the killed server is gone", || kill(pid, None).is_err()).await;
    assert!(folder.path().join("data/server.pid").exists());
    assert_row_is_there(&folder).await;
}

#[tokio::test]
async fn a_server_that_lost_its_owner_is_ended_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let server = durable(&folder).await.unwrap();
    keep_a_row(&server).await;
    // Dropping only starts the shutdown. The next start finds the server running or just stopped.
    drop(server);
    assert_row_is_there(&folder).await;
}

#[tokio::test]
async fn a_process_id_of_another_process_does_not_block() {
    let folder = tempfile::tempdir().unwrap();
    let server = durable(&folder).await.unwrap();
    keep_a_row(&server).await;
    server.stop().await.unwrap();
    let pid_file = folder.path().join("data/server.pid");
    std::fs::write(&pid_file, std::process::id().to_string()).unwrap();
    assert_row_is_there(&folder).await;
}
