//! A service as a program of its own: all that its `main` does.
//!
//! [`main`] reads the command line and the configuration, starts logs and traces, and serves until
//! a signal comes. The service listens at once and opens as soon as it can: until its tables are
//! there, it says what is missing, in the log and to clients that ask whether it is ready. So
//! services, migrations and the database may be started in any order.

mod command_line;
mod opened;

use std::error::Error;
use std::future::Future;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use axum::Router;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::PgPool;
use sqlx::migrate::MigrateError;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::clock::{RandomIds, SharedClock, SharedIds, SystemClock};
use crate::config::{self, HttpConfig, Loader, Replaced, TelemetryConfig, Validate};
use crate::problem::chain;
use crate::service::{self, Opening, RunningService, Service};
use crate::{database, telemetry};
use command_line::{Arguments, Command, completions};

/// Time that `health` waits for an answer: longer than the checks of readiness take.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(8);

/// Any error, for the person who started the program.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// A service that can be a program.
pub trait Program: Sized + Send + 'static {
    /// The service's name: of its configuration file, its variables and its schema.
    const NAME: &'static str;
    /// The program's name.
    const BINARY: &'static str;
    /// A description of the service, for `--help`.
    const ABOUT: &'static str;
    /// Variables with names of their own, and the keys that they set.
    const ALIASES: &'static [(&'static str, &'static str)];
    /// Sections of earlier versions that its file may still have.
    const REPLACED: &'static [Replaced] = &[];
    /// The whole configuration of the service.
    type Config: Serialize + DeserializeOwned + Default + Validate;

    /// The address and limits of its HTTP server.
    fn http(config: &Self::Config) -> &HttpConfig;

    /// Its logs and traces.
    fn telemetry(config: &Self::Config) -> &TelemetryConfig;

    /// Connections to its database.
    fn pool(config: &Self::Config) -> Result<PgPool, database::Error>;

    /// Brings its tables up to date.
    fn migrate(pool: PgPool) -> impl Future<Output = Result<(), MigrateError>>;

    /// Whether its tables are as this program needs them.
    fn is_migrated(pool: PgPool) -> impl Future<Output = Result<bool, MigrateError>> + Send;

    /// Called before it listens. What fails here cannot work with this configuration, and ends the
    /// program.
    fn prepare(
        config: Self::Config,
        process: &Process,
    ) -> impl Future<Output = Result<Self, BoxError>>;

    /// Called when its tables are there, and again after [`NotOpened::Later`].
    fn open(self, process: &Process) -> impl Future<Output = Result<App, NotOpened<Self>>> + Send;
}

/// Starts what a service does besides answering, on these tasks, until it is cancelled.
pub type Work = Box<dyn FnOnce(CancellationToken, &TaskTracker) + Send>;

/// A service that answers.
pub struct App {
    /// Its name and limits.
    pub service: Service,
    /// The routes of the service.
    pub routes: Router,
    /// Background work besides answering requests.
    pub work: Work,
}

/// Why a service does not answer yet.
pub enum NotOpened<P> {
    /// The same may work a little later: the database went away in this moment.
    Later(P, BoxError),
    /// It never will.
    Never(BoxError),
}

/// The sources of a service's time and ids, and its shutdown signal.
#[derive(Clone)]
pub struct Process {
    /// The source of the time.
    pub clock: SharedClock,
    /// The source of ids.
    pub ids: SharedIds,
    /// Ends the service.
    pub shutdown: CancellationToken,
    /// The service's background tasks; joined after `shutdown`.
    pub tasks: TaskTracker,
}

impl Process {
    /// The machine's clock and random ids.
    pub fn new() -> Self {
        Self {
            clock: SystemClock::shared(),
            ids: RandomIds::shared(),
            shutdown: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }
    }
}

impl Default for Process {
    fn default() -> Self {
        Self::new()
    }
}

/// A service that listens.
pub struct Started {
    /// The running server: its address, and its end.
    pub running: RunningService,
    /// Ends when the service answers, or never will. What keeps it from ever answering also ends
    /// the service.
    pub opened: JoinHandle<Result<(), BoxError>>,
}

