use std::sync::Arc;

use super::*;
use crate::{Command, Context, NodeOptions, NodeResult};

impl State for () {
    type Update = ();
    type Event = ();

    fn apply(&mut self, (): ()) {}
}

async fn idle(_: Arc<()>, _: Context<()>) -> NodeResult<()> {
    Ok(Command::none())
}

/// START → a → END, with something added.
fn problems_of(change: impl Fn(&mut StateGraph<()>)) -> Vec<String> {
    let mut graph = StateGraph::new();
    graph
        .add_node("a", idle)
        .add_edge(START, "a")
        .add_edge("a", END);
    change(&mut graph);
    match graph.build("g") {
        Ok(_) => Vec::new(),
        Err(error) => error.problems.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn a_proper_graph_is_built() {
    assert_eq!(problems_of(|_| {}), Vec::<String>::new());
}

#[test]
fn duplicate_nodes_are_refused() {
    assert_eq!(
        problems_of(|graph| _ = graph.add_node("a", idle)),
        ["there are several nodes `a`"]
    );
}

#[test]
fn names_that_mean_something_else_are_refused() {
    for name in ["", "a/b", START, END] {
        let problems = problems_of(|graph| _ = graph.add_node(name, idle));
        assert_eq!(problems, [format!("`{name}` cannot be the name of a node")]);
    }
}

#[test]
fn edges_from_nowhere_are_refused() {
    assert_eq!(
        problems_of(|graph| _ = graph.add_edge("x", "a").add_edge("x", END)),
        ["an edge begins at `x`, which is no node"]
    );
    assert_eq!(
        problems_of(|graph| _ = graph.add_edge(END, "a")),
        ["an edge begins at `__end__`, which is no node"]
    );
}

#[test]
fn edges_to_nowhere_are_refused() {
    assert_eq!(
        problems_of(|graph| _ = graph.add_edge("a", "x")),
        ["`a` leads to `x`, which is no node"]
    );
    assert_eq!(
        problems_of(|graph| _ = graph.add_edge("a", START)),
        ["`a` leads to `__start__`, which is no node"]
    );
    assert_eq!(
        problems_of(|graph| _ = graph.add_conditional_edges("a", |()| END, [END, "x"])),
        ["`a` leads to `x`, which is no node"]
    );
    let goes_to_x = NodeOptions::new().destinations(["x"]);
    assert_eq!(
        problems_of(|graph| _ = graph
            .add_node_with("b", idle, goes_to_x.clone())
            .add_edge("a", "b")),
        ["`b` leads to `x`, which is no node"]
    );
}

#[test]
fn an_edge_twice_is_refused() {
    assert_eq!(
        problems_of(|graph| _ = graph.add_edge("a", END)),
        ["there are several edges from `a` to `__end__`"]
    );
}

#[test]
fn conditions_without_targets_are_refused() {
    let problems =
        problems_of(|graph| _ = graph.add_conditional_edges("a", |()| END, Vec::<&str>::new()));
    assert_eq!(
        problems,
        ["the conditional edge from `a` declares no targets"]
    );
}

#[test]
fn a_graph_needs_a_start() {
    let mut graph = StateGraph::new();
    graph.add_node("a", idle).add_edge("a", END);
    assert_eq!(graph.build("g").unwrap_err().problems, [Problem::NoEntry]);
}

#[test]
fn unreachable_nodes_are_refused() {
    assert_eq!(
        problems_of(|graph| _ = graph.add_node("b", idle).add_edge("b", "a")),
        ["`b` cannot be reached from the start"]
    );
}

#[test]
fn nodes_that_never_reach_the_end_are_refused() {
    assert_eq!(
        problems_of(|graph| _ = graph.add_node("b", idle).add_edge("a", "b")),
        ["no way leads from `b` to the end"]
    );
    assert_eq!(
        problems_of(|graph| {
            graph.add_node("b", idle).add_node("c", idle);
            graph
                .add_edge("a", "b")
                .add_edge("b", "c")
                .add_edge("c", "b");
        }),
        [
            "no way leads from `b` to the end",
            "no way leads from `c` to the end"
        ]
    );
}

#[test]
fn destinations_of_commands_count_as_ways() {
    let mut graph = StateGraph::new();
    graph
        .add_node_with("a", idle, NodeOptions::new().destinations(["b"]))
        .add_node_with("b", idle, NodeOptions::new().destinations([END]))
        .add_edge(START, "a");
    assert!(graph.build("g").is_ok());
}

#[test]
fn all_problems_are_reported_at_once() {
    let mut graph = StateGraph::new();
    graph
        .add_node("a", idle)
        .add_node("a", idle)
        .add_edge("a", "x")
        .add_edge("y", END);
    assert_eq!(
        graph.build("broken").unwrap_err().to_string(),
        "graph `broken` cannot be built: there are several nodes `a`; an edge begins at `y`, which is no node; \
         `a` leads to `x`, which is no node; nothing leads away from the start"
    );
}
