//! Reads one answer while it streams.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use futures::StreamExt;
use futures::stream::{BoxStream, TryStreamExt};
use tokio::time::{Instant, timeout, timeout_at};

use super::{END_OF_BODY, HttpParts, body, send};
use crate::framing::{self, Frame};
use crate::wire::Decoder;
use crate::written;
use crate::{Arguments, ChatEvent, ChatRequest, Error, ErrorKind, ToolCall};

/// An answer, from its request to its end.
pub(super) struct AnswerReader {
    shared: Arc<HttpParts>,
    state: State,
    /// Events that were read and not yet returned.
    ready: VecDeque<ChatEvent>,
    /// The error after these events.
    failure: Option<Error>,
    /// When the first token and the whole answer are due.
    deadlines: Option<Deadlines>,
    any_given: bool,
    calls: usize,
    /// A buffer that each message reuses.
    decoded: Vec<ChatEvent>,
}

enum State {
    Asking(ChatRequest),
    Reading {
        frames: BoxStream<'static, Result<Frame, Error>>,
        decoder: Box<dyn Decoder>,
    },
    Over,
}

#[derive(Clone, Copy)]
struct Deadlines {
    first_token: Instant,
    answer: Instant,
}

impl AnswerReader {
    pub(super) fn new(shared: Arc<HttpParts>, request: ChatRequest) -> Self {
        Self {
            shared,
            state: State::Asking(request),
            ready: VecDeque::new(),
            failure: None,
            deadlines: None,
            any_given: false,
            calls: 0,
            decoded: Vec::new(),
        }
    }

    /// The next event; none after an error or the end.
    pub(super) async fn next(&mut self) -> Option<Result<ChatEvent, Error>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(self.give(event));
            }
            if let Some(error) = self.failure.take() {
                return Some(Err(self.fail(error)));
            }
            let step = match std::mem::replace(&mut self.state, State::Over) {
                State::Over => return None,
                State::Asking(request) => self.ask(&request).await,
                State::Reading { frames, decoder } => self.read(frames, decoder).await,
            };
            match step {
                Ok(state) => self.state = state,
                Err(error) => self.failure = Some(error),
            }
        }
    }

    async fn ask(&mut self, request: &ChatRequest) -> Result<State, Error> {
        let shared = self.shared.clone();
        let timeouts = &shared.settings.timeouts;
        let now = Instant::now();
        let first_token = now + timeouts.first_token();
        self.deadlines = Some(Deadlines {
            first_token: request
                .begin_by
                .map_or(first_token, |due| first_token.min(due)),
            answer: now + timeouts.answer(),
        });
        if let Some(reason) = &shared.settings.no_tools
            && !request.tools.is_empty()
        {
            return Err(Error::new(ErrorKind::BadRequest).with_detail(reason));
        }
        let wire = &shared.wire;
        let shape = &request.response;
        let decoder = written::clean(wire.decoder(), shape);
        let request = wire.request(&shared.client, request)?;
        let limit = self.time_limit();
        let sent = send(request, limit.until, |status, headers, body| {
            wire.refusal(status, headers, body)
        });
        let response = limit.wait(sent).await??;
        let limits = &shared.settings.limits;
        let announced = response.content_length().unwrap_or(0);
        if announced > limits.max_answer_bytes as u64 {
            return Err(too_large(format!("{announced} bytes are announced")));
        }
        let body = response.bytes_stream().map_err(body::body_error);
        let limits = framing::Limits {
            body: limits.max_answer_bytes,
            message: limits.max_answer_bytes,
        };
        Ok(State::Reading {
            frames: framing::frames(body, wire.framing(), limits),
            decoder,
        })
    }

    /// Reads one message.
    async fn read(
        &mut self,
        mut frames: BoxStream<'static, Result<Frame, Error>>,
        mut decoder: Box<dyn Decoder>,
    ) -> Result<State, Error> {
        let mut out = std::mem::take(&mut self.decoded);
        let (result, ended) = match self.time_limit().wait(frames.next()).await? {
            Some(Ok(Frame::Message { event, data })) => {
                (decoder.message(&event, &data, &mut out), false)
            }
            Some(Ok(Frame::End { stray })) => (decoder.end(&stray, &mut out), true),
            Some(Err(error)) => (Err(error), true),
            None => (Err(Error::truncated()), true),
        };
        // Events that were read before a failure are returned first.
        self.ready.extend(out.drain(..));
        self.decoded = out;
        result?;
        if decoder.is_finished() {
            if !ended {
                let _ = timeout(END_OF_BODY, to_the_end(&mut frames)).await;
            }
            return Ok(State::Over);
        }
        if ended {
            return Err(Error::truncated());
        }
        Ok(State::Reading { frames, decoder })
    }

    /// Returns an event, or an error if it exceeds a limit.
    fn give(&mut self, event: ChatEvent) -> Result<ChatEvent, Error> {
        if let ChatEvent::Call(call) = &event {
            self.calls += 1;
            if let Err(error) = self.check_call(call) {
                self.ready.clear();
                return Err(self.fail(error));
            }
        }
        self.any_given = true;
        Ok(event)
    }

    fn check_call(&self, call: &ToolCall) -> Result<(), Error> {
        let limits = &self.shared.settings.limits;
        if self.calls > limits.max_calls {
            return Err(too_large(format!(
                "more than {} tool calls",
                limits.max_calls
            )));
        }
        let bytes = arguments_len(&call.arguments);
        if bytes > limits.max_arguments_bytes {
            return Err(too_large(format!(
                "{bytes} bytes of arguments for one tool"
            )));
        }
        Ok(())
    }

    /// Also closes the connection.
    fn fail(&mut self, mut error: Error) -> Error {
        self.state = State::Over;
        error.after_first_token |= self.any_given;
        error
    }

    /// The time limit of the present phase of the answer.
    fn time_limit(&self) -> TimeLimit {
        let timeouts = &self.shared.settings.timeouts;
        let idle = Instant::now() + timeouts.idle();
        let (until, missing) = if self.any_given {
            (idle, "nothing more")
        } else {
            let first_token = self
                .deadlines
                .map_or(idle, |deadlines| deadlines.first_token);
            (first_token, "no first token")
        };
        TimeLimit {
            until: self
                .deadlines
                .map_or(until, |deadlines| until.min(deadlines.answer)),
            missing,
        }
    }
}

struct TimeLimit {
    until: Instant,
    /// The missing part when the time is over.
    missing: &'static str,
}

impl TimeLimit {
    async fn wait<F: Future>(self, future: F) -> Result<F::Output, Error> {
        timeout_at(self.until, future)
            .await
            .map_err(|_| Error::new(ErrorKind::Timeout).with_detail(self.missing))
    }
}

async fn to_the_end(frames: &mut BoxStream<'static, Result<Frame, Error>>) {
    while let Some(Ok(Frame::Message { .. })) = frames.next().await {}
    // The last frame follows the end of the body; polling again would not change anything.
}

fn too_large(detail: String) -> Error {
    Error::new(ErrorKind::TooLarge).with_detail(detail)
}

fn arguments_len(arguments: &Arguments) -> usize {
    match arguments {
        Arguments::Broken(text) => text.len(),
        Arguments::Object(members) => {
            let mut counter = Counter(0);
            // Counting cannot fail.
            let _ = serde_json::to_writer(&mut counter, members);
            counter.0
        }
    }
}

struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
