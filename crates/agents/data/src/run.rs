//! The state that the nodes of one run share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_kit::{NodeContext, RunContext};
use contracts::tools::sql::{PastQuestion, SqlRun, TableDescription, TableSummary};

use crate::{nodes::gather::Beside, settings::DataSettings, simple::Shape, state::DataState};

pub(crate) type Run = RunContext<DataRun>;
pub(crate) type Context = graph::Context<DataState, Run>;
pub(crate) type Node = NodeContext<DataState, Run>;

/// What only the data assistant's nodes share within a run.
#[derive(Debug)]
pub struct DataRun {
    pub(crate) settings: Arc<DataSettings>,
    findings: Mutex<Findings>,
}

/// The results of lookups for the question in this run. They are too large to be stored, and rows
/// are never stored: a run that continues with a stored question looks up again what it needs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    /// The tables that there are, those that fit first.
    pub(crate) candidates: Vec<TableSummary>,
    /// Confirmed questions like this one.
    pub(crate) past: Vec<PastQuestion>,
    /// The chosen tables as they are.
    pub(crate) schemas: Vec<TableDescription>,
    /// The shape of a simple question.
    pub(crate) shape: Option<Shape>,
    /// The results of the rules' lookups beside its tables.
    pub(crate) beside: Option<Beside>,
    /// The result of the newest query.
    pub(crate) result: Option<Arc<SqlRun>>,
}

impl DataRun {
    pub(crate) fn new(settings: Arc<DataSettings>) -> Self {
        Self {
            settings,
            findings: Mutex::default(),
        }
    }

    /// A copy, to be changed and [kept](Self::keep).
    pub(crate) fn findings(&self) -> Findings {
        self.lock().clone()
    }

    pub(crate) fn keep(&self, findings: Findings) {
        *self.lock() = findings;
    }

    fn lock(&self) -> MutexGuard<'_, Findings> {
        // They are replaced as a whole.
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
