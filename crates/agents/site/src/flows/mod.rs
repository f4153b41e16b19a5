//! The workflows: each a subgraph, one file each, and what they have in common.

pub(crate) mod audit;
pub(crate) mod briefing;
pub(crate) mod financial;
pub(crate) mod free_chat;
pub(crate) mod greeting;
pub(crate) mod health;

use std::sync::Arc;

use contracts::{
    tools::{ListLoggersArguments, LoggerList, LoggerRole, Period, names},
    ui::{Suggestion, SuggestionPriority, UiComponent},
};
use graph::{Context, END, NodeError, NodeResult, START, StateGraph};

use crate::{
    arguments::{self, Checked, Needs},
    cards,
    language::{Flow, Question, asked_figure, question},
    model::wording,
    narrative::{Branch, Facts, Preferences, format, narrate_asked, phrases, suggestions},
    sentences,
    stage::Stage,
    state::{Failure, Finding, Missing, Resolved, SiteState, SiteUpdate},
};

/// Names of the nodes that several workflows have.
pub(crate) mod nodes {
    pub(crate) const FETCH_LOGGERS: &str = "fetch_loggers";
    pub(crate) const CHECK_ARGS: &str = "check_args";
    pub(crate) const WAIT: &str = "wait";
    pub(crate) const RENDER_REPORT: &str = "render_report";
}

/// Adds the beginning that the reports share: `fetch_loggers -> check_args -> [wait] -> first`.
pub(crate) fn add_arguments(graph: &mut StateGraph<SiteState>, first: &'static str) {
    graph
        .add_node(nodes::FETCH_LOGGERS, fetch_loggers)
        .add_node(nodes::CHECK_ARGS, check_args)
        .add_node(nodes::WAIT, wait)
        .add_conditional_edges(
            nodes::FETCH_LOGGERS,
            |state: &SiteState| unless_failed(state, nodes::CHECK_ARGS),
            [nodes::CHECK_ARGS, END],
        )
        .add_conditional_edges(
            nodes::CHECK_ARGS,
            move |state: &SiteState| after_check(state, first),
            [first, nodes::WAIT, END],
        )
        .add_edge(nodes::WAIT, END);
}

/// What the argument check settled. A workflow's own nodes come after it, so that there is none is
/// a fault of the graph.
fn resolved(state: &SiteState) -> Result<&Resolved, NodeError> {
    state
        .work
        .resolved
        .as_deref()
        .ok_or_else(|| NodeError::permanent("the arguments were not checked"))
}

/// A report's whole beginning, from its start.
pub(crate) fn report_graph(first: &'static str) -> StateGraph<SiteState> {
    let mut graph = StateGraph::new();
    graph.add_edge(START, nodes::FETCH_LOGGERS);
    add_arguments(&mut graph, first);
    graph
}

