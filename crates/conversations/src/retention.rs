//! The time for which a tenant keeps its conversations, as its administrators set it.

use crate::error::Error;
use crate::store::Store;

/// The days that the administrators of a tenant set; `None`: they set none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnRetention {
    /// Days without activity after which a thread is deleted.
    pub threads_days: Option<u32>,
    /// Days after which the events of a run that is over are deleted.
    pub runs_days: Option<u32>,
}

impl Store {
    /// The tenants that have threads, in the order of their names.
    pub async fn tenants(&self) -> Result<Vec<String>, Error> {
        Ok(sqlx::query_file_scalar!("queries/tenants.sql")
            .fetch_all(&self.pool)
            .await?)
    }

    /// The days that the administrators of a tenant set.
    pub async fn own_retention(&self, tenant: &str) -> Result<OwnRetention, Error> {
        let row = sqlx::query!(
            "SELECT threads_days, runs_days FROM orchestrator.retention WHERE tenant = $1",
            tenant,
        )
        .fetch_optional(&self.pool)
        .await?;
        let days = |stored: Option<i32>| stored.and_then(|days| u32::try_from(days).ok());
        Ok(row.map_or_else(OwnRetention::default, |row| OwnRetention {
            threads_days: days(row.threads_days),
            runs_days: days(row.runs_days),
        }))
    }

    /// Sets the days of a tenant.
    pub async fn set_retention(&self, tenant: &str, own: OwnRetention) -> Result<(), Error> {
        let days = |days: Option<u32>| days.and_then(|days| i32::try_from(days).ok());
        sqlx::query_file!(
            "queries/set_retention.sql",
            tenant,
            days(own.threads_days),
            days(own.runs_days),
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
