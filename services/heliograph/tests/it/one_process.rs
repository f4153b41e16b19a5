//! The whole product as one process, as `cargo run` starts it, over a database that outlives it.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use bff::accounts::DEMO_USER;
use serde_json::{Value, json};
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::demo_stack::{PASSWORD, demo_database};

/// Long enough for a cold start on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two looks at something that another process does.
const PAUSE: Duration = Duration::from_millis(25);

pub(crate) struct OneProcess {
    database: TestDatabase,
    files: tempfile::TempDir,
    /// Of the bff, the orchestrator and the tools service.
    ports: [u16; 3],
    environment: Vec<(String, String)>,
    child: Option<Child>,
}

impl OneProcess {
    /// Starts it with more variables of the environment.
    pub(crate) async fn start(environment: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut process = Self {
            database: demo_database().await,
            files: tempfile::tempdir().unwrap(),
            ports: free_ports(),
            environment: environment.iter().map(owned).collect(),
            child: None,
        };
        process.begin().await;
        process
    }

    /// Its standard output and error.
    pub(crate) fn log(&self) -> PathBuf {
        self.files.path().join("log")
    }

    async fn begin(&mut self) {
        let [bff, orchestrator, tools] = self.ports;
        let mut options = std::fs::File::options();
        let log = options.create(true).append(true).open(self.log()).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_heliograph"))
            .env("DATABASE_URL", self.database.url())
            .env("HELIOGRAPH_DATA_DIR", self.files.path())
            .env("HELIOGRAPH_DEMO_DATABASE", "false")
            .env("HELIOGRAPH_DEMO_LIVE", "false")
            .env("HELIOGRAPH_FETCH_MODEL", "false")
            .env("HELIOGRAPH_DEMO_PASSWORD", PASSWORD)
            .env("HELIOGRAPH_BFF__HTTP__PORT", bff.to_string())
            .env(
                "HELIOGRAPH_ORCHESTRATOR__HTTP__PORT",
                orchestrator.to_string(),
            )
            .env("HELIOGRAPH_TOOLS__HTTP__PORT", tools.to_string())
            .env("HELIOGRAPH_BFF__LIMITS__REQUESTS_PER_MINUTE", "1000000")
            .env("HELIOGRAPH_BFF__LIMITS__REQUEST_BURST", "1000000")
            .envs(self.environment.iter().cloned())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        self.child = Some(child);
        let http = service_kit::http_client().unwrap();
        let ready = format!("{}/health/ready", self.url());
        until(async || {
            let answer = http.get(&ready).send().await;
            answer.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
    }

    /// The bff.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[0])
    }

    pub(crate) fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    /// A bearer token of the demonstration's account.
    pub(crate) async fn token(&self) -> String {
        let http = service_kit::http_client().unwrap();
        let body = json!({ "username": DEMO_USER, "password": PASSWORD });
        let url = format!("{}/auth/token", self.url());
        let answer = http.post(url).json(&body).send().await.unwrap();
        let tokens: Value = answer.json().await.unwrap();
        tokens["access_token"].as_str().unwrap().to_owned()
    }

    /// `kill -9`.
    pub(crate) async fn kill(&mut self) {
        self.child.take().unwrap().kill().await.unwrap();
    }

    /// `kill -9`, and a new process.
    pub(crate) async fn kill_and_begin_again(&mut self) {
        self.kill().await;
        self.begin().await;
    }
}

fn free_ports() -> [u16; 3] {
    let listeners: [std::net::TcpListener; 3] =
        std::array::from_fn(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

/// Connections of this machine to a port, as its kernel lists them.
#[cfg(target_os = "linux")]
fn connections_to(port: u16) -> usize {
    const ESTABLISHED: &str = "01";
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{port:04X}");
    let rows = table.lines().map(str::split_whitespace);
    rows.filter_map(|mut row| Some((row.nth(2)?, row.next()?)))
        .filter(|(remote, state)| remote.ends_with(&port) && *state == ESTABLISHED)
        .count()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn the_services_of_one_process_call_each_other_without_a_socket() {
    let process = OneProcess::start(&[]).await;
    let http = service_kit::http_client().unwrap();
    let message =
        json!({ "messages": [{ "role": "user", "content": "Give me the morning briefing" }] });
    let answer = http
        .post(format!("{}/api/chat", process.url()))
        .bearer_auth(process.token().await)
        .json(&message)
        .send()
        .await
        .unwrap();
    let text = answer.text().await.unwrap();
    assert!(text.contains("kWh") && text.contains("[DONE]"), "{text}");
    let connections = process.ports.map(connections_to);
    assert!(
        connections[0] > 0,
        "this client is connected: {connections:?}"
    );
    assert_eq!(connections[1..], [0, 0]);
}

/// Waits until something is so.
pub(crate) async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so().await {
        assert!(Instant::now() < deadline, "it never came");
        sleep(PAUSE).await;
    }
}
