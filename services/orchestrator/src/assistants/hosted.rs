//! The adapter between this service and an assistant of `agent-kit`, whichever it is: what a turn
//! is given of the service's.

use std::sync::Arc;

use agent_kit::{Attempt, Objection, QuestionContext, Runner, Tools, TurnInput};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use contracts::data_overview::DataOverview;
use contracts::run::RunEvent;
use conversations::{Fence, Owner};
use futures::stream::BoxStream;
use llm::{ChatModel, Models};
use uuid::Uuid;

use super::model_choice::Chosen;
use super::past::past;
use super::{Assistant, Introduction, Remembered, StateError, Turn};
use crate::budgets::{Ledger, Metered};
use crate::callers_tools::{CallersTools, Toolbox};

/// The memory of threads beside their checkpoints.
#[async_trait]
pub(crate) trait ThreadMemory: Send + Sync + 'static {
    /// As [`Assistant::state`].
    async fn state(
        &self,
        owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError>;

    /// As [`Assistant::asks`].
    async fn asks(&self, owner: &Owner, thread_key: &str) -> Result<bool, StateError>;

    /// As [`Assistant::copy_memory`].
    async fn copy(&self, from: Uuid, to: Uuid) -> Result<(), StateError>;
}

/// An assistant of `agent-kit`, as this service runs it.
pub(crate) struct Hosted<A: agent_kit::Assistant> {
    runner: Runner<A>,
    introduction: fn(Option<&DataOverview>) -> Introduction,
    tools: Arc<Toolbox>,
    models: Option<Models>,
    /// The cost of the models.
    ledger: Option<Arc<Ledger>>,
    /// The memory of threads that is not in their checkpoints.
    memory: Option<Arc<dyn ThreadMemory>>,
}

impl<A: agent_kit::Assistant> Hosted<A> {
    /// The assistant, with how it introduces itself, the tools, and the models if any are
    /// configured.
    pub(crate) fn new(
        runner: Runner<A>,
        introduction: fn(Option<&DataOverview>) -> Introduction,
        tools: &Arc<Toolbox>,
        models: Option<&Models>,
        ledger: Option<&Arc<Ledger>>,
    ) -> Self {
        Self {
            runner,
            introduction,
            tools: Arc::clone(tools),
            models: models.cloned(),
            ledger: ledger.cloned(),
            memory: None,
        }
    }

    /// The same, with this memory of threads.
    #[must_use]
    pub(crate) fn with_memory(self, memory: Arc<dyn ThreadMemory>) -> Self {
        Self {
            memory: Some(memory),
            ..self
        }
    }
}

#[async_trait]
impl<A: agent_kit::Assistant> Assistant for Hosted<A> {
    fn name(&self) -> &'static str {
        A::NAME
    }

    fn introduction(&self, data: Option<&DataOverview>) -> Introduction {
        (self.introduction)(data)
    }

    fn is_repeatable(&self) -> bool {
        A::IS_REPEATABLE
    }

    /// Only a model reads it.
    fn reads_history(&self) -> bool {
        self.models.is_some()
    }

    fn reads_thread(&self) -> bool {
        A::READS_THREAD
    }

    async fn objection(
        &self,
        question: &str,
        tools: &dyn Tools,
        now: DateTime<Utc>,
    ) -> Option<Objection> {
        let asked = QuestionContext {
            tools,
            now,
            has_model: self.models.is_some(),
        };
        self.runner.assistant().objection(question, &asked).await
    }

    fn run(&self, turn: Turn) -> BoxStream<'static, RunEvent> {
        let chosen = Chosen::of(self.models.as_ref(), &turn.model_options);
        let owner = turn.caller.owner().clone();
        let model = match (chosen.model.clone(), self.ledger.clone()) {
            (Some(model), Some(ledger)) => {
                Some(Arc::new(Metered::new(model, ledger, owner)) as Arc<dyn ChatModel>)
            }
            (model, _) => model,
        };
        let tools = CallersTools::new(Arc::clone(&self.tools), turn.caller);
        let input = TurnInput {
            thread_id: turn.thread_id,
            thread_key: Some(turn.thread_key),
            run_id: turn.run_id,
            attempt: attempt(turn.fence),
            message_id: turn.message_id,
            message: turn.input,
            timezone: turn.timezone,
            context: turn.context,
            now: turn.now,
            tools: Arc::new(tools),
            credentials: Arc::new(turn.credentials),
            schedules: turn.schedules,
            model,
            first_word: chosen.first_word,
            history: past(&turn.history),
            unattended: turn.unattended,
            cancellation: turn.cancellation,
        };
        chosen.announced(self.runner.run(input))
    }

    async fn state(
        &self,
        owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError> {
        if let Some(memory) = &self.memory {
            return memory.state(owner, thread_key).await;
        }
        let kept = self.runner.thread(thread_key).await?;
        Ok(kept.as_ref().map(A::remembered))
    }

    async fn asks(&self, owner: &Owner, thread_key: &str) -> Result<bool, StateError> {
        if let Some(memory) = &self.memory {
            return memory.asks(owner, thread_key).await;
        }
        let state = self.state(owner, thread_key).await?;
        Ok(state.is_some_and(|state| state.asks))
    }

    async fn copy_memory(&self, from: Uuid, to: Uuid) -> Result<(), StateError> {
        match &self.memory {
            Some(memory) => memory.copy(from, to).await,
            None => Ok(()),
        }
    }
}

fn attempt(fence: Fence) -> Attempt {
    Attempt {
        number: u32::try_from(fence.attempt).unwrap_or(1),
        worker: Some(fence.worker),
    }
}
