//! What `build()` refuses.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use crate::{END, START, State, StateGraph, builder::Member};

/// Everything that is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The graph's name.
    pub graph: Arc<str>,
    /// The problems in the order in which they were found; never empty.
    pub problems: Vec<Problem>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "graph `{}` cannot be built", self.graph)?;
        for (index, problem) in self.problems.iter().enumerate() {
            write!(f, "{} {problem}", if index == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildError {}

/// One thing that is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Two nodes have the same name.
    #[error("there are several nodes `{0}`")]
    DuplicateNode(String),
    /// A name that is empty, reserved, or holds a `/`.
    #[error("`{0}` cannot be the name of a node")]
    InvalidName(String),
    /// An edge begins at a node that does not exist, or at [`END`](crate::END).
    #[error("an edge begins at `{0}`, which is no node")]
    UnknownSource(String),
    /// An edge, a condition or a command leads to a node that does not exist, or to
    /// [`START`](crate::START).
    #[error("`{from}` leads to `{target}`, which is no node")]
    UnknownTarget {
        /// The source of the edge.
        from: String,
        /// The target of the edge.
        target: String,
    },
    /// An edge was added twice.
    #[error("there are several edges from `{from}` to `{target}`")]
    DuplicateEdge {
        /// The source of the edge.
        from: String,
        /// The target of the edge.
        target: String,
    },
    /// A conditional edge declares no targets.
    #[error("the conditional edge from `{0}` declares no targets")]
    NoTargets(String),
    /// Nothing leads away from [`START`](crate::START).
    #[error("nothing leads away from the start")]
    NoEntry,
    /// No way leads from the start to the node.
    #[error("`{0}` cannot be reached from the start")]
    Unreachable(String),
    /// No way leads from the node to the end.
    #[error("no way leads from `{0}` to the end")]
    NoWayToEnd(String),
}

/// All that is wrong; reachability is only looked at when the names are right, since one wrong name
/// makes much unreachable.
pub(crate) fn check<S: State, R>(graph: &StateGraph<S, R>) -> Vec<Problem> {
    let mut problems = check_names(graph);
    let links = links(graph);
    check_links(graph, &links, &mut problems);
    if problems.is_empty() {
        check_ways(graph, &links, &mut problems);
    }
    problems
}

fn check_names<S: State, R>(graph: &StateGraph<S, R>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut seen = HashSet::new();
    for (name, _) in &graph.vertices {
        if name.is_empty() || name.contains('/') || name == START || name == END {
            problems.push(Problem::InvalidName(name.to_string()));
        } else if !seen.insert(name) {
            problems.push(Problem::DuplicateNode(name.to_string()));
        }
    }
    problems
}

/// Every pair of places that an edge, a condition or a command connects.
fn links<S: State, R>(graph: &StateGraph<S, R>) -> Vec<(&str, &str)> {
    let edges = graph.edges.iter().map(|(from, to)| (&**from, &**to));
    let branches = graph
        .branches
        .iter()
        .flat_map(|branch| branch.targets.iter().map(|to| (&*branch.from, &**to)));
    let commands = graph.vertices.iter().flat_map(|(name, member)| {
        let destinations = match member {
            Member::Node(spec) => &*spec.options.destinations,
            Member::Subgraph(_) => &[],
        };
        destinations.iter().map(|to| (&**name, &**to))
    });
    edges.chain(branches).chain(commands).collect()
}

fn check_links<S: State, R>(
    graph: &StateGraph<S, R>,
    links: &[(&str, &str)],
    problems: &mut Vec<Problem>,
) {
    let names: HashSet<&str> = graph.vertices.iter().map(|(name, _)| &**name).collect();
    let mut unknown = HashSet::new();
    let sources = graph
        .edges
        .iter()
        .map(|edge| &*edge.0)
        .chain(graph.branches.iter().map(|branch| &*branch.from));
    for from in sources {
        if from != START && !names.contains(from) && unknown.insert(from) {
            problems.push(Problem::UnknownSource(from.to_owned()));
        }
    }
    for &(from, target) in links {
        if target != END && !names.contains(target) {
            problems.push(Problem::UnknownTarget {
                from: from.to_owned(),
                target: target.to_owned(),
            });
        }
    }
    let mut seen = HashSet::new();
    for (from, target) in &graph.edges {
        if !seen.insert((from, target)) {
            problems.push(Problem::DuplicateEdge {
                from: from.to_string(),
                target: target.to_string(),
            });
        }
    }
    for branch in graph
        .branches
        .iter()
        .filter(|branch| branch.targets.is_empty())
    {
        problems.push(Problem::NoTargets(branch.from.to_string()));
    }
    if !links.iter().any(|&(from, _)| from == START) {
        problems.push(Problem::NoEntry);
    }
}

fn check_ways<S: State, R>(
    graph: &StateGraph<S, R>,
    links: &[(&str, &str)],
    problems: &mut Vec<Problem>,
) {
    let mut forward: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut backward: HashMap<&str, Vec<&str>> = HashMap::new();
    for &(from, to) in links {
        forward.entry(from).or_default().push(to);
        backward.entry(to).or_default().push(from);
    }
    let from_start = reach(START, &forward);
    let to_end = reach(END, &backward);
    for (name, _) in &graph.vertices {
        if !from_start.contains(&**name) {
            problems.push(Problem::Unreachable(name.to_string()));
        }
        if !to_end.contains(&**name) {
            problems.push(Problem::NoWayToEnd(name.to_string()));
        }
    }
}

fn reach<'a>(origin: &'a str, links: &HashMap<&'a str, Vec<&'a str>>) -> HashSet<&'a str> {
    let mut reached = HashSet::from([origin]);
    let mut open = vec![origin];
    while let Some(place) = open.pop() {
        for &next in links.get(place).into_iter().flatten() {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests;
