//! A node at work on a question: the node's context, and copies of what the state and the run hold
//! of the question, which the node changes and gives back.

use agent_kit::{Called, ToolsError};
use contracts::tools::{ToolStatus, sql::SqlDialect};
use graph::Command;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    run::{Context, Findings, Node},
    settings::{DataSettings, SqlLimits},
    state::{AnsweredQuery, DataState, Update, Work},
};

/// A question as a node works on it.
pub(crate) struct Draft {
    pub(crate) node: Node,
    /// The stored work on the question.
    pub(crate) work: Work,
    /// The results of lookups in this run.
    pub(crate) found: Findings,
    /// The answered questions that a question about the answer before it continues, oldest first.
    pub(crate) continues: Vec<AnsweredQuery>,
}

/// A call without a result.
#[derive(Debug, Clone)]
pub(crate) struct CallFailed {
    /// The reason, for people.
    pub(crate) message: String,
    /// The tool found that there is nothing to ask, rather than failing.
    pub(crate) nothing_there: bool,
}

impl Draft {
    pub(crate) fn new(state: &DataState, context: Context) -> Self {
        let node = Node::from(context);
        Self {
            found: node.run().assistant.findings(),
            node,
            work: state.work.clone(),
            continues: continued(state),
        }
    }

    pub(crate) fn settings(&self) -> &DataSettings {
        &self.node.run().assistant.settings
    }

    pub(crate) fn limits(&self) -> &SqlLimits {
        &self.settings().limits
    }

    /// How the database at work writes SQL.
    pub(crate) fn dialect(&self) -> SqlDialect {
        self.work.place.dialect.unwrap_or(SqlDialect::Mysql)
    }

    /// Ends the node with the question as it is now.
    pub(crate) fn done(self) -> Command<DataState> {
        self.node.run().assistant.keep(self.found);
        let work = Update::Worked(Box::new(self.work));
        let others = self.node.done().updates;
        Command::updates(std::iter::once(work.into()).chain(others))
    }

    /// Ends the node and, with it, the answer.
    pub(crate) fn finished(self) -> Command<DataState> {
        self.node.update(Update::Done);
        self.node.done()
    }

    /// Calls a tool on the way. The person sees it only when the way is shown.
    pub(crate) async fn look_up<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Result<T, CallFailed> {
        let called = if self.settings().show_work {
            self.node.begin_step().await;
            let called = self.node.call(tool, arguments).await;
            self.node.end_step().await;
            called
        } else {
            self.node.call_quietly(tool, arguments).await
        };
        read(&called)
    }

    /// The same without an event: before the route is decided, none may be seen.
    pub(crate) async fn look_up_quietly<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Result<T, CallFailed> {
        read(&self.node.call_quietly(tool, arguments).await)
    }

    /// Shows a part of the way, where that is wanted.
    pub(crate) async fn show_work(&self, text: &str) {
        if self.settings().show_work && !text.trim().is_empty() {
            self.node.begin_step().await;
            self.node.say(contracts::run::Channel::SqlAgent, text).await;
            self.node.end_step().await;
        }
    }
}

/// The questions that the current one continues: from the newest that stands on its own.
fn continued(state: &DataState) -> Vec<AnsweredQuery> {
    if !state.work.asked.follow_up {
        return Vec::new();
    }
    let own = state.queries.iter().rposition(|query| !query.follows);
    state.queries[own.unwrap_or_default()..].to_vec()
}

/// The result of a call, or why there is none.
pub(crate) fn read<T: DeserializeOwned>(called: &Called) -> Result<T, CallFailed> {
    called.result().ok_or_else(|| CallFailed {
        message: called.message().to_owned(),
        nothing_there: called.error.is_none() && called.envelope.status != ToolStatus::Error
            || matches!(called.error, Some(ToolsError::Invalid { .. })),
    })
}