/// Why a program cannot read its configuration.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// `--config` names nothing.
    #[error("--config: {} is neither a folder nor a file", .0.display())]
    Missing(PathBuf),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] config::Error),
}

/// The `main` of a service. Returns when the service was stopped, or could not start.
pub fn main<P: Program>() -> ExitCode {
    let arguments = Arguments::parse::<P>();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(run::<P>(&arguments)),
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed standard error changes nothing: the exit status says the same.
            let _ = writeln!(std::io::stderr(), "{}: {}", P::BINARY, chain(&*error));
            ExitCode::FAILURE
        }
    }
}

/// The configuration of a service: from a file, or from its file in a folder, which may be missing
/// there; and from the environment. Beside it what a person should change in the file.
pub fn load<P: Program>(from: Option<&Path>) -> Result<(P::Config, Vec<String>), LoadError> {
    let file = match from {
        Some(folder) if folder.is_dir() => {
            let file = folder.join(format!("{}.toml", P::NAME));
            file.exists().then_some(file)
        }
        Some(file) if file.exists() => Some(file.to_owned()),
        Some(missing) => return Err(LoadError::Missing(missing.to_owned())),
        None => None,
    };
    let loader = Loader::new(P::NAME)
        .file(file.as_deref())
        .aliases(P::ALIASES)
        .replaced(P::REPLACED);
    Ok(loader.load_noting(&P::Config::default())?)
}

/// Lets a service listen, and open as soon as it can.
pub async fn start<P: Program>(config: P::Config, process: &Process) -> Result<Started, BoxError> {
    let pool = P::pool(&config)?;
    let opening = Opening::new(P::NAME, P::http(&config).clone());
    let program = Box::pin(P::prepare(config, process)).await?;
    let running = opening
        .serve(process.shutdown.clone(), &process.tasks)
        .await?;
    let opened = opened::open(program, pool, opening, process.clone());
    Ok(Started {
        running,
        opened: process.tasks.spawn(opened),
    })
}

async fn run<P: Program>(arguments: &Arguments) -> Result<(), BoxError> {
    if let Some(Command::Completions { shell }) = arguments.command {
        // Whatever the configuration is.
        return Ok(std::io::stdout().write_all(&completions::<P>(shell))?);
    }
    let (config, notes) = load::<P>(arguments.config.as_deref())?;
    match arguments.command {
        None | Some(Command::Completions { .. }) => serve::<P>(config, &notes).await,
        Some(Command::Migrate) => migrate::<P>(&config).await,
        Some(Command::Health) => health::<P>(&config).await,
    }
}

async fn serve<P: Program>(config: P::Config, notes: &[String]) -> Result<(), BoxError> {
    let mut telemetry = telemetry::start(P::telemetry(&config))?;
    for note in notes {
        tracing::warn!("{note}");
    }
    let process = Process::new();
    service::cancel_on_signal(process.shutdown.clone())?;
    telemetry.serve_metrics().await?;
    let started = start::<P>(config, &process).await;
    let result = match started {
        Ok(Started { running, opened }) => {
            tracing::info!(address = %running.local_addr, "listening");
            running.stopped().await;
            process.tasks.close();
            process.tasks.wait().await;
            opened.await?
        }
        Err(error) => Err(error),
    };
    telemetry.shutdown().await;
    result
}

async fn migrate<P: Program>(config: &P::Config) -> Result<(), BoxError> {
    let pool = P::pool(config)?;
    database::reach(&pool).await?;
    P::migrate(pool.clone()).await?;
    pool.close().await;
    writeln!(std::io::stdout(), "the schema of {} is up to date", P::NAME)?;
    Ok(())
}

/// Asks the process that listens with this configuration.
async fn health<P: Program>(config: &P::Config) -> Result<(), BoxError> {
    let mut address = P::http(config).socket_address();
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let url = format!("http://{address}/health/ready");
    let response = crate::http_client()?
        .get(&url)
        .timeout(HEALTH_TIMEOUT)
        .send()
        .await?;
    let status = response.status();
    let report = response.text().await?;
    writeln!(std::io::stdout(), "{report}")?;
    if status.is_success() {
        Ok(())
    } else {
        Err(format!("{} is not ready: {url} answers {status}", P::NAME).into())
    }
}
