//! The financial report: the devices, then their savings, the forecast, and the report.
//!
//! It is about one device, a list, a site or everything: one call gives the total and each device's
//! part. The forecast is one device's.

mod periods;
mod silent;

use std::{collections::BTreeMap, sync::Arc};

use agent_kit::ToolsError;
use chrono::NaiveDate;
use contracts::tools::{
    CapacityBasis, FinancialReport, FinancialSavingsArguments, Flag, ForecastArguments, LoggerRole,
    LoggerSummary, ProductionForecast, ScopeKind, ToolEnvelope, names,
};
use graph::NodeResult;
use serde_json::Value;

use silent::Unknown;

use super::{Early, Outcome, Prepared, conclude, ended, over, prepare};
use crate::{
    arguments, calls, cards,
    findings::{Failure, Resolved, Selection},
    language::{self, Flow, MAX_DAYS_AHEAD, NamedCurrency},
    narrative::{Asked, Facts, wrong_capacity},
    run::{Context, Node},
    sentences,
    state::{SiteState, SiteUpdate},
};

pub(crate) async fn financial_report(
    state: Arc<SiteState>,
    context: Context,
) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let outcome = report(&node, &state).await;
    Ok(ended(node, outcome))
}

async fn report(node: &Node, state: &SiteState) -> Outcome {
    let flow = Flow::FinancialReport;
    let prepared = prepare(node, state, flow, arguments::needs_of_flow(flow)).await?;
    let resolved = &prepared.resolved;
    if let Some(refusal) = other_currency(node, state, &prepared).await? {
        // The rate is of no use to a later question either.
        node.update(SiteUpdate::Context(Box::new(state.flow_context.clone())));
        node.say_in_step(&refusal).await;
        return Ok(());
    }
    let coming = forecast_arguments(resolved);
    let words = state.flow_context.words();
    let known = &prepared.loggers.loggers;
    let asked = language::asked_figure(&words, known);
    if let Some(earlier) = resolved.beside {
        return periods::tell(node, state, &prepared, earlier, asked).await;
    }
    let arguments = FinancialSavingsArguments {
        ranked: matches!(
            asked,
            Some(
                Asked::MostSaved
                    | Asked::MostCarbon
                    | Asked::Sites
                    | Asked::EndOfSites(_)
                    | Asked::SitesByWorth { .. }
            )
        ),
        ..savings_arguments(resolved)
    };
    let when = over(resolved.period);
    let (savings, answer) = calculate_savings(node, &arguments, &when, coming.as_ref()).await;
    node.update(SiteUpdate::Step(2));
    let mut savings = savings.map_err(|failure| prepared.failed(failure))?;
    let unknown = silent::take_out(&mut savings, known);
    if let Some(Unknown::All(told)) = &unknown {
        node.say_in_step(told).await;
        return Ok(());
    }
    let forecast = match (coming, answer) {
        (Some(arguments), Some(answer)) => Some(forecast(node, &arguments, answer).await),
        _ => None,
    };
    // Without a forecast the report is still a report.
    let (forecast, failed) = match forecast {
        Some(Ok(forecast)) => (Some(forecast), None),
        Some(Err(failure)) => (None, Some(failure)),
        None => (None, None),
    };
    let mut remarks: Vec<_> = failed
        .map(|failure| sentences::without_forecast(&failure.message))
        .into_iter()
        .collect();
    if let Some(Unknown::Some(told)) = unknown {
        remarks.push(told);
    }
    let (report, forecast) = (&savings, forecast.as_ref());
    remarks.extend(for_each_kw(state, report));
    remarks.extend(for_each_kw_of_sites(state, report, known));
    let of_sites = matches!(
        asked,
        Some(Asked::Sites | Asked::EndOfSites(_) | Asked::SitesByWorth { .. })
    );
    if of_sites {
        remarks.extend(sites_without_data(report, known));
    }
    remarks.extend(for_each_day(state, report));
    remarks.extend(in_own_currency(state, report));
    let energy = language::asks_for_energy(&words, known) || language::asks_specific_yield(&words);
    let facts = if energy {
        Facts::Energy { report }
    } else {
        Facts::Financial { report, forecast }
    };
    let card = cards::financial_card(report, forecast);
    conclude(node, state, Some(&prepared), &facts, card, &remarks).await;
    Ok(())
}

