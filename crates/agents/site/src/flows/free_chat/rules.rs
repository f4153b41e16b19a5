//! Free chat without a model: one tool answers, chosen by the question's words.
//!
//! A question that a workflow answers better is handed over to it.

use std::sync::Arc;

use agent_kit::prose::remainder;
use contracts::tools::{
    CapacityBasis, DiagnosticsReport, ErrorCodeIssue, HealthCheckArguments, LoggerList, LoggerRole,
    LoggerSummary, PerformanceRatioArguments, PowerCurveArguments, names,
};
use graph::NodeResult;

use super::{
    ModelChat, best, by_contract,
    coming::{current_forecasts, forecast, forecast_together},
    power_now,
    replies::{Replies, Reply},
    silent::silent_curves,
};
use crate::{
    arguments::{self, LoggersNeeded},
    calls::{Found, call, call_each},
    cards,
    findings::{Failure, Resolved, Selection},
    flows::{
        Early, LAST_STEP, Outcome, Premises, Prepared, ended, error_codes_of, offers, over,
        preferences, prepare, voice, with_remarks, worst_of,
    },
    language::{
        Beyond, Flow, Horizon, LoggerMention, Question, Reporting, asked_code, asked_figure,
        asked_meaning, asked_reporting, asks_for_sites, best_intervals, extract, rated_ratio,
        silent_for, understand,
    },
    narrative::{Asked, Facts, narrate_asked, phrases, refusals, reporting, silences},
    reading,
    run::{Context, Node, site},
    sentences,
    state::{SiteState, SiteUpdate},
    ui,
};

/// Devices that one question is answered for; more would be a report, and reports are what the
/// workflows are for.
pub(super) const ANSWERED_FOR: usize = 12;

/// Charts that one answer shows.
const CHARTS: usize = 5;

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

pub(crate) async fn free_chat(state: Arc<SiteState>, context: Context) -> NodeResult<SiteState> {
    let node = Node::from(context);
    let chat = node.run().assistant.take_chat();
    let outcome = answer(&node, &state, chat.as_ref()).await;
    Ok(ended(node, outcome))
}

/// Answers the question, or reports what a model has found out before it failed.
async fn answer(node: &Node, state: &SiteState, chat: Option<&ModelChat>) -> Outcome {
    let replies = chat.map(ModelChat::replies).unwrap_or_default();
    if replies.is_empty() {
        let asked = &state.flow_context.request;
        let question = reading::understand(node, state, asked).await.question;
        if let Some(flow) = workflow_for(question) {
            return Err(Early::Switched(flow));
        }
        node.update(SiteUpdate::Step(1));
        answer_question(node, state, question, chat).await?;
    } else {
        let left_out = chat.map(|chat| chat.results.left_out()).unwrap_or_default();
        let remarks = match left_out.as_slice() {
            [] => Vec::new(),
            devices => vec![sentences::some_left_out(devices, "the figures")],
        };
        let answer = RulesAnswer {
            replies,
            lead: String::new(),
            remarks,
            prepared: None,
            chat,
        };
        tell(node, state, &answer).await;
    }
    node.update(SiteUpdate::Step(LAST_STEP));
    node.update(SiteUpdate::RecoveryAttempts(0));
    Ok(())
}

