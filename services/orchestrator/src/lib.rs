//! The orchestrator: runs assistants as state graphs and streams what they say.
//!
//! In reading order: [`config`]; `routes` are the operations; `message` reads what a client posted; `threads` keeps one writer per
//! thread; `runs` starts a turn and carries its events to the client; [`dialects`] put events into the bytes of a stream. What an
//! assistant does is not here but in `crates/agents`.

mod checkpoints;
pub mod config;
pub mod dialects;
mod message;
mod routes;
mod runs;
mod solar_tools;
mod state;
mod threads;

use axum::Router;
use contracts::openapi::orchestrator::OrchestratorApi;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::service::Service;
use service_kit::{docs, health, identity};
use utoipa::OpenApi;

pub use config::Config;

/// Why the service could not be built.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The identity's keys are unusable.
    #[error("identities can not be verified")]
    Identity(#[from] service_kit::identity::KeyError),
    /// The HTTP client could not be made.
    #[error("the HTTP client can not be made")]
    HttpClient(#[from] reqwest::Error),
    /// The tools service's address is unusable.
    #[error("the tools service's address can not be used")]
    Tools(#[from] service_client::Error),
    /// The assistant's graph is not one.
    #[error("the assistant can not be built")]
    Assistant(#[from] graph::BuildError),
}

/// The service, ready to be served.
pub struct App {
    /// Its routes.
    pub routes: Router,
    /// Its name and limits.
    pub service: Service,
}

/// Builds the service.
pub async fn build(config: Config, clock: SharedClock, ids: SharedIds) -> Result<App, Error> {
    let service = Service::new("orchestrator", config.http.clone()).ids(ids.clone());
    let client = service_kit::http_client()?;
    let verifier =
        identity::Verifier::from_config(&config.identity, client.clone(), clock.clone())?;
    let verifier = std::sync::Arc::new(verifier);
    let state = state::State::build(config, client, clock, ids).await?;
    let checks = routes::checks(&state, verifier.clone());
    let routes = routes::operations(state)
        .merge(health::routes(checks))
        .merge(docs::routes(OrchestratorApi::openapi()));
    Ok(App {
        routes: identity::protect(routes, verifier, &[]),
        service,
    })
}
