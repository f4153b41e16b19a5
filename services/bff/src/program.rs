//! The bff as a program of its own.

use service_kit::config::{HttpConfig, TelemetryConfig};
use service_kit::program::{App, BoxError, NotOpened, Process, Program};
use sqlx::PgPool;
use sqlx::migrate::MigrateError;

use crate::{Config, config, database};

/// The bff, which reads its signing key when its tables are there.
pub struct Bff {
    config: Config,
}

impl Program for Bff {
    const NAME: &'static str = "bff";
    const BINARY: &'static str = "heliograph-bff";
    const ABOUT: &'static str = "Accounts, sessions, the public API and the web page; passes what is allowed on to the inner services.";
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

    async fn prepare(config: Config, _process: &Process) -> Result<Self, BoxError> {
        Ok(Self { config })
    }

    async fn open(self, process: &Process) -> Result<App, NotOpened<Self>> {
        let (clock, ids) = (process.clock.clone(), process.ids.clone());
        match crate::build(self.config.clone(), clock, ids).await {
            Ok(app) => Ok(App {
                service: app.service,
                routes: app.routes,
                work: Box::new(move |shutdown, tasks| app.erasures.start(shutdown, tasks)),
            }),
            Err(error) if error.is_transient() => Err(NotOpened::Later(self, error.into())),
            Err(error) => Err(NotOpened::Never(error.into())),
        }
    }
}
