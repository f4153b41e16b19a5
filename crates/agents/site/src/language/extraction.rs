//! The things that a message names: devices, days, rates.

use chrono::{NaiveDate, TimeDelta};
use contracts::tools::{ComparisonMetric, LoggerSummary, Period};

use super::keywords::Keywords;
use super::loggers::Finder;
use super::question::forecasts;
use super::text::Message;
use super::{LoggerMention, When, dates, figures};

/// The furthest that `forecast_production` looks ahead.
pub const MAX_DAYS_AHEAD: u32 = 7;

/// The rates that `calculate_financial_savings` takes.
const RATES: std::ops::RangeInclusive<f64> = 0.01..=1.0;

/// The facts that a message is read against.
#[derive(Debug, Clone, Copy)]
pub struct Horizon<'a> {
    /// The devices that exist.
    pub loggers: &'a [LoggerSummary],
    /// The newest local day of data: "today" in the answers.
    pub anchor: NaiveDate,
    /// Today on the site's clock.
    pub today: NaiveDate,
}

/// The things that a message names.
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
    /// An end of a ranking: "top 3".
    pub ranked: Option<figures::Ranked>,
    /// Whether the question is about any device, when it names none: "any problems?".
    pub of_any: bool,
    /// Whether the question is which device is best or worst.
    pub of_best: bool,
    /// Requests that were understood and cannot be honoured; [`crate::narrative::phrases::note`]
    /// words them.
    pub notes: Vec<Note>,
}

/// Something understood that cannot be honoured as asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// More days ahead than the forecast reaches; `days_ahead` is the most it does.
    HorizonCapped {
        /// The days asked for.
        asked: u32,
    },
    /// A date that can be read in two ways; `when` is the one that the data allow.
    ReadAs {
        /// The person's words.
        phrase: String,
        /// The period that they mean.
        period: Period,
    },
    /// A rate outside 0.01 to 1 per kWh; `rate` is none.
    RateOutOfRange {
        /// The rate asked for.
        asked: f64,
    },
}

/// What `message` names.
pub fn extract(message: &str, horizon: &Horizon<'_>) -> Extraction {
    let all: Vec<_> = horizon.loggers.iter().collect();
    extract_for(message, horizon, &all)
}

/// What `message` names, when it is about the data of `meant`: they say how a date is read that can
/// be read in two ways.
pub fn extract_for(message: &str, horizon: &Horizon<'_>, meant: &[&LoggerSummary]) -> Extraction {
    let mut message = Message::new(message);
    let text = message.text().to_owned();
    let keywords = Keywords::of(&text);
    let mut extraction = Extraction {
        metric: figures::metric(&keywords),
        ranked: figures::ranked(&keywords),
        of_any: super::question::asks_of_any(&keywords),
        of_best: super::question::asks_of_best(&keywords),
        ..Extraction::default()
    };
    let mut devices = Finder::new(horizon.loggers);
    devices.ids(&mut message);
    extraction.capacity_kw = figures::take_capacity(&mut message);
    take_rate(&mut message, &mut extraction);
    let current = current_start(meant).unwrap_or(horizon.anchor);
    take_days(
        &mut message,
        horizon,
        current,
        forecasts(&keywords),
        &mut extraction,
    );
    (extraction.loggers, extraction.site) = devices.rest(&mut message);
    extraction
}

fn take_rate(message: &mut Message<'_>, extraction: &mut Extraction) {
    match figures::take_rate(message) {
        Some(rate) if RATES.contains(&rate) => extraction.rate = Some(rate),
        Some(asked) => extraction.notes.push(Note::RateOutOfRange { asked }),
        None => {}
    }
}

fn take_days(
    message: &mut Message<'_>,
    horizon: &Horizon<'_>,
    current: NaiveDate,
    forecasting: bool,
    extraction: &mut Extraction,
) {
    if let Some((asked, span)) = dates::find_ahead(message, horizon.anchor, forecasting) {
        look_ahead(asked, extraction);
        message.mask(span);
    }
    let coming = forecasting && extraction.days_ahead.is_none();
    let found = if coming {
        dates::find_coming(message, horizon.anchor)
    } else {
        dates::find_current(message, horizon.anchor, earliest(horizon), current)
    };
    let Some(found) = found else { return };
    let last = match &found.when {
        When::Day(day) => Some(*day),
        When::Range(period) => Some(period.end),
        When::NotADate { .. } => None,
    };
    let ahead = last
        .and_then(|day| u32::try_from((day - horizon.anchor).num_days()).ok())
        .filter(|days| *days > 0);
    if let Some(asked) = ahead.filter(|_| extraction.days_ahead.is_none()) {
        look_ahead(asked, extraction);
    }
    if let Some(period) = found.when.period().filter(|_| found.ambiguous) {
        let phrase = message.words_of(found.span.clone()).to_owned();
        extraction.notes.push(Note::ReadAs { phrase, period });
    }
    message.mask(found.span);
    extraction.when = Some(found.when);
}

fn look_ahead(asked: u32, extraction: &mut Extraction) {
    extraction.days_ahead = Some(asked.clamp(1, MAX_DAYS_AHEAD));
    if asked > MAX_DAYS_AHEAD {
        extraction.notes.push(Note::HorizonCapped { asked });
    }
}

/// The first local day of data.
pub(super) fn earliest(horizon: &Horizon<'_>) -> NaiveDate {
    horizon
        .loggers
        .iter()
        .filter_map(|logger| logger.earliest_data)
        .map(|at| at.date_naive())
        .min()
        .unwrap_or(horizon.anchor)
}

/// The first local day from which on every site has data, of the sites whose data reach the newest
/// day: a site whose data ended before does not count.
pub fn current_start(loggers: &[&LoggerSummary]) -> Option<NaiveDate> {
    // A stamp ends its step, so midnight belongs to the day before.
    let last = |logger: &LoggerSummary| {
        logger
            .latest_data
            .map(|newest| (newest - TimeDelta::seconds(1)).date_naive())
    };
    let newest = loggers.iter().filter_map(|logger| last(logger)).max()?;
    loggers
        .iter()
        .filter(|logger| last(logger) == Some(newest))
        .filter_map(|current| {
            loggers
                .iter()
                .filter(|logger| logger.site_id == current.site_id)
                .filter_map(|logger| logger.earliest_data)
                .map(|first| first.date_naive())
                .min()
        })
        .max()
}
