//! Helpers of the tests of ingestion.

use chrono::{DateTime, TimeDelta, Utc};
use contracts::measurements::IngestReport;
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tools::ingest::{self, Format, IngestFailure, IngestOptions};

/// A migrated database of the test's own, with one site, `roof` in Zurich, for the tenant `acme`.
pub(crate) async fn database() -> TestDatabase {
    let database = empty_database().await;
    sites(database.pool(), "acme", &["roof"]).await;
    database
}

/// A migrated database without sites.
pub(crate) async fn empty_database() -> TestDatabase {
    let migrate = |pool: PgPool| async move { tools::migrate(&pool).await };
    TestDatabase::new("tools", migrate).await.unwrap()
}

pub(crate) async fn sites(pool: &PgPool, tenant: &str, ids: &[&str]) {
    let tables = ids
        .iter()
        .map(|id| format!("[[sites]]\nid = \"{id}\"\ntimezone = \"Europe/Zurich\"\n"));
    let text = tables.collect::<Vec<_>>().concat();
    ingest::sites::apply(pool, tenant, &text).await.unwrap();
}

/// The start of the generated readings.
pub(crate) fn start() -> DateTime<Utc> {
    "2025-06-01T00:00:00Z".parse().unwrap()
}

/// One line of CSV per reading: `timestamp,loggerId,activePowerWatts,irradiance`, every five
/// minutes.
pub(crate) fn line(logger: &str, step: usize) -> String {
    let at = start() + TimeDelta::minutes(5) * i32::try_from(step).unwrap();
    let sun = (f64::from(u32::try_from(step % 288).unwrap()) / 288.0 * std::f64::consts::PI)
        .sin()
        .powi(3);
    let cloud = 0.5 + f64::from(u32::try_from(step * 7919 % 101).unwrap()) / 202.0;
    let light = (1000.0 * sun * cloud).round();
    format!(
        "{},{logger},{},{light}\n",
        at.to_rfc3339(),
        (light * 4.5).round()
    )
}

pub(crate) const HEADER: &str = "timestamp,loggerId,activePowerWatts,irradiance\n";

/// A file of one logger's readings.
pub(crate) fn csv(logger: &str, steps: impl Iterator<Item = usize>) -> String {
    let lines: String = steps.map(|step| line(logger, step)).collect();
    format!("{HEADER}{lines}")
}

/// Stores a CSV for the tenant `acme`.
pub(crate) async fn store(pool: &PgPool, body: &str) -> IngestReport {
    try_store(pool, "acme", body).await.unwrap()
}

pub(crate) async fn try_store(
    pool: &PgPool,
    tenant: &str,
    body: &str,
) -> Result<IngestReport, IngestFailure> {
    ingest::ingest(
        pool,
        tenant,
        &IngestOptions::new(Format::Csv),
        body.as_bytes(),
    )
    .await
}

/// Accepted, replaced, refused.
pub(crate) fn counts(report: &IngestReport) -> (u64, u64, u64) {
    (report.accepted, report.replaced, report.refused)
}

/// Number of readings that the tenant has, by the table and by the loggers' own count.
pub(crate) async fn stored(pool: &PgPool, tenant: &str) -> (i64, i64) {
    sqlx::query_as(
        "SELECT (SELECT count(*) FROM tools.measurements m JOIN tools.loggers l USING (logger_key) WHERE l.tenant = $1),
                (SELECT coalesce(sum(record_count), 0)::bigint FROM tools.loggers WHERE tenant = $1)",
    )
    .bind(tenant)
    .fetch_one(pool)
    .await
    .unwrap()
}

/// All that is kept about a logger, but for its key.
pub(crate) async fn daily(pool: &PgPool, tenant: &str, logger: &str) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT (to_jsonb(d) - 'logger_key')::text FROM tools.daily d JOIN tools.loggers l USING (logger_key)
         WHERE l.tenant = $1 AND l.logger_id = $2 ORDER BY d.day",
    )
    .bind(tenant)
    .bind(logger)
    .fetch_all(pool)
    .await
    .unwrap()
}
