//! `kill -9` of everything, between a question and its answer, and in the middle of a plan.

use std::process::Stdio;
use std::time::Duration;

use bff::accounts::DEMO_USER;
use serde_json::{Value, json};
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use super::Person;
use super::scenarios::{asked_which_miami, complete};
use crate::demo_stack::{PASSWORD, demo_database};

/// Long enough for a cold start on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// Between two looks at something that another process does.
const PAUSE: Duration = Duration::from_millis(25);

/// The whole product as one process, as `cargo run` starts it, over a database that outlives it.
struct Process {
    database: TestDatabase,
    files: tempfile::TempDir,
    /// Of the bff, the orchestrator and the tools service.
    ports: [u16; 3],
    child: Option<Child>,
}

impl Process {
    async fn start() -> Self {
        let mut process = Self {
            database: demo_database().await,
            files: tempfile::tempdir().unwrap(),
            ports: free_ports(),
            child: None,
        };
        process.begin().await;
        process
    }

    async fn begin(&mut self) {
        let [bff, orchestrator, tools] = self.ports;
        let log = self.files.path().join("log");
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(log)
            .unwrap();
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
            .env("HELIOGRAPH_ORCHESTRATOR__RUNS__LEASE_MS", "1500")
            .env("HELIOGRAPH_ORCHESTRATOR__RUNS__RECOVERY_INTERVAL_MS", "200")
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

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[0])
    }

    fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    async fn demo_user(&self) -> Person {
        let http = service_kit::http_client().unwrap();
        let body = json!({ "username": DEMO_USER, "password": PASSWORD });
        let url = format!("{}/auth/token", self.url());
        let tokens: Value = http
            .post(url)
            .json(&body)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        Person::at(
            &self.url(),
            tokens["access_token"].as_str().unwrap().to_owned(),
        )
    }

    /// `kill -9`, and a new process.
    async fn kill_and_begin_again(&mut self) {
        self.child.take().unwrap().kill().await.unwrap();
        self.begin().await;
    }
}

fn free_ports() -> [u16; 3] {
    let listeners: [std::net::TcpListener; 3] =
        std::array::from_fn(|_| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    listeners.map(|listener| listener.local_addr().unwrap().port())
}

async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so().await {
        assert!(Instant::now() < deadline, "it never came");
        sleep(PAUSE).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_question_survives_kill_9() {
    let mut process = Process::start().await;
    {
        let person = process.demo_user().await;
        asked_which_miami(&person.conversation("killed")).await;
    }
    process.kill_and_begin_again().await;
    let person = process.demo_user().await;
    let conversation = person.conversation("killed");
    assert_eq!(conversation.state().await.status, "interrupted");
    let answer = conversation.say("Port of Miami").await;
    assert!(answer.text().contains("142"), "{}", answer.text());
    assert_eq!(conversation.state().await.attempts().len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_kill_9_cut_off_goes_on_where_it_was() {
    let mut process = Process::start().await;
    let person = process.demo_user().await;
    let conversation = person.conversation("cut");
    // The query has to wait, so that the kill meets it: three tasks are done by then.
    let mut holder = process.pool().begin().await.unwrap();
    sqlx::query("LOCK TABLE demo_freight.containers IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *holder)
        .await
        .unwrap();
    let request = conversation.request("Show container status");
    let asking = tokio::spawn(request.send());
    let pool = process.pool().clone();
    until(async || {
        let waiting: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .fetch_one(&pool)
        .await
        .unwrap();
        waiting > 0
    })
    .await;
    let before = conversation.state().await;
    let before = before.entries().len();
    process.kill_and_begin_again().await;
    drop(asking.await);
    holder.rollback().await.unwrap();

    let person = process.demo_user().await;
    let conversation = person.conversation("cut");
    until(async || conversation.state().await.status == "idle").await;
    let known = conversation.state().await;
    assert_eq!(
        known.attempts(),
        complete(&[
            "resolve_entities",
            "map_fields",
            "build_es_query",
            "execute_es",
            "summarize"
        ]),
        "each once, {before} of them before the kill"
    );
    assert_eq!(known.lists(), ["complete"]);
}