/// The refusal of a rate in another currency than that of the sites, which only a report knows.
async fn other_currency(
    node: &Node,
    state: &SiteState,
    prepared: &Prepared,
) -> Result<Option<String>, Early> {
    let Some(named) = prepared.resolved.rate_currency else {
        return Ok(None);
    };
    let arguments = FinancialSavingsArguments {
        electricity_rate: None,
        ..savings_arguments(&prepared.resolved)
    };
    node.begin_step().await;
    let found = calls::call(node, names::CALCULATE_FINANCIAL_SAVINGS, &arguments).await;
    node.end_step().await;
    let report: FinancialReport = found.map_err(|failure| prepared.failed(failure))?.result;
    let mut own: Vec<(String, String)> = report
        .sites
        .iter()
        .map(|site| (site.name.clone(), site.currency.clone()))
        .collect();
    if let (true, Some(currency)) = (own.is_empty(), &report.currency) {
        let site = prepared.resolved.loggers.first();
        let name = site.map_or_else(String::new, |site| site.site_name.clone());
        own.push((name, currency.clone()));
    }
    if own.iter().all(|(_, currency)| named.may_be(currency)) {
        return Ok(None);
    }
    let words = state.flow_context.words();
    let instead = language::without_rate(&words).unwrap_or_else(|| words.into_owned());
    Ok(Some(sentences::other_currency(
        &named.name(),
        &own,
        &instead,
    )))
}

/// A tool's answer to a call that the client does not know of yet.
type SavingsResult = Result<ToolEnvelope, ToolsError>;

/// Asks for the savings, and at the same time for the forecast, which does not depend on them.
async fn calculate_savings(
    node: &Node,
    arguments: &FinancialSavingsArguments,
    when: &str,
    coming: Option<&ForecastArguments>,
) -> (Result<FinancialReport, Failure>, Option<SavingsResult>) {
    const TOOL: &str = names::CALCULATE_FINANCIAL_SAVINGS;
    node.begin_step().await;
    node.hint(&format!("Adding up the energy{when}")).await;
    let call = node.announce(TOOL, arguments).await;
    let tools = node.run().tools();
    let (savings, forecast) = futures::join!(
        tools.call(TOOL, Value::Object(call.arguments.clone())),
        async {
            let arguments = serde_json::to_value(coming?).unwrap_or_default();
            Some(tools.call(names::FORECAST_PRODUCTION, arguments).await)
        },
    );
    let called = node.settle(call, savings).await;
    node.end_step().await;
    let report = calls::read(&called, TOOL, arguments).map(|found| found.result);
    (report, forecast)
}

/// Shows the call for the forecast and its result.
async fn forecast(
    node: &Node,
    arguments: &ForecastArguments,
    answer: SavingsResult,
) -> Result<ProductionForecast, Failure> {
    node.begin_step().await;
    let call = node.announce(names::FORECAST_PRODUCTION, arguments).await;
    let called = node.settle(call, answer).await;
    node.end_step().await;
    let found = calls::read(&called, names::FORECAST_PRODUCTION, arguments)?;
    Ok(found.result)
}

/// The energy for each kW, where the person asks for it, by the sizes of the report.
fn for_each_kw(state: &SiteState, report: &FinancialReport) -> Option<String> {
    if !language::asks_specific_yield(&state.flow_context.words()) || report.days_with_data == 0 {
        return None;
    }
    let one = std::slice::from_ref(report);
    let devices = if report.devices.is_empty() {
        one
    } else {
        &report.devices
    };
    let counted = || {
        devices
            .iter()
            .filter(|device| device.counted && device.days_with_data > 0)
    };
    let ids_of = |is: &dyn Fn(&FinancialReport) -> bool| -> Vec<&str> {
        let ids = counted().filter(|device| is(device));
        ids.map(|device| device.logger_id.as_str()).collect()
    };
    let without = ids_of(&|device| device.capacity_kw.is_none());
    if !without.is_empty() {
        return Some(sentences::no_capacity(&without));
    }
    // A capacity that cannot be right says nothing about those of the others.
    let is_right = |device: &&FinancialReport| {
        devices.len() == 1 || !device.flags.contains(&Flag::CapacityImplausible)
    };
    let sized = || counted().filter(is_right);
    let kw: f64 = sized().filter_map(|device| device.capacity_kw).sum();
    let kwh: f64 = sized().map(|device| device.total_energy_kwh).sum();
    let (there_kw, days) = capacity_with_data(sized());
    let span = match devices {
        [one] if one.days_with_data < one.days_expected => {
            sentences::over_its_days(one.days_with_data)
        }
        _ if sized().any(|device| device.days_with_data < days) => {
            sentences::EACH_OVER_ITS_DAYS.to_owned()
        }
        _ => String::new(),
    };
    let by = |basis| ids_of(&move |device| device.capacity_basis == Some(basis));
    let wrong = ids_of(&|device| device.flags.contains(&Flag::CapacityImplausible));
    (kw > 0.0).then(|| {
        let told = sentences::specific_yield(
            (kwh / there_kw, &span),
            kw,
            sized().count(),
            (&by(CapacityBasis::Inferred), &by(CapacityBasis::Peers)),
        );
        if wrong.is_empty() {
            return told;
        }
        format!("{told} {}", wrong_capacity(&wrong))
    })
}

