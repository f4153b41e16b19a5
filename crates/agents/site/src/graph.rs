//! The assistant's graph: `START -> router -> one workflow -> END`, with recovery behind the
//! workflows. Every node says itself where its task continues.

use agent_kit::AssistantGraph;
use graph::{BuildError, END, NodeOptions, START, StateGraph};

use crate::{
    SiteAssistant,
    flows::{audit, briefing, financial, free_chat, greeting, health, schedules},
    language::Flow,
    recovery, router,
};

pub(crate) const ROUTER: &str = "router";
/// Free chat with a model; by rules it is [`Flow::FreeChat`].
pub(crate) const MODEL_CHAT: &str = "model_chat";
pub(crate) const RECOVERY: &str = "recovery";
pub(crate) const SCHEDULES: &str = "schedules";

/// Builds the graph. It holds nothing of any person, so one serves every thread.
pub fn build_graph() -> Result<AssistantGraph<SiteAssistant>, BuildError> {
    let mut graph = StateGraph::new();
    let flows = || Flow::ALL.into_iter().map(Flow::as_str);
    let routed = NodeOptions::new().destinations(flows().chain([SCHEDULES, MODEL_CHAT, END]));
    let report = || NodeOptions::new().destinations([RECOVERY, END]);
    // A briefing on devices is a report on their health.
    let briefed = NodeOptions::new().destinations([Flow::HealthCheck.as_str(), RECOVERY, END]);
    let audited = NodeOptions::new().destinations([Flow::PerformanceAudit.as_str(), RECOVERY, END]);
    let chatted = NodeOptions::new().destinations([
        Flow::MorningBriefing.as_str(),
        Flow::FinancialReport.as_str(),
        Flow::PerformanceAudit.as_str(),
        Flow::HealthCheck.as_str(),
        RECOVERY,
        END,
    ]);
    let asked =
        NodeOptions::new().destinations([MODEL_CHAT, Flow::FreeChat.as_str(), RECOVERY, END]);
    graph
        .add_node_with(ROUTER, router::router, routed)
        .add_node(Flow::Greeting.as_str(), greeting::greet)
        .add_node(SCHEDULES, schedules::schedules)
        .add_node_with(
            Flow::MorningBriefing.as_str(),
            briefing::morning_briefing,
            briefed,
        )
        .add_node_with(
            Flow::FinancialReport.as_str(),
            financial::financial_report,
            audited,
        )
        .add_node_with(
            Flow::PerformanceAudit.as_str(),
            audit::performance_audit,
            report(),
        )
        .add_node_with(Flow::HealthCheck.as_str(), health::health_check, report())
        .add_node_with(MODEL_CHAT, free_chat::model_chat, asked)
        .add_node_with(Flow::FreeChat.as_str(), free_chat::free_chat, chatted)
        .add_subgraph(RECOVERY, &recovery::build()?)
        .add_edge(START, ROUTER)
        .add_edge(Flow::Greeting.as_str(), END)
        .add_edge(SCHEDULES, END)
        .add_edge(RECOVERY, END);
    graph.build("site")
}
