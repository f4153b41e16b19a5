//! The context of a node, with copies of the state and of the turn's work, which it changes and
//! returns.

use std::{sync::Arc, time::Duration};

use agent_kit::{Unusable, warn_once};
use chrono::NaiveDate;
use contracts::{
    todo::TodoList,
    tools::{
        ToolEnvelope, ToolStatus,
        search::{IndexDescription, SourceDescription, SourceList},
    },
};
use graph::Command;
use llm::ChatRequest;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    AnalystRun, AnalystSettings, MemoryError, Record,
    prompt::object_in,
    run::{Context, Node},
    state::{AnalystState, AnalystUpdate, Change, Ending, Next, Phase, Work},
};

/// A node at work.
pub(crate) struct Step {
    pub(crate) node: Node,
    pub(crate) state: Box<AnalystState>,
    pub(crate) work: Box<Work>,
}

impl Step {
    pub(crate) fn new(state: &AnalystState, context: Context) -> Self {
        let node = Node::from(context);
        Self {
            work: Box::new(node.run().assistant.work()),
            node,
            state: Box::new(state.clone()),
        }
    }

    /// What only the analyst's nodes share.
    pub(crate) fn run(&self) -> &AnalystRun {
        &self.node.run().assistant
    }

    pub(crate) fn settings(&self) -> &AnalystSettings {
        &self.run().settings
    }

    /// Ends the node.
    pub(crate) fn done(self) -> Command<AnalystState> {
        self.node.run().assistant.keep(*self.work);
        Command::update(AnalystUpdate(Change::Worked(self.state)))
    }

    /// Ends the node, and continues there.
    pub(crate) fn then(self, next: Next) -> Command<AnalystState> {
        self.done().then_goto(next.node())
    }

    /// Ends the node, and the turn so.
    pub(crate) fn ends(mut self, ending: Ending) -> Command<AnalystState> {
        if matches!(
            ending,
            Ending::TaskFailed(_) | Ending::MemoryAway | Ending::NotSaved | Ending::Lost
        ) {
            self.state.current_phase = Phase::Error;
        }
        self.work.outcome.ending = Some(ending);
        self.then(Next::Respond)
    }

    /// Records it all or nothing, and gives back the entry's `turn_id`; or says how the turn ends.
    pub(crate) async fn record(&self, record: Record) -> Result<u32, Ending> {
        self.run().record(record).await.map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "an attempt could not be recorded"
            );
            match error {
                MemoryError::Lost => Ending::Lost,
                MemoryError::Unavailable(_) | MemoryError::Failed(_) => Ending::NotSaved,
            }
        })
    }

    /// Shows the list as it is now.
    pub(crate) async fn show_plan(&self, list: &TodoList) {
        self.node
            .emit(contracts::run::RunEvent::Plan { plan: list.plan() })
            .await;
    }

    /// Calls a tool without an event for the client.
    pub(crate) async fn look_up<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Option<T> {
        self.node.call_quietly(tool, arguments).await.result()
    }

    /// Emits a call of one of the assistant's own tools.
    pub(crate) async fn tell_call(
        &self,
        tool: &str,
        arguments: &impl Serialize,
        result: &Result<Value, String>,
    ) {
        let call = self.node.announce(tool, arguments).await;
        let envelope = match result {
            Ok(result) => ToolEnvelope::ok(result.clone()),
            Err(message) => ToolEnvelope::without_result(ToolStatus::Error, message.clone()),
        };
        self.node.settle(call, Ok(envelope)).await;
    }

    /// Asks the model for an object that is read, not shown: see [`agent_kit::NodeContext::ask`].
    /// An answer without one counts as a failure.
    pub(crate) async fn ask_object(
        &self,
        request: ChatRequest,
        patience: Duration,
    ) -> Option<Map<String, Value>> {
        let answer = self.node.ask(request, patience).await?;
        let object = object_in(&answer);
        if object.is_none() {
            tracing::warn!("the model's answer cannot be read");
            warn_once(&self.node, Unusable::classification(&answer)).await;
        }
        object
    }

    /// The tokens that the run's models have read and written so far.
    pub(crate) fn tokens(&self) -> u64 {
        let usage = self.node.account().usage();
        usage.map_or(0, |usage| usage.total_tokens())
    }

    /// What can be asked; nothing while that is not known.
    pub(crate) fn sources(&self) -> Arc<SourceList> {
        let sources = self.work.sources.clone();
        sources.unwrap_or_else(|| {
            Arc::new(SourceList {
                sources: Vec::new(),
            })
        })
    }

    /// The day that relative dates of the text count from: that of the source whose records it
    /// names, otherwise of the first.
    pub(crate) fn today(&self, text: &str) -> NaiveDate {
        let sources = self.sources();
        let Some(first) = sources.sources.first() else {
            return self.run().began_at().date_naive();
        };
        let today = first.today;
        if sources.sources.iter().all(|source| source.today == today) {
            return today;
        }
        let read = crate::language::read_request(text, &sources, today);
        let named = read.indices.first().and_then(|index| {
            let mut sources = sources.sources.iter();
            sources.find(|source| source.name == index.source)
        });
        named.map_or(today, |source| source.today)
    }
}

/// The description of an index.
pub(crate) fn index_of<'s>(
    sources: &'s SourceList,
    source: &str,
    index: &str,
) -> Option<(&'s SourceDescription, &'s IndexDescription)> {
    let source = sources.sources.iter().find(|known| known.name == source)?;
    let index = source.indices.iter().find(|known| known.name == index)?;
    Some((source, index))
}
