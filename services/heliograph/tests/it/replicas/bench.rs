//! Two orchestrators in processes of their own over one database, with the tools, the bff and a
//! scripted model beside them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use bff::accounts::DEMO_USER;
use heliograph::stack::StackConfig;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use service_kit::client::HttpClient;
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::tales::Tales;
use crate::binaries::binaries;
use crate::demo_stack::{PASSWORD, admin, config, demo_database};

/// Long enough for a cold start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(40);

/// Between two looks at something that another process does.
const PAUSE: Duration = Duration::from_millis(25);

/// Shared by the orchestrators and the bff.
const SECRET: &str = "shown by orchestrators that go on with a run";

/// How patient orchestrators are with each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Time that a silent process keeps its runs.
    pub(super) lease: Duration,
    /// Interval between looks for runs that were left behind.
    pub(super) recovery: Duration,
    /// Time that the runs of a stopping process have to end.
    pub(super) drain: Duration,
}

/// Everything that runs.
pub(super) struct Bench {
    /// The orchestrators.
    pub(super) replicas: [Replica; 2],
    /// The model that both ask.
    pub(super) tales: Tales,
    pub(super) http: HttpClient,
    /// The demo user's, for orchestrators.
    pub(super) token: SecretString,
    database: TestDatabase,
    _files: tempfile::TempDir,
    shutdown: CancellationToken,
    tasks: TaskTracker,
}

/// An orchestrator's place: its address, and the process that is there, if one is.
pub(super) struct Replica {
    pub(super) url: String,
    environment: Vec<(String, String)>,
    log: PathBuf,
    child: Mutex<Option<Child>>,
}

impl Bench {
    /// Starts everything; `name` distinguishes its logs from those of other tests.
    pub(super) async fn start(name: &str, patience: Patience) -> Self {
        let database = demo_database().await;
        let files = tempfile::tempdir().unwrap();
        let url = SecretString::from(database.url());
        let mut stack = config(&url, files.path());
        stack.bff.services.orchestrator_secret = Some(SECRET.into());
        stack.introduce().unwrap();
        let accounts = admin(&stack);
        accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
        accounts.close().await;

        let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
        serve_the_others(&stack, &shutdown, &tasks).await;
        let tales = Tales::start().await;
        let http = service_kit::http_client().unwrap();
        let token = token(&http, &stack, database.pool()).await;
        let replicas = [
            ("a", stack.orchestrator.http.port),
            ("b", free_port().await),
        ]
        .map(|(letter, port)| Replica {
            url: format!("http://127.0.0.1:{port}"),
            environment: environment(&stack, &tales, &url, port, patience),
            log: Path::new(env!("CARGO_TARGET_TMPDIR"))
                .join(format!("replicas-{name}-{letter}.log")),
            child: Mutex::default(),
        });
        let bench = Self {
            replicas,
            tales,
            http,
            token,
            database,
            _files: files,
            shutdown,
            tasks,
        };
        for replica in &bench.replicas {
            let _ = std::fs::remove_file(&replica.log);
            replica.start();
        }
        for replica in &bench.replicas {
            replica.ready(&bench.http).await;
        }
        bench
    }

