//! The orchestrator as a program of its own.

use service_kit::config::{HttpConfig, TelemetryConfig};
use service_kit::program::{App, BoxError, NotOpened, Process, Program};
use sqlx::PgPool;
use sqlx::migrate::MigrateError;

use crate::{Config, config, database};

/// The orchestrator, built before its tables are there.
pub struct Orchestrator {
    app: crate::App,
}

impl Program for Orchestrator {
    const NAME: &'static str = "orchestrator";
    const BINARY: &'static str = "heliograph-orchestrator";
    const ABOUT: &'static str =
        "The assistants: takes messages, runs answers, keeps conversations and streams events.";
    const ALIASES: &'static [(&'static str, &'static str)] = &config::ALIASES;
    type Config = Config;

    fn http(config: &Config) -> &HttpConfig {
        &config.http
    }

    fn telemetry(config: &Config) -> &TelemetryConfig {
        &config.telemetry
    }

    fn pool(config: &Config) -> Result<PgPool, service_kit::database::Error> {
        database::pool(&config.database)
    }

    async fn migrate(pool: PgPool) -> Result<(), MigrateError> {
        database::migrate(&pool).await
    }

    async fn is_migrated(pool: PgPool) -> Result<bool, MigrateError> {
        database::is_migrated(&pool).await
    }

    async fn prepare(config: Config, process: &Process) -> Result<Self, BoxError> {
        let (clock, ids) = (process.clock.clone(), process.ids.clone());
        let app = crate::build(config, clock, ids).await?;
        Ok(Self { app })
    }

    async fn open(self, _process: &Process) -> Result<App, NotOpened<Self>> {
        let work = self.app.work;
        Ok(App {
            service: self.app.service,
            routes: self.app.routes,
            work: Box::new(move |shutdown, tasks| work.start(shutdown, tasks)),
        })
    }
}
