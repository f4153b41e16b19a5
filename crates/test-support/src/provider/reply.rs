//! From a turn to what goes over the wire, mishaps included.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::turn::{Act, Answer, Failure, Mishap, Place, words};
use super::{Call, Choice, Dialect, Gate, Seen, Turn, anthropic, gemini, ollama, openai, refusal};

/// A response.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    /// What happens before the headers.
    pub(super) before: Vec<Piece>,
    pub(super) body: Vec<Piece>,
}

/// A piece of a response.
pub(super) enum Piece {
    Bytes(Bytes),
    Wait(Gate),
    Pause(Duration),
    Stall,
    Cut,
}

/// A message of a streamed answer: an event, or a line.
pub(super) struct Frame {
    pub(super) bytes: Bytes,
    /// Whether the model's own words are in it.
    pub(super) content: bool,
}

/// Data about the request that its answer needs.
pub(super) struct Asked<'a> {
    pub(super) seen: &'a Seen,
    /// Unlike that of any other request in this process.
    pub(super) serial: u64,
}

impl Frame {
    pub(super) fn content(text: String) -> Self {
        Self {
            bytes: text.into(),
            content: true,
        }
    }

    pub(super) fn other(text: String) -> Self {
        Self {
            bytes: text.into(),
            content: false,
        }
    }
}

impl Asked<'_> {
    /// An id for the call at this place.
    pub(super) fn id(&self, prefix: &str, index: usize) -> String {
        format!("{prefix}{:010}{index:03}", self.serial)
    }

    /// Tokens in and out: as the turn says, or by the lengths.
    pub(super) fn usage(&self, answer: &Answer) -> (u64, u64) {
        answer.usage.unwrap_or_else(|| {
            let sent = self.seen.body.to_string().len() / 4;
            let written = answer.text.len() + answer.reasoning.len() + answer.calls.len() * 12;
            (sent as u64, written as u64)
        })
    }
}

/// The reply of a turn. `None`: the connection is closed without an answer.
pub(super) fn reply(turn: &Turn, asked: &Asked<'_>) -> Option<Reply> {
    let dialect = asked.seen.dialect;
    let mut reply = match &turn.act {
        Act::Hang => return None,
        Act::Fail(failure) => failed(failure, dialect),
        Act::Raw(body) => {
            let frames = body.iter().cloned().map(|bytes| Frame {
                bytes,
                content: true,
            });
            with_mishaps(stream_type(dialect), frames.collect(), turn, asked)
        }
        Act::Answer(answer) => {
            let answer = resolved(answer, asked.seen);
            if asked.seen.stream {
                with_mishaps(stream_type(dialect), frames(&answer, asked), turn, asked)
            } else {
                let whole = Frame::content(whole(&answer, asked).to_string());
                with_mishaps("application/json", vec![whole], turn, asked)
            }
        }
    };
    let before = turn
        .mishaps
        .iter()
        .filter(|(place, _)| *place == Place::Headers);
    reply.before = before.filter_map(|(_, mishap)| pause(mishap)).collect();
    if let Some(pause) = turn.drip {
        reply.body = dripping(reply.body, pause);
    }
    Some(reply)
}

/// A refusal as a response.
pub(super) fn refused(refusal: &super::Refusal) -> Reply {
    plain(refusal.status, "application/json", refusal.body.to_string())
}

/// A response that is one piece.
pub(super) fn plain(status: u16, content_type: &str, body: String) -> Reply {
    Reply {
        status,
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        before: Vec::new(),
        body: vec![Piece::Bytes(body.into())],
    }
}

fn stream_type(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenAi | Dialect::Anthropic => "text/event-stream; charset=utf-8",
        Dialect::OpenRouter | Dialect::Gemini => "text/event-stream",
        Dialect::Ollama => "application/x-ndjson",
    }
}

/// An answer in JSON in the form that was asked for.
fn resolved(answer: &Answer, seen: &Seen) -> Answer {
    let mut answer = answer.clone();
    if let Some(value) = answer.json.take() {
        match &seen.tool_choice {
            Choice::Named(tool) => answer.calls = vec![Call::new(tool, value)],
            _ => answer.text = words(&value.to_string()),
        }
    }
    answer
}

fn frames(answer: &Answer, asked: &Asked<'_>) -> Vec<Frame> {
    match asked.seen.dialect {
        Dialect::OpenAi | Dialect::OpenRouter => openai::frames(answer, asked),
        Dialect::Anthropic => anthropic::frames(answer, asked),
        Dialect::Gemini => gemini::frames(answer, asked),
        Dialect::Ollama => ollama::frames(answer, asked),
    }
}

fn whole(answer: &Answer, asked: &Asked<'_>) -> Value {
    match asked.seen.dialect {
        Dialect::OpenAi | Dialect::OpenRouter => openai::whole(answer, asked),
        Dialect::Anthropic => anthropic::whole(answer, asked),
        Dialect::Gemini => gemini::whole(answer, asked),
        Dialect::Ollama => ollama::whole(answer, asked),
    }
}

fn with_mishaps(content_type: &str, frames: Vec<Frame>, turn: &Turn, asked: &Asked<'_>) -> Reply {
    let mut body = Vec::new();
    let mut content = 0;
    for frame in frames {
        // What comes before the first token (a message's start, say) comes before a stall there,
        // too.
        if frame.content && content == 0 && happens(turn, Place::Pieces(0), asked, &mut body) {
            break;
        }
        body.push(Piece::Bytes(frame.bytes));
        if frame.content {
            content += 1;
            if happens(turn, Place::Pieces(content), asked, &mut body) {
                break;
            }
        }
    }
    for (place, _) in &turn.mishaps {
        if let Place::Bytes(bytes) = place {
            body = cut(body, *bytes);
        }
    }
    Reply {
        status: 200,
        headers: vec![("content-type".to_owned(), content_type.to_owned())],
        before: Vec::new(),
        body,
    }
}

