//! The database of the all-in-one process: the configured one, otherwise a private PostgreSQL.

mod keeper;

use std::sync::Arc;

use anyhow::Context;
use embedded_postgres::{Database, Options};
use provision::server;
use secrecy::{ExposeSecret, SecretString};
use service_kit::config::DatabaseConfig;
use service_kit::database::Liveness;

use crate::config::Config;
use crate::terminal;

pub use keeper::Supervisor;
pub(crate) use keeper::keep;

/// The name of the database in a private cluster.
const NAME: &str = "heliograph";

/// Opens the database and prints notes about slow steps.
pub async fn open(config: &Config) -> anyhow::Result<Database> {
    let database = opened(config).await.context("no database")?;
    terminal::note(format!("database: {}", database.origin()));
    Ok(database)
}

/// Opens the database for a command. If services run on this folder, their database is used.
pub async fn open_beside(config: &Config) -> anyhow::Result<Database> {
    let in_use = match opened(config).await {
        Err(error) => error,
        Ok(database) => return Ok(database),
    };
    let Some(embedded_postgres::Error::Server(server::Error::InUse { data_dir, .. })) =
        in_use.downcast_ref()
    else {
        return Err(in_use.context("no database"));
    };
    let Some(url) = embedded_postgres::url_of_running(data_dir, NAME) else {
        return Err(in_use.context("no database"));
    };
    terminal::note("database: the one of the services that run on this folder");
    Ok(Database::open(Some(url), options(config), NAME).await?)
}

async fn opened(config: &Config) -> anyhow::Result<Database> {
    let given = config
        .database
        .url
        .as_ref()
        .map(|url| url.expose_secret().to_owned());
    // The folder contains users' questions, their credentials and the keys to them.
    embedded_postgres::make_private_folder(&config.data.folder)
        .with_context(|| format!("{} cannot be made", config.data.folder.display()))?;
    Ok(Database::open(given, options(config), NAME).await?)
}

fn options(config: &Config) -> Options {
    let mut options = Options::durable(
        config.data.folder.join("postgres"),
        config.data.folder.join("cache"),
    );
    options.bin.clone_from(&config.database.pg_bin);
    options.progress = Arc::new(|progress| terminal::note(progress.to_string()));
    options
}

/// Checks a configured database before any other preparation.
pub async fn check_given(config: &Config) -> anyhow::Result<()> {
    let Some(url) = &config.database.url else {
        return Ok(());
    };
    let given = DatabaseConfig {
        url: Some(url.clone()),
        ..DatabaseConfig::default()
    };
    let pool = service_kit::database::pool(&given, "heliograph", Liveness::Always)?;
    Ok(service_kit::database::reach(&pool).await?)
}

/// The address of a database. Do not log it.
pub fn url(database: &Database) -> SecretString {
    database.url().into()
}
