//! One or several orchestrators over a real PostgreSQL, and people in front of them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::response::Response;
use axum::routing::post;
use axum::{Json, Router};
use chrono::DateTime;
use contracts::bff::{IdentityRequest, IdentityResponse};
use http::StatusCode;
use orchestrator::Config;
use orchestrator::config::DefaultAssistants;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use service_kit::clock::{FixedClock, RandomIds};
use service_kit::identity::{Signer, TokenRequest};
use test_support::database::TestDatabase;
use tokio::runtime::{Handle, Runtime};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

pub(crate) use crate::calls::{Call, agent, chat, message};
use crate::scripted::{Gates, Scripted};
pub(crate) use crate::streams::{Answer, Stream, read};

/// A person, as tokens have it: tenant and subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Person(pub(crate) &'static str, pub(crate) &'static str);

pub(crate) const ALICE: Person = Person("demo", "alice");
/// Another user of the same tenant.
pub(crate) const BOB: Person = Person("demo", "bob");
/// A user of another tenant who happens to have the same subject.
pub(crate) const OTHER_ALICE: Person = Person("elsewhere", "alice");

/// What several orchestrators share.
pub(crate) struct World {
    pub(crate) database: TestDatabase,
    pub(crate) files: tempfile::TempDir,
    pub(crate) gates: Gates,
    pub(crate) signer: Arc<Signer>,
    pub(crate) clock: Arc<FixedClock>,
    /// The scopes of identities that are issued; `None`: the account is locked.
    pub(crate) issued: Arc<Mutex<Option<Vec<&'static str>>>>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let database = TestDatabase::new("orchestrator", |pool| async move {
            orchestrator::migrate(&pool).await
        });
        let clock = FixedClock::at(DateTime::from_timestamp(1_800_000_000, 0).unwrap());
        let signer = Signer::generate("heliograph", clock.clone(), RandomIds::shared()).unwrap();
        let files = tempfile::tempdir().unwrap();
        let keys = serde_json::to_vec(&signer.key_set()).unwrap();
        std::fs::write(files.path().join("keys.json"), keys).unwrap();
        Self {
            database: database.await.unwrap(),
            files,
            gates: Gates::default(),
            signer: Arc::new(signer),
            clock,
            issued: Arc::new(Mutex::new(Some(vec!["chat"]))),
        }
    }

    /// A configuration for people who type faster than any person.
    pub(crate) fn config(&self) -> Config {
        let mut config = Config::default();
        config.identity.key_set_url = None;
        config.identity.key_set_file = Some(self.files.path().join("keys.json"));
        config.database.url = Some(self.database.url().into());
        config.database.max_connections = 4;
        config.checkpoints.path = Some(self.files.path().join("checkpoints.sqlite"));
        // This port has no listener.
        config.tools.base_url = "http://127.0.0.1:9".into();
        config.runs.default_assistants = DefaultAssistants::all("scripted");
        config.runs.store_events_every_ms = 5;
        config.runs.recovery_interval_ms = 100;
        config.http.drain_timeout_ms = 2_000;
        config
    }

    /// The same for processes that die young. Their leases are so short that a busy machine loses
    /// some, so that only tests of what follows use it.
    pub(crate) fn config_of_short_leases(&self) -> Config {
        let mut config = self.config();
        config.runs.lease_ms = 1_500;
        config
    }

    /// An orchestrator with the settings of most tests.
    pub(crate) fn replica(&self) -> Replica {
        self.replica_with(self.config())
    }

    pub(crate) fn replica_with(&self, config: Config) -> Replica {
        self.try_replica(config).unwrap()
    }

    pub(crate) fn try_replica(&self, config: Config) -> Result<Replica, orchestrator::Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let scripted = |name, repeatable| {
            Arc::new(Scripted {
                name,
                repeatable,
                gates: self.gates.clone(),
            }) as Arc<dyn orchestrator::assistants::Assistant>
        };
        let further = vec![scripted("scripted", true), scripted("once", false)];
        let clock = Arc::clone(&self.clock) as _;
        let built = std::thread::scope(|scope| {
            let build = || {
                let built = orchestrator::build_with(
                    config,
                    clock,
                    RandomIds::shared(),
                    service_kit::http_client().unwrap(),
                    further,
                );
                runtime.block_on(built)
            };
            scope.spawn(build).join().unwrap()
        });
        let app = match built {
            Ok(app) => app,
            Err(error) => {
                runtime.shutdown_background();
                return Err(error);
            }
        };
        let (shutdown, tasks) = (CancellationToken::new(), TaskTracker::new());
        {
            let _within = runtime.enter();
            app.work.start(shutdown.clone(), &tasks);
        }
        Ok(Replica {
            router: app.service.router(app.routes),
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
            shutdown,
            tasks,
            signer: Arc::clone(&self.signer),
        })
    }

    /// Who issues identity tokens for users who are not there. Say where in a configuration.
    pub(crate) async fn issue_identities(&self, config: &mut Config) {
        self.issue_identities_after(config, &[]).await;
    }

    /// The same with an issuer that first answers with these.
    pub(crate) async fn issue_identities_after(&self, config: &mut Config, first: &[StatusCode]) {
        let (signer, issued) = (Arc::clone(&self.signer), Arc::clone(&self.issued));
        let first: Vec<StatusCode> = first.iter().rev().copied().collect();
        let first = Arc::new(Mutex::new(first));
        let issue = move |headers: http::HeaderMap, Json(request): Json<IdentityRequest>| async move {
            assert_eq!(headers["authorization"], "Bearer a secret of ours");
            if let Some(refused) = first.lock().unwrap().pop() {
                return Err(refused);
            }
            let scopes = issued
                .lock()
                .unwrap()
                .clone()
                .ok_or(StatusCode::NOT_FOUND)?;
            Ok(Json(IdentityResponse {
                access_token: sign(&signer, &request.tenant, &request.subject, &scopes),
                token_type: "Bearer".into(),
                expires_in: 300,
            }))
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/auth/identity", listener.local_addr().unwrap());
        let router = Router::new().route("/auth/identity", post(issue));
        tokio::spawn(async move { axum::serve(listener, router).await });
        config.identity_renewal.url = Some(url);
        config.identity_renewal.secret = Some("a secret of ours".into());
    }
}

