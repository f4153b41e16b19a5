//! The financial report: the devices, then their savings, the forecast, and the report.
//!
//! It is about one device, a list, a site or everything: one call gives the total and each device's
//! part. The forecast is one device's.

use std::sync::Arc;

use agent_kit::ToolsError;
use contracts::tools::{
    FinancialReport, FinancialSavingsArguments, ForecastArguments, ProductionForecast,
    ToolEnvelope, names,
};
use graph::NodeResult;
use serde_json::Value;

use super::{Outcome, conclude, ended, over, prepare};
use crate::{
    arguments, calls, cards,
    findings::{Failure, Resolved, Selection},
    language::{self, Flow, MAX_DAYS_AHEAD},
    narrative::Facts,
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
    let coming = forecast_arguments(resolved);
    let (savings, answer) = calculate_savings(node, resolved, coming.as_ref()).await;
    node.update(SiteUpdate::Step(2));
    let savings = savings.map_err(|failure| prepared.failed(failure))?;
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
    let remarks: Vec<_> = failed
        .map(|failure| sentences::without_forecast(&failure.message))
        .into_iter()
        .collect();
    let (report, forecast) = (&savings, forecast.as_ref());
    let facts = if language::asks_for_energy(&state.flow_context.words()) {
        Facts::Energy { report }
    } else {
        Facts::Financial { report, forecast }
    };
    let card = cards::financial_card(report, forecast);
    conclude(node, state, Some(&prepared), &facts, card, &remarks).await;
    Ok(())
}

/// A tool's answer to a call that the client does not know of yet.
type Answer = Result<ToolEnvelope, ToolsError>;

/// Asks for the savings, and at the same time for the forecast, which does not depend on them.
async fn calculate_savings(
    node: &Node,
    resolved: &Resolved,
    coming: Option<&ForecastArguments>,
) -> (Result<FinancialReport, Failure>, Option<Answer>) {
    const TOOL: &str = names::CALCULATE_FINANCIAL_SAVINGS;
    let arguments = savings_arguments(resolved);
    node.begin_step().await;
    node.hint(&format!("Adding up the energy{}", over(resolved.period)))
        .await;
    let call = node.announce(TOOL, &arguments).await;
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
    let report = calls::read(&called, TOOL, &arguments).map(|found| found.result);
    (report, forecast)
}

/// Shows the call for the forecast and its result.
async fn forecast(
    node: &Node,
    arguments: &ForecastArguments,
    answer: Answer,
) -> Result<ProductionForecast, Failure> {
    node.begin_step().await;
    let call = node.announce(names::FORECAST_PRODUCTION, arguments).await;
    let called = node.settle(call, answer).await;
    node.end_step().await;
    let found = calls::read(&called, names::FORECAST_PRODUCTION, arguments)?;
    Ok(found.result)
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
