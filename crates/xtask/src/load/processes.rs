//! The three services as child processes, and their resource usage.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use secrecy::{ExposeSecret, SecretString};
use service_kit::client::HttpClient;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::time::Instant;

use heliograph::stack::StackConfig;

use super::balancer::Balancer;
use super::proc::{Usage, usage_of};

/// The file of checkpoints of one orchestrator.
pub(crate) const CHECKPOINTS: &str = "load-checkpoints.sqlite";

/// Long enough for a cold start on a busy machine.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// Longer than an idle service takes to stop.
const STOPPED_WITHIN: Duration = Duration::from_secs(10);

/// Each has a program of its own.
const SERVICES: [&str; 3] = ["tools", "orchestrator", "bff"];

/// The services in one process, as they are named in a report.
const ONE_PROCESS: &str = "one process";

/// The running services. Dropping this stops them.
pub struct Processes {
    children: Vec<(&'static str, Child)>,
    /// Before several orchestrators.
    _balancer: Option<Balancer>,
}

/// The services' programs, in the folder of this program.
#[derive(Debug, Clone)]
pub struct Binaries {
    folder: PathBuf,
}

impl Binaries {
    /// The programs in the folder of `program`. Fails if one is missing.
    pub fn beside(program: &Path) -> anyhow::Result<Self> {
        let folder = program.parent().unwrap_or(Path::new("."));
        let binaries = Self {
            folder: folder.to_owned(),
        };
        for service in SERVICES {
            let program = binaries.program(service);
            if !program.is_file() {
                bail!(
                    "{} does not exist; build the services' programs with `cargo build --bins`, and with the profile of this program",
                    program.display()
                );
            }
        }
        Ok(binaries)
    }

    /// The program of a service.
    pub fn program(&self, service: &str) -> PathBuf {
        self.folder
            .join(format!("heliograph-{service}"))
            .with_extension(std::env::consts::EXE_EXTENSION)
    }
}

impl Processes {
    /// Starts the services on the ports in `config`, with their files in `data_dir`. `environment`
    /// has additional variables.
    pub async fn start(
        binaries: &Binaries,
        config: &StackConfig,
        url: &SecretString,
        data_dir: &Path,
        environment: &[(&str, &str)],
        http: &HttpClient,
    ) -> anyhow::Result<Self> {
        Self::start_several(binaries, config, url, data_dir, environment, http, 1).await
    }

    /// [`Self::start`] with several orchestrators, which keep their checkpoints in the database.
    pub(crate) async fn start_several(
        binaries: &Binaries,
        config: &StackConfig,
        url: &SecretString,
        data_dir: &Path,
        environment: &[(&str, &str)],
        http: &HttpClient,
        orchestrators: usize,
    ) -> anyhow::Result<Self> {
        let mut services = vec![("tools", config.tools.http.port)];
        let mut balancer = None;
        if orchestrators > 1 {
            let ports = free_ports(orchestrators).await?;
            services.extend(ports.iter().map(|port| ("orchestrator", *port)));
            balancer = Some(Balancer::start(config.orchestrator.http.port, ports).await?);
        } else {
            services.push(("orchestrator", config.orchestrator.http.port));
        }
        services.push(("bff", config.bff.http.port));
        let mut children = Vec::new();
        for &(service, port) in &services {
            let mut command = program(&binaries.program(service));
            command
                .env("DATABASE_URL", url.expose_secret())
                .envs(addresses((service, port), config, data_dir))
                .envs(environment.iter().copied());
            if service == "orchestrator" && orchestrators > 1 {
                command.env("HELIOGRAPH_ORCHESTRATOR__CHECKPOINTS__STORE", "postgres");
            }
            let child = command
                .spawn()
                .with_context(|| format!("cannot start {service}"))?;
            children.push((service, child));
        }
        let ports: Vec<u16> = services.iter().map(|(_, port)| *port).collect();
        let mut processes = Self {
            children,
            _balancer: balancer,
        };
        processes.wait_ready(&ports, http).await?;
        Ok(processes)
    }

    /// [`Self::start`] with the three services in one process, without the demonstration's
    /// measurements as they come in.
    pub(crate) async fn start_one(
        binaries: &Binaries,
        config: &StackConfig,
        url: &SecretString,
        data_dir: &Path,
        environment: &[(&str, &str)],
        http: &HttpClient,
    ) -> anyhow::Result<Self> {
        let ports = [
            &config.tools.http,
            &config.orchestrator.http,
            &config.bff.http,
        ];
        let ports = ports.map(|http| http.port);
        let mut command = program(&binaries.folder.join("heliograph"));
        for (service, port) in SERVICES.into_iter().zip(ports) {
            command.envs(addresses((service, port), config, data_dir));
        }
        let child = command
            .env("DATABASE_URL", url.expose_secret())
            // Its own, as this program keeps the other in use.
            .env("HELIOGRAPH_DATA_DIR", data_dir.join("load-one-process"))
            .env("HELIOGRAPH_DEMO_DATABASE", "false")
            .env("HELIOGRAPH_DEMO_LIVE", "false")
            .env("HELIOGRAPH_FETCH_MODEL", "false")
            .envs(environment.iter().copied())
            .spawn()
            .context("cannot start heliograph")?;
        let mut processes = Self {
            children: vec![(ONE_PROCESS, child)],
            _balancer: None,
        };
        processes.wait_ready(&ports, http).await?;
        Ok(processes)
    }

