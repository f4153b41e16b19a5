//! Start, query, stop.

use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use embedded_postgres::{Error, Options, databases, start, url_of_running};
use nix::unistd::{Pid, geteuid, getpgid};
use provision::server;
use sqlx::{Connection, PgConnection};

use crate::support::{cache_dir, durable, execute, folder, number};

#[tokio::test]
async fn data_survive_a_stop() {
    let folder = folder();
    let server = durable(&folder).await.unwrap();
    server.create_database("kept").await.unwrap();
    server.create_database("kept").await.unwrap();
    assert_eq!(
        url_of_running(server.data_dir(), "kept"),
        Some(server.url("kept")),
        "a command beside it finds it"
    );
    execute(
        &server.url("kept"),
        "CREATE TABLE t (n bigint); INSERT INTO t VALUES (7)",
    )
    .await;
    server.stop().await.unwrap();

    let server = durable(&folder).await.unwrap();
    assert_eq!(
        number(&server.url("kept"), "SELECT n FROM t")
            .await
            .unwrap(),
        7
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_stopped_throw_away_server_leaves_no_folder() {
    let server = start(Options::throw_away(cache_dir())).await.unwrap();
    assert_eq!(
        number(&server.url("postgres"), "SELECT 1::bigint")
            .await
            .unwrap(),
        1
    );
    let data = server.data_dir().to_path_buf();
    assert!(data.exists());
    server.stop().await.unwrap();
    assert!(!data.exists());
}

#[tokio::test]
async fn a_throw_away_server_refuses_a_folder_that_exists() {
    let folder = folder();
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
    let (one, two) = (folder(), folder());
    let (one, two) = tokio::join!(durable(&one), durable(&two));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_ne!(one.port(), two.port());
    assert_eq!(
        number(&one.url("postgres"), "SELECT 1::bigint")
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        number(&two.url("postgres"), "SELECT 2::bigint")
            .await
            .unwrap(),
        2
    );
    one.stop().await.unwrap();
    two.stop().await.unwrap();
}

#[tokio::test]
async fn a_second_start_on_the_same_data_names_the_first() {
    let folder = folder();
    let server = durable(&folder).await.unwrap();
    let error = durable(&folder).await.unwrap_err();
    assert!(
        matches!(&error, Error::Server(server::Error::InUse { owner, .. }) if *owner == std::process::id().to_string()),
        "{error}"
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn the_server_is_private() {
    let folder = folder();
    let server = durable(&folder).await.unwrap();
    let url = server.url("postgres");
    let (before, after) = url.split_once("heliograph:").unwrap();
    let forged = format!(
        "{before}heliograph:guess{}",
        &after[after.find('@').unwrap()..]
    );
    let error = number(&forged, "SELECT 1::bigint").await.unwrap_err();
    assert!(
        error.to_string().contains("password authentication failed"),
        "{error}"
    );
    let password = std::fs::metadata(server.data_dir().join("password")).unwrap();
    assert_eq!(password.permissions().mode() & 0o777, 0o600);
    assert!(!server.data_dir().join("password.initdb").exists());
    let secret = &after[..after.find('@').unwrap()];
    assert!(!format!("{server:?}").contains(secret));
    server.stop().await.unwrap();
}

#[tokio::test]
async fn the_server_runs_unprivileged_and_out_of_reach_of_the_terminal() {
    let folder = folder();
    let server = durable(&folder).await.unwrap();
    let pid = server.pid().unwrap();
    let user = std::fs::metadata(server.data_dir().join("cluster"))
        .unwrap()
        .uid();
    assert_ne!(user, 0);
    assert_eq!(user == geteuid().as_raw(), !geteuid().is_root());
    assert_eq!(
        getpgid(Some(Pid::from_raw(pid))).unwrap(),
        Pid::from_raw(pid)
    );
    server.stop().await.unwrap();
}

#[tokio::test]
async fn settings_suit_development() {
    let server = start(Options::throw_away(cache_dir())).await.unwrap();
    let wrong = "SELECT count(*) FROM (VALUES ('listen_addresses', '127.0.0.1'), ('unix_socket_directories', ''), \
         ('synchronous_commit', 'off'), ('fsync', 'off'), ('full_page_writes', 'off'), ('jit', 'off'), \
         ('TimeZone', 'UTC'), ('server_encoding', 'UTF8')) AS wanted (name, value) \
         WHERE current_setting(name) <> value";
    assert_eq!(number(&server.url("postgres"), wrong).await.unwrap(), 0);
    let letters = "SELECT CASE WHEN lower('ÄÖ') = 'äö' AND 'Z' < 'a' THEN 1 ELSE 0 END::bigint";
    assert_eq!(number(&server.url("postgres"), letters).await.unwrap(), 1);
    let vector = "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'";
    if number(&server.url("postgres"), vector).await.unwrap() > 0 {
        execute(&server.url("postgres"), "CREATE EXTENSION vector").await;
    }
    server.stop().await.unwrap();
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
async fn databases_are_copied_from_a_template() {
    let server = start(Options::throw_away(cache_dir())).await.unwrap();
    server.create_database("template").await.unwrap();
    execute(
        &server.url("template"),
        "CREATE TABLE t AS SELECT n::bigint FROM generate_series(1, 10) n",
    )
    .await;
    let began = std::time::Instant::now();
    let mut connection = PgConnection::connect(&server.url("postgres"))
        .await
        .unwrap();
    databases::create_from_template(&mut connection, "copy", "template")
        .await
        .unwrap();
    connection.close().await.unwrap();
    println!("a database from a template: {:?}", began.elapsed());
    assert_eq!(
        number(&server.url("copy"), "SELECT sum(n)::bigint FROM t")
            .await
            .unwrap(),
        55
    );
    server.drop_database("copy").await.unwrap();
    server.drop_database("copy").await.unwrap();
    assert!(
        number(&server.url("copy"), "SELECT 1::bigint")
            .await
            .is_err()
    );
    server.stop().await.unwrap();
}
