//! The recovery subgraph, shared by every workflow and free chat: `detect_recovery_type ->
//! extract_available_range -> prompt_date_selection`, and in the turn with the date
//! `retry_with_date`; `-> suggest_alternatives`; `-> explain_error`.
//!
//! A person answers between the prompt and the retry, maybe days later, so the retry begins another
//! run: the open picker in the state remembers the workflow and the call.

use std::sync::Arc;

use chrono::NaiveDate;
use contracts::{
    tools::{ListLoggersArguments, LoggerList, Period, ToolStatus, names},
    ui::{Suggestion, SuggestionPriority, SuggestionUrgency},
};
use graph::{BuildError, CompiledGraph, Context, END, NodeResult, START, StateGraph};
use serde_json::Value;

use crate::{
    arguments::{self, days_before},
    cards,
    language::{Argument, Flow},
    narrative::{format, phrases, prompts},
    stage::Stage,
    state::{Failure, Finding, RememberedCall, SiteState, SiteUpdate},
};

/// Number of attempts to repair one task after which the assistant gives up.
pub const MAX_ATTEMPTS: u32 = 3;

const DETECT: &str = "detect_recovery_type";
const EXTRACT: &str = "extract_available_range";
const PROMPT: &str = "prompt_date_selection";
const RETRY: &str = "retry_with_date";
const ALTERNATIVES: &str = "suggest_alternatives";
const EXPLAIN: &str = "explain_error";

pub(crate) fn build() -> Result<CompiledGraph<SiteState>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node(DETECT, detect_recovery_type)
        .add_node(EXTRACT, extract_available_range)
        .add_node(PROMPT, prompt_date_selection)
        .add_node(RETRY, retry_with_date)
        .add_node(ALTERNATIVES, suggest_alternatives)
        .add_node(EXPLAIN, explain_error)
        .add_conditional_edges(
            START,
            |state: &SiteState| {
                if state.work.retrying && state.work.failure.is_none() {
                    RETRY
                } else {
                    DETECT
                }
            },
            [DETECT, RETRY],
        )
        .add_conditional_edges(DETECT, by_type, [EXTRACT, ALTERNATIVES, EXPLAIN])
        .add_conditional_edges(
            EXTRACT,
            |state: &SiteState| {
                if askable(state).is_some() {
                    PROMPT
                } else {
                    EXPLAIN
                }
            },
            [PROMPT, EXPLAIN],
        )
        .add_edge(PROMPT, END)
        .add_edge(RETRY, END)
        .add_edge(ALTERNATIVES, END)
        .add_edge(EXPLAIN, END);
    graph.build("recovery")
}

/// Counts the attempt; what kind of trouble it is, is [`by_type`].
async fn detect_recovery_type(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    if state.recovery_attempts >= MAX_ATTEMPTS {
        stage.update(Finding::GaveUp);
        stage.update(SiteUpdate::RecoveryAttempts(0));
    } else {
        stage.update(SiteUpdate::RecoveryAttempts(state.recovery_attempts + 1));
    }
    Ok(stage.done())
}

fn by_type(state: &SiteState) -> &'static str {
    match state.work.failure.as_deref().map(|failure| failure.status) {
        _ if state.work.gave_up => EXPLAIN,
        Some(ToolStatus::NoDataInWindow) => EXTRACT,
        Some(ToolStatus::NoData) => ALTERNATIVES,
        Some(ToolStatus::Error | ToolStatus::Ok) | None => EXPLAIN,
    }
}

/// Only looks; whether there is a range to choose from is [`askable`].
async fn extract_available_range(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    Ok(Stage::new(&state, context)?.done())
}

/// The failure, when a choice of days within its range can repair it.
fn askable(state: &SiteState) -> Option<(&Failure, contracts::tools::AvailableRange, Argument)> {
    let failure = state.work.failure.as_deref()?;
    Some((
        failure,
        failure.available_range?,
        date_argument(&failure.tool)?,
    ))
}

/// Whether a choice of other days can repair the failure.
pub(crate) fn days_repair(failure: &Failure) -> bool {
    failure.available_range.is_some() && date_argument(&failure.tool).is_some()
}

/// The argument of a tool that says when.
fn date_argument(tool: &str) -> Option<Argument> {
    match tool {
        names::GET_POWER_CURVE | names::CALCULATE_PERFORMANCE_RATIO | names::COMPARE_LOGGERS => {
            Some(Argument::Date)
        }
        names::ANALYZE_INVERTER_HEALTH
        | names::CALCULATE_FINANCIAL_SAVINGS
        | names::DIAGNOSE_ERROR_CODES => Some(Argument::DateRange),
        _ => None,
    }
}

async fn prompt_date_selection(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    if let Some((failure, range, argument)) = askable(&state) {
        let asked = asked_for(failure);
        let remark = phrases::no_data_in_window(&subject(failure), asked.as_deref(), &range);
        let request = arguments::dates(
            argument,
            Some(range),
            prompts::recovery_dates(argument, asked.as_deref(), &range),
        );
        let flow = state.active_flow.unwrap_or(Flow::FreeChat);
        stage
            .ask(
                Some(&remark),
                argument,
                request,
                flow,
                Some(remembered(failure, argument)),
            )
            .await;
    }
    Ok(stage.done())
}