async fn answer_question(
    node: &Node,
    state: &SiteState,
    question: Question,
    chat: Option<&ModelChat>,
) -> Outcome {
    let needs = arguments::needs_of_question(question);
    match question {
        Question::ListLoggers => {
            let prepared = prepare(node, state, Flow::FreeChat, needs).await?;
            list_devices(node, state, &prepared).await;
        }
        Question::Silence => {
            let prepared = prepare(node, state, Flow::FreeChat, needs).await?;
            tell_silence(node, state, &prepared).await;
        }
        Question::Reporting => {
            let prepared = prepare(node, state, Flow::FreeChat, needs).await?;
            tell_reporting(node, state, &prepared).await;
        }
        Question::ServiceHealth => {
            let replies = service_health(node).await;
            conclude(node, state, question, replies, (None, String::new()), chat).await?;
        }
        Question::Definition => {
            let text = if let Some(percent) = rated_ratio(&state.flow_context.request) {
                let offers = can_answer(node, state, refusals::SHOWS_RATIO).await;
                refusals::rated(percent, offers)
            } else {
                let terms = asked_meaning(&state.flow_context.request);
                let offers = match terms.first().and_then(|term| term.shows) {
                    Some(shows) => can_answer(node, state, shows).await,
                    None => false,
                };
                refusals::meanings(&terms, offers)
            };
            node.say_in_step(&text).await;
        }
        Question::Thanks => node.say_in_step(phrases::WELCOME).await,
        Question::Beyond(kind) => refuse(node, state, kind).await,
        Question::Unknown => refuse(node, state, Beyond::Other).await,
        Question::PowerNow => {
            let prepared = prepare(node, state, Flow::FreeChat, needs).await?;
            tell_power_now(node, state, &prepared).await?;
        }
        Question::Tool(tool) => {
            let prepared = prepare(node, state, Flow::FreeChat, needs).await?;
            let mut request = state.flow_context.request.clone();
            let best = best_intervals(&request);
            if let Some(best) = best {
                request = format!("{request} by {}", best.interval.noun());
            }
            let resolved = &prepared.resolved;
            let mut replies = by_contract::ask(node, tool, resolved, &request).await;
            let lead = match best {
                Some(best) => best::told(node, best, resolved, &mut replies).await,
                None => String::new(),
            };
            let about = (Some(&prepared), lead);
            conclude(node, state, question, replies, about, chat).await?;
        }
        _ if needs.loggers == LoggersNeeded::None => node.say_in_step(phrases::HELP).await,
        _ => {
            let prepared = prepare(node, state, Flow::FreeChat, needs).await?;
            let loggers = &prepared.resolved.loggers;
            let dark = loggers.iter().all(|logger| !logger.has_irradiance);
            if question == Question::PerformanceRatio && !loggers.is_empty() && dark {
                let names: Vec<&str> = loggers
                    .iter()
                    .map(|logger| logger.logger_id.as_str())
                    .collect();
                let comparable = Premises::of(&prepared).comparable() > 1;
                node.say_in_step(&sentences::no_sunlight(&names, comparable))
                    .await;
                return Ok(());
            }
            let words = state.flow_context.words();
            if sunlight_of_days(question, &prepared.resolved, &words) {
                let tool = names::GET_ENERGY_HISTORY;
                let replies = by_contract::ask(node, tool, &prepared.resolved, &words).await;
                let about = (Some(&prepared), String::new());
                return conclude(node, state, question, replies, about, chat).await;
            }
            let replies = ask_tool(node, question, &prepared.resolved, &words).await;
            let about = (Some(&prepared), String::new());
            conclude(node, state, question, replies, about, chat).await?;
        }
    }
    Ok(())
}

/// Whether the sunlight of a weather station over several days is asked for: it has no performance
/// ratio that would say it.
fn sunlight_of_days(question: Question, resolved: &Resolved, words: &str) -> bool {
    let weather = |logger: &LoggerSummary| logger.role == LoggerRole::Weather;
    let all = !resolved.loggers.is_empty() && resolved.loggers.iter().all(weather);
    all && question == Question::PerformanceRatio
        && asked_figure(words, &resolved.loggers) == Some(Asked::Sunlight)
}

/// The newest readings; of one device its newest day, too.
async fn tell_power_now(node: &Node, state: &SiteState, prepared: &Prepared) -> Outcome {
    let resolved = &prepared.resolved;
    let newest = power_now::told(node, resolved).await;
    let newest = newest.map_err(|failure| prepared.failed(failure))?;
    let replies = match resolved.loggers.as_slice() {
        [_] => power_curve(node, resolved).await,
        _ => Vec::new(),
    };
    node.update(SiteUpdate::Step(3));
    let answer = RulesAnswer {
        lead: newest,
        replies,
        remarks: Vec::new(),
        prepared: Some(prepared),
        chat: None,
    };
    tell(node, state, &answer).await;
    Ok(())
}

