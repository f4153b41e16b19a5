//! The UI message stream, which AI SDK clients, assistant-ui and the first front end of the
//! documents read.

use std::borrow::Cow;

use contracts::chat::{
    FinishMetadata, FlowData, StartMetadata, StatusData, UiMessageChunk, WarningData,
};
use contracts::run::{Channel, CitedSource, RunEvent, ToolCallKind};

use super::Out;
use super::joined::{Joined, Warned};

/// The id of the one data part with the flow: a later decision replaces an earlier one.
const FLOW_PART: &str = "flow";

/// Turns the events of one run into chunks.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    texts: Joined,
    warned: Warned,
    /// The open text, when it is none of the answer.
    internal: Option<String>,
}

impl Encoder {
    pub(super) fn encode(&mut self, event: &RunEvent, out: &mut Out<'_>) {
        if let RunEvent::Sources { sources } = event {
            for source in sources {
                out.data(&source_chunk(source));
            }
            return;
        }
        let Some(chunk) = self.chunk(event) else {
            return;
        };
        out.data(&chunk);
        if event.is_terminal() {
            out.done();
        }
    }

    /// The chunk of an event, if clients receive one.
    pub(super) fn chunk<'a>(&mut self, event: &'a RunEvent) -> Option<UiMessageChunk<'a>> {
        Some(match event {
            RunEvent::Started {
                thread_id,
                run_id,
                message_id,
            } => UiMessageChunk::Start {
                message_id: message_id.into(),
                message_metadata: StartMetadata {
                    thread_id: thread_id.into(),
                    run_id: run_id.into(),
                },
            },
            RunEvent::Route {
                flow,
                confidence,
                source,
            } => UiMessageChunk::DataFlow {
                id: FLOW_PART.into(),
                data: FlowData {
                    flow: flow.into(),
                    confidence: *confidence,
                    source: *source,
                },
            },
            RunEvent::Status { text } => UiMessageChunk::DataStatus {
                data: StatusData { text: text.into() },
                transient: true,
            },
            RunEvent::StepStarted => UiMessageChunk::StartStep,
            RunEvent::StepFinished => UiMessageChunk::FinishStep,
            RunEvent::TextStarted { id, channel } => {
                if *channel != Channel::Final {
                    self.internal = Some(id.clone());
                    return None;
                }
                self.texts.begin();
                UiMessageChunk::TextStart { id: id.into() }
            }
            RunEvent::TextDelta { id, .. } | RunEvent::TextFinished { id }
                if self.internal.as_ref() == Some(id) =>
            {
                return None;
            }
            RunEvent::TextDelta { id, delta } => UiMessageChunk::TextDelta {
                id: id.into(),
                delta: self.texts.delta(delta),
            },
            RunEvent::TextFinished { id } => UiMessageChunk::TextEnd { id: id.into() },
            RunEvent::ToolCall {
                id,
                name,
                input,
                kind,
            } => UiMessageChunk::ToolInputAvailable {
                tool_call_id: id.into(),
                tool_name: name.into(),
                input: Cow::Borrowed(input),
                // A call marked so is not answered by the client; the one that a person answers
                // must not be.
                provider_executed: (*kind != ToolCallKind::Client).then_some(true),
            },
            RunEvent::ToolResult { id, output, .. } => UiMessageChunk::ToolOutputAvailable {
                tool_call_id: id.into(),
                output: Cow::Borrowed(output),
                provider_executed: Some(true),
            },
            RunEvent::StructuredData { data } => UiMessageChunk::DataRows {
                data: Cow::Borrowed(data),
            },
            RunEvent::Plan { plan } => UiMessageChunk::DataPlan {
                id: (&plan.id).into(),
                data: Cow::Borrowed(plan),
            },
            // An output for a call of another message is refused by clients; and each source is a
            // chunk of its own.
            RunEvent::ToolAnswered { .. } | RunEvent::Sources { .. } => return None,
            RunEvent::Warning { code, text } => {
                self.warned.note(code);
                UiMessageChunk::DataWarning {
                    data: WarningData {
                        code: code.into(),
                        text: text.into(),
                    },
                }
            }
            RunEvent::Finished {
                reason,
                source,
                usage,
            } => UiMessageChunk::Finish {
                finish_reason: (*reason).into(),
                message_metadata: FinishMetadata {
                    source: *source,
                    usage: usage.map(Into::into),
                    partial: reason.is_partial().then_some(true),
                    warnings: self.warned.take(),
                },
            },
            RunEvent::Failed { text, .. } => UiMessageChunk::Error {
                error_text: text.into(),
            },
        })
    }
}

/// A place in a document, as a part of the message.
pub(super) fn source_chunk(source: &CitedSource) -> UiMessageChunk<'_> {
    match source.url() {
        Some(url) => UiMessageChunk::SourceUrl {
            source_id: (&source.id).into(),
            url: url.into(),
            title: Some((&source.title).into()),
        },
        None => UiMessageChunk::SourceDocument {
            source_id: (&source.id).into(),
            media_type: source.media_type().into(),
            title: (&source.title).into(),
            filename: Some((&source.filename).into()),
        },
    }
}
