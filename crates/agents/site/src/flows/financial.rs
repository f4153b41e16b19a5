//! The financial report: `fetch_loggers -> check_args -> [wait] -> calculate_savings -> [recovery]
//! -> forecast -> render_report`.
//!
//! It is about one device, a list, a site or everything: one call gives the total and each device's
//! part. The forecast is one device's.

use std::sync::Arc;

use contracts::tools::{
    CapacityBasis, FinancialReport, FinancialSavingsArguments, ForecastArguments,
    ProductionForecast, names,
};
use graph::{BuildError, CompiledGraph, Context, END, NodeError, NodeResult};

use super::{conclude, nodes, over, report_graph, resolved, unless_failed};
use crate::{
    cards,
    language::{self, MAX_DAYS_AHEAD},
    narrative::Facts,
    sentences,
    stage::Stage,
    state::{Finding, Resolved, Selection, SiteState, SiteUpdate},
};

const CALCULATE_SAVINGS: &str = "calculate_savings";
const FORECAST: &str = "forecast";

pub(crate) fn build() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = report_graph(CALCULATE_SAVINGS);
    graph
        .add_node(CALCULATE_SAVINGS, calculate_savings)
        .add_node(FORECAST, forecast)
        .add_node(nodes::RENDER_REPORT, render_report)
        .add_conditional_edges(
            CALCULATE_SAVINGS,
            |state: &SiteState| unless_failed(state, FORECAST),
            [FORECAST, END],
        )
        .add_edge(FORECAST, nodes::RENDER_REPORT)
        .add_edge(nodes::RENDER_REPORT, END);
    graph.build("financial_report")
}

/// Asks for the savings, and at the same time for the forecast, which does not depend on them. Its
/// own node says the forecast.
async fn calculate_savings(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let resolved = resolved(&state)?;
    let arguments = savings_arguments(resolved)?;
    stage.begin_step().await;
    stage
        .hint(&format!("Adding up the energy{}", over(resolved.period)))
        .await;
    let call = stage
        .announce(names::CALCULATE_FINANCIAL_SAVINGS, &arguments)
        .await;
    let tools = Arc::clone(stage.turn().tools());
    let coming = match forecast_arguments(resolved) {
        Some(arguments) => Some(serde_json::to_value(arguments)?),
        None => None,
    };
    let (savings, forecast) = futures::join!(
        tools.call(
            names::CALCULATE_FINANCIAL_SAVINGS,
            serde_json::Value::Object(call.arguments.clone())
        ),
        async {
            match coming {
                Some(arguments) => Some(tools.call(names::FORECAST_PRODUCTION, arguments).await),
                None => None,
            }
        },
    );
    match stage.settle::<FinancialReport>(call, savings).await {
        Ok(called) => {
            stage.update(Finding::Savings(called.result));
            if let Some(forecast) = forecast {
                stage.update(Finding::Fetched(forecast));
            }
        }
        Err(failure) => stage.update(Finding::Failure(failure)),
    }
    stage.end_step().await;
    stage.update(SiteUpdate::Step(2));
    Ok(stage.done())
}

/// Reports the forecast. Without one the report is still a report.
async fn forecast(state: Arc<SiteState>, context: Context<SiteState>) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let Some(arguments) = forecast_arguments(resolved(&state)?) else {
        stage.update(SiteUpdate::Step(3));
        return Ok(stage.done());
    };
    stage.begin_step().await;
    let call = stage.announce(names::FORECAST_PRODUCTION, &arguments).await;
    let answer = match state.work.fetched.as_deref() {
        Some(answer) => answer.clone(),
        None => {
            stage
                .turn()
                .tools()
                .call(
                    names::FORECAST_PRODUCTION,
                    serde_json::Value::Object(call.arguments.clone()),
                )
                .await
        }
    };
    let forecast = stage.settle::<ProductionForecast>(call, answer).await;
    stage.update(Finding::Forecast(forecast.map(|called| called.result)));
    stage.end_step().await;
    stage.update(SiteUpdate::Step(3));
    Ok(stage.done())
}

async fn render_report(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let report = state
        .work
        .savings
        .as_deref()
        .ok_or_else(|| NodeError::permanent("a financial report needs savings"))?;
    let forecast = state
        .work
        .forecast
        .as_deref()
        .and_then(|forecast| forecast.as_ref().ok());
    let failed = state
        .work
        .forecast
        .as_deref()
        .and_then(|forecast| forecast.as_ref().err());
    let mut remarks: Vec<_> = failed
        .map(|failure| sentences::without_forecast(&failure.message))
        .into_iter()
        .collect();
    remarks.extend(for_each_kw(&state, report));
    remarks.extend(for_each_day(&state, report));
    let words = state.flow_context.words();
    let facts = if language::asks_for_energy(&words) || language::asks_specific_yield(&words) {
        Facts::Energy { report }
    } else {
        Facts::Financial { report, forecast }
    };
    conclude(
        &mut stage,
        &state,
        &facts,
        Some(cards::financial_card(report, forecast)),
        &remarks,
    )
    .await;
    Ok(stage.done())
}

/// The energy for each kW, where the person asks for it: of the devices whose capacity is stated.
fn for_each_kw(state: &SiteState, report: &FinancialReport) -> Option<String> {
    if !language::asks_specific_yield(&state.flow_context.words()) || report.days_with_data == 0 {
        return None;
    }
    let loggers = &state.work.resolved.as_deref()?.loggers;
    let stated = |id: &str| {
        let logger = loggers.iter().find(|logger| logger.logger_id == id)?;
        let stated = matches!(
            logger.capacity_basis,
            CapacityBasis::Configured | CapacityBasis::Parameter
        );
        logger.capacity_kw.filter(|kw| stated && *kw > 0.0)
    };
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
    let without: Vec<&str> = counted()
        .filter(|device| stated(&device.logger_id).is_none())
        .map(|device| device.logger_id.as_str())
        .collect();
    if !without.is_empty() {
        return Some(sentences::no_capacity(&without));
    }
    let kw: f64 = counted()
        .filter_map(|device| stated(&device.logger_id))
        .sum();
    (kw > 0.0).then(|| sentences::specific_yield(report.total_energy_kwh / kw, kw))
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

fn savings_arguments(resolved: &Resolved) -> Result<FinancialSavingsArguments, NodeError> {
    let period = resolved.period;
    let today = resolved
        .today
        .ok_or_else(|| NodeError::permanent("the arguments were not checked"))?;
    let Selection {
        logger_id,
        logger_ids,
        site_id,
    } = resolved.selection();
    Ok(FinancialSavingsArguments {
        logger_id,
        logger_ids,
        site_id,
        // A device without any data has no newest day; the tool says so, whatever the days are.
        start_date: period.map_or(today, |period| period.start),
        end_date: period.map(|period| period.end),
        electricity_rate: resolved.rate,
    })
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
