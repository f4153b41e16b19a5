//! The credential of each request of the protocol, and the account of each session.
//!
//! A session's id is bound to the account that began it: the id that a client holds ends with a tag
//! that only this process can make, so another account cannot use it.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Request, State as Shared};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::StreamExt;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use rand::Rng;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use service_kit::problem::ApiError;
use service_kit::web::Json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{PATH, batches};
use crate::accounts::Account;
use crate::credential::{Caller, is_allowed_origin, page_address};
use crate::oidc::Provider;
use crate::oidc::config::IssuerConfig;
use crate::state::State;

/// The path of the document that says how to get a token (RFC 9728).
pub(super) const METADATA: &str = "/.well-known/oauth-protected-resource";
/// The same, under the path of the resource.
pub(super) const METADATA_OF_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

/// The interval at which the credential of an open stream is looked at again.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(5);

/// Codes of errors of JSON-RPC.
const PARSE_ERROR: i32 = -32_700;
pub(super) const INVALID_REQUEST: i32 = -32_600;
/// The code that the SDKs of the protocol have for a session that does not exist.
const NO_SESSION: i32 = -32_001;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Checks credentials and sessions.
#[derive(Clone)]
pub(super) struct Gate {
    state: State,
    /// Of this process, as sessions are.
    secret: Arc<[u8; 32]>,
    sessions: Arc<LocalSessionManager>,
}

impl Gate {
    pub(super) fn new(state: State, sessions: Arc<LocalSessionManager>) -> Self {
        let mut secret = [0; 32];
        rand::rng().fill_bytes(&mut secret);
        Self {
            state,
            sessions,
            secret: Arc::new(secret),
        }
    }

    fn tag(&self, session: &str, account: Uuid) -> String {
        let mut hash = Sha256::new();
        hash.update(*self.secret);
        hash.update(account.as_bytes());
        hash.update(session.as_bytes());
        URL_SAFE_NO_PAD.encode(hash.finalize())
    }

    /// Whether a session has not ended. One that cannot be looked for is answered below.
    async fn has(&self, session: &str) -> bool {
        let found = self.sessions.has_session(&session.into()).await;
        found.unwrap_or(true)
    }

    /// The session behind an id of this account.
    fn session<'a>(&self, id: &'a str, account: Uuid) -> Option<&'a str> {
        let (session, tag) = id.rsplit_once('.')?;
        (self.tag(session, account) == tag).then_some(session)
    }
}

/// Lets a request with a credential through.
pub(super) async fn pass(Shared(gate): Shared<Gate>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    // Also with a token: a page elsewhere must not reach a service that its browser can reach.
    if !is_allowed_origin(&gate.state, &parts.uri, &parts.headers) {
        let refused = ApiError::forbidden("This origin is not allowed (session.allowed_origins).");
        return refused.into_response();
    }
    let caller = match Caller::from_request_parts(&mut parts, &gate.state).await {
        Ok(caller) => caller,
        Err(refused) => return with_metadata(refused.into_response(), &parts.uri, &parts.headers),
    };
    let account = caller.account.account_id;
    if let Some(id) = parts.headers.get(SESSION) {
        let session = id.to_str().ok().and_then(|id| gate.session(id, account));
        let Some(Ok(value)) = session.map(HeaderValue::from_str) else {
            return no_session();
        };
        if !gate.has(session.unwrap_or_default()).await {
            return no_session();
        }
        parts.headers.insert(SESSION, value);
    }
    parts.extensions.insert(caller.account);
    let credential = parts.clone();
    let ends_session = parts.method == Method::DELETE;
    let sends_json = is_type(&parts.headers, "application/json");
    let mut response = match answered(&gate.state, parts, body, next).await {
        Ok(response) | Err(response) => response,
    };
    // A client of the protocol takes 202 for a session that continues.
    if ends_session && response.status() == StatusCode::ACCEPTED {
        return StatusCode::NO_CONTENT.into_response();
    }
    // The session ended while the request was on its way.
    if response.status() == StatusCode::NOT_FOUND {
        return no_session();
    }
    if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && sends_json {
        return rpc_error(INVALID_REQUEST, "The body is not a message of JSON-RPC.");
    }
    if is_type(response.headers(), "text/event-stream") {
        response = while_valid(gate.state.clone(), credential, response);
    }
    if let Some(session) = response.headers().get(SESSION)
        && let Ok(session) = session.to_str()
    {
        let id = format!("{session}.{}", gate.tag(session, account));
        if let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(SESSION, id);
        }
    }
    response
}

