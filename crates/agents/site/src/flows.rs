//! The workflows: each a node, one file each, and what they have in common.
//!
//! A workflow is a function of the node and the state that ends with an answer, or [early](Early):
//! what it finds out on the way are its own values, and its node leads where it ended.

pub(crate) mod audit;
pub(crate) mod briefing;
pub(crate) mod financial;
pub(crate) mod free_chat;
pub(crate) mod greeting;
pub(crate) mod health;
pub(crate) mod schedules;

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};
use contracts::{
    run::Source,
    tools::{
        ComparisonMetric, ErrorCodesArguments, ListLoggersArguments, LoggerList, LoggerRole,
        LoggerSummary, Period, names,
    },
    ui::{Suggestion, SuggestionPriority, UiComponent},
};
use graph::{Command, END};

use crate::{
    arguments::{self, Checked, Needs, Silent},
    calls, cards,
    findings::{Failure, Missing, Resolved, Scope, Selection},
    graph::RECOVERY,
    language::{Flow, Horizon, Question, asked_figure, extract, understand},
    model::wording,
    narrative::{
        Asked, Branch, Facts, Preferences, format, narrate_asked, phrases, suggestions_at,
    },
    run::{Failed, Node},
    sentences,
    state::{SiteState, SiteUpdate},
    ui::{self, Picker},
};

/// How a workflow ends.
pub(crate) type Outcome = Result<(), Early>;

/// Why a workflow ends without its answer.
pub(crate) enum Early {
    /// A call failed; recovery comes next.
    Failed(Box<Failed>),
    /// Another workflow continues the task, with what was chosen so far.
    Switched(Flow),
    /// The person was asked for what is missing, or there is nothing to answer about.
    Over,
}

impl From<Failure> for Early {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(Failed {
            failure,
            loggers: None,
            asked_by: Source::Rules,
        }))
    }
}

/// Ends a workflow's node, and leads to what follows.
pub(crate) fn ended(node: Node, outcome: Outcome) -> Command<SiteState> {
    let next = match outcome {
        Ok(()) | Err(Early::Over) => END,
        Err(Early::Switched(flow)) => {
            node.update(SiteUpdate::Switched(flow));
            flow.as_str()
        }
        Err(Early::Failed(failed)) => {
            node.run().assistant.fail(*failed);
            RECOVERY
        }
    };
    node.done().then_goto(next)
}

/// The devices, and all that a task needs.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) loggers: Arc<LoggerList>,
    pub(crate) resolved: Resolved,
    pub(crate) now: DateTime<Utc>,
}

impl Prepared {
    /// The end of the workflow when a call of it failed.
    pub(crate) fn failed(&self, failure: Failure) -> Early {
        Early::Failed(Box::new(Failed {
            failure,
            loggers: Some(Arc::clone(&self.loggers)),
            asked_by: Source::Rules,
        }))
    }
}

/// The beginning that the reports share: asks which devices there are and finds out whether the
/// task has all that it needs; what it lacks, the person is asked for.
pub(crate) async fn prepare(
    node: &Node,
    state: &SiteState,
    flow: Flow,
    needs: Needs,
) -> Result<Prepared, Early> {
    let loggers = fetch_loggers(node).await?;
    let now = node.run().now;
    match arguments::check(needs, flow, &state.flow_context, &loggers.loggers, now) {
        Checked::Ready(resolved) => {
            // A rate in a named currency is for the sites of its question.
            if resolved.rate_currency.is_none()
                && resolved.rate != state.flow_context.electricity_rate
            {
                let mut task = state.flow_context.clone();
                task.electricity_rate = resolved.rate;
                node.update(SiteUpdate::Context(Box::new(task)));
            }
            node.update(SiteUpdate::Step(1));
            let loggers = Arc::new(loggers);
            Ok(Prepared {
                loggers,
                resolved,
                now,
            })
        }
        Checked::Missing(missing) => {
            ask_for(node, flow, missing).await;
            Err(Early::Over)
        }
        Checked::Compare {
            logger_ids,
            period,
            metric,
        } => {
            node.say_in_step(&phrases::comparing_instead(logger_ids.len()))
                .await;
            let mut task = state.flow_context.clone();
            task.selected_logger_id = None;
            task.selected_logger_ids = logger_ids;
            task.date_range = period;
            task.selected_date = None;
            task.metric = Some(metric);
            node.update(SiteUpdate::Context(Box::new(task)));
            Err(Early::Switched(Flow::PerformanceAudit))
        }
    }
}

/// Asks which devices there are, in a step of its own.
pub(crate) async fn fetch_loggers(node: &Node) -> Result<LoggerList, Failure> {
    node.begin_step().await;
    let arguments = ListLoggersArguments::default();
    let answer = calls::call(node, names::LIST_LOGGERS, &arguments).await;
    node.end_step().await;
    let list: LoggerList = answer?.result;
    let run = node.run();
    run.assistant.keep_devices(&list.loggers, run.now);
    Ok(list)
}

