//! A greeting: who this is, how the fleet is, what can be asked.

use std::{sync::Arc, time::Duration};

use agent_kit::ToolsError;
use chrono::Timelike;
use contracts::tools::{FleetOverview, FleetOverviewArguments, names};
use graph::NodeResult;
use serde_json::Value;

use super::{LAST_STEP, with_remarks};
use crate::{
    calls,
    narrative::{Facts, narrate},
    run::{Context, Node},
    state::{SiteState, SiteUpdate},
};

/// Time that a greeting waits for the fleet; the greeting does not depend on it.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) async fn greet(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let task = &state.flow_context;
    let overview = fleet_overview(&node).await;
    let facts = Facts::Greeting {
        // UTC when the person's zone is unknown.
        local_hour: node.run().now.with_timezone(&task.zone()).hour(),
        overview: overview.as_ref(),
    };
    let text = narrate(&facts, &task.narrative_preferences).text;
    node.say_in_step(&with_remarks(text, None, &[])).await;
    node.update(SiteUpdate::Step(LAST_STEP));
    Ok(node.done())
}

async fn fleet_overview(node: &Node) -> Option<FleetOverview> {
    const TOOL: &str = names::GET_FLEET_OVERVIEW;
    let arguments = FleetOverviewArguments::default();
    node.begin_step().await;
    let call = node.announce(TOOL, &arguments).await;
    let tools = node.run().tools();
    // A greeting is not a report: what was right a few seconds ago will do.
    let asked = tools.call_recent(TOOL, Value::Object(call.arguments.clone()));
    let answer = tokio::time::timeout(PATIENCE, asked)
        .await
        .unwrap_or_else(|_late| {
            node.account().miss_tools();
            Err(ToolsError::TimedOut)
        });
    let called = node.settle(call, answer).await;
    node.end_step().await;
    // The greeting does not depend on the fleet.
    let found = calls::read(&called, TOOL, &arguments).ok()?;
    Some(found.result)
}
