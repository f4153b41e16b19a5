//! One call of a scripted model.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use super::Gate;

/// One answer of a scripted model, in no provider's words, and what goes wrong with it.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(super) act: Act,
    pub(super) mishaps: Vec<(Place, Mishap)>,
    /// The pause before each byte of the body.
    pub(super) drip: Option<Duration>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub(super) name: String,
    pub(super) arguments: Arguments,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Arguments {
    Json(Value),
    /// As the model wrote them. Where an interface has objects only, the text is all that the
    /// object holds.
    Raw(String),
}

/// The action of the model.
#[derive(Debug, Clone)]
pub(super) enum Act {
    Answer(Answer),
    /// An error of the provider instead of an answer.
    Fail(Failure),
    /// These very bytes with status 200 and the provider's content type.
    Raw(Vec<Bytes>),
    /// The connection is closed without a word.
    Hang,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) reasoning: Vec<String>,
    pub(super) text: Vec<String>,
    /// An answer in JSON: where the client forces a tool to get one, it becomes that tool's
    /// arguments.
    pub(super) json: Option<Value>,
    pub(super) calls: Vec<Call>,
    pub(super) end: End,
    pub(super) usage: Option<(u64, u64)>,
    /// Of the tokens in, those from the cache.
    pub(super) cached: u64,
    /// Of the tokens out, those of thoughts.
    pub(super) thoughts: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum End {
    /// Of itself.
    #[default]
    Natural,
    Length,
    Filtered,
    /// The text is the model's refusal.
    Refused,
}

#[derive(Debug, Clone)]
pub(super) enum Failure {
    Status {
        status: u16,
        body: String,
        headers: Vec<(String, String)>,
    },
    RateLimited(Option<Duration>),
    Overloaded,
    Internal,
}

/// A place in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Headers,
    /// After this number of pieces of content.
    Pieces(usize),
    /// After this number of bytes of the body.
    Bytes(usize),
}

/// What happens there.
#[derive(Debug, Clone)]
pub(super) enum Mishap {
    Wait(Gate),
    Stall,
    /// The connection breaks.
    Cut,
    /// The body ends as if it were complete.
    End,
    /// The provider reports an error within the stream, and ends it.
    Error,
    /// The same in the words of a server that has forgotten that it streams (Gemini).
    BareError,
}

impl Call {
    /// A call with these arguments.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self {
            name: tool.into(),
            arguments: Arguments::Json(arguments),
        }
    }

    /// A call whose arguments are this text, whatever it is.
    pub fn broken(tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            name: tool.into(),
            arguments: Arguments::Raw(arguments.into()),
        }
    }
}

