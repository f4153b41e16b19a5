//! `POST /api/measurements`.

pub(super) mod limited;

use axum::body::Body;
use axum::extract::State;
use chrono::TimeDelta;
use contracts::measurements::{IngestQuery, IngestReport};
use futures::TryStreamExt;
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderName};
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Query};
use tokio::io::AsyncRead;
use tokio_util::io::StreamReader;

use crate::error::database;
use crate::ingest::{self, Format, IngestError, IngestFailure, IngestOptions};
use crate::{metrics, state};
use limited::{Limited, TooLarge};

/// The scope that storing needs.
const SCOPE: &str = "measurements:write";
/// Tolerated advance of a logger's clock. A reading from the future would move "now" for its whole
/// site.
const FUTURE: TimeDelta = TimeDelta::days(1);

pub(super) async fn ingest(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<IngestQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<IngestReport>, ApiError> {
    caller.require_scope(SCOPE)?;
    let format = format(&headers)?;
    let compressed = is_gzip(&headers)?;
    let mut options = IngestOptions::from_query(format, &query).map_err(ApiError::invalid)?;
    options.latest = state.clock.now().checked_add_signed(FUTURE);
    let limit = state.ingest.body_limit_bytes;
    if announced_length(&headers).is_some_and(|length| length > limit) {
        return Err(ApiError::body_too_large());
    }
    let reader = Limited::new(plain(body, compressed), limit);
    let report = ingest::ingest(&state.pool, &caller.tenant, &options, reader).await;
    let report = report.map_err(refuse)?;
    metrics::ingested(&report, state.clock.now());
    Ok(Json(report))
}

/// The body's bytes, uncompressed.
fn plain(body: Body, compressed: bool) -> Box<dyn AsyncRead + Send + Unpin> {
    let reader = StreamReader::new(body.into_data_stream().map_err(std::io::Error::other));
    if compressed {
        ingest::gunzip(reader)
    } else {
        Box::new(reader)
    }
}

fn format(headers: &HeaderMap) -> Result<Format, ApiError> {
    let value = text(headers, &CONTENT_TYPE)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let mut parts = value.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default();
    let is_utf8 = parts
        .filter_map(|parameter| parameter.strip_prefix("charset="))
        .all(|charset| matches!(charset.trim_matches('"'), "utf-8" | "utf8" | "us-ascii"));
    match media_type {
        _ if !is_utf8 => Err(ApiError::unsupported_media_type("The body must be UTF-8.")),
        "application/json" => Ok(Format::JsonArray),
        "application/x-ndjson" | "application/ndjson" | "application/jsonl" => {
            Ok(Format::JsonLines)
        }
        "text/csv" => Ok(Format::Csv),
        _ => Err(ApiError::unsupported_media_type(
            "Send application/json, application/x-ndjson or text/csv.",
        )),
    }
}

pub(super) fn is_gzip(headers: &HeaderMap) -> Result<bool, ApiError> {
    match text(headers, &CONTENT_ENCODING)
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        None | Some("" | "identity") => Ok(false),
        Some("gzip" | "x-gzip") => Ok(true),
        Some(_) => Err(ApiError::unsupported_media_type(
            "The only content encoding is gzip.",
        )),
    }
}

pub(super) fn announced_length(headers: &HeaderMap) -> Option<u64> {
    text(headers, &CONTENT_LENGTH)?.parse().ok()
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The failure as a problem that also says what was stored before it.
fn refuse(failure: IngestFailure) -> ApiError {
    let detail = failure.explain();
    let stored = failure.stored();
    match failure.error {
        IngestError::UnknownSite { available, .. } | IngestError::SiteNeeded { available, .. } => {
            ApiError::invalid_field("/site", detail).with_available(available)
        }
        IngestError::UnknownColumn(_) => ApiError::invalid_field("/columns", detail),
        IngestError::Unreadable { .. } => ApiError::malformed(detail),
        IngestError::Body(error) if TooLarge::is(&error) => {
            ApiError::body_too_large().with_detail(detail)
        }
        IngestError::Body(error) => ApiError::malformed(detail).with_source(error),
        IngestError::Lost => ApiError::conflict(detail),
        IngestError::Database(error) => {
            let problem = database(error);
            if stored > 0 {
                problem.with_detail(detail)
            } else {
                problem
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn with(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn the_media_type_decides_the_format() {
        let read =
            |value| format(&with(CONTENT_TYPE, value)).map_err(|error| error.problem().status);
        assert_eq!(read("application/json"), Ok(Format::JsonArray));
        assert_eq!(read("application/x-ndjson"), Ok(Format::JsonLines));
        assert_eq!(
            read("Text/CSV; charset=UTF-8; header=present"),
            Ok(Format::Csv)
        );
        assert_eq!(read("text/csv; charset=utf-16"), Err(415));
        assert_eq!(read("text/plain"), Err(415));
        assert_eq!(
            format(&HeaderMap::new()).map_err(|error| error.problem().status),
            Err(415)
        );
    }

    #[test]
    fn only_gzip_is_unpacked() {
        assert!(is_gzip(&with(CONTENT_ENCODING, "GZIP")).unwrap());
        assert!(!is_gzip(&HeaderMap::new()).unwrap());
        assert!(is_gzip(&with(CONTENT_ENCODING, "br")).is_err());
    }
}
