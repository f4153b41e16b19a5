//! Agent events, the dialect of document 002.

use std::borrow::Cow;

use contracts::agent_events::{AgentEvent, AgentStats, ChartChannel};
use contracts::run::{Channel, RunEvent, ToolCallKind};

use super::Out;
use super::joined::Joined;

/// Turns the events of one run into agent events. What has no counterpart there is left out.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    thread_id: String,
    /// The channel of the open text.
    channel: Channel,
    answer: Joined,
    tokens: u64,
}

impl Encoder {
    pub(super) fn encode(&mut self, event: &RunEvent, out: &mut Out<'_>) {
        if let Some(event) = self.event(event) {
            out.data(&event);
        }
    }

    fn event<'a>(&'a mut self, event: &'a RunEvent) -> Option<AgentEvent<'a>> {
        Some(match event {
            RunEvent::Started { thread_id, .. } => {
                self.thread_id.clone_from(thread_id);
                return None;
            }
            RunEvent::Route { flow, .. } => AgentEvent::RouteDecision { route: flow.into() },
            RunEvent::TextStarted { channel, .. } => {
                self.channel = *channel;
                if *channel == Channel::Final {
                    self.answer.begin();
                }
                return None;
            }
            RunEvent::TextDelta { delta, .. } => {
                self.tokens += 1;
                AgentEvent::Token {
                    channel: self.channel,
                    content: match self.channel {
                        Channel::Final => self.answer.delta(delta),
                        _ => delta.into(),
                    },
                    structured_data: None,
                }
            }
            RunEvent::ToolCall {
                name,
                kind: ToolCallKind::Server,
                ..
            } => AgentEvent::ToolStart { tool: name.into() },
            // A card, or a question with options.
            RunEvent::ToolCall { input, .. } => AgentEvent::Chart {
                channel: ChartChannel::Chart,
                chart_spec: Cow::Borrowed(input),
            },
            RunEvent::Finished { usage, .. } => AgentEvent::Complete {
                stats: AgentStats {
                    tokens: usage.map_or(self.tokens, |usage| usage.output_tokens),
                    conversation_id: (&self.thread_id).into(),
                },
            },
            RunEvent::Failed { text, .. } => AgentEvent::Error { error: text.into() },
            RunEvent::Status { .. }
            | RunEvent::StepStarted
            | RunEvent::StepFinished
            | RunEvent::TextFinished { .. }
            | RunEvent::ToolResult { .. }
            | RunEvent::ToolAnswered { .. }
            | RunEvent::Warning { .. } => return None,
        })
    }
}
