//! The tools service as a program of its own.

use std::sync::Arc;

use service_kit::clock::SharedClock;
use service_kit::config::{HttpConfig, Replaced, TelemetryConfig};
use service_kit::identity::Verifier;
use service_kit::program::{App, BoxError, NotOpened, Process, Program};
use sqlx::PgPool;
use sqlx::migrate::MigrateError;

use crate::{Config, config, database};

/// The tools service, built before its tables are there.
pub struct Tools {
    app: crate::App,
}

/// The service with the verifier that its configuration describes.
pub fn build(config: &Config, clock: SharedClock) -> Result<crate::App, BoxError> {
    let client = service_kit::http_client()?;
    let verifier = Verifier::from_config(&config.identity, client, clock.clone())?;
    Ok(crate::build(config, Arc::new(verifier), clock)?)
}

impl Program for Tools {
    const NAME: &'static str = "tools";
    const BINARY: &'static str = "heliograph-tools";
    const ABOUT: &'static str = "The only service that reads business data: readings, documents, target databases, search sources.";
    const ALIASES: &'static [(&'static str, &'static str)] = &config::ALIASES;
    const REPLACED: &'static [Replaced] = &config::REPLACED;
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
        let app = build(&config, process.clock.clone())?;
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
