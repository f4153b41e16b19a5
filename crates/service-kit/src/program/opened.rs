//! Opening a service that listens already, once its tables are there.

use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::{BoxError, NotOpened, Process, Program};
use crate::database::DatabaseHealth;
use crate::health::Unready;
use crate::problem::chain;
use crate::service::Opening;

/// Number of times that a service looks whether it can open.
const PAUSE: Duration = Duration::from_secs(1);

/// Opens the service as soon as that works. When it never will, the service ends.
pub(super) async fn open<P: Program>(
    mut program: P,
    pool: PgPool,
    opening: Opening,
    process: Process,
) -> Result<(), BoxError> {
    let health = DatabaseHealth::new(pool.clone(), P::NAME);
    let mut result = Ok(());
    while has_tables::<P>(&health, &pool, &opening, &process.shutdown).await {
        match program.open(&process).await {
            Ok(app) => {
                opening.open(&app.service, app.routes);
                (app.work)(process.shutdown.clone(), &process.tasks);
                break;
            }
            Err(NotOpened::Later(again, error)) => {
                tracing::warn!(error = %chain(&*error), "the service cannot begin yet");
                tokio::time::sleep(PAUSE).await;
                program = again;
            }
            Err(NotOpened::Never(error)) => {
                process.shutdown.cancel();
                result = Err(error);
                break;
            }
        }
    }
    pool.close().await;
    result
}

/// Waits until the tables are there, and says what is missing whenever that changes. `false` when
/// `shutdown` came first.
async fn has_tables<P: Program>(
    health: &DatabaseHealth,
    pool: &PgPool,
    opening: &Opening,
    shutdown: &CancellationToken,
) -> bool {
    loop {
        let found = match health.reach().await {
            Ok(()) => health.migrated(P::is_migrated(pool.clone()).await),
            Err(error) => Err(error),
        };
        let Err(error) = found else { return true };
        let reason = match error.downcast_ref::<Unready>() {
            Some(Unready(reason)) => reason,
            None => "the database cannot be asked",
        };
        if opening.waits_for(reason) {
            tracing::warn!(error = %chain(error.as_ref()), "the service waits and goes on by itself");
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
