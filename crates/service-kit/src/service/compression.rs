//! Answers made smaller on their way out, for clients that say that they read it.
//!
//! JSON, documents and the files of a page are compressed. Streams are not: their frames must leave
//! at once. What is encoded already stays as it is.

use http::header::CONTENT_TYPE;
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, Version};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, Predicate, SizeAbove};

use super::frame::is_stream;

/// Smaller answers fit into a packet as they are.
const LEAST_BYTES: u16 = 1_024;

/// Whether an answer is compressed.
type When = And<SizeAbove, fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool>;

/// How hard it is tried: answers are made again each time, and higher levels cost several times as
/// much for a few percent.
const LEVEL: i32 = 4;

/// Brotli where the client takes it, otherwise gzip.
pub(super) fn layer() -> CompressionLayer<When> {
    let of_text: fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool =
        |_, _, headers, _| is_text(headers);
    CompressionLayer::new()
        .quality(CompressionLevel::Precise(LEVEL))
        .compress_when(SizeAbove::new(LEAST_BYTES).and(of_text))
}

/// Whether the media type is one of those that shrink: texts, scripts, JSON and its family,
/// drawings.
fn is_text(headers: &HeaderMap) -> bool {
    let essence = headers
        .get(CONTENT_TYPE)
        .map(HeaderValue::as_bytes)
        .and_then(|value| value.split(|byte| *byte == b';').next())
        .unwrap_or_default()
        .trim_ascii()
        .to_ascii_lowercase();
    if is_stream(headers) {
        return false;
    }
    match essence.as_slice() {
        b"application/json"
        | b"application/javascript"
        | b"application/xml"
        | b"application/yaml"
        | b"image/svg+xml" => true,
        other => {
            other.starts_with(b"text/")
                || (other.starts_with(b"application/")
                    && (other.ends_with(b"+json") || other.ends_with(b"+xml")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_shrink_and_event_streams_are_left_alone() {
        let of = |value: &'static str| {
            is_text(&HeaderMap::from_iter([(
                CONTENT_TYPE,
                HeaderValue::from_static(value),
            )]))
        };
        for text in [
            "application/json",
            "application/problem+json",
            "text/html; charset=utf-8",
            "text/javascript; charset=utf-8",
            "image/svg+xml",
        ] {
            assert!(of(text), "{text}");
        }
        for other in [
            "text/event-stream",
            "text/event-stream; charset=utf-8",
            "image/png",
            "application/x-ndjson",
        ] {
            assert!(!of(other), "{other}");
        }
        assert!(!is_text(&HeaderMap::new()));
    }

    #[test]
    fn a_stream_of_any_form_is_left_alone() {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        assert!(is_text(&headers));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        assert!(!is_text(&headers));
    }
}
