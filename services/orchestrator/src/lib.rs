//! The orchestrator: runs assistants as state graphs, keeps what was said, and streams what they
//! say.
//!
//! In reading order: [`config`]; `routes` are the operations; `requests` read what clients post;
//! `runs` takes a message, runs its answer and lets clients follow it; [`dialects`] put events into
//! the bytes of a stream; [`assistants`] are who answers; `threads` and `ui_history` say what is
//! kept; `work` is what happens besides. What an assistant does is not here but in `crates/agents`,
//! and what is stored is in `crates/conversations`.

pub mod assistants;
mod budgets;
mod callers_tools;
mod checkpoints;
pub mod config;
mod context;
mod credentials;
pub mod database;
pub mod delegation;
pub mod dialects;
mod error;
mod export;
mod history;
mod identities;
mod overviews;
mod person;
pub mod program;
mod requests;
mod retention;
mod routes;
mod run_quotas;
mod runs;
mod schedules;
mod secrets;
mod state;
mod threads;
mod ui_history;
mod work;

use std::sync::Arc;

use axum::Router;
use service_kit::client::HttpClient;
use service_kit::clock::{SharedClock, SharedIds};
use service_kit::service::{RunningService, Service};
use service_kit::{docs, health, identity};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use assistants::Assistant;
pub use checkpoints::OpenError;
pub use config::Config;
pub use credentials::Caller;
pub use database::migrate;
pub use delegation::Credentials;
pub use error::Error;
pub use work::Work;

/// The service, ready to be served.
pub struct App {
    /// The routes of the service.
    pub routes: Router,
    /// Its name and limits.
    pub service: Service,
    /// Background work to be started beside the routes.
    pub work: Work,
    /// Which models assistants ask, or that they answer by rules only; for people.
    pub answers: String,
}

impl App {
    /// Serves the routes and does the work until `shutdown`, on these tasks.
    pub async fn serve(
        self,
        shutdown: CancellationToken,
        tasks: &TaskTracker,
    ) -> Result<RunningService, service_kit::service::Error> {
        let running = self
            .service
            .serve(self.routes, shutdown.clone(), tasks)
            .await?;
        self.work.start(shutdown, tasks);
        Ok(running)
    }
}

/// Builds the service over a migrated database. It connects to it when it is first asked something,
/// so that it starts, and recovers, without.
pub async fn build(config: Config, clock: SharedClock, ids: SharedIds) -> Result<App, Error> {
    let client = service_kit::http_client()?;
    build_with(config, clock, ids, client, Vec::new()).await
}

/// The same with further assistants, which calls the other services with this client.
pub async fn build_with(
    config: Config,
    clock: SharedClock,
    ids: SharedIds,
    client: HttpClient,
    further: Vec<Arc<dyn Assistant>>,
) -> Result<App, Error> {
    let service = Service::new("orchestrator", config.http.clone()).ids(ids.clone());
    let verifier =
        identity::Verifier::from_config(&config.identity, client.clone(), clock.clone())?;
    let verifier = Arc::new(verifier);
    let shared = Arc::clone(&verifier);
    let state = state::State::build(config, client, shared, clock, ids, further).await?;
    let checks = routes::checks(&state, Arc::clone(&verifier));
    let routes = routes::operations(state.clone())
        .merge(health::routes(checks))
        .merge(docs::routes(contracts::openapi::orchestrator_document()));
    Ok(App {
        routes: identity::protect(routes, Arc::clone(&verifier), &[]),
        service,
        answers: state.answers.clone(),
        work: Work::new(state, verifier),
    })
}
