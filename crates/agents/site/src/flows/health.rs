//! The health check: the devices, then one call about one device, several, or all, then the report.

mod reports;

use std::sync::Arc;

use contracts::tools::{
    AnomalyReport, DiagnosticsReport, InverterHealthArguments, LeftOut, LoggerSummary, Period,
    names,
};
use graph::NodeResult;
use serde_json::json;

use super::{
    LAST_STEP, Outcome, Premises, conclude, conclude_at, ended, error_codes_of, over, prepare,
};
use crate::{
    arguments, calls, cards,
    findings::{Failure, HealthFindings, Resolved, Scope},
    language::{Flow, asked_figure},
    narrative::{Asked, Facts, standstills},
    run::{Context, Node},
    sentences,
    state::{SiteState, SiteUpdate},
};

/// Days when the person names none: the tool's own default.
const DAYS: u32 = 7;

/// The longest window that the tool counts in days; a longer one has a first day.
const LONGEST_COUNTED: u32 = 365;

/// The longest window that the tool takes, in days.
const LONGEST: u32 = 3660;

/// A device that stopped more days than this before a report was taken down; one that stopped later
/// is silent, which the report says.
const LONGEST_SILENCE: u64 = 31;

/// Maximum number of devices that are named in one call.
const MOST_NAMED: usize = 1000;

pub(crate) async fn health_check(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let outcome = check(&node, &state).await;
    Ok(ended(node, outcome))
}

async fn check(node: &Node, state: &SiteState) -> Outcome {
    let flow = Flow::HealthCheck;
    let mut prepared = prepare(node, state, flow, arguments::needs_of_flow(flow)).await?;
    let known = &prepared.loggers.loggers;
    let asked = asked_figure(&state.flow_context.words(), known);
    let of_reports = matches!(asked, Some(Asked::WhoReported | Asked::Missing));
    if of_reports
        && let Some(text) = reports::none(&prepared.resolved, asked == Some(Asked::WhoReported))
    {
        node.say_in_step(&text).await;
        node.update(SiteUpdate::Step(LAST_STEP));
        return Ok(());
    }
    // Those that sent nothing are a part of that answer.
    let absent = if asked == Some(Asked::WhoReported) {
        None
    } else {
        without_absent(&mut prepared.resolved)
    };
    let analysed = analyze_health(node, &prepared.resolved).await;
    node.update(SiteUpdate::Step(2));
    let health = analysed.map_err(|failure| prepared.failed(failure))?;
    let known = &prepared.loggers.loggers;
    if asked == Some(Asked::Errors)
        && let Ok(found) = error_codes(node, &prepared.resolved).await
    {
        let facts = Facts::Errors { report: &found };
        let stood = standstills(&health.facts());
        let mut remarks: Vec<String> = (!stood.is_empty()).then_some(stood).into_iter().collect();
        remarks.extend(absent);
        let card = cards::error_codes_chart(&found);
        conclude(node, state, Some(&prepared), &facts, card, &remarks).await;
        return Ok(());
    }
    let cut = arguments::cut(prepared.resolved.period, LONGEST).into_iter();
    let mut remarks: Vec<String> = cut.chain(absent).collect();
    if of_reports {
        remarks.extend(reports::around(node, &prepared.resolved, &health).await);
    }
    let facts = health.facts();
    let card = match facts {
        Facts::Health { report } => cards::health_card(report),
        _ => cards::fleet_health_card(&health),
    };
    let resolved = &prepared.resolved;
    let mut silent = arguments::silent_sites(&resolved.loggers, known, prepared.now);
    let ends = resolved.period.map(|period| period.end);
    silent.retain(|site| ends.is_none_or(|end| end >= site.last));
    let premises = Premises::of(&prepared).of_silent(&silent);
    conclude_at(
        node,
        state,
        Some(&prepared),
        &premises,
        &facts,
        card,
        &remarks,
    )
    .await;
    Ok(())
}

/// Leaves out the devices that have no data in the days of the report, where it is about all and
/// others have some; the sentence says which.
fn without_absent(resolved: &mut Resolved) -> Option<String> {
    let period = resolved.period.filter(|_| resolved.scope != Scope::Named)?;
    let days = |logger: &LoggerSummary| {
        let (first, last) = (logger.earliest_data?, logger.latest_data?);
        Some((first.date_naive(), last.date_naive()))
    };
    let here = |logger: &LoggerSummary| {
        days(logger).is_some_and(|(first, last)| {
            let ended = last + chrono::Days::new(LONGEST_SILENCE);
            first <= period.end && ended >= period.start
        })
    };
    let (present, absent): (Vec<_>, Vec<_>) =
        resolved.loggers.drain(..).partition(|logger| here(logger));
    if present.is_empty() || absent.is_empty() {
        resolved.loggers = if present.is_empty() { absent } else { present };
        return None;
    }
    resolved.loggers = present;
    let ids: Vec<&str> = absent.iter().map(|one| one.logger_id.as_str()).collect();
    Some(sentences::none_then(&ids))
}

/// The error codes that the devices reported themselves over the same days.
async fn error_codes(node: &Node, resolved: &Resolved) -> Result<DiagnosticsReport, Failure> {
    node.begin_step().await;
    node.hint(&format!("Reading the error codes{}", over(resolved.period)))
        .await;
    let arguments = error_codes_of(resolved);
    let answer = calls::call(node, names::DIAGNOSE_ERROR_CODES, &arguments).await;
    node.end_step().await;
    answer.map(|found| found.result)
}

/// Looks at every device in one call. It fails only when none could be judged.
async fn analyze_health(node: &Node, resolved: &Resolved) -> Result<HealthFindings, Failure> {
    let period = resolved
        .period
        .map(|period| arguments::at_most(period, LONGEST));
    let arguments = wanted(resolved, period);
    node.begin_step().await;
    node.hint(&format!("Checking for anomalies{}", over(period)))
        .await;
    let answer = calls::call(node, names::ANALYZE_INVERTER_HEALTH, &arguments).await;
    node.end_step().await;
    let report: AnomalyReport = answer?.result;
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
    health.availability = report.availability_time;
    health.reports = if report.scope.is_some() {
        report.devices
    } else {
        vec![report]
    };
    Ok(health)
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
