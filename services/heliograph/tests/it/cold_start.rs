//! The three services started one by one, each reachable for the others only while it is ready, as
//! behind a Service of Kubernetes.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use bff::program::Bff;
use heliograph::chat::ChatClient;
use heliograph::stack::StackConfig;
use http::StatusCode;
use orchestrator::program::Orchestrator;
use secrecy::SecretString;
use serde_json::Value;
use service_kit::client::HttpClient;
use service_kit::config::HttpConfig;
use service_kit::problem::chain;
use service_kit::program::{Process, Started, start};
use test_support::database::TestDatabase;
use tokio::sync::RwLock;
use tokio::time::{Instant, sleep};
use tools::program::Tools;

use crate::demo_stack::{PASSWORD, admin, config, demo_database};

/// Long enough for a busy machine; nothing is faster for it.
const PATIENCE: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(50);

const ORDERS: [[Name; 3]; 6] = {
    use Name::{Bff, Orchestrator, Tools};
    [
        [Tools, Orchestrator, Bff],
        [Tools, Bff, Orchestrator],
        [Orchestrator, Tools, Bff],
        [Orchestrator, Bff, Tools],
        [Bff, Tools, Orchestrator],
        [Bff, Orchestrator, Tools],
    ]
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Tools,
    Orchestrator,
    Bff,
}

/// Forwards to the service behind it while that is ready; otherwise answers 502.
#[derive(Clone)]
struct Gate {
    behind: Arc<RwLock<Option<String>>>,
    http: HttpClient,
}

impl Gate {
    /// A gate with nothing behind it yet, and its address.
    async fn open(http: &HttpClient) -> (Self, String) {
        let gate = Self {
            behind: Arc::default(),
            http: http.clone(),
        };
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(forward).with_state(gate.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (gate, url)
    }

    async fn lead_to(&self, address: SocketAddr) {
        *self.behind.write().await = Some(format!("http://{address}"));
    }
}

async fn forward(State(gate): State<Gate>, request: Request) -> Response {
    let unavailable = || StatusCode::BAD_GATEWAY.into_response();
    let Some(behind) = gate.behind.read().await.clone() else {
        return unavailable();
    };
    if readiness(&gate.http, &behind).await.0 != StatusCode::OK {
        return unavailable();
    }
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let url = format!("{behind}{}", parts.uri);
    let forwarded = gate.http.request(parts.method, url).headers(parts.headers);
    match forwarded.body(body).send().await {
        Ok(answer) => {
            let (status, headers) = (answer.status(), answer.headers().clone());
            (status, headers, Body::from_stream(answer.bytes_stream())).into_response()
        }
        Err(_gone) => unavailable(),
    }
}

/// Status and body of `/health/ready`; 502 when no service answers.
async fn readiness(http: &HttpClient, url: &str) -> (StatusCode, Value) {
    let answer = http
        .get(format!("{url}/health/ready"))
        .timeout(PATIENCE)
        .send();
    match answer.await {
        Ok(answer) => (answer.status(), answer.json().await.unwrap_or_default()),
        Err(_nobody) => (StatusCode::BAD_GATEWAY, Value::Null),
    }
}

/// The services, each behind its gate.
struct Cluster {
    config: StackConfig,
    http: HttpClient,
    gates: [(Name, Gate, String); 3],
    running: Vec<(Name, String, Started, Process)>,
}

impl Cluster {
    async fn new(database: &TestDatabase, files: &tempfile::TempDir) -> Self {
        let http = service_kit::http_client().unwrap();
        let mut gates = Vec::new();
        for name in [Name::Tools, Name::Orchestrator, Name::Bff] {
            let (gate, url) = Gate::open(&http).await;
            gates.push((name, gate, url));
        }
        let gates: [(Name, Gate, String); 3] = gates.try_into().ok().unwrap();
        let mut config = config(&SecretString::from(database.url()), files.path());
        let [(.., tools), (.., orchestrator), (.., bff)] = &gates;
        let keys = format!("{bff}{}", service_kit::identity::KEY_SET_PATH);
        config.tools.identity.key_set_url = Some(keys.clone());
        config.orchestrator.identity.key_set_url = Some(keys);
        config.orchestrator.tools.base_url.clone_from(tools);
        config.bff.upstream.tools_url.clone_from(tools);
        config
            .bff
            .upstream
            .orchestrator_url
            .clone_from(orchestrator);
        for http in [
            &mut config.tools.http,
            &mut config.orchestrator.http,
            &mut config.bff.http,
        ] {
            *http = HttpConfig {
                drain_timeout_ms: 500,
                ..http.clone()
            };
        }
        Self {
            config,
            http,
            gates,
            running: Vec::new(),
        }
    }

