//! The node's view of its run: data about the run, and requests to it.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{CheckpointId, Failure, Interrupt, NodeError, State, error::Signal, stream::EventSink};

/// The node's view of its run: data about the run, and requests to it. Cheap to clone.
///
/// `R` is the type of the run's own context: what the caller gives to this run and what is never
/// stored, such as clients, a clock or the identity of the caller. See [`Context::run`].
pub struct Context<S: State, R = ()> {
    pub(crate) task: Arc<TaskContext>,
    pub(crate) run: Arc<R>,
    pub(crate) attempt: u32,
    pub(crate) events: Option<Arc<dyn EventSink<S::Event>>>,
}

pub(crate) struct TaskContext {
    pub(crate) node: Arc<str>,
    pub(crate) step: u32,
    pub(crate) index: u32,
    pub(crate) thread_id: Option<Arc<str>>,
    pub(crate) checkpoint_id: CheckpointId,
    pub(crate) input: Option<Value>,
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) cancellation: CancellationToken,
}

impl<S: State, R> Context<S, R> {
    /// The run's context: the value that was given to
    /// [`CompiledGraph::invoke_with`](crate::CompiledGraph::invoke_with) or
    /// [`CompiledGraph::stream_with`](crate::CompiledGraph::stream_with). All nodes and routers of
    /// the run share it. It is not part of the state: no checkpoint has it, and a run that resumes
    /// a thread is given its own.
    pub fn run(&self) -> &R {
        &self.run
    }

    /// The node, with the names of its subgraphs before it (`recovery/ask`).
    pub fn node(&self) -> &str {
        &self.task.node
    }

    /// The superstep, counted from the beginning of the thread.
    pub fn step(&self) -> u32 {
        self.task.step
    }

    /// Which attempt this is; 1 unless the node is retried.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The thread, when the run has one.
    pub fn thread_id(&self) -> Option<&str> {
        self.task.thread_id.as_deref()
    }

    /// Streams an event to the run's listener, waiting while its channel is full. Returns at once
    /// when there is no listener.
    pub async fn emit(&self, event: S::Event) {
        if let (Err(event), Some(events)) = (self.try_emit(event), &self.events) {
            events.emit(event).await;
        }
    }

    /// Streams an event when there is room for it; gives it back when the listener's channel is
    /// full.
    pub fn try_emit(&self, event: S::Event) -> Result<(), S::Event> {
        let Some(events) = &self.events else {
            return Ok(());
        };
        let mut event = Some(event);
        let had_room = events.try_emit(&mut || event.take());
        match event {
            Some(event) if !had_room => Err(event),
            _ => Ok(()),
        }
    }

    /// Whether events have a listener, for nodes whose events are costly to make.
    pub fn has_listener(&self) -> bool {
        self.events.is_some()
    }

    /// Waits until the run is cancelled. A node need not watch this: its future is dropped then. It
    /// is for work that needs to be stopped explicitly.
    pub async fn cancelled(&self) {
        self.task.cancellation.cancelled().await;
    }

    /// Is cancelled with the run, and when the run ends: for work that a node hands to other tasks.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.task.cancellation
    }

    /// The input that this task was [sent](crate::Target::send), if any.
    pub fn raw_input(&self) -> Option<&Value> {
        self.task.input.as_ref()
    }

    /// The input that this task was [sent](crate::Target::send). Fails for good when it was sent
    /// none, or one of another type.
    pub fn input<T: DeserializeOwned>(&self) -> Result<T, NodeError> {
        T::deserialize(self.task.input.as_ref().unwrap_or(&Value::Null))
            .map_err(NodeError::permanent)
    }

    /// Asks a question that a user outside has to answer.
    ///
    /// The first time this returns an error, which the node passes on with `?`: the run stops with
    /// [`Outcome::Interrupted`](crate::Outcome::Interrupted), and the question is stored with the
    /// checkpoint. When the thread is resumed with an answer, in whatever process, the node runs
    /// again from its beginning, and this returns the answer.
    ///
    /// A node may ask several questions one after the other; keys distinguish them and must be the
    /// same each time the node runs. What comes before the question is done again on resuming, so
    /// it should be cheap and free of effects.
    pub fn interrupt<A: DeserializeOwned>(
        &self,
        key: &str,
        payload: &(impl Serialize + ?Sized),
    ) -> Result<A, NodeError> {
        let task = &*self.task;
        let id = || format!("{}:{}:{key}", task.checkpoint_id, task.index);
        if let Some(answer) = task.answers.get(key) {
            return A::deserialize(answer).map_err(|source| {
                NodeError(Signal::Failure(Failure::UnfitAnswer {
                    interrupt_id: id(),
                    source,
                }))
            });
        }
        let payload = serde_json::to_value(payload).map_err(NodeError::permanent)?;
        let interrupt = Interrupt {
            id: id(),
            node: Arc::clone(&task.node),
            key: key.to_owned(),
            payload,
        };
        Err(NodeError(Signal::Interrupt(Box::new(interrupt))))
    }
}

impl<S: State, R> Clone for Context<S, R> {
    fn clone(&self) -> Self {
        Self {
            task: Arc::clone(&self.task),
            run: Arc::clone(&self.run),
            attempt: self.attempt,
            events: self.events.clone(),
        }
    }
}
