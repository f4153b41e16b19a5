//! Documents and chunks in PostgreSQL.
//!
//! A transaction that writes for a tenant locks the tenant's row first, and counts its version up:
//! writers of one tenant wait for each other, and readers know when what they remember is old.

mod put;
mod text;

use sqlx::{PgConnection, PgExecutor, PgPool};
use uuid::Uuid;

use crate::vectors::{Model, Scope};
use crate::{DocumentSummary, Reader};

pub(crate) use put::{Kept, NewDocument, put};
pub(crate) use text::text;

/// Number of chunks that a document has.
pub(crate) struct Counts {
    pub(crate) chunks: u32,
    pub(crate) without_vector: u32,
}

/// The document of this name, if it is there with this content, read the same way.
pub(crate) async fn unchanged(
    pool: &PgPool,
    tenant: &str,
    collection: &str,
    filename: &str,
    content_hash: &[u8],
    recipe: &str,
) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_file_scalar!(
        "queries/document_unchanged.sql",
        tenant,
        collection,
        filename,
        content_hash,
        recipe,
    )
    .fetch_optional(pool)
    .await
}

/// A document that is there, and how it was read.
struct FoundDocument {
    document_id: Uuid,
    recipe: String,
}

/// The document of this name.
pub(crate) async fn find(
    pool: &PgPool,
    tenant: &str,
    collection: &str,
    filename: &str,
) -> Result<Option<Uuid>, sqlx::Error> {
    let found = sqlx::query_file_as!(
        FoundDocument,
        "queries/document_find.sql",
        tenant,
        collection,
        filename,
    )
    .fetch_optional(pool)
    .await?;
    Ok(found.map(|found| found.document_id))
}

/// Deletes a document. False when the tenant has none of that id.
pub(crate) async fn delete(
    pool: &PgPool,
    reader: &Reader,
    document_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let mut tx = pool.begin().await?;
    lock_tenant(&mut tx, &reader.tenant).await?;
    if !is_open(&mut *tx, reader, document_id).await? {
        return Ok(false);
    }
    let chunks = delete_documents(&mut tx, &reader.tenant, &[document_id]).await?;
    touch_tenant(&mut tx, &reader.tenant, -chunks).await?;
    tx.commit().await?;
    Ok(true)
}

/// Whether there is such a document, and it is open to the reader.
pub(crate) async fn is_open(
    executor: impl PgExecutor<'_>,
    reader: &Reader,
    document_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let found = sqlx::query_file_scalar!(
        "queries/document_open.sql",
        reader.tenant,
        document_id,
        reader.marks(),
    )
    .fetch_optional(executor)
    .await?;
    Ok(found.is_some())
}

/// Whether there is a collection of this name that is closed to the reader.
pub(crate) async fn is_closed(
    pool: &PgPool,
    reader: &Reader,
    collection: &str,
) -> Result<bool, sqlx::Error> {
    let Some(marks) = reader.marks() else {
        return Ok(false);
    };
    let closed = sqlx::query_file_scalar!(
        "queries/collection_closed.sql",
        reader.tenant,
        collection,
        marks,
    )
    .fetch_one(pool)
    .await?;
    Ok(closed > 0)
}

/// Deletes documents with their chunks; the number of these. The tenant is locked.
pub(crate) async fn delete_documents(
    conn: &mut PgConnection,
    tenant: &str,
    documents: &[Uuid],
) -> Result<i64, sqlx::Error> {
    let chunks = sqlx::query_scalar!(
        "SELECT chunk_id FROM tools.knowledge_chunks WHERE tenant = $1 AND document_id = ANY($2) ORDER BY chunk_id",
        tenant,
        documents,
    )
    .fetch_all(&mut *conn)
    .await?;
    put::forget(&mut *conn, tenant, &chunks).await?;
    sqlx::query!(
        "DELETE FROM tools.knowledge_documents WHERE tenant = $1 AND document_id = ANY($2)",
        tenant,
        documents,
    )
    .execute(conn)
    .await?;
    Ok(i64::try_from(chunks.len()).unwrap_or_default())
}

