//! Free chat without a model: one tool answers, chosen by the question's words.
//!
//! A question that a workflow answers better is handed over to it.

use std::sync::Arc;

use agent_kit::prose::remainder;
use chrono::NaiveDate;
use contracts::tools::{
    DiagnosticsReport, ErrorCodeIssue, ErrorCodesArguments, ForecastArguments,
    HealthCheckArguments, LoggerList, LoggerRole, PerformanceRatioArguments, PowerCurveArguments,
    ProductionForecast, names,
};
use graph::{Context, END, NodeError, NodeResult};

use super::{
    ANSWER, TOOLS,
    replies::{Replies, Reply},
};
use crate::{
    arguments::{self, LoggersNeeded},
    cards,
    flows::{LAST_STEP, asked, nodes, offers, over, preferences, with_remarks, worst_of},
    language::{
        Beyond, Flow, Horizon, LoggerMention, Question, asked_code, asked_meaning, extract,
        rated_ratio,
    },
    narrative::{Facts, narrate, phrases, refusals},
    reading, sentences,
    stage::{Called, Stage},
    state::{Failure, Finding, Resolved, Selection, SiteState, SiteUpdate},
};

/// Devices that one question is answered for; more would be a report, and reports are what the
/// workflows are for.
const ANSWERED_FOR: usize = 12;

/// Charts that one answer shows.
const CHARTS: usize = 5;

/// The longest window of error codes that the tool counts in days; a longer one has a first day.
const LONGEST_COUNTED: u32 = 30;

/// Days of error codes when the person names none.
const DAYS: u32 = 7;

/// The workflow that answers a question better than a single tool does.
fn workflow_for(question: Question) -> Option<Flow> {
    match question {
        Question::Compare => Some(Flow::PerformanceAudit),
        Question::Savings => Some(Flow::FinancialReport),
        Question::Health => Some(Flow::HealthCheck),
        Question::Fleet => Some(Flow::MorningBriefing),
        _ => None,
    }
}

pub(super) async fn choose_tool(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let question = reading::understand(&stage, &state.flow_context.request)
        .await
        .question;
    stage.update(Finding::Question(question));
    match workflow_for(question) {
        Some(flow) => stage.update(SiteUpdate::Switched(flow)),
        None => stage.update(SiteUpdate::Step(1)),
    }
    Ok(stage.done())
}

pub(super) fn after_choice(state: &SiteState) -> &'static str {
    let question = asked(state);
    if workflow_for(question).is_some() {
        return END;
    }
    match (question, arguments::needs_of_question(question).loggers) {
        (Question::ListLoggers, _) => nodes::FETCH_LOGGERS,
        (Question::ServiceHealth, _) => TOOLS,
        (_, LoggersNeeded::None) => ANSWER,
        _ => nodes::FETCH_LOGGERS,
    }
}

pub(super) async fn tools(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let nothing = Resolved::default();
    let resolved = state.work.resolved.as_deref().unwrap_or(&nothing);
    let replies = match asked(&state) {
        Question::PowerCurve => power_curve(&mut stage, resolved).await?,
        Question::Forecast => forecast(&mut stage, resolved, &state.flow_context.words()).await,
        Question::PerformanceRatio => performance_ratio(&mut stage, resolved).await?,
        Question::ErrorCodes => {
            let code = asked_code(&state.flow_context.words());
            error_codes(&mut stage, resolved, code).await
        }
        Question::ServiceHealth => service_health(&mut stage).await,
        _ => Vec::new(),
    };
    stage.update(Finding::Replies(replies));
    stage.update(SiteUpdate::Step(2));
    Ok(stage.done())
}

async fn power_curve(stage: &mut Stage, resolved: &Resolved) -> Result<Replies, NodeError> {
    let date = day(resolved)?;
    let calls = devices(resolved).map(|logger_id| PowerCurveArguments { logger_id, date });
    stage.begin_step().await;
    stage
        .hint(&format!("Reading the power{}", over(resolved.period)))
        .await;
    let answers = stage.call_each(names::GET_POWER_CURVE, calls).await;
    stage.end_step().await;
    Ok(each(answers, |called| {
        Reply::PowerCurve(called.result, called.stats)
    }))
}

