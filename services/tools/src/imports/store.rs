//! Imports in the database.

use chrono::{DateTime, Utc};
use contracts::imports::{
    ColumnMapping, FileFormat, Import, ImportPreview, ImportProgress, ImportStatus,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use tokio::io::AsyncRead;
use uuid::Uuid;

use super::file::{self, StoreError, StoredFile};
use super::{Options, Preview, Refused, hex};

/// Maximum number of bytes of a tenant's files that wait.
const MOST_BYTES: i64 = 4 * 1024 * 1024 * 1024;

/// The imports.
#[derive(Debug, Clone)]
pub(crate) struct Imports {
    pool: PgPool,
}

/// A row of the table.
pub(super) struct ImportRow {
    import_id: Uuid,
    filename: String,
    content_hash: String,
    size_bytes: i64,
    options: Value,
    status: String,
    format: Option<String>,
    preview: Option<Value>,
    problem: Option<String>,
    rows_done: i64,
    rows_total: i64,
    accepted: i64,
    replaced: i64,
    refused: i64,
    empty: i64,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// A stored import, with what a job needs of it.
pub(crate) struct Stored {
    pub(crate) id: Uuid,
    pub(crate) import: Import,
    pub(crate) options: Options,
}

impl Imports {
    pub(crate) fn new(pool: PgPool) -> Self {
        Self { pool }
    }

    /// Whether a tenant may upload more files.
    pub(crate) async fn has_room(&self, tenant: &str) -> Result<bool, sqlx::Error> {
        let waiting = sqlx::query_scalar!(
            r#"SELECT coalesce(sum(i.size_bytes), 0)::bigint AS "bytes!" FROM tools.imports i
               WHERE i.tenant = $1 AND EXISTS (SELECT FROM tools.import_chunks c WHERE c.import_id = i.import_id)"#,
            tenant,
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(waiting < MOST_BYTES)
    }

    /// Stores the file of an upload. The import can be seen when it has a preview.
    pub(crate) async fn upload(
        &self,
        tenant: &str,
        filename: &str,
        options: &Options,
        reader: &mut (impl AsyncRead + Send + Unpin),
    ) -> Result<(Uuid, u64, String), StoreError> {
        let import = Uuid::now_v7();
        sqlx::query!(
            "INSERT INTO tools.imports (import_id, tenant, filename, content_hash, size_bytes, options, status)
             VALUES ($1, $2, $3, '', 0, $4, 'uploading')",
            import,
            tenant,
            filename,
            Json(options) as _,
        )
        .execute(&self.pool)
        .await?;
        match self.store_file(import, reader).await {
            Ok((size, hash)) => Ok((import, size, hash)),
            Err(error) => {
                // If the database is away, the upload is deleted an hour later.
                let _ = self.delete(import).await;
                Err(error)
            }
        }
    }

    async fn store_file(
        &self,
        import: Uuid,
        reader: &mut (impl AsyncRead + Send + Unpin),
    ) -> Result<(u64, String), StoreError> {
        let (size, hash) = file::store(&self.pool, import, reader).await?;
        sqlx::query!(
            "UPDATE tools.imports SET size_bytes = $2, content_hash = $3 WHERE import_id = $1",
            import,
            i64::try_from(size).unwrap_or(i64::MAX),
            hash,
        )
        .execute(&self.pool)
        .await?;
        Ok((size, hash))
    }

    /// An earlier import of the same file with the same options. A mapping that was corrected since
    /// does not make it another one. One whose devices were deleted since is not the same: its
    /// readings were deleted with them.
    pub(crate) async fn same(
        &self,
        tenant: &str,
        hash: &str,
        options: &Options,
        filename: &str,
    ) -> Result<Option<Uuid>, sqlx::Error> {
        sqlx::query_file_scalar!(
            "queries/imports_same.sql",
            tenant,
            hash,
            Json(options) as _,
            filename,
        )
        .fetch_optional(&self.pool)
        .await
    }

    pub(crate) fn file(&self, import: Uuid, size: u64) -> StoredFile {
        StoredFile::new(self.pool.clone(), import, size)
    }

    /// Whether the file of an import is kept.
    pub(crate) async fn is_kept(&self, import: Uuid) -> Result<bool, sqlx::Error> {
        sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM tools.import_chunks WHERE import_id = $1) AS "kept!""#,
            import,
        )
        .fetch_one(&self.pool)
        .await
    }

    /// Gives the file of an upload to an earlier import of the same file that keeps it no more.
    pub(crate) async fn hand_over(&self, from: Uuid, to: Uuid) -> Result<(), sqlx::Error> {
        sqlx::query!(
            "UPDATE tools.import_chunks SET import_id = $2
             WHERE import_id = $1 AND NOT EXISTS (SELECT FROM tools.import_chunks k WHERE k.import_id = $2)",
            from,
            to,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Keeps the preview of an import, or why there is none. A file that is refused for good is not
    /// kept.
    pub(crate) async fn keep_preview(
        &self,
        import: Uuid,
        options: &Options,
        preview: Result<&Preview, &Refused>,
    ) -> Result<bool, sqlx::Error> {
        let refusal = preview.err().map(|refused| refused.error.to_string());
        let problem = refusal.as_deref();
        let (status, format, described, rows) = match preview {
            Ok(preview) => {
                let rows = i64::try_from(preview.preview.rows).unwrap_or(i64::MAX);
                (
                    "ready",
                    Some(preview.format.name()),
                    Some(Json(&preview.preview)),
                    rows,
                )
            }
            Err(refused) => ("refused", None, refused.columns.as_ref().map(Json), 0),
        };
        let mut transaction = self.pool.begin().await?;
        let kept = sqlx::query_file!(
            "queries/imports_preview.sql",
            import,
            Json(options) as _,
            status,
            format,
            described as _,
            problem,
            rows,
        )
        .execute(&mut *transaction)
        .await?;
        let is_kept = kept.rows_affected() > 0;
        if is_kept && preview.is_err_and(Refused::is_final) {
            delete_file(&mut transaction, import).await?;
        }
        transaction.commit().await?;
        Ok(is_kept)
    }

    pub(crate) async fn get(
        &self,
        tenant: &str,
        import: Uuid,
    ) -> Result<Option<Stored>, sqlx::Error> {
        let row = sqlx::query_file_as!(ImportRow, "queries/imports_get.sql", tenant, import)
            .fetch_optional(&self.pool)
            .await?;
        row.map(Stored::try_from).transpose()
    }

    pub(crate) async fn list(&self, tenant: &str) -> Result<Vec<Import>, sqlx::Error> {
        let rows = sqlx::query_file_as!(ImportRow, "queries/imports_list.sql", tenant)
            .fetch_all(&self.pool)
            .await?;
        rows.into_iter()
            .map(|row| Stored::try_from(row).map(|stored| stored.import))
            .collect()
    }

    /// Queues an import that is ready or failed. `false` if it is in another state.
    pub(crate) async fn queue(&self, import: Uuid) -> Result<bool, sqlx::Error> {
        let queued = sqlx::query!(
            "UPDATE tools.imports SET status = 'queued', problem = NULL, failures = 0, not_before = now(), updated_at = now()
             WHERE import_id = $1 AND status IN ('ready', 'failed')",
            import,
        )
        .execute(&self.pool)
        .await?;
        Ok(queued.rows_affected() > 0)
    }

    /// Cancels an import that has not ended. `false` if it has. It cannot be run again, so its file
    /// is not kept.
    pub(crate) async fn cancel(&self, import: Uuid) -> Result<bool, sqlx::Error> {
        let mut transaction = self.pool.begin().await?;
        let cancelled = sqlx::query!(
            "UPDATE tools.imports SET status = 'cancelled', worker = NULL, lease_until = NULL, updated_at = now()
             WHERE import_id = $1 AND status IN ('ready', 'refused', 'queued', 'running', 'failed')",
            import,
        )
        .execute(&mut *transaction)
        .await?;
        let is_cancelled = cancelled.rows_affected() > 0;
        if is_cancelled {
            delete_file(&mut transaction, import).await?;
        }
        transaction.commit().await?;
        Ok(is_cancelled)
    }

    /// Deletes an import that does not run.
    pub(crate) async fn delete(&self, import: Uuid) -> Result<bool, sqlx::Error> {
        let deleted = sqlx::query!(
            "DELETE FROM tools.imports WHERE import_id = $1 AND status NOT IN ('queued', 'running')",
            import,
        )
        .execute(&self.pool)
        .await?;
        Ok(deleted.rows_affected() > 0)
    }

    /// The mappings that users of the tenant corrected, the newest first.
    pub(crate) async fn mappings(
        &self,
        tenant: &str,
    ) -> Result<Vec<(String, ColumnMapping)>, sqlx::Error> {
        let rows = sqlx::query!(
            "SELECT shape, mapping FROM tools.import_mappings WHERE tenant = $1 ORDER BY updated_at DESC LIMIT 100",
            tenant,
        )
        .fetch_all(&self.pool)
        .await?;
        Ok(rows
            .into_iter()
            .filter_map(|row| Some((row.shape, serde_json::from_value(row.mapping).ok()?)))
            .collect())
    }

    /// Remembers a mapping for the tenant's files of the same header.
    pub(crate) async fn remember(
        &self,
        tenant: &str,
        mapping: &ColumnMapping,
    ) -> Result<(), sqlx::Error> {
        let hash = Sha256::digest(plant_files::table::shape(mapping).as_bytes());
        let shape = hex(&hash);
        sqlx::query!(
            "INSERT INTO tools.import_mappings (tenant, shape, mapping) VALUES ($1, $2, $3)
             ON CONFLICT (tenant, shape) DO UPDATE SET mapping = excluded.mapping, updated_at = now()",
            tenant,
            shape,
            Json(mapping) as _,
        )
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// Deletes the file of an import.
async fn delete_file(connection: &mut PgConnection, import: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM tools.import_chunks WHERE import_id = $1",
        import
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl TryFrom<ImportRow> for Stored {
    type Error = sqlx::Error;

    fn try_from(row: ImportRow) -> Result<Self, sqlx::Error> {
        fn json<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, sqlx::Error> {
            serde_json::from_value(value).map_err(|error| sqlx::Error::Decode(error.into()))
        }
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        let options: Options = json(row.options)?;
        let status: ImportStatus = json(Value::from(row.status))?;
        let import = Import {
            import_id: row.import_id.to_string(),
            filename: row.filename,
            size_bytes: count(row.size_bytes),
            content_hash: row.content_hash,
            known: false,
            status,
            problem: row.problem,
            site: options.site.clone(),
            timezone: options.timezone.clone(),
            format: row.format.as_deref().and_then(FileFormat::named),
            preview: row.preview.map(json::<ImportPreview>).transpose()?,
            progress: ImportProgress {
                rows_done: count(row.rows_done),
                rows_total: count(row.rows_total),
                accepted: count(row.accepted),
                replaced: count(row.replaced),
                refused: count(row.refused),
                empty: count(row.empty),
            },
            created_at: row.created_at,
            updated_at: row.updated_at,
        };
        Ok(Self {
            id: row.import_id,
            import,
            options,
        })
    }
}
