//! The recovery subgraph, shared by every workflow and free chat: `detect_recovery_type ->
//! extract_available_range -> prompt_date_selection`, and in the turn with the date
//! `retry_with_date`; `-> suggest_alternatives`; `-> explain_error`.
//!
//! A person answers between the question and the retry, maybe days later, so the retry begins
//! another run: the open picker in the state remembers the workflow and the call, and the router
//! has the workflow begin again.

use std::sync::Arc;

use agent_kit::AssistantGraph;
use chrono::NaiveDate;
use contracts::{
    tools::{AvailableRange, Period, ToolStatus, names, registry},
    ui::{Suggestion, SuggestionPriority, SuggestionUrgency},
};
use graph::{BuildError, END, NodeResult, START, StateGraph};
use serde_json::Value;

use crate::{
    SiteAssistant,
    arguments::{self, days_before},
    cards,
    findings::Failure,
    flows,
    language::{Argument, Flow},
    narrative::{format, phrases, prompts},
    run::{Context, Failed, Node, Run},
    state::{RememberedCall, SiteState, SiteUpdate},
    ui::{self, Picker},
};

/// Number of attempts to repair one task after which the assistant gives up.
pub const MAX_ATTEMPTS: u32 = 3;

const PROMPT: &str = "prompt_date_selection";
const ALTERNATIVES: &str = "suggest_alternatives";
const EXPLAIN: &str = "explain_error";

pub(crate) fn build() -> Result<AssistantGraph<SiteAssistant>, BuildError> {
    let mut graph = StateGraph::new();
    graph
        .add_node(PROMPT, prompt_date_selection)
        .add_node(ALTERNATIVES, suggest_alternatives)
        .add_node(EXPLAIN, explain_error)
        .add_conditional_edges_with(START, by_type, [PROMPT, ALTERNATIVES, EXPLAIN])
        .add_edge(PROMPT, END)
        .add_edge(ALTERNATIVES, END)
        .add_edge(EXPLAIN, END);
    graph.build("recovery")
}

/// What can be done about the failure.
fn by_type(state: &SiteState, run: &Run) -> &'static str {
    let Some(Failed { failure, .. }) = run.assistant.failed() else {
        return EXPLAIN;
    };
    match failure.status {
        _ if gives_up(state) => EXPLAIN,
        ToolStatus::NoDataInWindow if askable(failure).is_some() => PROMPT,
        ToolStatus::NoData => ALTERNATIVES,
        ToolStatus::NoDataInWindow | ToolStatus::Error | ToolStatus::Ok => EXPLAIN,
    }
}

/// Whether too many repairs of this task failed.
fn gives_up(state: &SiteState) -> bool {
    state.recovery_attempts >= MAX_ATTEMPTS
}

/// Counts an attempt to repair the task.
fn count_attempt(node: &Node, state: &SiteState) {
    node.update(SiteUpdate::RecoveryAttempts(state.recovery_attempts + 1));
}

/// The days to choose from and the argument that says when, when a choice of days can repair the
/// failure.
fn askable(failure: &Failure) -> Option<(AvailableRange, Argument)> {
    Some((failure.available_range?, date_argument(&failure.tool)?))
}

/// Whether a choice of other days can repair the failure.
pub(crate) fn days_repair(failure: &Failure) -> bool {
    askable(failure).is_some()
}

/// The argument of a tool that says when.
fn date_argument(tool: &str) -> Option<Argument> {
    let schema = registry::descriptor(tool)?.definition().input_schema;
    let takes = |name: &str| schema["properties"].get(name).is_some();
    if takes("start_date") {
        Some(Argument::DateRange)
    } else {
        takes("date").then_some(Argument::Date)
    }
}

