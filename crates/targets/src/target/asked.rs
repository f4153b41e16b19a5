//! Statements that are run: in turn, for their rows at once or one after the other.

use std::sync::Arc;
use std::time::Duration;

use sql_guard::{Checked, Finding};
use tokio::sync::mpsc::Sender;
use tracing::Instrument as _;

use super::{RETRY_AFTER, Target};
use crate::TargetError;
use crate::queue::Asker;
use crate::run::{Limits, Part, Rows, Work, run};

/// More rows and bytes than a table of a target has whose rows are sent whole.
const WHOLE_ROWS: u64 = 1 << 40;
const WHOLE_BYTES: u64 = 1 << 50;

impl Target {
    /// As [`Target::run`], when it is the asker's turn. Fails with [`TargetError::Busy`] if that
    /// takes too long.
    pub async fn run_for(
        self: &Arc<Self>,
        asker: &Asker,
        checked: &Checked,
        limits: &Limits,
    ) -> Result<Rows, TargetError> {
        let (target, checked, limits) = (Arc::clone(self), checked.clone(), *limits);
        self.in_turn(asker, async move {
            Box::pin(target.run(&checked, &limits)).await
        })
        .await
    }

    /// As [`Target::check`], for as many rows as there are: of a target whose rows belong to those
    /// who ask for them.
    pub async fn check_whole(
        &self,
        sql: &str,
        tenant: &str,
    ) -> Result<Result<Checked, Vec<Finding>>, TargetError> {
        let catalogue = self.catalogue().await?;
        self.check_within(&catalogue, sql, tenant, WHOLE_ROWS)
    }

    /// As [`Target::run_for`], and the rows are sent as they come in. The columns come first; what
    /// is returned has no rows. Only PostgreSQL has this.
    pub async fn send_for(
        self: &Arc<Self>,
        asker: &Asker,
        checked: &Checked,
        timeout: Duration,
        sink: Sender<Part>,
    ) -> Result<Rows, TargetError> {
        let (target, checked) = (Arc::clone(self), checked.clone());
        let limits = Limits {
            max_rows: WHOLE_ROWS,
            max_bytes: WHOLE_BYTES,
            timeout,
            ..self.limits()
        };
        self.in_turn(asker, async move {
            Box::pin(target.run_to(&checked, &limits, Some(&sink))).await
        })
        .await
    }

    /// Works when it is the asker's turn. The database continues with a statement whose caller has
    /// cancelled, so the turn lasts as long as the statement does, not as long as the caller waits
    /// for it.
    pub(super) async fn in_turn<T: Send + 'static>(
        &self,
        asker: &Asker,
        work: impl Future<Output = Result<T, TargetError>> + Send + 'static,
    ) -> Result<T, TargetError> {
        let turn = self
            .queue
            .turn(asker)
            .await
            .map_err(|crowd| TargetError::Busy {
                target: self.name().to_owned(),
                crowd,
                retry_after: RETRY_AFTER,
            })?;
        let working = async move {
            let outcome = work.await;
            drop(turn);
            outcome
        };
        let working = self.running.spawn(working.in_current_span());
        working.await.map_err(|error| TargetError::Internal {
            message: format!(
                "The work on the database '{}' broke off: {error}.",
                self.name()
            ),
        })?
    }

    /// Runs a statement that [`Target::check`] gave, without waiting for a turn.
    pub async fn run(&self, checked: &Checked, limits: &Limits) -> Result<Rows, TargetError> {
        self.run_to(checked, limits, None).await
    }

    async fn run_to(
        &self,
        checked: &Checked,
        limits: &Limits,
        sink: Option<&Sender<Part>>,
    ) -> Result<Rows, TargetError> {
        let catalogue = self.catalogue().await?;
        let safe = self.pool.safe().clone().with_views(catalogue.told_views());
        let safe = if checked.filtered {
            // In the words of who asked: what represents tables is not theirs.
            safe.without_words(catalogue.tenant_columns())
                .about(&checked.written)
        } else {
            safe.about(&checked.sql)
        };
        if let (true, Some(limit)) = (checked.filtered, limits.max_estimated_rows) {
            let products = &checked.products;
            self.own_rows
                .afford(&self.pool, &catalogue, products, limits, limit)
                .await?;
        }
        let work = Work {
            sql: &checked.sql,
            filtered: checked.filtered,
            fenced: checked.fenced,
            sink,
        };
        run(&self.pool, work, limits, &safe).await
    }
}