async fn ask_tool(node: &Node, question: Question, resolved: &Resolved, words: &str) -> Replies {
    match question {
        Question::PowerCurve => power_curve(node, resolved).await,
        Question::Forecast => forecast(node, resolved).await,
        Question::PerformanceRatio => performance_ratio(node, resolved).await,
        Question::ErrorCodes => error_codes(node, resolved, asked_code(words)).await,
        _ => Vec::new(),
    }
}

/// Reports what the tool said behind a lead; when every call failed, recovery gets a failure to
/// work on.
async fn conclude(
    node: &Node,
    state: &SiteState,
    question: Question,
    replies: Replies,
    (prepared, lead): (Option<&Prepared>, String),
    chat: Option<&ModelChat>,
) -> Outcome {
    node.update(SiteUpdate::Step(3));
    if replies.iter().all(Result::is_err) {
        let failures = replies.into_iter().filter_map(Result::err).collect();
        let Some(failure) = worst_of(failures) else {
            node.say_in_step(phrases::HELP).await;
            return Ok(());
        };
        return Err(match prepared {
            Some(prepared) => prepared.failed(failure),
            None => failure.into(),
        });
    }
    let (replies, ended) = current_forecasts(replies);
    let (replies, silent) = silent_curves(replies, prepared);
    let mut remarks = left_out(question, &replies, prepared);
    remarks.extend(silent);
    if !ended.is_empty() {
        remarks.push(sentences::ended_before(&ended));
    }
    remarks.extend(forecast_together(&replies));
    let answer = RulesAnswer {
        lead,
        replies,
        remarks,
        prepared,
        chat,
    };
    tell(node, state, &answer).await;
    Ok(())
}

async fn power_curve(node: &Node, resolved: &Resolved) -> Replies {
    let date = day(resolved);
    let calls = devices(resolved).map(|logger_id| PowerCurveArguments { logger_id, date });
    node.begin_step().await;
    node.hint(&format!("Reading the power{}", over(resolved.period)))
        .await;
    let answers = call_each(node, names::GET_POWER_CURVE, calls).await;
    node.end_step().await;
    each(answers, |found| {
        Reply::PowerCurve(found.result, found.stats)
    })
}

