//! The events of a run in the stream modes that a client asks for.

use contracts::run::RunEvent;
use serde_json::{Value, json};

use super::messages::{AnswerMessage, Change, values};

/// A part of a run that a client asks to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The whole state, before and after.
    Values,
    /// The messages that the run added.
    Updates,
    /// Messages so far, whole each time.
    Messages,
    /// Parts of messages.
    MessagesTuple,
    /// Hints, warnings, rows, plans, sources and cards.
    Custom,
    /// A mode that has no events here.
    Silent,
}

impl Mode {
    /// The mode of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "values" => Self::Values,
            "updates" => Self::Updates,
            "messages" => Self::Messages,
            "messages-tuple" => Self::MessagesTuple,
            "custom" => Self::Custom,
            "events" | "debug" | "tasks" | "checkpoints" => Self::Silent,
            _ => return None,
        })
    }
}

/// Frames that an event of a run can have.
const SLOTS: u64 = 10;

/// A server-sent event.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Grows within a run. It is the same in every mode, so that a stream can be continued in
    /// another one.
    pub id: u64,
    /// The name of the event.
    pub name: &'static str,
    /// The data of the event.
    pub data: Value,
}

/// Turns the events of a run into those of its stream.
#[derive(Debug)]
pub struct RunStream {
    modes: Vec<Mode>,
    assistant: String,
    thread_id: String,
    run_id: String,
    /// The messages before the answer.
    before: Vec<Value>,
    answer: AnswerMessage,
    /// Events that were taken.
    events: u64,
    /// The end of the run, when it failed.
    failed: Option<(String, String)>,
}

impl RunStream {
    /// A stream in these modes, after these messages.
    pub fn new(
        modes: Vec<Mode>,
        assistant: &str,
        thread_id: &str,
        run_id: &str,
        before: Vec<Value>,
    ) -> Self {
        Self {
            modes,
            assistant: assistant.to_owned(),
            thread_id: thread_id.to_owned(),
            run_id: run_id.to_owned(),
            before,
            answer: AnswerMessage::default(),
            events: 0,
            failed: None,
        }
    }

    /// The frames after this event.
    pub fn encode(&mut self, event: &RunEvent) -> Vec<Frame> {
        let mut frames = Vec::new();
        self.events += 1;
        let change = self.answer.take(event);
        match event {
            RunEvent::Started { .. } => self.begin(&mut frames),
            RunEvent::Finished { .. } => self.end(&mut frames),
            RunEvent::Failed { code, text, .. } => {
                self.failed = Some((code.clone(), text.clone()));
                let error = json!({ "error": code, "message": text });
                self.push(&mut frames, 4, "error", error);
            }
            _ => {}
        }
        if let Some(change) = &change {
            self.change(change, &mut frames);
        }
        if self.has(Mode::Custom) && is_custom(event) {
            let data = serde_json::to_value(event).unwrap_or_default();
            self.push(&mut frames, 9, "custom", data);
        }
        frames
    }

    /// The state as it is now: what a client that waits gets.
    pub fn state(&self) -> Value {
        let mut state = self.values();
        if let Some((error, message)) = &self.failed {
            state["__error__"] = json!({ "error": error, "message": message });
        }
        state
    }

    fn begin(&self, frames: &mut Vec<Frame>) {
        let metadata = json!({ "run_id": self.run_id, "thread_id": self.thread_id, "attempt": 1 });
        self.push(frames, 0, "metadata", metadata);
        if self.has(Mode::Values) {
            let state = values(&self.before);
            self.push(frames, 1, "values", state);
        }
        if self.has(Mode::Messages) {
            let ids = [self.answer.id().to_owned(), self.answer.calls_id()];
            for (slot, id) in (2..).zip(ids) {
                let mut metadata = serde_json::Map::new();
                metadata.insert(id, json!({ "metadata": self.metadata() }));
                self.push(frames, slot, "messages/metadata", Value::Object(metadata));
            }
        }
    }

    fn change(&self, change: &Change, frames: &mut Vec<Frame>) {
        if self.has(Mode::MessagesTuple) {
            let part = match change {
                Change::Text(more) => chunk(self.answer.id(), more),
                Change::Call(call) => {
                    let mut part = chunk(&self.answer.calls_id(), "");
                    let arguments = call["args"].to_string();
                    part["tool_calls"] = json!([call]);
                    part["tool_call_chunks"] = json!([{
                        "id": call["id"], "name": call["name"], "args": arguments, "index": 0, "type": "tool_call_chunk",
                    }]);
                    part
                }
                Change::Result(result) => result.clone(),
            };
            let data = json!([part, self.metadata()]);
            self.push(frames, 5, "messages", data);
        }
        if self.has(Mode::Messages) {
            let (name, message) = match change {
                Change::Text(_) => ("messages/partial", Some(self.answer.said())),
                Change::Call(_) => (
                    "messages/partial",
                    self.answer.messages().into_iter().next(),
                ),
                Change::Result(result) => ("messages/complete", Some(result.clone())),
            };
            let data = json!([message]);
            self.push(frames, 6, name, data);
        }
    }

