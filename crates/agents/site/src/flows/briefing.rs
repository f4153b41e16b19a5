//! The morning briefing: the fleet, the error codes of what is offline, then the card.

use std::sync::Arc;

use contracts::tools::{
    DiagnosticsReport, ErrorCodesArguments, FleetOverview, FleetOverviewArguments, Period, names,
};
use graph::NodeResult;

use super::{Outcome, conclude, ended};
use crate::{
    calls, cards,
    findings::{Diagnostics, Failure},
    language::{Horizon, When, extract},
    narrative::{Facts, FleetSnapshot, phrases},
    run::{Context, Node},
    sentences,
    state::{SiteState, SiteUpdate},
};

/// Maximum number of offline devices whose error codes are looked at: the first ones matter most,
/// and the card stays readable.
const DIAGNOSED: usize = 3;

/// Days of error codes.
const DAYS: u32 = 7;

pub(crate) async fn morning_briefing(
    state: Arc<SiteState>,
    context: Context,
) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let outcome = brief(&node, &state).await;
    Ok(ended(node, outcome))
}

async fn brief(node: &Node, state: &SiteState) -> Outcome {
    let overview = fleet_overview(node).await?;
    if overview.status.total_loggers == 0 {
        node.say_in_step(phrases::NO_LOGGERS).await;
        return Ok(());
    }
    let is_critical = overview.status.percent_online < 100.0;
    let diagnostics = if is_critical && !overview.offline_loggers.is_empty() {
        diagnose_issues(node, &overview).await
    } else {
        Diagnostics::default()
    };
    let facts = Facts::Briefing {
        overview: &overview,
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
    remarks.extend(other_days(state, &overview).map(sentences::only_the_newest_day));
    let card = cards::fleet_card(&overview, &diagnostics);
    conclude(node, state, None, &facts, card, &remarks).await;
    let mut task = state.flow_context.clone();
    task.previous_fleet_status = Some(FleetSnapshot::of(&overview));
    node.update(SiteUpdate::Context(Box::new(task)));
    Ok(())
}

async fn fleet_overview(node: &Node) -> Result<FleetOverview, Failure> {
    node.begin_step().await;
    node.hint("Looking at every device").await;
    let arguments = FleetOverviewArguments::default();
    let answer = calls::call(node, names::GET_FLEET_OVERVIEW, &arguments).await;
    node.end_step().await;
    node.update(SiteUpdate::Step(1));
    answer.map(|found| found.result)
}

/// Reports on the error codes of the first offline devices.
async fn diagnose_issues(node: &Node, overview: &FleetOverview) -> Diagnostics {
    node.begin_step().await;
    let offline = overview.offline_loggers.iter().take(DIAGNOSED);
    let calls = offline.map(|offline| ErrorCodesArguments {
        logger_id: Some(offline.logger_id.clone()),
        days: Some(DAYS),
        ..ErrorCodesArguments::default()
    });
    let mut diagnostics = Diagnostics::default();
    for answer in
        calls::call_each::<DiagnosticsReport>(node, names::DIAGNOSE_ERROR_CODES, calls).await
    {
        match answer {
            Ok(found) => diagnostics.reports.push(found.result),
            Err(failure) => diagnostics.failures.push(failure),
        }
    }
    node.end_step().await;
    diagnostics
}

/// The days that the request names, when they are not the newest one: a briefing covers no other.
fn other_days(state: &SiteState, overview: &FleetOverview) -> Option<Period> {
    let newest = overview.local_date;
    let horizon = Horizon {
        loggers: &[],
        anchor: newest,
        today: newest,
    };
    let period = match extract(&state.flow_context.words(), &horizon).when? {
        When::Day(day) => Period {
            start: day,
            end: day,
        },
        When::Range(period) => period,
        When::NotADate { .. } => return None,
    };
    (period.start < newest).then_some(period)
}
