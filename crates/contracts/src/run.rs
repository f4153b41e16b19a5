//! What happens in a run, told once: agents emit [`RunEvent`]s, and each stream dialect is an encoder of them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One event of a run. Exactly one of [`RunEvent::Finished`] and [`RunEvent::Failed`] ends a run; nothing follows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// The run has a thread and a message to fill. Always the first event.
    Started {
        /// The thread, as its owner names it.
        thread_id: String,
        /// The run.
        run_id: String,
        /// The assistant message that the run writes.
        message_id: String,
    },
    /// What the router decided.
    Route {
        /// The flow or route chosen.
        flow: String,
        /// 0 to 1; deterministic matches count as 1.
        confidence: f64,
        /// Who decided.
        source: Source,
    },
    /// A passing hint for a waiting person; never part of the answer.
    Status {
        /// The hint.
        text: String,
    },
    /// A step of the flow (or one call of a model) begins.
    StepStarted,
    /// The step is over.
    StepFinished,
    /// A block of the answer's text begins.
    TextStarted {
        /// The block, unique in the run.
        id: String,
    },
    /// More text of the block.
    TextDelta {
        /// The block.
        id: String,
        /// The text to append, never empty.
        delta: String,
    },
    /// The block is complete.
    TextFinished {
        /// The block.
        id: String,
    },
    /// A tool is called.
    ToolCall {
        /// The call, unique in the run.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        input: serde_json::Value,
        /// Who answers the call.
        kind: ToolCallKind,
    },
    /// The call's answer.
    ToolResult {
        /// The call.
        id: String,
        /// What the tool answered.
        output: serde_json::Value,
    },
    /// Something that the reader should know but that does not end the run.
    Warning {
        /// For programs.
        code: String,
        /// For people.
        text: String,
    },
    /// The run ended with an answer.
    Finished {
        /// Why it ended.
        reason: FinishReason,
        /// Which path worded the answer.
        source: Source,
    },
    /// The run ended with an error.
    Failed {
        /// For programs.
        code: String,
        /// For people; never holds internals.
        text: String,
    },
}

/// Which path produced something: the deterministic one or a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Patterns, grammars and templates.
    Rules,
    /// A language model.
    Model,
}

/// Who answers a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallKind {
    /// A service of ours; its result follows in the same run.
    Server,
    /// The page draws it; the result is the arguments again, at once.
    Display,
    /// A person answers it, in a later message; no result follows in this run.
    Client,
}

/// Why a run ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The answer is complete.
    Stop,
    /// A person is asked to choose.
    ToolCalls,
}
