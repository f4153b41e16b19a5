//! The financial report: `fetch_loggers -> check_args -> [wait] -> calculate_savings -> [recovery] -> forecast -> render_report`.
//!
//! It is about one device. Several devices become a comparison of their energy over the same days: at one tariff money follows
//! energy, and a comparison says which device earns it.

use std::sync::Arc;

use contracts::tools::{
    FinancialReport, FinancialSavingsArguments, ForecastArguments, ProductionForecast, names,
};
use graph::{BuildError, CompiledGraph, Context, END, NodeError, NodeResult};

use super::{conclude, nodes, over, report_graph, resolved, unless_failed};
use crate::{
    cards,
    language::MAX_DAYS_AHEAD,
    narrative::Facts,
    sentences,
    stage::Stage,
    state::{Finding, Resolved, SiteState, SiteUpdate},
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

/// Asks for the savings, and at the same time for the forecast, which does not depend on them. The forecast is told by its own node.
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
    let (savings, forecast) = futures::join!(
        tools.call(
            names::CALCULATE_FINANCIAL_SAVINGS,
            serde_json::Value::Object(call.arguments.clone())
        ),
        tools.call(
            names::FORECAST_PRODUCTION,
            serde_json::to_value(forecast_arguments(resolved)?)?
        ),
    );
    match stage.settle::<FinancialReport>(call, savings).await {
        Ok(called) => {
            stage.update(Finding::Savings(called.result));
            stage.update(Finding::Fetched(forecast));
        }
        Err(failure) => stage.update(Finding::Failure(failure)),
    }
    stage.end_step().await;
    stage.update(SiteUpdate::Step(2));
    Ok(stage.done())
}

/// Tells the forecast. Without one the report is still a report.
async fn forecast(state: Arc<SiteState>, context: Context<SiteState>) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let arguments = forecast_arguments(resolved(&state)?)?;
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
    let remarks: Vec<_> = failed
        .map(|failure| sentences::without_forecast(&failure.message))
        .into_iter()
        .collect();
    let facts = Facts::Financial { report, forecast };
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

fn logger(resolved: &Resolved) -> Result<String, NodeError> {
    let logger = resolved
        .loggers
        .first()
        .ok_or_else(|| NodeError::permanent("a financial report needs a device"))?;
    Ok(logger.logger_id.clone())
}

fn savings_arguments(resolved: &Resolved) -> Result<FinancialSavingsArguments, NodeError> {
    let period = resolved.period;
    let today = resolved
        .today
        .ok_or_else(|| NodeError::permanent("the arguments were not checked"))?;
    Ok(FinancialSavingsArguments {
        logger_id: Some(logger(resolved)?),
        // A device without any data has no newest day; the tool says so, whatever the days are.
        start_date: period.map_or(today, |period| period.start),
        end_date: period.map(|period| period.end),
        electricity_rate: resolved.rate,
        ..FinancialSavingsArguments::default()
    })
}

fn forecast_arguments(resolved: &Resolved) -> Result<ForecastArguments, NodeError> {
    Ok(ForecastArguments {
        logger_id: logger(resolved)?,
        days_ahead: MAX_DAYS_AHEAD,
    })
}