/// `next`, or out of the workflow when a call failed; recovery takes it from there.
pub(crate) fn unless_failed(state: &SiteState, next: &'static str) -> &'static str {
    if state.work.failure.is_some() {
        END
    } else {
        next
    }
}

fn after_check(state: &SiteState, first: &'static str) -> &'static str {
    if state.work.missing.is_some() {
        nodes::WAIT
    } else if state.work.resolved.is_some() {
        first
    } else {
        // Another workflow takes over.
        END
    }
}

/// Asks which devices there are.
pub(crate) async fn fetch_loggers(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    stage.begin_step().await;
    match stage
        .call::<LoggerList>(names::LIST_LOGGERS, &ListLoggersArguments::default())
        .await
    {
        Ok(called) => stage.update(Finding::Loggers(called.result)),
        Err(failure) => stage.update(Finding::Failure(failure)),
    }
    stage.end_step().await;
    Ok(stage.done())
}

/// Finds out whether the task has all that it needs.
pub(crate) async fn check_args(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let flow = state.active_flow.unwrap_or(Flow::FreeChat);
    let known = state
        .work
        .loggers
        .as_ref()
        .map_or(&[][..], |list| &list.loggers);
    let now = stage.turn().now;
    match arguments::check(needs(flow, &state), flow, &state.flow_context, known, now) {
        Checked::Ready(resolved) if lacks_sunlight(flow, &state, &resolved) => {
            let names: Vec<&str> = resolved
                .loggers
                .iter()
                .map(|logger| logger.logger_id.as_str())
                .collect();
            let sentence = sentences::no_sunlight(&names);
            stage.update(Finding::Missing(Missing::Impossible(sentence)));
        }
        Checked::Ready(resolved) => {
            if resolved.rate != state.flow_context.electricity_rate {
                let mut task = state.flow_context.clone();
                task.electricity_rate = resolved.rate;
                stage.update(SiteUpdate::Context(Box::new(task)));
            }
            stage.update(SiteUpdate::Step(1));
            stage.update(Finding::Resolved(resolved));
        }
        Checked::Missing(missing) => stage.update(Finding::Missing(missing)),
        Checked::Compare {
            logger_ids,
            period,
            metric,
        } => {
            stage
                .say_in_step(&phrases::comparing_instead(logger_ids.len()))
                .await;
            let mut task = state.flow_context.clone();
            task.selected_logger_id = None;
            task.selected_logger_ids = logger_ids;
            task.date_range = period;
            task.selected_date = None;
            task.metric = Some(metric);
            stage.update(SiteUpdate::Context(Box::new(task)));
            stage.update(SiteUpdate::Switched(Flow::PerformanceAudit));
        }
    }
    Ok(stage.done())
}

/// Whether a performance ratio is asked for and no device has sunlight beside its power.
fn lacks_sunlight(flow: Flow, state: &SiteState, resolved: &Resolved) -> bool {
    flow == Flow::FreeChat
        && asked(state) == Question::PerformanceRatio
        && !resolved.loggers.is_empty()
        && resolved.loggers.iter().all(|logger| !logger.has_irradiance)
}

fn needs(flow: Flow, state: &SiteState) -> Needs {
    match flow {
        Flow::FreeChat => arguments::needs_of_question(asked(state)),
        flow => arguments::needs_of_flow(flow),
    }
}

/// What free chat was asked.
pub(crate) fn asked(state: &SiteState) -> Question {
    state.work.question.unwrap_or(Question::Unknown)
}

/// Asks for what is missing, and leaves the task to the turn that provides it.
pub(crate) async fn wait(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    match state.work.missing.as_deref() {
        Some(Missing::Choice {
            argument,
            request,
            remark,
        }) => {
            let flow = state.active_flow.unwrap_or(Flow::FreeChat);
            stage
                .ask(
                    remark.as_deref(),
                    *argument,
                    (**request).clone(),
                    flow,
                    state.flow_context.retry.clone(),
                )
                .await;
        }
        Some(Missing::Impossible(sentence)) => stage.say_in_step(sentence).await,
        Some(Missing::Loggers) | None => stage.say_in_step(phrases::NO_LOGGERS).await,
    }
    Ok(stage.done())
}

/// Ends a workflow with its card, what the facts say, and what else there is to say.
pub(crate) async fn conclude(
    stage: &mut Stage,
    state: &SiteState,
    facts: &Facts<'_>,
    component: Option<UiComponent>,
    more: &[String],
) {
    let known = state
        .work
        .loggers
        .as_deref()
        .map_or(&[][..], |list| &list.loggers);
    let asked = asked_figure(&state.flow_context.words(), known);
    let narrative = narrate_asked(facts, asked, &state.flow_context.narrative_preferences);
    if let Some(component) = component {
        stage
            .show(cards::card(
                component,
                offers(facts, narrative.branch, state),
            ))
            .await;
    }
    if stage.turn().options().narratives && stage.turn().model().is_some() {
        let preferences = state.flow_context.narrative_preferences;
        let remarks = remarks(state, more);
        wording::tell(stage, facts, &narrative, preferences, &remarks).await;
    } else {
        let text = with_remarks(narrative.text, state, more);
        stage.say_in_step(&text).await;
    }
    stage.update(SiteUpdate::Step(LAST_STEP));
    stage.update(SiteUpdate::RecoveryAttempts(0));
}

/// What to ask next, without what these devices cannot answer: one device is not compared, and
/// without sunlight there is no ratio.
pub(crate) fn offers(facts: &Facts<'_>, branch: Branch, state: &SiteState) -> Vec<Suggestion> {
    let mut offers = suggestions(facts, branch);
    let Some(known) = state.work.loggers.as_deref() else {
        return offers;
    };
    let inverters = known.loggers.iter();
    let inverters = inverters
        .filter(|logger| logger.role == LoggerRole::Inverter && logger.latest_data.is_some())
        .count();
    let sunlit = known.loggers.iter().any(|logger| logger.has_irradiance);
    offers.retain(|offer| match question(&offer.action) {
        Question::Compare => inverters > 1,
        Question::PerformanceRatio => sunlit,
        _ => true,
    });
    if let Some(first) = offers.first_mut() {
        first.priority = SuggestionPriority::Primary;
    }
    offers
}

/// The step that every finished workflow has reached.
pub(crate) const LAST_STEP: u32 = 4;

/// The text, then what was understood but cannot be honoured, then what is missing from the answer.
pub(crate) fn with_remarks(mut text: String, state: &SiteState, more: &[String]) -> String {
    for sentence in remarks(state, more) {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&sentence);
    }
    if text.is_empty() {
        // An answer ends with words, whatever the facts are; see `Stage::say_in_step`.
        sentences::THAT_IS_ALL.clone_into(&mut text);
    }
    text
}

/// What was understood but cannot be honoured, then what is missing from the answer.
fn remarks(state: &SiteState, more: &[String]) -> Vec<String> {
    let notes = state
        .work
        .resolved
        .iter()
        .flat_map(|resolved| &resolved.notes)
        .map(phrases::note);
    notes.chain(more.iter().cloned()).collect()
}

/// The person's preferences, shortened when several answers stand one below the other.
pub(crate) fn preferences(state: &SiteState, answers: usize) -> Preferences {
    let mut preferences = state.flow_context.narrative_preferences;
    if answers > 1 {
        preferences.verbosity = crate::narrative::Verbosity::Brief;
    }
    preferences
}

/// The failure that represents several: the one that a choice of days can repair before the one
/// that nothing can. Its range covers all of theirs.
pub(crate) fn worst_of(failures: Vec<Failure>) -> Option<Failure> {
    use contracts::tools::{AvailableRange, ToolStatus};
    let ranges = failures
        .iter()
        .filter_map(|failure| failure.available_range);
    let covering = ranges.reduce(|a, b| AvailableRange {
        start: a.start.min(b.start),
        end: a.end.max(b.end),
    });
    let order = |failure: &Failure| match failure.status {
        ToolStatus::NoDataInWindow => 0,
        ToolStatus::Error | ToolStatus::Ok => 1,
        ToolStatus::NoData => 2,
    };
    let mut first = failures.into_iter().min_by_key(order)?;
    if first.available_range.is_some() {
        first.available_range = covering;
    }
    Some(first)
}

/// A period for a hint.
pub(crate) fn over(period: Option<Period>) -> String {
    period
        .map(|period| format!(" for {}", format::period(period)))
        .unwrap_or_default()
}
