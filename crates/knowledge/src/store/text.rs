//! A document as one text.

use sqlx::PgPool;
use uuid::Uuid;

use super::{count_of, is_open};
use crate::{DocumentText, Reader, TextPassage};

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
