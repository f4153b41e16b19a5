//! The UI message stream, which AI SDK clients, assistant-ui and the first front end of the documents read.

use contracts::chat::{
    FinishMetadata, FlowData, StartMetadata, StatusData, UiMessageChunk, WarningData,
};
use contracts::run::{RunEvent, ToolCallKind};

/// The id of the one data part that tells the flow: a later decision replaces an earlier one.
const FLOW_PART: &str = "flow";

/// Turns the events of one run into chunks.
#[derive(Debug, Default)]
pub struct Encoder {
    /// A text has begun before.
    spoken: bool,
    /// A later text has begun and has no words yet.
    begins_later_text: bool,
}

impl Encoder {
    /// The chunk that an event becomes, if clients are told of it.
    pub fn encode(&mut self, event: RunEvent) -> Option<UiMessageChunk> {
        Some(match event {
            RunEvent::Started {
                thread_id,
                run_id,
                message_id,
            } => UiMessageChunk::Start {
                message_id,
                message_metadata: StartMetadata { thread_id, run_id },
            },
            RunEvent::Route {
                flow,
                confidence,
                source,
            } => UiMessageChunk::DataFlow {
                id: FLOW_PART.to_owned(),
                data: FlowData {
                    flow,
                    confidence,
                    source,
                },
            },
            RunEvent::Status { text } => UiMessageChunk::DataStatus {
                data: StatusData { text },
                transient: true,
            },
            RunEvent::StepStarted => UiMessageChunk::StartStep,
            RunEvent::StepFinished => UiMessageChunk::FinishStep,
            RunEvent::TextStarted { id, .. } => {
                self.begins_later_text = std::mem::replace(&mut self.spoken, true);
                UiMessageChunk::TextStart { id }
            }
            RunEvent::TextDelta { id, delta } => {
                // Clients without text parts put all deltas into one text, where sentences must not run into each other.
                let delta = if std::mem::take(&mut self.begins_later_text) {
                    format!(" {delta}")
                } else {
                    delta
                };
                UiMessageChunk::TextDelta { id, delta }
            }
            RunEvent::TextFinished { id } => UiMessageChunk::TextEnd { id },
            RunEvent::ToolCall {
                id,
                name,
                input,
                kind,
            } => UiMessageChunk::ToolInputAvailable {
                tool_call_id: id,
                tool_name: name,
                input,
                // A call marked so is not answered by the client; the one that a person answers must not be.
                provider_executed: (kind != ToolCallKind::Client).then_some(true),
            },
            RunEvent::ToolAnswered { .. } => return None,
            RunEvent::ToolResult { id, output, .. } => UiMessageChunk::ToolOutputAvailable {
                tool_call_id: id,
                output,
                provider_executed: Some(true),
            },
            RunEvent::Warning { code, text } => UiMessageChunk::DataWarning {
                data: WarningData { code, text },
            },
            RunEvent::Finished {
                reason,
                source,
                usage,
            } => UiMessageChunk::Finish {
                finish_reason: reason.into(),
                message_metadata: FinishMetadata {
                    source,
                    usage: usage.map(Into::into),
                },
            },
            RunEvent::Failed { text, .. } => UiMessageChunk::Error { error_text: text },
        })
    }
}

#[cfg(test)]
mod tests {
    use contracts::run::{Channel, FinishReason, Source};
    use serde_json::json;

    use super::*;

    fn frame(event: RunEvent) -> serde_json::Value {
        serde_json::to_value(Encoder::default().encode(event).unwrap()).unwrap()
    }

    #[test]
    fn calls_that_a_person_answers_are_not_marked_as_executed() {
        let call = |kind| RunEvent::ToolCall {
            id: "c1".into(),
            name: "t".into(),
            input: json!({}),
            kind,
        };
        assert_eq!(frame(call(ToolCallKind::Server))["providerExecuted"], true);
        assert_eq!(frame(call(ToolCallKind::Display))["providerExecuted"], true);
        assert_eq!(
            frame(call(ToolCallKind::Client)),
            json!({ "type": "tool-input-available", "toolCallId": "c1", "toolName": "t", "input": {} })
        );
    }

    #[test]
    fn frames_are_spelled_as_clients_read_them() {
        let finished = RunEvent::Finished {
            reason: FinishReason::ToolCalls,
            source: Source::Rules,
            usage: None,
        };
        assert_eq!(
            frame(finished),
            json!({ "type": "finish", "finishReason": "tool-calls", "messageMetadata": { "source": "rules" } })
        );
        let started = RunEvent::Started {
            thread_id: "t".into(),
            run_id: "r".into(),
            message_id: "m".into(),
        };
        assert_eq!(
            frame(started),
            json!({ "type": "start", "messageId": "m", "messageMetadata": { "threadId": "t", "runId": "r" } })
        );
        assert_eq!(
            frame(RunEvent::StepStarted),
            json!({ "type": "start-step" })
        );
        let failed = RunEvent::Failed {
            code: "internal".into(),
            text: "Sorry.".into(),
            retryable: false,
        };
        assert_eq!(
            frame(failed),
            json!({ "type": "error", "errorText": "Sorry." })
        );
        let status = RunEvent::Status {
            text: "Checking".into(),
        };
        assert_eq!(
            frame(status),
            json!({ "type": "data-status", "data": { "text": "Checking" }, "transient": true })
        );
    }

    #[test]
    fn texts_stay_apart_where_a_client_joins_them() {
        let text = |id: &str, delta: &str| {
            let (id, delta) = (id.to_owned(), delta.to_owned());
            [
                RunEvent::TextStarted {
                    id: id.clone(),
                    channel: Channel::Final,
                },
                RunEvent::TextDelta {
                    id: id.clone(),
                    delta,
                },
                RunEvent::TextFinished { id },
            ]
        };
        let streamed = RunEvent::TextDelta {
            id: "t2".into(),
            delta: " well.".into(),
        };
        let mut events = [text("t1", "Checking."), text("t2", "All")].concat();
        events.insert(5, streamed);
        let mut encoder = Encoder::default();
        let joined: String = events
            .into_iter()
            .filter_map(|event| match encoder.encode(event) {
                Some(UiMessageChunk::TextDelta { delta, .. }) => Some(delta),
                _ => None,
            })
            .collect();
        assert_eq!(joined, "Checking. All well.");
    }
}
