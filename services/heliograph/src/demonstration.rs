//! The demonstration database of the all-in-one process: a private MariaDB with a field-service
//! company, and the target over it. It starts in the background. Until it is ready, questions to it
//! are answered with the information that it is not available.

mod files;

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use chrono::NaiveDate;
use embedded_mariadb::{Database, Options};
use field_service::{Existing, Loaded, Secrets, TENANTS};
use provision::server;
use secrecy::ExposeSecret;
use targets::{TargetConfig, TenantId};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::database::keep;
use crate::terminal;

pub use files::Files;

/// The demonstration, running or starting.
pub struct Demonstration {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

/// The settings for starting the demonstration.
pub struct Plan {
    /// The configured administrator URL of a server.
    given: Option<String>,
    options: Options,
    files: Files,
}

impl Demonstration {
    /// Adds the target to the tools service and starts the database, unless the user has other
    /// targets or has disabled the demonstration.
    pub fn begin(config: &Config, tools: &mut tools::Config, today: NaiveDate) -> Option<Self> {
        if !config.mariadb.enabled || !tools.all_targets().is_empty() {
            return None;
        }
        let prepared = Plan::new(config).and_then(|mut plan| {
            let url = plan.admin_url()?;
            tools.targets.push(plan.files.target(&url));
            Ok(plan)
        });
        let plan = match prepared {
            Ok(plan) => plan,
            Err(error) => {
                terminal::note(format!("no demonstration database: {error:#}"));
                return None;
            }
        };
        let stop = CancellationToken::new();
        let task = tokio::spawn(plan.keep(today, stop.clone()));
        Some(Self { stop, task })
    }

    /// Stops the server in an orderly way, also while it is starting.
    pub async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::warn!(%error, "the demonstration database did not stop in order");
        }
    }
}

impl Plan {
    /// Prepares the files of the demonstration. Starts nothing.
    pub fn new(config: &Config) -> anyhow::Result<Self> {
        let folder = &config.data.folder;
        let mut options = Options::durable(folder.join("mariadb"), folder.join("cache"));
        options.bin.clone_from(&config.mariadb.bin);
        options.progress = Arc::new(|progress| terminal::note(progress.to_string()));
        let given = config.mariadb.url.as_ref();
        Ok(Self {
            given: given.map(|url| url.expose_secret().to_owned()),
            options,
            files: Files::prepare(&folder.join(field_service::DATABASE))?,
        })
    }

    /// Uses the server in a command's argument.
    #[must_use]
    pub fn at(mut self, url: Option<String>) -> Self {
        self.given = url.or(self.given);
        self
    }

