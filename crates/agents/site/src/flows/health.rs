//! The health check: `fetch_loggers -> check_args -> [wait] -> analyze_health -> [recovery] -> render_report`, for one device, for
//! several, or for all.

use std::sync::Arc;

use contracts::tools::{AnomalyReport, InverterHealthArguments, names};
use graph::{BuildError, CompiledGraph, Context, END, NodeError, NodeResult};

use super::{conclude, nodes, over, report_graph, resolved, unless_failed, worst_of};
use crate::{
    arguments, cards,
    narrative::Facts,
    sentences,
    stage::Stage,
    state::{Finding, HealthFindings, SiteState, SiteUpdate},
};

/// Days when the person names none: the tool's own default.
const DAYS: u32 = 7;

/// The longest window that the tool takes, in days.
const LONGEST: u32 = 365;

const ANALYZE_HEALTH: &str = "analyze_health";

pub(crate) fn build() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = report_graph(ANALYZE_HEALTH);
    graph
        .add_node(ANALYZE_HEALTH, analyze_health)
        .add_node(nodes::RENDER_REPORT, render_report)
        .add_conditional_edges(
            ANALYZE_HEALTH,
            |state: &SiteState| unless_failed(state, nodes::RENDER_REPORT),
            [nodes::RENDER_REPORT, END],
        )
        .add_edge(nodes::RENDER_REPORT, END);
    graph.build("health_check")
}

/// Looks at every device, a few at a time. It fails only when none could be judged.
async fn analyze_health(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let resolved = resolved(&state)?;
    let period = resolved
        .period
        .map(|period| arguments::at_most(period, LONGEST));
    let calls: Vec<_> = resolved
        .loggers
        .iter()
        .map(|logger| InverterHealthArguments {
            logger_id: Some(logger.logger_id.clone()),
            days: Some(period.map_or(DAYS, arguments::length)),
            end_date: period.map(|period| period.end),
            ..InverterHealthArguments::default()
        })
        .collect();
    stage.begin_step().await;
    stage
        .hint(&format!("Checking for anomalies{}", over(period)))
        .await;
    let answers = stage
        .call_each::<AnomalyReport, _>(names::ANALYZE_INVERTER_HEALTH, calls)
        .await;
    stage.end_step().await;
    let mut health = HealthFindings::default();
    let mut failures = Vec::new();
    for (logger, answer) in resolved.loggers.iter().zip(answers) {
        health.rows.push(cards::fleet_health_row(
            logger,
            answer.as_ref().map(|called| &called.result),
        ));
        match answer {
            Ok(called) => health.reports.push(called.result),
            Err(failure) => failures.push(failure),
        }
    }
    match worst_of(failures).filter(|_| health.reports.is_empty()) {
        Some(failure) => stage.update(Finding::Failure(failure)),
        None => stage.update(Finding::Health(health)),
    }
    stage.update(SiteUpdate::Step(2));
    Ok(stage.done())
}

async fn render_report(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let health = state
        .work
        .health
        .as_deref()
        .ok_or_else(|| NodeError::permanent("a health report needs findings"))?;
    match (health.rows.as_slice(), health.reports.as_slice()) {
        ([_], [report]) => {
            let facts = Facts::Health { report };
            conclude(
                &mut stage,
                &state,
                &facts,
                Some(cards::health_card(report)),
                &[],
            )
            .await;
        }
        (rows, reports) => {
            let unjudged = rows.iter().filter(|row| {
                !reports
                    .iter()
                    .any(|report| report.logger_id == row.logger_id)
            });
            let unjudged: Vec<_> = unjudged.map(|row| row.logger_id.clone()).collect();
            let remarks = if unjudged.is_empty() {
                Vec::new()
            } else {
                vec![sentences::some_left_out(&unjudged, "the health")]
            };
            let facts = Facts::FleetHealth { rows, reports };
            conclude(
                &mut stage,
                &state,
                &facts,
                Some(cards::fleet_health_card(health)),
                &remarks,
            )
            .await;
        }
    }
    Ok(stage.done())
}
