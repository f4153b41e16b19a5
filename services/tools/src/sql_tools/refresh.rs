//! `POST /api/targets/{target}/refresh`: reads a target's catalogue again, in every process.

use contracts::tools::refresh::{ChangedTable, RefreshedTarget};
use service_kit::identity::Identity;
use service_kit::problem::ApiError;
use targets::{Catalogue, ColumnInfo, TableInfo, TargetError};

use super::past_questions::APPROVE;
use super::{SqlTools, count, message_of};

impl SqlTools {
    /// Reads a target's catalogue again, and says what changed of what its policy shows.
    pub async fn refresh_target(
        &self,
        person: &Identity,
        name: &str,
    ) -> Result<RefreshedTarget, ApiError> {
        person.require_scope(APPROVE)?;
        let target = self.added.find(Some(name), &person.tenant).await;
        let target = target.ok_or_else(|| {
            let visible = self.targets.for_tenant(&person.tenant);
            let names: Vec<&str> = visible.iter().map(|target| target.name()).collect();
            ApiError::not_found(match names.as_slice() {
                [] => "There is no target database that your tenant may ask.".to_owned(),
                names => format!(
                    "There is no target database of this name that your tenant may ask. There is: {}.",
                    names.join(", ")
                ),
            })
        })?;
        if target.is_kept()
            && let Err(error) = self.added.read_again(&person.tenant, name).await
        {
            tracing::warn!(%error, "the job of a target was not queued");
        }
        let before = target.catalogue().await.ok();
        let now = target.refresh().await.map_err(|error| {
            // Operators call this: they get the privileges of a role, and what takes them away.
            let message = match &error {
                TargetError::Role { .. } => error.for_operator(),
                error => message_of(target.name(), error),
            };
            ApiError::unavailable(message, error)
        })?;
        self.added.was_read(&person.tenant, name).await;
        // What is searched is made again before the next question.
        let key = target.key();
        let made = self.first.of(&key);
        self.indexes.of(&key, std::sync::Arc::clone(&now), made);
        let tables = |catalogue: &Catalogue| catalogue.tables.keys().cloned().collect();
        let names: Vec<String> = tables(&now);
        let names_before = before.as_deref().map_or_else(|| names.clone(), tables);
        Ok(RefreshedTarget {
            target: target.name().to_owned(),
            read_at: self.clock.now(),
            tables: count(now.tables.len()),
            relationships: count(now.graph.relationships().len()),
            added: missing_in(&names, &names_before),
            removed: missing_in(&names_before, &names),
            changed: before
                .as_deref()
                .map_or_else(Vec::new, |before| changed(before, &now)),
        })
    }
}

/// The names that the others do not have.
fn missing_in(these: &[String], others: &[String]) -> Vec<String> {
    let missing = these.iter().filter(|name| !others.contains(name));
    missing.cloned().collect()
}

fn changed(before: &Catalogue, now: &Catalogue) -> Vec<ChangedTable> {
    let pairs = now
        .tables
        .values()
        .filter_map(|table| Some((before.tables.get(&table.name)?, table)));
    pairs
        .map(|(before, table)| columns(before, table))
        .filter(|change| {
            !(change.added.is_empty() && change.removed.is_empty() && change.retyped.is_empty())
        })
        .collect()
}

fn columns(before: &TableInfo, now: &TableInfo) -> ChangedTable {
    let names = |table: &TableInfo| -> Vec<String> {
        let columns = table.columns.iter();
        columns.map(|column| column.name.clone()).collect()
    };
    let (old, new) = (names(before), names(now));
    let is_retyped = |column: &&ColumnInfo| {
        let mut columns = before.columns.iter();
        columns.any(|one| one.name == column.name && one.data_type != column.data_type)
    };
    let retyped = now.columns.iter().filter(is_retyped);
    ChangedTable {
        name: now.name.clone(),
        added: missing_in(&new, &old),
        removed: missing_in(&old, &new),
        retyped: retyped.map(|column| column.name.clone()).collect(),
    }
}
