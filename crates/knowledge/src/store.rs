//! Documents and chunks in PostgreSQL.
//!
//! A transaction that writes for a tenant locks the tenant's row first, and counts its version up:
//! writers of one tenant wait for each other, and readers know when what they remember is old.

use std::collections::HashMap;

use serde_json::json;
use sqlx::{PgConnection, PgExecutor, PgPool};
use uuid::Uuid;

use crate::chunk::Chunk;
use crate::document::MediaType;
use crate::vectors::{Model, Scope};
use crate::words::words;
use crate::{DocumentSummary, DocumentText, IngestOutcome, Reader, TextPassage};

/// A document to be kept.
pub(crate) struct NewDocument<'a> {
    pub(crate) tenant: &'a str,
    pub(crate) collection: &'a str,
    pub(crate) filename: &'a str,
    pub(crate) media_type: MediaType,
    pub(crate) bytes: u64,
    pub(crate) content_hash: [u8; 32],
    pub(crate) recipe: &'a str,
    pub(crate) title: Option<&'a str>,
    pub(crate) pages: Option<u32>,
    pub(crate) chunks: &'a [Chunk],
    pub(crate) language: &'a str,
}

/// The stored document.
pub(crate) struct Kept {
    pub(crate) document_id: Uuid,
    pub(crate) outcome: IngestOutcome,
    pub(crate) written: u32,
    pub(crate) deleted: u32,
}

impl Kept {
    /// It was there as it is.
    pub(crate) fn unchanged(document_id: Uuid) -> Self {
        Self {
            document_id,
            outcome: IngestOutcome::Unchanged,
            written: 0,
            deleted: 0,
        }
    }
}

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

/// Keeps a document: writes the chunks that are new, moves those that are there elsewhere in it,
/// deletes the others.
pub(crate) async fn put(pool: &PgPool, new: &NewDocument<'_>) -> Result<Kept, sqlx::Error> {
    let mut tx = pool.begin().await?;
    // Waiting for another writer counts as running.
    sqlx::query!("SET LOCAL statement_timeout = '5min'",)
        .execute(&mut *tx)
        .await?;
    lock_tenant(&mut tx, new.tenant).await?;
    let found = find_in(&mut tx, new).await?;
    let document_id = found
        .as_ref()
        .map_or_else(Uuid::now_v7, |found| found.document_id);
    // Words of another language are other words, whatever the text.
    let same_words = found
        .as_ref()
        .is_none_or(|found| found.recipe.rsplit('/').next() == Some(new.language));
    put_document(&mut tx, document_id, new).await?;
    let changes = Changes::between(existing(&mut tx, document_id).await?, new, same_words);
    forget(&mut tx, new.tenant, &changes.gone).await?;
    move_chunks(&mut tx, &changes.moved).await?;
    let written = insert(&mut tx, document_id, new, &changes.fresh).await?;
    count(&mut tx, new.tenant, &written, 1).await?;
    let more = i64::try_from(written.len()).unwrap_or_default()
        - i64::try_from(changes.gone.len()).unwrap_or_default();
    touch_tenant(&mut tx, new.tenant, more).await?;
    tx.commit().await?;
    Ok(Kept {
        document_id,
        outcome: match found {
            Some(_) => IngestOutcome::Updated,
            None => IngestOutcome::Created,
        },
        written: number(written.len()),
        deleted: number(changes.gone.len()),
    })
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
    forget(&mut *conn, tenant, &chunks).await?;
    sqlx::query!(
        "DELETE FROM tools.knowledge_documents WHERE tenant = $1 AND document_id = ANY($2)",
        tenant,
        documents,
    )
    .execute(conn)
    .await?;
    Ok(i64::try_from(chunks.len()).unwrap_or_default())
}

