//! Log lines that are one line each, and move no cursor.
//!
//! Much of what is logged was written by others: a provider's words, a database's message, the path
//! of a request. Control characters in it could forge a line or steer the terminal in which a log
//! is read, so they are written as escapes, in every field and every format.

use std::fmt::Write as _;
use std::io::{self, Write};

use tracing::Metadata;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

/// Creates writers that escape their input. A formatted event arrives in one piece.
pub(super) struct Escaping(pub(super) BoxMakeWriter);

/// Writes a formatted event, escaped.
pub(super) struct EscapingWriter<W>(W);

impl<'a> MakeWriter<'a> for Escaping {
    type Writer = EscapingWriter<<BoxMakeWriter as MakeWriter<'a>>::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        EscapingWriter(self.0.make_writer())
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Self::Writer {
        EscapingWriter(self.0.make_writer_for(metadata))
    }
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let line = text.strip_suffix('\n').unwrap_or(&text);
        if line.contains(is_unsafe) {
            let mut escaped = escaped(line);
            escaped.push('\n');
            self.0.write_all(escaped.as_bytes())?;
        } else {
            self.0.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The text with escapes in place of what is unsafe; they are JSON's, so that a line of JSON says
/// the same as before.
fn escaped(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len() + 16);
    for letter in line.chars() {
        match letter {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            letter if is_unsafe(letter) => {
                // Writing to a string does not fail.
                let _ = write!(escaped, "\\u{:04x}", u32::from(letter));
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Control characters save the tab, separators of lines, and what turns the direction of writing.
fn is_unsafe(letter: char) -> bool {
    (letter.is_control() && letter != '\t')
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut bytes = Vec::new();
        EscapingWriter(&mut bytes)
            .write_all(text.as_bytes())
            .unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_line_stays_one_line_and_plain_text_stays_as_it_is() {
        assert_eq!(
            written("one\ntwo\r\x1b[31m\u{9b}2J\u{202e}\0\n"),
            "one\\ntwo\\r\\u001b[31m\\u009b2J\\u202e\\u0000\n"
        );
        assert_eq!(
            written("a \"b\" \\ \t ünï日本 🙂\n"),
            "a \"b\" \\ \t ünï日本 🙂\n"
        );
    }

    #[test]
    fn a_line_of_json_says_the_same() {
        let line = serde_json::json!({ "message": "a\n\x1b[2J\u{9b}\u{2028}\u{7f}" });
        let written = written(&format!("{line}\n"));
        assert!(!written.trim_end().contains(is_unsafe), "{written:?}");
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read, line);
    }
}
