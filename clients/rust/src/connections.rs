//! The connections to an answer. A run continues without its reader: when a connection breaks, the
//! run is joined again behind the last frame that came, so each event is there once.

use std::pin::Pin;
use std::time::Duration;

use eventsource_stream::{Event, EventStreamError, Eventsource};
use futures_util::{Stream, StreamExt, stream};
use reqwest::header::HeaderMap;
use reqwest::{Method, Response, StatusCode};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{Error, Heliograph};

/// The pauses before connections that follow one another without an event. Then it is given up.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];

/// Says that nothing follows.
const DONE: &str = "[DONE]";

/// The data of the events of an answer.
pub(crate) type Events = Pin<Box<dyn Stream<Item = Result<String, Error>> + Send>>;

type Frames = Pin<Box<dyn Stream<Item = Result<Event, EventStreamError<reqwest::Error>>> + Send>>;

/// Sends a message, again if the connection breaks before the answer begins: the same message with
/// the same key is one run.
pub(crate) async fn ask(
    heliograph: &Heliograph,
    body: &Map<String, Value>,
) -> Result<Response, Error> {
    let key = Uuid::new_v4().simple().to_string();
    let mut pauses = PAUSES.iter();
    // If nothing listens, the message was not sent, and waiting does not help.
    let mut was_sent = false;
    loop {
        let complete =
            |request: reqwest::RequestBuilder| request.header("idempotency-key", &key).json(body);
        let sent = heliograph.send(Method::POST, "/api/chat", complete).await;
        match (sent, pauses.next()) {
            (Err(Error::Transport(error)), Some(pause)) if was_sent || !error.is_connect() => {
                was_sent = true;
                tokio::time::sleep(*pause).await;
            }
            (Err(Error::Transport(error)), None) => return Err(lost(Error::Transport(error))),
            (sent, _) => return sent,
        }
    }
}

/// The events of the run that a response belongs to, across connections.
pub(crate) fn events(heliograph: Heliograph, response: Response) -> Events {
    let connections = Connections {
        heliograph,
        run_id: named(response.headers(), "x-run-id"),
        last: None,
        frames: frames(response),
        failures: 0,
    };
    Box::pin(stream::unfold(
        Some(connections),
        |connections| async move {
            let mut connections = connections?;
            match connections.next().await {
                Ok(data) => data.map(|data| (Ok(data), Some(connections))),
                Err(error) => Some((Err(error), None)),
            }
        },
    ))
}

/// The value of a header.
pub(crate) fn named(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

struct Connections {
    heliograph: Heliograph,
    run_id: Option<String>,
    /// The id of the last frame that came.
    last: Option<String>,
    frames: Frames,
    /// Connections in a row that gave no frame.
    failures: usize,
}

impl Connections {
    /// The data of the next event; `None` at the end of the answer.
    async fn next(&mut self) -> Result<Option<String>, Error> {
        loop {
            let broken = match self.frames.next().await {
                Some(Ok(frame)) => {
                    self.failures = 0;
                    if !frame.id.is_empty() {
                        self.last = Some(frame.id);
                    }
                    return Ok((frame.data != DONE).then_some(frame.data));
                }
                Some(Err(EventStreamError::Transport(error))) => Error::Transport(error),
                Some(Err(error)) => Error::Event(error.to_string()),
                None => Error::Event("the stream ended before its end".to_owned()),
            };
            if !self.join(broken).await? {
                return Ok(None);
            }
        }
    }

    /// Joins the run again; `false` if there is nothing more of it.
    async fn join(&mut self, broken: Error) -> Result<bool, Error> {
        let Some(run_id) = &self.run_id else {
            return Err(broken);
        };
        let path = format!("/api/runs/{run_id}/events?dialect=ui_messages");
        let mut why = broken;
        while let Some(pause) = PAUSES.get(self.failures) {
            self.failures += 1;
            tokio::time::sleep(*pause).await;
            let last = self.last.as_deref();
            let joined = self.heliograph.send(Method::GET, &path, |request| {
                last.into_iter().fold(request, |request, last| {
                    request.header("last-event-id", last)
                })
            });
            match joined.await {
                Ok(response) if response.status() == StatusCode::NO_CONTENT => return Ok(false),
                Ok(response) => {
                    self.frames = frames(response);
                    return Ok(true);
                }
                // A service that is away for a moment still has the run.
                Err(away @ Error::Refused { status, .. })
                    if matches!(status.as_u16(), 502..=504) =>
                {
                    why = away;
                }
                Err(error @ Error::Transport(_)) => why = error,
                Err(refused) => return Err(refused),
            }
        }
        Err(lost(why))
    }
}

fn lost(why: Error) -> Error {
    Error::Lost(Box::new(why))
}

fn frames(response: Response) -> Frames {
    Box::pin(response.bytes_stream().eventsource())
}
