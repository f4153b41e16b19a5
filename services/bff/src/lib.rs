//! The bff: the only tier that knows passwords and sessions. It signs people in, checks every
//! request's credential, and passes what is allowed on to the inner tiers with a short-lived
//! identity token in place of the credential.
//!
//! In reading order: [`config`]; [`accounts`], `sessions`, `tokens` and `api_keys` keep who may do
//! what, `access` checks the scopes of each operation; `sign_in` lets people in by password, `oidc`
//! by an identity provider; `signing` has the keys; `credential` finds the caller of a request;
//! `proxy` is the way in; `routes` are the operations; `audit` records them.

mod access;
pub mod accounts;
mod admin;
mod api_keys;
mod audit;
pub mod config;
mod credential;
pub mod database;
pub mod erasure;
mod error;
mod hashing;
mod identities;
mod identity;
mod known_addresses;
mod limits;
mod mcp;
mod oidc;
mod orchestrator;
mod passwords;
pub mod program;
mod proxy;
mod quotas;
mod retention;
mod routes;
mod secret;
mod services;
mod sessions;
mod sign_in;
pub mod signing;
mod state;
mod tokens;
mod transcripts;

use axum::Router;
use service_kit::client::HttpClient;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::service::Service;
use service_kit::{docs, health};

pub use access::Grant;
pub use admin::Admin;
pub use config::Config;
pub use database::migrate;
pub use oidc::config::{IssuerConfig, OidcConfig, Rule};

/// Why the service could not be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No database is configured, or not properly.
    #[error(transparent)]
    NoDatabase(#[from] service_kit::database::Error),
    /// The database cannot be reached or asked.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// The tables could not be made.
    #[error("the migrations failed")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The signing key is unusable.
    #[error("the signing key cannot be used")]
    Key(#[from] service_kit::identity::KeyError),
    /// The signing key's file cannot be read.
    #[error("the signing key {path} cannot be read")]
    KeyFile {
        /// The path of the file.
        path: std::path::PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The stored signing keys are unusable.
    #[error(transparent)]
    Keys(#[from] signing::StoreError),
    /// The signing keys are in files, which are changed by hand.
    #[error(
        "the signing key is in the file {0} (signing.key_file); put a new one there and the old one into signing.verify_key_files"
    )]
    KeysInFiles(std::path::PathBuf),
    /// The HTTP client could not be made.
    #[error("the HTTP client cannot be made")]
    HttpClient(#[from] reqwest::Error),
    /// An account could not be made.
    #[error(transparent)]
    Account(#[from] accounts::AccountError),
}

impl Error {
    /// Whether the same start may work a little later: the database is away, or not migrated yet.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Database(_) | Self::Keys(signing::StoreError::Database(_))
        )
    }
}

/// The service, ready to be served.
pub struct App {
    /// The routes of the service.
    pub routes: Router,
    /// Its name and limits.
    pub service: Service,
    /// Work to be started beside the routes.
    pub erasures: erasure::Erasures,
}

/// What pages of allowed origins see of an answer, beside what every page sees.
const EXPOSED_HEADERS: &str = "x-run-id, x-thread-id, x-request-id, retry-after, location, x-vercel-ai-ui-message-stream, www-authenticate";

/// Builds the service over a migrated database.
pub async fn build(config: Config, clock: SharedClock, ids: SharedIds) -> Result<App, Error> {
    build_with(config, clock, ids, service_kit::http_client()?).await
}

/// The same, which calls the other services with this client.
pub async fn build_with(
    config: Config,
    clock: SharedClock,
    ids: SharedIds,
    client: HttpClient,
) -> Result<App, Error> {
    let service = Service::new("bff", config.http.clone())
        .ids(ids.clone())
        .cross_origin(config.session.allowed_origins.clone(), EXPOSED_HEADERS);
    let patience = config.upstream.upload_timeout();
    let service = routes::slow().fold(service, |service, route| {
        service.timeout_for(route, patience)
    });
    let state = state::State::build(config, clock, ids, client).await?;
    let routes = routes::operations(state.clone())
        .merge(health::routes(routes::checks(&state)))
        .merge(docs::older(&contracts::openapi::to_3_0(
            contracts::openapi::bff_document(),
        )))
        .merge(docs::routes(contracts::openapi::bff_document()));
    Ok(App {
        routes,
        service,
        erasures: erasure::Erasures::new(state),
    })
}
