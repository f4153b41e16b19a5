//! The end of old entries.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use service_kit::problem::chain;
use tokio_util::sync::CancellationToken;

use crate::retention;
use crate::state::State;

/// Interval between looks for old entries.
const LOOK_EVERY: Duration = Duration::from_hours(1);

/// Entries that are deleted at once; between two such bites others get their turn.
const BITE: i64 = 1_000;

/// Deletes entries that are older than they are kept, again and again until `shutdown`.
pub(crate) async fn keep_only_recent(state: State, shutdown: CancellationToken) {
    loop {
        if let Err(error) = delete_old(&state).await {
            tracing::warn!(error = %chain(&error), "cannot delete old entries of the audit log");
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Deletes the entries of each tenant that are older than its limit, in bites.
pub(crate) async fn delete_old(state: &State) -> Result<(), sqlx::Error> {
    let now = state.clock.now();
    delete(state, None, before(now, state.audit_config.keep_days)).await?;
    let tenants = sqlx::query_file_scalar!("queries/tenants_of_audit.sql")
        .fetch_all(&state.pool)
        .await?;
    for tenant in tenants {
        // Read for each: an administrator may have set it since the clean-up began.
        let own = retention::own(&state.pool, &tenant).await?;
        let days = retention::audit_days(&state.audit_config, &tenant, own);
        delete(state, Some(&tenant), before(now, days)).await?;
        if let Some(days) = own.threads_days {
            // Threads to which nothing was added for longer than they are kept.
            sqlx::query!(
                "DELETE FROM bff.transcripts t USING bff.accounts a
                 WHERE a.tenant = $1 AND t.account_id = a.account_id AND t.used_at < $2",
                tenant,
                before(now, days),
            )
            .execute(&state.pool)
            .await?;
        }
    }
    Ok(())
}

fn before(now: DateTime<Utc>, days: u32) -> DateTime<Utc> {
    now - TimeDelta::days(days.into())
}

/// Deletes the entries of a tenant, or those of none, from before a moment.
async fn delete(
    state: &State,
    tenant: Option<&str>,
    before: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    loop {
        let mut transaction = state.pool.begin().await?;
        sqlx::query!(
            r#"SELECT set_config('bff.audit_delete_before', $1, true) AS "set!""#,
            before.to_rfc3339(),
        )
        .fetch_one(&mut *transaction)
        .await?;
        let deleted = match tenant {
            Some(tenant) => {
                sqlx::query_file!("queries/audit_delete.sql", tenant, before, BITE)
                    .execute(&mut *transaction)
                    .await?
            }
            None => {
                sqlx::query_file!("queries/audit_delete_of_none.sql", before, BITE)
                    .execute(&mut *transaction)
                    .await?
            }
        };
        transaction.commit().await?;
        if deleted.rows_affected() < BITE.unsigned_abs() {
            return Ok(());
        }
    }
}
