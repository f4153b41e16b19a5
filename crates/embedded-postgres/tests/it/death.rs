//! The server ends with its owner, however the owner ends.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use embedded_postgres::{Options, start};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{cache_dir, eventually, folder, number};

/// A process that owns a server, and the server's address.
fn owner(data: Option<PathBuf>) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_embedded-postgres"));
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

#[tokio::test]
async fn a_killed_owner_leaves_no_server() {
    let folder = folder();
    let data = folder.path().join("data");
    let (mut owner, url) = owner(Some(data.clone()));
    assert_eq!(number(&url, "SELECT 1::bigint").await.unwrap(), 1);
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_port_is_closed(port(&url)).await;
    // An orderly shutdown removes this file last.
    eventually("the server shut down in order", || {
        !data.join("cluster/postmaster.pid").exists()
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
    kill(
        Pid::from_raw(owner.id().try_into().unwrap()),
        Signal::SIGINT,
    )
    .unwrap();
    assert!(owner.wait().unwrap().success());
    assert!(TcpStream::connect(("127.0.0.1", port(&url))).is_err());
}

#[tokio::test]
async fn a_dropped_server_ends() {
    let server = start(Options::throw_away(cache_dir())).await.unwrap();
    let (port, data) = (server.port(), server.data_dir().to_path_buf());
    drop(server);
    assert_port_is_closed(port).await;
    eventually("the data are removed", || !data.exists()).await;
}
