//! The assistant's graph: the router, the SQL graph of the SQL agent node for node, and the two
//! routes beside it.

use agent_kit::AssistantGraph;
use graph::{BuildError, END, START, StateGraph};

use crate::{
    DataAssistant,
    nodes::{
        approve, choose_target, classify, correct_sql, documents, execute, filter_relationships,
        finalize, find_paths, forget, general, generate_sql, plan_joins, remember, select_tables,
        tell_tables, validate_sql,
    },
};

/// Builds the graph. It holds nothing of any person, so one serves every thread; give it a
/// checkpointer to make it remember them.
pub fn build_graph() -> Result<AssistantGraph<DataAssistant>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node("classify", classify::classify)
        .add_node("choose_target", choose_target::choose_target)
        .add_node("tell_tables", tell_tables::tell_tables)
        .add_node("select_tables", select_tables::select_tables)
        .add_node(
            "filter_relationships",
            filter_relationships::filter_relationships,
        )
        .add_node("find_paths", find_paths::find_paths)
        .add_node("plan_joins", plan_joins::plan_joins)
        .add_node("generate_sql", generate_sql::generate_sql)
        .add_node("validate_sql", validate_sql::validate_sql)
        .add_node("approve", approve::approve)
        .add_node("execute", execute::execute)
        .add_node("correct_sql", correct_sql::correct_sql)
        .add_node("finalize", finalize::finalize)
        .add_node("remember", remember::remember)
        .add_node("forget", forget::forget)
        .add_node("rag_agent", documents::rag_agent)
        .add_node("general_agent", general::general_agent)
        .add_edge(START, "classify")
        .add_conditional_edges(
            "classify",
            classify::after,
            [
                "choose_target",
                "tell_tables",
                "select_tables",
                "validate_sql",
                "finalize",
                "remember",
                "forget",
                "rag_agent",
                "general_agent",
            ],
        )
        .add_conditional_edges(
            "choose_target",
            classify::after,
            ["select_tables", "validate_sql", "finalize"],
        )
        .add_edge("tell_tables", END)
        .add_conditional_edges(
            "select_tables",
            select_tables::after,
            ["filter_relationships", "finalize"],
        )
        .add_conditional_edges(
            "filter_relationships",
            filter_relationships::after,
            ["find_paths", "finalize"],
        )
        .add_edge("find_paths", "plan_joins")
        .add_edge("plan_joins", "generate_sql")
        .add_conditional_edges(
            "generate_sql",
            generate_sql::after,
            ["validate_sql", "finalize"],
        )
        .add_conditional_edges_with(
            "validate_sql",
            validate_sql::after,
            [
                "execute",
                "approve",
                "correct_sql",
                "select_tables",
                "finalize",
            ],
        )
        .add_conditional_edges(
            "approve",
            approve::after,
            ["execute", "select_tables", "finalize"],
        )
        .add_conditional_edges(
            "execute",
            execute::after,
            ["finalize", "correct_sql", "generate_sql", "select_tables"],
        )
        .add_conditional_edges(
            "correct_sql",
            correct_sql::after,
            ["validate_sql", "correct_sql", "finalize"],
        )
        .add_edge("finalize", END)
        .add_edge("remember", END)
        .add_edge("forget", END)
        .add_edge("rag_agent", END)
        .add_edge("general_agent", END);
    graph.build("data")
}
