//! Subgraphs: a compiled graph becomes part of another one by being laid flat into it.

use std::{collections::HashMap, sync::Arc};

use futures::future::BoxFuture;

use crate::{
    Command, Context, END, Node, NodeResult, START, State, StateGraph,
    builder::Member,
    compiled::{Branch, Choose, Declared, Hop, Kind, NodeSpec, Plan, Route, Vertex},
    stream::EventSink,
};

/// How a subgraph over `T` sees a graph over `S`: where its state is, and what its updates and
/// events are called outside.
///
/// The subgraph's state is a part of the outer one, so it is checkpointed with it. Each of the
/// subgraph's tasks gets a clone of that part.
pub struct Lens<S: State, T: State> {
    get: Arc<dyn for<'a> Fn(&'a S) -> &'a T + Send + Sync>,
    update: Arc<dyn Fn(T::Update) -> S::Update + Send + Sync>,
    event: Arc<dyn Fn(T::Event) -> S::Event + Send + Sync>,
}

impl<S: State, T: State> Lens<S, T> {
    /// `get` finds the part; `update` and `event` wrap what the subgraph's nodes return and emit.
    /// The outer reducer of the wrapped update is expected to apply it to the same part.
    pub fn new(
        get: impl for<'a> Fn(&'a S) -> &'a T + Send + Sync + 'static,
        update: impl Fn(T::Update) -> S::Update + Send + Sync + 'static,
        event: impl Fn(T::Event) -> S::Event + Send + Sync + 'static,
    ) -> Self {
        Self {
            get: Arc::new(get),
            update: Arc::new(update),
            event: Arc::new(event),
        }
    }
}

impl<S: State, T: State> Clone for Lens<S, T> {
    fn clone(&self) -> Self {
        Self {
            get: Arc::clone(&self.get),
            update: Arc::clone(&self.update),
            event: Arc::clone(&self.event),
        }
    }
}

/// A subgraph on its way into a graph: its places still count from zero.
pub(crate) struct Part<S: State, R> {
    entry: Route<S, R>,
    vertices: Vec<Vertex<S, R>>,
}

pub(crate) fn same_state<S: State, R>(plan: &Plan<S, R>) -> Part<S, R> {
    Part {
        entry: plan.entry.clone(),
        vertices: plan.vertices.iter().map(copy_vertex).collect(),
    }
}

fn copy_vertex<S: State, R>(vertex: &Vertex<S, R>) -> Vertex<S, R> {
    Vertex {
        path: Arc::clone(&vertex.path),
        scope: vertex.scope,
        kind: match &vertex.kind {
            Kind::Node(spec) => Kind::Node(NodeSpec {
                node: Arc::clone(&spec.node),
                options: spec.options.clone(),
            }),
            Kind::Subgraph(entry) => Kind::Subgraph(entry.clone()),
        },
        route: vertex.route.clone(),
    }
}

pub(crate) fn through_lens<S: State, T: State, R: Send + Sync + 'static>(
    plan: &Plan<T, R>,
    lens: &Lens<S, T>,
) -> Part<S, R> {
    let vertex = |vertex: &Vertex<T, R>| Vertex {
        path: Arc::clone(&vertex.path),
        scope: vertex.scope,
        kind: match &vertex.kind {
            Kind::Node(spec) => Kind::Node(NodeSpec {
                node: Arc::new(Focused {
                    node: Arc::clone(&spec.node),
                    lens: lens.clone(),
                }),
                options: spec.options.clone(),
            }),
            Kind::Subgraph(entry) => Kind::Subgraph(focus_route(entry, lens)),
        },
        route: focus_route(&vertex.route, lens),
    };
    Part {
        entry: focus_route(&plan.entry, lens),
        vertices: plan.vertices.iter().map(vertex).collect(),
    }
}

fn focus_route<S: State, T: State, R: 'static>(
    route: &Route<T, R>,
    lens: &Lens<S, T>,
) -> Route<S, R> {
    let focus = |branch: &Branch<T, R>| {
        let (get, choose) = (Arc::clone(&lens.get), Arc::clone(&branch.choose));
        let choose: Choose<S, R> = Arc::new(move |state, run| choose(get(state), run));
        Branch {
            choose,
            targets: branch.targets.clone(),
        }
    };
    Route {
        edges: route.edges.clone(),
        branches: route.branches.iter().map(focus).collect(),
        destinations: route.destinations.clone(),
    }
}

/// A node of a subgraph, run through the lens.
struct Focused<S: State, T: State, R> {
    node: Arc<dyn Node<T, R>>,
    lens: Lens<S, T>,
}

