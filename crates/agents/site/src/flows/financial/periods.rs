//! Two periods beside each other: a report of each, and what changed.

use contracts::{
    tools::{FinancialReport, FinancialSavingsArguments, Period, ToolStatus, names},
    ui::UiComponent,
};
use serde_json::json;

use super::{
    savings_arguments,
    silent::{self, Unknown},
};
use crate::{
    calls,
    findings::Failure,
    flows::{Early, Outcome, Prepared, conclude, over},
    language,
    narrative::{Asked, Facts, periods, periods::Measure},
    run::Node,
    sentences,
    state::{SiteState, SiteUpdate},
};

/// Reports what the devices made in the period of the question and in an earlier one.
pub(super) async fn tell(
    node: &Node,
    state: &SiteState,
    prepared: &Prepared,
    earlier: Period,
    asked: Option<Asked>,
) -> Outcome {
    let resolved = &prepared.resolved;
    let Some(later) = resolved.period else {
        return Ok(());
    };
    let of_later = report(node, prepared, later).await?;
    let of_earlier = report(node, prepared, earlier).await?;
    node.update(SiteUpdate::Step(2));
    let (of_later, of_earlier) = match (of_later, of_earlier) {
        (Err(failure), Err(_)) => return Err(prepared.failed(failure)),
        (later, earlier) => (later.ok(), earlier.ok()),
    };
    let words = state.flow_context.words();
    let known = &prepared.loggers.loggers;
    let mut unknown = Vec::new();
    let mut without_silent = |report: Option<FinancialReport>| {
        let mut report = report?;
        match silent::take_out(&mut report, known) {
            Some(Unknown::All(told)) => {
                unknown.push(told);
                return None;
            }
            Some(Unknown::Some(told)) => unknown.push(told),
            None => {}
        }
        Some(report)
    };
    let (of_later, of_earlier) = (without_silent(of_later), without_silent(of_earlier));
    let is_priced =
        |report: &Option<FinancialReport>| report.as_ref().is_none_or(|one| one.savings.is_some());
    let in_money = !language::asks_for_energy(&words, known)
        && !language::sets_energy_beside(&words)
        && is_priced(&of_later)
        && is_priced(&of_earlier);
    let measure = match asked {
        Some(Asked::Carbon | Asked::MostCarbon | Asked::SitesByWorth { carbon: true }) => {
            Measure::Carbon
        }
        _ if in_money => Measure::Money,
        _ => Measure::Energy,
    };
    let of_sites = matches!(
        asked,
        Some(Asked::Sites | Asked::EndOfSites(_) | Asked::SitesByWorth { .. })
    );
    let grouped = |report: Option<FinancialReport>| match report {
        Some(report) if of_sites => Some(periods::by_site(&report)),
        report => report,
    };
    let (of_later, of_earlier) = (grouped(of_later), grouped(of_earlier));
    let beside = periods::Beside::of(
        (earlier, of_earlier.as_ref()),
        (later, of_later.as_ref()),
        measure,
    );
    let (lead, mut remarks) = beside.tell(language::asked_change(&words));
    remarks.extend(unknown);
    if later.end >= resolved.today {
        remarks.push(sentences::still_runs(later.end));
    }
    let card = UiComponent::DataCard(Box::new(beside.card()));
    let result = json!({ "earlier": of_earlier, "later": of_later });
    let facts = Facts::Presented {
        facts: &[lead],
        result: &result,
    };
    conclude(node, state, Some(prepared), &facts, card, &remarks).await;
    Ok(())
}

/// The report of one of the periods; `Err` where it has no data, which is half an answer.
async fn report(
    node: &Node,
    prepared: &Prepared,
    period: Period,
) -> Result<Result<FinancialReport, Failure>, Early> {
    let arguments = FinancialSavingsArguments {
        start_date: period.start,
        end_date: Some(period.end),
        ..savings_arguments(&prepared.resolved)
    };
    node.begin_step().await;
    node.hint(&format!("Adding up the energy{}", over(Some(period))))
        .await;
    let found = calls::call(node, names::CALCULATE_FINANCIAL_SAVINGS, &arguments).await;
    node.end_step().await;
    match found {
        Ok(found) => Ok(Ok(found.result)),
        Err(failure) if failure.status == ToolStatus::NoDataInWindow => Ok(Err(failure)),
        Err(failure) => Err(prepared.failed(failure)),
    }
}
