//! `GET /health/live` and `GET /health/ready`.
//!
//! Live says that the process answers, nothing else: a supervisor that restarts processes must not
//! do so because a database is unavailable. Ready runs the checks a service names, each with a
//! time-out. A check covers something that the service itself cannot work without; other services
//! of this project are never among the checks, because two services that wait for each other would
//! never become ready.

mod folder;

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use contracts::health::{Readiness, ReadinessCheck, ReadinessStatus};
use futures::future::{BoxFuture, join_all};
use http::StatusCode;

use crate::telemetry::metrics;
use crate::web::Json;

pub use folder::WritableFolder;

/// Longer than any healthy answer, shorter than the usual probe's own time-out times its tries.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

type BoxError = Box<dyn Error + Send + Sync>;
type Check = Box<dyn Fn() -> BoxFuture<'static, Result<Option<String>, BoxError>> + Send + Sync>;

/// Why a check failed, in words that any user may read: they are shown, unlike other errors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unready(pub String);

/// The checks of a service's dependencies.
pub struct Checks {
    service: &'static str,
    named: Vec<(&'static str, Check)>,
    timeout: Duration,
    /// The checks that failed at last, and why. Probes come every few seconds: only a change is
    /// logged.
    failing: Mutex<BTreeMap<&'static str, String>>,
}

impl Checks {
    /// No checks yet.
    pub fn new(service: &'static str) -> Self {
        Self {
            service,
            named: Vec::new(),
            timeout: CHECK_TIMEOUT,
            failing: Mutex::default(),
        }
    }

    /// Adds a check. What it returns is shown as detail (a version, say); why it failed goes to the
    /// log only, unless it is [`Unready`].
    #[must_use]
    pub fn check<F, Fut>(mut self, name: &'static str, check: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<String>, BoxError>> + Send + 'static,
    {
        self.named.push((name, Box::new(move || Box::pin(check()))));
        self
    }

    /// Sets the time that each check has.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs all checks at once.
    pub async fn run(&self) -> Readiness {
        let running = self
            .named
            .iter()
            .map(|(name, check)| self.run_one(name, check()));
        let checks = join_all(running).await;
        let is_ready = checks.iter().all(|check| check.ok);
        metrics::probed(self.service, is_ready);
        let status = if is_ready {
            ReadinessStatus::Ready
        } else {
            ReadinessStatus::Unavailable
        };
        Readiness {
            status,
            service: self.service.to_owned(),
            checks,
        }
    }

    async fn run_one(
        &self,
        name: &'static str,
        check: BoxFuture<'static, Result<Option<String>, BoxError>>,
    ) -> ReadinessCheck {
        let (ok, detail, failure) = match tokio::time::timeout(self.timeout, check).await {
            Ok(Ok(detail)) => (true, detail, None),
            Ok(Err(error)) => {
                let shown = error.downcast_ref::<Unready>();
                let detail = shown.map_or("failed", |Unready(reason)| reason).to_owned();
                let cause = crate::problem::chain(error.as_ref());
                (false, Some(detail), Some(cause))
            }
            Err(_elapsed) => {
                let late = format!("no answer within {} ms", self.timeout.as_millis());
                (false, Some(late.clone()), Some(late))
            }
        };
        self.log_change(name, failure);
        ReadinessCheck {
            name: name.to_owned(),
            ok,
            detail,
        }
    }

    fn log_change(&self, name: &'static str, failure: Option<String>) {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        match failure {
            Some(error) if failing.get(name) != Some(&error) => {
                tracing::warn!(check = name, error, "a readiness check failed");
                failing.insert(name, error);
            }
            Some(_known) => {}
            None => {
                if failing.remove(name).is_some() {
                    tracing::info!(check = name, "a readiness check passes again");
                }
            }
        }
    }
}

/// The two health routes.
pub fn routes<S: Clone + Send + Sync + 'static>(checks: Checks) -> Router<S> {
    Router::new()
        .route("/health/live", get(live))
        .route("/health/ready", get(ready))
        .with_state(Arc::new(checks))
}

async fn live() -> Json<serde_json::Value> {
    Json(serde_json::json!({ "status": "live" }))
}

async fn ready(State(checks): State<Arc<Checks>>) -> Response {
    let readiness = checks.run().await;
    let status = match readiness.status {
        ReadinessStatus::Ready => StatusCode::OK,
        ReadinessStatus::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, Json(readiness)).into_response()
}
