//! A graph that passed validation: how it is held, and where its edges lead.

use std::{fmt, sync::Arc};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;
use uuid::Uuid;

use crate::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Error, Input, Interrupt, Node,
    NodeOptions, Outcome, Run, RunConfig, State, StreamItem, Targets, engine, mermaid,
    stream::Work,
};

/// A graph that can be run. Made by [`StateGraph::build`](crate::StateGraph::build); cheap to
/// clone.
///
/// `R` is the type of the [run's context](crate::Context::run).
pub struct CompiledGraph<S: State, R = ()> {
    pub(crate) plan: Arc<Plan<S, R>>,
    pub(crate) checkpointer: Option<Arc<dyn Checkpointer>>,
    pub(crate) ids: IdSource,
}

pub(crate) type IdSource = Arc<dyn Fn() -> CheckpointId + Send + Sync>;

/// The state of a thread at one of its checkpoints.
#[derive(Clone, Debug)]
pub struct Snapshot<S> {
    /// The state.
    pub state: S,
    /// The checkpoint itself, with its ids, step, pending tasks and metadata.
    pub checkpoint: Checkpoint,
}

impl<S> Snapshot<S> {
    /// The questions that the thread waits on.
    pub fn interrupts(&self) -> impl Iterator<Item = &Interrupt> {
        self.checkpoint.interrupts()
    }
}

impl<S: State> CompiledGraph<S> {
    /// [`Self::invoke_with`] for graphs whose nodes need no context.
    pub async fn invoke(
        &self,
        input: impl Into<Input<S>>,
        config: RunConfig,
    ) -> Result<Outcome<S>, Error> {
        self.invoke_with(input, (), config).await
    }

    /// [`Self::stream_with`] for graphs whose nodes need no context.
    pub fn stream(&self, input: impl Into<Input<S>>, config: RunConfig) -> Run<S> {
        self.stream_with(input, (), config)
    }
}

impl<S: State, R: Send + Sync + 'static> CompiledGraph<S, R> {
    /// The name it was built with.
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// Keeps the threads of this graph in the store.
    #[must_use]
    pub fn with_checkpointer(mut self, checkpointer: Arc<dyn Checkpointer>) -> Self {
        self.checkpointer = Some(checkpointer);
        self
    }

    /// Takes checkpoint ids from here instead of [`Uuid::now_v7`], for tests whose snapshots show
    /// them. Ids have to be of version 7; one that is not greater than its parent's is replaced by
    /// the parent's successor.
    #[must_use]
    pub fn with_id_source(
        mut self,
        ids: impl Fn() -> CheckpointId + Send + Sync + 'static,
    ) -> Self {
        self.ids = Arc::new(ids);
        self
    }

    /// Runs to the end, to an interrupt or to cancellation, in the caller's task. Dropping the
    /// future stops the run and all its tasks.
    ///
    /// `run` is what this run's nodes and routers find as [`Context::run`](crate::Context::run). It
    /// is never stored, so a run that resumes or continues a thread is given one like any other.
    pub async fn invoke_with(
        &self,
        input: impl Into<Input<S>>,
        run: impl Into<Arc<R>>,
        config: RunConfig,
    ) -> Result<Outcome<S>, Error> {
        let token = config.cancellation.child_token();
        engine::run(self.clone(), input.into(), run.into(), config, token, None).await
    }

    /// Starts a run that can be watched; see [`Self::invoke_with`] for its context. Needs a tokio
    /// runtime, as parallel branches do.
    pub fn stream_with(
        &self,
        input: impl Into<Input<S>>,
        run: impl Into<Arc<R>>,
        config: RunConfig,
    ) -> Run<S> {
        let (items, token, run) = self.watched(input.into(), run.into(), config);
        Run::new(items, Work::Task(tokio::spawn(run)), token)
    }

    /// [`Self::stream_with`], without a task of its own: the run continues while its stream is
    /// read, in the task that reads it. No item wakes another task, so this is for readers that do
    /// nothing else in between.
    pub fn stream_here_with(
        &self,
        input: impl Into<Input<S>>,
        run: impl Into<Arc<R>>,
        config: RunConfig,
    ) -> Run<S> {
        let (items, token, run) = self.watched(input.into(), run.into(), config);
        Run::new(items, Work::Here(Box::pin(run)), token)
    }

    fn watched(
        &self,
        input: Input<S>,
        run: Arc<R>,
        config: RunConfig,
    ) -> (
        mpsc::Receiver<StreamItem<S>>,
        CancellationToken,
        impl Future<Output = Result<Outcome<S>, Error>> + Send + use<S, R>,
    ) {
        let (items, receiver) = mpsc::channel(config.buffer.max(1));
        let token = config.cancellation.child_token();
        let run = engine::run(self.clone(), input, run, config, token.clone(), Some(items));
        // The run belongs to whatever its caller is doing, in traces as well.
        (receiver, token, run.in_current_span())
    }

    /// The state of a thread at a checkpoint, or at its newest; `None` when there is none.
    pub async fn get_state(
        &self,
        thread_id: &str,
        id: Option<CheckpointId>,
    ) -> Result<Option<Snapshot<S>>, Error> {
        let load_error = |source| Error::Load {
            thread_id: thread_id.into(),
            source,
        };
        let checkpoint = self.store()?.get(thread_id, id).await.map_err(load_error)?;
        checkpoint.map(snapshot).transpose().map_err(load_error)
    }

    /// The states of a thread, newest first: at most `limit`, and only those before the checkpoint
    /// `before`.
    pub async fn get_state_history(
        &self,
        thread_id: &str,
        limit: u32,
        before: Option<CheckpointId>,
    ) -> Result<Vec<Snapshot<S>>, Error> {
        let load_error = |source| Error::Load {
            thread_id: thread_id.into(),
            source,
        };
        let checkpoints = self
            .store()?
            .list(thread_id, limit, before)
            .await
            .map_err(load_error)?;
        checkpoints
            .into_iter()
            .map(snapshot)
            .collect::<Result<_, _>>()
            .map_err(load_error)
    }

    fn store(&self) -> Result<&dyn Checkpointer, Error> {
        self.checkpointer.as_deref().ok_or(Error::NoCheckpointer)
    }

    /// The graph as a Mermaid flowchart: the same text for the same graph, so that a test can hold
    /// a document to it. Conditional edges and the destinations of commands are dotted.
    pub fn to_mermaid(&self) -> String {
        mermaid::draw(&self.plan)
    }
}