/// The subject of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    /// Its title, or its name where it has none.
    pub title: String,
    /// The heading of a part of it.
    pub topic: Option<String>,
}

/// The tenant's newest documents.
pub(crate) async fn glance(
    pool: &PgPool,
    reader: &Reader,
    most: u32,
) -> Result<Vec<Glance>, sqlx::Error> {
    sqlx::query_file_as!(
        Glance,
        "queries/documents_glance.sql",
        reader.tenant,
        i64::from(most),
        reader.marks(),
    )
    .fetch_all(pool)
    .await
}

/// The tenant's documents. A chunk without a vector of `model` counts as without vector.
pub(crate) async fn list(
    pool: &PgPool,
    reader: &Reader,
    collection: Option<&str>,
    model: Option<&Model>,
) -> Result<Vec<DocumentSummary>, sqlx::Error> {
    let rows = sqlx::query_file!(
        "queries/documents.sql",
        reader.tenant,
        collection,
        model.map(|model| model.key),
        reader.marks(),
    )
    .fetch_all(pool)
    .await?;
    let documents = rows.into_iter().map(|row| DocumentSummary {
        document_id: row.document_id.to_string(),
        collection: row.collection,
        filename: row.filename,
        media_type: row.media_type,
        bytes: row.bytes.unsigned_abs(),
        content_hash: row.content_hash,
        chunks: row.chunks.unsigned_abs(),
        chunks_without_vector: count_of(row.without_vector),
        updated_at: row.updated_at,
    });
    Ok(documents.collect())
}

/// Number of chunks that a document has.
pub(crate) async fn counts(
    pool: &PgPool,
    tenant: &str,
    document_id: Uuid,
    model: Option<&Model>,
) -> Result<Counts, sqlx::Error> {
    let row = sqlx::query_file!(
        "queries/document_counts.sql",
        tenant,
        document_id,
        model.map(|model| model.key),
    )
    .fetch_one(pool)
    .await?;
    Ok(Counts {
        chunks: count_of(row.chunks),
        without_vector: count_of(row.without_vector),
    })
}

/// The scope of a search in these collections and filenames; empty lists mean all.
pub(crate) async fn scope(
    pool: &PgPool,
    reader: &Reader,
    collections: &[String],
    filenames: &[String],
) -> Result<Scope, sqlx::Error> {
    let is_filtered = !collections.is_empty() || !filenames.is_empty();
    let row = sqlx::query_file!(
        "queries/scope.sql",
        reader.tenant,
        collections,
        filenames,
        is_filtered,
        reader.marks(),
    )
    .fetch_optional(pool)
    .await?;
    let mut scope = Scope {
        tenant: reader.tenant.clone(),
        documents: is_filtered.then(Vec::new),
        chunks: 0,
        version: 0,
    };
    if let Some(row) = row {
        scope.version = row.version;
        scope.chunks = u64::try_from(row.chunks).unwrap_or_default();
        if row.filtered {
            scope.documents = Some(row.documents);
        }
    }
    Ok(scope)
}

/// Inserts the tenant's row if there is none, and locks it.
pub(crate) async fn lock_tenant(conn: &mut PgConnection, tenant: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO tools.knowledge_tenants (tenant) VALUES ($1) ON CONFLICT DO NOTHING",
        tenant,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "SELECT FROM tools.knowledge_tenants WHERE tenant = $1 FOR NO KEY UPDATE",
        tenant,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Counts the tenant's version up, and its chunks.
pub(crate) async fn touch_tenant(
    conn: &mut PgConnection,
    tenant: &str,
    more_chunks: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE tools.knowledge_tenants SET version = version + 1, chunks = chunks + $2 WHERE tenant = $1",
        tenant,
        more_chunks,
    )
    .execute(conn)
    .await
    .map(drop)
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn count_of(count: i64) -> u32 {
    u32::try_from(count).unwrap_or_default()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