async fn prompt_date_selection(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    count_attempt(&node, &state);
    if let Some(failed) = node.run().assistant.failed()
        && let Some((range, argument)) = askable(&failed.failure)
    {
        let failure = &failed.failure;
        let asked = asked_for(failure);
        // Days within the range are without figures for a reason that the tool knows.
        let within = period_of(failure)
            .is_some_and(|period| period.start >= range.start && period.end <= range.end);
        let mut remark = if within {
            format::sentence(&failure.message)
        } else {
            phrases::no_data_in_window(&subject(failure), asked.as_deref(), &range)
        };
        if let Some(known) = &failed.loggers {
            let ids = loggers_of(failure);
            let meant = known.loggers.iter();
            let meant = meant.filter(|logger| ids.contains(&logger.logger_id));
            let now = node.run().now;
            let mut silent = arguments::silent(meant.clone(), &known.loggers, now);
            silent.extend(arguments::silent_sites(meant, &known.loggers, now));
            if let Some(silent) = flows::tell_silence(&silent) {
                remark = format!("{remark} {silent}");
            }
        }
        let prompt = prompts::recovery_dates(argument, asked.as_deref(), &range);
        let request = arguments::dates(argument, Some(range), prompt);
        let picker = Picker {
            retry: Some(remembered(failure, argument)),
            asked_by: failed.asked_by,
            ..Picker::new(argument, request, flow(&state))
        };
        ui::ask(&node, Some(&remark), picker).await;
    }
    Ok(node.done())
}

/// The workflow that continues with the person's answer.
fn flow(state: &SiteState) -> Flow {
    state.active_flow.unwrap_or(Flow::FreeChat)
}

/// The person chose days for a call that failed: the workflow begins again with them.
pub(crate) async fn retry_with_date(node: &Node, period: Option<Period>) {
    let period = period.map(|period| format!(" {}", format::from_to(period.start, period.end)));
    node.hint(&format!("Trying again{}", period.unwrap_or_default()))
        .await;
}

async fn suggest_alternatives(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    count_attempt(&node, &state);
    if let Some(failed) = node.run().assistant.failed() {
        offer_other_devices(&node, flow(&state), failed).await;
    }
    Ok(node.done())
}

async fn offer_other_devices(node: &Node, flow: Flow, failed: &Failed) {
    let failure = &failed.failure;
    if &*failure.tool == names::GET_FLEET_OVERVIEW || &*failure.tool == names::LIST_LOGGERS {
        node.say_in_step(phrases::NO_LOGGERS).await;
        return;
    }
    let known = match &failed.loggers {
        Some(known) => known.loggers.clone(),
        None => flows::fetch_loggers(node)
            .await
            .map_or_else(|_| Vec::new(), |list| list.loggers),
    };
    let without_data = loggers_of(failure);
    let others = known
        .into_iter()
        .filter(|logger| logger.latest_data.is_some() && !without_data.contains(&logger.logger_id));
    let others: Vec<_> = others.collect();
    let (argument, least) = if &*failure.tool == names::COMPARE_LOGGERS {
        (Argument::LoggerIds, *arguments::COMPARED.start())
    } else {
        (Argument::LoggerId, 1)
    };
    let subject = subject(failure);
    if others.len() < least {
        node.say_in_step(&phrases::no_data(&subject, false)).await;
        return;
    }
    let remark = phrases::no_data(&subject, true);
    let prompt = prompts::recovery_logger(&subject, others.len());
    let request = arguments::alternatives(argument, &others, prompt);
    let picker = Picker {
        asked_by: failed.asked_by,
        ..Picker::new(argument, request, flow)
    };
    ui::ask(node, Some(&remark), picker).await;
}

/// Says what went wrong, and offers to try again. After three attempts it gives up instead.
async fn explain_error(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    if gives_up(&state) {
        node.say_in_step(phrases::GIVE_UP).await;
        node.update(SiteUpdate::Dropped);
        return Ok(node.done());
    }
    count_attempt(&node, &state);
    let failure = node.run().assistant.failed().map(|failed| &failed.failure);
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
    ui::show(&node, cards::card(card, suggestions)).await;
    node.say_in_step(&phrases::tool_failed(reason)).await;
    Ok(node.done())
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
    period_of(failure).map(format::period)
}

/// The days that a failed call asked for.
fn period_of(failure: &Failure) -> Option<Period> {
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
    Some(Period { start, end })
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
