//! The assistant's graph, as the documents draw it: `START -> router -> one workflow -> END`, with
//! recovery behind every workflow.

use graph::{BuildError, CompiledGraph, END, START, StateGraph};

use crate::{
    flows::{audit, briefing, financial, free_chat, greeting, health},
    language::Flow,
    recovery, router,
    state::SiteState,
};

pub(crate) const ROUTER: &str = "router";
pub(crate) const RECOVERY: &str = "recovery";

/// Builds the graph. It holds nothing of any person, so one serves every thread; give it a
/// checkpointer to make it remember them.
pub fn build_graph() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node(ROUTER, router::router)
        .add_subgraph(Flow::Greeting.as_str(), &greeting::build()?)
        .add_subgraph(Flow::MorningBriefing.as_str(), &briefing::build()?)
        .add_subgraph(Flow::FinancialReport.as_str(), &financial::build()?)
        .add_subgraph(Flow::PerformanceAudit.as_str(), &audit::build()?)
        .add_subgraph(Flow::HealthCheck.as_str(), &health::build()?)
        .add_subgraph(Flow::FreeChat.as_str(), &free_chat::build()?)
        .add_subgraph(RECOVERY, &recovery::build()?)
        .add_edge(START, ROUTER)
        .add_conditional_edges(
            ROUTER,
            router::after_router,
            all_flows().chain([RECOVERY, END]),
        )
        .add_edge(Flow::Greeting.as_str(), END)
        .add_conditional_edges(
            Flow::FreeChat.as_str(),
            |state: &SiteState| after(Flow::FreeChat, state),
            switches(Flow::FreeChat),
        )
        .add_conditional_edges(
            Flow::FinancialReport.as_str(),
            |state: &SiteState| after(Flow::FinancialReport, state),
            switches(Flow::FinancialReport),
        )
        .add_conditional_edges(RECOVERY, after_recovery, all_flows().chain([END]));
    for flow in [
        Flow::MorningBriefing,
        Flow::PerformanceAudit,
        Flow::HealthCheck,
    ] {
        graph.add_conditional_edges(
            flow.as_str(),
            move |state: &SiteState| after(flow, state),
            [RECOVERY, END],
        );
    }
    graph.build("site")
}

fn all_flows() -> impl Iterator<Item = &'static str> {
    Flow::ALL.into_iter().map(Flow::as_str)
}

/// The workflows that a workflow may hand over to.
fn switches(from: Flow) -> Vec<&'static str> {
    let to: &[Flow] = match from {
        Flow::FinancialReport => &[Flow::PerformanceAudit],
        Flow::FreeChat => &[
            Flow::MorningBriefing,
            Flow::FinancialReport,
            Flow::PerformanceAudit,
            Flow::HealthCheck,
        ],
        Flow::Greeting | Flow::MorningBriefing | Flow::PerformanceAudit | Flow::HealthCheck => &[],
    };
    to.iter()
        .map(|flow| flow.as_str())
        .chain([RECOVERY, END])
        .collect()
}

/// A workflow is over: a failed call goes to recovery, a task that it handed over to the workflow
/// that has it now.
fn after(flow: Flow, state: &SiteState) -> &'static str {
    match state.active_flow {
        _ if state.work.failure.is_some() => RECOVERY,
        Some(now) if now != flow => now.as_str(),
        _ => END,
    }
}

/// Recovery is over: with days chosen the workflow begins again.
fn after_recovery(state: &SiteState) -> &'static str {
    match state.active_flow {
        Some(flow) if state.work.retrying && state.work.failure.is_none() => flow.as_str(),
        _ => END,
    }
}
