//! A scripted upstream API: a token endpoint and read operations, with the faults that real ones
//! have, and a record of what was asked.
//!
//! It checks nothing: the test says what is answered, one reply after the other, the last again and
//! again, and looks at what was sent.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderMap, Method, StatusCode, Uri};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The path that issues tokens; every other path is a read operation.
pub const TOKEN_PATH: &str = "/api/v1/internal/ca/user-token";

/// A scripted upstream on a port of its own, stopped when this value is dropped.
#[derive(Debug)]
pub struct UpstreamServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    tokens: Mutex<VecDeque<Reply>>,
    reads: Mutex<VecDeque<Reply>>,
    seen: Mutex<Vec<Seen>>,
    /// Whether held replies may go.
    open: watch::Sender<bool>,
}

/// A scripted answer.
#[derive(Debug, Clone)]
pub enum Reply {
    /// This status and this JSON.
    Json(u16, Value),
    /// This status and these bytes, as this media type.
    Raw(u16, &'static str, Vec<u8>),
    /// A redirect.
    Redirect(u16, String),
    /// Nothing, ever.
    Hang,
    /// The beginning of an answer, and then the connection breaks.
    BrokenOff,
    /// The other one, once [`UpstreamServer::release`] was called.
    Held(Box<Reply>),
}

/// A request that came.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The method.
    pub method: Method,
    /// Path and query, as they stood in the request.
    pub target: String,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl Seen {
    /// A header's value, empty when it is not there.
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// The body as JSON, `null` when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

impl UpstreamServer {
    /// Starts one on a free port, which gives out no tokens and answers every read with `{}`.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            tokens: Mutex::new(VecDeque::from([Reply::Json(500, json!({}))])),
            reads: Mutex::new(VecDeque::from([Reply::Json(200, json!({}))])),
            seen: Mutex::default(),
            open: watch::Sender::default(),
        });
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "a scripted upstream ended");
            }
        });
        Ok(Self {
            shared,
            address,
            task,
        })
    }

    /// The base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers requests for tokens so, the last for good.
    pub fn tokens(&self, replies: impl IntoIterator<Item = Reply>) {
        *lock(&self.shared.tokens) = replies.into_iter().collect();
    }

    /// Answers reads so, the last for good.
    pub fn reads(&self, replies: impl IntoIterator<Item = Reply>) {
        *lock(&self.shared.reads) = replies.into_iter().collect();
    }

    /// Lets the held replies go, those to come as well.
    pub fn release(&self) {
        self.shared.open.send_replace(true);
    }

    /// The requests for tokens that came.
    pub fn token_requests(&self) -> Vec<Seen> {
        self.seen(true)
    }

    /// The reads that came.
    pub fn read_requests(&self) -> Vec<Seen> {
        self.seen(false)
    }

    fn seen(&self, tokens: bool) -> Vec<Seen> {
        let seen = lock(&self.shared.seen);
        let wanted = seen.iter().filter(|seen| is_token(&seen.target) == tokens);
        wanted.cloned().collect()
    }
}

impl Drop for UpstreamServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A token with these claims and an invalid signature.
pub fn jwt(claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = part(&json!({ "alg": "HS256", "typ": "JWT" }));
    format!(
        "{header}.{}.{}",
        part(claims),
        URL_SAFE_NO_PAD.encode("nobody")
    )
}

/// The answer of a token endpoint that works.
pub fn token_reply(token: &str) -> Reply {
    let body = json!({ "access_token": token, "expires_in": 3600, "token_type": "Bearer" });
    Reply::Json(200, body)
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let target = uri
        .path_and_query()
        .map(ToString::to_string)
        .unwrap_or_default();
    let replies = if is_token(&target) {
        &shared.tokens
    } else {
        &shared.reads
    };
    let reply = next(&mut lock(replies));
    lock(&shared.seen).push(Seen {
        method,
        target,
        headers,
        body: body.to_vec(),
    });
    respond(&shared, reply).await
}

fn is_token(target: &str) -> bool {
    target.starts_with(TOKEN_PATH)
}

fn next(replies: &mut VecDeque<Reply>) -> Reply {
    let last = if replies.len() > 1 {
        replies.pop_front()
    } else {
        replies.front().cloned()
    };
    last.unwrap_or(Reply::Hang)
}

async fn respond(shared: &Shared, mut reply: Reply) -> Response {
    if let Reply::Held(inner) = reply {
        // The sender lives as long as the server.
        let _ = shared.open.subscribe().wait_for(|open| *open).await;
        reply = *inner;
    }
    let status = |status: u16| StatusCode::from_u16(status).unwrap_or(StatusCode::IM_A_TEAPOT);
    match reply {
        Reply::Json(code, body) => {
            let media_type = [(CONTENT_TYPE, "application/json")];
            (status(code), media_type, body.to_string()).into_response()
        }
        Reply::Raw(code, media_type, body) => {
            (status(code), [(CONTENT_TYPE, media_type)], body).into_response()
        }
        Reply::Redirect(code, to) => (status(code), [(LOCATION, to)]).into_response(),
        Reply::BrokenOff => {
            let pieces = [Ok(Bytes::from_static(b"{\"data\":")), Err("gone")];
            Body::from_stream(futures::stream::iter(pieces)).into_response()
        }
        Reply::Hang | Reply::Held(_) => std::future::pending().await,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