async fn forecast(stage: &mut Stage, resolved: &Resolved, words: &str) -> Replies {
    let days_ahead = resolved.days_ahead.unwrap_or(1);
    // "Tomorrow" is one day; other days are shown with those before them.
    let words = words.to_lowercase();
    let tomorrow = words.contains("tom") || words.contains("tmr");
    let today = still_to_come(resolved, days_ahead).filter(|_| tomorrow);
    let calls = devices(resolved).map(|logger_id| ForecastArguments {
        logger_id,
        days_ahead,
    });
    stage.begin_step().await;
    stage.hint("Looking ahead").await;
    let answers = stage.call_each(names::FORECAST_PRODUCTION, calls).await;
    stage.end_step().await;
    each(answers, |called| {
        Reply::Forecast(from_day(called.result, today))
    })
}

/// Today, where the data end yesterday and the days that are asked for begin tomorrow: the tool
/// counts its days from the newest day of data, and the person from today.
fn still_to_come(resolved: &Resolved, days_ahead: u32) -> Option<NaiveDate> {
    let known: Vec<_> = resolved.loggers.iter().collect();
    let newest = arguments::newest_day(&known)?;
    let today = resolved.today?;
    (today > newest && (today - newest).num_days() == 1 && days_ahead > 1).then_some(today)
}

/// A forecast without its days up to `today`.
fn from_day(mut forecast: ProductionForecast, today: Option<NaiveDate>) -> ProductionForecast {
    let Some(today) = today else {
        return forecast;
    };
    let later = |date: NaiveDate| date > today;
    if forecast.forecasts.iter().any(|day| later(day.date)) {
        forecast.forecasts.retain(|day| later(day.date));
        forecast.total_predicted = forecast.forecasts.iter().map(|day| day.expected_kwh).sum();
    }
    forecast
}

/// One call for all devices of the question: the total, and each of them below.
async fn performance_ratio(stage: &mut Stage, resolved: &Resolved) -> Result<Replies, NodeError> {
    let Selection {
        logger_id,
        logger_ids,
        site_id,
    } = resolved.selection();
    let last = day(resolved)?;
    let first = resolved.period.map_or(last, |period| period.start);
    let arguments = PerformanceRatioArguments {
        capacity_kw: resolved.capacity_kw.filter(|_| logger_id.is_some()),
        logger_id,
        logger_ids,
        site_id,
        date: first,
        end_date: (first != last).then_some(last),
    };
    stage.begin_step().await;
    stage
        .hint(&format!(
            "Weighing power against sunlight{}",
            over(resolved.period)
        ))
        .await;
    let answer = stage
        .call(names::CALCULATE_PERFORMANCE_RATIO, &arguments)
        .await;
    stage.end_step().await;
    Ok(each(vec![answer], |called| {
        Reply::Performance(Box::new(called.result))
    }))
}

/// The report of one code where the person asks about it and it came up.
fn of_code(mut report: DiagnosticsReport, code: Option<&str>) -> DiagnosticsReport {
    let Some(code) = code else {
        return report;
    };
    let plain = |code: &str| -> String {
        let letters = code.chars().filter(char::is_ascii_alphanumeric);
        letters.collect::<String>().to_ascii_lowercase()
    };
    let same = |issue: &ErrorCodeIssue| plain(&issue.code) == plain(code);
    if report.issues.iter().any(same) {
        report.issues.retain(same);
        report.issue_count = report.issues.len() as u64;
    }
    report
}

