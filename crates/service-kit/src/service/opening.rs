//! A service that listens before it can work.
//!
//! What a service needs first (its tables, say) may come later than the service. Until then it
//! answers that it lives, that it is not ready and why, and 503 to everything else. So the order in
//! which services are started does not matter, and none has to be started again.

use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use super::{Error, RunningService, Service};
use crate::config::HttpConfig;
use crate::health::{self, Checks, Unready};
use crate::problem::ApiError;

/// A service on its way. Cheap to clone.
#[derive(Clone)]
pub struct Opening {
    service: Service,
    shared: Arc<Shared>,
}

struct Shared {
    /// The routes in their frame, once they are there.
    open: RwLock<Option<Router>>,
    reason: RwLock<String>,
}

impl Opening {
    /// A service of this name that will listen as `http` says.
    pub fn new(name: &'static str, http: HttpConfig) -> Self {
        Self {
            service: Service::new(name, http),
            shared: Arc::new(Shared {
                open: RwLock::default(),
                reason: RwLock::new("the service is starting".to_owned()),
            }),
        }
    }

    /// Binds and answers from now on.
    pub async fn serve(
        &self,
        shutdown: CancellationToken,
        tasks: &TaskTracker,
    ) -> Result<RunningService, Error> {
        self.service.listen(self.router(), shutdown, tasks).await
    }

    /// What [`Self::serve`] serves.
    pub fn router(&self) -> Router {
        let closed = self.service.router(self.closed());
        let shared = Arc::clone(&self.shared);
        Router::new()
            .fallback(answer)
            .with_state(GatedRouter { closed, shared })
    }

    /// Says what is waited for, in words that any user may read. Returns whether it is news.
    pub fn waits_for(&self, reason: &str) -> bool {
        let mut current = self
            .shared
            .reason
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let news = *current != reason;
        reason.clone_into(&mut current);
        news
    }

    /// Serves these routes of `service` from now on.
    pub fn open(&self, service: &Service, routes: Router) {
        tracing::info!(service = service.name, "the service is ready to work");
        let router = service.router(routes);
        *self
            .shared
            .open
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Some(router);
    }

    fn closed(&self) -> Router {
        let shared = Arc::clone(&self.shared);
        let checks = Checks::new(self.service.name).check("start", move || {
            let reason = shared.reason();
            async move { Err(Unready(reason).into()) }
        });
        let shared = Arc::clone(&self.shared);
        Router::new()
            .merge(health::routes(checks))
            .fallback(async move || {
                let reason = Unready(shared.reason());
                ApiError::unavailable("The service is not ready yet.", reason)
            })
    }
}

impl Shared {
    fn reason(&self) -> String {
        self.reason
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[derive(Clone)]
struct GatedRouter {
    closed: Router,
    shared: Arc<Shared>,
}

async fn answer(State(door): State<GatedRouter>, request: Request) -> Response {
    let open = door
        .shared
        .open
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    match open.unwrap_or(door.closed).oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
    .into_response()
}
