//! Free chat: `call_model -> call_tools -> check_calls -> [recovery] -> call_model …` with a model,
//! and without one a single tool that the question's words choose, `choose_tool -> fetch_loggers ->
//! check_args -> [wait] -> tools -> check_results -> [recovery] -> answer`.
//!
//! The rules take over wherever the model fails. They answer with its findings so far, or begin
//! from the question if there are none.

mod calls;
mod cards;
mod dialogue;
mod model;
mod replies;
mod rules;

use graph::{BuildError, CompiledGraph, END, START, StateGraph};

pub(crate) use dialogue::{Dialogue, Next};
pub(crate) use replies::Replies;

use super::{add_arguments, nodes, unless_failed};
use crate::{
    language::{Question, question},
    state::SiteState,
};
use contracts::run::Source;

const CALL_MODEL: &str = "call_model";
const CALL_TOOLS: &str = "call_tools";
const CHECK_CALLS: &str = "check_calls";
const CHOOSE_TOOL: &str = "choose_tool";
const TOOLS: &str = "tools";
const CHECK_RESULTS: &str = "check_results";
const ANSWER: &str = "answer";

pub(crate) fn build() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = StateGraph::new();
    add_arguments(&mut graph, TOOLS);
    graph
        .add_node(CALL_MODEL, model::call_model)
        .add_node(CALL_TOOLS, calls::call_tools)
        .add_node(CHECK_CALLS, calls::check_calls)
        .add_node(CHOOSE_TOOL, rules::choose_tool)
        .add_node(TOOLS, rules::tools)
        .add_node(CHECK_RESULTS, rules::check_results)
        .add_node(ANSWER, rules::answer)
        .add_conditional_edges(START, first, [CALL_MODEL, CHOOSE_TOOL])
        .add_conditional_edges(
            CALL_MODEL,
            after_model,
            [CALL_TOOLS, CHOOSE_TOOL, ANSWER, END],
        )
        .add_edge(CALL_TOOLS, CHECK_CALLS)
        .add_conditional_edges(CHECK_CALLS, after_calls, [CALL_MODEL, END])
        .add_conditional_edges(
            CHOOSE_TOOL,
            rules::after_choice,
            [nodes::FETCH_LOGGERS, TOOLS, ANSWER, END],
        )
        .add_edge(TOOLS, CHECK_RESULTS)
        .add_conditional_edges(
            CHECK_RESULTS,
            |state: &SiteState| unless_failed(state, ANSWER),
            [ANSWER, END],
        )
        .add_edge(ANSWER, END);
    graph.build("free_chat")
}

/// The model, if there is one. What the rules asked they continue with themselves, and what the
/// assistant can do is known without a model.
fn first(state: &SiteState) -> &'static str {
    if is_models(state) {
        CALL_MODEL
    } else {
        CHOOSE_TOOL
    }
}

/// Whether a model answers the request.
fn is_models(state: &SiteState) -> bool {
    let turn = state.work.turn.as_deref();
    turn.is_some_and(|turn| turn.model().is_some())
        && state.work.continued != Some(Source::Rules)
        && !matches!(
            question(&state.flow_context.request),
            Question::Help | Question::Definition
        )
}

fn after_model(state: &SiteState) -> &'static str {
    match state.work.next {
        Some(Next::Tools) => CALL_TOOLS,
        Some(Next::Rules) => CHOOSE_TOOL,
        Some(Next::Results) => ANSWER,
        Some(Next::Model | Next::Over) | None => END,
    }
}

fn after_calls(state: &SiteState) -> &'static str {
    match state.work.next {
        Some(Next::Model) if state.work.failure.is_none() => CALL_MODEL,
        _ => END,
    }
}
