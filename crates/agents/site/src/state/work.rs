//! The findings of a turn. In memory only, and dropped when the next turn begins.

use std::sync::Arc;

use agent_kit::ToolsError;
use chrono::NaiveDate;
use contracts::{
    run::Source,
    tools::{
        AnomalyReport, AvailableRange, Comparison, ComparisonMetric, DiagnosticsReport,
        FinancialReport, FleetOverview, LoggerList, LoggerSummary, Period, ProductionForecast,
        ToolEnvelope, ToolStatus,
    },
    ui::{FleetHealthRow, RequestUserSelection},
};
use serde_json::{Map, Value};

use crate::{
    flows::free_chat::{Dialogue, Next, Replies},
    history::Answered,
    language::{Argument, Note, Question, Ranked},
    turn::Turn,
};

/// The state that the nodes of one turn exchange. Everything large is shared, so a snapshot is
/// cheap.
#[derive(Clone, Default)]
pub(crate) struct Work {
    pub(crate) turn: Option<Arc<Turn>>,
    pub(crate) loggers: Option<Arc<LoggerList>>,
    /// What free chat was asked.
    pub(crate) question: Option<Question>,
    pub(crate) resolved: Option<Arc<Resolved>>,
    pub(crate) missing: Option<Arc<Missing>>,
    pub(crate) failure: Option<Arc<Failure>>,
    pub(crate) fleet: Option<Arc<FleetOverview>>,
    pub(crate) diagnostics: Arc<Diagnostics>,
    pub(crate) savings: Option<Arc<FinancialReport>>,
    pub(crate) forecast: Option<Arc<Result<ProductionForecast, Failure>>>,
    pub(crate) comparison: Option<Arc<Comparison>>,
    pub(crate) health: Option<Arc<HealthFindings>>,
    /// The forecast's answer, asked for ahead of its node.
    pub(crate) fetched: Option<Arc<Result<ToolEnvelope, ToolsError>>>,
    pub(crate) replies: Arc<Replies>,
    /// Free chat with a model, as far as it got.
    pub(crate) dialogue: Option<Arc<Dialogue>>,
    /// The next node of free chat with a model.
    pub(crate) next: Option<Next>,
    /// The call of an earlier turn that this turn's message answered.
    pub(crate) answered: Option<Arc<Answered>>,
    /// The source of the task that the message continues; absent when it began one.
    pub(crate) continued: Option<Source>,
    /// The turn has said all it has to say: no node after the router has anything to do.
    pub(crate) over: bool,
    /// The message answered a picker that was opened because a call had failed.
    pub(crate) retrying: bool,
    /// Too many repairs of this task failed.
    pub(crate) gave_up: bool,
}

impl std::fmt::Debug for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work")
            .field("over", &self.over)
            .field("failure", &self.failure)
            .field("missing", &self.missing)
            .finish_non_exhaustive()
    }
}

/// One thing found out.
#[derive(Clone)]
pub(crate) enum Finding {
    Loggers(LoggerList),
    Question(Question),
    Resolved(Resolved),
    Missing(Missing),
    Failure(Failure),
    Fleet(FleetOverview),
    Diagnostics(Diagnostics),
    Savings(FinancialReport),
    Forecast(Result<ProductionForecast, Failure>),
    Comparison(Comparison),
    Health(HealthFindings),
    Fetched(Result<ToolEnvelope, ToolsError>),
    Replies(Replies),
    Dialogue(Box<Dialogue>),
    Next(Next),
    Answered(Answered),
    Continued(Source),
    Over,
    Retrying,
    GaveUp,
}

/// The arguments of the task, all of them known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resolved {
    /// The devices, at least as many as the task needs.
    pub(crate) loggers: Vec<LoggerSummary>,
    /// The days that the person asked for or chose.
    pub(crate) period: Option<Period>,
    /// Today on those devices' clock.
    pub(crate) today: Option<NaiveDate>,
    pub(crate) metric: Option<ComparisonMetric>,
    pub(crate) rate: Option<f64>,
    pub(crate) days_ahead: Option<u32>,
    pub(crate) capacity_kw: Option<f64>,
    /// Requests that were understood and cannot be honoured.
    pub(crate) notes: Vec<Note>,
    /// An end of a ranking.
    pub(crate) ranked: Option<Ranked>,
    /// How the devices were named.
    pub(crate) scope: Scope,
}

/// How devices were named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Scope {
    /// One by one.
    #[default]
    Named,
    /// By their site.
    Site(String),
    /// Not at all, or as all of them.
    All,
}

