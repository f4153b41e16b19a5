//! Splits the body of an answer into messages: server-sent events, or one JSON value per line.
//!
//! Text outside of all messages (an error page, a bare JSON error) is kept: its beginning comes
//! with [`Frame::End`]. Bodies are read line by line, so they may be split at any byte, and time
//! and memory are linear in the size of the body.

mod lines;

#[cfg(test)]
mod tests;

use bytes::Bytes;
use eventsource_stream::{EventStream, EventStreamError};
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, stream};

use self::lines::{Line, lines};
use crate::wire::Framing;
use crate::{Error, ErrorKind};

/// The fields of an event.
const FIELDS: [&str; 4] = ["data", "event", "id", "retry"];

/// Maximum amount of text outside of messages that is kept, in bytes.
const MAX_STRAY: usize = 2 * 1024;

/// The limits of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Maximum number of bytes in the body.
    pub(crate) body: usize,
    /// Maximum number of bytes in one message.
    pub(crate) message: usize,
}

impl Default for Limits {
    /// Far more than any model writes.
    fn default() -> Self {
        Self {
            body: 16 * 1024 * 1024,
            message: 2 * 1024 * 1024,
        }
    }
}

/// A part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A message; `event` is `message` where the provider gives no name.
    Message {
        /// The event's name.
        event: String,
        /// The data of the message.
        data: String,
    },
    /// The end of the body; always last. A truncated message is dropped.
    End {
        /// The beginning of the text outside of messages.
        stray: String,
    },
}

/// Splits a body. An error and [`Frame::End`] are the last item.
pub(crate) fn frames<S>(
    body: S,
    framing: Framing,
    limits: Limits,
) -> BoxStream<'static, Result<Frame, Error>>
where
    S: Stream<Item = Result<Bytes, Error>> + Send + 'static,
{
    match framing {
        Framing::Events => events(lines(body, limits), limits.message),
        Framing::Lines => values(lines(body, limits)),
    }
}

/// One JSON value per line.
fn values<S>(lines: S) -> BoxStream<'static, Result<Frame, Error>>
where
    S: Stream<Item = Result<Line, Error>> + Send + 'static,
{
    struct State<S> {
        lines: std::pin::Pin<Box<S>>,
        stray: Stray,
        started: bool,
        ended: bool,
    }
    let state = State {
        lines: Box::pin(lines),
        stray: Stray::default(),
        started: false,
        ended: false,
    };
    stream::unfold(state, |mut state| async move {
        if state.ended {
            return None;
        }
        while let Some(line) = state.lines.next().await {
            let (bytes, whole) = match line {
                Ok(Line::Whole(bytes)) => (bytes, true),
                Ok(Line::Rest(bytes)) => (bytes, false),
                Err(error) => {
                    state.ended = true;
                    return Some((Err(error), state));
                }
            };
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            // After the first value, an unreadable line is an error: skipping it might lose text.
            let is_value = text.starts_with('{') && text.ends_with('}');
            if (whole && (is_value || state.started)) || is_json(text) {
                state.started = true;
                return Some((Ok(message(String::from("message"), text.to_owned())), state));
            }
            // The last value is truncated.
            let is_cut_off = !whole && state.stray.is_empty() && text.starts_with('{');
            if !state.started && !is_cut_off {
                state.stray.add(text);
            }
        }
        state.ended = true;
        Some((Ok(state.stray.take()), state))
    })
    .boxed()
}

/// Events in the middle of the bytes for the reader of events.
enum Interruption {
    /// The body failed.
    Failed(Error),
    /// The following text lacks its end.
    Tail,
    /// The body ended.
    End(Stray),
}