async fn error_codes(stage: &mut Stage, resolved: &Resolved, code: Option<String>) -> Replies {
    let period = resolved.period;
    let days = period.map_or(DAYS, arguments::length);
    let counted = days <= LONGEST_COUNTED;
    let Selection {
        logger_id,
        logger_ids,
        site_id,
    } = resolved.selection();
    let arguments = ErrorCodesArguments {
        logger_id,
        logger_ids,
        site_id,
        days: counted.then_some(days),
        start_date: period.filter(|_| !counted).map(|period| period.start),
        end_date: period.map(|period| period.end),
    };
    stage.begin_step().await;
    stage
        .hint(&format!("Reading the error codes{}", over(period)))
        .await;
    let answer = stage.call(names::DIAGNOSE_ERROR_CODES, &arguments).await;
    stage.end_step().await;
    each(vec![answer], |called| {
        Reply::Errors(Box::new(of_code(called.result, code.as_deref())))
    })
}

async fn service_health(stage: &mut Stage) -> Replies {
    stage.begin_step().await;
    let answer = stage
        .call(names::HEALTH_CHECK, &HealthCheckArguments {})
        .await;
    stage.end_step().await;
    each(vec![answer], |called| Reply::Service(called.result))
}

fn devices(resolved: &Resolved) -> impl Iterator<Item = String> {
    resolved
        .loggers
        .iter()
        .take(ANSWERED_FOR)
        .map(|logger| logger.logger_id.clone())
}

/// The day asked for; for devices without any data today, on which the tool says that there are
/// none.
fn day(resolved: &Resolved) -> Result<chrono::NaiveDate, NodeError> {
    let day = resolved.period.map(|period| period.end).or(resolved.today);
    day.ok_or_else(|| NodeError::permanent("the arguments were not checked"))
}

fn each<T>(
    answers: Vec<Result<Called<T>, Failure>>,
    reply: impl Fn(Called<T>) -> Reply,
) -> Replies {
    answers
        .into_iter()
        .map(|answer| answer.map(&reply))
        .collect()
}

/// Whether there is anything to answer with; when not, recovery has a failure to work on.
pub(super) async fn check_results(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let replies = &state.work.replies;
    if replies.iter().all(Result::is_err) {
        let failures = replies
            .iter()
            .filter_map(|reply| reply.as_ref().err().cloned())
            .collect();
        if let Some(failure) = worst_of(failures) {
            stage.update(Finding::Failure(failure));
        }
    }
    stage.update(SiteUpdate::Step(3));
    Ok(stage.done())
}

pub(super) async fn answer(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    match asked(&state) {
        Question::ListLoggers => list_devices(&mut stage, &state).await,
        Question::Definition => {
            let text = match rated_ratio(&state.flow_context.request) {
                Some(percent) => refusals::rated(percent),
                None => refusals::meanings(&asked_meaning(&state.flow_context.request)),
            };
            stage.say_in_step(&text).await;
        }
        Question::Thanks => stage.say_in_step(phrases::WELCOME).await,
        Question::Beyond(kind) => refuse(&mut stage, &state, kind).await,
        Question::Unknown if state.work.replies.is_empty() => {
            refuse(&mut stage, &state, Beyond::Other).await;
        }
        _ if state.work.replies.is_empty() => stage.say_in_step(phrases::HELP).await,
        _ => tell(&mut stage, &state).await,
    }
    stage.update(SiteUpdate::Step(LAST_STEP));
    stage.update(SiteUpdate::RecoveryAttempts(0));
    Ok(stage.done())
}

async fn refuse(stage: &mut Stage, state: &SiteState, kind: Beyond) {
    let text = reading::refusal(stage, kind, &state.flow_context.request).await;
    stage.say_in_step(&text).await;
}

async fn list_devices(stage: &mut Stage, state: &SiteState) {
    match state
        .work
        .loggers
        .as_deref()
        .filter(|list| !list.loggers.is_empty())
    {
        Some(list) => {
            let list = &named_devices(list, state, stage);
            let facts = Facts::Loggers { list };
            let text = narrate(&facts, &state.flow_context.narrative_preferences).text;
            stage.say_in_step(&with_remarks(text, state, &[])).await;
        }
        None => stage.say_in_step(phrases::NO_LOGGERS).await,
    }
}