/// Asks for what is missing, and leaves the task to the turn with the answer.
async fn ask_for(node: &Node, flow: Flow, missing: Missing) {
    match missing {
        Missing::Choice {
            argument,
            request,
            remark,
        } => {
            let picker = Picker::new(argument, *request, flow);
            ui::ask(node, remark.as_deref(), picker).await;
        }
        Missing::Impossible(sentence) => node.say_in_step(&sentence).await,
        Missing::Loggers => node.say_in_step(phrases::NO_LOGGERS).await,
    }
}

/// Ends a workflow with its card, what the facts say, and what else there is to say.
pub(crate) async fn conclude(
    node: &Node,
    state: &SiteState,
    prepared: Option<&Prepared>,
    facts: &Facts<'_>,
    component: UiComponent,
    more: &[String],
) {
    let premises = prepared.map_or(Premises::default(), Premises::of);
    conclude_at(node, state, prepared, &premises, facts, component, more).await;
}

/// The same, of a report about some premises.
pub(crate) async fn conclude_at(
    node: &Node,
    state: &SiteState,
    prepared: Option<&Prepared>,
    premises: &Premises<'_>,
    facts: &Facts<'_>,
    component: UiComponent,
    more: &[String],
) {
    let known = prepared.map_or(&[][..], |prepared| &prepared.loggers.loggers);
    let asked = asked_figure(&state.flow_context.words(), known);
    // The first of the worst two is none of the best, and leads nothing.
    let is_end = prepared.and_then(|prepared| prepared.resolved.ranked);
    let is_end = is_end.filter(|ranked| ranked.count > 1);
    let asked = match (asked, is_end) {
        (None | Some(Asked::Best), Some(end)) if end.worst => Some(Asked::Last),
        // Nor is the last of the best three the last of all.
        (Some(Asked::Best), Some(_)) => None,
        (asked, _) => asked,
    };
    let preferences = voice(node, state);
    let mut narrative = narrate_asked(facts, asked, &preferences);
    if let Some(before) = &premises.before {
        narrative.text = format!("{before} {}", narrative.text);
        narrative.must.insert(0, before.clone());
    }
    let suggestions = offers(facts, narrative.branch, premises);
    ui::show(node, cards::card(component, suggestions)).await;
    if node.run().assistant.settings.narratives && node.has_model() {
        let mut remarks = remarks(prepared, more);
        remarks.retain(|remark| !narrative.text.contains(remark.as_str()));
        wording::tell(node, facts, &narrative, preferences, &remarks).await;
    } else {
        let text = with_remarks(narrative.text, prepared, more);
        node.say_in_step(&text).await;
    }
    node.update(SiteUpdate::Step(LAST_STEP));
    node.update(SiteUpdate::RecoveryAttempts(0));
}

/// The devices that what is asked next is about.
#[derive(Debug, Default)]
pub(crate) struct Premises<'a> {
    /// All that are known; `None` if they were not asked for.
    known: Option<&'a [LoggerSummary]>,
    /// The site, of several, that the answer is about.
    site: Option<&'a str>,
    /// A remark that the answer begins with.
    before: Option<String>,
}

impl<'a> Premises<'a> {
    /// The site of a request, if it names one.
    pub(crate) fn of(prepared: &'a Prepared) -> Self {
        let site = match &prepared.resolved.scope {
            Scope::Site(id) => Some(id.as_str()),
            Scope::Named | Scope::All => None,
        };
        Self::at(&prepared.loggers.loggers, site)
    }

    /// The site of this id, unless it is the only one.
    pub(crate) fn at(known: &'a [LoggerSummary], site_id: Option<&str>) -> Self {
        let is_here = |logger: &&LoggerSummary| Some(logger.site_id.as_str()) == site_id;
        let here = known.iter().find(is_here);
        let others = known.iter().any(|logger| !is_here(&logger));
        Self {
            known: Some(known),
            site: here.filter(|_| others).map(|one| one.site_name.as_str()),
            before: None,
        }
    }

    /// Every device; without any, nothing is known of what they can answer.
    pub(crate) fn of_everything(known: &'a [LoggerSummary]) -> Self {
        Self {
            known: (!known.is_empty()).then_some(known),
            ..Self::default()
        }
    }

    /// The same, of sites that are silent: the answer begins with that.
    pub(crate) fn of_silent(self, sites: &[Silent]) -> Self {
        Self {
            before: tell_silence(sites),
            ..self
        }
    }

    /// Whether these devices can answer a question that is offered. It does not read the devices of
    /// the question: an offer is made from the devices that its answer was about.
    pub(crate) fn can_answer(&self, offered: &str) -> bool {
        let Some(known) = self.known else {
            return true;
        };
        let inverters = self.comparable();
        let sunlit = self.loggers().any(|logger| logger.has_irradiance);
        let today = NaiveDate::default();
        let horizon = Horizon {
            loggers: known,
            anchor: today,
            today,
        };
        match understand(offered, known).question {
            Question::Compare => {
                let metric = extract(offered, &horizon).metric;
                inverters > 1 && (sunlit || metric != Some(ComparisonMetric::Irradiance))
            }
            Question::PerformanceRatio => sunlit,
            _ => true,
        }
    }