    pub(super) fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    pub(super) async fn stop(self) {
        for replica in &self.replicas {
            replica.kill().await;
        }
        self.shutdown.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Replica {
    /// What its processes have logged.
    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Starts a process. An earlier process has to have ended.
    pub(super) fn start(&self) {
        let log = File::options().create(true).append(true).open(&self.log);
        let log = log.unwrap();
        let child = Command::new(binaries().program("orchestrator"))
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        *self.child.lock().unwrap() = Some(child);
    }

    /// Waits until it answers.
    pub(super) async fn ready(&self, http: &HttpClient) {
        let deadline = Instant::now() + PATIENCE;
        let url = format!("{}/health/ready", self.url);
        while !http
            .get(&url)
            .send()
            .await
            .is_ok_and(|answer| answer.status().is_success())
        {
            assert!(
                Instant::now() < deadline,
                "{url} is not ready, see {}",
                self.log.display()
            );
            sleep(PAUSE).await;
        }
    }

    /// `kill -9`.
    pub(super) async fn kill(&self) {
        let child = self.child.lock().unwrap().take();
        if let Some(mut child) = child {
            child.kill().await.unwrap();
        }
    }

    /// Reports it to stop.
    pub(super) fn terminate(&self) {
        self.signal(Signal::SIGTERM);
    }

    /// Takes it off the processor for a while.
    pub(super) async fn freeze(&self, time: Duration) {
        self.signal(Signal::SIGSTOP);
        sleep(time).await;
        self.signal(Signal::SIGCONT);
    }

    fn signal(&self, signal: Signal) {
        let child = self.child.lock().unwrap();
        let pid = child.as_ref().and_then(Child::id).unwrap();
        kill(Pid::from_raw(pid.try_into().unwrap()), signal).unwrap();
    }

    /// Waits until it takes no connections any more.
    pub(super) async fn refuses(&self, http: &HttpClient) {
        let deadline = Instant::now() + PATIENCE;
        let url = format!("{}/health/live", self.url);
        while http.get(&url).send().await.is_ok() {
            assert!(Instant::now() < deadline, "{url} still answers");
            sleep(PAUSE).await;
        }
    }

    /// Waits until it has stopped on its own.
    pub(super) async fn stopped(&self) -> ExitStatus {
        let mut child = self.child.lock().unwrap().take().unwrap();
        tokio::time::timeout(PATIENCE, child.wait())
            .await
            .unwrap_or_else(|_| panic!("it does not stop, see {}", self.log.display()))
            .unwrap()
    }
}

/// The tools and the bff, in this process.
async fn serve_the_others(stack: &StackConfig, shutdown: &CancellationToken, tasks: &TaskTracker) {
    let tools = tools::program::build(&stack.tools, stack.clock.clone()).unwrap();
    let served = tools.service.serve(tools.routes, shutdown.clone(), tasks);
    served.await.unwrap();
    let bff = bff::build(stack.bff.clone(), stack.clock.clone(), stack.ids.clone());
    let bff = bff.await.unwrap();
    let served = bff.service.serve(bff.routes, shutdown.clone(), tasks);
    served.await.unwrap();
}

fn environment(
    stack: &StackConfig,
    tales: &Tales,
    url: &SecretString,
    port: u16,
    patience: Patience,
) -> Vec<(String, String)> {
    let bff = format!("http://127.0.0.1:{}", stack.bff.http.port);
    let keys = format!("{bff}{}", service_kit::identity::KEY_SET_PATH);
    let own = |section_and_key: &str| format!("HELIOGRAPH_ORCHESTRATOR__{section_and_key}");
    vec![
        ("RUST_LOG".to_owned(), "info".to_owned()),
        ("NO_COLOR".to_owned(), "1".to_owned()),
        ("DATABASE_URL".to_owned(), url.expose_secret().to_owned()),
        (own("HTTP__PORT"), port.to_string()),
        (
            own("HTTP__DRAIN_TIMEOUT_MS"),
            patience.drain.as_millis().to_string(),
        ),
        ("HELIOGRAPH__IDENTITY__KEY_SET_URL".to_owned(), keys),
        (
            "MCP_SERVER_URL".to_owned(),
            format!("http://127.0.0.1:{}", stack.tools.http.port),
        ),
        (own("CHECKPOINTS__STORE"), "postgres".to_owned()),
        (
            own("RUNS__LEASE_MS"),
            patience.lease.as_millis().to_string(),
        ),
        (
            own("RUNS__RECOVERY_INTERVAL_MS"),
            patience.recovery.as_millis().to_string(),
        ),
        (own("IDENTITY_RENEWAL__URL"), format!("{bff}/auth/identity")),
        (own("IDENTITY_RENEWAL__SECRET"), SECRET.to_owned()),
        ("AI_PROVIDER".to_owned(), "openai".to_owned()),
        ("OPENAI_BASE_URL".to_owned(), tales.server.base_url()),
        ("OPENAI_API_KEY".to_owned(), tales.server.key().to_owned()),
    ]
}

/// A token of the demo user that orchestrators take: the bff's own, as it would show it to them.
async fn token(http: &HttpClient, stack: &StackConfig, pool: &PgPool) -> SecretString {
    let query = "SELECT account_id::text, tenant FROM bff.accounts WHERE username = $1";
    let (subject, tenant): (String, String) = sqlx::query_as(query)
        .bind(DEMO_USER)
        .fetch_one(pool)
        .await
        .unwrap();
    let url = format!("http://127.0.0.1:{}/auth/identity", stack.bff.http.port);
    let answer = http
        .post(url)
        .bearer_auth(SECRET)
        .json(&json!({ "subject": subject, "tenant": tenant }))
        .send()
        .await
        .unwrap();
    let answer: Value = answer.error_for_status().unwrap().json().await.unwrap();
    answer["access_token"].as_str().unwrap().into()
}

async fn free_port() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}
