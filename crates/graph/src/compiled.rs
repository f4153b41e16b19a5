//! A graph that passed validation: how it is held, and where its edges lead.

use std::{fmt, sync::Arc};

use tokio::sync::mpsc;
use tracing::Instrument;
use uuid::Uuid;

use crate::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Error, Input, Interrupt, Node,
    NodeOptions, Outcome, Run, RunConfig, State, Targets, engine, mermaid,
};

/// A graph that can be run. Made by [`StateGraph::build`](crate::StateGraph::build); cheap to clone.
pub struct CompiledGraph<S: State> {
    pub(crate) plan: Arc<Plan<S>>,
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

    /// Takes checkpoint ids from here instead of [`Uuid::now_v7`], for tests whose snapshots show them. Ids have to be of version 7;
    /// one that is not greater than its parent's is replaced by the parent's successor.
    #[must_use]
    pub fn with_id_source(
        mut self,
        ids: impl Fn() -> CheckpointId + Send + Sync + 'static,
    ) -> Self {
        self.ids = Arc::new(ids);
        self
    }

    /// Runs to the end, to an interrupt or to cancellation, in the caller's task. Dropping the future stops the run and all its tasks.
    pub async fn invoke(
        &self,
        input: impl Into<Input<S>>,
        config: RunConfig,
    ) -> Result<Outcome<S>, Error> {
        let token = config.cancellation.child_token();
        engine::run(self.clone(), input.into(), config, token, None).await
    }

    /// Starts a run that can be watched. Needs a tokio runtime, as parallel branches do.
    pub fn stream(&self, input: impl Into<Input<S>>, config: RunConfig) -> Run<S> {
        let (items, receiver) = mpsc::channel(config.buffer.max(1));
        let token = config.cancellation.child_token();
        let run = engine::run(
            self.clone(),
            input.into(),
            config,
            token.clone(),
            Some(items),
        );
        // The run belongs to whatever its caller is doing, in traces as well.
        Run::new(receiver, tokio::spawn(run.in_current_span()), token)
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

    /// The states of a thread, newest first: at most `limit`, and only those before the checkpoint `before`.
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

    /// The graph as a Mermaid flowchart: the same text for the same graph, so that a test can hold a document to it. Conditional
    /// edges and the destinations of commands are dotted.
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

impl<S: State> Clone for CompiledGraph<S> {
    fn clone(&self) -> Self {
        Self {
            plan: Arc::clone(&self.plan),
            checkpointer: self.checkpointer.clone(),
            ids: Arc::clone(&self.ids),
        }
    }
}

impl<S: State> fmt::Debug for CompiledGraph<S> {
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
pub(crate) struct Plan<S: State> {
    pub(crate) name: Arc<str>,
    pub(crate) entry: Route<S>,
    pub(crate) vertices: Vec<Vertex<S>>,
}

pub(crate) struct Vertex<S: State> {
    /// Its name with those of the subgraphs around it: `recovery/ask`.
    pub(crate) path: Arc<str>,
    /// The subgraph around it.
    pub(crate) scope: Option<usize>,
    pub(crate) kind: Kind<S>,
    /// Where it leads.
    pub(crate) route: Route<S>,
}

pub(crate) enum Kind<S: State> {
    Node(NodeSpec<S>),
    /// A subgraph, with where it begins. Its vertices follow it in the list.
    Subgraph(Route<S>),
}

pub(crate) struct NodeSpec<S: State> {
    pub(crate) node: Arc<dyn Node<S>>,
    pub(crate) options: NodeOptions,
}

/// What leads away from a place.
pub(crate) struct Route<S: State> {
    pub(crate) edges: Vec<Hop>,
    pub(crate) branches: Vec<Branch<S>>,
    /// Where commands may go.
    pub(crate) destinations: Vec<Declared>,
}

/// A conditional edge.
pub(crate) struct Branch<S: State> {
    pub(crate) choose: Choose<S>,
    pub(crate) targets: Vec<Declared>,
}

pub(crate) type Choose<S> = Arc<dyn Fn(&S) -> Targets + Send + Sync>;

/// A target by its name in the scope of whoever may name it.
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

impl<S: State> Route<S> {
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

impl<S: State> Clone for Route<S> {
    fn clone(&self) -> Self {
        Self {
            edges: self.edges.clone(),
            branches: self.branches.clone(),
            destinations: self.destinations.clone(),
        }
    }
}

impl<S: State> Clone for Branch<S> {
    fn clone(&self) -> Self {
        Self {
            choose: Arc::clone(&self.choose),
            targets: self.targets.clone(),
        }
    }
}