    /// The files of the demonstration.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The address before the server starts. A private server gets its port now.
    fn admin_url(&mut self) -> anyhow::Result<String> {
        if let Some(url) = &self.given {
            return Ok(url.clone());
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
        let port = listener.local_addr()?.port();
        self.options.port = Some(port);
        let name = field_service::DATABASE;
        Ok(format!("mysql://127.0.0.1:{port}/{name}?ssl-mode=DISABLED"))
    }

    /// Starts the server and loads the data.
    pub async fn bring(
        self,
        today: NaiveDate,
        existing: Existing,
    ) -> anyhow::Result<(Database, Loaded)> {
        let database = Database::open(self.given, self.options, field_service::DATABASE).await?;
        let mut options = field_service::Options::new(self.files.secrets.clone(), today);
        options.existing = existing;
        let url = database.url();
        match field_service::load(&url, &options, |step| terminal::note(step)).await {
            Ok(loaded) => Ok((database, loaded)),
            Err(error) => {
                database.stop().await?;
                Err(error.into())
            }
        }
    }

    /// Starts the demonstration, prints a note, and keeps it running until `stop` is cancelled.
    async fn keep(self, today: NaiveDate, stop: CancellationToken) {
        let brought = tokio::select! {
            brought = self.bring(today, Existing::Keep) => brought,
            // A started server stops when its value is dropped.
            () = stop.cancelled() => return,
        };
        let database = match brought {
            Ok((database, loaded)) => {
                terminal::note(told(&database, loaded));
                database
            }
            Err(error) => {
                terminal::note(format!(
                    "no demonstration database: {}",
                    on_one_line(&error)
                ));
                return;
            }
        };
        // Everything else works without it, so the process continues.
        let given_up = CancellationToken::new();
        if let Err(error) = keep(database, stop, given_up).await {
            terminal::note(format!(
                "no demonstration database any more: {}",
                on_one_line(&error)
            ));
            tracing::warn!(error = format!("{error:#}"), "MariaDB was not kept running");
        }
    }
}

/// The note with the origin and the day of the demonstration.
fn told(database: &Database, loaded: Loaded) -> String {
    let origin = database.origin();
    match loaded {
        Loaded::Now { rows, elapsed } => {
            let seconds = elapsed.as_secs_f64();
            format!(
                "demonstration database `fieldservice`: {origin}, {rows} rows loaded in {seconds:.1} s"
            )
        }
        Loaded::Before { anchor } => format!(
            "demonstration database `fieldservice`: {origin}, data up to {anchor} (`heliograph demo data --reset` brings newer ones)"
        ),
    }
}

/// The address of the database that services on this folder run, if this is why it could not be
/// opened.
pub(crate) fn url_beside(error: &anyhow::Error) -> Option<String> {
    let Some(embedded_mariadb::Error::Server(server::Error::InUse { data_dir, .. })) =
        error.downcast_ref()
    else {
        return None;
    };
    embedded_mariadb::url_of_running(data_dir, field_service::DATABASE)
}

/// An error with its causes, without the lines of a server's log.
fn on_one_line(error: &anyhow::Error) -> String {
    match error.downcast_ref::<embedded_mariadb::Error>() {
        Some(error) => error.on_one_line(),
        None => format!("{error:#}").lines().collect::<Vec<_>>().join(" "),
    }
}

impl Files {
    /// The target over the database at an administrator's address, for the tenants with a company
    /// in it.
    pub fn target(&self, admin_url: &str) -> TargetConfig {
        let Secrets { aes_key, .. } = &self.secrets;
        let key = aes_key.clone().into();
        let ids = TENANTS.map(|(tenant, id)| (tenant.to_owned(), TenantId::Integer(id)));
        TargetConfig {
            description: Some(field_service::DESCRIPTION.to_owned()),
            tenants: TENANTS.map(|(tenant, _)| tenant.to_owned()).into(),
            tenant_ids: ids.into(),
            policy_file: Some(self.policy()),
            graph_file: Some(self.graph()),
            questions_file: Some(self.questions()),
            session_variables: [(field_service::KEY_VARIABLE.to_owned(), key)].into(),
            ..TargetConfig::new(
                field_service::DATABASE,
                field_service::reader_url(admin_url, &self.secrets),
            )
        }
    }

    /// The section of `tools.toml` for the target. Secrets stay in files.
    pub fn explained(&self, admin_url: &str) -> anyhow::Result<String> {
        let url = field_service::reader_url(admin_url, &self.secrets);
        let url = self.keep_secret("reader-url", &url)?;
        let key = self.keep_secret("aes-key", &self.secrets.aes_key)?;
        let path = |path: &Path| format!("{:?}", path.display().to_string());
        let ids = TENANTS.map(|(tenant, company)| format!("{tenant} = {company}"));
        let names = TENANTS.map(|(tenant, _)| format!("{tenant:?}"));
        let lines = [
            "[[targets]]".to_owned(),
            format!("name = {:?}", field_service::DATABASE),
            format!("url_file = {}", path(&url)),
            format!("description = {:?}", field_service::DESCRIPTION),
            format!("tenants = [{}]", names.join(", ")),
            format!("tenant_ids = {{ {} }}", ids.join(", ")),
            format!("policy_file = {}", path(&self.policy())),
            format!("graph_file = {}", path(&self.graph())),
            format!("questions_file = {}", path(&self.questions())),
            format!(
                "session_variable_files = {{ {} = {} }}",
                field_service::KEY_VARIABLE,
                path(&key)
            ),
        ];
        Ok(lines.join("\n"))
    }

    fn policy(&self) -> PathBuf {
        self.folder.join("policy.toml")
    }

    fn questions(&self) -> PathBuf {
        self.folder.join("questions.json")
    }

    fn graph(&self) -> PathBuf {
        self.folder.join("join_graph.json")
    }
}
