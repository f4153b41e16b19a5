//! The agent-events dialect of the SQL agent: `POST /internal/chat/stream`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::run::Channel;
use crate::threads::{AssistantName, Multitask};
use crate::todo::Plan;

/// The body of `POST /internal/chat/stream`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentChatRequest {
    /// The input of the run.
    pub input: AgentInput,
    /// In which conversation.
    pub conversation: AgentConversation,
    /// The assistant; absent: that of the conversation, otherwise the dialect's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<AssistantName>)]
    pub assistant: Option<String>,
    /// What to do when the conversation is answering another message.
    #[serde(default)]
    pub multitask_strategy: Multitask,
    /// Merged into the thread's context, an object. Credentials in it are handed to the tools
    /// service, kept there encrypted, and neither stored here nor returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub context: Option<Value>,
}

/// The input of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentInput {
    /// The message, 1 to 16,384 bytes.
    #[schema(
        min_length = 1,
        max_length = 16384,
        pattern = "\\S",
        example = "How many technicians are active?"
    )]
    pub message: String,
}

/// A conversation and who leads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentConversation {
    /// The thread, 1 to 128 of `A-Z a-z 0-9 _ - . :`; made on first use, and within its owner only.
    #[schema(
        min_length = 1,
        max_length = 128,
        pattern = "^[A-Za-z0-9_.:-]+$",
        example = "conversation-1"
    )]
    pub id: String,
    /// Accepted for compatibility; must be the identity's subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Accepted for compatibility; must be the identity's tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company_id: Option<String>,
}

/// One event of the stream, one unnamed SSE `data:` line each. Exactly one of `complete` and
/// `error` comes, as the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent<'a> {
    /// The router's decision.
    RouteDecision {
        /// `sql`, `rag` or `general`; another assistant's flow by its name.
        route: Cow<'a, str>,
    },
    /// A tool begins.
    ToolStart {
        /// The tool.
        tool: Cow<'a, str>,
    },
    /// More text.
    Token {
        /// `final` is the answer; other channels say what an agent works with on its way.
        channel: Channel,
        /// What to append, never empty.
        content: Cow<'a, str>,
        /// Rows behind the answer, with its first token only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<Vec<Object>>)]
        structured_data: Option<Cow<'a, Value>>,
    },
    /// A card or chart to draw, or a question with options (see the UI message stream's virtual
    /// tools).
    Chart {
        /// Always `chart`.
        channel: ChartChannel,
        /// Its component and props.
        #[schema(value_type = Object)]
        chart_spec: Cow<'a, Value>,
    },
    /// The plan that is worked on, as it is now; a later one of the same id takes its place.
    Plan {
        /// The plan.
        plan: Cow<'a, Plan>,
    },
    /// Something that the reader should know: that the answer was stopped, or that a model or the
    /// data service did not answer.
    Warning {
        /// For programs.
        code: Cow<'a, str>,
        /// For people.
        text: Cow<'a, str>,
    },
    /// The run ended with an answer.
    Complete {
        /// Figures of the run.
        stats: AgentStats<'a>,
    },
    /// The run ended without one.
    Error {
        /// For people; holds no internals.
        error: Cow<'a, str>,
    },
}

/// The channel of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChartChannel {
    /// The only one.
    Chart,
}

/// Figures of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentStats<'a> {
    /// Tokens that the run's models wrote; when none was asked, the number of `token` events.
    pub tokens: u64,
    /// The thread.
    pub conversation_id: Cow<'a, str>,
    /// `true` when the answer is not all there: it was stopped, or its model did not come to an
    /// end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
    /// The codes of the warnings that the run gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}
