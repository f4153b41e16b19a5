//! An assistant as a type: its state, its graph, and how a turn begins on it. What all assistants
//! do alike is [`crate::Runner`]'s.

use chrono::{DateTime, Utc};
use graph::{Answers, BuildError, CompiledGraph, Snapshot, State};
use serde_json::Value;

use crate::{RunContext, ThreadState, Tools, TurnInput};

/// The graph of an assistant.
pub type AssistantGraph<A> =
    CompiledGraph<<A as Assistant>::State, RunContext<<A as Assistant>::Run>>;

/// An assistant: answers messages, one turn of a thread at a time. The value holds its settings and
/// what its turns share, and nothing of any person.
pub trait Assistant: Send + Sync + 'static {
    /// Its name on the wire.
    const NAME: &'static str;

    /// Whether a turn that a crash cut off may be run again, because its steps only read.
    const IS_REPEATABLE: bool;

    /// Whether it reads what its thread is about ([`TurnInput::context`]); finding that out costs a
    /// read.
    const READS_THREAD: bool = false;

    /// Whether its graph interrupts to ask the person. Then [`Assistant::begin`] is given the
    /// thread; that costs a read.
    const INTERRUPTS: bool = false;

    /// The memory of a thread.
    type State: ThreadState;

    /// What only this assistant's nodes share within a run: [`RunContext::assistant`].
    type Run: Send + Sync + 'static;

    /// Builds its graph. It holds nothing of any person, so one serves every thread.
    fn build_graph() -> Result<AssistantGraph<Self>, BuildError>
    where
        Self: Sized;

    /// Supersteps that the longest turn may take.
    fn recursion_limit(&self) -> u32;

    /// The state that the nodes of this turn share.
    fn run(&self, turn: &TurnInput) -> Self::Run;

    /// How the turn begins. `kept` is the thread as it was before this turn, for assistants that
    /// [interrupt](Assistant::INTERRUPTS).
    fn begin(&self, turn: &TurnInput, kept: Option<&Snapshot<Self::State>>) -> Begin<Self::State>;

    /// The objection to a question that is asked at set times, without a person who can be asked
    /// back; `None` if there is none.
    fn objection(
        &self,
        _question: &str,
        _asked: &QuestionContext<'_>,
    ) -> impl Future<Output = Option<Objection>> + Send {
        async { None }
    }

    /// The memory of a thread, in its public form.
    fn remembered(kept: &Snapshot<Self::State>) -> Remembered;
}

/// Why a question at set times would not be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// In words that continue "The question".
    pub reason: String,
    /// Whether the question is about something that this assistant does not know at all, so that
    /// another one may answer it.
    pub is_of_another_subject: bool,
}

/// The context in which a question at set times is judged.
pub struct QuestionContext<'a> {
    /// The tools, on behalf of the person.
    pub tools: &'a dyn Tools,
    /// The time now.
    pub now: DateTime<Utc>,
    /// Whether a model answers what no rule does.
    pub has_model: bool,
}

/// An assistant's memory of a thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// In the assistant's own form.
    pub values: Value,
    /// Whether it waits for the person: a question is open.
    pub asks: bool,
}

/// How a turn begins.
#[derive(Clone)]
pub enum Begin<S: State> {
    /// From the graph's start, with this update.
    Turn(S::Update),
    /// At the questions that the thread's last turn ended with.
    Answer {
        /// To those questions.
        answers: Answers,
        /// Applied first.
        update: Option<S::Update>,
    },
}
