//! `POST /v1/responses`: the answer as events, or whole. The id of a response is that of its run,
//! so that a later request can continue the conversation.

use contracts::run::{FinishReason, RunEvent, Usage};
use serde_json::{Value, json};

use super::{Completion, Refusal};
use crate::prose::Prose;

/// The id of the response that a run gives.
pub fn response_id(run_id: &str) -> String {
    format!("resp_{run_id}")
}

/// The run of a response.
pub fn run_of_response(id: &str) -> Option<&str> {
    id.strip_prefix("resp_")
}

/// Turns the events of a run into the events of a response.
#[derive(Debug)]
pub struct ResponseStream {
    completion: Completion,
    thread_id: String,
    previous: Option<String>,
    prose: Prose,
    text: String,
    began: bool,
    sequence: u64,
}

/// Name and data of a server-sent event.
type Named = (&'static str, String);

impl ResponseStream {
    /// A response in this thread, after another.
    pub fn new(
        completion: Completion,
        thread_id: String,
        previous: Option<String>,
        prose: Prose,
    ) -> Self {
        Self {
            completion,
            thread_id,
            previous,
            prose,
            text: String::new(),
            began: false,
            sequence: 0,
        }
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The events after this event of the run.
    pub fn encode(&mut self, event: &RunEvent) -> Vec<Named> {
        let mut out = Vec::new();
        if !self.began {
            self.began = true;
            self.begin(&mut out);
        }
        if let Some(more) = self.prose.take(event) {
            self.text.push_str(&more);
            let delta = json!({
                "item_id": self.item_id(), "output_index": 0, "content_index": 0, "delta": more, "logprobs": [],
            });
            self.push(&mut out, "response.output_text.delta", delta);
        }
        if event.is_terminal() {
            self.end(event, &mut out);
        }
        out
    }

    /// The whole response, after the event that ended its run.
    pub fn whole(&self, ended: &RunEvent) -> Result<Value, Refusal> {
        if let RunEvent::Failed {
            code,
            text,
            retryable,
        } = ended
        {
            return Err(Refusal::failed(code, text, *retryable));
        }
        Ok(self.response(ended))
    }

    fn begin(&mut self, out: &mut Vec<Named>) {
        let begun = self.response_with("in_progress", &json!([]), None);
        self.push(out, "response.created", json!({ "response": begun }));
        self.push(out, "response.in_progress", json!({ "response": begun }));
        let item = json!({ "id": self.item_id(), "type": "message", "status": "in_progress", "role": "assistant", "content": [] });
        self.push(
            out,
            "response.output_item.added",
            json!({ "output_index": 0, "item": item }),
        );
        let part = json!({
            "item_id": self.item_id(), "output_index": 0, "content_index": 0, "part": text_part(""),
        });
        self.push(out, "response.content_part.added", part);
    }

    fn end(&mut self, ended: &RunEvent, out: &mut Vec<Named>) {
        let place = json!({ "item_id": self.item_id(), "output_index": 0, "content_index": 0 });
        let mut done = place.clone();
        done["text"] = json!(self.text);
        done["logprobs"] = json!([]);
        self.push(out, "response.output_text.done", done);
        let mut part = place;
        part["part"] = text_part(&self.text);
        self.push(out, "response.content_part.done", part);
        let item = self.item(status(ended));
        self.push(
            out,
            "response.output_item.done",
            json!({ "output_index": 0, "item": item }),
        );
        let name = match status(ended) {
            "failed" => "response.failed",
            "incomplete" => "response.incomplete",
            _ => "response.completed",
        };
        let response = self.response(ended);
        self.push(out, name, json!({ "response": response }));
    }

    fn push(&mut self, out: &mut Vec<Named>, name: &'static str, mut data: Value) {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        out.push((name, data.to_string()));
    }

    fn response(&self, ended: &RunEvent) -> Value {
        let output = json!([self.item(status(ended))]);
        let usage = match ended {
            RunEvent::Finished { usage, .. } => usage.unwrap_or_default(),
            _ => Usage::default(),
        };
        let mut response = self.response_with(status(ended), &output, Some(usage));
        match ended {
            RunEvent::Failed { text, .. } => {
                response["error"] = json!({ "code": "server_error", "message": text });
            }
            RunEvent::Finished {
                reason: FinishReason::Length,
                ..
            } => {
                response["incomplete_details"] = json!({ "reason": "max_output_tokens" });
            }
            _ => {}
        }
        response
    }

    fn response_with(&self, status: &str, output: &Value, usage: Option<Usage>) -> Value {
        let usage = usage.map(|usage| json!({
            "input_tokens": usage.input_tokens, "input_tokens_details": { "cached_tokens": usage.cached_input_tokens },
            "output_tokens": usage.output_tokens, "output_tokens_details": { "reasoning_tokens": usage.reasoning_tokens },
            "total_tokens": usage.total_tokens(),
        }));
        whole_response(
            &self.completion,
            status,
            output,
            &json!({
                "usage": usage, "previous_response_id": self.previous, "conversation": { "id": self.thread_id },
            }),
        )
    }

    fn item(&self, status: &str) -> Value {
        let status = if status == "completed" {
            status
        } else {
            "incomplete"
        };
        json!({
            "id": self.item_id(), "type": "message", "status": status, "role": "assistant",
            "content": [text_part(&self.text)],
        })
    }

    fn item_id(&self) -> String {
        format!("msg_{}", self.completion.run_id)
    }
}

/// A response with the members that vary.
pub fn whole_response(
    completion: &Completion,
    status: &str,
    output: &Value,
    more: &Value,
) -> Value {
    let mut response = json!({
        "id": response_id(&completion.run_id), "object": "response", "created_at": completion.created, "status": status,
        "model": completion.model, "output": output, "error": null, "incomplete_details": null, "instructions": null,
        "metadata": {}, "parallel_tool_calls": false, "temperature": null, "top_p": null, "tool_choice": "none", "tools": [],
        "store": true, "text": { "format": { "type": "text" } }, "max_output_tokens": null,
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        response[name] = value.clone();
    }
    response
}

fn status(ended: &RunEvent) -> &'static str {
    match ended {
        RunEvent::Finished {
            reason: FinishReason::Stop | FinishReason::ToolCalls,
            ..
        } => "completed",
        RunEvent::Finished {
            reason: FinishReason::Cancelled,
            ..
        } => "cancelled",
        RunEvent::Finished { .. } => "incomplete",
        _ => "failed",
    }
}

fn text_part(text: &str) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::tests::{TEXT, run};

    #[test]
    fn events_are_counted_and_end_with_the_whole_response() {
        let completion = Completion {
            run_id: "0a".into(),
            model: "data".into(),
            created: 9,
        };
        let prose = Prose::new(Some("http://here".into()));
        let mut stream = ResponseStream::new(completion, "t1".into(), None, prose);
        let events: Vec<Named> = run()
            .iter()
            .flat_map(|event| stream.encode(event))
            .collect();
        let data: Vec<Value> = events
            .iter()
            .map(|(_, data)| serde_json::from_str(data).unwrap())
            .collect();
        for (number, ((name, _), data)) in events.iter().zip(&data).enumerate() {
            assert_eq!(
                (&data["type"], &data["sequence_number"]),
                (&json!(name), &json!(number))
            );
        }
        assert_eq!(events[0].0, "response.created");
        let text: String = data
            .iter()
            .filter(|data| data["type"] == "response.output_text.delta")
            .filter_map(|data| data["delta"].as_str())
            .collect();
        assert_eq!(text, TEXT);
        let last = &data.last().unwrap();
        assert_eq!(last["type"], "response.completed");
        assert_eq!(last["response"]["output"][0]["content"][0]["text"], TEXT);
        assert_eq!(
            last["response"]["usage"],
            json!({
                "input_tokens": 7, "input_tokens_details": { "cached_tokens": 4 },
                "output_tokens": 5, "output_tokens_details": { "reasoning_tokens": 3 },
                "total_tokens": 12,
            })
        );
        assert_eq!(
            run_of_response(last["response"]["id"].as_str().unwrap()),
            Some("0a")
        );
    }
}
