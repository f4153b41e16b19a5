//! `POST /v1/chat/completions`: the answer as chunks, or whole.

use contracts::run::{FinishReason, RunEvent, Usage};
use serde_json::{Value, json};

use super::Refusal;
use crate::prose::Prose;

/// What every chunk of an answer repeats.
#[derive(Debug, Clone)]
pub struct Completion {
    /// The run.
    pub run_id: String,
    /// The assistant.
    pub model: String,
    /// Seconds since 1970.
    pub created: i64,
}

/// Turns the events of a run into the chunks of a stream.
#[derive(Debug)]
pub struct CompletionStream {
    completion: Completion,
    include_usage: bool,
    prose: Prose,
    text: String,
    began: bool,
}

impl CompletionStream {
    /// A stream that ends with a chunk of usage, if that was asked for.
    pub fn new(completion: Completion, include_usage: bool, prose: Prose) -> Self {
        Self {
            completion,
            include_usage,
            prose,
            text: String::new(),
            began: false,
        }
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The data of the server-sent events after this event; the last is `[DONE]`.
    pub fn encode(&mut self, event: &RunEvent) -> Vec<String> {
        let mut data = Vec::new();
        if !self.began {
            self.began = true;
            data.push(self.chunk(&json!({ "role": "assistant", "content": "" }), None));
        }
        if let Some(more) = self.prose.take(event) {
            self.text.push_str(&more);
            data.push(self.chunk(&json!({ "content": more }), None));
        }
        match event {
            RunEvent::Finished { reason, usage, .. } => {
                data.push(self.chunk(&json!({}), Some(finish(*reason))));
                if self.include_usage {
                    let mut chunk = self.frame(&json!([]));
                    chunk["usage"] = used(*usage);
                    data.push(chunk.to_string());
                }
                data.push("[DONE]".to_owned());
            }
            RunEvent::Failed {
                code,
                text,
                retryable,
            } => {
                data.push(Refusal::failed(code, text, *retryable).body().to_string());
                data.push("[DONE]".to_owned());
            }
            _ => {}
        }
        data
    }

    fn chunk(&self, delta: &Value, finish: Option<&str>) -> String {
        let choice =
            json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish });
        let mut chunk = self.frame(&json!([choice]));
        if self.include_usage {
            chunk["usage"] = Value::Null;
        }
        chunk.to_string()
    }

    fn frame(&self, choices: &Value) -> Value {
        let Completion {
            run_id,
            model,
            created,
        } = &self.completion;
        json!({
            "id": format!("chatcmpl-{run_id}"), "object": "chat.completion.chunk", "created": created, "model": model,
            "system_fingerprint": null, "choices": choices,
        })
    }
}

impl Completion {
    /// The whole answer, after the event that ended its run.
    pub fn whole(&self, text: &str, ended: &RunEvent) -> Result<Value, Refusal> {
        match ended {
            RunEvent::Failed {
                code,
                text,
                retryable,
            } => Err(Refusal::failed(code, text, *retryable)),
            RunEvent::Finished { reason, usage, .. } => {
                let message = json!({ "role": "assistant", "content": text, "refusal": null });
                Ok(json!({
                    "id": format!("chatcmpl-{}", self.run_id), "object": "chat.completion", "created": self.created,
                    "model": self.model, "system_fingerprint": null,
                    "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish(*reason) }],
                    "usage": used(*usage),
                }))
            }
            _ => Err(Refusal::failed(
                "interrupted",
                "The answer ended early.",
                true,
            )),
        }
    }
}

fn finish(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Cancelled => "stop",
        FinishReason::Length | FinishReason::Incomplete => "length",
    }
}

/// Zero where no model was asked.
fn used(usage: Option<Usage>) -> Value {
    let usage = usage.unwrap_or_default();
    json!({
        "prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens, "total_tokens": usage.total_tokens(),
        "prompt_tokens_details": { "cached_tokens": usage.cached_input_tokens },
        "completion_tokens_details": { "reasoning_tokens": usage.reasoning_tokens },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::tests::{TEXT, run};

    fn stream(include_usage: bool) -> CompletionStream {
        let completion = Completion {
            run_id: "0a".into(),
            model: "data".into(),
            created: 9,
        };
        CompletionStream::new(
            completion,
            include_usage,
            Prose::new(Some("http://here".into())),
        )
    }

    fn chunks(stream: &mut CompletionStream, events: &[RunEvent]) -> Vec<Value> {
        let data: Vec<String> = events
            .iter()
            .flat_map(|event| stream.encode(event))
            .collect();
        assert_eq!(data.last().unwrap(), "[DONE]");
        let chunks = data[..data.len() - 1].iter();
        chunks
            .map(|chunk| serde_json::from_str(chunk).unwrap())
            .collect()
    }

    #[test]
    fn the_chunks_make_the_text_and_end_with_the_reason_and_the_usage() {
        let mut encoder = stream(true);
        let chunks = chunks(&mut encoder, &run());
        let text: String = chunks
            .iter()
            .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str())
            .collect();
        assert_eq!((text.as_str(), encoder.text()), (TEXT, TEXT));
        assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
        let [.., last, usage] = chunks.as_slice() else {
            panic!()
        };
        assert_eq!(last["choices"][0]["finish_reason"], "stop");
        assert_eq!(usage["choices"], json!([]));
        assert_eq!(
            usage["usage"],
            json!({
                "prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12,
                "prompt_tokens_details": { "cached_tokens": 4 },
                "completion_tokens_details": { "reasoning_tokens": 3 },
            })
        );
        assert!(
            chunks
                .iter()
                .all(|chunk| chunk["id"] == "chatcmpl-0a" && chunk["model"] == "data")
        );
    }

    #[test]
    fn a_run_that_fails_ends_its_stream_with_an_error() {
        let failed = RunEvent::Failed {
            code: "timeout".into(),
            text: "Too long.".into(),
            retryable: true,
        };
        let mut events = run();
        events.pop();
        events.push(failed.clone());
        let mut encoder = stream(false);
        let chunks = chunks(&mut encoder, &events);
        let error = &chunks.last().unwrap()["error"];
        assert_eq!(
            (&error["message"], &error["code"]),
            (&json!("Too long."), &json!("timeout"))
        );
        assert!(chunks.iter().all(|chunk| chunk.get("usage").is_none()));
        let refusal = encoder.completion.whole("", &failed).unwrap_err();
        assert_eq!(refusal.status, 503);
    }

    #[test]
    fn a_whole_answer_has_the_text_and_the_usage() {
        let mut encoder = stream(false);
        let events = run();
        chunks(&mut encoder, &events);
        let whole = encoder
            .completion
            .whole(encoder.text(), events.last().unwrap())
            .unwrap();
        assert_eq!(whole["choices"][0]["message"]["content"], TEXT);
        assert_eq!(whole["usage"]["total_tokens"], 12);
    }
}
