//! The rows. Each query is by tenant, save those with which a process learns of all of them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use contracts::targets::{LayerQuestion, TargetFile, TargetJob, TargetJobStatus, TargetKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};

use super::settings::Settings;
use crate::added::{self, json};
use crate::credentials::cipher::Sealed;

/// A target as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) tenant: String,
    pub(crate) name: String,
    pub(crate) kind: TargetKind,
    pub(crate) settings: Settings,
    pub(super) sealed: Option<Sealed>,
    pub(crate) sheet_schema: Option<String>,
    pub(crate) sheet: Option<Sheet>,
    pub(crate) questions: Vec<LayerQuestion>,
    pub(crate) version: i64,
    pub(crate) job: TargetJob,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
}

/// The file of a spreadsheet, and the role that reads its tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sheet {
    pub(crate) file: TargetFile,
    pub(crate) role: Option<String>,
    /// Remarks for answers about a table (`table`) or a column (`table.column`). Targets of
    /// earlier releases have none.
    #[serde(default)]
    pub(crate) remarks: BTreeMap<String, String>,
}

struct Row {
    tenant: String,
    name: String,
    kind: String,
    settings: Value,
    key_id: Option<String>,
    nonce: Option<Vec<u8>>,
    ciphertext: Option<Vec<u8>>,
    sheet_schema: Option<String>,
    sheet: Option<Value>,
    questions: Option<Value>,
    version: i64,
    job_status: String,
    job_step: String,
    job_done: i32,
    job_total: i32,
    job_problem: Option<String>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl Row {
    fn stored(self) -> Result<Stored, sqlx::Error> {
        let decoded = |error: serde_json::Error| sqlx::Error::Decode(error.into());
        let sealed = match (self.key_id, self.nonce, self.ciphertext) {
            (Some(key_id), Some(nonce), Some(ciphertext)) => Some(Sealed {
                key_id,
                nonce,
                ciphertext,
            }),
            _ => None,
        };
        Ok(Stored {
            kind: match self.kind.as_str() {
                "spreadsheet" => TargetKind::Spreadsheet,
                _ => TargetKind::Database,
            },
            settings: serde_json::from_value(self.settings).map_err(decoded)?,
            sealed,
            sheet_schema: self.sheet_schema,
            sheet: self
                .sheet
                .map(serde_json::from_value)
                .transpose()
                .map_err(decoded)?,
            questions: match self.questions {
                Some(questions) => serde_json::from_value(questions).map_err(decoded)?,
                None => Vec::new(),
            },
            version: self.version,
            job: TargetJob {
                status: match self.job_status.as_str() {
                    "running" => TargetJobStatus::Running,
                    "done" => TargetJobStatus::Done,
                    "failed" => TargetJobStatus::Failed,
                    _ => TargetJobStatus::Queued,
                },
                step: self.job_step,
                done: u32::try_from(self.job_done).unwrap_or_default(),
                total: u32::try_from(self.job_total).unwrap_or_default(),
                problem: self.job_problem,
            },
            tenant: self.tenant,
            name: self.name,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

/// The targets of a tenant, or of all, or the one of a name.
pub(super) async fn all(
    pool: &PgPool,
    tenant: Option<&str>,
    name: Option<&str>,
) -> Result<Vec<Stored>, sqlx::Error> {
    let rows = sqlx::query_file_as!(Row, "queries/targets_all.sql", tenant, name)
        .fetch_all(pool)
        .await?;
    rows.into_iter().map(Row::stored).collect()
}

/// Adds a database. `false` if the tenant has a target of this name.
pub(super) async fn insert(
    pool: &PgPool,
    tenant: &str,
    name: &str,
    settings: &Settings,
    sealed: &Sealed,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "INSERT INTO tools.targets (tenant, name, kind, settings, key_id, nonce, ciphertext)
         VALUES ($1, $2, 'database', $3, $4, $5, $6)
         ON CONFLICT (tenant, name) DO NOTHING",
        tenant,
        name,
        json(settings)?,
        sealed.key_id,
        sealed.nonce,
        sealed.ciphertext,
    )
    .execute(pool)
    .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Changes a target unless it was changed since `version`; the job reads it again.
pub(super) async fn update(
    pool: &PgPool,
    stored: &Stored,
    settings: &Settings,
    sealed: Option<&Sealed>,
) -> Result<bool, sqlx::Error> {
    let sealed = sealed.or(stored.sealed.as_ref());
    let updated = sqlx::query!(
        "UPDATE tools.targets
         SET settings = $4, key_id = $5, nonce = $6, ciphertext = $7, version = nextval('tools.target_versions'),
             job_status = 'queued', worker = NULL, job_problem = NULL, updated_at = now()
         WHERE tenant = $1 AND name = $2 AND version = $3",
        stored.tenant,
        stored.name,
        stored.version,
        json(settings)?,
        sealed.map(|sealed| sealed.key_id.as_str()),
        sealed.map(|sealed| sealed.nonce.as_slice()),
        sealed.map(|sealed| sealed.ciphertext.as_slice()),
    )
    .execute(pool)
    .await?;
    Ok(updated.rows_affected() > 0)
}

#[async_trait]
impl added::Row for Stored {
    fn key(&self) -> (&str, &str) {
        (&self.tenant, &self.name)
    }

    fn version(&self) -> i64 {
        self.version
    }

    fn sealed(&self) -> Option<&Sealed> {
        self.sealed.as_ref()
    }

    async fn all(pool: &PgPool) -> Result<Vec<Self>, sqlx::Error> {
        all(pool, None, None).await
    }

    async fn encrypt_anew(&self, pool: &PgPool, sealed: &Sealed) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "UPDATE tools.targets SET key_id = $4, nonce = $5, ciphertext = $6
             WHERE tenant = $1 AND name = $2 AND version = $3",
            self.tenant,
            self.name,
            self.version,
            sealed.key_id,
            sealed.nonce,
            sealed.ciphertext,
        )
        .execute(pool)
        .await
        .map(drop)
    }
}

/// Has the job read a target again.
pub(super) async fn requeue(pool: &PgPool, tenant: &str, name: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE tools.targets SET job_status = 'queued', worker = NULL, job_problem = NULL, updated_at = now()
         WHERE tenant = $1 AND name = $2",
        tenant,
        name,
    )
    .execute(pool)
    .await
    .map(drop)
}

/// A removed target.
pub(super) struct Removed {
    /// The schema of its tables, if it had one.
    pub(super) sheet_schema: Option<String>,
}

/// Removes a target. `None` if there is none.
pub(super) async fn delete(
    connection: &mut PgConnection,
    tenant: &str,
    name: &str,
) -> Result<Option<Removed>, sqlx::Error> {
    sqlx::query_as!(
        Removed,
        "WITH test AS (DELETE FROM tools.tested WHERE kind = 'target' AND tenant = $1 AND name = $2)
         DELETE FROM tools.targets WHERE tenant = $1 AND name = $2 RETURNING sheet_schema",
        tenant,
        name,
    )
    .fetch_optional(connection)
    .await
}

/// Puts the tables of a file in place of those before; the schema of those.
pub(super) async fn put_sheet(
    connection: &mut PgConnection,
    (tenant, name): (&str, &str),
    settings: &Settings,
    schema: &str,
    sheet: &Sheet,
) -> Result<(), sqlx::Error> {
    sqlx::query_file!(
        "queries/targets_put_sheet.sql",
        tenant,
        name,
        json(settings)?,
        schema,
        json(sheet)?,
    )
    .execute(connection)
    .await
    .map(drop)
}
