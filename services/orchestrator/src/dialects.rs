//! Stream dialects: encoders of [`contracts::run::RunEvent`]. No assistant knows one, and no
//! dialect decides anything.
//!
//! An [`Encoder`] is a fold: the same events give the same frames with the same ids, for any reader
//! at any time. Joining a run again is therefore only encoding its events from the first, and
//! leaving out the frames that were seen.

mod agent_events;
mod assembled;
mod joined;
mod named_events;
mod run_events;
mod sse;
mod ui_messages;

use axum::body::Bytes;
use contracts::chat::UI_MESSAGE_STREAM_HEADER;
use contracts::run::RunEvent;
use contracts::threads::Dialect;

pub(crate) use assembled::Assembled;

/// The distance between the ids of two attempts of a run; no attempt has as many frames.
const IDS_PER_ATTEMPT: u64 = 1_000_000_000;

/// Turns the events of one attempt of a run into the frames of one dialect.
pub struct Encoder {
    dialect: State,
    next_id: u64,
}

/// A frame and its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Grows within a run.
    pub id: u64,
    /// As it is sent.
    pub bytes: Bytes,
}

enum State {
    UiMessages(ui_messages::Encoder),
    AgentEvents(agent_events::Encoder),
    NamedEvents(Box<named_events::Encoder>),
    RunEvents,
}

impl Encoder {
    /// An encoder for an attempt, which is counted from 1. `request_id` is the request that asked
    /// for the run.
    pub fn new(dialect: Dialect, attempt: u32, request_id: &str) -> Self {
        let dialect = match dialect {
            Dialect::UiMessages => State::UiMessages(ui_messages::Encoder::default()),
            Dialect::AgentEvents => State::AgentEvents(agent_events::Encoder::default()),
            Dialect::NamedEvents => {
                State::NamedEvents(Box::new(named_events::Encoder::new(request_id)))
            }
            Dialect::RunEvents => State::RunEvents,
        };
        Self {
            dialect,
            next_id: u64::from(attempt.saturating_sub(1)) * IDS_PER_ATTEMPT + 1,
        }
    }

    /// Appends the frames of the next event: none, one or two.
    pub fn encode(&mut self, event: &RunEvent, frames: &mut Vec<Frame>) {
        let out = &mut Out {
            next_id: &mut self.next_id,
            frames,
        };
        match &mut self.dialect {
            State::UiMessages(encoder) => encoder.encode(event, out),
            State::AgentEvents(encoder) => encoder.encode(event, out),
            State::NamedEvents(encoder) => encoder.encode(event, out),
            State::RunEvents => run_events::encode(event, out),
        }
    }
}

/// The headers of a response in a dialect, besides its media type and those of the run.
pub fn headers(dialect: Dialect) -> &'static [(&'static str, &'static str)] {
    if dialect == Dialect::UiMessages {
        &[(UI_MESSAGE_STREAM_HEADER, "v1")]
    } else {
        &[]
    }
}

/// A sign of life on a quiet stream, which clients of the dialect skip.
pub fn keep_alive(dialect: Dialect) -> Bytes {
    match dialect {
        Dialect::UiMessages | Dialect::AgentEvents | Dialect::NamedEvents | Dialect::RunEvents => {
            sse::keep_alive()
        }
    }
}

/// The attempt that a frame's id belongs to.
pub fn attempt_of(id: u64) -> u32 {
    u32::try_from(id.saturating_sub(1) / IDS_PER_ATTEMPT + 1).unwrap_or(u32::MAX)
}

/// The target of an encoder's frames; numbers them.
struct Out<'a> {
    next_id: &'a mut u64,
    frames: &'a mut Vec<Frame>,
}

impl Out<'_> {
    /// A frame without a name.
    fn data(&mut self, data: &impl serde::Serialize) {
        self.frame(|id| sse::json(id, None, data));
    }

    /// A frame with a name.
    fn event(&mut self, name: &str, data: &impl serde::Serialize) {
        self.frame(|id| sse::json(id, Some(name), data));
    }

    /// What ends a UI message stream.
    fn done(&mut self) {
        self.frame(|id| Ok(sse::done(id)));
    }

    fn frame(&mut self, write: impl FnOnce(u64) -> Result<Bytes, serde_json::Error>) {
        let id = *self.next_id;
        *self.next_id += 1;
        match write(id) {
            Ok(bytes) => self.frames.push(Frame { id, bytes }),
            Err(error) => tracing::error!(%error, "an event cannot be written as JSON"),
        }
    }
}

#[cfg(test)]
mod tests;
