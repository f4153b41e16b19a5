//! The place and time of the person's devices, as the instructions for a model state them.

use std::time::Duration;

use agent_kit::Tools;
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use contracts::tools::{ListLoggersArguments, LoggerList, LoggerSummary, ToolStatus, names};
use serde::Deserialize;

use crate::arguments;

/// Time limit for the list of devices; after it a model is asked without them.
const PATIENCE: Duration = Duration::from_secs(3);

/// The devices and their clock.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    pub(crate) loggers: Vec<LoggerSummary>,
    pub(crate) zone: Tz,
    /// Today there.
    pub(crate) today: NaiveDate,
    /// The newest day with data.
    pub(crate) newest: Option<NaiveDate>,
}

impl Site {
    /// Asks which devices there are. The assistant itself makes this call, so no client sees it.
    pub(crate) async fn of(tools: &dyn Tools, now: DateTime<Utc>, persons: Tz) -> Self {
        let arguments = serde_json::to_value(ListLoggersArguments::default()).unwrap_or_default();
        let asked = tools.call(names::LIST_LOGGERS, arguments);
        let answer = tokio::time::timeout(PATIENCE, asked).await;
        let list = answer
            .ok()
            .and_then(Result::ok)
            .filter(|envelope| envelope.status == ToolStatus::Ok)
            .and_then(|envelope| LoggerList::deserialize(envelope.result?).ok());
        match list {
            Some(list) if !list.loggers.is_empty() => Self::with(list.loggers, now),
            _ => Self::unknown(now, persons),
        }
    }

    pub(crate) fn with(loggers: Vec<LoggerSummary>, now: DateTime<Utc>) -> Self {
        let all: Vec<_> = loggers.iter().collect();
        let zone = loggers
            .first()
            .and_then(|logger| logger.timezone.parse().ok())
            .unwrap_or(Tz::UTC);
        Self {
            newest: arguments::newest_day(&all),
            zone,
            today: now.with_timezone(&zone).date_naive(),
            loggers,
        }
    }

    /// No device is known: the day is that of the person.
    pub(super) fn unknown(now: DateTime<Utc>, persons: Tz) -> Self {
        Self {
            loggers: Vec::new(),
            zone: persons,
            today: now.with_timezone(&persons).date_naive(),
            newest: None,
        }
    }
}
