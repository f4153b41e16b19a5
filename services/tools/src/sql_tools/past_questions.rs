//! Confirmed questions in the schema `tools`. Every query names the tenant, and the person whose
//! questions they are.

use chrono::{DateTime, Utc};
use service_kit::identity::Identity;
use sqlx::PgPool;
use uuid::Uuid;

/// The scope of those who release questions for the tenant, and withdraw what others confirmed.
pub(super) const APPROVE: &str = "questions:approve";

/// A question that a person confirmed the query of.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) question_id: Uuid,
    pub(super) target: String,
    pub(super) question: String,
    pub(super) normalised: String,
    /// With days that follow the calendar.
    pub(super) sql: String,
    pub(super) tables: Vec<String>,
    pub(super) confirmed_by: String,
    pub(super) confirmed_by_name: Option<String>,
    pub(super) confirmed_at: DateTime<Utc>,
    /// `None` in a question of before there were any.
    pub(super) fingerprint: Option<String>,
    pub(super) edited_by_name: Option<String>,
    pub(super) edited_at: Option<DateTime<Utc>>,
    pub(super) released_by_name: Option<String>,
    pub(super) released_at: Option<DateTime<Utc>>,
    /// The vector of the question by the requested model.
    pub(super) vector: Option<Vec<f32>>,
}

impl Kept {
    /// Whether it is this person's own.
    pub(super) fn is_of(&self, person: &Identity) -> bool {
        self.confirmed_by == person.subject
    }

    pub(super) fn is_released(&self) -> bool {
        self.released_at.is_some()
    }
}

/// A question to be kept: made by [`super::keeping::prepare`].
#[derive(Debug)]
pub(super) struct New {
    pub(super) target: String,
    pub(super) question: String,
    pub(super) normalised: String,
    pub(super) sql: String,
    pub(super) tables: Vec<String>,
    /// The vector of the question, and its model.
    pub(super) meaning: Option<(Vec<f32>, String)>,
    pub(super) fingerprint: String,
    /// The words for periods in the question.
    pub(super) periods: Vec<String>,
}

/// The result of it.
#[derive(Debug)]
pub(super) struct Confirmed {
    pub(super) question_id: Uuid,
    /// Whether it was not there before.
    pub(super) created: bool,
}

/// Which questions are listed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Page<'a> {
    pub(super) target: Option<&'a str>,
    pub(super) show: Option<&'a str>,
    /// After this one.
    pub(super) after: Option<(DateTime<Utc>, Uuid)>,
    pub(super) limit: i64,
}

/// The questions to a target that answer a person: those with this normal form first, then the
/// newest, with vectors of this model.
pub(super) async fn newest(
    pool: &PgPool,
    person: &Identity,
    target: &str,
    normalised: &str,
    model: Option<&str>,
    most: u32,
) -> Result<Vec<Kept>, sqlx::Error> {
    sqlx::query_file_as!(
        Kept,
        "queries/sql_questions_newest.sql",
        person.tenant,
        target,
        person.subject,
        normalised,
        model,
        i64::from(most),
    )
    .fetch_all(pool)
    .await
}

/// Keeps a question of a person; the person's own one of the same words has the new query from now
/// on.
pub(super) async fn confirm(
    pool: &PgPool,
    person: &Identity,
    new: &New,
    at: DateTime<Utc>,
) -> Result<Confirmed, sqlx::Error> {
    sqlx::query_file_as!(
        Confirmed,
        "queries/sql_questions_confirm.sql",
        person.tenant,
        new.target,
        new.question,
        new.normalised,
        new.sql,
        &new.tables,
        new.meaning.as_ref().map(|(vector, _)| vector.as_slice()),
        new.meaning.as_ref().map(|(_, model)| model.as_str()),
        person.subject,
        person.name,
        at,
        new.fingerprint,
    )
    .fetch_one(pool)
    .await
}

/// A page of what a person may see, the newest first.
pub(super) async fn list(
    pool: &PgPool,
    person: &Identity,
    page: Page<'_>,
) -> Result<Vec<Kept>, sqlx::Error> {
    let (at, id) = page.after.unzip();
    sqlx::query_file_as!(
        Kept,
        "queries/sql_questions_list.sql",
        person.tenant,
        page.target,
        person.subject,
        person.has_scope(APPROVE),
        page.show,
        at,
        id,
        page.limit,
    )
    .fetch_all(pool)
    .await
}

/// A question that a person may see.
pub(super) async fn get(
    pool: &PgPool,
    person: &Identity,
    id: Uuid,
) -> Result<Option<Kept>, sqlx::Error> {
    sqlx::query_file_as!(
        Kept,
        "queries/sql_questions_get.sql",
        person.tenant,
        id,
        person.subject,
        person.has_scope(APPROVE),
    )
    .fetch_optional(pool)
    .await
}

/// The question of these words that is released for the tenant, other than this one.
pub(super) async fn standing(
    pool: &PgPool,
    tenant: &str,
    target: &str,
    normalised: &str,
    other_than: Option<Uuid>,
) -> Result<Option<Kept>, sqlx::Error> {
    sqlx::query_file_as!(
        Kept,
        "queries/sql_questions_standing.sql",
        tenant,
        target,
        normalised,
        other_than,
    )
    .fetch_optional(pool)
    .await
}

/// Changes a question. `false` when it is not any more as it was read.
pub(super) async fn edit(
    pool: &PgPool,
    person: &Identity,
    kept: &Kept,
    new: &New,
    at: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let anew = kept.is_of(person) && !kept.is_released();
    let done = sqlx::query_file!(
        "queries/sql_questions_edit.sql",
        person.tenant,
        kept.question_id,
        new.question,
        new.normalised,
        new.sql,
        &new.tables,
        new.meaning.as_ref().map(|(vector, _)| vector.as_slice()),
        new.meaning.as_ref().map(|(_, model)| model.as_str()),
        new.fingerprint,
        person.subject,
        person.name,
        at,
        anew,
        kept.is_released(),
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Keeps what was found of a question of before.
pub(super) async fn adopt(
    pool: &PgPool,
    tenant: &str,
    id: Uuid,
    sql: &str,
    tables: &[String],
    fingerprint: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query_file!(
        "queries/sql_questions_adopt.sql",
        tenant,
        id,
        sql,
        tables,
        fingerprint,
    )
    .execute(pool)
    .await
    .map(drop)
}

/// Withdraws a question that the person may withdraw. `false` when there is none any more.
pub(super) async fn withdraw(
    pool: &PgPool,
    person: &Identity,
    id: Uuid,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query_file!(
        "queries/sql_questions_withdraw.sql",
        person.tenant,
        id,
        person.subject,
        person.has_scope(APPROVE),
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Releases a question for the tenant in place of another, if one is given. `false` when it is not
/// any more as it was read.
pub(super) async fn release(
    pool: &PgPool,
    person: &Identity,
    kept: &Kept,
    in_place_of: Option<Uuid>,
    at: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let mut transaction = pool.begin().await?;
    if let Some(other) = in_place_of {
        sqlx::query_file!(
            "queries/sql_questions_withdraw.sql",
            person.tenant,
            other,
            person.subject,
            true,
        )
        .execute(&mut *transaction)
        .await?;
    }
    let done = sqlx::query_file!(
        "queries/sql_questions_release.sql",
        person.tenant,
        kept.question_id,
        person.subject,
        person.name,
        at,
        kept.sql,
    )
    .execute(&mut *transaction)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    transaction.commit().await?;
    Ok(true)
}
