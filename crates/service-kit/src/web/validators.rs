//! Letting clients ask whether what they have is still right.

use std::fmt::Write;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use hyper::body::Body as _;
use sha2::{Digest, Sha256};

use crate::problem::ApiError;

/// Bytes of the hash that a validator shows.
const SHOWN: usize = 16;

/// An answer may be kept, and is asked for again each time, which costs little when nothing has
/// changed.
pub static REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// The hash of a content, in hexadecimal digits.
pub fn fingerprint(content: &[u8]) -> String {
    let hash = Sha256::digest(content);
    hash.iter()
        .take(SHOWN)
        .fold(String::new(), |mut digits, byte| {
            // Writing to a string does not fail.
            let _ = write!(digits, "{byte:02x}");
            digits
        })
}

/// The validator of a content. It is weak: the same content may be sent in several encodings.
pub fn etag(content: &[u8]) -> String {
    format!("W/\"{}\"", fingerprint(content))
}

/// Whether the client has what `etag` represents.
pub fn is_current(headers: &HeaderMap, etag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let ours = opaque(etag);
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|theirs| theirs.trim() == "*" || opaque(theirs) == ours)
}

/// A layer that gives each whole answer to a GET a validator, and answers 304 to a client that has
/// it. For contents that are available, not for streams.
pub async fn validated(request: Request, next: Next) -> Response {
    let asks = matches!(*request.method(), Method::GET | Method::HEAD);
    let headers = request.headers().clone();
    let response = next.run(request).await;
    if !asks || response.status() != StatusCode::OK || response.headers().contains_key(ETAG) {
        return response;
    }
    // A body whose length is not known beforehand is a stream.
    if response.body().size_hint().exact().is_none() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let content: Bytes = match axum::body::to_bytes(body, usize::MAX).await {
        Ok(content) => content,
        Err(error) => return ApiError::internal(error).into_response(),
    };
    let etag = etag(&content);
    let current = is_current(&headers, &etag);
    if let Ok(value) = HeaderValue::try_from(etag) {
        parts.headers.insert(ETAG, value);
    }
    parts
        .headers
        .entry(CACHE_CONTROL)
        .or_insert_with(|| REVALIDATE.clone());
    if current {
        return not_modified(&parts.headers);
    }
    Response::from_parts(parts, Body::from(content))
}

/// 304, with those headers of the whole answer that say how long it may be kept.
pub fn not_modified(whole: &HeaderMap) -> Response {
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    for name in [ETAG, CACHE_CONTROL, VARY] {
        if let Some(value) = whole.get(&name) {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_validator_is_of_the_content_alone_and_compared_weakly() {
        let tag = etag(b"a");
        assert_eq!(tag, etag(b"a"));
        assert_ne!(tag, etag(b"b"));
        let asking = |value: &str| {
            is_current(
                &HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_str(value).unwrap())]),
                &tag,
            )
        };
        assert!(asking(&tag) && asking("*") && asking(&format!("\"x\", {tag}")));
        assert!(asking(tag.trim_start_matches("W/")));
        assert!(!asking("\"x\"") && !is_current(&HeaderMap::new(), &tag));
    }
}