impl Turn {
    /// The model says this, in pieces of a word or so.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::chunks(words(text.as_ref()))
    }

    /// The model says this, in these pieces.
    pub fn chunks(pieces: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::answer(Answer {
            text: pieces.into_iter().map(Into::into).collect(),
            ..Answer::default()
        })
    }

    /// The model calls these tools, all at once.
    pub fn calls(calls: impl IntoIterator<Item = Call>) -> Self {
        Self::answer(Answer {
            calls: calls.into_iter().collect(),
            ..Answer::default()
        })
    }

    /// The model calls this tool.
    pub fn call(tool: impl Into<String>, arguments: Value) -> Self {
        Self::calls([Call::new(tool, arguments)])
    }

    /// The model answers in JSON, in the way in which it was asked to: as text, or as the arguments
    /// of a forced tool.
    pub fn json(value: Value) -> Self {
        Self::answer(Answer {
            json: Some(value),
            ..Answer::default()
        })
    }

    /// The model refuses in these words.
    pub fn refusal(text: impl AsRef<str>) -> Self {
        Self::text(text).ending(End::Refused)
    }

    /// The provider answers with this status and body instead.
    pub fn status(status: u16, body: impl Into<String>) -> Self {
        Self::fail(Failure::Status {
            status,
            body: body.into(),
            headers: Vec::new(),
        })
    }

    /// The provider, or something in front of it, answers with a page.
    pub fn html(status: u16) -> Self {
        Self::status(
            status,
            "<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head>\n<body>\n<h1>Bad gateway</h1>\n</body></html>\n",
        )
        .header("content-type", "text/html; charset=utf-8")
    }

    /// The provider limits the rate and says when to come back, in its own way: in headers, or in
    /// the body (Gemini).
    pub fn rate_limited(delay: Option<Duration>) -> Self {
        Self::fail(Failure::RateLimited(delay))
    }

    /// The provider is overloaded: 529 or 503.
    pub fn overloaded() -> Self {
        Self::fail(Failure::Overloaded)
    }

    /// The provider fails: 500.
    pub fn internal_error() -> Self {
        Self::fail(Failure::Internal)
    }

    /// These very bytes, with status 200 and the content type of a streamed answer.
    pub fn raw(body: impl IntoIterator<Item = impl Into<Bytes>>) -> Self {
        Self::of(Act::Raw(body.into_iter().map(Into::into).collect()))
    }

    /// The connection is closed without an answer.
    pub fn hang_up() -> Self {
        Self::of(Act::Hang)
    }

    /// Says this before its calls.
    #[must_use]
    pub fn saying(mut self, text: impl AsRef<str>) -> Self {
        if let Act::Answer(answer) = &mut self.act {
            answer.text = words(text.as_ref());
        }
        self
    }

    /// Thinks this before anything else.
    #[must_use]
    pub fn thinking(mut self, text: impl AsRef<str>) -> Self {
        if let Act::Answer(answer) = &mut self.act {
            answer.reasoning = words(text.as_ref());
        }
        self
    }

    /// Runs into the limit of tokens. The last call's arguments, if any, are as they were given:
    /// use [`Call::broken`] for cut ones.
    #[must_use]
    pub fn out_of_tokens(self) -> Self {
        self.ending(End::Length)
    }

    /// Is held back by the provider's filter.
    #[must_use]
    pub fn filtered(self) -> Self {
        self.ending(End::Filtered)
    }

    /// Sets the usage. Without it, the tokens are counted from the lengths.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        if let Act::Answer(answer) = &mut self.act {
            answer.usage = Some((input, output));
        }
        self
    }

    /// Reports the number of its output tokens that were thoughts, in the way of OpenAI and Gemini.
    #[must_use]
    pub fn thoughts(mut self, tokens: u64) -> Self {
        if let Act::Answer(answer) = &mut self.act {
            answer.thoughts = Some(tokens);
        }
        self
    }

    /// Reports the number of its input tokens that came from the provider's cache. Ollama reports
    /// no such number.
    #[must_use]
    pub fn cached(mut self, tokens: u64) -> Self {
        if let Act::Answer(answer) = &mut self.act {
            answer.cached = tokens;
        }
        self
    }

    /// With a header; for [`Turn::status`] only.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Act::Fail(Failure::Status { headers, .. }) = &mut self.act {
            headers.push((name.into(), value.into()));
        }
        self
    }

    /// Does not even send the headers before the gate opens.
    #[must_use]
    pub fn wait_before_headers(self, gate: &Gate) -> Self {
        self.with(Place::Headers, Mishap::Wait(gate.clone()))
    }

    /// After this number of pieces of content, waits for the gate. 0 is before the first token.
    #[must_use]
    pub fn wait_after(self, pieces: usize, gate: &Gate) -> Self {
        self.with(Place::Pieces(pieces), Mishap::Wait(gate.clone()))
    }

    /// Never sends the headers.
    #[must_use]
    pub fn stall_before_headers(self) -> Self {
        self.with(Place::Headers, Mishap::Stall)
    }

    /// Sends nothing more after this number of pieces of content. 0 is before the first token.
    #[must_use]
    pub fn stall_after(self, pieces: usize) -> Self {
        self.with(Place::Pieces(pieces), Mishap::Stall)
    }

    /// The connection breaks after this number of pieces of content.
    #[must_use]
    pub fn cut_after(self, pieces: usize) -> Self {
        self.with(Place::Pieces(pieces), Mishap::Cut)
    }

    /// The connection breaks after this number of bytes of the body.
    #[must_use]
    pub fn cut_after_bytes(self, bytes: usize) -> Self {
        self.with(Place::Bytes(bytes), Mishap::Cut)
    }

    /// The body ends in good order after this number of pieces of content, without what the
    /// provider says at the end.
    #[must_use]
    pub fn end_after(self, pieces: usize) -> Self {
        self.with(Place::Pieces(pieces), Mishap::End)
    }

    /// The provider reports an error within the stream after this number of pieces of content.
    #[must_use]
    pub fn error_after(self, pieces: usize) -> Self {
        self.with(Place::Pieces(pieces), Mishap::Error)
    }

    /// The same, as a bare JSON body in the middle of an event stream, which Gemini does.
    #[must_use]
    pub fn bare_error_after(self, pieces: usize) -> Self {
        self.with(Place::Pieces(pieces), Mishap::BareError)
    }

    /// Sends the body byte by byte, each after this pause. The headers come at once.
    #[must_use]
    pub fn dripping(mut self, pause: Duration) -> Self {
        self.drip = Some(pause);
        self
    }

    /// Whether it is what a model would do, though perhaps with mishaps.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self.act, Act::Answer(_))
    }

    fn answer(answer: Answer) -> Self {
        Self::of(Act::Answer(answer))
    }

    fn fail(failure: Failure) -> Self {
        Self::of(Act::Fail(failure))
    }

    fn of(act: Act) -> Self {
        Self {
            act,
            mishaps: Vec::new(),
            drip: None,
        }
    }

    fn ending(mut self, end: End) -> Self {
        if let Act::Answer(answer) = &mut self.act {
            answer.end = end;
        }
        self
    }

    fn with(mut self, place: Place, mishap: Mishap) -> Self {
        self.mishaps.push((place, mishap));
        self
    }
}

impl Arguments {
    /// As text.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Json(value) => value.to_string(),
            Self::Raw(text) => text.clone(),
        }
    }

    /// As text, in fragments. No arguments are one empty fragment.
    pub(super) fn fragments(&self) -> Vec<String> {
        let text = match self {
            Self::Json(Value::Object(members)) if members.is_empty() => return Vec::new(),
            other => other.text(),
        };
        let letters: Vec<char> = text.chars().collect();
        letters
            .chunks(7)
            .map(|some| some.iter().collect())
            .collect()
    }

    /// As an object.
    pub(super) fn object(&self) -> Value {
        match self {
            Self::Json(value) => value.clone(),
            Self::Raw(text) => serde_json::from_str(text)
                .ok()
                .filter(Value::is_object)
                .unwrap_or_else(|| serde_json::json!({ "arguments": text })),
        }
    }
}

/// Words, each with the space before it.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut start = 0;
    let spaces = text.match_indices(' ').map(|(at, _)| at);
    for at in spaces.filter(|at| *at > 0) {
        words.push(text[start..at].to_owned());
        start = at;
    }
    if start < text.len() {
        words.push(text[start..].to_owned());
    }
    words.retain(|word| !word.is_empty());
    words
}