impl<S: State, T: State, R: Send + Sync + 'static> Node<S, R> for Focused<S, T, R> {
    fn run(&self, state: Arc<S>, context: Context<S, R>) -> BoxFuture<'_, NodeResult<S>> {
        Box::pin(async move {
            let part = Arc::new((self.lens.get)(&state).clone());
            let events = context.events.map(|outer| {
                Arc::new(FocusedSink {
                    outer,
                    lens: self.lens.clone(),
                }) as Arc<dyn EventSink<T::Event>>
            });
            let context = Context {
                task: context.task,
                run: context.run,
                attempt: context.attempt,
                events,
            };
            let command = self.node.run(part, context).await?;
            let updates = command
                .updates
                .into_iter()
                .map(|update| (self.lens.update)(update))
                .collect();
            Ok(Command {
                updates,
                goto: command.goto,
            })
        })
    }
}

struct FocusedSink<S: State, T: State> {
    outer: Arc<dyn EventSink<S::Event>>,
    lens: Lens<S, T>,
}

impl<S: State, T: State> EventSink<T::Event> for FocusedSink<S, T> {
    fn try_emit(&self, make: &mut dyn FnMut() -> Option<T::Event>) -> bool {
        self.outer
            .try_emit(&mut || make().map(|event| (self.lens.event)(event)))
    }

    fn emit(&self, event: T::Event) -> BoxFuture<'_, ()> {
        self.outer.emit((self.lens.event)(event))
    }
}

/// Resolves names to places. The graph has passed validation, so every name is known.
pub(crate) fn lay_flat<S: State, R>(graph: &StateGraph<S, R>, name: Arc<str>) -> Plan<S, R> {
    let mut places = HashMap::new();
    let mut next = 0;
    for (name, member) in &graph.vertices {
        places.insert(&**name, next);
        next += match member {
            Member::Node(_) => 1,
            Member::Subgraph(part) => 1 + part.vertices.len(),
        };
    }
    // The check before this refused unknown names; a name that got here without a place is the end.
    let hop = |name: &str| {
        if name == END {
            Hop::End
        } else {
            places.get(name).map_or(Hop::End, |&at| Hop::To(at))
        }
    };
    let declared = |name: &str| Declared {
        name: name.into(),
        hop: hop(name),
    };
    let route = |from: &str| Route {
        edges: graph
            .edges
            .iter()
            .filter(|edge| edge.0 == from)
            .map(|edge| hop(&edge.1))
            .collect(),
        branches: graph
            .branches
            .iter()
            .filter(|branch| branch.from == from)
            .map(|branch| Branch {
                choose: Arc::clone(&branch.choose),
                targets: branch.targets.iter().map(|name| declared(name)).collect(),
            })
            .collect(),
        destinations: Vec::new(),
    };
    let mut vertices = Vec::with_capacity(next);
    for (name, member) in &graph.vertices {
        let mut route = route(name);
        let path: Arc<str> = (&**name).into();
        match member {
            Member::Node(spec) => {
                route.destinations = spec
                    .options
                    .destinations
                    .iter()
                    .map(|name| declared(name))
                    .collect();
                let spec = NodeSpec {
                    node: Arc::clone(&spec.node),
                    options: spec.options.clone(),
                };
                vertices.push(Vertex {
                    path,
                    scope: None,
                    kind: Kind::Node(spec),
                    route,
                });
            }
            Member::Subgraph(part) => push_part(&mut vertices, &path, route, part),
        }
    }
    Plan {
        name,
        entry: route(START),
        vertices,
    }
}

fn push_part<S: State, R>(
    vertices: &mut Vec<Vertex<S, R>>,
    path: &Arc<str>,
    route: Route<S, R>,
    part: &Part<S, R>,
) {
    let subgraph = vertices.len();
    let offset = subgraph + 1;
    let entry = moved(part.entry.clone(), offset);
    vertices.push(Vertex {
        path: Arc::clone(path),
        scope: None,
        kind: Kind::Subgraph(entry),
        route,
    });
    for inner in &part.vertices {
        let inner = copy_vertex(inner);
        vertices.push(Vertex {
            path: format!("{path}/{}", inner.path).into(),
            scope: Some(inner.scope.map_or(subgraph, |scope| scope + offset)),
            kind: match inner.kind {
                Kind::Node(spec) => Kind::Node(spec),
                Kind::Subgraph(entry) => Kind::Subgraph(moved(entry, offset)),
            },
            route: moved(inner.route, offset),
        });
    }
}

/// The route with its places counted from further up.
fn moved<S: State, R>(mut route: Route<S, R>, offset: usize) -> Route<S, R> {
    let shift = |hop: &mut Hop| {
        if let Hop::To(at) = hop {
            *at += offset;
        }
    };
    route.edges.iter_mut().for_each(shift);
    let branches = route
        .branches
        .iter_mut()
        .flat_map(|branch| &mut branch.targets);
    branches
        .chain(&mut route.destinations)
        .for_each(|declared| shift(&mut declared.hop));
    route
}