/// The capacity of devices, each for its share of the days, and the days: those with data of the
/// device that has most of them.
fn capacity_with_data<'r>(
    devices: impl Iterator<Item = &'r FinancialReport> + Clone,
) -> (f64, u32) {
    let most = devices.clone().map(|device| device.days_with_data).max();
    let days = most.unwrap_or(0).max(1);
    let kw = devices
        .filter_map(|device| Some((device.capacity_kw?, device.days_with_data)))
        .map(|(kw, own)| kw * f64::from(own) / f64::from(days))
        .sum();
    (kw, days)
}

/// The energy of each site for each kW, where the person compares sites by that.
fn for_each_kw_of_sites(
    state: &SiteState,
    report: &FinancialReport,
    known: &[LoggerSummary],
) -> Option<String> {
    let words = state.flow_context.words();
    if !language::compares_sites_by_size(&words, known) || report.sites.len() < 2 {
        return None;
    }
    let mut yields: Vec<(&str, f64)> = Vec::new();
    let (mut estimated, mut without) = (false, Vec::new());
    for site in &report.sites {
        let devices = || {
            report.devices.iter().filter(|device| {
                device.site_id.as_deref() == Some(site.site_id.as_str())
                    && device.counted
                    && device.days_with_data > 0
                    && !device.flags.contains(&Flag::CapacityImplausible)
            })
        };
        let unsized_ones = devices().filter(|device| device.capacity_kw.is_none());
        without.extend(unsized_ones.map(|device| device.logger_id.as_str()));
        let is_estimate =
            |device: &FinancialReport| device.capacity_basis != Some(CapacityBasis::Configured);
        estimated |= devices().any(is_estimate);
        let (kw, _) = capacity_with_data(devices());
        let kwh: f64 = devices().map(|device| device.total_energy_kwh).sum();
        if kw > 0.0 {
            yields.push((&site.name, kwh / kw));
        }
    }
    if !without.is_empty() {
        return Some(sentences::no_capacity(&without));
    }
    yields.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    (yields.len() > 1).then(|| sentences::yields_of_sites(&yields, estimated))
}

/// The sites that a comparison of all sites cannot have, because they have no data then.
fn sites_without_data(report: &FinancialReport, known: &[LoggerSummary]) -> Option<String> {
    let all = report
        .scope
        .as_ref()
        .is_some_and(|scope| scope.kind == ScopeKind::All);
    let mut silent: BTreeMap<&str, Option<NaiveDate>> = BTreeMap::new();
    for one in known.iter().filter(|one| one.role != LoggerRole::Weather) {
        if report.sites.iter().all(|site| site.site_id != one.site_id) {
            let last = one.latest_data.map(|last| last.date_naive());
            let newest = silent.entry(&one.site_name).or_default();
            *newest = last.max(*newest);
        }
    }
    let silent: Vec<_> = silent.into_iter().collect();
    (all && !silent.is_empty()).then(|| sentences::sites_without_data(&silent))
}

/// The currency of the money, where the person asks for another one.
fn in_own_currency(state: &SiteState, report: &FinancialReport) -> Option<String> {
    let named = NamedCurrency::asked(&state.flow_context.words())?;
    let own = report.currency.as_ref()?;
    (!named.may_be(own)).then(|| sentences::in_own_currency(&named.name(), own))
}

/// The energy of a day on average, where the person asks for it.
fn for_each_day(state: &SiteState, report: &FinancialReport) -> Option<String> {
    if !language::asks_daily_average(&state.flow_context.words()) {
        return None;
    }
    // Of several devices a day counts once.
    let days = report
        .devices
        .iter()
        .filter(|device| device.counted)
        .map(|device| device.days_with_data)
        .max()
        .unwrap_or(report.days_with_data);
    (days > 0).then(|| sentences::daily_average(report.total_energy_kwh / f64::from(days), days))
}

fn savings_arguments(resolved: &Resolved) -> FinancialSavingsArguments {
    let period = resolved.period;
    let Selection {
        logger_id,
        logger_ids,
        site_id,
    } = resolved.selection();
    FinancialSavingsArguments {
        logger_id,
        logger_ids,
        site_id,
        // A device without any data has no newest day; the tool says so, whatever the days are.
        start_date: period.map_or(resolved.today, |period| period.start),
        end_date: period.map(|period| period.end),
        electricity_rate: resolved.rate,
        ranked: false,
    }
}

/// The coming days of the one device that the report is about.
fn forecast_arguments(resolved: &Resolved) -> Option<ForecastArguments> {
    match resolved.loggers.as_slice() {
        [only] => Some(ForecastArguments {
            logger_id: only.logger_id.clone(),
            days_ahead: MAX_DAYS_AHEAD,
        }),
        _ => None,
    }
}
