//! The assistant's graph.

use graph::{BuildError, CompiledGraph, END, START, StateGraph};

use crate::{
    nodes::{ask_model, call_tools, prepare, rules},
    state::{AdvisorState, Next},
};

const PREPARE: &str = "prepare";
const MODEL: &str = "model";
const TOOLS: &str = "tools";
const RULES: &str = "rules";

/// Builds the graph. It holds nothing of any person, so one serves every thread.
pub fn build_graph() -> Result<CompiledGraph<AdvisorState>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node(PREPARE, prepare)
        .add_node(MODEL, ask_model)
        .add_node(TOOLS, call_tools)
        .add_node(RULES, rules)
        .add_edge(START, PREPARE)
        .add_conditional_edges(PREPARE, next, [MODEL, RULES])
        .add_conditional_edges(MODEL, next, [TOOLS, RULES, END])
        .add_edge(TOOLS, MODEL)
        .add_edge(RULES, END);
    graph.build("advisor")
}

fn next(state: &AdvisorState) -> &'static str {
    match state.work.next {
        Next::Rules => RULES,
        Next::Model => MODEL,
        Next::Tools => TOOLS,
        Next::Over => END,
    }
}
