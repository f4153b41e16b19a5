//! Start, query, stop.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use embedded_mariadb::{Error, Options, start};
use nix::unistd::{Pid, getpgid};
use provision::server;

use crate::support::{cache_dir, durable, execute, text, throw_away};

#[tokio::test]
async fn data_survive_a_stop() {
    let folder = tempfile::tempdir().unwrap();
    let server = durable(&folder).await.unwrap();
    server.create_database("kept").await.unwrap();
    server.create_database("kept").await.unwrap();
    execute(
        &server.url("kept"),
        "CREATE TABLE t (name VARCHAR(20)); INSERT INTO t VALUES ('Ärger 😀')",
    )
    .await
    .unwrap();
    server.stop().await.unwrap();

    let server = durable(&folder).await.unwrap();
    let kept = text(&server.url("kept"), "SELECT name FROM t").await;
    assert_eq!(kept.unwrap(), "Ärger 😀");
    server.drop_database("kept").await.unwrap();
    server.drop_database("kept").await.unwrap();
    assert!(execute(&server.url("kept"), "DO 1").await.is_err());
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_stopped_throw_away_server_leaves_no_folder() {
    let began = std::time::Instant::now();
    let server = throw_away().await;
    println!("a new server is ready after {:?}", began.elapsed());
    let data = server.data_dir().to_path_buf();
    assert!(data.exists());
    server.stop().await.unwrap();
    assert!(!data.exists());
}

#[tokio::test]
async fn a_throw_away_server_refuses_a_folder_that_exists() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::throw_away(cache_dir());
    options.data_dir = folder.path().to_path_buf();
    assert!(matches!(
        start(options).await,
        Err(Error::Server(server::Error::NotFresh { .. }))
    ));
    assert!(folder.path().exists());
}

#[tokio::test]
async fn two_servers_run_side_by_side() {
    let (one, two) = tokio::join!(throw_away(), throw_away());
    assert_ne!(one.port(), two.port());
    execute(&one.url("mysql"), "DO 1").await.unwrap();
    execute(&two.url("mysql"), "DO 1").await.unwrap();
}

#[tokio::test]
async fn a_second_start_on_the_same_data_names_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let _server = durable(&folder).await.unwrap();
    let error = durable(&folder).await.unwrap_err();
    assert!(
        matches!(&error, Error::Server(server::Error::InUse { owner, .. }) if *owner == std::process::id().to_string()),
        "{error}"
    );
}

#[tokio::test]
async fn the_server_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let server = durable(&folder).await.unwrap();
    let password = fs::metadata(server.data_dir().join("password")).unwrap();
    assert_eq!(password.permissions().mode() & 0o777, 0o600);
    let data = fs::metadata(server.data_dir()).unwrap();
    assert_eq!(data.permissions().mode() & 0o777, 0o700);

    for (user, password) in [("heliograph", "guess"), ("root", ""), ("", "")] {
        let url = server.url_as(user, password, "mysql");
        let error = execute(&url, "DO 1").await.unwrap_err();
        assert!(error.to_string().contains("Access denied"), "{error}");
    }
    let accounts =
        "SELECT GROUP_CONCAT(CONCAT(user, '@', host)) FROM global_priv WHERE user <> 'mariadb.sys'";
    let accounts = text(&server.url("mysql"), accounts).await.unwrap();
    assert_eq!(accounts, "heliograph@127.0.0.1");

    let secret = fs::read_to_string(server.data_dir().join("password")).unwrap();
    assert!(!format!("{server:?}").contains(secret.trim()));
    let line = fs::read(format!("/proc/{}/cmdline", server.pid().unwrap())).unwrap_or_default();
    assert!(!String::from_utf8_lossy(&line).contains(secret.trim()));
}

#[tokio::test]
async fn statements_reach_no_file_outside_the_servers_folder() {
    let server = throw_away().await;
    let outside = "SELECT COALESCE(CONVERT(LOAD_FILE('/etc/passwd') USING utf8mb4), 'nothing')";
    let read = text(&server.url("mysql"), outside).await.unwrap();
    assert_eq!(read, "nothing");
    let write = "SELECT 1 INTO OUTFILE '/tmp/heliograph-mariadb-outfile'";
    assert!(execute(&server.url("mysql"), write).await.is_err());
}

#[tokio::test]
async fn settings_suit_development() {
    let server = throw_away().await;
    let settings = "SELECT CONCAT_WS(' ', @@bind_address, @@socket, @@log_bin, @@local_infile, \
                    @@character_set_server, @@time_zone, @@sql_mode LIKE '%STRICT_TRANS_TABLES%')";
    let settings = text(&server.url("mysql"), settings).await.unwrap();
    assert_eq!(settings, "127.0.0.1  OFF OFF utf8mb4 +00:00 1");
    let pid = Pid::from_raw(server.pid().unwrap());
    assert_eq!(
        getpgid(Some(pid)).unwrap(),
        pid,
        "out of the terminal's reach"
    );
}

#[tokio::test]
async fn a_taken_port_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().port();
    let mut options = Options::throw_away(cache_dir());
    options.port = Some(taken);
    let data = options.data_dir.clone();
    let error = start(options).await.unwrap_err();
    assert!(
        matches!(error, Error::Server(server::Error::PortTaken { port }) if port == taken),
        "{error}"
    );
    assert!(!data.exists());
}

#[tokio::test]
async fn a_configured_folder_has_no_fallback() {
    let mut options = Options::throw_away(cache_dir());
    options.bin = Some("/nonexistent/bin".into());
    let error = start(options).await.unwrap_err();
    assert!(error.to_string().contains("/nonexistent/bin"), "{error}");
}

#[tokio::test]
async fn an_incomplete_data_directory_is_created_again_and_a_missing_password_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let half = folder.path().join("data/data.new/mysql");
    fs::create_dir_all(&half).unwrap();
    fs::write(half.join("global_priv.frm"), "x").unwrap();
    let server = durable(&folder).await.unwrap();
    execute(&server.url("mysql"), "DO 1").await.unwrap();
    server.stop().await.unwrap();
    fs::remove_file(folder.path().join("data/password")).unwrap();
    assert!(matches!(
        durable(&folder).await,
        Err(Error::Server(server::Error::PasswordLost { .. }))
    ));
}
