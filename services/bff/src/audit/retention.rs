//! The end of old entries.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use service_kit::problem::chain;
use tokio_util::sync::CancellationToken;

use crate::config::AuditConfig;
use crate::state::State;

/// Interval between looks for old entries.
const LOOK_EVERY: Duration = Duration::from_hours(1);

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

/// Deletes the entries of each tenant that are older than its limit.
pub(crate) async fn delete_old(state: &State) -> Result<(), sqlx::Error> {
    let (config, now) = (&state.audit_config, state.clock.now());
    let named: Vec<String> = config.keep_days_of.keys().cloned().collect();
    for (tenant, days) in &config.keep_days_of {
        delete(state, before(now, *days), Some(tenant), &[]).await?;
    }
    let AuditConfig { keep_days, .. } = config;
    delete(state, before(now, *keep_days), None, &named).await
}

fn before(now: DateTime<Utc>, days: u32) -> DateTime<Utc> {
    now - TimeDelta::days(days.into())
}

async fn delete(
    state: &State,
    before: DateTime<Utc>,
    tenant: Option<&str>,
    except: &[String],
) -> Result<(), sqlx::Error> {
    let mut transaction = state.pool.begin().await?;
    sqlx::query!(
        r#"SELECT set_config('bff.audit_delete_before', $1, true) AS "set!""#,
        before.to_rfc3339(),
    )
    .fetch_one(&mut *transaction)
    .await?;
    sqlx::query!(
        "DELETE FROM bff.audit WHERE at < $1 AND ($2::text IS NULL OR tenant = $2) AND (tenant IS NULL OR tenant <> ALL ($3))",
        before,
        tenant,
        except,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}
