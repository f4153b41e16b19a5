//! The look for changes of other processes: one statement for all kinds.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::{AddedContext, Follow};

/// Interval between looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Number of rows of a kind and sum of their versions: another pair after every change, also of
/// rows that were committed out of order.
pub(crate) type Mark = (i64, i64);

/// The state of the rows of all kinds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    pub(crate) targets: Mark,
    pub(crate) sources: Mark,
    pub(crate) upstreams: Mark,
    /// Of the tests of all kinds.
    pub(crate) tests: Mark,
    /// Whether a target waits to be read.
    pub(crate) is_due: bool,
}

/// The present state.
pub(crate) async fn look(pool: &PgPool) -> Result<State, sqlx::Error> {
    let state = sqlx::query_file!("queries/added_state.sql")
        .fetch_one(pool)
        .await?;
    Ok(State {
        targets: (state.targets, state.target_versions),
        sources: (state.sources, state.source_versions),
        upstreams: (state.upstreams, state.upstream_versions),
        tests: (state.tests, state.test_versions),
        is_due: state.is_due,
    })
}

/// Looks again and again until `shutdown`, and has each kind follow.
pub(crate) async fn watch(
    context: Arc<AddedContext>,
    kinds: Vec<Arc<dyn Follow>>,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        let looking = shutdown.run_until_cancelled(follow(&context, &kinds));
        // The database may be away, or not migrated yet.
        if let Some(Err(error)) = looking.await {
            tracing::debug!(%error, "what tenants add was not looked for");
        }
        let _ = shutdown
            .run_until_cancelled(tokio::time::sleep(LOOK_EVERY))
            .await;
    }
    for kind in kinds {
        kind.close();
    }
}

async fn follow(context: &AddedContext, kinds: &[Arc<dyn Follow>]) -> Result<(), sqlx::Error> {
    let state = look(context.pool()).await?;
    let following = kinds.iter().map(|kind| kind.follow(state));
    futures::future::try_join_all(following).await.map(drop)
}
