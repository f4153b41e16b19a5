//! Days of older rules, computed again when a version with other rules starts.

use solar::calibration;
use sqlx::PgPool;

use super::rebuild;

/// Computes the days again of every logger whose days come from older rules, each in a transaction
/// of its own. Returns how many there were.
pub async fn upgrade(pool: &PgPool) -> Result<u64, sqlx::Error> {
    let mut upgraded = 0;
    let mut last = i32::MIN;
    loop {
        let mut tx = pool.begin().await?;
        let next = sqlx::query_file_scalar!(
            "queries/rollup_outdated.sql",
            i64::from(calibration::RULES),
            last,
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(key) = next else {
            return Ok(upgraded);
        };
        rebuild(&mut tx, key).await?;
        tx.commit().await?;
        last = key;
        upgraded += 1;
    }
}