    /// The resource usage of each service so far.
    pub fn usage(&self) -> Vec<(&'static str, Usage)> {
        self.children
            .iter()
            .map(|(service, child)| (*service, child.id().and_then(usage_of).unwrap_or_default()))
            .collect()
    }

    /// Stops the services in an orderly way. Each finishes its requests and exports its traces.
    pub async fn stop(mut self) {
        for (_, child) in &self.children {
            if let Some(pid) = child.id().and_then(|pid| i32::try_from(pid).ok()) {
                // A process that has ended already cannot receive the signal.
                let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
            }
        }
        for (service, child) in &mut self.children {
            if tokio::time::timeout(STOPPED_WITHIN, child.wait())
                .await
                .is_err()
            {
                tracing::warn!(service, "did not stop in time and is killed");
            }
        }
    }

    async fn wait_ready(&mut self, ports: &[u16], http: &HttpClient) -> anyhow::Result<()> {
        let deadline = Instant::now() + READY_WITHIN;
        for port in ports {
            loop {
                let answer = http
                    .get(format!("http://127.0.0.1:{port}/health/ready"))
                    .send()
                    .await;
                if answer.is_ok_and(|answer| answer.status().is_success()) {
                    break;
                }
                for (service, child) in &mut self.children {
                    if let Some(status) = child.try_wait()? {
                        bail!("{service} ended: {status}");
                    }
                }
                if Instant::now() >= deadline {
                    bail!("the service at port {port} did not become ready");
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Ok(())
    }
}

/// A program that ends with this one and writes only what went wrong.
fn program(path: &Path) -> Command {
    let mut command = Command::new(path.with_extension(std::env::consts::EXE_EXTENSION));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .env("RUST_LOG", "warn");
    command
}

/// Ports that are free now.
async fn free_ports(count: usize) -> anyhow::Result<Vec<u16>> {
    let (mut ports, mut held) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        ports.push(listener.local_addr()?.port());
        held.push(listener);
    }
    Ok(ports)
}

/// The variables with which a service listens at its port and finds the others.
fn addresses(
    (service, port): (&str, u16),
    config: &StackConfig,
    data_dir: &Path,
) -> Vec<(String, String)> {
    let (tools, orchestrator, bff) = (
        config.tools.http.port,
        config.orchestrator.http.port,
        config.bff.http.port,
    );
    let at = |port: u16| format!("http://127.0.0.1:{port}");
    let keys = format!("{}{}", at(bff), service_kit::identity::KEY_SET_PATH);
    let variables: Vec<(&str, String)> = match service {
        "bff" => vec![
            ("HELIOGRAPH_BFF__UPSTREAM__TOOLS_URL", at(tools)),
            (
                "HELIOGRAPH_BFF__UPSTREAM__ORCHESTRATOR_URL",
                at(orchestrator),
            ),
            // The load comes from one user, and the limits do not apply to it.
            (
                "HELIOGRAPH_BFF__LIMITS__REQUESTS_PER_MINUTE",
                "100000000".to_owned(),
            ),
            (
                "HELIOGRAPH_BFF__LIMITS__REQUEST_BURST",
                "100000000".to_owned(),
            ),
            // Every stream holds a connection, all of them from this machine.
            (
                "HELIOGRAPH_BFF__HTTP__MAX_CONNECTIONS_PER_ADDRESS",
                config.bff.http.max_connections.to_string(),
            ),
        ],
        "orchestrator" => vec![
            ("HELIOGRAPH__IDENTITY__KEY_SET_URL", keys),
            ("MCP_SERVER_URL", at(tools)),
            (
                "HELIOGRAPH_ORCHESTRATOR__CHECKPOINTS__PATH",
                data_dir.join(CHECKPOINTS).display().to_string(),
            ),
            (
                "HELIOGRAPH_ORCHESTRATOR__RUNS__MAX_CONCURRENT",
                "100000".to_owned(),
            ),
        ],
        _ => vec![("HELIOGRAPH__IDENTITY__KEY_SET_URL", keys)],
    };
    let own = (
        format!("HELIOGRAPH_{}__HTTP__PORT", service.to_uppercase()),
        port.to_string(),
    );
    let others = variables.into_iter();
    others
        .map(|(name, value)| (name.to_owned(), value))
        .chain([own])
        .collect()
}