    async fn start(&mut self, name: Name) {
        let process = Process::new();
        let started = match name {
            Name::Tools => start::<Tools>(self.config.tools.clone(), &process).await,
            Name::Orchestrator => {
                start::<Orchestrator>(self.config.orchestrator.clone(), &process).await
            }
            Name::Bff => start::<Bff>(self.config.bff.clone(), &process).await,
        }
        .unwrap();
        let address = started.running.local_addr;
        let gate = self.gates.iter().find(|(of, ..)| *of == name).unwrap();
        gate.1.lead_to(address).await;
        let url = format!("http://{address}");
        self.running.push((name, url, started, process));
    }

    async fn stop(&mut self, name: Name) {
        let at = self.running.iter().position(|(of, ..)| *of == name);
        let (.., started, process) = self.running.remove(at.unwrap());
        process.shutdown.cancel();
        started.running.stopped().await;
        process.tasks.close();
        process.tasks.wait().await;
        started.opened.await.unwrap().unwrap();
    }

    /// Waits until the service's readiness is as wanted.
    async fn until(&self, name: Name, wanted: impl Fn(StatusCode, &Value) -> bool) {
        let (_, url, ..) = self.running.iter().find(|(of, ..)| *of == name).unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let (status, body) = readiness(&self.http, url).await;
            if wanted(status, &body) {
                return;
            }
            assert!(Instant::now() < deadline, "{name:?}: {status} {body}");
            sleep(PAUSE).await;
        }
    }

    async fn all_ready(&self) {
        for (name, ..) in &self.running {
            self.until(*name, |status, _| status == StatusCode::OK)
                .await;
        }
    }

    async fn stop_all(mut self) {
        for name in [Name::Bff, Name::Orchestrator, Name::Tools] {
            self.stop(name).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_whatever_order_they_start_behind_their_readiness_all_become_ready() {
    let (database, files) = (demo_database().await, tempfile::tempdir().unwrap());
    for order in ORDERS {
        let mut cluster = Cluster::new(&database, &files).await;
        for name in order {
            cluster.start(name).await;
        }
        cluster.all_ready().await;
        cluster.stop_all().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn services_wait_for_their_tables_and_then_work_through_their_gates() {
    let (database, files) = (
        TestDatabase::empty().await.unwrap(),
        tempfile::tempdir().unwrap(),
    );
    let mut cluster = Cluster::new(&database, &files).await;
    for name in [Name::Tools, Name::Orchestrator, Name::Bff] {
        cluster.start(name).await;
    }
    for (name, service) in [
        (Name::Tools, "tools"),
        (Name::Orchestrator, "orchestrator"),
        (Name::Bff, "bff"),
    ] {
        let command = format!("heliograph migrate --service {service}");
        cluster
            .until(name, |status, body| {
                status == StatusCode::SERVICE_UNAVAILABLE && body.to_string().contains(&command)
            })
            .await;
    }
    for (_, url, ..) in &cluster.running {
        let refused = cluster.http.get(format!("{url}/api/tools")).send().await;
        let refused = refused.unwrap();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE, "{url}");
        assert!(refused.headers().contains_key("retry-after"));
    }

    let pool = database.pool();
    tools::migrate(pool).await.unwrap();
    orchestrator::migrate(pool).await.unwrap();
    bff::migrate(pool).await.unwrap();
    cluster.all_ready().await;
    let accounts = admin(&cluster.config);
    accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
    accounts.close().await;
    let (.., bff) = &cluster.gates[2];
    let signed_in = ChatClient::sign_in(cluster.http.clone(), bff, "demo", &PASSWORD.into()).await;
    let (client, _) = signed_in.unwrap();
    let reply = crate::demo_stack::ask(&client, "t-cold", "hi").await;
    assert_eq!(reply.flow(), "greeting");

    // One that goes away takes none of the others with it.
    cluster.stop(Name::Tools).await;
    for name in [Name::Bff, Name::Orchestrator] {
        cluster
            .until(name, |status, _| status == StatusCode::OK)
            .await;
    }
    cluster.stop(Name::Orchestrator).await;
    cluster
        .until(Name::Bff, |status, _| status == StatusCode::OK)
        .await;
    cluster.stop(Name::Bff).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bff_whose_key_cannot_be_used_ends_with_the_reason() {
    let (database, files) = (demo_database().await, tempfile::tempdir().unwrap());
    let mut cluster = Cluster::new(&database, &files).await;
    cluster.config.bff.signing.key_file = Some(files.path().join("absent.pem"));
    cluster.start(Name::Bff).await;
    let (.., started, process) = cluster.running.remove(0);
    process.shutdown.cancelled().await;
    let error = started.opened.await.unwrap().unwrap_err();
    let told = chain(&*error);
    assert!(told.contains("absent.pem"), "{told}");
    started.running.stopped().await;
}