/// The chunks of a document one after the other, each heading where it begins.
pub(crate) async fn text(
    pool: &PgPool,
    reader: &Reader,
    document_id: Uuid,
) -> Result<Option<DocumentText>, sqlx::Error> {
    if !is_open(pool, reader, document_id).await? {
        return Ok(None);
    }
    let tenant = &reader.tenant;
    let chunks = sqlx::query_file!("queries/document_text.sql", tenant, document_id)
        .fetch_all(pool)
        .await?;
    let Some(filename) = chunks.first().map(|chunk| chunk.filename.clone()) else {
        return Ok(None);
    };
    let mut text = Reading::default();
    let mut above: Vec<String> = Vec::new();
    let mut passages = Vec::new();
    for chunk in chunks {
        for (level, heading) in chunk.headings.iter().enumerate() {
            if above.get(level) != Some(heading) {
                text.push(&"#".repeat((level + 1).min(6)));
                text.push(" ");
                text.push(heading);
                text.push("\n\n");
                above.truncate(level);
                above.push(heading.clone());
            }
        }
        above.truncate(chunk.headings.len());
        let start = text.length;
        text.push(chunk.content.trim());
        passages.push(TextPassage {
            index: count_of(chunk.chunk_index.into()),
            page: chunk.page.and_then(|page| u32::try_from(page).ok()),
            headings: chunk.headings,
            start,
            end: text.length,
        });
        text.push("\n\n");
    }
    Ok(Some(DocumentText {
        document_id: document_id.to_string(),
        filename,
        text: text.text.trim_end().to_owned(),
        passages,
    }))
}

/// A text that is put together.
#[derive(Default)]
struct Reading {
    text: String,
    /// In characters.
    length: u32,
}

