//! Putting a graph together.

use std::{borrow::Cow, fmt, sync::Arc};

use crate::{
    BuildError, CompiledGraph, Lens, Node, NodeOptions, State, Targets,
    compiled::{Choose, NodeSpec, Plan, default_ids},
    subgraph::{self, Part},
    validate,
};

/// A graph under construction: nodes, edges between them, and then [`StateGraph::build`].
///
/// Names are checked when the graph is built, not while it is put together, so that everything that
/// is wrong with it is reported at once.
///
/// `R` is the type of the [run's context](crate::Context::run), `()` for graphs whose nodes need
/// none.
pub struct StateGraph<S: State, R = ()> {
    pub(crate) vertices: Vec<(Cow<'static, str>, Member<S, R>)>,
    pub(crate) edges: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    pub(crate) branches: Vec<NamedBranch<S, R>>,
}

pub(crate) enum Member<S: State, R> {
    Node(NodeSpec<S, R>),
    Subgraph(Part<S, R>),
}

pub(crate) struct NamedBranch<S: State, R> {
    pub(crate) from: Cow<'static, str>,
    pub(crate) choose: Choose<S, R>,
    pub(crate) targets: Vec<Cow<'static, str>>,
}

impl<S: State, R: Send + Sync + 'static> StateGraph<S, R> {
    /// No nodes, no edges.
    pub fn new() -> Self {
        Self {
            vertices: Vec::new(),
            edges: Vec::new(),
            branches: Vec::new(),
        }
    }

    /// Adds a node. Its name is unique in its graph, not empty, and holds no `/`.
    pub fn add_node(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        node: impl Node<S, R>,
    ) -> &mut Self {
        self.add_node_with(name, node, NodeOptions::default())
    }

    /// Adds a node with a timeout, retries, or destinations for its commands.
    pub fn add_node_with(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        node: impl Node<S, R>,
        options: NodeOptions,
    ) -> &mut Self {
        self.vertices.push((
            name.into(),
            Member::Node(NodeSpec {
                node: Arc::new(node),
                options,
            }),
        ));
        self
    }

    /// Adds a graph over the same state as one node of this one. An edge to it leads to where it
    /// starts, and where it ends the edges from it continue; neither takes a superstep. Its nodes
    /// checkpoint, interrupt and resume like any other.
    pub fn add_subgraph(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        graph: &CompiledGraph<S, R>,
    ) -> &mut Self {
        self.vertices.push((
            name.into(),
            Member::Subgraph(subgraph::same_state(&graph.plan)),
        ));
        self
    }

    /// Adds a graph over a part of this one's state, seen through the lens. Its nodes share the
    /// run's context.
    pub fn add_subgraph_with<T: State>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        graph: &CompiledGraph<T, R>,
        lens: &Lens<S, T>,
    ) -> &mut Self {
        self.vertices.push((
            name.into(),
            Member::Subgraph(subgraph::through_lens(&graph.plan, lens)),
        ));
        self
    }

    /// Leads from a node, a subgraph or [`START`](crate::START) to a node, a subgraph or
    /// [`END`](crate::END). Several edges from one place are parallel branches.
    pub fn add_edge(
        &mut self,
        from: impl Into<Cow<'static, str>>,
        to: impl Into<Cow<'static, str>>,
    ) -> &mut Self {
        self.edges.push((from.into(), to.into()));
        self
    }

    /// Leads from a node, a subgraph or [`START`](crate::START) to wherever `choose` says when it
    /// sees the new state: one target, or several as parallel branches, all of them among
    /// `targets`.
    pub fn add_conditional_edges<T: Into<Targets>, N: Into<Cow<'static, str>>>(
        &mut self,
        from: impl Into<Cow<'static, str>>,
        choose: impl Fn(&S) -> T + Send + Sync + 'static,
        targets: impl IntoIterator<Item = N>,
    ) -> &mut Self {
        self.branches.push(NamedBranch {
            from: from.into(),
            choose: Arc::new(move |state, _| choose(state).into()),
            targets: targets.into_iter().map(Into::into).collect(),
        });
        self
    }

    /// [`Self::add_conditional_edges`] where the way also depends on the [run's
    /// context](crate::Context::run): on whether the run has a client, say. What a router reads
    /// there should not change during the run; what nodes found out belongs into the state.
    pub fn add_conditional_edges_with<T: Into<Targets>, N: Into<Cow<'static, str>>>(
        &mut self,
        from: impl Into<Cow<'static, str>>,
        choose: impl Fn(&S, &R) -> T + Send + Sync + 'static,
        targets: impl IntoIterator<Item = N>,
    ) -> &mut Self {
        self.branches.push(NamedBranch {
            from: from.into(),
            choose: Arc::new(move |state, run| choose(state, run).into()),
            targets: targets.into_iter().map(Into::into).collect(),
        });
        self
    }

    /// Checks the graph and makes it runnable; the error lists everything that is wrong with it.
    pub fn build(&self, name: impl Into<Arc<str>>) -> Result<CompiledGraph<S, R>, BuildError> {
        let name = name.into();
        let problems = validate::check(self);
        if !problems.is_empty() {
            return Err(BuildError {
                graph: name,
                problems,
            });
        }
        let plan: Plan<S, R> = subgraph::lay_flat(self, name);
        Ok(CompiledGraph {
            plan: Arc::new(plan),
            checkpointer: None,
            ids: default_ids(),
        })
    }
}

impl<S: State, R: Send + Sync + 'static> Default for StateGraph<S, R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: State, R> fmt::Debug for StateGraph<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.vertices.iter().map(|(name, _)| name).collect();
        f.debug_struct("StateGraph")
            .field("nodes", &names)
            .field("edges", &self.edges)
            .finish_non_exhaustive()
    }
}
