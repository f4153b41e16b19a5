//! The findings of a workflow on its way to an answer: values of one run, never stored.

use chrono::NaiveDate;
use contracts::{
    tools::{
        AnomalyReport, AvailableRange, ComparisonMetric, DiagnosticsReport, LoggerSummary, Period,
        ToolStatus,
    },
    ui::{FleetHealthRow, RequestUserSelection},
};
use serde_json::{Map, Value};

use crate::{
    language::{Argument, NamedCurrency, Note, Ranked},
    narrative::Facts,
};

/// Everything that the task needs.
#[derive(Debug, Clone)]
pub(crate) struct Resolved {
    /// The devices, at least as many as the task needs.
    pub(crate) loggers: Vec<LoggerSummary>,
    /// The days that the person asked for or chose.
    pub(crate) period: Option<Period>,
    /// Days that those are set beside.
    pub(crate) beside: Option<Period>,
    /// Today on those devices' clock.
    pub(crate) today: NaiveDate,
    pub(crate) metric: Option<ComparisonMetric>,
    pub(crate) rate: Option<f64>,
    /// The currency that is named with the rate.
    pub(crate) rate_currency: Option<NamedCurrency>,
    pub(crate) days_ahead: Option<u32>,
    /// The coming days that are asked for; empty for all up to `days_ahead`.
    pub(crate) coming: Vec<Period>,
    pub(crate) capacity_kw: Option<f64>,
    /// Parts of the request that are understood and cannot be honoured.
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

/// The reason why the task cannot begin.
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
    /// Nothing that a choice can add; the sentence says so.
    Impossible(String),
}

/// A call that failed, or that had no data.
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

/// Reports on the devices' error codes.
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
    /// Availability by time of all together.
    pub(crate) availability: Option<f64>,
}

impl HealthFindings {
    /// As facts of an answer.
    pub(crate) fn facts(&self) -> Facts<'_> {
        match (self.rows.as_slice(), self.reports.as_slice()) {
            ([_], [report]) => Facts::Health { report },
            _ => Facts::FleetHealth {
                rows: &self.rows,
                reports: &self.reports,
                availability: self.availability,
            },
        }
    }
}

impl Failure {
    /// The device that the call was about, when it was about one.
    pub(crate) fn logger_id(&self) -> Option<&str> {
        self.arguments.get("logger_id").and_then(Value::as_str)
    }
}
