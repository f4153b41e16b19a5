//! What handlers extract and return, and how they are mounted.
//!
//! The extractors are axum's in use and differ in their refusals, which are problems that name the faulty part.

pub mod validators;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::handler::Handler;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_path_to_error::Segment;
use utoipa::openapi::HttpMethod;

use crate::problem::ApiError;

/// A JSON body, in or out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Json<T>(pub T);

/// The query of a URL.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<T>(pub T);

/// The parameters in a path.
#[derive(Debug, Clone, Copy, Default)]
pub struct Path<T>(pub T);

/// Mounts handlers by the contract's declaration of an operation, so that path and method can not disagree with it.
pub trait OperationExt<S> {
    /// Serves the operation `O` with `handler`.
    #[must_use]
    fn operation<O, H, T>(self, handler: H) -> Self
    where
        O: utoipa::Path,
        H: Handler<T, S>,
        T: 'static;
}

impl<S: Clone + Send + Sync + 'static> OperationExt<S> for Router<S> {
    fn operation<O, H, T>(self, handler: H) -> Self
    where
        O: utoipa::Path,
        H: Handler<T, S>,
        T: 'static,
    {
        // OpenAPI and axum 0.8 write a path's parameters alike: `{name}`.
        let path = O::path();
        let methods = O::methods()
            .iter()
            .map(method_filter)
            .reduce(MethodFilter::or);
        match methods {
            Some(methods) => self.route(&path, on(methods, handler)),
            None => self,
        }
    }
}

/// Reads JSON; a refusal tells the position of what is malformed, or points at what is not valid.
pub fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(ApiError::malformed(
            "The body is empty; a JSON document is needed.",
        ));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let pointer = pointer(error.path());
        refuse_json(pointer, error.inner())
    })?;
    deserializer
        .end()
        .map_err(|error| refuse_json(String::new(), &error))?;
    Ok(value)
}

/// Reads a value that is JSON already, as [`parse_json`] does.
pub fn parse_value<T: DeserializeOwned>(value: serde_json::Value) -> Result<T, ApiError> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| ApiError::invalid_field(pointer(error.path()), error.inner().to_string()))
}

impl<S, T> FromRequest<S> for Json<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_json(request.headers()) {
            return Err(ApiError::unsupported_media_type(
                "The body must be JSON: content-type application/json.",
            ));
        }
        let body = Bytes::from_request(request, state)
            .await
            .map_err(|rejection| refuse_body(&rejection))?;
        parse_json(&body).map(Self)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => (
                [(CONTENT_TYPE, HeaderValue::from_static("application/json"))],
                body,
            )
                .into_response(),
            Err(error) => ApiError::internal(error).into_response(),
        }
    }
}

impl<S, T> FromRequestParts<S> for Query<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let query = parts.uri.query().unwrap_or_default();
        let pairs = serde_urlencoded::Deserializer::new(form_urlencoded::parse(query.as_bytes()));
        serde_path_to_error::deserialize(pairs)
            .map(Self)
            .map_err(|error| {
                ApiError::invalid_field(pointer(error.path()), error.inner().to_string())
            })
    }
}

impl<S, T> FromRequestParts<S> for Path<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(rejection) => Err(refuse_path(rejection)),
        }
    }
}

fn method_filter(method: &HttpMethod) -> MethodFilter {
    match method {
        HttpMethod::Get => MethodFilter::GET,
        HttpMethod::Post => MethodFilter::POST,
        HttpMethod::Put => MethodFilter::PUT,
        HttpMethod::Delete => MethodFilter::DELETE,
        HttpMethod::Options => MethodFilter::OPTIONS,
        HttpMethod::Head => MethodFilter::HEAD,
        HttpMethod::Patch => MethodFilter::PATCH,
        HttpMethod::Trace => MethodFilter::TRACE,
    }
}

/// `application/json` and the `application/*+json` family, with or without parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    let essence = value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

