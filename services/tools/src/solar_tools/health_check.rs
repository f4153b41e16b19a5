//! `health_check`: whether the service and its database work. It says so instead of failing.

use std::time::Duration;

use contracts::tools::{
    HealthCheckArguments, HealthReport, PoolStats, ServiceHealth, ToolEnvelope,
};
use sqlx::PgPool;

use super::SolarTools;
use crate::error::Error;

/// Longer than any healthy answer; a probe does not wait forever.
const TIMEOUT: Duration = Duration::from_secs(2);

pub(super) async fn run(
    toolbox: &SolarTools,
    _tenant: &str,
    _arguments: HealthCheckArguments,
) -> Result<ToolEnvelope<HealthReport>, Error> {
    Ok(ToolEnvelope::ok(check(&toolbox.pool).await))
}

/// Asks the database for a sign of life.
pub async fn check(pool: &PgPool) -> HealthReport {
    // Does the database answer, and is the schema there?
    let asked = sqlx::query_scalar!("SELECT site_key FROM tools.sites ORDER BY site_key LIMIT 1")
        .fetch_optional(pool);
    let (status, database) = match tokio::time::timeout(TIMEOUT, asked).await {
        Ok(Ok(_)) => (ServiceHealth::Healthy, "healthy"),
        Ok(Err(error)) => {
            tracing::warn!(error = %service_kit::problem::chain(&error), "the database is away");
            (ServiceHealth::Degraded, "The database is away.")
        }
        Err(_) => (ServiceHealth::Degraded, "The database does not answer."),
    };
    let (size, idle) = (
        pool.size(),
        u32::try_from(pool.num_idle()).unwrap_or(u32::MAX),
    );
    HealthReport {
        kind: "health_check".to_owned(),
        status,
        database: database.to_owned(),
        pool_stats: Some(PoolStats {
            pool_size: size,
            checked_in: idle.min(size),
            checked_out: size.saturating_sub(idle),
            overflow: 0,
        }),
    }
}