/// Adds what happens at this place. Whether that was the end of the answer.
fn happens(turn: &Turn, at: Place, asked: &Asked<'_>, body: &mut Vec<Piece>) -> bool {
    for (_, mishap) in turn.mishaps.iter().filter(|(place, _)| *place == at) {
        match mishap {
            Mishap::End => return true,
            Mishap::Error => {
                body.push(Piece::Bytes(error(asked).into()));
                return true;
            }
            Mishap::BareError => {
                let bare = refusal::body(asked.seen.dialect, 503, OVERLOADED);
                body.push(Piece::Bytes(format!("{bare:#}\n").into()));
                return true;
            }
            pause_or_cut => body.extend(pause(pause_or_cut)),
        }
        if matches!(mishap, Mishap::Cut | Mishap::Stall) {
            return true;
        }
    }
    false
}

fn pause(mishap: &Mishap) -> Option<Piece> {
    match mishap {
        Mishap::Wait(gate) => Some(Piece::Wait(gate.clone())),
        Mishap::Stall => Some(Piece::Stall),
        Mishap::Cut => Some(Piece::Cut),
        Mishap::End | Mishap::Error | Mishap::BareError => None,
    }
}

/// The body byte by byte.
fn dripping(body: Vec<Piece>, pause: Duration) -> Vec<Piece> {
    let mut drops = Vec::new();
    for piece in body {
        match piece {
            Piece::Bytes(some) => {
                let bytes = (0..some.len()).map(|at| Piece::Bytes(some.slice(at..=at)));
                drops.extend(bytes.flat_map(|byte| [Piece::Pause(pause), byte]));
            }
            other => drops.push(other),
        }
    }
    drops
}

/// The body's first bytes, and then a broken connection.
fn cut(body: Vec<Piece>, bytes: usize) -> Vec<Piece> {
    let mut left = bytes;
    let mut kept = Vec::new();
    for piece in body {
        match piece {
            Piece::Bytes(some) if some.len() > left => {
                kept.push(Piece::Bytes(some.slice(..left)));
                break;
            }
            Piece::Bytes(some) => {
                left -= some.len();
                kept.push(Piece::Bytes(some));
            }
            other => kept.push(other),
        }
    }
    kept.push(Piece::Cut);
    kept
}

const OVERLOADED: &str = "The model is overloaded. Please try again later.";

/// An error within a streamed answer, and what the provider says after it.
fn error(asked: &Asked<'_>) -> String {
    let dialect = asked.seen.dialect;
    match dialect {
        Dialect::OpenAi => {
            let words = "The server had an error while processing your request. Sorry about that!";
            format!("data: {}\n\n", refusal::body(dialect, 500, words))
        }
        Dialect::OpenRouter => openai::error_chunk(asked),
        Dialect::Anthropic => {
            // protocols d.3: 529 can arrive as an event.
            let body = json!({"error": {"message": "Overloaded", "type": "overloaded_error"}, "type": "error"});
            format!("event: error\ndata: {body}\n\n")
        }
        Dialect::Gemini => format!("data: {}\r\n\r\n", refusal::body(dialect, 503, OVERLOADED)),
        Dialect::Ollama => {
            let body = refusal::body(
                dialect,
                500,
                "an error was encountered while running the model: CUDA error",
            );
            format!("{body}\n")
        }
    }
}

fn failed(failure: &Failure, dialect: Dialect) -> Reply {
    let (status, message) = match failure {
        Failure::Status {
            status,
            body,
            headers,
        } => {
            let mut reply = plain(*status, "application/json", body.clone());
            if headers
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
            {
                reply.headers.clear();
            }
            reply.headers.extend(headers.iter().cloned());
            return reply;
        }
        Failure::RateLimited(delay) => return rate_limited(*delay, dialect),
        Failure::Overloaded if dialect == Dialect::Anthropic => (529, "Overloaded"),
        Failure::Overloaded if dialect == Dialect::Ollama => (
            503,
            "server busy, please try again.  maximum pending requests exceeded",
        ),
        Failure::Overloaded => (503, OVERLOADED),
        Failure::Internal => (500, "Internal server error"),
    };
    plain(
        status,
        "application/json",
        refusal::body(dialect, status, message).to_string(),
    )
}

/// 429, with the delay where the provider puts it.
fn rate_limited(delay: Option<Duration>, dialect: Dialect) -> Reply {
    let message = match dialect {
        Dialect::Gemini => {
            "You exceeded your current quota, please check your plan and billing details."
        }
        Dialect::Anthropic => {
            "This request would exceed your organization's rate limit of 50,000 input tokens per minute."
        }
        Dialect::OpenRouter => "Rate limit exceeded: free-models-per-min. ",
        _ => {
            "Rate limit reached for this model in organization org-scripted on tokens per min (TPM)."
        }
    };
    let mut body = refusal::body(dialect, 429, message);
    let mut headers = Vec::new();
    if let Some(delay) = delay {
        if dialect == Dialect::Gemini {
            // protocols d.4: in the body only, "34.4s".
            body["error"]["details"] = json!([
                {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []},
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{}s", delay.as_secs_f64())},
            ]);
        } else {
            headers.push((
                "retry-after".to_owned(),
                format!("{:.0}", delay.as_secs_f64().ceil()),
            ));
        }
        if dialect == Dialect::OpenAi {
            headers.push(("retry-after-ms".to_owned(), delay.as_millis().to_string()));
        }
    }
    let mut reply = plain(429, "application/json", body.to_string());
    reply.headers.extend(headers);
    reply
}
