//! Batches: several messages in one body, which clients of the revision 2025-03-26 may send. Each
//! is answered as if it had come alone, one after the other, in one stream.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt, stream};
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderName, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::gate::{INVALID_REQUEST, is_type, rpc_error};

/// Maximum number of messages in a batch.
const MOST: usize = 50;

/// The revision that has batches, which clients without the header speak.
const REVISION: &str = "2025-03-26";
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The messages of a body, if it is a batch.
#[expect(clippy::result_large_err, reason = "the error is the answer")]
pub(super) fn read(head: &Parts, body: &[u8]) -> Result<Option<Vec<Value>>, Response> {
    let Ok(Value::Array(messages)) = serde_json::from_slice(body) else {
        return Ok(None);
    };
    let refused = |why: &str| Err(rpc_error(INVALID_REQUEST, why));
    if head
        .headers
        .get(VERSION)
        .is_some_and(|version| version != REVISION)
    {
        return refused("Batches are of the revision 2025-03-26 only: send one message at a time.");
    }
    if messages.is_empty() || messages.len() > MOST {
        return refused(&format!("A batch has 1 to {MOST} messages."));
    }
    if messages
        .iter()
        .any(|message| message["method"] == "initialize")
    {
        return refused("`initialize` must not be part of a batch.");
    }
    Ok(Some(messages))
}

/// The answers to a batch: a stream, or 202 if no message needs one.
pub(super) async fn answer(head: Parts, messages: Vec<Value>, next: Next) -> Response {
    let is_request =
        |message: &Value| message.get("method").is_some() && message.get("id").is_some();
    if !messages.iter().any(is_request) {
        for message in &messages {
            let response = alone(&head, message, next.clone()).await;
            if !response.status().is_success() {
                return response;
            }
        }
        return StatusCode::ACCEPTED.into_response();
    }
    let answers = stream::iter(messages).then(move |message| {
        let (head, next) = (head.clone(), next.clone());
        async move {
            let response = alone(&head, &message, next).await;
            frames(&message, response).await
        }
    });
    let headers = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::from_stream(answers.flatten())).into_response()
}

/// The response to one message.
async fn alone(head: &Parts, message: &Value, next: Next) -> Response {
    let mut head = head.clone();
    head.headers.remove(CONTENT_LENGTH);
    next.run(Request::from_parts(head, Body::from(message.to_string())))
        .await
}

type Frames = std::pin::Pin<Box<dyn Stream<Item = Result<Bytes, axum::Error>> + Send>>;

/// A response as events of the stream.
async fn frames(message: &Value, response: Response) -> Frames {
    if is_type(response.headers(), "text/event-stream") {
        return Box::pin(response.into_body().into_data_stream());
    }
    let is_json = is_type(response.headers(), "application/json");
    let refused = !response.status().is_success();
    let body = match response.into_body().collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return Box::pin(stream::iter([Err(error)])),
    };
    let said = if is_json {
        serde_json::from_slice::<Value>(&body).ok()
    } else {
        let why = String::from_utf8_lossy(&body);
        refused.then(|| {
            json!({ "jsonrpc": "2.0", "id": message.get("id"), "error": { "code": INVALID_REQUEST, "message": why } })
        })
    };
    let frame = said.map(|said| Ok(Bytes::from(format!("event: message\ndata: {said}\n\n"))));
    Box::pin(stream::iter(frame))
}
