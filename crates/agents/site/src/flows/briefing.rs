//! The morning briefing: the fleet, the error codes of what is offline, then the card.

use std::sync::Arc;

use contracts::tools::{
    DiagnosticsReport, ErrorCodesArguments, FleetOverview, FleetOverviewArguments, LoggerRole,
    Period, names,
};
use graph::NodeResult;

use super::{Early, Outcome, Premises, conclude_at, ended};
use crate::{
    arguments, calls, cards,
    findings::{Diagnostics, Failure},
    language::{Flow, Horizon, LoggerMention, extract, names_something},
    narrative::{Facts, FleetSnapshot, phrases},
    run::{Context, Node, site},
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
    let place = place(node, state).await;
    let place = match place {
        Some(Place::Devices) => return Err(Early::Switched(Flow::HealthCheck)),
        Some(Place::Site { id, name }) => Some((id, name)),
        None => None,
    };
    let site_id = place.as_ref().map(|(id, _)| id.clone());
    let overview = fleet_overview(node, site_id).await?;
    if overview.status.total_loggers == 0 {
        let text = place.map_or_else(
            || phrases::NO_LOGGERS.to_owned(),
            |(_, name)| sentences::without_inverters(&name),
        );
        node.say_in_step(&text).await;
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
        // What the fleet was before says nothing of one site.
        previous: state
            .flow_context
            .previous_fleet_status
            .as_ref()
            .filter(|_| place.is_none()),
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
    remarks.extend(
        place
            .iter()
            .map(|(_, name)| sentences::about_one_site(name)),
    );
    let whom = place
        .as_ref()
        .map_or("all inverters", |(_, name)| name.as_str());
    remarks.extend(
        other_days(state, &overview).map(|days| sentences::only_the_newest_day(days, whom)),
    );
    let card = cards::fleet_card(&overview, &diagnostics);
    let premises = match &place {
        Some((id, _)) => {
            let known = &site(node.run(), state).await.loggers;
            let here = known.iter().filter(|logger| logger.site_id == *id);
            let silent = arguments::silent_sites(here, known, node.run().now);
            Premises::at(known, Some(id)).of_silent(&silent)
        }
        None => Premises::of_everything(&site(node.run(), state).await.loggers),
    };
    conclude_at(node, state, None, &premises, &facts, card, &remarks).await;
    if place.is_some() {
        return Ok(());
    }
    let mut task = state.flow_context.clone();
    task.previous_fleet_status = Some(FleetSnapshot::of(&overview));
    node.update(SiteUpdate::Context(Box::new(task)));
    Ok(())
}

/// The subject of a briefing, where it is not everything.
enum Place {
    /// One site.
    Site { id: String, name: String },
    /// Devices, which a health report is about.
    Devices,
}

/// The site or the devices that the request names. The devices are asked for only when a word of
/// the request could be a name.
async fn place(node: &Node, state: &SiteState) -> Option<Place> {
    let words = state.flow_context.words();
    if !names_something(&words) {
        return None;
    }
    let site = site(node.run(), state).await;
    let today = node.run().now.date_naive();
    let horizon = Horizon {
        loggers: &site.loggers,
        anchor: today,
        today,
    };
    let named = extract(&words, &horizon);
    match (named.loggers, named.site) {
        (LoggerMention::All | LoggerMention::None, Some(id)) => {
            let one = site.loggers.iter().find(|logger| logger.site_id == id)?;
            let name = one.site_name.clone();
            Some(Place::Site { id, name })
        }
        (LoggerMention::All | LoggerMention::None, None) => None,
        // "Everything at the depot" is the depot.
        (LoggerMention::Several(ids), Some(id))
            if site
                .loggers
                .iter()
                .filter(|one| one.role == LoggerRole::Inverter)
                .all(|one| (one.site_id == id) == ids.contains(&one.logger_id)) =>
        {
            let one = site.loggers.iter().find(|logger| logger.site_id == id)?;
            let name = one.site_name.clone();
            Some(Place::Site { id, name })
        }
        _ => Some(Place::Devices),
    }
}

async fn fleet_overview(node: &Node, site_id: Option<String>) -> Result<FleetOverview, Failure> {
    node.begin_step().await;
    node.hint("Looking at every device").await;
    let arguments = FleetOverviewArguments { site_id };
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
    let period = extract(&state.flow_context.words(), &horizon)
        .when?
        .period()?;
    (period.start < newest).then_some(period)
}
