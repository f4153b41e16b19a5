//! The job that reads a new or changed target: its tables and joins, then the first questions.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use targets::{Asker, Target};
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use super::AddedTargets;
use crate::added::json;
use crate::first_questions;

/// Interval between renewals of a lease, which lasts a minute.
const RENEW_EVERY: Duration = Duration::from_secs(15);

struct Job<'a> {
    added: &'a AddedTargets,
    tenant: String,
    name: String,
    worker: Uuid,
}

impl AddedTargets {
    /// Reads the target that waits longest. `false` if none waits.
    pub(super) async fn run_next(&self) -> Result<bool, sqlx::Error> {
        let worker = Uuid::new_v4();
        let claimed = sqlx::query_file!("queries/targets_claim.sql", worker)
            .fetch_optional(self.pool())
            .await?;
        let Some(claimed) = claimed else {
            return Ok(false);
        };
        let renewing = tokio::spawn(renew(self.pool().clone(), worker));
        let renewing = AbortOnDropHandle::new(renewing);
        self.rows.sync().await?;
        let job = Job {
            added: self,
            tenant: claimed.tenant,
            name: claimed.name,
            worker,
        };
        let kept = self.targets().kept().into_iter();
        let target = kept
            .filter(|kept| kept.tenant == job.tenant)
            .find(|kept| kept.target.name() == job.name);
        let outcome = match target {
            Some(kept) => job.read(&kept.target).await?,
            None => Err(self
                .rows
                .problem(&job.tenant, &job.name)
                .unwrap_or_else(|| "It is not there any more.".to_owned())),
        };
        drop(renewing);
        match outcome {
            Ok(questions) => job.finish(&questions).await?,
            Err(problem) => {
                tracing::warn!(
                    target_database = job.name,
                    tenant = job.tenant,
                    "an added target was not read: {problem}"
                );
                job.fail(&problem).await?;
            }
        }
        self.rows.sync().await?;
        Ok(true)
    }
}

/// Renews the lease of whatever a worker reads.
async fn renew(pool: PgPool, worker: Uuid) {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let renewed = sqlx::query!(
            "UPDATE tools.targets SET lease_until = now() + interval '60 seconds' WHERE worker = $1 AND job_status = 'running'",
            worker,
        );
        if let Err(error) = renewed.execute(&pool).await {
            tracing::debug!(%error, "the lease of a job was not renewed");
        }
    }
}

impl Job<'_> {
    /// The first questions, or why the target cannot be used.
    async fn read(
        &self,
        target: &Arc<Target>,
    ) -> Result<Result<Vec<contracts::targets::LayerQuestion>, String>, sqlx::Error> {
        let catalogue = match target.refresh().await {
            Ok(catalogue) => catalogue,
            Err(error) => return Ok(Err(error.for_operator())),
        };
        if let Some(nothing) = &catalogue.nothing {
            return Ok(Err(nothing.why().to_owned()));
        }
        let candidates = first_questions::candidates(&catalogue);
        let asker = Asker {
            tenant: self.tenant.clone(),
            user: "heliograph".to_owned(),
        };
        let mut chosen = first_questions::Chosen::default();
        for (done, candidate) in candidates.iter().enumerate() {
            self.progress("questions", done, candidates.len()).await?;
            if chosen.is_complete() {
                break;
            }
            if chosen.wants(candidate)
                && let Some(rows) = first_questions::answers(target, &asker, candidate).await
            {
                chosen.keep(candidate, rows);
            }
        }
        Ok(Ok(chosen.questions()))
    }

    async fn progress(&self, step: &str, done: usize, total: usize) -> Result<(), sqlx::Error> {
        let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
        sqlx::query!(
            "UPDATE tools.targets SET job_step = $2, job_done = $3, job_total = $4 WHERE worker = $1",
            self.worker,
            step,
            number(done),
            number(total),
        )
        .execute(self.added.pool())
        .await
        .map(drop)
    }

    /// A target that was changed in the meantime belongs to no worker, and waits for the next one.
    async fn finish(
        &self,
        questions: &[contracts::targets::LayerQuestion],
    ) -> Result<(), sqlx::Error> {
        let count = i32::try_from(questions.len()).unwrap_or(i32::MAX);
        sqlx::query!(
            "UPDATE tools.targets
             SET job_status = 'done', job_done = $3, job_total = $3, questions = $2, worker = NULL, job_problem = NULL,
                 version = CASE WHEN questions IS NOT DISTINCT FROM $2 THEN version ELSE nextval('tools.target_versions') END
             WHERE worker = $1",
            self.worker,
            json(&questions)?,
            count,
        )
        .execute(self.added.pool())
        .await
        .map(drop)
    }

    async fn fail(&self, problem: &str) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "UPDATE tools.targets SET job_status = 'failed', job_problem = $2, worker = NULL WHERE worker = $1",
            self.worker,
            problem,
        )
        .execute(self.added.pool())
        .await
        .map(drop)
    }
}
