//! PDF: the text of each page. What is not text, a scan above all, is not read.

use pdf_extract::{Document as Pdf, OutputError, PlainTextOutput, output_doc_page};

use super::text;
use crate::Error;
use crate::document::{Document, tidy};

/// The last bytes of a file, which have the mark of its end.
const END: usize = 1024;

/// Also says how many pages could not be read.
pub(super) fn read(bytes: &[u8]) -> Result<(Document, u32), Error> {
    if !bytes.windows(5).take(1024).any(|start| start == b"%PDF-") {
        return Err(Error::Broken("it does not begin as a PDF does".to_owned()));
    }
    let mut pdf = Pdf::load_mem(bytes).map_err(|error| broken(bytes, &error))?;
    // Many files are encrypted with an empty password, which any reader opens.
    if pdf.is_encrypted() && pdf.decrypt("").is_err() {
        return Err(Error::Encrypted);
    }
    let numbers: Vec<u32> = pdf.get_pages().into_keys().collect();
    // Of one that no password opens, nothing is there.
    if numbers.is_empty() && (pdf.was_encrypted() || pdf.trailer.has(b"Encrypt")) {
        return Err(Error::Encrypted);
    }
    if numbers.is_empty() {
        return Err(faulty(bytes, "it has no pages"));
    }
    let mut document = Document {
        title: title(&pdf),
        pages: u32::try_from(numbers.len()).ok(),
        blocks: Vec::new(),
    };
    let (mut failure, mut failures) = (None, 0);
    for number in numbers {
        // A page that cannot be read does not take the others with it.
        match page(&pdf, number) {
            Ok(words) => text::push(&clean(&words), Some(number), &mut document.blocks),
            Err(error) => {
                failures += 1;
                failure = Some(error);
            }
        }
    }
    match failure {
        Some(failure) if document.blocks.is_empty() => Err(faulty(bytes, failure)),
        _ => Ok((document, failures)),
    }
}

fn page(pdf: &Pdf, number: u32) -> Result<String, String> {
    // The reader panics over some pages. It only reads the document, which is whole afterwards.
    let read: std::thread::Result<Result<String, OutputError>> =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut words = String::new();
            output_doc_page(pdf, &mut PlainTextOutput::new(&mut words), number)?;
            Ok(words)
        }));
    match read {
        Ok(Ok(words)) => Ok(words),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("its structure makes no sense".to_owned()),
    }
}

/// Ligatures as letters, and nothing that cannot be seen or kept.
fn clean(words: &str) -> String {
    let mut cleaned = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            'ﬀ' => cleaned.push_str("ff"),
            'ﬁ' => cleaned.push_str("fi"),
            'ﬂ' => cleaned.push_str("fl"),
            'ﬃ' => cleaned.push_str("ffi"),
            'ﬄ' => cleaned.push_str("ffl"),
            '\n' | '\t' => cleaned.push(letter),
            '\u{ad}' | '\u{200b}' | '\u{feff}' => {}
            letter if letter.is_control() => {}
            letter => cleaned.push(letter),
        }
    }
    cleaned
}

fn title(pdf: &Pdf) -> Option<String> {
    let information = pdf.trailer.get(b"Info").ok()?.as_reference().ok()?;
    let title = pdf.get_dictionary(information).ok()?.get(b"Title").ok()?;
    let title = tidy(&clean(&pdf_extract::decode_text_string(title).ok()?));
    (!title.is_empty()).then_some(title)
}

fn broken(bytes: &[u8], error: &pdf_extract::Error) -> Error {
    match error {
        pdf_extract::Error::Decryption(_) => Error::Encrypted,
        error => faulty(bytes, error),
    }
}

/// A whole file has a mark near its end.
fn faulty(bytes: &[u8], what: impl std::fmt::Display) -> Error {
    let end = &bytes[bytes.len().saturating_sub(END)..];
    if end.windows(5).any(|mark| mark == b"%%EOF") {
        Error::damaged(what)
    } else {
        Error::cut()
    }
}
