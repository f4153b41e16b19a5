//! What a message names: devices, days, rates.

use chrono::NaiveDate;
use contracts::tools::{ComparisonMetric, LoggerSummary};

use super::{LoggerMention, When};

/// The furthest that `forecast_production` looks ahead.
pub const MAX_DAYS_AHEAD: u32 = 7;

/// What a message is read against.
#[derive(Debug, Clone, Copy)]
pub struct Horizon<'a> {
    /// The devices that exist.
    pub loggers: &'a [LoggerSummary],
    /// The newest local day of data: "today" in the answers.
    pub anchor: NaiveDate,
    /// Today on the site's clock.
    pub today: NaiveDate,
}

/// What a message names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extraction {
    /// Devices.
    pub loggers: LoggerMention,
    /// A day or a range in the past.
    pub when: Option<When>,
    /// Days ahead, 1 to 7; also set when `when` is a day shortly after the newest one.
    pub days_ahead: Option<u32>,
    /// Money per kWh, within the bounds of `calculate_financial_savings`.
    pub rate: Option<f64>,
    /// What to compare.
    pub metric: Option<ComparisonMetric>,
    /// DC nameplate, kW.
    pub capacity_kw: Option<f64>,
    /// The id of a site.
    pub site: Option<String>,
    /// What was understood but can not be honoured; [`crate::narrative::phrases::note`] words it.
    pub notes: Vec<Note>,
}

/// Something understood that can not be honoured as asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// More days ahead than the forecast reaches; `days_ahead` is the most it does.
    HorizonCapped {
        /// The days asked for.
        asked: u32,
    },
    /// A rate outside 0.01 to 1 per kWh; `rate` is none.
    RateOutOfRange {
        /// The rate asked for.
        asked: f64,
    },
}

/// What `message` names.
pub fn extract(message: &str, horizon: &Horizon<'_>) -> Extraction {
    let _ = (message, horizon);
    Extraction::default()
}
