//! The plan of a superstep: which tasks follow from the new state.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    Error, START, State, Targets,
    compiled::{Declared, Hop, Kind, Plan, Route},
};

/// A task of the next superstep.
#[derive(Debug, PartialEq)]
pub(crate) struct Scheduled {
    pub(crate) vertex: usize,
    pub(crate) input: Option<Value>,
}

/// Collects the tasks of the next superstep by following routes on the new state.
pub(crate) struct Scheduler<'a, S: State, R> {
    plan: &'a Plan<S, R>,
    state: &'a S,
    run: &'a R,
    tasks: Vec<Scheduled>,
    /// Number of subgraphs that were passed since the last task; bounded, because they can lead to
    /// one another.
    passed: usize,
}

impl<'a, S: State, R> Scheduler<'a, S, R> {
    pub(crate) fn new(plan: &'a Plan<S, R>, state: &'a S, run: &'a R) -> Self {
        Self {
            plan,
            state,
            run,
            tasks: Vec::new(),
            passed: 0,
        }
    }

    pub(crate) fn finish(self) -> Vec<Scheduled> {
        self.tasks
    }

    /// Begins the graph.
    pub(crate) fn start(&mut self) -> Result<(), Error> {
        self.follow(&self.plan.entry, None, Origin::Start, None)
    }

    /// Leaves a vertex, along its edges or to where its command says.
    pub(crate) fn leave(&mut self, vertex: usize, goto: Option<Targets>) -> Result<(), Error> {
        self.passed = 0;
        let left = &self.plan.vertices[vertex];
        match goto {
            None => self.follow(&left.route, left.scope, Origin::Vertex(vertex), None),
            Some(targets) => self.choose(
                targets,
                &left.route.destinations,
                left.scope,
                Origin::Vertex(vertex),
                None,
            ),
        }
    }

    fn follow(
        &mut self,
        route: &Route<S, R>,
        scope: Option<usize>,
        from: Origin,
        input: Option<&Value>,
    ) -> Result<(), Error> {
        for &hop in &route.edges {
            self.hop(hop, scope, from, input.cloned())?;
        }
        for branch in &route.branches {
            let targets = (branch.choose)(self.state, self.run);
            self.choose(targets, &branch.targets, scope, from, input)?;
        }
        Ok(())
    }

    fn choose(
        &mut self,
        targets: Targets,
        declared: &[Declared],
        scope: Option<usize>,
        from: Origin,
        input: Option<&Value>,
    ) -> Result<(), Error> {
        for target in targets.into_iter() {
            let Some(found) = declared
                .iter()
                .find(|declared| *declared.name == *target.node)
            else {
                return Err(Error::UndeclaredTarget {
                    from: self.path(from),
                    target: target.node.into_owned(),
                });
            };
            self.hop(
                found.hop,
                scope,
                from,
                target.input.or_else(|| input.cloned()),
            )?;
        }
        Ok(())
    }

    fn hop(
        &mut self,
        hop: Hop,
        scope: Option<usize>,
        from: Origin,
        input: Option<Value>,
    ) -> Result<(), Error> {
        let plan = self.plan;
        match hop {
            Hop::To(index) => match &plan.vertices[index].kind {
                Kind::Node(_) => {
                    let task = Scheduled {
                        vertex: index,
                        input,
                    };
                    // Branches that lead to the same node meet there. Sends are tasks of their own.
                    if task.input.is_some() || !self.tasks.contains(&task) {
                        self.tasks.push(task);
                    }
                    Ok(())
                }
                Kind::Subgraph(entry) => {
                    self.pass(from)?;
                    self.follow(entry, Some(index), Origin::Entry(index), input.as_ref())
                }
            },
            Hop::End => match scope {
                Some(subgraph) => {
                    self.pass(from)?;
                    let left = &plan.vertices[subgraph];
                    self.follow(&left.route, left.scope, Origin::Vertex(subgraph), None)
                }
                None => Ok(()),
            },
        }
    }

    fn pass(&mut self, from: Origin) -> Result<(), Error> {
        self.passed += 1;
        // Without a cycle each subgraph is entered and left at most once per way through.
        if self.passed > 2 * self.plan.vertices.len() + self.tasks.len() {
            return Err(Error::EndlessRoute {
                from: self.path(from),
            });
        }
        Ok(())
    }

    fn path(&self, origin: Origin) -> Arc<str> {
        match origin {
            Origin::Start => START.into(),
            Origin::Vertex(index) => Arc::clone(&self.plan.vertices[index].path),
            Origin::Entry(index) => format!("{}/{START}", self.plan.vertices[index].path).into(),
        }
    }
}

/// The place that is being left.
#[derive(Clone, Copy)]
enum Origin {
    Start,
    Vertex(usize),
    Entry(usize),
}
