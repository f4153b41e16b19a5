//! A node at work: its stage, the turn, and the work as it found it, which it changes and gives back.

use std::{ops::Deref, sync::Arc};

use agent_kit::{Called, ToolsError};
use contracts::tools::ToolStatus;
use graph::{Command, Context, NodeError};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    options::{DataOptions, SqlLimits},
    state::{DataState, DataUpdate, Work, WorkHandle},
    turn::Turn,
};

/// A node at work.
pub(crate) struct Scene {
    stage: agent_kit::Stage<DataState>,
    pub(crate) turn: Arc<Turn>,
    pub(crate) work: Work,
    updates: Vec<DataUpdate>,
}

impl Deref for Scene {
    type Target = agent_kit::Stage<DataState>;

    fn deref(&self) -> &Self::Target {
        &self.stage
    }
}

/// A call that brought no result.
#[derive(Debug, Clone)]
pub(crate) struct CallFailed {
    /// Why, for people.
    pub(crate) message: String,
    /// The tool found that there is nothing to ask, rather than failing.
    pub(crate) nothing_there: bool,
}

impl Scene {
    /// Fails on a state that no turn has begun: a thread continued as it was, which only a new turn can do.
    pub(crate) fn new(state: &DataState, context: Context<DataState>) -> Result<Self, NodeError> {
        let turn = state.work.turn.clone();
        let turn =
            turn.ok_or_else(|| NodeError::permanent("a turn has to begin with its input"))?;
        Ok(Self {
            stage: agent_kit::Stage::new(context, Arc::clone(&turn.performance)),
            turn,
            work: state.work.clone(),
            updates: Vec::new(),
        })
    }

    /// The stage, for what is shared between assistants.
    pub(crate) fn stage(&self) -> &agent_kit::Stage<DataState> {
        &self.stage
    }

    pub(crate) fn options(&self) -> &DataOptions {
        &self.turn.options
    }

    pub(crate) fn limits(&self) -> &SqlLimits {
        &self.turn.options.limits
    }

    pub(crate) fn update(&mut self, update: DataUpdate) {
        self.updates.push(update);
    }

    /// Ends the node with the work as it is now.
    pub(crate) fn done(self) -> Command<DataState> {
        let work = DataUpdate::Worked(WorkHandle(Box::new(self.work)));
        Command::updates(std::iter::once(work).chain(self.updates))
    }

    /// Ends the node and, with it, the answer.
    pub(crate) fn finished(self) -> Command<DataState> {
        Command::updates(self.updates.into_iter().chain([DataUpdate::Done]))
    }

    /// Calls a tool on the way. The person sees it only when the way is shown.
    pub(crate) async fn look_up<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Result<T, CallFailed> {
        let called = if self.options().show_work {
            self.begin_step().await;
            let called = self.call(tool, arguments).await;
            self.end_step().await;
            called
        } else {
            self.call_quietly(tool, arguments).await
        };
        read(&called)
    }

    /// The same, seen by nobody: before the route is decided, nothing else may be.
    pub(crate) async fn look_up_quietly<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Result<T, CallFailed> {
        read(&self.call_quietly(tool, arguments).await)
    }

    /// Shows a part of the way, where that is wanted.
    pub(crate) async fn show_work(&self, text: &str) {
        if self.options().show_work && !text.trim().is_empty() {
            self.begin_step().await;
            self.say(contracts::run::Channel::SqlAgent, text).await;
            self.end_step().await;
        }
    }
}

/// The result of a call, or why there is none.
pub(crate) fn read<T: DeserializeOwned>(called: &Called) -> Result<T, CallFailed> {
    called.result().ok_or_else(|| CallFailed {
        message: called.message().to_owned(),
        nothing_there: called.error.is_none() && called.envelope.status != ToolStatus::Error
            || matches!(called.error, Some(ToolsError::Invalid { .. })),
    })
}