fn snapshot<S: State>(checkpoint: Checkpoint) -> Result<Snapshot<S>, CheckpointError> {
    Ok(Snapshot {
        state: decode_state(&checkpoint)?,
        checkpoint,
    })
}

pub(crate) fn decode_state<S: State>(checkpoint: &Checkpoint) -> Result<S, CheckpointError> {
    serde_json::from_slice(&checkpoint.state)
        .map_err(|error| CheckpointError::corrupt(format!("the state of {}", checkpoint.id), error))
}

pub(crate) fn default_ids() -> IdSource {
    Arc::new(Uuid::now_v7)
}

impl<S: State, R> Clone for CompiledGraph<S, R> {
    fn clone(&self) -> Self {
        Self {
            plan: Arc::clone(&self.plan),
            checkpointer: self.checkpointer.clone(),
            ids: Arc::clone(&self.ids),
        }
    }
}

impl<S: State, R> fmt::Debug for CompiledGraph<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes: Vec<_> = self
            .plan
            .vertices
            .iter()
            .map(|vertex| &*vertex.path)
            .collect();
        f.debug_struct("CompiledGraph")
            .field("name", &self.plan.name)
            .field("nodes", &nodes)
            .finish_non_exhaustive()
    }
}

/// The graph with its subgraphs laid flat: one list of vertices, names resolved to places in it.
pub(crate) struct Plan<S: State, R> {
    pub(crate) name: Arc<str>,
    pub(crate) entry: Route<S, R>,
    pub(crate) vertices: Vec<Vertex<S, R>>,
}

pub(crate) struct Vertex<S: State, R> {
    /// Its name with those of the subgraphs around it: `recovery/ask`.
    pub(crate) path: Arc<str>,
    /// The subgraph around it.
    pub(crate) scope: Option<usize>,
    pub(crate) kind: Kind<S, R>,
    /// The edges that leave it.
    pub(crate) route: Route<S, R>,
}

pub(crate) enum Kind<S: State, R> {
    Node(NodeSpec<S, R>),
    /// A subgraph, with where it begins. Its vertices follow it in the list.
    Subgraph(Route<S, R>),
}

pub(crate) struct NodeSpec<S: State, R> {
    pub(crate) node: Arc<dyn Node<S, R>>,
    pub(crate) options: NodeOptions,
}

/// What leads away from a place.
pub(crate) struct Route<S: State, R> {
    pub(crate) edges: Vec<Hop>,
    pub(crate) branches: Vec<Branch<S, R>>,
    /// The targets that commands may name.
    pub(crate) destinations: Vec<Declared>,
}

/// A conditional edge.
pub(crate) struct Branch<S: State, R> {
    pub(crate) choose: Choose<S, R>,
    pub(crate) targets: Vec<Declared>,
}

pub(crate) type Choose<S, R> = Arc<dyn Fn(&S, &R) -> Targets + Send + Sync>;

/// A target by its name in the scope of the node that may name it.
#[derive(Clone)]
pub(crate) struct Declared {
    pub(crate) name: Box<str>,
    pub(crate) hop: Hop,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hop {
    /// To a node or into a subgraph.
    To(usize),
    /// To the end: out of the subgraph, or of the graph.
    End,
}

impl<S: State, R> Route<S, R> {
    /// Every place that it can lead to, with whether that depends on something.
    pub(crate) fn hops(&self) -> impl Iterator<Item = (Hop, bool)> {
        let conditional = self
            .branches
            .iter()
            .flat_map(|branch| &branch.targets)
            .chain(&self.destinations);
        self.edges
            .iter()
            .map(|&hop| (hop, false))
            .chain(conditional.map(|declared| (declared.hop, true)))
    }
}

impl<S: State, R> Clone for Route<S, R> {
    fn clone(&self) -> Self {
        Self {
            edges: self.edges.clone(),
            branches: self.branches.clone(),
            destinations: self.destinations.clone(),
        }
    }
}

impl<S: State, R> Clone for Branch<S, R> {
    fn clone(&self) -> Self {
        Self {
            choose: Arc::clone(&self.choose),
            targets: self.targets.clone(),
        }
    }
}