/// The answer to a message or a batch. A body that is not JSON is refused as the protocol says.
async fn answered(
    state: &State,
    head: Parts,
    body: Body,
    next: Next,
) -> Result<Response, Response> {
    if head.method != Method::POST {
        return Ok(next.run(Request::from_parts(head, body)).await);
    }
    let whole = Request::from_parts(head.clone(), body);
    let bytes = Bytes::from_request(whole, &()).await;
    let bytes = bytes.map_err(IntoResponse::into_response)?;
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(&bytes) {
        return Err(rpc_error(PARSE_ERROR, &format!("Parse error: {error}.")));
    }
    if let Some(messages) = batches::read(&head, &bytes)? {
        // Each message counts as a request. The request itself was counted with its credential.
        if let Some(account) = head.extensions.get::<Account>() {
            for _ in 1..messages.len() {
                let counted = state.quotas.take_request(account);
                counted.map_err(IntoResponse::into_response)?;
            }
        }
        return Ok(batches::answer(head, messages, next).await);
    }
    Ok(next.run(Request::from_parts(head, Body::from(bytes))).await)
}

/// 400 with an error of JSON-RPC that belongs to no message.
pub(super) fn rpc_error(code: i32, message: &str) -> Response {
    rpc_error_with(StatusCode::BAD_REQUEST, code, message)
}

fn rpc_error_with(status: StatusCode, code: i32, message: &str) -> Response {
    let error =
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    (status, Json(error)).into_response()
}

/// 404, upon which clients of the protocol begin a new session.
fn no_session() -> Response {
    let message = "Session not found: it has ended, or it belongs to another account. Begin a new one with `initialize`.";
    rpc_error_with(StatusCode::NOT_FOUND, NO_SESSION, message)
}

pub(super) fn is_type(headers: &HeaderMap, wanted: &str) -> bool {
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.split(';').next().unwrap_or_default().trim() == wanted)
}

/// The stream, which ends when its credential does.
fn while_valid(state: State, credential: Parts, response: Response) -> Response {
    let ended = async move {
        loop {
            tokio::time::sleep(LOOKED_AT_EVERY).await;
            let found = Caller::credential(&state, &credential).await;
            // A database that is away for a moment ends no stream.
            if found.is_err_and(|error| error.problem().status < 500) {
                return;
            }
        }
    };
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(ended))))
}

/// `GET /.well-known/oauth-protected-resource`.
pub(super) async fn metadata(
    Shared(state): Shared<State>,
    uri: Uri,
    headers: HeaderMap,
) -> Json<Value> {
    // Clients sign in where access tokens are accepted from.
    let current = state.providers.current().await;
    let accepted = current
        .iter()
        .filter(|provider| provider.config().audience.is_some());
    let accepted: Vec<&Arc<Provider>> = accepted.collect();
    // The name for which tokens are made is that of the settings, not that of the request.
    let resource = accepted.first().map_or_else(
        || {
            let base = page_address(&uri, &headers).unwrap_or_default();
            format!("{base}{PATH}")
        },
        |provider| resource(provider),
    );
    let issuers: Vec<&IssuerConfig> = accepted.iter().map(|one| one.config()).collect();
    let servers: Vec<&str> = issuers.iter().map(|one| one.issuer.as_str()).collect();
    let scopes = common_scopes(&issuers);
    let mut document = json!({
        "resource": resource,
        "resource_name": "Heliograph",
        "authorization_servers": servers,
        "bearer_methods_supported": ["header"],
    });
    // Clients ask the issuer for these. What a person may do here, the rules decide.
    if !scopes.is_empty() {
        document["scopes_supported"] = json!(scopes);
    }
    Json(document)
}

/// The address of this protocol, for which a provider makes tokens.
pub(crate) fn resource(provider: &Provider) -> String {
    format!("{}{PATH}", provider.public_url())
}

/// `openid`, and the scopes that each of the issuers is asked for at a sign-in; none without
/// issuers.
fn common_scopes(issuers: &[&IssuerConfig]) -> Vec<String> {
    let Some((first, others)) = issuers.split_first() else {
        return Vec::new();
    };
    let everywhere = |scope: &&String| {
        *scope != "openid" && others.iter().all(|one| one.scopes.contains(*scope))
    };
    let mut scopes = vec!["openid".to_owned()];
    scopes.extend(first.scopes.iter().filter(everywhere).cloned());
    scopes
}

/// A refusal that says where to learn how to get a token.
fn with_metadata(mut response: Response, uri: &Uri, headers: &HeaderMap) -> Response {
    let base = page_address(uri, headers).unwrap_or_default();
    if response.status() == StatusCode::UNAUTHORIZED {
        let said = response.headers().get(WWW_AUTHENTICATE);
        let said = said
            .and_then(|value| value.to_str().ok())
            .unwrap_or("Bearer");
        let separator = if said.contains('=') { "," } else { "" };
        let value = format!("{said}{separator} resource_metadata=\"{base}{METADATA_OF_PATH}\"");
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(WWW_AUTHENTICATE, value);
        }
    }
    response
}
