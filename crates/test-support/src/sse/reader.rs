//! Frames as they come.

use std::collections::VecDeque;
use std::fmt::Display;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt};

use super::parse::{parse_block, split_block, violation};
use super::{Capture, Error, Event, Frame, contract};

/// Longer than any keep-alive interval. A test that waits for it has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads a stream while it is being sent. Dropping it closes the connection, as a client that goes
/// away would.
pub struct Reader {
    stream: Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>,
    /// All that has come.
    raw: Vec<u8>,
    /// Number of bytes of `raw` that have been read.
    read: usize,
    /// Frames read, not yet handed out.
    ready: VecDeque<Frame>,
    /// Maximum duration of silence.
    patience: Duration,
    /// Whether frames are held against their schemas.
    of_run: bool,
}

impl Reader {
    /// Reads a response, which must be a successful event stream.
    pub async fn new(response: reqwest::Response) -> Result<Self, Error> {
        let status = response.status().as_u16();
        let content_type = response
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or("no content type").to_owned();
        if status != 200 || !content_type.starts_with("text/event-stream") {
            let body = response
                .text()
                .await
                .map_err(|error| Error::Broken(error.to_string()))?;
            return Err(Error::NotAStream {
                status,
                content_type,
                body,
            });
        }
        Ok(Self::from_stream(response.bytes_stream()))
    }

    /// Reads any stream of bytes, say the body of a response that never saw a network.
    pub fn from_stream<E: Display>(
        stream: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    ) -> Self {
        let stream = stream.map_err(|error| error.to_string()).boxed();
        Self {
            stream,
            raw: Vec::new(),
            read: 0,
            ready: VecDeque::new(),
            patience: PATIENCE,
            of_run: false,
        }
    }

    /// Holds each frame against its schema: the stream is a run's.
    #[must_use]
    pub fn of_run(self) -> Self {
        Self {
            of_run: true,
            ..self
        }
    }

    /// Takes silence for an error after `patience` instead of half a minute.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The next frame; `None` at the end of the stream.
    pub async fn next(&mut self) -> Result<Option<Frame>, Error> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Ok(Some(frame));
            }
            if let Some((block, rest)) = split_block(&self.raw[self.read..]) {
                let frames = parse_block(block)?;
                if self.of_run {
                    let mut events = frames.iter().filter_map(Frame::event);
                    events.try_for_each(contract::check)?;
                }
                self.ready.extend(frames);
                self.read = self.raw.len() - rest.len();
            } else if !self.receive().await? {
                let rest = &self.raw[self.read..];
                let whole = rest.is_empty();
                return if whole {
                    Ok(None)
                } else {
                    Err(violation("the last frame ends with a blank line", rest))
                };
            }
        }
    }

    /// The next event, past comments; `None` at the end of the stream.
    pub async fn next_event(&mut self) -> Result<Option<Event>, Error> {
        loop {
            match self.next().await? {
                Some(Frame::Event(event)) => return Ok(Some(event)),
                Some(Frame::Comment(_)) => {}
                None => return Ok(None),
            }
        }
    }

    /// Reads to the end and returns the whole stream, from its beginning.
    pub async fn finish(mut self) -> Result<Capture, Error> {
        while self.receive().await? {}
        if self.of_run {
            Capture::parse_run(self.raw)
        } else {
            Capture::parse(self.raw)
        }
    }

    /// All bytes that have come so far.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Waits for more bytes; `false` at the end.
    async fn receive(&mut self) -> Result<bool, Error> {
        match tokio::time::timeout(self.patience, self.stream.next()).await {
            Ok(Some(Ok(bytes))) => {
                self.raw.extend_from_slice(&bytes);
                Ok(true)
            }
            Ok(Some(Err(error))) => Err(Error::Broken(error)),
            Ok(None) => Ok(false),
            Err(_) => Err(Error::Silent(self.patience)),
        }
    }
}
