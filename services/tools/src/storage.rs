//! The limit of storage of a tenant: its documents, and the files that wait to be imported.

use contracts::accounts::{QuotaList, QuotaOf, QuotaUse};
use contracts::problem::{Problem, STORAGE_FULL};
use http::header::{HeaderValue, RETRY_AFTER};
use service_kit::problem::ApiError;
use sqlx::PgPool;

use crate::error::database;
use crate::ingest::config::IngestConfig;

async fn used(pool: &PgPool, tenant: &str) -> Result<u64, sqlx::Error> {
    let bytes = sqlx::query_file_scalar!("queries/storage_used.sql", tenant)
        .fetch_one(pool)
        .await?;
    Ok(bytes.unsigned_abs())
}

/// Seconds after which a refused client tries again. Only a person frees storage, who needs longer
/// than a program waits.
const AGAIN_AFTER: u64 = 3_600;

/// The limit, if there is one, and how much of it is used.
pub(crate) async fn uses(
    pool: &PgPool,
    config: &IngestConfig,
    tenant: &str,
) -> Result<QuotaList, ApiError> {
    if config.tenant_storage_bytes == 0 {
        return Ok(QuotaList::default());
    }
    let used = used(pool, tenant).await.map_err(database)?;
    Ok(QuotaList {
        quotas: vec![QuotaUse::new(
            "storage_bytes",
            QuotaOf::Tenant,
            config.tenant_storage_bytes,
            used,
        )],
    })
}

/// Refuses, with 429, more bytes than the tenant may store.
pub(crate) async fn admit(
    pool: &PgPool,
    config: &IngestConfig,
    tenant: &str,
    more: u64,
) -> Result<(), ApiError> {
    let limit = config.tenant_storage_bytes;
    if limit == 0 {
        return Ok(());
    }
    let used = used(pool, tenant).await.map_err(database)?;
    if used.saturating_add(more) <= limit {
        return Ok(());
    }
    Err(full(used, limit, more))
}

/// Refuses, with 429, `bytes` that are stored already, because their number was not known before.
pub(crate) async fn admit_stored(
    pool: &PgPool,
    config: &IngestConfig,
    tenant: &str,
    bytes: u64,
) -> Result<(), ApiError> {
    let limit = config.tenant_storage_bytes;
    if limit == 0 {
        return Ok(());
    }
    let used = used(pool, tenant).await.map_err(database)?;
    if used <= limit {
        return Ok(());
    }
    Err(full(used.saturating_sub(bytes), limit, bytes))
}

fn full(used: u64, limit: u64, more: u64) -> ApiError {
    let problem = Problem::new(429, STORAGE_FULL, "Storage used up").with_detail(format!(
        "Your organisation stores {used} of {limit} bytes, so that {more} more are refused. Delete documents or imports, or ask the operator for more."
    ));
    ApiError::from(problem).with_header(RETRY_AFTER, HeaderValue::from(AGAIN_AFTER))
}
