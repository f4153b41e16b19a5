//! The strict parser.

use std::convert::Infallible;
use std::time::Duration;

use eventsource_stream::Eventsource;
use futures::StreamExt;

use super::{Error, Event, Frame, contract};

/// A whole stream: its bytes and what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The body as it came.
    pub raw: Vec<u8>,
    /// Comments and events in their order.
    pub frames: Vec<Frame>,
}

impl Capture {
    /// Reads a whole body.
    pub fn parse(raw: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let raw = raw.into();
        let mut frames = Vec::new();
        let mut rest = raw.as_slice();
        while let Some((block, after)) = split_block(rest) {
            frames.extend(parse_block(block)?);
            rest = after;
        }
        if !rest.is_empty() {
            return Err(violation("the last frame ends with a blank line", rest));
        }
        let capture = Self { raw, frames };
        capture.compare_with_lenient_client()?;
        Ok(capture)
    }

    /// Reads a whole body of a run, and holds each frame against its schema.
    pub fn parse_run(raw: impl Into<Vec<u8>>) -> Result<Self, Error> {
        let capture = Self::parse(raw)?;
        capture.events().try_for_each(contract::check)?;
        Ok(capture)
    }

    /// The events, without the comments.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.frames.iter().filter_map(Frame::event)
    }

    /// The comments, without the events.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        self.frames.iter().filter_map(|frame| match frame {
            Frame::Comment(text) => Some(text.as_str()),
            Frame::Event(_) => None,
        })
    }

    fn compare_with_lenient_client(&self) -> Result<(), Error> {
        let bytes = futures::stream::iter([Ok::<_, Infallible>(self.raw.clone())]);
        let read: Vec<_> = futures::executor::block_on(bytes.eventsource().collect());
        let theirs = read.iter().map(|event| {
            event
                .as_ref()
                .ok()
                .map(|event| (event.event.as_str(), event.data.as_str()))
        });
        let ours = self.events().map(|event| {
            Some((
                event.event.as_deref().unwrap_or("message"),
                event.data.as_str(),
            ))
        });
        if theirs.eq(ours) {
            Ok(())
        } else {
            Err(violation("every client reads the same", &self.raw))
        }
    }
}

/// The bytes of the first frame, without the blank line that ends it, and what follows.
pub(super) fn split_block(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n")?;
    Some((&bytes[..end], &bytes[end + 2..]))
}

/// The comments of a frame, then its event.
pub(super) fn parse_block(block: &[u8]) -> Result<Vec<Frame>, Error> {
    let text = std::str::from_utf8(block).map_err(|_| violation("it is UTF-8", block))?;
    let mut frames = Vec::new();
    let mut fields = Fields::default();
    for line in text.split('\n') {
        if let Some(comment) = line.strip_prefix(':') {
            let comment = comment.strip_prefix(' ').unwrap_or(comment);
            frames.push(Frame::Comment(comment.to_owned()));
        } else {
            fields.take(line)?;
        }
    }
    frames.extend(fields.into_event(block)?.map(Frame::Event));
    Ok(frames)
}

/// The fields of a frame so far.
#[derive(Default)]
struct Fields {
    id: Option<String>,
    event: Option<String>,
    data: Vec<String>,
    retry: Option<Duration>,
}

impl Fields {
    fn take(&mut self, line: &str) -> Result<(), Error> {
        if line.is_empty() {
            return Err(violation("one blank line ends a frame", line));
        }
        if line.contains(['\r', '\0']) {
            return Err(violation(
                "a line holds neither carriage return nor null",
                line,
            ));
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| violation("a line is `name: value`", line))?;
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match name {
            "data" => self.data.push(value),
            "id" => once(&mut self.id, value, line)?,
            "event" => once(&mut self.event, value, line)?,
            "retry" => {
                let milliseconds = value
                    .parse()
                    .map_err(|_| violation("retry is a number", line))?;
                once(&mut self.retry, Duration::from_millis(milliseconds), line)?;
            }
            _ => return Err(violation("fields are data, event, id and retry", line)),
        }
        Ok(())
    }

    fn into_event(self, block: &[u8]) -> Result<Option<Event>, Error> {
        let Self {
            id,
            event,
            data,
            retry,
        } = self;
        if data.is_empty() {
            let bare = id.is_none() && event.is_none() && retry.is_none();
            // Clients pass over an event without data in silence.
            return if bare {
                Ok(None)
            } else {
                Err(violation("an event has data", block))
            };
        }
        Ok(Some(Event {
            id,
            event,
            data: data.join("\n"),
            retry,
        }))
    }
}

fn once<T>(field: &mut Option<T>, value: T, line: &str) -> Result<(), Error> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(violation("id, event and retry come once in a frame", line)),
    }
}

pub(super) fn violation(rule: &'static str, excerpt: impl AsRef<[u8]>) -> Error {
    Error::Violation {
        rule,
        excerpt: String::from_utf8_lossy(excerpt.as_ref()).into_owned(),
    }
}
