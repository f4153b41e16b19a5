//! The time for which a tenant keeps its audit log.
//!
//! The configuration that names the tenant wins; then the days that the tenant's administrators
//! set, within the bounds of the installation; then the configuration for all tenants. Each
//! clean-up of each replica reads what is set.

use chrono::{DateTime, Utc};
use contracts::kept::{ChangeRetention, HOURS_OF_A_DAY, RetentionOf};
use service_kit::problem::ApiError;
use sqlx::PgPool;

use crate::config::AuditConfig;

/// The days that the administrators of a tenant set; `None`: they set none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) audit_days: Option<u32>,
    /// The days of threads, which the orchestrator keeps.
    pub(crate) threads_days: Option<u32>,
}

/// The days that the administrators of a tenant set.
pub(crate) async fn own(pool: &PgPool, tenant: &str) -> Result<Own, sqlx::Error> {
    let row = sqlx::query!(
        "SELECT audit_days, threads_days FROM bff.retention WHERE tenant = $1",
        tenant,
    )
    .fetch_optional(pool)
    .await?;
    let days = |stored: Option<i32>| stored.and_then(|days| u32::try_from(days).ok());
    Ok(row.map_or_else(Own::default, |row| Own {
        audit_days: days(row.audit_days),
        threads_days: days(row.threads_days),
    }))
}

/// Sets the days of a tenant.
pub(crate) async fn set(
    pool: &PgPool,
    tenant: &str,
    own: Own,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    let days = |days: Option<u32>| days.and_then(|days| i32::try_from(days).ok());
    sqlx::query!(
        "INSERT INTO bff.retention (tenant, audit_days, threads_days, changed_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant) DO UPDATE
         SET audit_days = excluded.audit_days, threads_days = excluded.threads_days, changed_at = excluded.changed_at",
        tenant,
        days(own.audit_days),
        days(own.threads_days),
        now,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The days after which an entry of the audit log of a tenant is deleted.
pub(crate) fn audit_days(config: &AuditConfig, tenant: &str, own: Own) -> u32 {
    let hours = of(config, tenant, own).hours;
    hours.map_or(config.keep_days, |hours| hours / HOURS_OF_A_DAY)
}

/// What counts for the audit log of a tenant.
pub(crate) fn of(config: &AuditConfig, tenant: &str, own: Own) -> RetentionOf {
    let named = config.keep_days_of.get(tenant).copied();
    let by_default = named.unwrap_or(config.keep_days);
    RetentionOf::of(
        Some(by_default.saturating_mul(HOURS_OF_A_DAY)),
        own.audit_days,
        (config.tenant_least_days, config.tenant_most_days),
        named.is_some(),
    )
}

/// The days of a request, if the tenant may set them.
pub(crate) fn checked(
    config: &AuditConfig,
    tenant: &str,
    change: ChangeRetention,
) -> Result<Own, ApiError> {
    let allowed = of(config, tenant, Own::default());
    allowed.check("audit_days", change.audit_days)?;
    Ok(Own {
        audit_days: change.audit_days,
        threads_days: change.threads_days,
    })
}
