//! An answer that is read to its end, whatever happens to the connection on the way.
//!
//! A run continues without its reader. When a connection breaks, the run is joined again behind the
//! last frame that came, so each chunk is there once. The message is sent again only with the same
//! `Idempotency-Key`, which makes no second run.

use std::pin::Pin;
use std::time::Duration;

use contracts::chat::UiMessageChunk;
use eventsource_stream::{Event, EventStreamError, Eventsource};
use futures::{Stream, StreamExt, stream};
use reqwest::{RequestBuilder, Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use service_kit::client::HttpClient;
use service_kit::clock::{IdSource, RandomIds};

use super::client::{ChatError, accepted};

/// The pauses before connections that follow one another without a frame. Then it is given up.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];

type Frames = Pin<Box<dyn Stream<Item = Result<Event, EventStreamError<reqwest::Error>>> + Send>>;

/// The service, and the credential for it.
pub(super) struct Place {
    pub(super) http: HttpClient,
    pub(super) url: String,
    pub(super) access_token: SecretString,
}

/// The chunks of an answer, across connections.
pub struct Rejoined {
    place: Place,
    run_id: String,
    /// The id of the last frame that came.
    last: Option<String>,
    frames: Frames,
    /// Connections in a row that gave no frame.
    failures: usize,
}

impl Rejoined {
    /// Sends the message, again if the connection breaks before the answer begins.
    pub(super) async fn ask(place: Place, body: Value) -> Result<Self, ChatError> {
        let key = RandomIds.new_id().simple().to_string();
        let mut pauses = PAUSES.iter();
        // If nothing listens, the message was not sent, and waiting does not help.
        let mut was_sent = false;
        let response = loop {
            let request = place.http.post(format!("{}/api/chat", place.url));
            let request = request.header("idempotency-key", &key).json(&body);
            match (place.send(request).await, pauses.next()) {
                (Err(ChatError::Connection(error)), Some(pause))
                    if was_sent || !error.is_connect() =>
                {
                    was_sent = true;
                    tokio::time::sleep(*pause).await;
                }
                (response, _) => break response?,
            }
        };
        let run_id = response.headers().get("x-run-id");
        let run_id = run_id.and_then(|id| id.to_str().ok()).map(str::to_owned);
        let run_id = run_id.ok_or_else(|| {
            ChatError::Unreadable("the answer does not say which run it is".to_owned())
        })?;
        Ok(Self {
            place,
            run_id,
            last: None,
            frames: frames(response),
            failures: 0,
        })
    }

    /// The chunks up to the end of the answer.
    pub fn chunks(self) -> impl Stream<Item = Result<UiMessageChunk<'static>, ChatError>> + Send {
        stream::unfold(Some(self), |reading| async {
            let mut reading = reading?;
            match reading.next().await {
                Ok(Some(chunk)) => Some((Ok(chunk), Some(reading))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        })
    }

    async fn next(&mut self) -> Result<Option<UiMessageChunk<'static>>, ChatError> {
        loop {
            let broken = match self.frames.next().await {
                Some(Ok(frame)) => {
                    self.failures = 0;
                    if !frame.id.is_empty() {
                        self.last = Some(frame.id);
                    }
                    if frame.data == "[DONE]" {
                        return Ok(None);
                    }
                    let chunk = serde_json::from_str(&frame.data);
                    return chunk
                        .map(Some)
                        .map_err(|error| ChatError::Unreadable(error.to_string()));
                }
                Some(Err(error)) => error.to_string(),
                None => "the connection ended before the answer".to_owned(),
            };
            if !self.join(broken).await? {
                return Ok(None);
            }
        }
    }

    /// Joins the run again; `false` if there is nothing more of it.
    async fn join(&mut self, broken: String) -> Result<bool, ChatError> {
        let mut why = ChatError::Unreadable(broken);
        while let Some(pause) = PAUSES.get(self.failures) {
            self.failures += 1;
            tokio::time::sleep(*pause).await;
            let url = format!(
                "{}/api/runs/{}/events?dialect=ui_messages",
                self.place.url, self.run_id
            );
            let mut request = self.place.http.get(url);
            if let Some(last) = &self.last {
                request = request.header("last-event-id", last);
            }
            match self.place.send(request).await {
                Ok(response) if response.status() == StatusCode::NO_CONTENT => return Ok(false),
                Ok(response) => {
                    self.frames = frames(response);
                    return Ok(true);
                }
                // The service is away for a moment.
                Err(ChatError::Refused(problem)) if matches!(problem.status, 502..=504) => {
                    why = ChatError::Refused(problem);
                }
                Err(ChatError::Connection(error)) => why = ChatError::Connection(error),
                Err(refused) => return Err(refused),
            }
        }
        Err(why)
    }
}

impl Place {
    async fn send(&self, request: RequestBuilder) -> Result<Response, ChatError> {
        let token = self.access_token.expose_secret();
        accepted(request.bearer_auth(token).send().await?).await
    }
}

fn frames(response: Response) -> Frames {
    Box::pin(response.bytes_stream().eventsource())
}
