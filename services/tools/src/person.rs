//! The data that the schema `tools` keeps of a person, and their erasure.
//!
//! Readings, sites and documents belong to the tenant and name no person. A table that gets a
//! column for a person belongs in [`erase`]; a test finds one that is missing.

use contracts::person::PersonRecords;
use service_kit::identity::Identity;
use sqlx::PgPool;

/// The rows that name a person beside own questions, choices and credentials, by their table.
pub(crate) async fn records(
    pool: &PgPool,
    person: &Identity,
) -> Result<PersonRecords, sqlx::Error> {
    let rows = sqlx::query_file!("queries/records_of.sql", person.tenant, person.subject)
        .fetch_all(pool)
        .await?;
    Ok(rows.into_iter().map(|row| (row.table, row.row)).collect())
}

/// Erases all of it, at once or not at all. Erasing again changes nothing.
pub async fn erase(pool: &PgPool, person: &Identity) -> Result<(), sqlx::Error> {
    let mut transaction = pool.begin().await?;
    sqlx::query!(
        "DELETE FROM tools.credentials WHERE tenant = $1 AND subject = $2",
        person.tenant,
        person.subject,
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!(
        "DELETE FROM tools.credential_refreshes WHERE tenant = $1 AND subject = $2",
        person.tenant,
        person.subject,
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!(
        "DELETE FROM tools.remembered_choices WHERE tenant = $1 AND subject = $2",
        person.tenant,
        person.subject,
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!(
        "DELETE FROM tools.sql_questions WHERE tenant = $1 AND confirmed_by = $2",
        person.tenant,
        person.subject,
    )
    .execute(&mut *transaction)
    .await?;
    // What the person did to questions of colleagues stays done; the rows no longer say who it was.
    sqlx::query!(
        "UPDATE tools.sql_questions SET edited_by = NULL, edited_by_name = NULL WHERE tenant = $1 AND edited_by = $2",
        person.tenant,
        person.subject,
    )
    .execute(&mut *transaction)
    .await?;
    sqlx::query!(
        "UPDATE tools.sql_questions SET released_by = NULL, released_by_name = NULL WHERE tenant = $1 AND released_by = $2",
        person.tenant,
        person.subject,
    )
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}