/// The devices of a call, in the words of the tools: one, a list, a site, or none of these for all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) logger_id: Option<String>,
    pub(crate) logger_ids: Option<Vec<String>>,
    pub(crate) site_id: Option<String>,
}

impl Resolved {
    /// The devices, as a call names them.
    pub(crate) fn selection(&self) -> Selection {
        let ids = || self.loggers.iter().map(|logger| logger.logger_id.clone());
        match (&self.scope, self.loggers.as_slice()) {
            (_, [only]) => Selection {
                logger_id: Some(only.logger_id.clone()),
                ..Selection::default()
            },
            (Scope::Site(site), _) => Selection {
                site_id: Some(site.clone()),
                ..Selection::default()
            },
            (Scope::All, _) => Selection::default(),
            (Scope::Named, _) => Selection {
                logger_ids: Some(ids().collect()),
                ..Selection::default()
            },
        }
    }
}

/// The missing argument of the task.
#[derive(Debug, Clone)]
pub(crate) enum Missing {
    /// A choice of the person.
    Choice {
        argument: Argument,
        request: Box<RequestUserSelection>,
        /// What to say before the picker, when it is more than the picker's own words.
        remark: Option<String>,
    },
    /// Any device at all.
    Loggers,
    /// A missing thing that no choice can supply; the sentence that says so.
    Impossible(String),
}

/// A call that failed.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) tool: Box<str>,
    pub(crate) arguments: Map<String, Value>,
    /// Never [`ToolStatus::Ok`].
    pub(crate) status: ToolStatus,
    /// A sentence for the person.
    pub(crate) message: Box<str>,
    pub(crate) available_range: Option<AvailableRange>,
}

/// The error codes of the devices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Diagnostics {
    pub(crate) reports: Vec<DiagnosticsReport>,
    /// Of devices whose codes could not be read.
    pub(crate) failures: Vec<Failure>,
}

/// The health of one device or several.
#[derive(Debug, Clone, Default)]
pub(crate) struct HealthFindings {
    /// One per device, also for those that could not be judged.
    pub(crate) rows: Vec<FleetHealthRow>,
    /// As far as there are any.
    pub(crate) reports: Vec<AnomalyReport>,
}

impl Failure {
    /// The device that the call was about, when it was about one.
    pub(crate) fn logger_id(&self) -> Option<&str> {
        self.arguments.get("logger_id").and_then(Value::as_str)
    }
}

impl Work {
    pub(crate) fn new(turn: Option<Arc<Turn>>) -> Self {
        Self {
            turn,
            ..Self::default()
        }
    }

    /// Who leads the task: the model from its first words until the rules take over.
    pub(crate) fn leader(&self) -> Source {
        match (&self.dialogue, self.next) {
            (None, _) | (_, Some(Next::Rules | Next::Results)) => Source::Rules,
            (Some(_), _) => Source::Model,
        }
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        match finding {
            Finding::Loggers(list) => self.loggers = Some(Arc::new(list)),
            Finding::Question(question) => self.question = Some(question),
            Finding::Resolved(resolved) => self.resolved = Some(Arc::new(resolved)),
            Finding::Missing(missing) => self.missing = Some(Arc::new(missing)),
            Finding::Failure(failure) => self.failure = Some(Arc::new(failure)),
            Finding::Fleet(fleet) => self.fleet = Some(Arc::new(fleet)),
            Finding::Diagnostics(reports) => self.diagnostics = Arc::new(reports),
            Finding::Savings(report) => self.savings = Some(Arc::new(report)),
            Finding::Forecast(forecast) => self.forecast = Some(Arc::new(forecast)),
            Finding::Comparison(comparison) => self.comparison = Some(Arc::new(comparison)),
            Finding::Health(health) => self.health = Some(Arc::new(health)),
            Finding::Fetched(answer) => self.fetched = Some(Arc::new(answer)),
            Finding::Replies(replies) => self.replies = Arc::new(replies),
            Finding::Dialogue(dialogue) => self.dialogue = Some(Arc::new(*dialogue)),
            Finding::Next(next) => self.next = Some(next),
            Finding::Answered(answered) => self.answered = Some(Arc::new(answered)),
            Finding::Continued(source) => self.continued = Some(source),
            Finding::Over => self.over = true,
            Finding::Retrying => self.retrying = true,
            Finding::GaveUp => self.gave_up = true,
        }
    }
}
