//! What a provider's module provides: a translation, without any I/O of its own.

use http::{HeaderMap, StatusCode};
use http_client::HttpClient;
use reqwest::RequestBuilder;

use crate::{ChatEvent, ChatRequest, Error, ModelId};

/// A provider's chat interface.
pub(crate) trait Wire: Send + Sync + 'static {
    /// The request for an answer that streams, credentials included. Refuses what the provider is known to refuse.
    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error>;

    /// How the body of an answer is cut into messages.
    fn framing(&self) -> Framing;

    /// A reader for one answer.
    fn decoder(&self) -> Box<dyn Decoder>;

    /// What an answer with an error status means. `body` is its beginning.
    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error;

    /// Who answers.
    fn id(&self) -> ModelId;
}

/// How a body is cut into messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Server-sent events; each is one message.
    Events,
    /// One JSON value a line.
    Lines,
}

/// Reads one answer, message by message. Keeps what is not complete yet; never loses text.
pub(crate) trait Decoder: Send {
    /// Reads a message: the data of an event, or a line. `event` is the event's name, `message` where there is none.
    fn message(&mut self, event: &str, data: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error>;

    /// The body ended. Yields [`ChatEvent::Finished`] if that is how the provider ends a stream, or fails with
    /// [`ErrorKind::Truncated`](crate::ErrorKind::Truncated). `stray` is the beginning of what was in the body but in no message: some
    /// providers put a bare error there.
    fn end(&mut self, stray: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error>;

    /// Whether [`ChatEvent::Finished`] has been given out.
    fn is_finished(&self) -> bool;
}
