//! The private PostgreSQL of the all-in-one process dies; and a server whose disk is full.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use embedded_postgres::{Options, start};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use service_kit::config::DatabaseConfig;
use service_kit::database::{DatabaseHealth, Liveness, pool};
use service_kit::health::Unready;
use sqlx::{Connection as _, PgConnection, PgPool};
use test_support::disk::SmallDisk;
use tokio_util::sync::CancellationToken;

use crate::command_line::heliograph;

const CACHE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.heliograph/cache");

/// Long enough for a cold start, demo data included, on a busy machine.
const PATIENCE: Duration = Duration::from_mins(4);
const PAUSE: Duration = Duration::from_millis(50);

/// The all-in-one process, killed with this value.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port().to_string()
}

fn until(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(PAUSE);
    }
}

/// The process id in `postmaster.pid`, of a server that says that it is ready.
fn postmaster(cluster: &Path) -> Option<i32> {
    let text = fs::read_to_string(cluster.join("postmaster.pid")).ok()?;
    let mut lines = text.lines();
    let pid = lines.next()?.trim().parse().ok()?;
    (lines.nth(6)?.trim() == "ready").then_some(pid)
}

/// Whether there is such a process, a zombie included.
fn exists(pid: i32) -> bool {
    kill(Pid::from_raw(pid), None).is_ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_postgresql_that_is_killed_runs_again_or_the_program_ends() {
    // Below the cache: the server's user can reach it, whichever user runs the test.
    let data = reachable_folder();
    std::os::unix::fs::symlink(CACHE, data.path().join("cache")).unwrap();
    let (tools, orchestrator, bff) = (free_port(), free_port(), free_port());
    let variables = [
        ("HELIOGRAPH_TOOLS__HTTP__PORT", tools.as_str()),
        ("HELIOGRAPH_ORCHESTRATOR__HTTP__PORT", orchestrator.as_str()),
        ("HELIOGRAPH_BFF__HTTP__PORT", bff.as_str()),
        ("HELIOGRAPH_DEMO_PASSWORD", "correct horse"),
    ];
    let mut command = heliograph(data.path(), &[], &variables);
    let mut program = Program(
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut errors = program.0.stderr.take().unwrap();
    let told = std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).unwrap();
        text
    });
    let mut lines = BufReader::new(program.0.stdout.take().unwrap()).lines();
    assert!(
        lines.any(|line| line.unwrap().starts_with("Ctrl-C")),
        "it did not start"
    );
    let cluster = data.path().join("postgres/cluster");
    let first = postmaster(&cluster).expect("a server runs");

    kill(Pid::from_raw(first), Signal::SIGKILL).unwrap();
    until("another server runs", || {
        postmaster(&cluster).is_some_and(|pid| pid != first)
    });
    assert!(!exists(first), "the first left a zombie behind");
    let http = service_kit::http_client().unwrap();
    for port in [&tools, &orchestrator, &bff] {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let url = format!("http://127.0.0.1:{port}/health/ready");
            let ready = http.get(url).send().await.unwrap();
            if ready.status().is_success() {
                break;
            }
            assert!(Instant::now() < deadline, "{}", ready.text().await.unwrap());
            tokio::time::sleep(PAUSE).await;
        }
    }

    // Now it cannot be started again.
    let second = postmaster(&cluster).unwrap();
    fs::rename(cluster.join("global"), cluster.join("lost")).unwrap();
    kill(Pid::from_raw(second), Signal::SIGKILL).unwrap();
    let status = tokio::task::spawn_blocking(move || program.0.wait().unwrap());
    let status = tokio::time::timeout(PATIENCE, status).await.unwrap();
    assert!(!status.unwrap().success());
    let told = told.join().unwrap();
    assert!(told.contains("starting it again"), "{told}");
    assert!(told.contains("cannot be started again"), "{told}");
}

/// A folder that any user of the machine may enter.
fn reachable_folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_of_the_database_shows_in_readiness() {
    let Some(disk) = SmallDisk::of(192).unwrap() else {
        return;
    };
    let server = start(Options::durable(disk.path().join("postgres"), CACHE)).await;
    let server = server.unwrap();
    server.create_database("full").await.unwrap();
    let config = DatabaseConfig {
        url: Some(server.url("full").into()),
        ..DatabaseConfig::default()
    };
    let pool = pool(&config, "readiness", Liveness::Always).unwrap();
    bff::migrate(&pool).await.unwrap();
    assert_eq!(reason(&pool).await, None);
    disk.fill().unwrap();
    assert_eq!(
        reason(&pool).await.as_deref(),
        Some("the disk of the database is full")
    );
    disk.clear().unwrap();
    assert_eq!(reason(&pool).await, None);
    pool.close().await;
    server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_postgresql_that_ends_on_a_full_disk_starts_when_there_is_room() {
    let Some(disk) = SmallDisk::of(256).unwrap() else {
        return;
    };
    let folder = disk.path().join("postgres");
    let options = Options::durable(folder.clone(), CACHE);
    let database = embedded_postgres::Database::open(None, options, "full");
    let database = database.await.unwrap();
    let url = database.url();
    let shutdown = CancellationToken::new();
    let supervisor = heliograph::database::Supervisor::new(database, shutdown.clone());
    let first = postmaster(&folder.join("cluster")).unwrap();
    disk.fill().unwrap();
    kill(Pid::from_raw(first), Signal::SIGKILL).unwrap();
    // Longer than all attempts on a disk with room.
    tokio::time::sleep(Duration::from_secs(15)).await;
    assert!(!shutdown.is_cancelled(), "the program gave up");
    disk.clear().unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        let one = PgConnection::connect(&url).await;
        match one {
            Ok(connection) => break connection.close().await.unwrap(),
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        tokio::time::sleep(PAUSE).await;
    }
    let second = postmaster(&folder.join("cluster")).unwrap();
    assert_ne!(first, second);
    assert!(!shutdown.is_cancelled());
    supervisor.stop().await.unwrap();
}

/// The reason that is shown, having looked again.
async fn reason(pool: &PgPool) -> Option<String> {
    let health = DatabaseHealth::new(pool.clone(), "bff").write_interval(Duration::ZERO);
    let migrated = async |pool: PgPool| bff::database::is_migrated(&pool).await;
    let error = health.check(migrated).await.err()?;
    let Unready(reason) = error.downcast_ref::<Unready>().unwrap();
    Some(reason.clone())
}
