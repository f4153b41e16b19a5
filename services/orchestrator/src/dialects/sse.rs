//! Server-sent events as bytes.

use axum::body::Bytes;
use serde::Serialize;

/// One frame of an event stream, ready to be sent.
pub struct Frame;

impl Frame {
    /// A frame that carries a value as one line of compact JSON. JSON escapes line breaks, so the data is one line whatever is in it.
    pub fn json(id: u64, value: &impl Serialize) -> Result<Bytes, serde_json::Error> {
        let mut frame = format!("id: {id}\ndata: ").into_bytes();
        serde_json::to_writer(&mut frame, value)?;
        frame.extend_from_slice(b"\n\n");
        Ok(frame.into())
    }

    /// What ends a UI message stream.
    pub fn done(id: u64) -> Bytes {
        format!("id: {id}\ndata: [DONE]\n\n").into()
    }

    /// A comment, which clients skip.
    pub fn keep_alive() -> Bytes {
        Bytes::from_static(b": keep-alive\n\n")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_survives_in_one_data_line(text in any::<String>()) {
            let frame = Frame::json(7, &serde_json::json!({ "delta": text })).unwrap();
            let frame = std::str::from_utf8(&frame).unwrap();
            let data = frame.strip_prefix("id: 7\ndata: ").unwrap().strip_suffix("\n\n").unwrap();
            prop_assert!(!data.contains(['\n', '\r']));
            let value: serde_json::Value = serde_json::from_str(data).unwrap();
            prop_assert_eq!(value["delta"].as_str().unwrap(), text);
        }
    }
}
