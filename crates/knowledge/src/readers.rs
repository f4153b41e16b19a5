//! Reading documents: bytes in, [`Document`] out. Runs in a [process of its
//! own](crate::reader_process).

mod decode;
mod email;
mod flow;
mod html;
mod markdown;
mod office;
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
    check_beginning(kind, bytes)?;
    let document = match kind {
        MediaType::Markdown => markdown::read(&decode::text(bytes)?)?,
        MediaType::Html => html::read(&decode::text(bytes)?)?,
        MediaType::PlainText => text::read(&decode::text(bytes)?),
        MediaType::Word => office::docx::read(bytes)?,
        MediaType::Slides => office::pptx::read(bytes)?,
        MediaType::Workbook => office::xlsx::read(bytes)?,
        MediaType::Email => email::read(bytes)?,
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

/// Refuses a file whose first bytes are those of another kind than its name says.
fn check_beginning(kind: MediaType, bytes: &[u8]) -> Result<(), Error> {
    let is_office = matches!(
        kind,
        MediaType::Word | MediaType::Slides | MediaType::Workbook
    );
    let why = if bytes.starts_with(b"%PDF-") && kind != MediaType::Pdf {
        "it is a PDF, but its name has another ending; rename it to .pdf"
    } else if bytes.starts_with(b"PK\x03\x04") && !is_office {
        "it is a zipped file (perhaps .docx, .pptx or .xlsx), but its name has another ending"
    } else if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
        if is_office {
            // Office puts what a password protects into the old container.
            return Err(Error::Encrypted);
        }
        "it is in an old Office format; save it as .docx, .pptx or .xlsx"
    } else if is_office && !bytes.starts_with(b"PK") {
        "it does not begin as an Office file does; check its ending"
    } else {
        return Ok(());
    };
    Err(Error::Broken(why.to_owned()))
}

fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod office_tests;
#[cfg(test)]
mod tests;
