//! One service alone, in a process of its own or beside others in a test.
//!
//! A service listens at once and works as soon as it can: until its tables are there, it says what
//! is missing, in the log and to clients that ask whether it is ready. So services, migrations and
//! the database may be started in any order.

use std::time::Duration;

use service_kit::clock::{SharedClock, SharedIds};
use service_kit::database::DatabaseHealth;
use service_kit::health::Unready;
use service_kit::problem::chain;
use service_kit::service::{Opening, RunningService};
use sqlx::PgPool;
use sqlx::migrate::MigrateError;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::stack::build_tools;

/// How often a service looks whether it can begin.
const PAUSE: Duration = Duration::from_secs(1);

/// Where a service gets its time and its ids from, and when it ends.
#[derive(Clone)]
pub struct Surroundings {
    /// Where the time comes from.
    pub clock: SharedClock,
    /// Where ids come from.
    pub ids: SharedIds,
    /// Ends the service.
    pub shutdown: CancellationToken,
    /// What the service does; joined after `shutdown`.
    pub tasks: TaskTracker,
}

/// A service that listens.
pub struct Started {
    /// Where it listens, and when it has stopped.
    pub running: RunningService,
    /// Ends when the service has begun its work, or never will. What keeps it from ever beginning
    /// also ends the service.
    pub begun: JoinHandle<anyhow::Result<()>>,
}

/// Serves the tools service.
pub async fn tools(config: tools::Config, surroundings: &Surroundings) -> anyhow::Result<Started> {
    let app = build_tools(&config, surroundings.clock.clone())?;
    let waiting = Waiting::new("tools", &app.pool, Opening::new("tools", config.http));
    let running = waiting.listen(surroundings).await?;
    let Surroundings {
        shutdown, tasks, ..
    } = surroundings.clone();
    let begun = surroundings.tasks.spawn(async move {
        let migrated = |pool: PgPool| async move { tools::database::is_migrated(&pool).await };
        if waiting.for_tables(migrated, &shutdown).await {
            waiting.opening.open(&app.service, app.routes);
            app.work.start(shutdown, &tasks);
        }
        Ok(())
    });
    Ok(Started { running, begun })
}

/// Serves the orchestrator.
pub async fn orchestrator(
    config: orchestrator::Config,
    surroundings: &Surroundings,
) -> anyhow::Result<Started> {
    let pool = orchestrator::database::pool(&config.database)?;
    let opening = Opening::new("orchestrator", config.http.clone());
    let waiting = Waiting::new("orchestrator", &pool, opening);
    let (clock, ids) = (surroundings.clock.clone(), surroundings.ids.clone());
    let app = orchestrator::build(config, clock, ids).await?;
    let running = waiting.listen(surroundings).await?;
    let Surroundings {
        shutdown, tasks, ..
    } = surroundings.clone();
    let begun = surroundings.tasks.spawn(async move {
        let migrated =
            |pool: PgPool| async move { orchestrator::database::is_migrated(&pool).await };
        if waiting.for_tables(migrated, &shutdown).await {
            waiting.opening.open(&app.service, app.routes);
            app.work.start(shutdown, &tasks);
        }
        pool.close().await;
        Ok(())
    });
    Ok(Started { running, begun })
}

/// Serves the bff, which reads its signing key when its tables are there.
pub async fn bff(config: bff::Config, surroundings: &Surroundings) -> anyhow::Result<Started> {
    let pool = bff::database::pool(&config.database)?;
    let waiting = Waiting::new("bff", &pool, Opening::new("bff", config.http.clone()));
    let running = waiting.listen(surroundings).await?;
    let surroundings = surroundings.clone();
    let tasks = surroundings.tasks.clone();
    let begun = tasks.spawn(async move {
        let begun = begin_bff(&config, &waiting, &surroundings).await;
        if begun.is_err() {
            surroundings.shutdown.cancel();
        }
        pool.close().await;
        begun
    });
    Ok(Started { running, begun })
}

async fn begin_bff(
    config: &bff::Config,
    waiting: &Waiting,
    surroundings: &Surroundings,
) -> anyhow::Result<()> {
    let migrated = |pool: PgPool| async move { bff::database::is_migrated(&pool).await };
    while waiting.for_tables(migrated, &surroundings.shutdown).await {
        let (clock, ids) = (surroundings.clock.clone(), surroundings.ids.clone());
        match bff::build(config.clone(), clock, ids).await {
            Ok(app) => {
                waiting.opening.open(&app.service, app.routes);
                app.erasures
                    .start(surroundings.shutdown.clone(), &surroundings.tasks);
                break;
            }
            // The database went away in this moment.
            Err(error) if error.is_transient() => {
                tracing::warn!(error = %chain(&error), "the bff cannot begin yet");
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// A service that has no tables yet.
struct Waiting {
    health: DatabaseHealth,
    pool: PgPool,
    opening: Opening,
}

impl Waiting {
    fn new(service: &'static str, pool: &PgPool, opening: Opening) -> Self {
        Self {
            health: DatabaseHealth::new(pool.clone(), service),
            pool: pool.clone(),
            opening,
        }
    }

    async fn listen(&self, surroundings: &Surroundings) -> anyhow::Result<RunningService> {
        let (shutdown, tasks) = (surroundings.shutdown.clone(), &surroundings.tasks);
        Ok(self.opening.serve(shutdown, tasks).await?)
    }

    /// Waits until the tables are there, and says what is missing whenever that changes. `false`
    /// when `shutdown` came first.
    async fn for_tables<F, Fut>(&self, is_migrated: F, shutdown: &CancellationToken) -> bool
    where
        F: Fn(PgPool) -> Fut,
        Fut: Future<Output = Result<bool, MigrateError>>,
    {
        loop {
            let found = match self.health.reach().await {
                Ok(()) => self.health.migrated(is_migrated(self.pool.clone()).await),
                Err(error) => Err(error),
            };
            let Err(error) = found else { return true };
            let reason = match error.downcast_ref::<Unready>() {
                Some(Unready(reason)) => reason,
                None => "the database cannot be asked",
            };
            if self.opening.waits_for(reason) {
                tracing::warn!(error = %chain(error.as_ref()), "the service waits and will continue automatically");
            }
            if shutdown
                .run_until_cancelled(tokio::time::sleep(PAUSE))
                .await
                .is_none()
            {
                return false;
            }
        }
    }
}
