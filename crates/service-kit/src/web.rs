//! What handlers extract and return, and how they are mounted.
//!
//! The extractors are axum's in use and differ in their refusals, which are problems that name the
//! faulty part. They also refuse what no handler needs: U+0000 in any text, and arrays in the place
//! of objects.

mod checked;
mod query;
mod refusal;

pub mod validators;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::handler::Handler;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::de::{DeserializeOwned, Deserializer};
use serde::{Deserialize, Serialize};
use utoipa::openapi::HttpMethod;

use crate::problem::ApiError;
use refusal::{Reason, Refusal};

pub use refusal::excerpt;

/// A JSON body, in or out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Json<T>(pub T);

/// The query of a URL.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<T>(pub T);

/// The parameters in a path.
#[derive(Debug, Clone, Copy, Default)]
pub struct Path<T>(pub T);

/// The URL of a request that is passed on as it is: what [`Path`] and [`Query`] refuse in any text
/// of it is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct CleanUrl;

/// Mounts handlers by the contract's declaration of an operation, so that path and method cannot
/// disagree with it.
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

/// Reads JSON; a refusal reports the position of what is malformed, or points at what is not valid.
pub fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(ApiError::malformed(
            "The body is empty; a JSON document is needed.",
        ));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = checked::read(&mut deserializer).map_err(|refusal| refuse(&refusal))?;
    let end = deserializer.end();
    end.map_err(|error| refuse(&Refusal::malformed(&error)))?;
    Ok(value)
}

/// Reads a value that is JSON already, or a reference to one, as [`parse_json`] does.
pub fn parse_value<'de, T, V>(value: V) -> Result<T, ApiError>
where
    T: Deserialize<'de>,
    V: Deserializer<'de, Error = serde_json::Error>,
{
    checked::read(value).map_err(|refusal| refuse(&refusal))
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
        query::read(query)
            .map(Self)
            .map_err(|refusal| refuse(&refusal))
    }
}

impl<S, T> FromRequestParts<S> for Path<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        check_path(parts, state).await?;
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(rejection) => Err(refuse_path(rejection)),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CleanUrl {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        check_path(parts, state).await?;
        query::check(parts.uri.query().unwrap_or_default()).map_err(|refusal| refuse(&refusal))?;
        Ok(Self)
    }
}

/// Refuses a parameter in the path that holds U+0000. What cannot be decoded is left to the one who
/// reads it.
async fn check_path<S: Send + Sync>(parts: &mut Parts, state: &S) -> Result<(), ApiError> {
    let Ok(parameters) = RawPathParams::from_request_parts(parts, state).await else {
        return Ok(());
    };
    match parameters.iter().find(|(_, value)| value.contains('\0')) {
        Some((name, _)) => Err(refuse(&Refusal::null_character().within(name))),
        None => Ok(()),
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

/// A refusal as a problem.
fn refuse(refusal: &Refusal) -> ApiError {
    match &refusal.reason {
        Reason::Malformed(_) => {
            ApiError::malformed(format!("The body is not valid JSON: {}.", refusal.detail()))
        }
        Reason::WrongType { .. } | Reason::Invalid(_) => {
            ApiError::invalid_field(refusal.pointer(), refusal.detail())
        }
    }
}

/// A parameter that cannot be read names nothing that exists.
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

#[cfg(test)]
mod tests;
