//! Questions for the reports of devices on days without any of their data: the answer is no, with
//! the reports before and after.

use chrono::{DateTime, FixedOffset, NaiveDate, TimeDelta};
use contracts::tools::{AnomalyReport, InverterHealthArguments, LoggerSummary, Period, names};

use super::LONGEST;
use crate::{
    arguments, calls,
    findings::{HealthFindings, Resolved},
    narrative::format,
    run::Node,
};

/// Most devices that a sentence lists.
const MOST_NAMED: usize = 5;

/// The answer if none of the devices has data of these days or around them; `None` if one has.
pub(super) fn none(resolved: &Resolved, is_yes_or_no: bool) -> Option<String> {
    let period = resolved.period?;
    let told: Option<Vec<String>> = resolved
        .loggers
        .iter()
        .map(|logger| outside(logger, period))
        .collect();
    let told = told.filter(|told| !told.is_empty())?;
    let when = format::from_to(period.start, period.end);
    let names: Vec<&str> = resolved
        .loggers
        .iter()
        .map(|one| one.logger_id.as_str())
        .collect();
    let no = if is_yes_or_no { "No: " } else { "" };
    let names = format::list_most(&names, MOST_NAMED);
    let lead = format!("{no}{names} sent no data {when}.");
    let told: Vec<String> = told.into_iter().take(MOST_NAMED).collect();
    Some(format!("{lead} {}", told.join(" ")))
}

/// The report of a device before these days, or after them, if all of its data are on one side.
fn outside(logger: &LoggerSummary, period: Period) -> Option<String> {
    let id = &logger.logger_id;
    let (Some(first), Some(last)) = (logger.earliest_data, logger.latest_data) else {
        return Some(format!("{id} has not sent a reading yet."));
    };
    // A stamp ends its step, so midnight belongs to the day before.
    let day = |at: DateTime<FixedOffset>| (at - TimeDelta::seconds(1)).date_naive();
    let at = |at: DateTime<FixedOffset>| {
        format!("{} on {}", format::clock(at), format::date(at.date_naive()))
    };
    if day(last) < period.start {
        Some(format!(
            "The last report of {id} is of {}; none has come since.",
            at(last)
        ))
    } else if first.date_naive() > period.end {
        Some(format!("The first report of {id} is of {}.", at(first)))
    } else {
        None
    }
}

/// The last day with data before days without any of one device, and the next one after them.
pub(super) async fn around(
    node: &Node,
    resolved: &Resolved,
    health: &HealthFindings,
) -> Option<String> {
    let ([logger], [report]) = (resolved.loggers.as_slice(), health.reports.as_slice()) else {
        return None;
    };
    let days = u32::try_from(report.missing_days.len()).ok()?;
    if days == 0 || days < report.days_analyzed {
        return None;
    }
    let (first, last) = (logger.earliest_data?, logger.latest_data?);
    let whole = Period {
        start: first.date_naive(),
        end: (last - TimeDelta::seconds(1)).date_naive(),
    };
    let whole = arguments::at_most(whole, LONGEST);
    let arguments = InverterHealthArguments {
        logger_id: Some(logger.logger_id.clone()),
        start_date: Some(whole.start),
        end_date: Some(whole.end),
        ..InverterHealthArguments::default()
    };
    node.begin_step().await;
    let answer = calls::call(node, names::ANALYZE_INVERTER_HEALTH, &arguments).await;
    node.end_step().await;
    let all: AnomalyReport = answer.ok()?.result;
    let has_data = |day: &NaiveDate| !all.missing_days.contains(day);
    let before = report.period.start.pred_opt()?;
    let before = std::iter::successors(Some(before), NaiveDate::pred_opt)
        .take_while(|day| *day >= whole.start)
        .find(has_data);
    let after = report.period.end.succ_opt()?;
    let after = std::iter::successors(Some(after), NaiveDate::succ_opt)
        .take_while(|day| *day <= whole.end)
        .find(has_data);
    let date = |day: NaiveDate| format::date(day);
    match (before, after) {
        (Some(before), Some(after)) => Some(format!(
            "It reported last on {} before, and next on {}.",
            date(before),
            date(after)
        )),
        (Some(before), None) => Some(format!(
            "It reported last on {}; nothing has come since.",
            date(before)
        )),
        (None, Some(after)) => Some(format!("It reported first on {}.", date(after))),
        (None, None) => None,
    }
}
