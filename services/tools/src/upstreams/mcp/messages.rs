//! The answer to a request of the protocol: one JSON object, or a stream of events that holds it.

use eventsource_stream::{EventStreamError, Eventsource};
use futures::StreamExt;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use reqwest::Response;
use serde_json::{Value, json};

use super::{SESSION, Session};
use crate::upstreams::exchange::{broke_off, read};
use crate::upstreams::{Failure, UpstreamResponse};

/// The error of JSON-RPC for what this side does not do.
const METHOD_NOT_FOUND: i64 = -32601;

/// A server's answer to a request.
pub(super) enum Reply {
    /// The response, and the session that it began.
    Message {
        message: Value,
        session: Option<HeaderValue>,
    },
    /// HTTP says no.
    Refused(UpstreamResponse),
}

/// The response to the request of this id.
pub(super) async fn reply(
    session: &Session<'_>,
    response: Response,
    id: u32,
) -> Result<Reply, Failure> {
    let upstream = session.upstream;
    if !response.status().is_success() {
        let refused = read(upstream, response, session.limit).await?;
        return Ok(Reply::Refused(refused));
    }
    let began = response.headers().get(SESSION).cloned();
    let is_stream = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("text/event-stream"));
    let message = if is_stream {
        from_stream(session, response, id).await?
    } else {
        let whole = read(upstream, response, session.limit).await?;
        let message = serde_json::from_slice(&whole.body)
            .map_err(|_| Failure::invalid_response(upstream.name(), "is not JSON"))?;
        if is_response(&message, id) {
            message
        } else {
            return Err(no_response(session));
        }
    };
    Ok(Reply::Message {
        message,
        session: began,
    })
}

/// Reads events up to the response; the server may keep the stream open behind it.
async fn from_stream(session: &Session<'_>, response: Response, id: u32) -> Result<Value, Failure> {
    let upstream = session.upstream;
    let (mut left, too_large) = (session.limit, "is too large");
    // The limit is that of the stream as a whole, with what is not kept of it.
    let limited = response.bytes_stream().map(move |chunk| {
        let chunk = chunk.map_err(|error| broke_off(upstream, error))?;
        left = left
            .checked_sub(chunk.len())
            .ok_or_else(|| Failure::invalid_response(upstream.name(), too_large))?;
        Ok::<_, Failure>(chunk)
    });
    let mut events = std::pin::pin!(limited.eventsource());
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| match error {
            EventStreamError::Transport(failure) => failure,
            _ => Failure::invalid_response(upstream.name(), "is not a stream of events"),
        })?;
        // Streams begin with an event without data, by which a client could resume.
        if event.data.is_empty() {
            continue;
        }
        let message: Value = serde_json::from_str(&event.data)
            .map_err(|_| Failure::invalid_response(upstream.name(), "is not JSON"))?;
        if is_response(&message, id) {
            return Ok(message);
        }
        if let Some(answer) = answer(&message) {
            session.send(&answer).await?;
        }
    }
    Err(no_response(session))
}

fn is_response(message: &Value, id: u32) -> bool {
    message["id"] == id && (message.get("result").is_some() || message.get("error").is_some())
}

/// The answer to a request of the server: a ping is answered, everything else is refused.
/// Notifications need no answer.
fn answer(message: &Value) -> Option<Value> {
    let method = message["method"].as_str()?;
    let id = message.get("id")?;
    Some(if method == "ping" {
        json!({ "jsonrpc": "2.0", "id": id, "result": {} })
    } else {
        let error = json!({ "code": METHOD_NOT_FOUND, "message": "This client does not do that." });
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    })
}

fn no_response(session: &Session<'_>) -> Failure {
    Failure::invalid_response(session.upstream.name(), "does not hold the response")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_answered_when_it_asks_and_gets_nothing() {
        let asked = |message: Value| answer(&message);
        let ping = asked(json!({ "id": "a", "method": "ping" })).unwrap();
        assert_eq!(ping["result"], json!({}));
        let sampling = asked(json!({ "id": 1, "method": "sampling/createMessage" })).unwrap();
        assert_eq!(sampling["error"]["code"], METHOD_NOT_FOUND);
        assert_eq!(asked(json!({ "method": "notifications/progress" })), None);
        assert_eq!(asked(json!({ "id": 2, "result": {} })), None);
    }

    #[test]
    fn a_response_is_that_of_its_request() {
        assert!(is_response(&json!({ "id": 2, "result": {} }), 2));
        assert!(is_response(&json!({ "id": 2, "error": {} }), 2));
        for other in [
            json!({ "id": 1, "result": {} }),
            json!({ "id": "2", "result": {} }),
            json!({ "id": 2, "method": "ping" }),
            json!([]),
        ] {
            assert!(!is_response(&other, 2), "{other}");
        }
    }
}