/// One call for all devices of the question: the total, and each of them below.
async fn performance_ratio(node: &Node, resolved: &Resolved) -> Replies {
    let Selection {
        logger_id,
        logger_ids,
        site_id,
    } = resolved.selection();
    let last = day(resolved);
    let first = resolved.period.map_or(last, |period| period.start);
    let arguments = PerformanceRatioArguments {
        capacity_kw: resolved.capacity_kw.filter(|_| logger_id.is_some()),
        logger_id,
        logger_ids,
        site_id,
        date: first,
        end_date: (first != last).then_some(last),
    };
    node.begin_step().await;
    node.hint(&format!(
        "Weighing power against sunlight{}",
        over(resolved.period)
    ))
    .await;
    let answer = call(node, names::CALCULATE_PERFORMANCE_RATIO, &arguments).await;
    node.end_step().await;
    each(vec![answer], |found| {
        Reply::Performance(Box::new(found.result))
    })
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

async fn error_codes(node: &Node, resolved: &Resolved, code: Option<String>) -> Replies {
    let arguments = error_codes_of(resolved);
    let period = resolved.period;
    node.begin_step().await;
    node.hint(&format!("Reading the error codes{}", over(period)))
        .await;
    let answer = call(node, names::DIAGNOSE_ERROR_CODES, &arguments).await;
    node.end_step().await;
    each(vec![answer], |found| {
        Reply::Errors(Box::new(of_code(found.result, code.as_deref())))
    })
}

async fn service_health(node: &Node) -> Replies {
    node.begin_step().await;
    let answer = call(node, names::HEALTH_CHECK, &HealthCheckArguments {}).await;
    node.end_step().await;
    each(vec![answer], |found| Reply::Service(found.result))
}

pub(super) fn devices(resolved: &Resolved) -> impl Iterator<Item = String> {
    resolved
        .loggers
        .iter()
        .take(ANSWERED_FOR)
        .map(|logger| logger.logger_id.clone())
}

/// The day asked for; for devices without any data today, on which the tool says that there are
/// none.
fn day(resolved: &Resolved) -> chrono::NaiveDate {
    resolved.period.map_or(resolved.today, |period| period.end)
}

pub(super) fn each<T>(
    answers: Vec<Result<Found<T>, Failure>>,
    reply: impl Fn(Found<T>) -> Reply,
) -> Replies {
    answers
        .into_iter()
        .map(|answer| answer.map(&reply))
        .collect()
}

/// Whether the person's devices can answer a question that is offered. They are asked for only when
/// it depends on them.
async fn can_answer(node: &Node, state: &SiteState, offered: &str) -> bool {
    let asked = understand(offered, &[]).question;
    if !matches!(asked, Question::Compare | Question::PerformanceRatio) {
        return true;
    }
    let known = &site(node.run(), state).await.loggers;
    Premises::of_everything(known).can_answer(offered)
}

async fn refuse(node: &Node, state: &SiteState, kind: Beyond) {
    let text = reading::refusal(node, state, kind, &state.flow_context.request).await;
    node.say_in_step(&text).await;
}

async fn list_devices(node: &Node, state: &SiteState, prepared: &Prepared) {
    let list = &named_devices(&prepared.loggers, state, node);
    let facts = Facts::Loggers { list };
    let asked =
        asks_for_sites(&state.flow_context.request, &list.loggers).then_some(Asked::WhichSites);
    let text = narrate_asked(&facts, asked, &voice(node, state)).text;
    let remarks = asked_of_devices(&state.flow_context.request, list);
    let text = with_remarks(text, Some(prepared), &remarks);
    node.say_in_step(&text).await;
}

/// The devices that have sent nothing for as long as the request says.
async fn tell_silence(node: &Node, state: &SiteState, prepared: &Prepared) {
    let known = &prepared.loggers;
    let asked = named_devices(known, state, node);
    let hours = silent_for(&state.flow_context.request).unwrap_or_default();
    let text = silences(&asked.loggers, &known.loggers, hours, node.run().now);
    node.say_in_step(&text).await;
}

/// The devices that send data, and those that do not.
async fn tell_reporting(node: &Node, state: &SiteState, prepared: &Prepared) {
    let known = &prepared.loggers;
    let named = named_devices(known, state, node);
    let asked = asked_reporting(&state.flow_context.request).unwrap_or(Reporting {
        today: false,
        silent: false,
        sites: false,
    });
    let text = reporting(&named.loggers, &known.loggers, asked, node.run().now);
    node.say_in_step(&text).await;
}

/// The time zone and the sizes, where the request is for them.
fn asked_of_devices(request: &str, list: &LoggerList) -> Vec<String> {
    let request = request.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| request.contains(word));
    let mut remarks = Vec::new();
    if says(&["timezone", "time zone"]) {
        let loggers = list.loggers.iter();
        let mut sites: Vec<(&str, &str)> = loggers
            .map(|one| (one.site_name.as_str(), one.timezone.as_str()))
            .collect();
        sites.sort_unstable();
        sites.dedup();
        remarks.push(sentences::zones(&sites));
    }
    let several = list.loggers.len() > 1;
    if several
        && says(&[
            "capacity",
            "nameplate",
            "size",
            "big",
            "larg",
            "small",
            "kwp",
        ])
    {
        let inverters = || {
            let loggers = list.loggers.iter();
            loggers.filter(|one| one.role == LoggerRole::Inverter)
        };
        let stated = |one: &LoggerSummary| {
            let stated = matches!(
                one.capacity_basis,
                CapacityBasis::Configured | CapacityBasis::Parameter
            );
            one.capacity_kw.filter(|_| stated)
        };
        let sizes: Vec<(&str, f64)> = inverters()
            .filter_map(|one| Some((one.logger_id.as_str(), stated(one)?)))
            .collect();
        let unknown: Vec<&str> = inverters()
            .filter(|one| stated(one).is_none())
            .map(|one| one.logger_id.as_str())
            .collect();
        remarks.push(sentences::sizes(&sizes, &unknown));
    }
    remarks
}

