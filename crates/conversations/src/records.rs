//! The rows that name a person beside threads and schedules, for an export.

use contracts::person::PersonRecords;

use crate::error::Error;
use crate::store::{Owner, Store};

impl Store {
    /// The rows by the name of their table.
    pub async fn records_of(&self, owner: &Owner) -> Result<PersonRecords, Error> {
        let rows = sqlx::query_file!("queries/records_of.sql", owner.tenant, owner.subject)
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|row| (row.table, row.row)).collect())
    }
}
