//! The work of the whole service in the background: keys are kept current, imports run, targets are
//! looked at, names of things are kept warm, figures of older versions are computed again, and the
//! work that ingestion left behind is done (vectors of chunks whose embedder was unavailable,
//! indexes of large stores, removal of unused vectors).

use std::sync::Arc;
use std::time::Duration;

use knowledge::Library;
use service_kit::identity::Verifier;
use sqlx::PgPool;
use targets::Targets;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::added::{self, AddedContext};
use crate::added_sources::AddedSources;
use crate::added_targets::AddedTargets;
use crate::added_upstreams::AddedUpstreams;
use crate::imports::Jobs;
use crate::knowledge_tools::config::KnowledgeConfig;
use crate::rollup;
use crate::search_tools::SearchTools;
use crate::sql_tools::SqlTools;

/// Interval between removals of unused vectors, in rounds.
const FORGET_EVERY: u32 = 60;

/// Interval between looks at targets.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// What tenants add.
pub(crate) struct Added {
    pub(crate) context: Arc<AddedContext>,
    pub(crate) targets: Arc<AddedTargets>,
    pub(crate) sources: Arc<AddedSources>,
    pub(crate) upstreams: Arc<AddedUpstreams>,
}

/// Background work of the service.
pub struct Work {
    pool: PgPool,
    library: Library,
    verifier: Arc<Verifier>,
    added: Added,
    interval: Duration,
    forget_after_days: i32,
    search: Arc<SearchTools>,
    sql: Arc<SqlTools>,
    imports: Jobs,
}

impl Work {
    /// The work on the days in this database, on this library, on the keys of this verifier, on the
    /// names and first questions that these tools know, and what tenants add.
    pub(crate) fn new(
        pool: PgPool,
        library: Library,
        config: &KnowledgeConfig,
        verifier: Arc<Verifier>,
        (search, sql): (Arc<SearchTools>, Arc<SqlTools>),
        added: Added,
        imports: Jobs,
    ) -> Self {
        Self {
            pool,
            library,
            verifier,
            search,
            sql,
            added,
            imports,
            interval: Duration::from_millis(config.catch_up_interval_ms),
            forget_after_days: i32::try_from(config.forget_vectors_after_days).unwrap_or(i32::MAX),
        }
    }

    /// Begins it, on these tasks, until `shutdown` comes.
    pub fn start(self, shutdown: CancellationToken, tasks: &TaskTracker) {
        tasks.spawn(Arc::clone(&self.verifier).keep_keys(shutdown.clone()));
        tasks.spawn(self.search.keep_warm(shutdown.clone()));
        tasks.spawn(self.imports.clone().run(shutdown.clone()));
        let added = &self.added;
        tasks.spawn(added::watch(
            Arc::clone(&added.context),
            vec![
                Arc::clone(&added.targets) as _,
                Arc::clone(&added.sources) as _,
                Arc::clone(&added.upstreams) as _,
            ],
            shutdown.clone(),
        ));
        tasks.spawn(Arc::clone(&self.added.targets).read_new(shutdown.clone()));
        let targets = self.added.targets.targets().clone();
        let (sql, until) = (Arc::clone(&self.sql), shutdown.clone());
        tasks.spawn(async move {
            until.run_until_cancelled_owned(watch(targets, sql)).await;
        });
        let (pool, until) = (self.pool.clone(), shutdown.clone());
        tasks.spawn(async move {
            until
                .run_until_cancelled_owned(upgrade_figures(pool, self.interval))
                .await;
        });
        tasks.spawn(async move {
            shutdown
                .run_until_cancelled_owned(Box::pin(self.go_on()))
                .await;
        });
    }

    async fn go_on(self) {
        let mut round: u32 = 0;
        loop {
            // The database may be away, or not migrated yet; the next round tries again.
            match self.library.catch_up_all().await {
                Ok(caught_up) if caught_up.embedded > 0 => {
                    tracing::info!(
                        embedded = caught_up.embedded,
                        left = caught_up.left,
                        "chunks got their vectors"
                    );
                }
                Ok(_) => {}
                Err(error) => tracing::debug!(%error, "chunks were not caught up with"),
            }
            if round.is_multiple_of(FORGET_EVERY)
                && let Err(error) = self.library.forget_unused(self.forget_after_days).await
            {
                tracing::debug!(%error, "unused vectors were not forgotten");
            }
            round = round.wrapping_add(1);
            tokio::time::sleep(self.interval).await;
        }
    }
}

/// Brings the days of older rules up to date, once, and computes the runs of error codes of
/// readings that were stored before runs were kept.
async fn upgrade_figures(pool: PgPool, pause: Duration) {
    let (mut days, mut codes) = (false, false);
    while !(days && codes) {
        match rollup::complete_codes(&pool).await {
            Ok(completed) => {
                if completed.loggers > 0 {
                    let loggers = completed.loggers;
                    tracing::info!(loggers, "error codes of stored readings were gathered");
                }
                codes = !completed.more;
            }
            // The database may be away, or not migrated yet.
            Err(error) => tracing::debug!(%error, "error codes were not gathered"),
        }
        if !days {
            match rollup::upgrade(&pool).await {
                Ok(0) => days = true,
                Ok(loggers) => {
                    tracing::info!(loggers, "daily figures were computed anew by newer rules");
                    days = true;
                }
                Err(error) => tracing::debug!(%error, "daily figures were not brought up to date"),
            }
        }
        if !(days && codes) {
            tokio::time::sleep(pause).await;
        }
    }
}

/// Looks at all targets again and again: what is wrong with one is known before a question comes,
/// one that is there again is asked, and first questions are made of its tables.
async fn watch(targets: Targets, sql: Arc<SqlTools>) {
    look_at(&targets).await;
    loop {
        sql.make_first_questions().await;
        tokio::time::sleep(LOOK_EVERY).await;
        // Tenants may have added some in the meantime.
        let all = targets.all();
        let looks = all.iter().map(|target| async move {
            let before = target.standing();
            let looked = target.look_over().await;
            match (before == target.standing(), looked) {
                (true, _) => {}
                (false, Ok(_)) => {
                    tracing::info!(
                        target_database = target.name(),
                        "a target can be asked again"
                    );
                }
                (false, Err(error)) => tracing::warn!(
                    target_database = target.name(),
                    "a target cannot be asked any more: {error}"
                ),
            }
        });
        futures::future::join_all(looks).await;
    }
}

/// Reads the catalogues of all targets. The service does not wait for it, and does not need it.
async fn look_at(targets: &Targets) {
    let looks = targets.iter().map(|target| async move {
        match target.catalogue().await {
            Ok(catalogue) => tracing::info!(
                target_database = target.name(),
                tables = catalogue.tables.len(),
                "a target can be asked"
            ),
            Err(error) => tracing::warn!(
                target_database = target.name(),
                "a target cannot be asked: {error}"
            ),
        }
    });
    futures::future::join_all(looks).await;
}
