//! Reading documents: bytes in, [`Document`] out.

mod decode;
mod html;
mod markdown;
mod pdf;
mod text;

use std::time::Duration;

use crate::Error;
use crate::document::{Content, Document, MediaType};

/// Reads a document on a thread of its own. A reader that panics over broken bytes, or takes too long, fails this document alone.
pub(crate) async fn read(
    kind: MediaType,
    bytes: Vec<u8>,
    patience: Duration,
) -> Result<Document, Error> {
    let reading = tokio::task::spawn_blocking(move || read_now(kind, &bytes));
    let document = match tokio::time::timeout(patience, reading).await {
        Ok(Ok(document)) => document?,
        Ok(Err(stopped)) if stopped.is_panic() => {
            return Err(Error::Broken("its structure makes no sense".to_owned()));
        }
        Ok(Err(_)) | Err(_) => return Err(Error::TooSlow),
    };
    let has_text = document.blocks.iter().any(|block| match &block.content {
        Content::Heading { text, .. } | Content::Paragraph(text) | Content::Code(text) => {
            has_words(text)
        }
        Content::List(items) => items.iter().any(|item| has_words(item)),
        Content::Table { header, rows } => {
            has_words(header) || rows.iter().any(|row| has_words(row))
        }
    });
    if has_text {
        return Ok(document);
    }
    Err(Error::NoText((kind == MediaType::Pdf).then(|| {
        "its pages are pictures, which want character recognition first".to_owned()
    })))
}

fn read_now(kind: MediaType, bytes: &[u8]) -> Result<Document, Error> {
    Ok(match kind {
        MediaType::Markdown => markdown::read(&decode::text(bytes)?),
        MediaType::Html => html::read(&decode::text(bytes)?),
        MediaType::PlainText => text::read(&decode::text(bytes)?),
        MediaType::Pdf => pdf::read(bytes)?,
    })
}

fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests;