/// The person chose days: the workflow begins again with them, and makes the remembered call with
/// its dates replaced.
async fn retry_with_date(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let mut task = state.flow_context.clone();
    if task.retry.take().is_some() {
        let period = task
            .chosen_period()
            .map(|period| format!(" {}", format::from_to(period.start, period.end)));
        stage
            .hint(&format!("Trying again{}", period.unwrap_or_default()))
            .await;
    }
    stage.update(SiteUpdate::Context(Box::new(task)));
    Ok(stage.done())
}

async fn suggest_alternatives(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let Some(failure) = state.work.failure.as_deref() else {
        return Ok(stage.done());
    };
    if &*failure.tool == names::GET_FLEET_OVERVIEW || &*failure.tool == names::LIST_LOGGERS {
        stage.say_in_step(phrases::NO_LOGGERS).await;
        return Ok(stage.done());
    }
    let known = match state.work.loggers.clone() {
        Some(known) => known,
        None => Arc::new(fetch(&mut stage).await),
    };
    let without_data = loggers_of(failure);
    let others = known
        .loggers
        .iter()
        .filter(|logger| logger.latest_data.is_some() && !without_data.contains(&logger.logger_id));
    let others: Vec<_> = others.cloned().collect();
    let argument = if &*failure.tool == names::COMPARE_LOGGERS {
        Argument::LoggerIds
    } else {
        Argument::LoggerId
    };
    let least = if argument == Argument::LoggerIds {
        *arguments::COMPARED.start()
    } else {
        1
    };
    let subject = subject(failure);
    if others.len() < least {
        stage.say_in_step(&phrases::no_data(&subject, false)).await;
        return Ok(stage.done());
    }
    let remark = phrases::no_data(&subject, true);
    let request = arguments::alternatives(
        argument,
        &others,
        prompts::recovery_logger(&subject, others.len()),
    );
    let flow = state.active_flow.unwrap_or(Flow::FreeChat);
    stage
        .ask(Some(&remark), argument, request, flow, None)
        .await;
    Ok(stage.done())
}

async fn fetch(stage: &mut Stage) -> LoggerList {
    stage.begin_step().await;
    let called = stage
        .call::<LoggerList>(names::LIST_LOGGERS, &ListLoggersArguments::default())
        .await;
    stage.end_step().await;
    called.map_or_else(
        |_| LoggerList {
            kind: "logger_list".to_owned(),
            count: 0,
            loggers: Vec::new(),
        },
        |called| called.result,
    )
}

/// Says what went wrong, and offers to try again. After three attempts it gives up instead.
async fn explain_error(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    if state.work.gave_up {
        stage.say_in_step(phrases::GIVE_UP).await;
        stage.update(SiteUpdate::Dropped);
        return Ok(stage.done());
    }
    let failure = state.work.failure.as_deref();
    let reason = failure.map(|failure| &*failure.message);
    let details = failure.map(details).unwrap_or_default();
    let card = cards::error_card(
        "That did not work",
        reason.unwrap_or("Something went wrong."),
        details,
    );
    let again = Suggestion {
        label: "Try again".to_owned(),
        action: state.flow_context.request.clone(),
        priority: SuggestionPriority::Primary,
        urgency: SuggestionUrgency::Recommended,
        reason: "The problem may have passed.".to_owned(),
    };
    let suggestions = if again.action.is_empty() {
        Vec::new()
    } else {
        vec![again]
    };
    stage.show(cards::card(card, suggestions)).await;
    stage.say_in_step(&phrases::tool_failed(reason)).await;
    Ok(stage.done())
}

fn remembered(failure: &Failure, argument: Argument) -> RememberedCall {
    RememberedCall {
        tool: failure.tool.to_string(),
        arguments: failure.arguments.clone(),
        argument,
    }
}

/// The devices that a failed call was about.
fn loggers_of(failure: &Failure) -> Vec<String> {
    let several = failure
        .arguments
        .get("logger_ids")
        .and_then(Value::as_array);
    let several = several.into_iter().flatten().filter_map(Value::as_str);
    several
        .chain(failure.logger_id())
        .map(str::to_owned)
        .collect()
}

fn subject(failure: &Failure) -> String {
    match loggers_of(failure).as_slice() {
        [] => "your devices".to_owned(),
        some => format::list_most(some, 3),
    }
}

/// The days that a failed call asked for, in words.
fn asked_for(failure: &Failure) -> Option<String> {
    let day = |name: &str| {
        failure
            .arguments
            .get(name)
            .and_then(Value::as_str)
            .and_then(|text| text.parse::<NaiveDate>().ok())
    };
    let days = failure.arguments.get("days").and_then(Value::as_u64);
    let (start, end) = match (day("date").or(day("start_date")), day("end_date"), days) {
        (Some(start), end, _) => (start, end.unwrap_or(start)),
        (None, Some(end), Some(days)) => (days_before(end, days.saturating_sub(1)), end),
        _ => return None,
    };
    Some(format::period(Period { start, end }))
}

/// The subject of the failed call, for the card.
fn details(failure: &Failure) -> Vec<String> {
    let mut details = Vec::new();
    let loggers = loggers_of(failure);
    if !loggers.is_empty() {
        details.push(format!("Device: {}", format::list_most(&loggers, 5)));
    }
    if let Some(asked) = asked_for(failure) {
        details.push(format!("Days: {asked}"));
    }
    details
}
