//! A node at work: its stage, the turn, and the state as it found it, which it changes and gives back.

use std::{ops::Deref, sync::Arc, time::Duration};

use agent_kit::warn_once;
use chrono::NaiveDate;
use contracts::{
    todo::TodoList,
    tools::{
        ToolEnvelope, ToolStatus,
        search::{IndexDescription, SourceDescription, SourceList},
    },
};
use graph::{Command, Context, NodeError};
use llm::ChatRequest;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    AnalystOptions, MemoryError, Record,
    prompt::object_in,
    state::{AnalystState, AnalystUpdate, Change, Ending, Next, Phase},
    turn::Turn,
};

/// A node at work.
pub(crate) struct Scene {
    stage: agent_kit::Stage<AnalystState>,
    pub(crate) turn: Arc<Turn>,
    pub(crate) state: Box<AnalystState>,
}

impl Deref for Scene {
    type Target = agent_kit::Stage<AnalystState>;

    fn deref(&self) -> &Self::Target {
        &self.stage
    }
}

impl Scene {
    /// Fails on a state that no turn has begun: a thread continued as it was, which only a new turn can do.
    pub(crate) fn new(
        state: &AnalystState,
        context: Context<AnalystState>,
    ) -> Result<Self, NodeError> {
        let turn = state.work.turn.clone();
        let turn =
            turn.ok_or_else(|| NodeError::permanent("a turn has to begin with its input"))?;
        Ok(Self {
            stage: agent_kit::Stage::new(context, Arc::clone(&turn.performance)),
            turn,
            state: Box::new(state.clone()),
        })
    }

    pub(crate) fn stage(&self) -> &agent_kit::Stage<AnalystState> {
        &self.stage
    }

    pub(crate) fn options(&self) -> &AnalystOptions {
        &self.turn.options
    }

    /// Ends the node, and goes on there.
    pub(crate) fn then(mut self, next: Next) -> Command<AnalystState> {
        self.state.work.next = next;
        Command::update(AnalystUpdate(Change::Worked(self.state)))
    }

    /// Ends the node, and the turn so.
    pub(crate) fn ends(mut self, ending: Ending) -> Command<AnalystState> {
        if matches!(
            ending,
            Ending::TaskFailed(_) | Ending::MemoryAway | Ending::NotSaved | Ending::Lost
        ) {
            self.state.current_phase = Phase::Error;
        }
        self.state.work.ending = Some(ending);
        self.then(Next::Respond)
    }

    /// Ends the node and, with it, the turn.
    pub(crate) fn finished(self) -> Command<AnalystState> {
        Command::update(AnalystUpdate(Change::Done(self.state)))
    }

    /// Records it all or nothing, and gives back the entry's `turn_id`; or says how the turn ends.
    pub(crate) async fn record(&self, record: Record) -> Result<u32, Ending> {
        self.turn.record(record).await.map_err(|error| {
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
        self.emit(contracts::run::RunEvent::Plan { plan: list.plan() })
            .await;
    }

    /// Calls a tool, seen by nobody.
    pub(crate) async fn look_up<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: &impl Serialize,
    ) -> Option<T> {
        self.call_quietly(tool, arguments).await.result()
    }

    /// Tells of a call of a tool that is the assistant's own.
    pub(crate) async fn tell_call(
        &self,
        tool: &str,
        arguments: &impl Serialize,
        result: &Result<Value, String>,
    ) {
        let call = self.announce(tool, arguments).await;
        let envelope = match result {
            Ok(result) => ToolEnvelope::ok(result.clone()),
            Err(message) => ToolEnvelope::without_result(ToolStatus::Error, message.clone()),
        };
        self.settle(call, Ok(envelope)).await;
    }

    /// Asks the model for an object that is read, not shown: see [`agent_kit::Stage::ask`]. An answer that holds none is told like a failure.
    pub(crate) async fn ask_object(
        &self,
        request: ChatRequest,
        patience: Duration,
    ) -> Option<Map<String, Value>> {
        let answer = self.ask(request, patience).await?;
        let object = object_in(&answer);
        if object.is_none() {
            tracing::warn!("the model's answer can not be read");
            warn_once(&self.stage).await;
        }
        object
    }

    /// What the models of the run have read and written so far.
    pub(crate) fn tokens(&self) -> u64 {
        let usage = self.performance().account().usage();
        usage.map_or(0, |usage| usage.total_tokens())
    }

    /// What can be asked; nothing while that is not known.
    pub(crate) fn sources(&self) -> Arc<SourceList> {
        let sources = self.state.work.sources.clone();
        sources.unwrap_or_else(|| {
            Arc::new(SourceList {
                sources: Vec::new(),
            })
        })
    }

    /// The day that relative dates of the text count from: that of the source whose records it names, else of the first.
    pub(crate) fn today(&self, text: &str) -> NaiveDate {
        let sources = self.sources();
        let Some(first) = sources.sources.first() else {
            return self.turn.began_at().date_naive();
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
