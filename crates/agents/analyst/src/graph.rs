//! The assistant's graph: that of the BI agent, node for node, with approval beside it.

use agent_kit::AssistantGraph;
use graph::{BuildError, END, NodeOptions, START, StateGraph};

use crate::{
    AnalystAssistant,
    nodes::{
        approve_plan, ask_user, classify_intent, execute_next_todo, plan_todos,
        reiterate_intention, respond,
    },
};

/// Builds the graph. It holds nothing of any person, so one serves every thread; give it a
/// checkpointer to make it remember open questions.
pub fn build_graph() -> Result<AssistantGraph<AnalystAssistant>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node_with(
            "classify_intent",
            classify_intent::classify_intent,
            NodeOptions::new().destinations([
                "reiterate_intention",
                "plan_todos",
                "execute_next_todo",
                "ask_user",
                "respond",
            ]),
        )
        .add_node(
            "reiterate_intention",
            reiterate_intention::reiterate_intention,
        )
        .add_node_with(
            "plan_todos",
            plan_todos::plan_todos,
            NodeOptions::new().destinations(["approve_plan", "execute_next_todo", "respond"]),
        )
        .add_node_with(
            "approve_plan",
            approve_plan::approve_plan,
            NodeOptions::new().destinations(["ask_user", "respond"]),
        )
        .add_node_with(
            "execute_next_todo",
            execute_next_todo::execute_next_todo,
            NodeOptions::new().destinations([
                "execute_next_todo",
                "approve_plan",
                "ask_user",
                "respond",
            ]),
        )
        .add_node("ask_user", ask_user::ask_user)
        .add_node("respond", respond::respond)
        .add_edge(START, "classify_intent")
        .add_edge("reiterate_intention", "plan_todos")
        .add_edge("ask_user", "classify_intent")
        .add_edge("respond", END);
    graph.build("analyst")
}
