//! The assistant's graph: that of document 004, node for node, with approval beside it.

use graph::{BuildError, CompiledGraph, END, START, StateGraph};

use crate::{
    nodes::{
        approve_plan, ask_user, classify_intent, execute_next_todo, plan_todos,
        reiterate_intention, respond,
    },
    state::AnalystState,
};

/// Builds the graph. It holds nothing of any person, so one serves every thread; give it a checkpointer to make it remember open questions.
pub fn build_graph() -> Result<CompiledGraph<AnalystState>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node("classify_intent", classify_intent::classify_intent)
        .add_node(
            "reiterate_intention",
            reiterate_intention::reiterate_intention,
        )
        .add_node("plan_todos", plan_todos::plan_todos)
        .add_node("approve_plan", approve_plan::approve_plan)
        .add_node("execute_next_todo", execute_next_todo::execute_next_todo)
        .add_node("ask_user", ask_user::ask_user)
        .add_node("respond", respond::respond)
        .add_edge(START, "classify_intent")
        .add_conditional_edges(
            "classify_intent",
            next,
            [
                "reiterate_intention",
                "plan_todos",
                "execute_next_todo",
                "ask_user",
                "respond",
            ],
        )
        .add_edge("reiterate_intention", "plan_todos")
        .add_conditional_edges(
            "plan_todos",
            next,
            ["approve_plan", "execute_next_todo", "respond"],
        )
        .add_conditional_edges("approve_plan", next, ["ask_user", "respond"])
        .add_conditional_edges(
            "execute_next_todo",
            next,
            ["execute_next_todo", "approve_plan", "ask_user", "respond"],
        )
        .add_edge("ask_user", "classify_intent")
        .add_edge("respond", END);
    graph.build("analyst")
}

/// Where a node decided to go on.
fn next(state: &AnalystState) -> &'static str {
    state.work.next.node()
}