/// The devices that the request names, or those of the site that it names; all when it names none.
fn named_devices(list: &LoggerList, state: &SiteState, node: &Node) -> LoggerList {
    let today = node.run().now.date_naive();
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

/// The report of the rules.
struct RulesAnswer<'a> {
    /// The text before the replies.
    lead: String,
    replies: Replies,
    /// Remarks on what the answer does not cover.
    remarks: Vec<String>,
    /// The devices of the question, where it is about any.
    prepared: Option<&'a Prepared>,
    /// The chat with a model that failed.
    chat: Option<&'a ModelChat>,
}

/// Each reply's chart, then all of their texts, then which devices are missing. Of the findings of
/// a model that failed, only what it has not said.
async fn tell(node: &Node, state: &SiteState, answer: &RulesAnswer<'_>) {
    let replies: Vec<_> = answer.replies.iter().flatten().collect();
    let preferences = preferences(node, state, replies.len());
    let known = answer
        .prepared
        .map_or(&[][..], |prepared| &prepared.loggers.loggers);
    // Other figures are those of the workflows.
    let asked =
        asked_figure(&state.flow_context.words(), known).filter(|asked| *asked == Asked::Sunlight);
    let mut texts = Vec::new();
    let mut charts = Vec::new();
    for reply in &replies {
        let facts = reply.facts();
        let narrative = narrate_asked(&facts, asked, &preferences);
        if let Some(component) = reply.card() {
            let premises = answer.prepared.map_or(Premises::default(), Premises::of);
            let suggestions = offers(&facts, narrative.branch, &premises);
            charts.push(cards::card(component, suggestions));
        }
        texts.push(narrative.text);
    }
    let mut text = texts.join("\n\n");
    if !answer.lead.is_empty() {
        let joint = if text.is_empty() { "" } else { " " };
        text = format!("{}{joint}{text}", answer.lead);
    }
    if let Some(chat) = answer.chat {
        // The model's cards belong to what it has said.
        if chat.results.has_shown_cards {
            charts.clear();
        }
        let rest = if chat.spoke {
            remainder(&text, &chat.said)
        } else {
            text.clone()
        };
        if !rest.is_empty() {
            text = rest;
        } else if chat.ends_in_text {
            return;
        }
    }
    charts.truncate(CHARTS);
    for chart in charts {
        ui::show(node, chart).await;
    }
    let text = with_remarks(text, answer.prepared, &answer.remarks);
    node.say_in_step(&text).await;
}

/// Which devices the answer does not cover.
fn left_out(question: Question, replies: &Replies, prepared: Option<&Prepared>) -> Vec<String> {
    let failed = replies.iter().filter_map(|reply| reply.as_ref().err());
    let failed: Vec<_> = failed
        .filter_map(|failure| failure.logger_id().map(str::to_owned))
        .collect();
    let asked_for = prepared.map_or(0, |prepared| prepared.resolved.loggers.len());
    let mut remarks = Vec::new();
    if !failed.is_empty() {
        remarks.push(sentences::some_left_out(&failed, "the figures"));
    }
    let each = matches!(question, Question::PowerCurve | Question::Forecast);
    if each && asked_for > ANSWERED_FOR {
        remarks.push(sentences::only_the_first(ANSWERED_FOR, asked_for));
    }
    remarks
}
