//! The events of a run, written once: agents emit [`RunEvent`]s, and each stream dialect is an
//! encoder of them.

mod open;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use open::Open;

/// One event of a run. Exactly one of [`RunEvent::Finished`] and [`RunEvent::Failed`] ends a run;
/// nothing follows it.
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
    /// The router's decision.
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
        /// The audience of the text.
        #[serde(default)]
        channel: Channel,
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
    /// The data behind the text that follows, for clients that show them beside the text: the rows
    /// of a database, the sources of an answer from documents. Within a step, before the text.
    StructuredData {
        /// A list of objects.
        data: serde_json::Value,
    },
    /// The plan that is worked on, as it is now: sent before it runs, and again whenever a task of
    /// it has changed. Anywhere but within a block of text.
    Plan {
        /// The plan.
        plan: crate::todo::Plan,
    },
    /// A tool is called.
    ToolCall {
        /// The call, unique in the run.
        id: String,
        /// The tool.
        name: String,
        /// The arguments of the call.
        input: serde_json::Value,
        /// Who answers the call.
        kind: ToolCallKind,
    },
    /// The call's answer.
    ToolResult {
        /// The call.
        id: String,
        /// The result of the tool.
        output: serde_json::Value,
        /// Whether the tool did what it was asked: false when it failed or could not be called.
        ok: bool,
    },
    /// The answer to a call of an earlier message of the thread: what was chosen in its picker, or
    /// that nothing was. Clients know it, as they sent it, so no stream shows it; it is stored with
    /// the call.
    ToolAnswered {
        /// The call.
        id: String,
        /// The answer.
        output: serde_json::Value,
    },
    /// The places in documents that the text before rests on: those that it cites. Within a step,
    /// after the text.
    Sources {
        /// The places.
        sources: Vec<CitedSource>,
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
        /// The tokens that the run's models read and wrote, as far as they reported them; absent
        /// when none was asked. A provider reports at the end of an answer, so an answer that was
        /// stopped is not in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// The run ended with an error.
    Failed {
        /// For programs.
        code: String,
        /// For people; never holds internals.
        text: String,
        /// Whether the same message may be sent again with hope.
        #[serde(default)]
        retryable: bool,
    },
}

impl RunEvent {
    /// Whether this event ends a run.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Finished { .. } | Self::Failed { .. })
    }
}

/// A place in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CitedSource {
    /// The place, unique in the run.
    pub id: String,
    /// In words: the document's name, the headings above, the page.
    pub title: String,
    /// The document's name, or where it is on the web.
    pub filename: String,
}

impl CitedSource {
    /// The URL of the document, when its name is one.
    pub fn url(&self) -> Option<&str> {
        let on_the_web = |start: &&str| {
            self.filename
                .get(..start.len())
                .is_some_and(|begin| begin.eq_ignore_ascii_case(start))
        };
        ["https://", "http://"]
            .iter()
            .any(on_the_web)
            .then_some(&*self.filename)
    }

    /// What kind of document it is, by its name.
    pub fn media_type(&self) -> &'static str {
        let ending = self.filename.rsplit_once('.').map(|(_, ending)| ending);
        match ending.unwrap_or_default().to_ascii_lowercase().as_str() {
            "pdf" => "application/pdf",
            "md" | "markdown" => "text/markdown",
            "html" | "htm" => "text/html",
            "csv" => "text/csv",
            "json" => "application/json",
            "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            _ => "text/plain",
        }
    }
}

/// The audience of a block of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// The answer.
    #[default]
    Final,
    /// The SQL route's steps on its way.
    SqlAgent,
    /// The document route's steps on its way.
    RagAgent,
    /// The general route's steps on its way.
    GeneralAgent,
}

/// What models read and wrote, in their own tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// The tokens read that came from the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_input_tokens: u64,
    /// The tokens written that are thoughts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Usage {
    /// Both.
    pub fn total_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.input_tokens = self.input_tokens.saturating_add(more.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(more.output_tokens);
        self.cached_input_tokens = self
            .cached_input_tokens
            .saturating_add(more.cached_input_tokens);
        self.reasoning_tokens = self.reasoning_tokens.saturating_add(more.reasoning_tokens);
    }
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
    /// The service's own; its result follows in the same run.
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
    /// The model reached the limit of what it may write.
    Length,
    /// The model stopped in the middle of the answer; what there was is kept.
    Incomplete,
    /// The run was stopped; what there was is kept.
    Cancelled,
}

impl FinishReason {
    /// Whether the answer is not all there.
    pub fn is_partial(self) -> bool {
        matches!(self, Self::Length | Self::Incomplete | Self::Cancelled)
    }
}