/// The devices that the request names, or those of the site that it names; all when it names none.
fn named_devices(list: &LoggerList, state: &SiteState, stage: &Stage) -> LoggerList {
    let today = stage.turn().now.date_naive();
    let horizon = Horizon {
        loggers: &list.loggers,
        anchor: today,
        today,
    };
    let words = extract(&state.flow_context.request, &horizon);
    let ids = match words.loggers {
        LoggerMention::One(id) => vec![id],
        LoggerMention::Several(ids) => ids,
        _ => Vec::new(),
    };
    let mut named = list.clone();
    let role = asked_role(&state.flow_context.request);
    named.loggers.retain(|logger| {
        if ids.is_empty() && role.is_some_and(|role| role != logger.role) {
            return false;
        }
        let of_site = words
            .site
            .as_deref()
            .is_none_or(|site| logger.site_id == site);
        if ids.is_empty() {
            of_site
        } else {
            ids.contains(&logger.logger_id)
        }
    });
    if named.loggers.is_empty() {
        return list.clone();
    }
    named.count = named.loggers.len() as u64;
    named
}

/// The kind of devices that the request names: "how many inverters do I have?".
fn asked_role(request: &str) -> Option<LoggerRole> {
    let request = request.to_lowercase();
    let says = |words: &[&str]| {
        request
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| words.contains(&word))
    };
    let others = says(&["devices", "loggers", "everything", "units", "systems"]);
    match (
        says(&["inverters", "inverter"]),
        says(&["meters", "meter"]),
        says(&["stations", "station", "sensors"]),
    ) {
        _ if others => None,
        (true, false, false) => Some(LoggerRole::Inverter),
        (false, true, false) => Some(LoggerRole::Meter),
        (false, false, true) => Some(LoggerRole::Weather),
        _ => None,
    }
}

/// Each reply's chart, then all of their texts, then who is missing. Of what a model found out
/// before it failed only what it has not said.
async fn tell(stage: &mut Stage, state: &SiteState) {
    let replies: Vec<_> = state
        .work
        .replies
        .iter()
        .filter_map(|reply| reply.as_ref().ok())
        .collect();
    let preferences = preferences(state, replies.len());
    let mut texts = Vec::new();
    let mut charts = Vec::new();
    for reply in &replies {
        let facts = reply.facts();
        let narrative = narrate(&facts, &preferences);
        if let Some(component) = reply.card() {
            charts.push(cards::card(
                component,
                offers(&facts, narrative.branch, state),
            ));
        }
        texts.push(narrative.text);
    }
    let mut text = texts.join("\n\n");
    if let Some(dialogue) = state.work.dialogue.as_deref() {
        if dialogue.cards > 0 {
            charts.clear();
        }
        let rest = remainder(&text, &dialogue.said);
        if !rest.is_empty() {
            text = rest;
        } else if dialogue.ends_in_text {
            return;
        }
    }
    charts.truncate(CHARTS);
    for chart in charts {
        stage.show(chart).await;
    }
    stage
        .say_in_step(&with_remarks(text, state, &left_out(state)))
        .await;
}

/// Which devices the answer does not cover.
fn left_out(state: &SiteState) -> Vec<String> {
    let failed = state
        .work
        .replies
        .iter()
        .filter_map(|reply| reply.as_ref().err());
    let failed: Vec<_> = failed
        .filter_map(|failure| failure.logger_id().map(str::to_owned))
        .collect();
    let asked_for = state
        .work
        .resolved
        .as_ref()
        .map_or(0, |resolved| resolved.loggers.len());
    let mut remarks = Vec::new();
    if !failed.is_empty() {
        remarks.push(sentences::some_left_out(&failed, "the figures"));
    }
    let each = matches!(asked(state), Question::PowerCurve | Question::Forecast);
    if each && asked_for > ANSWERED_FOR {
        remarks.push(sentences::only_the_first(ANSWERED_FOR, asked_for));
    }
    remarks
}
