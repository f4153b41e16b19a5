//! What people chose for words that can mean several things, in the schema `tools`. Each query
//! names the tenant and the person.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entities::{Candidate, key};
use service_kit::identity::Identity;
use sqlx::PgPool;

/// Longer words are not remembered.
const LONGEST: usize = 512;

/// A user's choice for some words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choice {
    /// As [`key`] makes it.
    pub(super) mention: String,
    pub(super) source: String,
    pub(super) entity_type: String,
    pub(super) entity_id: String,
}

/// The person's earlier choices for these words, by their keys.
pub(super) async fn of(
    pool: &PgPool,
    caller: &Identity,
    mentions: &[&str],
) -> Result<HashMap<String, Choice>, sqlx::Error> {
    let keys: Vec<String> = mentions.iter().map(|mention| key(mention)).collect();
    if keys.is_empty() {
        return Ok(HashMap::new());
    }
    let choices = sqlx::query_file_as!(
        Choice,
        "queries/remembered_choices_of.sql",
        caller.tenant,
        caller.subject,
        &keys,
    )
    .fetch_all(pool)
    .await?;
    Ok(choices
        .into_iter()
        .map(|choice| (choice.mention.clone(), choice))
        .collect())
}

/// Every choice of the user and when it was made, the newest first.
pub(super) async fn all(
    pool: &PgPool,
    caller: &Identity,
) -> Result<Vec<(Choice, DateTime<Utc>)>, sqlx::Error> {
    let rows = sqlx::query_file!(
        "queries/remembered_choices_all.sql",
        caller.tenant,
        caller.subject,
    )
    .fetch_all(pool)
    .await?;
    let choices = rows.into_iter().map(|row| {
        let choice = Choice {
            mention: row.mention,
            source: row.source,
            entity_type: row.entity_type,
            entity_id: row.entity_id,
        };
        (choice, row.chosen_at)
    });
    Ok(choices.collect())
}

/// Deletes the person's choices for these words; returns the number of deleted choices.
pub(super) async fn forget(
    pool: &PgPool,
    caller: &Identity,
    mentions: &[String],
) -> Result<u64, sqlx::Error> {
    let keys: Vec<String> = mentions.iter().map(|mention| key(mention)).collect();
    if keys.is_empty() {
        return Ok(0);
    }
    let gone = sqlx::query!(
        "DELETE FROM tools.remembered_choices
         WHERE tenant = $1 AND subject = $2 AND mention = ANY ($3)",
        caller.tenant,
        caller.subject,
        &keys,
    )
    .execute(pool)
    .await?;
    Ok(gone.rows_affected())
}

/// Forgets every choice of the user and returns how many there were.
pub(super) async fn forget_all(pool: &PgPool, caller: &Identity) -> Result<u64, sqlx::Error> {
    let gone = sqlx::query!(
        "DELETE FROM tools.remembered_choices WHERE tenant = $1 AND subject = $2",
        caller.tenant,
        caller.subject,
    )
    .execute(pool)
    .await?;
    Ok(gone.rows_affected())
}

/// Remembers what the person chose for some words.
pub(super) async fn keep(
    pool: &PgPool,
    caller: &Identity,
    mention: &str,
    chosen: &Candidate,
    at: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    let key = key(mention);
    if key.is_empty() || key.len() > LONGEST {
        return Ok(());
    }
    sqlx::query_file!(
        "queries/remembered_choices_keep.sql",
        caller.tenant,
        caller.subject,
        key,
        chosen.entity.source,
        chosen.entity.entity_type,
        chosen.entity.id,
        at,
    )
    .execute(pool)
    .await?;
    Ok(())
}
