//! The best or the worst days, weeks, months or years of a period, by energy or by money.

use contracts::tools::{
    EnergyHistory, EnergyPeriod, FinancialReport, FinancialSavingsArguments, names,
};

use super::replies::Replies;
use crate::{
    calls::call_each,
    findings::{Resolved, Selection},
    language::BestOf,
    narrative::format,
    run::Node,
    sentences,
};

/// Most days whose money is looked up.
const MOST_PRICED: usize = 7;

/// The sentence that names them, where the energy alone does not answer the question; empty where
/// the reply names the one that is asked for.
pub(super) async fn told(
    node: &Node,
    best: BestOf,
    resolved: &Resolved,
    replies: &mut Replies,
) -> String {
    let [Ok(reply)] = replies.as_mut_slice() else {
        return String::new();
    };
    let Some(history) = reply.energy_history() else {
        return String::new();
    };
    let count = best
        .count
        .map_or(1, |count| usize::try_from(count).unwrap_or(usize::MAX));
    if count < 2 && !best.by_money {
        return of_parts(&history, best.worst).unwrap_or_default();
    }
    let ranked = ranked(&history, best.worst);
    if ranked.is_empty() {
        return String::new();
    }
    let first = &ranked[..count.min(ranked.len())];
    let money = if best.by_money && first.len() <= MOST_PRICED {
        worth(node, resolved, first).await
    } else {
        None
    };
    reply.leave_out("The highest ");
    let named: Vec<(String, String)> = first
        .iter()
        .enumerate()
        .map(|(at, one)| {
            let energy = format::energy(one.energy_kwh.unwrap_or_default());
            let worth = money.as_ref().and_then(|money| money.get(at));
            let figure = worth.map_or(energy.clone(), |worth| format!("{worth} for {energy}"));
            (history.interval.label(one.start), figure)
        })
        .collect();
    let ranking = sentences::best_periods(
        history.interval.noun(),
        (count, best.worst),
        &named,
        money.is_some(),
    );
    if best.by_money && money.is_none() {
        return format!("{} {ranking}", sentences::TARIFFS_DIFFER);
    }
    ranking
}

/// The first one where fewer than two are complete, so that the reply names none: of what is there.
fn of_parts(history: &EnergyHistory, worst: bool) -> Option<String> {
    if history.highest.is_some() {
        return None;
    }
    let known = || {
        let periods = history.periods.iter();
        periods.filter_map(|one| Some((one, one.energy_kwh?)))
    };
    let order = |a: &(&EnergyPeriod, f64), b: &(&EnergyPeriod, f64)| a.1.total_cmp(&b.1);
    let (first, kwh) = if worst {
        known().min_by(order)
    } else {
        known().max_by(order)
    }?;
    (known().count() > 1).then(|| {
        sentences::first_of_parts(
            &history.interval.label(first.start),
            &format::energy(kwh),
            worst,
        )
    })
}

/// The complete intervals, those that are asked for first.
fn ranked(history: &EnergyHistory, worst: bool) -> Vec<&EnergyPeriod> {
    let mut ranked: Vec<&EnergyPeriod> = history
        .periods
        .iter()
        .filter(|one| one.complete && one.energy_kwh.is_some())
        .collect();
    ranked.sort_by(|a, b| {
        let order = a
            .energy_kwh
            .unwrap_or_default()
            .total_cmp(&b.energy_kwh.unwrap_or_default());
        if worst { order } else { order.reverse() }
    });
    ranked
}

/// The money of each interval; `None` unless one tariff holds for all of it, so that the order by
/// energy is the order by money.
async fn worth(node: &Node, resolved: &Resolved, periods: &[&EnergyPeriod]) -> Option<Vec<String>> {
    let Selection {
        logger_id,
        logger_ids,
        site_id,
    } = resolved.selection();
    let calls: Vec<_> = periods
        .iter()
        .map(|one| FinancialSavingsArguments {
            logger_id: logger_id.clone(),
            logger_ids: logger_ids.clone(),
            site_id: site_id.clone(),
            start_date: one.start,
            end_date: Some(one.end),
            electricity_rate: resolved.rate,
            ranked: false,
        })
        .collect();
    node.begin_step().await;
    node.hint("Adding up the money").await;
    let answers =
        call_each::<FinancialReport>(node, names::CALCULATE_FINANCIAL_SAVINGS, calls).await;
    node.end_step().await;
    let reports: Vec<FinancialReport> = answers
        .into_iter()
        .map(|answer| answer.ok().map(|found| found.result))
        .collect::<Option<_>>()?;
    let rate = reports.first()?.electricity_rate?;
    reports
        .iter()
        .map(|report| {
            let (savings, currency) = report.savings.zip(report.currency.as_ref())?;
            (report.electricity_rate == Some(rate)).then(|| format::money(savings, currency))
        })
        .collect()
}
