//! The processes of an installation, and the proxies between them.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use bff::accounts::DEMO_USER;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use service_kit::client::HttpClient;
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

use super::compose;
use super::proxy::Proxy;
use crate::binaries::binaries;
use crate::demo_stack::{PASSWORD, admin, config, demo_database};
use crate::replicas::tales::Tales;

pub(super) const SERVICES: [&str; 3] = ["tools", "orchestrator", "bff"];

/// Long enough for a start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

const PAUSE: Duration = Duration::from_millis(25);

/// Between the moment in which the proxy leads no more connections to a process and the one in
/// which it has to stop; five seconds in Kubernetes.
const LEAVES_BEFORE: Duration = Duration::from_millis(300);

/// A folder with the programs of images, in place of those that were built here.
const PROGRAMS_VARIABLE: &str = "HELIOGRAPH_TEST_PROGRAMS";

/// The installation.
pub(super) struct Fleet {
    services: Vec<Service>,
    http: HttpClient,
    database: TestDatabase,
    model: Tales,
    /// Secrets and logs.
    files: tempfile::TempDir,
    kills: Mutex<Vec<(Instant, Option<Instant>)>>,
}

struct Service {
    name: &'static str,
    proxy: Proxy,
    environment: Vec<(String, String)>,
    places: [Place; 2],
}

/// A process of a service, or none.
#[derive(Default)]
struct Place(Mutex<Option<(SocketAddr, Child)>>);

impl Fleet {
    /// An installation in which nothing runs yet but the database.
    pub(super) async fn new() -> Self {
        let database = demo_database().await;
        let files = tempfile::tempdir().unwrap();
        let accounts = admin(&config(&database.url().into(), files.path()));
        accounts.ensure_demo(Some(PASSWORD.into())).await.unwrap();
        accounts.close().await;
        let secrets = files.path().join("secrets");
        std::fs::create_dir(&secrets).unwrap();
        for (name, value) in [
            ("tools-url", database.url()),
            ("orchestrator-url", database.url()),
            ("bff-url", database.url()),
            ("orchestrator-secret", "a secret of the rehearsal, 32 bytes"),
            ("webhook-key", "a key of the rehearsal's webhooks, 38 bytes"),
            (
                "signing-encryption-key",
                "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
            ),
            (
                "credentials-key",
                "MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=",
            ),
        ] {
            std::fs::write(secrets.join(name), value).unwrap();
        }
        compose::copy_settings(&root().join("deploy/compose"), files.path(), &secrets);
        let http = service_kit::http_client().unwrap();
        let model = Tales::start().await;
        let mut proxies = Vec::new();
        for _ in SERVICES {
            proxies.push(Proxy::start(http.clone()).await);
        }
        let addresses: Vec<(&str, String)> = ["tools:4000", "orchestrator:3000", "bff:8080"]
            .into_iter()
            .zip(&proxies)
            .map(|(host, proxy)| (host, proxy.address.to_string()))
            .collect();
        let services = SERVICES.into_iter().zip(proxies).map(|(name, proxy)| {
            let mut environment = environment(name, &secrets, &addresses);
            environment.extend(rehearsal_only(name, &model));
            Service {
                name,
                proxy,
                environment,
                places: Default::default(),
            }
        });
        Self {
            services: services.collect(),
            http,
            database,
            model,
            files,
            kills: Mutex::default(),
        }
    }

    pub(super) fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    pub(super) fn model(&self) -> &Tales {
        &self.model
    }

