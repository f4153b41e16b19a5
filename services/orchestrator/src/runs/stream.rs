//! A run as a response: its events in a dialect, at the pace of the reader.
//!
//! Nothing is sent ahead of the reader. What a slow one has not asked for stays in the log, where
//! it is kept once for all readers.

use axum::body::{Body, Bytes};
use axum::response::Response;
use contracts::threads::Dialect;
use conversations::Run;
use futures::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::follow::{Batch, Follow, RunUnavailable};
use super::metrics::ObservedClient;
use crate::dialects::{self, Encoder, Frame, attempt_of, keep_alive};
use crate::state::State;

/// The last frame of a run that a client has seen, by its id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct After(pub(crate) u64);

impl After {
    /// The value of the header `Last-Event-ID`; `None` if it is not an id of a frame.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let id = headers.get("last-event-id")?.to_str().ok()?;
        id.trim().parse().ok().map(Self)
    }
}

/// Whether a client that saw frames up to this one has seen all of a run that is over. Such a
/// client gets the status 204, as there is no more: a stream without frames would make it ask again
/// forever.
pub(crate) async fn has_seen_all(state: &State, run: &Run, dialect: Dialect, after: After) -> bool {
    let attempt = u32::try_from(run.attempt).unwrap_or_default().max(1);
    if !run.status.is_ended() || attempt_of(after.0) != attempt || after.0 == 0 {
        return false;
    }
    let mut follow = Follow::new(state, run.clone());
    let mut encoder = Encoder::new(dialect, attempt, "");
    let mut frames = Vec::new();
    while let Ok(Some(batch)) = follow.next().await {
        if batch.attempt != run.attempt.max(1) {
            return false;
        }
        for event in &batch.events {
            frames.clear();
            encoder.encode(event, &mut frames);
            if frames.iter().any(|frame| frame.id > after.0) {
                return false;
            }
        }
    }
    true
}

/// Answers with the run that is followed.
pub(crate) fn response(
    follow: Follow,
    dialect: Dialect,
    after: After,
    quiet: std::time::Duration,
) -> Response {
    let headers = headers(&follow, dialect);
    let known = u32::try_from(follow.run().attempt).unwrap_or_default();
    // An id of an attempt that never was is none of this run's.
    let after = if attempt_of(after.0) > known.max(1) {
        After::default()
    } else {
        after
    };
    let reply = Reply {
        request_id: follow.run().request_id.clone().unwrap_or_default(),
        follow,
        dialect,
        after,
        encoder: None,
        frames: Vec::new(),
        _observed: ObservedClient::begin(dialect),
    };
    let body = stream::try_unfold(reply, move |mut reply| async move {
        let next = reply.next(quiet).await?;
        Ok::<_, RunUnavailable>(next.map(|bytes| (bytes, reply)))
    });
    let mut response = Response::new(Body::from_stream(body));
    *response.headers_mut() = headers;
    response
}

struct Reply {
    follow: Follow,
    dialect: Dialect,
    after: After,
    /// Of the attempt that is being read.
    encoder: Option<(i32, Encoder)>,
    request_id: String,
    frames: Vec<Frame>,
    _observed: ObservedClient,
}

impl Reply {
    /// What to send next: frames, or a sign of life.
    async fn next(&mut self, quiet: std::time::Duration) -> Result<Option<Bytes>, RunUnavailable> {
        let mut silence = std::pin::pin!(tokio::time::sleep(quiet));
        loop {
            let batch = tokio::select! {
                biased;
                batch = self.follow.next() => batch?,
                () = &mut silence => return Ok(Some(keep_alive(self.dialect))),
            };
            let Some(batch) = batch else { return Ok(None) };
            let bytes = self.write(&batch);
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }

    /// Frames that are ready at the same time go out together: no frame waits for another, and each
    /// tier on the way has less to do.
    fn write(&mut self, batch: &Batch) -> Bytes {
        let encoder = match &mut self.encoder {
            Some((attempt, encoder)) if *attempt == batch.attempt => encoder,
            other => {
                let attempt = u32::try_from(batch.attempt).unwrap_or(1);
                let encoder = Encoder::new(self.dialect, attempt, &self.request_id);
                &mut other.insert((batch.attempt, encoder)).1
            }
        };
        for event in &batch.events {
            encoder.encode(event, &mut self.frames);
        }
        let after = self.after.0;
        let mut unseen = self.frames.drain(..).filter(|frame| frame.id > after);
        match (unseen.next(), unseen.next()) {
            (None, _) => Bytes::new(),
            (Some(only), None) => only.bytes,
            (Some(first), Some(second)) => {
                let mut bytes = [first.bytes, second.bytes].concat();
                for frame in unseen {
                    bytes.extend_from_slice(&frame.bytes);
                }
                bytes.into()
            }
        }
    }
}

fn headers(follow: &Follow, dialect: Dialect) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(dialect.media_type()));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    for (name, value) in dialects::headers(dialect) {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    let run = follow.run();
    let mut tell = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    tell("x-run-id", &run.id.simple().to_string());
    tell("x-thread-id", &run.thread_name);
    headers
}
