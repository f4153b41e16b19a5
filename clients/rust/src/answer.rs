//! An answer as it comes.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use reqwest::Response;
use serde_json::Value;

use crate::connections::{self, Events, named};
use crate::types::UiMessageChunk;
use crate::{Error, Heliograph};

/// The arguments of `render_ui_component`: the component's name, its props and suggestions.
pub type Card = Value;

/// An answer: a stream of its events. What it consists of so far can be read in between. When a
/// connection breaks, the run is joined behind the last event that came.
pub struct Answer {
    events: Events,
    ended: bool,
    thread_id: Option<String>,
    run_id: Option<String>,
    text: String,
    cards: Vec<Card>,
}

impl Answer {
    pub(crate) fn new(heliograph: Heliograph, response: Response) -> Self {
        let headers = response.headers();
        Self {
            thread_id: named(headers, "x-thread-id"),
            run_id: named(headers, "x-run-id"),
            events: connections::events(heliograph, response),
            ended: false,
            text: String::new(),
            cards: Vec::new(),
        }
    }

    /// The conversation; known after the first event.
    pub fn thread_id(&self) -> Option<&str> {
        self.thread_id.as_deref()
    }

    /// The run; known after the first event.
    pub fn run_id(&self) -> Option<&str> {
        self.run_id.as_deref()
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The cards so far.
    pub fn cards(&self) -> &[Card] {
        &self.cards
    }

    /// The event; `None` for one of a kind that this version does not know.
    fn read(&mut self, data: &str) -> Result<Option<UiMessageChunk>, Error> {
        let unreadable = |error: serde_json::Error| Error::Event(error.to_string());
        let event: Value = serde_json::from_str(data).map_err(unreadable)?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        match event["type"].as_str() {
            Some("start") => {
                self.thread_id = text(&event["messageMetadata"]["threadId"]);
                self.run_id = text(&event["messageMetadata"]["runId"]);
            }
            Some("text-delta") => self
                .text
                .push_str(event["delta"].as_str().unwrap_or_default()),
            Some("tool-input-available") if event["toolName"] == "render_ui_component" => {
                self.cards.push(event["input"].clone());
            }
            _ => {}
        }
        Ok(serde_json::from_value(event).ok())
    }
}

impl Stream for Answer {
    type Item = Result<UiMessageChunk, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while !self.ended {
            let Poll::Ready(next) = self.events.as_mut().poll_next(context) else {
                return Poll::Pending;
            };
            let Some(data) = next else {
                self.ended = true;
                return Poll::Ready(None);
            };
            let read = data.and_then(|data| self.read(&data));
            self.ended = read.is_err();
            if let Some(read) = read.transpose() {
                return Poll::Ready(Some(read));
            }
        }
        Poll::Ready(None)
    }
}
