//! A document is written: chunks that are new are inserted, those that are there are moved, the
//! others deleted.

use std::collections::HashMap;

use serde_json::json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::{FoundDocument, hex, lock_tenant, number, touch_tenant};
use crate::IngestOutcome;
use crate::chunk::Chunk;
use crate::document::MediaType;
use crate::words::words;

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
pub(super) async fn forget(
    conn: &mut PgConnection,
    tenant: &str,
    chunks: &[i64],
) -> Result<(), sqlx::Error> {
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
