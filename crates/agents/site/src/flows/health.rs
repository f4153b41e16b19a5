//! The health check: `fetch_loggers -> check_args -> [wait] -> analyze_health -> [recovery] ->
//! render_report`, for one device, for several, or for all.

use std::sync::Arc;

use contracts::tools::{AnomalyReport, InverterHealthArguments, LeftOut, Period, names};
use graph::{BuildError, CompiledGraph, Context, END, NodeError, NodeResult};

use serde_json::json;

use super::{conclude, nodes, over, report_graph, resolved, unless_failed};
use crate::{
    arguments, cards,
    narrative::Facts,
    sentences,
    stage::Stage,
    state::{Failure, Finding, HealthFindings, Resolved, SiteState, SiteUpdate},
};

/// Days when the person names none: the tool's own default.
const DAYS: u32 = 7;

/// The longest window that the tool counts in days; a longer one has a first day.
const LONGEST_COUNTED: u32 = 365;

/// The longest window that the tool takes, in days.
const LONGEST: u32 = 3660;

/// Maximum number of devices that are named in one call.
const MOST_NAMED: usize = 1000;

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

/// Looks at every device in one call. It fails only when none could be judged.
async fn analyze_health(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let resolved = resolved(&state)?;
    let period = resolved
        .period
        .map(|period| arguments::at_most(period, LONGEST));
    let arguments = wanted(resolved, period);
    stage.begin_step().await;
    stage
        .hint(&format!("Checking for anomalies{}", over(period)))
        .await;
    let answer = stage
        .call::<AnomalyReport>(names::ANALYZE_INVERTER_HEALTH, &arguments)
        .await;
    stage.end_step().await;
    let report = match answer {
        Ok(called) => called.result,
        Err(failure) => {
            stage.update(Finding::Failure(failure));
            stage.update(SiteUpdate::Step(2));
            return Ok(stage.done());
        }
    };
    let mut health = HealthFindings::default();
    for logger in &resolved.loggers {
        let id = &logger.logger_id;
        if let [_] = resolved.loggers.as_slice() {
            health
                .rows
                .push(cards::fleet_health_row(logger, Ok(&report)));
        } else if let Some(own) = report.devices.iter().find(|own| own.logger_id == *id) {
            health.rows.push(cards::fleet_health_row(logger, Ok(own)));
        } else if let Some(out) = report.left_out.iter().find(|out| out.logger_id == *id) {
            let failure = without_report(out);
            health
                .rows
                .push(cards::fleet_health_row(logger, Err(&failure)));
        }
    }
    health.reports = if report.scope.is_some() {
        report.devices
    } else {
        vec![report]
    };
    stage.update(Finding::Health(health));
    stage.update(SiteUpdate::Step(2));
    Ok(stage.done())
}

/// One call, whether it is about one device or a hundred. Days are counted back from the end, as
/// far as the tool counts them.
fn wanted(resolved: &Resolved, period: Option<Period>) -> InverterHealthArguments {
    let ids = || {
        let ids = resolved.loggers.iter();
        ids.map(|logger| logger.logger_id.clone()).collect()
    };
    let (logger_id, logger_ids) = match resolved.loggers.as_slice() {
        [one] => (Some(one.logger_id.clone()), None),
        // More than can be named are all that there are.
        several if several.len() > MOST_NAMED => (None, None),
        _ => (None, Some(ids())),
    };
    let days = period.map_or(DAYS, arguments::length);
    let counted = days <= LONGEST_COUNTED;
    InverterHealthArguments {
        logger_id,
        logger_ids,
        days: counted.then_some(days),
        start_date: period.filter(|_| !counted).map(|period| period.start),
        end_date: period.map(|period| period.end),
        ..InverterHealthArguments::default()
    }
}

/// A device that the report leaves out, as a call of its own that failed.
fn without_report(out: &LeftOut) -> Failure {
    let arguments = json!({ "logger_id": out.logger_id });
    Failure {
        tool: names::ANALYZE_INVERTER_HEALTH.into(),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        status: out.status,
        message: out.message.as_str().into(),
        available_range: out.available_range,
    }
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
    let cut = arguments::cut(resolved(&state)?.period, LONGEST);
    match (health.rows.as_slice(), health.reports.as_slice()) {
        ([_], [report]) => {
            let facts = Facts::Health { report };
            let remarks: Vec<String> = cut.into_iter().collect();
            conclude(
                &mut stage,
                &state,
                &facts,
                Some(cards::health_card(report)),
                &remarks,
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
            let mut remarks = if unjudged.is_empty() {
                Vec::new()
            } else {
                vec![sentences::some_left_out(&unjudged, "the health")]
            };
            remarks.extend(cut);
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