    /// The URL of the page, through its proxy.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.services[2].proxy.address)
    }

    pub(super) fn user() -> &'static str {
        DEMO_USER
    }

    /// Starts a process, and returns at once.
    pub(super) async fn start(&self, service: usize, place: usize) {
        let service = &self.services[service];
        let address = free_address().await;
        let child = self.spawn(service, place, address);
        service.proxy.add(address);
        *service.places[place].0.lock().unwrap() = Some((address, child));
    }

    /// Kills a process and starts another; waits until that is ready.
    pub(super) async fn kill(&self, service: usize, place: usize) {
        self.kills.lock().unwrap().push((Instant::now(), None));
        let own = &self.services[service];
        let (address, mut child) = own.places[place].0.lock().unwrap().take().unwrap();
        child.kill().await.unwrap();
        self.start(service, place).await;
        // The proxy notices by asking, and a moment late.
        own.proxy.remove(address);
        self.ready(service, place).await;
        if let Some((_, end)) = self.kills.lock().unwrap().last_mut() {
            *end = Some(Instant::now());
        }
    }

    /// Starts another process; when that is ready, the first is to stop, and does.
    pub(super) async fn replace(&self, service: usize, place: usize) {
        let own = &self.services[service];
        let (address, mut child) = own.places[place].0.lock().unwrap().take().unwrap();
        self.start(service, place).await;
        self.ready(service, place).await;
        own.proxy.remove(address);
        sleep(LEAVES_BEFORE).await;
        let pid = i32::try_from(child.id().unwrap()).unwrap();
        kill(Pid::from_raw(pid), Signal::SIGTERM).unwrap();
        let status = timeout(PATIENCE, child.wait()).await;
        let status = status
            .unwrap_or_else(|_| panic!("{} does not stop", own.name))
            .unwrap();
        assert!(status.success(), "{}: {status}", own.name);
    }

    /// Whether a process was killed at this time, or a moment before.
    pub(super) fn is_at_a_kill(&self, from: Instant, to: Instant) -> bool {
        let kills = self.kills.lock().unwrap();
        kills
            .iter()
            .any(|(began, ended)| *began <= to && ended.is_none_or(|ended| from <= ended))
    }

    /// Whether the tools service could not be reached in this time: the proxy led to none of its
    /// processes, or one was killed.
    pub(super) fn tools_were_away(&self, from: Instant, to: Instant) -> bool {
        self.services[0].proxy.turned_away(from, to) || self.is_at_a_kill(from, to)
    }

    async fn ready(&self, service: usize, place: usize) {
        let own = &self.services[service];
        let (address, log) = {
            let place = own.places[place].0.lock().unwrap();
            let (address, _) = place.as_ref().unwrap();
            (*address, self.log(own.name))
        };
        let deadline = Instant::now() + PATIENCE;
        while !own.proxy.leads_to(address) {
            let logged = || std::fs::read_to_string(&log).unwrap_or_default();
            assert!(
                Instant::now() < deadline,
                "{} is not ready: {}",
                own.name,
                logged()
            );
            sleep(PAUSE).await;
        }
    }

    fn log(&self, service: &str) -> PathBuf {
        self.files.path().join(format!("{service}.log"))
    }

    fn spawn(&self, service: &Service, place: usize, address: SocketAddr) -> Child {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.log(service.name))
            .unwrap();
        let port = format!("HELIOGRAPH_{}__HTTP__PORT", service.name.to_uppercase());
        Command::new(program(service.name))
            .arg("--config")
            .arg(self.files.path())
            // A container has the variables of its image and its own.
            .env_clear()
            .envs(
                service
                    .environment
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .env(port, address.port().to_string())
            .env("HOSTNAME", format!("{}-{place}", service.name))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    pub(super) fn http(&self) -> &HttpClient {
        &self.http
    }

    pub(super) async fn stop(self) {
        for service in &self.services {
            for place in &service.places {
                let child = place.0.lock().unwrap().take();
                if let Some((_, mut child)) = child {
                    child.kill().await.unwrap();
                }
            }
        }
    }
}

/// The variables of a container of compose.
fn environment(
    service: &str,
    secrets: &Path,
    addresses: &[(&str, String)],
) -> Vec<(String, String)> {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let compose: Value = serde_saphyr::from_str(&read("deploy/compose.yaml")).unwrap();
    let mut all = compose::of_image(&read("deploy/images/Dockerfile"), service);
    assert!(
        all.iter()
            .any(|(name, _)| name == "HELIOGRAPH__HTTP__ADDRESS")
    );
    all.extend(compose::of_service(&compose, service, secrets, addresses));
    all
}

/// What differs from an installation: loopback only, short leases, no limits for one user who asks
/// for all, and a scripted model.
fn rehearsal_only(service: &str, model: &Tales) -> Vec<(String, String)> {
    let mut all = vec![("HELIOGRAPH__HTTP__ADDRESS", "127.0.0.1".to_owned())];
    match service {
        "orchestrator" => all.extend([
            ("HELIOGRAPH_ORCHESTRATOR__RUNS__LEASE_MS", "3000".to_owned()),
            (
                "HELIOGRAPH_ORCHESTRATOR__RUNS__RECOVERY_INTERVAL_MS",
                "500".to_owned(),
            ),
            ("AI_PROVIDER", "openai".to_owned()),
            ("OPENAI_BASE_URL", model.server.base_url()),
            ("OPENAI_API_KEY", model.server.key().to_owned()),
        ]),
        "bff" => all.extend([
            (
                "HELIOGRAPH_BFF__LIMITS__REQUESTS_PER_MINUTE",
                "1000000".to_owned(),
            ),
            (
                "HELIOGRAPH_BFF__LIMITS__REQUEST_BURST",
                "1000000".to_owned(),
            ),
            ("HELIOGRAPH_BFF__LIMITS__LOGIN_BURST", "1000".to_owned()),
        ]),
        _ => {}
    }
    let named = all.into_iter();
    named
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn program(service: &str) -> PathBuf {
    let folder = std::env::var_os(PROGRAMS_VARIABLE);
    match folder {
        Some(folder) => Path::new(&folder).join(format!("heliograph-{service}")),
        None => binaries().program(service),
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

async fn free_address() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .unwrap();
    listener.local_addr().unwrap()
}