    /// Number of inverters with data.
    pub(crate) fn comparable(&self) -> usize {
        let inverters = self
            .loggers()
            .filter(|logger| logger.role == LoggerRole::Inverter && logger.latest_data.is_some());
        inverters.count()
    }

    fn loggers(&self) -> impl Iterator<Item = &'a LoggerSummary> {
        let site = self.site;
        let known = self.known.unwrap_or_default().iter();
        known.filter(move |logger| site.is_none_or(|site| logger.site_name == site))
    }
}

/// What to ask next, without what these devices cannot answer: one device is not compared, and
/// without sunlight there is no ratio.
pub(crate) fn offers(
    facts: &Facts<'_>,
    branch: Branch,
    premises: &Premises<'_>,
) -> Vec<Suggestion> {
    let mut offers = suggestions_at(facts, branch, premises.site);
    if premises.known.is_none() {
        return offers;
    }
    let sunlit = premises.loggers().any(|logger| logger.has_irradiance);
    // Reading every offer costs as much as the rest of a turn, and most sites can answer all.
    if premises.comparable() < 2 || !sunlit {
        offers.retain(|offer| premises.can_answer(&offer.action));
    }
    if let Some(first) = offers.first_mut() {
        first.priority = SuggestionPriority::Primary;
    }
    offers
}

/// The step that every finished workflow has reached.
pub(crate) const LAST_STEP: u32 = 4;

/// The text, then what was understood but cannot be honoured, then what is missing from the answer.
pub(crate) fn with_remarks(
    mut text: String,
    prepared: Option<&Prepared>,
    more: &[String],
) -> String {
    for sentence in remarks(prepared, more) {
        if text.contains(&sentence) {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&sentence);
    }
    if text.is_empty() {
        // An answer ends with words, whatever the facts are; see `NodeContext::say_in_step`.
        sentences::THAT_IS_ALL.clone_into(&mut text);
    }
    text
}

/// Notes on what cannot be honoured, then on what is missing from the answer.
fn remarks(prepared: Option<&Prepared>, more: &[String]) -> Vec<String> {
    let notes = prepared
        .iter()
        .flat_map(|prepared| &prepared.resolved.notes)
        .map(phrases::note);
    let silence = prepared.into_iter().flat_map(silence);
    notes.chain(silence).chain(more.iter().cloned()).collect()
}

/// The devices of a task that are silent, unless it is about days before that; and the sites. The
/// days of a site that is silent as a whole count from its end, so that each answer says so.
fn silence(prepared: &Prepared) -> impl Iterator<Item = String> {
    let Prepared {
        loggers,
        resolved,
        now,
    } = prepared;
    let mut silent = arguments::silent(&resolved.loggers, &loggers.loggers, *now);
    let ends = resolved.period.map(|period| period.end);
    silent.retain(|one| ends.is_none_or(|end| end >= one.last));
    let sites = arguments::silent_sites(&resolved.loggers, &loggers.loggers, *now);
    tell_silence(&silent)
        .into_iter()
        .chain(tell_silence(&sites))
}

/// A sentence about devices that are silent.
pub(crate) fn tell_silence(silent: &[Silent]) -> Option<String> {
    match silent {
        [] => None,
        [one] => Some(sentences::silent(&one.name, one.last, one.days)),
        several => {
            let told: Vec<_> = several
                .iter()
                .map(|one| (one.name.as_str(), one.last))
                .collect();
            Some(sentences::several_silent(&told))
        }
    }
}

/// The person's preferences, in this run.
pub(crate) fn voice(node: &Node, state: &SiteState) -> Preferences {
    Preferences {
        unattended: node.run().unattended,
        ..state.flow_context.narrative_preferences
    }
}

/// The same, shortened when several answers stand one below the other.
pub(crate) fn preferences(node: &Node, state: &SiteState, answers: usize) -> Preferences {
    let mut preferences = voice(node, state);
    if answers > 1 {
        preferences.verbosity = crate::narrative::Verbosity::Brief;
    }
    preferences
}

/// The failure that represents several: the one that a choice of days can repair before the one
/// that nothing can. Its range covers all their ranges.
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

/// Days of error codes when the person names none.
const CODE_DAYS: u32 = 7;

/// The longest window of error codes that the tool counts in days; a longer one has a first day.
const LONGEST_COUNTED: u32 = 30;

/// The call for the error codes of the devices of a task.
pub(crate) fn error_codes_of(resolved: &Resolved) -> ErrorCodesArguments {
    let period = resolved.period;
    let days = period.map_or(CODE_DAYS, arguments::length);
    let counted = days <= LONGEST_COUNTED;
    let Selection {
        logger_id,
        logger_ids,
        site_id,
    } = resolved.selection();
    ErrorCodesArguments {
        logger_id,
        logger_ids,
        site_id,
        days: counted.then_some(days),
        start_date: period.filter(|_| !counted).map(|period| period.start),
        end_date: period.map(|period| period.end),
    }
}

/// A period for a hint.
pub(crate) fn over(period: Option<Period>) -> String {
    period
        .map(|period| format!(" for {}", format::period(period)))
        .unwrap_or_default()
}
