//! Reading documents: bytes in, [`Document`] out. Runs in a [process of its
//! own](crate::reader_process).

mod decode;
mod html;
mod markdown;
#[cfg(feature = "pdf")]
mod pdf;
mod text;

use crate::Error;
use crate::document::{Content, Document, MediaType};

/// Reads a document; returns also the number of pages that could not be read.
pub(crate) fn read(kind: MediaType, bytes: &[u8]) -> Result<(Document, u32), Error> {
    let (document, unreadable_pages) = read_now(kind, bytes)?;
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
        return Ok((document, unreadable_pages));
    }
    Err(Error::NoText((kind == MediaType::Pdf).then(|| {
        "its pages are pictures, which want character recognition first".to_owned()
    })))
}

fn read_now(kind: MediaType, bytes: &[u8]) -> Result<(Document, u32), Error> {
    let document = match kind {
        MediaType::Markdown => markdown::read(&decode::text(bytes)?),
        MediaType::Html => html::read(&decode::text(bytes)?),
        MediaType::PlainText => text::read(&decode::text(bytes)?),
        #[cfg(feature = "pdf")]
        MediaType::Pdf => return pdf::read(bytes),
        #[cfg(not(feature = "pdf"))]
        MediaType::Pdf => {
            return Err(Error::Broken(
                "this program was built without reading PDF files (feature `pdf`)".to_owned(),
            ));
        }
    };
    Ok((document, 0))
}

fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests;
