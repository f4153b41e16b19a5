//! The bff: the only tier that knows passwords and sessions. It signs people in, checks every request's credential, and
//! passes what is allowed on to the inner tiers with a short-lived identity token in place of the credential.
//!
//! In reading order: [`config`]; [`accounts`], `sessions` and `tokens` keep who may do what; `credential` finds the caller of a
//! request; `proxy` is the way in; `routes` are the operations.

pub mod accounts;
mod admin;
pub mod config;
mod credential;
pub mod database;
mod error;
mod identity;
mod limits;
mod proxy;
mod routes;
mod secret;
mod services;
mod sessions;
mod state;
mod tokens;

use axum::Router;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::service::Service;
use service_kit::{docs, health};

pub use admin::Admin;
pub use config::Config;
pub use database::migrate;

/// Why the service could not be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No database is configured, or not properly.
    #[error(transparent)]
    NoDatabase(#[from] service_kit::database::Error),
    /// The database can not be reached or asked.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// The tables could not be made.
    #[error("the migrations failed")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The signing key is unusable.
    #[error("the signing key can not be used")]
    Key(#[from] service_kit::identity::KeyError),
    /// The signing key's file can not be read.
    #[error("the signing key {path} can not be read")]
    KeyFile {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The HTTP client could not be made.
    #[error("the HTTP client can not be made")]
    HttpClient(#[from] reqwest::Error),
    /// An account could not be made.
    #[error(transparent)]
    Account(#[from] accounts::AccountError),
}

/// The service, ready to be served.
pub struct App {
    /// Its routes.
    pub routes: Router,
    /// Its name and limits.
    pub service: Service,
}

/// Builds the service over a migrated database.
pub async fn build(config: Config, clock: SharedClock, ids: SharedIds) -> Result<App, Error> {
    let service = Service::new("bff", config.http.clone())
        .ids(ids.clone())
        .timeout_for("/api/measurements", config.upstream.upload_timeout());
    let state = state::State::build(config, clock, ids).await?;
    let routes = routes::operations(state.clone())
        .merge(health::routes(routes::checks(&state)))
        .merge(docs::routes(contracts::openapi::bff_document()));
    Ok(App { routes, service })
}
