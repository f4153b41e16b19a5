//! Operations that the tools service carries out under the same path: tools, sites, imports,
//! documents, credentials, confirmed questions, targets and the like. Scopes are checked there.

use axum::body::{Body, Bytes};
use axum::extract::FromRequestParts;
use axum::response::Response;
use futures::TryStreamExt;
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::{HeaderMap, Method, Uri};
use http_body_util::{BodyExt, Limited};
use service_kit::problem::ApiError;
use service_kit::web::CleanUrl;

use crate::credential::Caller;
use crate::proxy::{Forward, Tier};
use crate::state::State;

/// A request that is passed on, without its body.
pub(super) struct Inbound {
    pub(super) state: State,
    pub(super) caller: Caller,
    method: Method,
    pub(super) uri: Uri,
    headers: HeaderMap,
}

impl FromRequestParts<State> for Inbound {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        CleanUrl::from_request_parts(parts, state).await?;
        Ok(Self {
            state: state.clone(),
            caller,
            method: parts.method.clone(),
            uri: parts.uri.clone(),
            headers: parts.headers.clone(),
        })
    }
}

impl Inbound {
    /// Passes the request on with a body. `uploads`: its work may take as long as an upload.
    pub(super) async fn forward(
        self,
        tier: Tier,
        path: &str,
        body: impl Into<reqwest::Body>,
        uploads: bool,
    ) -> Result<Response, ApiError> {
        let request = Forward {
            tier,
            method: self.method,
            path,
            headers: &self.headers,
            body: body.into(),
            uploads,
        };
        self.state
            .upstreams
            .forward(&self.state.token_issuer, &self.caller.account, request)
            .await
    }

    /// Path and query at the tools service. Its router decodes the segments again, so that a part
    /// such as `..` must not reach it.
    fn path(&self) -> Result<String, ApiError> {
        let dots = |segment: &str| {
            let decoded = segment.replace("%2e", ".").replace("%2E", ".");
            decoded == "." || decoded == ".."
        };
        if self.uri.path().split('/').any(dots) {
            return Err(not_found());
        }
        let path = self.uri.path_and_query();
        Ok(path.map_or("/", |path| path.as_str()).to_owned())
    }

    /// Passes a body on as it comes in, unless it is longer than it may be.
    async fn stream(self, body: Body, limit: u64) -> Result<Response, ApiError> {
        let announced = self
            .headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|length| length > limit) {
            return Err(ApiError::body_too_large());
        }
        let limited = Limited::new(body, usize::try_from(limit).unwrap_or(usize::MAX));
        let stream = limited.into_data_stream().map_err(std::io::Error::other);
        let path = self.path()?;
        let body = reqwest::Body::wrap_stream(stream);
        self.forward(Tier::Tools, &path, body, true).await
    }
}

/// Passes a request on.
pub(super) async fn pass_on(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let path = inbound.path()?;
    inbound.forward(Tier::Tools, &path, body, false).await
}

/// The same where the path has a name or an id of letters, digits, `_`, `-` and `:`. Others would
/// reach another path there.
pub(super) async fn pass_on_named(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-:".contains(&byte);
    if !inbound.uri.path().bytes().all(plain) {
        return Err(not_found());
    }
    pass_on(inbound, body).await
}

/// The same for work that takes as long as an upload: a whole file or all days of a site are read.
pub(super) async fn pass_on_slowly(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let path = inbound.path()?;
    inbound.forward(Tier::Tools, &path, body, true).await
}

/// A file or readings, streamed.
pub(super) async fn pass_on_stream(inbound: Inbound, body: Body) -> Result<Response, ApiError> {
    let limit = inbound.state.upstreams.upload_limit();
    inbound.stream(body, limit).await
}

/// A document, streamed.
pub(super) async fn pass_on_document(inbound: Inbound, body: Body) -> Result<Response, ApiError> {
    let limit = inbound.state.upstreams.document_limit();
    inbound.stream(body, limit).await
}

fn not_found() -> ApiError {
    ApiError::not_found("There is no resource of this name.")
}
