//! The three services as child processes, and what the kernel says of them.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use secrecy::{ExposeSecret, SecretString};
use service_kit::client::HttpClient;
use tokio::process::{Child, Command};
use tokio::time::Instant;

use crate::stack::StackConfig;

/// The kernel counts CPU time in hundredths of a second, whatever its own tick is.
const TICKS_PER_SECOND: f64 = 100.0;

/// Long enough for a cold start on a busy machine.
const READY_WITHIN: Duration = Duration::from_secs(30);

/// The services, running until this is dropped or stopped.
pub struct Processes {
    children: Vec<(&'static str, Child)>,
}

/// What a process has used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// CPU seconds, user and system.
    pub cpu_seconds: f64,
    /// Resident memory, MiB.
    pub memory_mib: f64,
}

impl Processes {
    /// Starts the services on the ports that `config` names; `data_dir` takes their files.
    pub async fn start(
        config: &StackConfig,
        url: &SecretString,
        data_dir: &Path,
        http: &HttpClient,
    ) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("this program has no path")?;
        let (tools, orchestrator, bff) = (
            config.tools.http.port,
            config.orchestrator.http.port,
            config.bff.http.port,
        );
        let keys = format!(
            "http://127.0.0.1:{bff}{}",
            service_kit::identity::KEY_SET_PATH
        );
        let mut children = Vec::new();
        for (service, port) in [
            ("tools", tools),
            ("orchestrator", orchestrator),
            ("bff", bff),
        ] {
            let mut command = Command::new(&program);
            command
                .args(["serve", service])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .kill_on_drop(true);
            command
                .env("DATABASE_URL", url.expose_secret())
                .env("RUST_LOG", "warn");
            command.env(
                format!("HELIOGRAPH_{}__HTTP__PORT", service.to_uppercase()),
                port.to_string(),
            );
            match service {
                "bff" => {
                    command.env(
                        "HELIOGRAPH_BFF__UPSTREAM__TOOLS_URL",
                        format!("http://127.0.0.1:{tools}"),
                    );
                    command.env(
                        "HELIOGRAPH_BFF__UPSTREAM__ORCHESTRATOR_URL",
                        format!("http://127.0.0.1:{orchestrator}"),
                    );
                    // The load is one user's, and not what the limits are for.
                    command.env("HELIOGRAPH_BFF__LIMITS__REQUESTS_PER_MINUTE", "100000000");
                    command.env("HELIOGRAPH_BFF__LIMITS__REQUEST_BURST", "100000000");
                }
                _ => {
                    command.env("HELIOGRAPH__IDENTITY__KEY_SET_URL", &keys);
                }
            }
            if service == "orchestrator" {
                command.env("MCP_SERVER_URL", format!("http://127.0.0.1:{tools}"));
                command.env(
                    "HELIOGRAPH_ORCHESTRATOR__CHECKPOINTS__PATH",
                    data_dir.join("load-checkpoints.sqlite"),
                );
                command.env("HELIOGRAPH_ORCHESTRATOR__RUNS__MAX_CONCURRENT", "100000");
            }
            let child = command
                .spawn()
                .with_context(|| format!("{service} can not be started"))?;
            children.push((service, child));
        }
        let mut processes = Self { children };
        processes
            .wait_ready(&[tools, orchestrator, bff], http)
            .await?;
        Ok(processes)
    }

    /// What each service has used so far.
    pub fn usage(&self) -> Vec<(&'static str, Usage)> {
        self.children
            .iter()
            .map(|(service, child)| (*service, child.id().and_then(usage_of).unwrap_or_default()))
            .collect()
    }

    /// Stops the services.
    pub async fn stop(self) {
        for (_, mut child) in self.children {
            // A child that has ended already needs no killing.
            let _ = child.kill().await;
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

/// Reads `/proc`; `None` where there is none.
fn usage_of(pid: u32) -> Option<Usage> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold blanks; what follows it does not. User and system time are fields 14 and 15.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let resident = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = resident.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(Usage {
        cpu_seconds: (user + system) / TICKS_PER_SECOND,
        memory_mib: kib / 1024.0,
    })
}
