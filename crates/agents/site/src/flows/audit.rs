//! The performance audit: `fetch_loggers -> check_args -> [wait] -> compare -> [recovery] -> render_chart`.

use std::sync::Arc;

use contracts::tools::{CompareLoggersArguments, Comparison, names};
use graph::{BuildError, CompiledGraph, Context, END, NodeError, NodeResult};

use super::{conclude, over, report_graph, resolved, unless_failed};
use crate::{
    arguments, cards,
    narrative::Facts,
    stage::Stage,
    state::{Finding, SiteState, SiteUpdate},
};

/// The longest comparison that the tool takes, in days.
const LONGEST: u32 = 366;

const COMPARE: &str = "compare";
const RENDER_CHART: &str = "render_chart";

pub(crate) fn build() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = report_graph(COMPARE);
    graph
        .add_node(COMPARE, compare)
        .add_node(RENDER_CHART, render_chart)
        .add_conditional_edges(
            COMPARE,
            |state: &SiteState| unless_failed(state, RENDER_CHART),
            [RENDER_CHART, END],
        )
        .add_edge(RENDER_CHART, END);
    graph.build("performance_audit")
}

async fn compare(state: Arc<SiteState>, context: Context<SiteState>) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let resolved = resolved(&state)?;
    let period = resolved
        .period
        .map(|period| arguments::at_most(period, LONGEST));
    let arguments = CompareLoggersArguments {
        logger_ids: resolved
            .loggers
            .iter()
            .map(|logger| logger.logger_id.clone())
            .collect(),
        site_id: None,
        metric: state
            .flow_context
            .metric
            .or(resolved.metric)
            .unwrap_or_default(),
        date: period.map(|period| period.start),
        end_date: period
            .map(|period| period.end)
            .filter(|end| Some(*end) != period.map(|period| period.start)),
    };
    stage.begin_step().await;
    stage
        .hint(&format!(
            "Comparing {} devices{}",
            arguments.logger_ids.len(),
            over(period)
        ))
        .await;
    match stage
        .call::<Comparison>(names::COMPARE_LOGGERS, &arguments)
        .await
    {
        Ok(called) => stage.update(Finding::Comparison(called.result)),
        Err(failure) => stage.update(Finding::Failure(failure)),
    }
    stage.end_step().await;
    stage.update(SiteUpdate::Step(2));
    Ok(stage.done())
}

async fn render_chart(state: Arc<SiteState>, context: Context<SiteState>) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let comparison = state
        .work
        .comparison
        .as_deref()
        .ok_or_else(|| NodeError::permanent("a chart needs a comparison"))?;
    let facts = Facts::Audit { comparison };
    conclude(
        &mut stage,
        &state,
        &facts,
        Some(cards::comparison_chart(comparison)),
        &[],
    )
    .await;
    Ok(stage.done())
}
