//! The state of a thread, and the reducers that change it.
//!
//! Lists, entries and the metadata of queries are the memory's; what is checkpointed is small: what
//! the newest turn was about, in the contexts of the BI agent, and the question that is open. Rows
//! are in memory only.

mod contexts;

use std::{collections::BTreeMap, sync::Arc};

use agent_kit::ThreadState;
use contracts::{
    run::RunEvent,
    todo::{MemoryEntry, QueryMetadata, TodoList},
    tools::{
        clarification::{ClarificationAnswer, ClarificationPart},
        meanings::ResolvedEntity,
        search::{QueryRun, SourceList},
    },
};
use graph::State;
use serde::{Deserialize, Serialize};

pub use contexts::{
    ExecutionContext, IntentContext, IntentKind, IntentRoute, Phase, QueryContext, QueryMode,
    ResolutionContext, RetrievalKind,
};

/// The state of a thread: the BI agent's `BIAgentState`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AnalystState {
    /// The user input that was last worked on, counted from 1.
    pub current_turn_id: u32,
    /// The message of the person.
    pub user_input: String,
    /// The request of the person.
    pub intent: IntentContext,
    /// The meaning of the request.
    pub resolution: ResolutionContext,
    /// The choice of the person that was made or used last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<ResolvedEntity>,
    /// The words whose choices the last answer listed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<String>,
    /// How it is asked.
    pub query: QueryContext,
    /// The results of the request.
    pub execution: ExecutionContext,
    /// The phase of the turn.
    pub current_phase: Phase,
    /// Attempts in the turn.
    pub iteration_count: u32,
    /// What went wrong.
    pub error: Option<String>,
    /// The answer.
    pub agent_response: Option<String>,
    /// The picker that got an answer last.
    pub answered_call: Option<String>,
}

/// A question that waits for the person: the payload of the graph's interrupt. Its answer is the
/// next message, whatever that is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The open call of `request_user_selection`.
    pub call_id: String,
    /// In words.
    pub question: String,
    /// The subject of the question.
    pub about: QuestionAbout,
    /// The list that waits.
    pub list_id: String,
    /// The task that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_key: Option<String>,
    /// The unclear parts, with their options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ClarificationPart>,
}

/// The subject of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionAbout {
    /// The meaning of the person's words.
    Clarification,
    /// Whether the plan may run.
    Approval,
    /// What should be different about the plan.
    Change,
}

/// The state that the nodes of one turn exchange. It is a part of what the run shares, and is never
/// stored: lists, entries and queries are the memory's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    pub(crate) recalled: Recalled,
    /// What can be asked; `None` when that is not known.
    pub(crate) sources: Option<Arc<SourceList>>,
    /// The request as it is planned for, with what the person answered to the list that gives way.
    pub(crate) request: Request,
    pub(crate) plan: Plan,
    pub(crate) outcome: Outcome,
}

/// The memory of the newest turns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recalled {
    /// The entries of the newest turns.
    pub(crate) entries: Vec<MemoryEntry>,
    pub(crate) newest_query: Option<QueryMetadata>,
    /// The words whose choices the answer before this turn listed.
    pub(crate) listed: Vec<String>,
}

/// The list that is worked on, and the results of its queries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// The list that is worked on.
    pub(crate) list: Option<TodoList>,
    /// The list that gives way to the one that is planned.
    pub(crate) gives_way: Option<TodoList>,
    /// The results of the list's queries in this turn, by their tasks.
    pub(crate) runs: BTreeMap<String, Arc<QueryRun>>,
    /// The message asks for the plan to be shown first.
    pub(crate) wants_approval: bool,
    /// The next attempt takes the likeliest instead of asking.
    pub(crate) best_guess: bool,
}

/// How the turn is named, asks and ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// The flow of the turn, as events and entries name it.
    pub(crate) flow: String,
    pub(crate) question: Option<OpenQuestion>,
    pub(crate) ending: Option<Ending>,
}

/// The current request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// The person's words.
    pub(crate) original: String,
    /// The same, complete in itself.
    pub(crate) rewritten: String,
    /// Tasks that are left out of the usual ones, as the person asked.
    pub(crate) without: Vec<String>,
    /// The person's answers before the request changed.
    pub(crate) answers: Vec<ClarificationAnswer>,
    /// Words of which the remembered choice is not to be taken, and to be forgotten.
    pub(crate) forget: Vec<String>,
    /// Whether it names an earlier query, which is asked again.
    pub(crate) returns: bool,
    /// The query before the newest is asked again.
    pub(crate) back: bool,
    /// A corrected choice for the next question: not this, and the words that replace it.
    pub(crate) rechoose: Option<(String, Option<String>)>,
}

/// The next node of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Reiterate,
    Plan,
    Approve,
    Execute,
    Ask,
    Respond,
}

impl Next {
    /// The node.
    pub(crate) fn node(self) -> &'static str {
        match self {
            Self::Reiterate => "reiterate_intention",
            Self::Plan => "plan_todos",
            Self::Approve => "approve_plan",
            Self::Execute => "execute_next_todo",
            Self::Ask => "ask_user",
            Self::Respond => "respond",
        }
    }
}

/// How a turn ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every task is complete.
    Complete,
    /// A task failed; the list waits for "continue".
    TaskFailed(String),
    /// So much was attempted in one turn.
    TooManySteps,
    /// The person gave the list up.
    Cancelled,
    /// The person declined to run the plan.
    Declined,
    /// There is nothing to give up.
    NothingToCancel,
    /// There is nothing to continue with.
    NothingToContinue,
    /// A picker was answered that is not open.
    NothingOpen,
    /// What can be asked is not known at the moment.
    SourcesAway,
    /// There is nothing that can be asked.
    NoSources,
    /// It was answered before the run was cut off, so.
    Answered(String),
    /// There are no results to analyse or to change, and why.
    NoResults(String),
    /// The message asks for nothing that there is; these are.
    NothingAsked(Vec<String>),
    /// The memory cannot be read.
    MemoryAway,
    /// The memory cannot be written.
    NotSaved,
    /// Another run works on the thread.
    Lost,
}

/// A change of the state.
#[derive(Clone, Serialize, Deserialize)]
pub struct AnalystUpdate(pub(crate) Change);

#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum Change {
    /// A turn begins, be it with an answer or not.
    Begin,
    /// A node did its work.
    Worked(Box<AnalystState>),
}

impl ThreadState for AnalystState {}

impl State for AnalystState {
    type Update = AnalystUpdate;
    type Event = RunEvent;

    fn apply(&mut self, update: AnalystUpdate) {
        match update.0 {
            Change::Begin => {
                self.iteration_count = 0;
                self.error = None;
                self.agent_response = None;
            }
            Change::Worked(state) => *self = *state,
        }
    }
}
