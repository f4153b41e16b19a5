//! Confirmed questions in the schema `tools`. Every query names the tenant.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgPool};
use uuid::Uuid;

/// A question that a person confirmed the query of.
#[derive(Debug, FromRow)]
pub(super) struct Kept {
    pub(super) question_id: Uuid,
    pub(super) question: String,
    pub(super) sql: String,
    pub(super) tables: Vec<String>,
    pub(super) confirmed_at: DateTime<Utc>,
    /// What it means, as the model asked for sees it.
    pub(super) vector: Option<Vec<f32>>,
}

/// A question to keep.
#[derive(Debug)]
pub(super) struct New<'a> {
    pub(super) tenant: &'a str,
    pub(super) target: &'a str,
    pub(super) question: &'a str,
    pub(super) normalised: &'a str,
    pub(super) sql: &'a str,
    pub(super) tables: &'a [String],
    /// What it means, and to which model.
    pub(super) meaning: Option<(&'a [f32], &'a str)>,
    pub(super) confirmed_by: &'a str,
    pub(super) confirmed_at: DateTime<Utc>,
}

/// What became of it.
#[derive(Debug, FromRow)]
pub(super) struct Confirmed {
    pub(super) question_id: Uuid,
    /// Whether it was not there before.
    pub(super) created: bool,
}

/// The tenant's questions to a target: the one with this normal form first, then the newest, with vectors of this model.
pub(super) async fn newest(
    pool: &PgPool,
    (tenant, target): (&str, &str),
    normalised: &str,
    model: Option<&str>,
    most: u32,
) -> Result<Vec<Kept>, sqlx::Error> {
    sqlx::query_as(include_str!("../../queries/sql_questions_newest.sql"))
        .bind(tenant)
        .bind(target)
        .bind(normalised)
        .bind(model)
        .bind(i64::from(most))
        .fetch_all(pool)
        .await
}

/// Keeps a question; the same one has the new query from now on.
pub(super) async fn confirm(pool: &PgPool, new: &New<'_>) -> Result<Confirmed, sqlx::Error> {
    sqlx::query_as(include_str!("../../queries/sql_questions_confirm.sql"))
        .bind(new.tenant)
        .bind(new.target)
        .bind(new.question)
        .bind(new.normalised)
        .bind(new.sql)
        .bind(new.tables)
        .bind(new.meaning.map(|(vector, _)| vector))
        .bind(new.meaning.map(|(_, model)| model))
        .bind(new.confirmed_by)
        .bind(new.confirmed_at)
        .fetch_one(pool)
        .await
}
