//! Agent events, the dialect of the SQL agent.
//!
//! There a route is an agent: `route_decision` is followed by the agent's `tool_start`, and what
//! the agent calls on its way is its own business. Rows ride on the first token of the answer,
//! drawings come behind its last.

use std::borrow::Cow;

use contracts::agent_events::{AgentEvent, AgentStats, ChartChannel};
use contracts::run::{Channel, RunEvent, ToolCallKind};
use serde_json::Value;

use super::Out;
use super::joined::{Joined, Warned};

/// The document's routes, and the agent behind each.
const AGENTS: [(&str, &str); 3] = [
    ("sql", "sql_agent"),
    ("rag", "rag_agent"),
    ("general", "general_agent"),
];

/// Turns the events of one run into agent events. What has no counterpart there is left out.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    thread_id: String,
    /// The route is one of the document's.
    is_agents: bool,
    /// The channel of the open text.
    channel: Channel,
    answer: Joined,
    warned: Warned,
    tokens: u64,
    /// Waits for the first token of the answer that follows.
    data: Option<Value>,
    /// Drawings that wait for the end of the answer.
    drawings: Vec<Value>,
}

impl Encoder {
    pub(super) fn encode(&mut self, event: &RunEvent, out: &mut Out<'_>) {
        if matches!(event, RunEvent::Finished { .. }) {
            for drawing in std::mem::take(&mut self.drawings) {
                out.data(&chart(&drawing));
            }
        }
        if let Some(event) = self.event(event) {
            out.data(&event);
        }
        if let RunEvent::Route { flow, .. } = event
            && let Some((_, agent)) = AGENTS.iter().find(|(route, _)| route == flow)
        {
            self.is_agents = true;
            out.data(&AgentEvent::ToolStart {
                tool: (*agent).into(),
            });
        }
    }

    fn event<'a>(&'a mut self, event: &'a RunEvent) -> Option<AgentEvent<'a>> {
        Some(match event {
            RunEvent::Started { thread_id, .. } => {
                self.thread_id.clone_from(thread_id);
                return None;
            }
            RunEvent::Route { flow, .. } => AgentEvent::RouteDecision { route: flow.into() },
            RunEvent::StructuredData { data } => {
                self.data = Some(data.clone());
                return None;
            }
            RunEvent::TextStarted { channel, .. } => {
                self.channel = *channel;
                if *channel == Channel::Final {
                    self.answer.begin();
                }
                return None;
            }
            RunEvent::TextDelta { delta, .. } => {
                self.tokens += 1;
                let is_answer = self.channel == Channel::Final;
                AgentEvent::Token {
                    channel: self.channel,
                    content: if is_answer {
                        self.answer.delta(delta)
                    } else {
                        delta.into()
                    },
                    structured_data: self.data.take_if(|_| is_answer).map(Cow::Owned),
                }
            }
            RunEvent::ToolCall {
                name,
                kind: ToolCallKind::Server,
                ..
            } if !self.is_agents => AgentEvent::ToolStart { tool: name.into() },
            RunEvent::ToolCall {
                input,
                kind: ToolCallKind::Display,
                ..
            } if self.is_agents => {
                self.drawings.push(input.clone());
                return None;
            }
            // A card, or a question with options.
            RunEvent::ToolCall { input, kind, .. } if *kind != ToolCallKind::Server => chart(input),
            RunEvent::Plan { plan } => AgentEvent::Plan {
                plan: Cow::Borrowed(plan),
            },
            RunEvent::Warning { code, text } => {
                self.warned.note(code);
                AgentEvent::Warning {
                    code: code.into(),
                    text: text.into(),
                }
            }
            RunEvent::Finished { usage, reason, .. } => AgentEvent::Complete {
                stats: AgentStats {
                    tokens: usage.map_or(self.tokens, |usage| usage.output_tokens),
                    partial: reason.is_partial().then_some(true),
                    warnings: self.warned.take(),
                    conversation_id: (&self.thread_id).into(),
                },
            },
            RunEvent::Failed { text, .. } => AgentEvent::Error { error: text.into() },
            RunEvent::ToolCall { .. }
            | RunEvent::Status { .. }
            | RunEvent::StepStarted
            | RunEvent::StepFinished
            | RunEvent::TextFinished { .. }
            | RunEvent::ToolResult { .. }
            | RunEvent::ToolAnswered { .. }
            | RunEvent::Sources { .. } => return None,
        })
    }
}

fn chart(spec: &Value) -> AgentEvent<'_> {
    AgentEvent::Chart {
        channel: ChartChannel::Chart,
        chart_spec: Cow::Borrowed(spec),
    }
}
