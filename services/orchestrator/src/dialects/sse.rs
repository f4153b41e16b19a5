//! Server-sent events as bytes.

use axum::body::Bytes;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// A frame that carries a value as one line of compact JSON. JSON escapes line breaks; what only
/// Unicode takes for one is escaped too, because some readers split at it.
pub(super) fn json(
    id: u64,
    event: Option<&str>,
    data: &impl Serialize,
) -> Result<Bytes, serde_json::Error> {
    let mut frame = Vec::with_capacity(128);
    if let Some(event) = event {
        frame.extend_from_slice(b"event: ");
        frame.extend_from_slice(event.as_bytes());
        frame.push(b'\n');
    }
    frame.extend_from_slice(b"id: ");
    frame.extend_from_slice(id.to_string().as_bytes());
    frame.extend_from_slice(b"\ndata: ");
    data.serialize(&mut Serializer::with_formatter(&mut frame, OneLine))?;
    frame.extend_from_slice(b"\n\n");
    Ok(frame.into())
}

/// What ends a UI message stream.
pub(super) fn done(id: u64) -> Bytes {
    format!("id: {id}\ndata: [DONE]\n\n").into()
}

/// A comment, which clients skip.
pub(super) fn keep_alive() -> Bytes {
    Bytes::from_static(b": keep-alive\n\n")
}

/// Compact JSON without any character that some reader takes for the end of a line.
struct OneLine;

impl Formatter for OneLine {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> std::io::Result<()>
    where
        W: ?Sized + std::io::Write,
    {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_separator) {
            let (before, from) = rest.split_at(at);
            CompactFormatter.write_string_fragment(writer, before)?;
            let mut characters = from.chars();
            if let Some(separator) = characters.next() {
                write!(writer, "\\u{:04x}", u32::from(separator))?;
            }
            rest = characters.as_str();
        }
        CompactFormatter.write_string_fragment(writer, rest)
    }
}

/// What JSON leaves as it is and some reader takes for the end of a line (or for no text at all):
/// the line separators of Unicode and the control characters beyond ASCII.
fn is_separator(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_survives_in_one_data_line(text in "(?s)[\u{0}-\u{1f}\u{7f}-\u{a0}\u{2020}-\u{2030}\"\\\\a😀]{0,40}|.*") {
            let frame = json(7, Some("message"), &serde_json::json!({ "delta": text })).unwrap();
            let frame = std::str::from_utf8(&frame).unwrap();
            let data = frame.strip_prefix("event: message\nid: 7\ndata: ").unwrap().strip_suffix("\n\n").unwrap();
            prop_assert!(!data.contains(|c: char| is_separator(c) || c.is_control()));
            let value: serde_json::Value = serde_json::from_str(data).unwrap();
            prop_assert_eq!(value["delta"].as_str().unwrap(), text);
        }
    }
}
