//! Bodies of responses, and failures of HTTP as errors of this crate.

use std::error::Error as _;
use std::time::Duration;

use futures::StreamExt;
use http::{HeaderMap, header};
use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use crate::{Error, ErrorKind};

/// Maximum number of bytes of a refusal that are read.
const REFUSAL_BYTES: usize = 16 * 1024;

/// The time limit for reading a refusal.
const REFUSAL_PATIENCE: Duration = Duration::from_secs(1);

/// Maximum number of characters of a page's title in an error.
const TITLE_CHARS: usize = 80;

/// The beginning of a body, as far as it arrives within the time limit, and by `due`.
pub(super) async fn beginning(response: Response, due: Instant) -> String {
    let mut bytes = Vec::new();
    let mut body = response.bytes_stream();
    let read = async {
        while let Some(Ok(chunk)) = body.next().await {
            let room = REFUSAL_BYTES - bytes.len();
            bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if bytes.len() == REFUSAL_BYTES {
                break;
            }
        }
    };
    // The part that arrived in time is used.
    let _ = timeout_at(due.min(Instant::now() + REFUSAL_PATIENCE), read).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a body is an HTML page.
pub(super) fn is_page(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| {
            let value = value.trim_start().to_ascii_lowercase();
            value.starts_with("text/html") || value.starts_with("application/xhtml")
        })
}

/// The title of a page as `: "Bad Gateway"`; empty if it has none.
pub(super) fn page_title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title>").and_then(|start| {
        let start = start + "<title>".len();
        let end = lower[start..].find("</title>")?;
        page.get(start..start + end)
    });
    match title {
        Some(title) => {
            let words: Vec<&str> = title.split_whitespace().collect();
            let title: String = words.join(" ").chars().take(TITLE_CHARS).collect();
            format!(": {title:?}")
        }
        None => String::new(),
    }
}

/// The error of a request without a response.
pub(super) fn send_error(error: reqwest::Error) -> Error {
    let kind = if error.is_builder() {
        ErrorKind::BadRequest
    } else if error.is_connect() {
        ErrorKind::Connect
    } else if error.is_timeout() {
        ErrorKind::Timeout
    } else {
        ErrorKind::Truncated
    };
    Error::new(kind).with_detail(cause(error))
}

/// The error of a truncated body.
pub(crate) fn body_error(error: reqwest::Error) -> Error {
    Error::truncated().with_detail(cause(error))
}

/// The innermost cause, which is the most specific, without the address, which may contain a
/// secret.
fn cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    if error.source().is_none() {
        return error.to_string();
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_page_is_shortened() {
        assert_eq!(
            page_title("<html><HEAD><Title>502\n  Bad Gateway</title>"),
            ": \"502 Bad Gateway\""
        );
        assert_eq!(page_title("<html>no title"), "");
        let long = format!("<title>{}</title>", "ü".repeat(500));
        assert_eq!(page_title(&long).chars().count(), TITLE_CHARS + 4);
    }

    #[test]
    fn pages_are_known_by_their_type() {
        let headers = |value: &'static str| {
            HeaderMap::from_iter([(
                header::CONTENT_TYPE,
                header::HeaderValue::from_static(value),
            )])
        };
        assert!(is_page(&headers("Text/HTML; charset=utf-8")));
        assert!(!is_page(&headers("text/event-stream")));
        assert!(!is_page(&headers("application/json")));
        assert!(!is_page(&HeaderMap::new()));
    }
}