fn refuse_body(rejection: &BytesRejection) -> ApiError {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        ApiError::body_too_large()
    } else {
        ApiError::malformed("The body ended before it was complete.")
    }
}

fn refuse_json(pointer: String, error: &serde_json::Error) -> ApiError {
    match error.classify() {
        Category::Data => ApiError::invalid_field(pointer, without_position(error)),
        Category::Syntax | Category::Eof | Category::Io => {
            ApiError::malformed(format!("The body is not valid JSON: {error}."))
        }
    }
}

/// The message without serde's position: the pointer says where, and better.
fn without_position(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    message
        .strip_suffix(&position)
        .unwrap_or(&message)
        .to_owned()
}

/// A parameter that can not be read names nothing that exists.
fn refuse_path(rejection: PathRejection) -> ApiError {
    match rejection {
        PathRejection::FailedToDeserializePathParams(fault)
            if fault.status() == StatusCode::BAD_REQUEST =>
        {
            ApiError::not_found(fault.body_text())
        }
        other => ApiError::internal(other),
    }
}

/// An RFC 6901 pointer to where deserialization failed.
fn pointer(path: &serde_path_to_error::Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Segment::Map { key } | Segment::Enum { variant: key } => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Unknown => break,
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Body {
        #[serde(default)]
        items: Vec<Item>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Item {
        #[expect(dead_code, reason = "only its type matters here")]
        days: u32,
    }

    fn refusal(body: &str) -> (u16, String, String) {
        let error = parse_json::<Body>(body.as_bytes()).unwrap_err();
        let problem = error.problem().clone();
        let pointer = problem
            .errors
            .first()
            .map(|fault| fault.pointer.clone())
            .unwrap_or_default();
        (problem.status, pointer, problem.detail.unwrap_or_default())
    }

    #[test]
    fn malformed_json_is_400_with_its_position() {
        let (status, _, detail) = refusal("{\"items\": [");
        assert_eq!(status, 400);
        assert!(detail.contains("line 1 column 11"), "{detail}");
        assert_eq!(refusal("").0, 400);
        assert_eq!(refusal("{} {}").0, 400);
    }

    #[test]
    fn a_wrong_type_is_422_with_a_pointer() {
        let (status, pointer, detail) = refusal(r#"{"items": [{"days": 1}, {"days": "two"}]}"#);
        assert_eq!((status, pointer.as_str()), (422, "/items/1/days"));
        assert_eq!(
            detail,
            "/items/1/days: invalid type: string \"two\", expected u32"
        );
    }

    #[test]
    fn an_unknown_and_a_missing_field_are_422_and_named() {
        let (status, pointer, detail) = refusal(r#"{"items": [{"day": 1}]}"#);
        assert_eq!((status, pointer.as_str()), (422, "/items/0/day"));
        assert!(detail.contains("unknown field `day`"), "{detail}");
        let (status, pointer, detail) = refusal(r#"{"items": [{}]}"#);
        assert_eq!((status, pointer.as_str()), (422, "/items/0"));
        assert!(detail.contains("missing field `days`"), "{detail}");
    }

    #[test]
    fn a_value_is_read_like_a_body() {
        let value = serde_json::json!({ "items": [{ "days": -1 }] });
        let error = parse_value::<Body>(value).unwrap_err();
        assert_eq!(error.problem().errors[0].pointer, "/items/0/days");
        assert!(
            parse_value::<Body>(serde_json::json!({}))
                .unwrap()
                .items
                .is_empty()
        );
    }

    #[test]
    fn json_media_types_are_recognised() {
        let of = |value: &'static str| {
            HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))])
        };
        assert!(is_json(&of("application/json; charset=utf-8")));
        assert!(is_json(&of("application/merge-patch+json")));
        assert!(!is_json(&of("text/plain")));
        assert!(!is_json(&HeaderMap::new()));
    }
}