fn sign(signer: &Signer, tenant: &str, subject: &str, scopes: &[&str]) -> String {
    let request = TokenRequest {
        subject,
        tenant,
        scopes,
        audience: &["orchestrator"],
    };
    let token: SecretString = signer.sign(request).unwrap().token;
    token.expose_secret().to_owned()
}

/// An orchestrator in a runtime of its own, so that it can die.
pub(crate) struct Replica {
    router: Router,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
    shutdown: CancellationToken,
    tasks: TaskTracker,
    signer: Arc<Signer>,
}

impl Replica {
    /// Dies in the middle of its work, without a message to clients or other processes.
    pub(crate) fn kill(&self) {
        if let Some(runtime) = self.runtime.lock().unwrap().take() {
            runtime.shutdown_background();
        }
    }

    /// Stops in order.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// A token with these scopes.
    pub(crate) fn token(&self, person: Person, scopes: &[&str]) -> String {
        sign(&self.signer, person.0, person.1, scopes)
    }

    pub(crate) async fn call(&self, person: Person, call: Call) -> Response {
        let token = sign(&self.signer, person.0, person.1, &["chat"]);
        self.send(Some(&token), call).await
    }

    /// Sends a request from within the replica's own runtime, as its server would.
    pub(crate) async fn send(&self, token: Option<&str>, call: Call) -> Response {
        let request = call.request(token);
        let answered = self.router.clone().oneshot(request);
        self.handle.spawn(answered).await.unwrap().unwrap()
    }

    /// The same of a replica that may be dead by now, or die over it.
    pub(crate) async fn try_call(&self, person: Person, call: Call) -> Option<Response> {
        let token = sign(&self.signer, person.0, person.1, &["chat"]);
        let request = call.request(Some(&token));
        let answered = self.handle.spawn(self.router.clone().oneshot(request));
        let patience = Duration::from_secs(5);
        let answered = tokio::time::timeout(patience, answered).await;
        answered.ok()?.ok()?.ok()
    }

    pub(crate) async fn json(&self, person: Person, call: Call) -> (StatusCode, Value) {
        read(self.call(person, call).await).await
    }

    /// The stream that answers a message, as it comes.
    pub(crate) async fn open(&self, person: Person, call: Call) -> Stream {
        let response = self.call(person, call).await;
        Stream::of(response).await
    }

    /// The whole stream that answers.
    pub(crate) async fn whole(&self, person: Person, call: Call) -> Answer {
        self.open(person, call).await.rest().await
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits until something is so; a test that waits too long has failed.
pub(crate) async fn eventually(what: &str, mut so: impl AsyncFnMut() -> bool) {
    let patience = std::time::Instant::now();
    while !so().await {
        assert!(
            patience.elapsed() < Duration::from_secs(30),
            "never: {what}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
