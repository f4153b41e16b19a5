//! Requests that the HTTP library refuses before any handler sees them: it writes a bare status
//! (400, 414, 431) and closes. Here that status becomes a problem, as every other refusal is one.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use contracts::problem::{PROBLEM_JSON, Problem};
use http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::activity::Activity;
use crate::clock::SharedIds;
use crate::context::REQUEST_ID_HEADER;

/// The start of the library's bare answers.
const BEGINNINGS: [&[u8]; 2] = [b"HTTP/1.1 4", b"HTTP/1.0 4"];

/// Number of bytes that are still read from a refused client, so that its side does not fail before
/// it has read the answer.
const LINGER_BYTES: usize = 1024 * 1024;

/// A connection's bytes.
///
/// What is written while no request is in flight, and after all earlier answers were flushed, is
/// the library's own: answers of handlers keep their request in flight until they are handed over.
pub(super) struct Refusing<S> {
    inner: S,
    activity: Arc<Activity>,
    ids: SharedIds,
    /// The number of requests whose answers are all written out.
    answered: Option<u64>,
    refusal: Option<Refusal>,
}

/// A problem that is being written in place of a bare status.
struct Refusal {
    bytes: Vec<u8>,
    written: usize,
    /// Number of bytes still to read.
    linger: usize,
}

impl<S> Refusing<S> {
    pub(super) fn new(inner: S, activity: Arc<Activity>, ids: SharedIds) -> Self {
        Self {
            inner,
            activity,
            ids,
            answered: Some(0),
            refusal: None,
        }
    }

    /// Takes a bare answer in; `false` when these bytes are something else.
    fn replace(&mut self, bytes: &[u8]) -> bool {
        let own = self.answered.is_some() && self.answered == self.activity.quiet();
        self.answered = None;
        let status = own.then(|| bare_status(bytes)).flatten();
        let Some(status) = status else { return false };
        self.refusal = Some(Refusal {
            bytes: problem(status, &self.ids.new_id().to_string()),
            written: 0,
            linger: LINGER_BYTES,
        });
        true
    }
}

impl<S: AsyncWrite + Unpin> Refusing<S> {
    fn poll_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(refusal) = &mut self.refusal else {
            return Poll::Ready(Ok(()));
        };
        while refusal.written < refusal.bytes.len() {
            let rest = &refusal.bytes[refusal.written..];
            match ready!(Pin::new(&mut self.inner).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => refusal.written += written,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Refusing<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Refusing<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_refusal(cx))?;
        if self.replace(bytes) {
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_refusal(cx))?;
        let mut filled = slices.iter().filter(|slice| !slice.is_empty());
        if let (Some(only), None) = (filled.next(), filled.next())
            && self.replace(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        self.answered = None;
        Pin::new(&mut self.inner).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_refusal(cx))?;
        ready!(Pin::new(&mut self.inner).poll_flush(cx))?;
        // The library flushes when it has nothing more to write.
        self.answered = self.activity.quiet();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_refusal(cx))?;
        ready!(Pin::new(&mut self.inner).poll_shutdown(cx))?;
        // A client that is still sending would get a reset, and might not read the answer. An idle
        // connection is closed in the end, so this ends, too.
        let this = &mut *self;
        let Some(refusal) = &mut this.refusal else {
            return Poll::Ready(Ok(()));
        };
        let mut scratch = [0_u8; 4096];
        while refusal.linger > 0 {
            let mut buffer = ReadBuf::new(&mut scratch);
            match ready!(Pin::new(&mut this.inner).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {
                    refusal.linger = refusal.linger.saturating_sub(buffer.filled().len());
                }
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// The status of an answer that is a head and nothing else.
fn bare_status(bytes: &[u8]) -> Option<StatusCode> {
    let begins = BEGINNINGS
        .iter()
        .any(|beginning| bytes.starts_with(beginning));
    let ends = bytes.ends_with(b"\r\n\r\n");
    if !(begins && ends) {
        return None;
    }
    StatusCode::from_bytes(bytes.get(9..12)?).ok()
}

fn problem(status: StatusCode, request_id: &str) -> Vec<u8> {
    let (code, title, detail) = match status {
        StatusCode::URI_TOO_LONG => (
            "uri_too_long",
            "URI too long",
            "The request's path and query are longer than the service reads.",
        ),
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => (
            "request_header_fields_too_large",
            "Request header fields too large",
            "The request has more or longer header fields than the service reads.",
        ),
        _ => (
            "malformed_request",
            "Malformed request",
            "The request line or a header field is not valid HTTP.",
        ),
    };
    let mut problem = Problem::new(status.as_u16(), code, title).with_detail(detail);
    problem.request_id = Some(request_id.to_owned());
    tracing::debug!(
        status = status.as_u16(),
        request_id,
        "refused a request that is not valid HTTP"
    );
    last_answer(&problem, &format!("{REQUEST_ID_HEADER}: {request_id}"))
}

/// A problem as the bytes of a connection's last answer, with one more header field.
pub(super) fn last_answer(problem: &Problem, field: &str) -> Vec<u8> {
    // A problem is strings and numbers: nothing in it can fail to serialize.
    let body = serde_json::to_string(problem).unwrap_or_default();
    let status = problem.status;
    let reason = StatusCode::from_u16(status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or_default();
    format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: {PROBLEM_JSON}\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         x-content-type-options: nosniff\r\n{field}\r\nconnection: close\r\n\r\n{body}",
        body.len(),
    )
    .into_bytes()
}