/// Server-sent events.
fn events<S>(lines: S, max_message: usize) -> BoxStream<'static, Result<Frame, Error>>
where
    S: Stream<Item = Result<Line, Error>> + Send + 'static,
{
    struct State<S> {
        events: std::pin::Pin<Box<EventStream<S>>>,
        tail: bool,
        ended: bool,
    }
    let state = State {
        events: Box::pin(EventStream::new(event_lines(lines, max_message))),
        tail: false,
        ended: false,
    };
    stream::unfold(state, |mut state| async move {
        if state.ended {
            return None;
        }
        while let Some(event) = state.events.next().await {
            match event {
                // A truncated message is dropped.
                Ok(event) if state.tail && event.data != "[DONE]" && !is_json(&event.data) => {}
                Ok(event) => return Some((Ok(message(event.event, event.data)), state)),
                Err(EventStreamError::Transport(Interruption::Tail)) => state.tail = true,
                Err(EventStreamError::Transport(Interruption::End(mut stray))) => {
                    state.ended = true;
                    return Some((Ok(stray.take()), state));
                }
                Err(EventStreamError::Transport(Interruption::Failed(error))) => {
                    state.ended = true;
                    return Some((Err(error), state));
                }
                Err(EventStreamError::Utf8(_) | EventStreamError::Parser(_)) => {
                    state.ended = true;
                    return Some((Err(Error::new(ErrorKind::Unreadable)), state));
                }
            }
        }
        None
    })
    .boxed()
}

/// Passes lines to the reader of events: only valid text, with an end for the last event. Lines
/// outside of events are set aside.
fn event_lines<S>(
    lines: S,
    max_message: usize,
) -> impl Stream<Item = Result<String, Interruption>> + Send + 'static
where
    S: Stream<Item = Result<Line, Error>> + Send + 'static,
{
    let mut stray = Stray::default();
    let mut message_len = 0;
    // An empty line comes first: the reader assumes that a byte order mark in the first text is one
    // byte, and would panic.
    stream::once(async { Ok(String::from("\n")) }).chain(
        lines
            .map(Some)
            .chain(stream::once(async { None }))
            .flat_map(move |line| {
                let given = match line {
                    Some(Ok(Line::Whole(bytes))) => {
                        let mut text = String::from_utf8_lossy(&bytes).into_owned();
                        message_len = if text.is_empty() {
                            0
                        } else {
                            message_len + text.len()
                        };
                        if message_len > max_message {
                            vec![Err(Interruption::Failed(Error::new(ErrorKind::TooLarge)))]
                        } else {
                            stray.add_unless_field(&text);
                            text.push('\n');
                            vec![Ok(text)]
                        }
                    }
                    Some(Ok(Line::Rest(bytes))) => {
                        let text = String::from_utf8_lossy(&bytes).into_owned();
                        if !FIELDS.iter().any(|field| field.starts_with(&text)) {
                            stray.add_unless_field(&text);
                        }
                        vec![Err(Interruption::Tail), Ok(text)]
                    }
                    Some(Err(error)) => vec![Err(Interruption::Failed(error))],
                    None => vec![
                        Err(Interruption::Tail),
                        Ok(String::from("\n\n")),
                        Err(Interruption::End(std::mem::take(&mut stray))),
                    ],
                };
                stream::iter(given)
            }),
    )
}

fn message(event: String, data: String) -> Frame {
    Frame::Message { event, data }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// The beginning of the text outside of messages.
#[derive(Debug, Default)]
struct Stray(String);

impl Stray {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, line: &str) {
        let room = MAX_STRAY.saturating_sub(self.0.len());
        if room == 0 {
            return;
        }
        self.0.push_str(&line[..line.floor_char_boundary(room)]);
        self.0.push('\n');
    }

    /// Adds a line that is neither a comment nor a field of an event.
    fn add_unless_field(&mut self, line: &str) {
        let name = line.split(':').next().unwrap_or_default();
        if !name.is_empty() && !FIELDS.contains(&name) {
            self.add(line);
        }
    }

    fn take(&mut self) -> Frame {
        Frame::End {
            stray: std::mem::take(&mut self.0),
        }
    }
}
