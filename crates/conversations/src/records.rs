//! The rows that name a person beside threads and schedules, for an export.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::Error;
use crate::store::{Owner, Store};

impl Store {
    /// The rows by the name of their table.
    pub async fn records_of(&self, owner: &Owner) -> Result<BTreeMap<String, Vec<Value>>, Error> {
        let rows = sqlx::query_file!("queries/records_of.sql", owner.tenant, owner.subject)
            .fetch_all(&self.pool)
            .await?;
        let mut records: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for row in rows {
            records.entry(row.table).or_default().push(row.row);
        }
        Ok(records)
    }
}
