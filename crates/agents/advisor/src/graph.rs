//! The assistant's graph.

use agent_kit::AssistantGraph;
use graph::{BuildError, END, NodeOptions, START, StateGraph};

use crate::{
    Advisor,
    nodes::{answer_by_rules, ask_model, prepare},
};

const PREPARE: &str = "prepare";
pub(crate) const MODEL: &str = "model";
pub(crate) const RULES: &str = "rules";

/// Builds the graph. It holds nothing of any person, so one serves every thread.
pub fn build_graph() -> Result<AssistantGraph<Advisor>, BuildError> {
    let mut graph = StateGraph::new();
    let prepared = NodeOptions::new().destinations([MODEL, RULES]);
    let asked = NodeOptions::new().destinations([RULES, END]);
    graph
        .add_node_with(PREPARE, prepare, prepared)
        .add_node_with(MODEL, ask_model, asked)
        .add_node(RULES, answer_by_rules)
        .add_edge(START, PREPARE)
        .add_edge(RULES, END);
    graph.build("advisor")
}
