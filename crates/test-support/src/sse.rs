//! Reads event streams as a suspicious client would.
//!
//! [`Reader`] takes a response apart frame by frame while it is still being sent; [`Capture`] is
//! all of it, with the raw bytes. Both refuse what a lenient client would swallow: a frame cut off
//! at the end, unknown fields, two ids in one frame, an event without data, which no client would
//! ever see. Streams of runs are read with [`Reader::of_run`] and [`Capture::parse_run`], which
//! also hold each frame against its schema in the OpenAPI documents. [`Capture::parse`] also asks
//! `eventsource-stream`, the parser that the Rust clients use, and refuses a body that the two read
//! differently.

mod contract;
mod parse;
mod reader;

use std::time::Duration;

pub use parse::Capture;
pub use reader::Reader;

/// An event as a client sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The `id` field of this frame.
    pub id: Option<String>,
    /// The `event` field; without one, clients call it `message`.
    pub event: Option<String>,
    /// The `data` fields, joined by line feeds.
    pub data: String,
    /// The `retry` field: how long to wait before connecting again.
    pub retry: Option<Duration>,
}

/// Something between two blank lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A line that clients ignore: a sign of life.
    Comment(String),
    /// An event.
    Event(Event),
}

/// Why a stream could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The response is not an event stream.
    #[error("not an event stream: {status}, {content_type}: {body}")]
    NotAStream {
        /// The response's status.
        status: u16,
        /// Its content type.
        content_type: String,
        /// The body of the response.
        body: String,
    },
    /// The stream breaks the format's rules.
    #[error("the event stream breaks a rule: {rule}, in {excerpt:?}")]
    Violation {
        /// The rule.
        rule: &'static str,
        /// The frame or the line at fault.
        excerpt: String,
    },
    /// A frame is not as the contract says.
    #[error("a frame is not as its schema says: {fault}; event {event:?}, data {data}")]
    Contract {
        /// The fault.
        fault: String,
        /// The event's name.
        event: Option<String>,
        /// The event's data.
        data: String,
    },
    /// The connection broke.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// Nothing came for a long time.
    #[error("nothing came for {0:?}")]
    Silent(Duration),
}

impl Event {
    /// The data as JSON.
    pub fn json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::from_str(&self.data)
    }

    /// Holds an event of a run against its schema.
    pub fn check_of_run(&self) -> Result<(), Error> {
        contract::check(self)
    }
}

impl Frame {
    /// The event, if it is one.
    pub fn event(&self) -> Option<&Event> {
        match self {
            Self::Event(event) => Some(event),
            Self::Comment(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
