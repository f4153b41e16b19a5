//! The morning briefing: `fleet_overview -> check_critical -> (diagnose_issues) ->
//! render_briefing`.

use std::sync::Arc;

use contracts::tools::{
    DiagnosticsReport, ErrorCodesArguments, FleetOverview, FleetOverviewArguments, Period, names,
};
use graph::{BuildError, CompiledGraph, Context, END, NodeResult, START, StateGraph};

use super::{conclude, unless_failed};
use crate::{
    cards,
    language::{Horizon, extract},
    narrative::{Facts, FleetSnapshot, phrases},
    sentences,
    stage::Stage,
    state::{Diagnostics, Finding, SiteState, SiteUpdate},
};

/// Offline devices whose error codes are looked at: the first ones tell most, and the card stays
/// readable.
const DIAGNOSED: usize = 3;

/// Days of error codes.
const DAYS: u32 = 7;

const FLEET_OVERVIEW: &str = "fleet_overview";
const CHECK_CRITICAL: &str = "check_critical";
const DIAGNOSE_ISSUES: &str = "diagnose_issues";
const RENDER_BRIEFING: &str = "render_briefing";

pub(crate) fn build() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node(FLEET_OVERVIEW, fleet_overview)
        .add_node(CHECK_CRITICAL, check_critical)
        .add_node(DIAGNOSE_ISSUES, diagnose_issues)
        .add_node(RENDER_BRIEFING, render_briefing)
        .add_edge(START, FLEET_OVERVIEW)
        .add_conditional_edges(
            FLEET_OVERVIEW,
            |state: &SiteState| unless_failed(state, CHECK_CRITICAL),
            [CHECK_CRITICAL, END],
        )
        .add_conditional_edges(
            CHECK_CRITICAL,
            after_check,
            [DIAGNOSE_ISSUES, RENDER_BRIEFING],
        )
        .add_edge(DIAGNOSE_ISSUES, RENDER_BRIEFING)
        .add_edge(RENDER_BRIEFING, END);
    graph.build("morning_briefing")
}

async fn fleet_overview(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    stage.begin_step().await;
    stage.hint("Looking at every device").await;
    match stage
        .call::<FleetOverview>(
            names::GET_FLEET_OVERVIEW,
            &FleetOverviewArguments::default(),
        )
        .await
    {
        Ok(called) => stage.update(Finding::Fleet(called.result)),
        Err(failure) => stage.update(Finding::Failure(failure)),
    }
    stage.end_step().await;
    stage.update(SiteUpdate::Step(1));
    Ok(stage.done())
}

/// Only looks; where to go is [`after_check`].
async fn check_critical(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    stage.update(SiteUpdate::Step(2));
    Ok(stage.done())
}

fn after_check(state: &SiteState) -> &'static str {
    let critical = state.work.fleet.as_ref().is_some_and(|fleet| {
        fleet.status.percent_online < 100.0 && !fleet.offline_loggers.is_empty()
    });
    if critical {
        DIAGNOSE_ISSUES
    } else {
        RENDER_BRIEFING
    }
}

async fn diagnose_issues(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    stage.begin_step().await;
    let offline = state
        .work
        .fleet
        .iter()
        .flat_map(|fleet| &fleet.offline_loggers)
        .take(DIAGNOSED);
    let calls: Vec<_> = offline
        .map(|offline| ErrorCodesArguments {
            logger_id: Some(offline.logger_id.clone()),
            days: Some(DAYS),
            ..ErrorCodesArguments::default()
        })
        .collect();
    let mut diagnostics = Diagnostics::default();
    for answer in stage
        .call_each::<DiagnosticsReport, _>(names::DIAGNOSE_ERROR_CODES, calls)
        .await
    {
        match answer {
            Ok(called) => diagnostics.reports.push(called.result),
            Err(failure) => diagnostics.failures.push(failure),
        }
    }
    stage.update(Finding::Diagnostics(diagnostics));
    stage.end_step().await;
    stage.update(SiteUpdate::Step(3));
    Ok(stage.done())
}

/// The days that the request names, when they are not the newest one: a briefing tells no other.
fn other_days(state: &SiteState, overview: &FleetOverview) -> Option<Period> {
    let newest = overview.local_date;
    let horizon = Horizon {
        loggers: &[],
        anchor: newest,
        today: newest,
    };
    let period = extract(&state.flow_context.words(), &horizon)
        .when?
        .period()?;
    (period.start < newest).then_some(period)
}

async fn render_briefing(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let Some(overview) = state
        .work
        .fleet
        .as_deref()
        .filter(|fleet| fleet.status.total_loggers > 0)
    else {
        stage.say_in_step(phrases::NO_LOGGERS).await;
        return Ok(stage.done());
    };
    let diagnostics = &state.work.diagnostics;
    let facts = Facts::Briefing {
        overview,
        diagnostics: &diagnostics.reports,
        previous: state.flow_context.previous_fleet_status.as_ref(),
    };
    let unread: Vec<_> = diagnostics
        .failures
        .iter()
        .filter_map(|failure| failure.logger_id().map(str::to_owned))
        .collect();
    let mut remarks = if unread.is_empty() {
        Vec::new()
    } else {
        vec![sentences::some_left_out(&unread, "the error codes")]
    };
    remarks.extend(other_days(&state, overview).map(sentences::only_the_newest_day));
    conclude(
        &mut stage,
        &state,
        &facts,
        Some(cards::fleet_card(overview, diagnostics)),
        &remarks,
    )
    .await;
    let mut task = state.flow_context.clone();
    task.previous_fleet_status = Some(FleetSnapshot::of(overview));
    stage.update(SiteUpdate::Context(Box::new(task)));
    Ok(stage.done())
}
