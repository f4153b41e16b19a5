//! A greeting: who this is, how the fleet is, what can be asked.

use std::{sync::Arc, time::Duration};

use agent_kit::ToolsError;
use chrono::Timelike;
use contracts::tools::{FleetOverview, FleetOverviewArguments, names};
use graph::{BuildError, CompiledGraph, Context, END, NodeResult, START, StateGraph};

use super::{LAST_STEP, with_remarks};
use crate::{
    narrative::{Facts, narrate},
    stage::Stage,
    state::{SiteState, SiteUpdate},
};

/// Time that a greeting waits for the fleet; the greeting does not depend on it.
const PATIENCE: Duration = Duration::from_secs(1);

const GREET: &str = "greet";

pub(crate) fn build() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node(GREET, greet)
        .add_edge(START, GREET)
        .add_edge(GREET, END);
    graph.build("greeting")
}

async fn greet(state: Arc<SiteState>, context: Context<SiteState>) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    stage.begin_step().await;
    let call = stage
        .announce(
            names::GET_FLEET_OVERVIEW,
            &FleetOverviewArguments::default(),
        )
        .await;
    let asked = stage.turn().tools().call(
        names::GET_FLEET_OVERVIEW,
        serde_json::Value::Object(call.arguments.clone()),
    );
    let answer = tokio::time::timeout(PATIENCE, asked)
        .await
        .unwrap_or_else(|_late| {
            stage.turn().account().miss_tools();
            Err(ToolsError::TimedOut)
        });
    // The greeting does not depend on the fleet.
    let overview = stage.settle::<FleetOverview>(call, answer).await.ok();
    stage.end_step().await;
    let facts = Facts::Greeting {
        local_hour: local_hour(&state, &stage),
        overview: overview.as_ref().map(|called| &called.result),
    };
    let text = narrate(&facts, &state.flow_context.narrative_preferences).text;
    stage.say_in_step(&with_remarks(text, &state, &[])).await;
    stage.update(SiteUpdate::Step(LAST_STEP));
    Ok(stage.done())
}

/// The hour on the person's clock, UTC when their zone is unknown.
fn local_hour(state: &SiteState, stage: &Stage) -> u32 {
    let zone = state.flow_context.zone();
    stage.turn().now.with_timezone(&zone).hour()
}