    fn end(&self, frames: &mut Vec<Frame>) {
        if self.has(Mode::Messages) {
            let data = json!([self.answer.said()]);
            self.push(frames, 6, "messages/complete", data);
        }
        if self.has(Mode::Updates) {
            let mut update = serde_json::Map::new();
            let added = values(&self.answer.messages());
            update.insert(self.assistant.clone(), added);
            self.push(frames, 7, "updates", Value::Object(update));
            if let Some(interrupt) = self.answer.interrupt.clone() {
                let data = json!({ "__interrupt__": [interrupt.shown()] });
                self.push(frames, 8, "updates", data);
            }
        }
        if self.has(Mode::Values) {
            let state = self.values();
            self.push(frames, 9, "values", state);
        }
    }

    fn values(&self) -> Value {
        let mut messages = self.before.clone();
        messages.extend(self.answer.messages());
        let mut state = values(&messages);
        if let Some(interrupt) = &self.answer.interrupt {
            state["__interrupt__"] = json!([interrupt.shown()]);
        }
        state
    }

    fn metadata(&self) -> Value {
        json!({
            "run_id": self.run_id, "thread_id": self.thread_id, "assistant_id": self.assistant, "graph_id": self.assistant,
            "langgraph_node": self.assistant, "langgraph_checkpoint_ns": "",
        })
    }

    fn has(&self, mode: Mode) -> bool {
        self.modes.contains(&mode)
    }

    /// Adds a frame of the event. Each kind has a slot of its own, in the order in which they come.
    fn push(&self, frames: &mut Vec<Frame>, slot: u64, name: &'static str, data: Value) {
        let id = SLOTS * self.events + slot;
        frames.push(Frame { id, name, data });
    }
}

fn chunk(id: &str, text: &str) -> Value {
    json!({
        "type": "AIMessageChunk", "id": id, "content": text, "name": null, "additional_kwargs": {}, "response_metadata": {},
        "tool_calls": [], "invalid_tool_calls": [], "tool_call_chunks": [], "usage_metadata": null,
    })
}

/// Whether a page shows the event beside the messages.
fn is_custom(event: &RunEvent) -> bool {
    matches!(
        event,
        RunEvent::Status { .. }
            | RunEvent::Route { .. }
            | RunEvent::Warning { .. }
            | RunEvent::StructuredData { .. }
            | RunEvent::Plan { .. }
            | RunEvent::Sources { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::langgraph::human;
    use crate::prose::tests::run;

    fn stream(modes: &[Mode]) -> (RunStream, Vec<Frame>) {
        let before = vec![human("u1", "Hello")];
        let mut stream = RunStream::new(modes.to_vec(), "data", "t1", "0a", before);
        let frames = run()
            .iter()
            .flat_map(|event| stream.encode(event))
            .collect();
        (stream, frames)
    }

    #[test]
    fn values_begin_with_the_question_and_end_with_the_answer() {
        let (stream, frames) = stream(&[Mode::Values]);
        let names: Vec<&str> = frames.iter().map(|frame| frame.name).collect();
        assert_eq!(names, ["metadata", "values", "values"]);
        assert_eq!(frames[1].data["messages"].as_array().unwrap().len(), 1);
        let last = &frames[2].data["messages"];
        assert_eq!(last[0]["content"], "Hello");
        assert_eq!(last[1]["tool_calls"][0]["name"], "render_ui_component");
        assert_eq!(last[2]["content"], "Two rows.\n\nDone.");
        assert_eq!(last[2]["usage_metadata"]["total_tokens"], 12);
        assert_eq!(stream.state(), frames[2].data);
    }

    #[test]
    fn parts_of_messages_make_the_text() {
        let (_, frames) = stream(&[Mode::MessagesTuple, Mode::Custom]);
        let parts = frames.iter().filter(|frame| frame.name == "messages");
        let text: String = parts
            .filter_map(|frame| frame.data[0]["content"].as_str())
            .collect();
        assert_eq!(text, "Two rows.\n\nDone.");
        let custom: Vec<&Value> = frames
            .iter()
            .filter(|frame| frame.name == "custom")
            .map(|frame| &frame.data["event"])
            .collect();
        assert_eq!(custom, [&json!("sources"), &json!("warning")]);
    }

    #[test]
    fn a_frame_has_the_same_id_in_every_mode() {
        let all = [
            Mode::Values,
            Mode::Updates,
            Mode::Messages,
            Mode::MessagesTuple,
            Mode::Custom,
        ];
        let (_, whole) = stream(&all);
        assert!(whole.is_sorted_by(|one, next| one.id < next.id));
        assert!(whole[0].id > 0, "zero is before the first frame");
        for mode in all {
            let (_, part) = stream(&[mode]);
            assert!(
                part.len() > 1 && part.iter().all(|frame| whole.contains(frame)),
                "{mode:?}"
            );
        }
    }

    #[test]
    fn a_run_that_fails_ends_with_an_error() {
        let mut stream = RunStream::new(vec![Mode::Updates], "site", "t1", "0a", Vec::new());
        let failed = RunEvent::Failed {
            code: "timeout".into(),
            text: "Too long.".into(),
            retryable: true,
        };
        let frames = stream.encode(&failed);
        assert_eq!(
            (frames[0].name, &frames[0].data["message"]),
            ("error", &json!("Too long."))
        );
        assert_eq!(stream.state()["__error__"]["error"], "timeout");
    }
}