impl Reading {
    fn push(&mut self, more: &str) {
        self.text.push_str(more);
        let more = u32::try_from(more.chars().count()).unwrap_or(u32::MAX);
        self.length = self.length.saturating_add(more);
    }
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

async fn find_in(
    conn: &mut PgConnection,
    new: &NewDocument<'_>,
) -> Result<Option<FoundDocument>, sqlx::Error> {
    sqlx::query_file_as!(
        FoundDocument,
        "queries/document_find.sql",
        new.tenant,
        new.collection,
        new.filename,
    )
    .fetch_optional(conn)
    .await
}

async fn put_document(
    conn: &mut PgConnection,
    document_id: Uuid,
    new: &NewDocument<'_>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO tools.knowledge_collections (tenant, name) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        new.tenant,
        new.collection,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query_file!(
        "queries/document_put.sql",
        document_id,
        new.tenant,
        new.collection,
        new.filename,
        new.media_type.as_str(),
        i64::try_from(new.bytes).unwrap_or(i64::MAX),
        &new.content_hash[..],
        new.recipe,
        i32::try_from(new.chunks.len()).unwrap_or(i32::MAX),
        json!({"title": new.title, "pages": new.pages}),
    )
    .execute(conn)
    .await
    .map(drop)
}

/// A chunk that is there.
struct Existing {
    chunk_id: i64,
    chunk_index: i32,
    page: Option<i32>,
    content_hash: Vec<u8>,
}

async fn existing(
    conn: &mut PgConnection,
    document_id: Uuid,
) -> Result<Vec<Existing>, sqlx::Error> {
    sqlx::query_as!(
        Existing,
        "SELECT chunk_id, chunk_index, page, content_hash FROM tools.knowledge_chunks WHERE document_id = $1 ORDER BY chunk_index",
        document_id,
    )
    .fetch_all(conn)
    .await
}

/// The changes of a document's chunks.
#[derive(Default)]
struct Changes {
    /// Chunks that go.
    gone: Vec<i64>,
    /// Chunks that stay and have another place or page.
    moved: Vec<Moved>,
    /// The places of chunks that are new.
    fresh: Vec<usize>,
}

struct Moved {
    chunk_id: i64,
    chunk_index: i32,
    page: Option<i32>,
}

impl Changes {
    /// Chunks of the same text are the same chunk, in the order in which they stand.
    fn between(existing: Vec<Existing>, new: &NewDocument<'_>, same_words: bool) -> Self {
        let mut there: HashMap<Vec<u8>, std::collections::VecDeque<Existing>> = HashMap::new();
        let mut changes = Self::default();
        for chunk in existing {
            if same_words {
                there
                    .entry(chunk.content_hash.clone())
                    .or_default()
                    .push_back(chunk);
            } else {
                changes.gone.push(chunk.chunk_id);
            }
        }
        for (at, chunk) in new.chunks.iter().enumerate() {
            let (chunk_index, page) = (place(at), page(chunk));
            match there
                .get_mut(&chunk.hash()[..])
                .and_then(std::collections::VecDeque::pop_front)
            {
                None => changes.fresh.push(at),
                Some(old) if old.chunk_index == chunk_index && old.page == page => {}
                Some(old) => changes.moved.push(Moved {
                    chunk_id: old.chunk_id,
                    chunk_index,
                    page,
                }),
            }
        }
        let left = there.into_values().flatten().map(|chunk| chunk.chunk_id);
        changes.gone.extend(left);
        changes.gone.sort_unstable();
        changes
    }
}

/// Deletes chunks, and counts their words down.
async fn forget(conn: &mut PgConnection, tenant: &str, chunks: &[i64]) -> Result<(), sqlx::Error> {
    if chunks.is_empty() {
        return Ok(());
    }
    count(conn, tenant, chunks, -1).await?;
    sqlx::query!(
        "DELETE FROM tools.knowledge_chunks WHERE chunk_id = ANY($1) AND tenant = $2",
        chunks,
        tenant,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Counts the words of chunks up or down.
async fn count(
    conn: &mut PgConnection,
    tenant: &str,
    chunks: &[i64],
    by: i32,
) -> Result<(), sqlx::Error> {
    if chunks.is_empty() {
        return Ok(());
    }
    sqlx::query_file!("queries/terms_count.sql", tenant, chunks, by,)
        .execute(&mut *conn)
        .await?;
    if by < 0 {
        sqlx::query!(
            "DELETE FROM tools.knowledge_terms WHERE tenant = $1 AND chunks <= 0",
            tenant,
        )
        .execute(conn)
        .await?;
    }
    Ok(())
}

async fn move_chunks(conn: &mut PgConnection, moved: &[Moved]) -> Result<(), sqlx::Error> {
    if moved.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = moved.iter().map(|moved| moved.chunk_id).collect();
    let places: Vec<i32> = moved.iter().map(|moved| moved.chunk_index).collect();
    let pages: Vec<Option<i32>> = moved.iter().map(|moved| moved.page).collect();
    sqlx::query!(
        "UPDATE tools.knowledge_chunks c SET chunk_index = m.chunk_index, page = m.page
         FROM unnest($1::bigint[], $2::integer[], $3::integer[]) AS m (chunk_id, chunk_index, page)
         WHERE c.chunk_id = m.chunk_id",
        &ids,
        &places,
        pages as _,
    )
    .execute(conn)
    .await
    .map(drop)
}

/// Writes chunks; returns their ids.
async fn insert(
    conn: &mut PgConnection,
    document_id: Uuid,
    new: &NewDocument<'_>,
    fresh: &[usize],
) -> Result<Vec<i64>, sqlx::Error> {
    /// Rows of a statement.
    const ROWS: usize = 500;
    let name = words(new.filename);
    let mut ids = Vec::with_capacity(fresh.len());
    for fresh in fresh.chunks(ROWS) {
        let rows: Vec<_> = fresh
            .iter()
            .map(|at| {
                let chunk = &new.chunks[*at];
                json!({
                    "chunk_index": place(*at),
                    "headings": chunk.headings,
                    "content": chunk.content,
                    "page": chunk.page,
                    "hash": hex(&chunk.hash()),
                    "above": words(&chunk.headings.join(" ")),
                    "words": words(&chunk.content),
                })
            })
            .collect();
        let written = sqlx::query_file_scalar!(
            "queries/chunks_insert.sql",
            document_id,
            new.tenant,
            new.language,
            name,
            serde_json::Value::Array(rows),
        )
        .fetch_all(&mut *conn)
        .await?;
        ids.extend(written);
    }
    Ok(ids)
}

fn place(at: usize) -> i32 {
    i32::try_from(at).unwrap_or(i32::MAX)
}

fn page(chunk: &Chunk) -> Option<i32> {
    chunk.page.and_then(|page| i32::try_from(page).ok())
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
