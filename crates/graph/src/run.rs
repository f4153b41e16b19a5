//! The input of a run, its configuration and its outcome.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::{Answers, CheckpointId, Interrupt, State, StreamModes};

/// The input of a run.
#[derive(Clone, Debug)]
pub enum Input<S: State> {
    /// This state, from [`START`](crate::START). What the thread held before stays in its history
    /// only.
    State(S),
    /// The thread's state with these updates, from [`START`](crate::START): the next turn of a
    /// conversation. Questions that were open and tasks that were unfinished are dropped.
    Update {
        /// The initial state of a new thread.
        initial: S,
        /// Applied before the run begins.
        updates: Vec<S::Update>,
    },
    /// The thread's checkpoint, with answers to its interrupts.
    Resume(Answers),
    /// [`Input::Resume`] with these updates applied first: what the nodes that continue need to
    /// know of the present turn.
    ResumeWith {
        /// To the thread's interrupts.
        answers: Answers,
        /// Applied to the checkpoint's state.
        updates: Vec<S::Update>,
    },
    /// The thread's checkpoint as it is: continues after a failure, a cancellation or a crash,
    /// without running again what was finished.
    Continue,
}

impl<S: State + Default> Input<S> {
    /// [`Input::Update`] with one update; a new thread begins with the default state.
    pub fn update(update: S::Update) -> Self {
        Self::Update {
            initial: S::default(),
            updates: vec![update],
        }
    }
}

impl<S: State> From<S> for Input<S> {
    fn from(state: S) -> Self {
        Self::State(state)
    }
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// The thread to load from and store to; `None` runs without checkpoints, and so does a graph
    /// without checkpointer.
    ///
    /// At most one run at a time may be active on a thread. The engine does not check this: take a
    /// lock where several processes share a store.
    pub thread_id: Option<Arc<str>>,
    /// The checkpoint to begin from instead of the thread's newest. What follows becomes a new
    /// branch of the thread's history, and its newest.
    pub checkpoint_id: Option<CheckpointId>,
    /// Number of supersteps that the run may take; 50 by default. Guards against cycles that never
    /// end.
    pub recursion_limit: u32,
    /// Cancels the run.
    pub cancellation: CancellationToken,
    /// When checkpoints are stored.
    pub durability: Durability,
    /// Time that the checkpointer may take for one call; 10 s by default.
    pub checkpoint_timeout: Duration,
    /// What happens when the thread cannot be read.
    pub unreadable: Unreadable,
    /// Stored with each checkpoint of the run.
    pub metadata: Map<String, Value>,
    /// What [`CompiledGraph::stream`](crate::CompiledGraph::stream) yields; events of nodes only by
    /// default.
    pub modes: StreamModes,
    /// Number of items that a stream holds before nodes have to wait for its reader; 64 by default.
    pub buffer: usize,
}

impl RunConfig {
    /// The defaults, without a thread.
    pub fn new() -> Self {
        Self::default()
    }

    /// The defaults, on this thread.
    pub fn thread(thread_id: impl Into<Arc<str>>) -> Self {
        Self {
            thread_id: Some(thread_id.into()),
            ..Self::default()
        }
    }

    /// Begins from this checkpoint instead of the newest.
    #[must_use]
    pub fn checkpoint(mut self, id: CheckpointId) -> Self {
        self.checkpoint_id = Some(id);
        self
    }

    /// Is cancelled by this token.
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Limits the supersteps.
    #[must_use]
    pub fn recursion_limit(mut self, limit: u32) -> Self {
        self.recursion_limit = limit;
        self
    }

    /// Chooses when checkpoints are stored.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Chooses what happens when the thread cannot be read.
    #[must_use]
    pub fn unreadable(mut self, unreadable: Unreadable) -> Self {
        self.unreadable = unreadable;
        self
    }

    /// Chooses what a stream yields.
    #[must_use]
    pub fn modes(mut self, modes: StreamModes) -> Self {
        self.modes = modes;
        self
    }
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            thread_id: None,
            checkpoint_id: None,
            recursion_limit: 50,
            cancellation: CancellationToken::new(),
            durability: Durability::default(),
            checkpoint_timeout: Duration::from_secs(10),
            unreadable: Unreadable::default(),
            metadata: Map::new(),
            modes: StreamModes::default(),
            buffer: 64,
        }
    }
}

/// When checkpoints are stored. After a crash a thread continues from the last one that was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// After each superstep, before the next begins.
    #[default]
    Sync,
    /// After each superstep, while the next one runs: as many checkpoints, less waiting, and a
    /// crash may lose one superstep.
    Async,
    /// Once, when the run ends, stops or fails: the cheapest, and a crash loses the run.
    Exit,
}

/// The result of a run whose thread cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unreadable {
    /// It fails with [`Error::Load`](crate::Error::Load) before anything runs.
    #[default]
    Fail,
    /// When its input is [`Input::State`] or [`Input::Update`], it begins as on a new thread, with
    /// [`Warning::CheckpointNotLoaded`](crate::Warning::CheckpointNotLoaded). With other inputs it
    /// fails.
    ///
    /// What is [corrupt](crate::CheckpointError::Corrupt) stays so: the run is stored, and the
    /// thread continues from it. When the store failed, the thread may be whole: the run is not
    /// stored, lest it hide what the thread holds.
    StartFresh,
}

/// How a run ended that did not fail.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome<S> {
    /// Every branch reached its end.
    Done(S),
    /// Tasks wait for answers. Updates of their finished siblings are kept, and are in the state
    /// once the superstep is complete.
    Interrupted {
        /// The state before the superstep that waits.
        state: S,
        /// The questions, in order of task.
        interrupts: Vec<Interrupt>,
    },
    /// The run was cancelled.
    Cancelled {
        /// The state after the last complete superstep.
        state: S,
    },
}

impl<S> Outcome<S> {
    /// The state, however the run ended.
    pub fn state(&self) -> &S {
        match self {
            Self::Done(state) | Self::Interrupted { state, .. } | Self::Cancelled { state } => {
                state
            }
        }
    }

    /// The state, however the run ended.
    pub fn into_state(self) -> S {
        match self {
            Self::Done(state) | Self::Interrupted { state, .. } | Self::Cancelled { state } => {
                state
            }
        }
    }

    /// The open questions; empty unless the run was interrupted.
    pub fn interrupts(&self) -> &[Interrupt] {
        match self {
            Self::Interrupted { interrupts, .. } => interrupts,
            Self::Done(_) | Self::Cancelled { .. } => &[],
        }
    }

    /// Whether every branch reached its end.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }
}
