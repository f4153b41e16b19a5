//! The message that a client of the UI message stream holds when its stream is over: the same
//! chunks, put together as the AI SDK does.

use contracts::chat::UiMessageChunk;
use contracts::run::{RunEvent, Source};
use contracts::ui_history::{UiMessageError, UiMessagePart};
use serde_json::Value;

use super::ui_messages::{Encoder, source_chunk};

/// A message in the making.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assembled {
    /// The message's id, once the stream has sent it.
    pub(crate) id: Option<String>,
    pub(crate) thread_id: Option<String>,
    pub(crate) run_id: Option<String>,
    pub(crate) source: Option<Source>,
    pub(crate) usage: Option<contracts::chat::UiUsage>,
    pub(crate) partial: Option<bool>,
    pub(crate) warnings: Vec<String>,
    pub(crate) error: Option<UiMessageError>,
    pub(crate) parts: Vec<UiMessagePart>,
}

impl Assembled {
    /// Takes the events of a run: of the message's first, or of one that continues it.
    pub(crate) fn take(&mut self, events: &[RunEvent]) {
        let mut encoder = Encoder::default();
        // The texts of this run that are open, by their ids.
        let mut texts: Vec<(String, usize)> = Vec::new();
        for event in events {
            // A choice in a part of an earlier run was put there by the client; it was not in a
            // stream.
            if let RunEvent::ToolResult { id, output, ok } = event
                && let Some(asked) = self.asked(id)
            {
                answer(asked, output, *ok);
                continue;
            }
            if let RunEvent::Sources { sources } = event {
                for source in sources {
                    self.chunk(source_chunk(source), &mut texts);
                }
            }
            if let RunEvent::Failed { code, text, .. } = event {
                self.error = Some(UiMessageError {
                    code: code.clone(),
                    text: text.clone(),
                });
            }
            if let Some(chunk) = encoder.chunk(event) {
                self.chunk(chunk, &mut texts);
            }
        }
    }

    /// Puts what was chosen later, in words, into the part of the call.
    pub(crate) fn answered(&mut self, call_id: &str, output: &Value) {
        if let Some(asked) = self.asked(call_id) {
            answer(asked, output, true);
        }
    }

    /// The part of a call that a person answers.
    fn asked(&mut self, call_id: &str) -> Option<&mut UiMessagePart> {
        self.parts.iter_mut().find(|part| {
            part.tool_call_id.as_deref() == Some(call_id) && part.provider_executed.is_none()
        })
    }

    fn chunk(&mut self, chunk: UiMessageChunk<'_>, texts: &mut Vec<(String, usize)>) {
        match chunk {
            UiMessageChunk::Start {
                message_id,
                message_metadata,
            } => {
                self.id = Some(message_id.into_owned());
                self.thread_id = Some(message_metadata.thread_id.into_owned());
                self.run_id = Some(message_metadata.run_id.into_owned());
            }
            UiMessageChunk::StartStep => self.parts.push(part("step-start")),
            UiMessageChunk::TextStart { id } => {
                texts.push((id.into_owned(), self.parts.len()));
                self.parts.push(UiMessagePart {
                    text: Some(String::new()),
                    state: Some("streaming".to_owned()),
                    ..part("text")
                });
            }
            UiMessageChunk::TextDelta { id, delta } => {
                if let Some(text) = self.text(&id, texts) {
                    text.text.get_or_insert_default().push_str(&delta);
                }
            }
            UiMessageChunk::TextEnd { id } => {
                if let Some(text) = self.text(&id, texts) {
                    text.state = Some("done".to_owned());
                }
            }
            UiMessageChunk::ToolInputAvailable {
                tool_call_id,
                tool_name,
                input,
                provider_executed,
            } => self.parts.push(UiMessagePart {
                tool_call_id: Some(tool_call_id.into_owned()),
                state: Some("input-available".to_owned()),
                input: Some(input.into_owned()),
                provider_executed,
                ..part(&format!("tool-{tool_name}"))
            }),
            UiMessageChunk::ToolOutputAvailable {
                tool_call_id,
                output,
                ..
            } => {
                let mut parts = self.parts.iter_mut().rev();
                if let Some(call) =
                    parts.find(|part| part.tool_call_id.as_deref() == Some(&*tool_call_id))
                {
                    call.state = Some("output-available".to_owned());
                    call.output = Some(output.into_owned());
                }
            }
            UiMessageChunk::Finish {
                message_metadata, ..
            } => {
                self.source = Some(message_metadata.source);
                self.usage = message_metadata.usage.or(self.usage);
                self.partial = message_metadata.partial.or(self.partial);
                // As clients merge metadata: a list takes the place of the one before.
                if !message_metadata.warnings.is_empty() {
                    self.warnings = message_metadata.warnings;
                }
            }
            UiMessageChunk::FinishStep
            | UiMessageChunk::DataStatus { .. }
            | UiMessageChunk::Error { .. } => {}
            chunk @ (UiMessageChunk::DataFlow { .. }
            | UiMessageChunk::DataWarning { .. }
            | UiMessageChunk::DataRows { .. }
            | UiMessageChunk::DataPlan { .. }
            | UiMessageChunk::SourceDocument { .. }
            | UiMessageChunk::SourceUrl { .. }) => self.whole(&chunk),
        }
    }

    fn text(&mut self, id: &str, texts: &[(String, usize)]) -> Option<&mut UiMessagePart> {
        let (_, index) = texts.iter().rev().find(|(open, _)| open == id)?;
        self.parts.get_mut(*index)
    }

    /// A chunk that is a part as it is. One with the id of an earlier one of its kind takes the
    /// place of that one's data.
    fn whole(&mut self, chunk: &UiMessageChunk<'_>) {
        let written = serde_json::to_value(chunk).and_then(serde_json::from_value::<UiMessagePart>);
        let new = match written {
            Ok(new) => new,
            Err(error) => {
                tracing::error!(%error, "a chunk cannot be read as a part");
                return;
            }
        };
        let same = |part: &&mut UiMessagePart| {
            new.id.is_some() && part.kind == new.kind && part.id == new.id
        };
        match self.parts.iter_mut().find(same) {
            Some(old) => old.data = new.data,
            None => self.parts.push(new),
        }
    }
}

/// Puts a person's answer into the part that asked for it.
fn answer(asked: &mut UiMessagePart, output: &Value, ok: bool) {
    if ok {
        asked.state = Some("output-available".to_owned());
        asked.output = Some(output.clone());
    } else {
        asked.state = Some("output-error".to_owned());
        asked.output = None;
        asked.error_text = Some(output.as_str().unwrap_or_default().to_owned());
    }
}

fn part(kind: &str) -> UiMessagePart {
    UiMessagePart {
        kind: kind.to_owned(),
        ..UiMessagePart::default()
    }
}
