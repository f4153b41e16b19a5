//! Answers, as they come and as they were read.

use std::time::Duration;

use axum::response::Response;
use http::StatusCode;
use http_body_util::BodyExt;
use serde_json::Value;
use test_support::sse::{Capture, Event, Reader};

/// A response's JSON.
pub(crate) async fn read(response: Response) -> (StatusCode, Value) {
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    (status, json)
}

/// A stream that is being read.
pub(crate) struct Stream {
    pub(crate) run_id: String,
    pub(crate) thread_id: String,
    reader: Reader,
}

impl Stream {
    pub(crate) async fn of(response: Response) -> Self {
        let status = response.status();
        if status != StatusCode::OK {
            let (status, problem) = read(response).await;
            panic!("{status}: {problem}");
        }
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        let (run_id, thread_id) = (header("x-run-id"), header("x-thread-id"));
        assert!(header("content-type").starts_with("text/event-stream"));
        Self {
            run_id,
            thread_id,
            reader: Reader::from_stream(response.into_body().into_data_stream()).of_run(),
        }
    }

    /// Reads until something that was said contains this.
    pub(crate) async fn until(&mut self, said: &str) -> Event {
        loop {
            let event = self
                .reader
                .next_event()
                .await
                .unwrap()
                .expect("more to come");
            if event.data.contains(said) {
                return event;
            }
        }
    }

    /// The next event, unless the stream breaks off or falls silent.
    pub(crate) async fn try_next(&mut self, patience: Duration) -> Option<Event> {
        let next = tokio::time::timeout(patience, self.reader.next_event());
        next.await.ok()?.ok()?
    }

    /// Reads until a comment comes.
    pub(crate) async fn until_comment(&mut self) {
        while self
            .reader
            .next()
            .await
            .unwrap()
            .expect("more to come")
            .event()
            .is_some()
        {}
    }

    pub(crate) async fn rest(self) -> Answer {
        let run_id = self.run_id;
        let capture = self.reader.finish().await.unwrap();
        Answer { run_id, capture }
    }

    /// Reads to wherever it breaks off.
    pub(crate) async fn broken_off(mut self) {
        while let Ok(Some(_)) = self.reader.next_event().await {}
    }
}

/// A stream that was read.
pub(crate) struct Answer {
    pub(crate) run_id: String,
    pub(crate) capture: Capture,
}

impl Answer {
    pub(crate) fn events(&self) -> Vec<Event> {
        self.capture.events().cloned().collect()
    }

    pub(crate) fn ids(&self) -> Vec<u64> {
        let ids = self
            .capture
            .events()
            .map(|event| event.id.as_deref().unwrap());
        ids.map(|id| id.parse().unwrap()).collect()
    }

    /// The frames' data as JSON, without `[DONE]`.
    pub(crate) fn frames(&self) -> Vec<Value> {
        let events = self.capture.events().filter(|event| event.data != "[DONE]");
        events.map(|event| event.json().unwrap()).collect()
    }

    pub(crate) fn types(&self) -> Vec<String> {
        let frames = self.frames();
        let types = frames
            .iter()
            .map(|frame| frame["type"].as_str().unwrap_or("?"));
        types.map(str::to_owned).collect()
    }

    /// All text of a UI message stream.
    pub(crate) fn text(&self) -> String {
        let frames = self.frames();
        frames
            .iter()
            .filter_map(|frame| frame["delta"].as_str())
            .collect()
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let frames = self.frames();
        let warnings = frames
            .iter()
            .filter(|frame| frame["type"] == "data-warning");
        warnings
            .map(|frame| frame["data"]["code"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(crate) fn finish_reason(&self) -> Option<String> {
        let frames = self.frames();
        let last = frames.last()?;
        last["finishReason"].as_str().map(str::to_owned)
    }
}
