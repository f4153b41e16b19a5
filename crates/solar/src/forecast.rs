//! Production of the coming days, from the energies of the days before.
//!
//! Several simple methods are blended, each weighted by how it did in the past. The first of them
//! mixes the last day and the climate of the month, by how much the past resembled itself (CLIPER,
//! Yang 2019). How far the forecasts of the past were off gives the range. Where irradiance is
//! forecast for the site, and was in the past, the device's response to it is learned, and used
//! where it was better.
//!
//! The whole past is replayed once, day by day with running sums, so the cost grows with the number
//! of days and no faster.

mod blend;
mod candidates;
mod range;
mod replay;
mod weather;

use chrono::{Days, NaiveDate};

use crate::completeness;
use crate::context::{EnergySource, LoggerContext};
use crate::days::DayFigures;
use crate::flags::{Flag, Flags};
use crate::stats;

pub use candidates::Method;
pub use range::CONFIDENCE_LEVEL;
pub use replay::Trial;
pub use weather::{Verdict, Weather, WeatherReview};

/// The longest horizon, days.
pub const LONGEST_HORIZON: u32 = 7;

/// Known days among the last 30 without which nothing is forecast.
const FEWEST_KNOWN: usize = 5;

/// Energies of consecutive local days, kWh; NaN where a day is missing or incomplete.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DailyEnergies {
    /// The first day.
    pub first: NaiveDate,
    /// One value per day.
    pub kwh: Vec<f64>,
    /// The source of the known days: the least trusted one.
    pub source: Option<EnergySource>,
}

impl DailyEnergies {
    /// The energies of the complete days among `days`, through the day of the anchor, `last`.
    pub fn of_days(days: &[DayFigures], last: NaiveDate) -> Self {
        let days = &days[..days.partition_point(|day| day.date <= last)];
        let Some(first) = days.first().map(|day| day.date) else {
            return Self {
                first: last,
                kwh: Vec::new(),
                source: None,
            };
        };
        let length = stats::to_index((last - first).num_days() as f64) + 1;
        let mut energies = Self {
            first,
            kwh: vec![f64::NAN; length],
            source: None,
        };
        for day in days {
            let Some((kwh, source)) = day
                .energy()
                .filter(|_| completeness::is_complete(days, day))
            else {
                continue;
            };
            energies.kwh[stats::to_index((day.date - first).num_days() as f64)] = kwh;
            energies.source = Some(
                energies
                    .source
                    .map_or(source, |worst| crate::money::less_trusted(worst, source)),
            );
        }
        energies
    }

    /// The days that are known among the last `days`.
    pub fn known_in_last(&self, days: usize) -> usize {
        self.kwh[self.kwh.len().saturating_sub(days)..]
            .iter()
            .filter(|kwh| kwh.is_finite())
            .count()
    }

    fn date(&self, index: usize) -> NaiveDate {
        self.first
            .checked_add_days(Days::new(index as u64))
            .unwrap_or(NaiveDate::MAX)
    }
}

/// The data that a forecast uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Past production alone.
    History,
    /// Irradiance that was forecast for the site.
    Weather,
}

/// The confidence of a forecast, from the width of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// The range is narrower than 30 % of the usual day.
    High,
    /// Narrower than 60 %.
    Medium,
    /// Wider.
    Low,
}

impl Confidence {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }
}

/// The forecast of one day.
#[derive(Clone, Debug, PartialEq)]
pub struct DayForecast {
    /// The day.
    pub date: NaiveDate,
    /// Days ahead of the last one, from 1.
    pub horizon: u32,
    /// Expected energy, kWh.
    pub expected_kwh: f64,
    /// Eight of ten days turn out between `lower_kwh` and `upper_kwh`.
    pub lower_kwh: f64,
    /// See `lower_kwh`.
    pub upper_kwh: f64,
    /// From the width of that range.
    pub confidence: Confidence,
    /// How it was made.
    pub method: Method,
    /// The data that it uses.
    pub basis: Basis,
    /// What forecast irradiance was worth in the past, and why it is used or not.
    pub weather: WeatherReview,
    /// How such forecasts did in the past; `None` without a past to try them on.
    pub backtest: Option<Backtest>,
}

/// How the forecasts of the past did at one horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backtest {
    /// Mean absolute error divided by the mean energy of the days forecast.
    pub nmae: f64,
    /// Root mean square error divided likewise.
    pub nrmse: f64,
    /// 1 - RMSE / RMSE of "as on the last known day".
    pub skill: f64,
    /// Number of days that were forecast and then known.
    pub days: u32,
}

/// The forecast of the coming days.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// One per day, in order.
    pub days: Vec<DayForecast>,
    /// Sum of the expected energies, kWh.
    pub total_kwh: f64,
    /// Known days that it is based on: those of the last 90.
    pub based_on_days: u32,
    /// Mean of the last 30 known days, kWh.
    pub mean_kwh: f64,
    /// Their standard deviation, kWh.
    pub std_kwh: f64,
    /// Lowest and highest of them, kWh.
    pub extremes_kwh: (f64, f64),
    /// The probability that the range contains the day's energy.
    pub confidence_level: f64,
    /// What to know about it.
    pub flags: Flags,
}

/// Too few days are known: fewer than five of the last thirty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("insufficient data: {known_days} complete days among the last 30, 5 are needed")]
pub struct InsufficientData {
    /// Complete days among the last 30.
    pub known_days: usize,
}

/// Forecasts the `days_ahead` (1 to 7) days after the last day of `history`.
pub fn forecast(
    history: &DailyEnergies,
    days_ahead: u32,
    context: &LoggerContext,
) -> Result<Forecast, InsufficientData> {
    forecast_with(history, &Weather::default(), days_ahead, context)
}

/// [`forecast`], from forecast irradiance where that was clearly better in the past.
pub fn forecast_with(
    history: &DailyEnergies,
    weather: &Weather,
    days_ahead: u32,
    context: &LoggerContext,
) -> Result<Forecast, InsufficientData> {
    let known_days = history.known_in_last(30);
    if known_days < FEWEST_KNOWN {
        return Err(InsufficientData { known_days });
    }
    let horizons = days_ahead.clamp(1, LONGEST_HORIZON);
    let Recent {
        kwh: recent,
        mean: mean_kwh,
        deviation: std_kwh,
    } = Recent::of(&history.kwh);
    let last = history.kwh.len().saturating_sub(1);
    let days: Vec<DayForecast> = replay::replay(history, weather, horizons, context)
        .iter()
        .map(|horizon| day_forecast(horizon, history.date(last), mean_kwh))
        .collect();
    let mut flags = Flags::default();
    flags.insert_if(Flag::FewDays, known_days < 15);
    flags.insert_if(
        Flag::EnergyFromPower,
        history.source == Some(EnergySource::Power),
    );
    Ok(Forecast {
        total_kwh: days.iter().map(|day| day.expected_kwh).sum(),
        days,
        based_on_days: u32::try_from(history.known_in_last(90)).unwrap_or(u32::MAX),
        mean_kwh,
        std_kwh,
        extremes_kwh: recent
            .iter()
            .fold((f64::INFINITY, 0.0), |(low, high), &kwh| {
                (kwh.min(low), kwh.max(high))
            }),
        confidence_level: CONFIDENCE_LEVEL,
        flags,
    })
}

/// Every forecast that would have been made in the past at a horizon, with its outcome and the
/// irradiance that had been forecast on each of these days.
pub fn backtest_trials(
    history: &DailyEnergies,
    weather: &Weather,
    horizon: u32,
    context: &LoggerContext,
) -> Vec<Trial> {
    let horizons = horizon.clamp(1, LONGEST_HORIZON);
    replay::replay(history, weather, horizons, context)
        .pop()
        .map(|replay| replay.trials)
        .unwrap_or_default()
}

/// Error figures of trials. `None` without any.
pub fn score(trials: &[Trial]) -> Option<Backtest> {
    let mean =
        stats::mean(trials.iter().map(|trial| trial.actual_kwh)).filter(|mean| *mean > 0.0)?;
    let rms = |error: &dyn Fn(&Trial) -> f64| {
        stats::mean(trials.iter().map(|trial| error(trial).powi(2))).map(f64::sqrt)
    };
    let rmse = rms(&|trial| trial.expected_kwh - trial.actual_kwh)?;
    let persistence = rms(&|trial| trial.persistence_kwh - trial.actual_kwh)?;
    Some(Backtest {
        nmae: stats::mean(
            trials
                .iter()
                .map(|trial| (trial.expected_kwh - trial.actual_kwh).abs()),
        )? / mean,
        nrmse: rmse / mean,
        skill: if persistence > 0.0 {
            1.0 - rmse / persistence
        } else {
            0.0
        },
        days: u32::try_from(trials.len()).unwrap_or(u32::MAX),
    })
}

fn day_forecast(replay: &replay::Horizon, last: NaiveDate, mean_kwh: f64) -> DayForecast {
    let width = (replay.upper_kwh - replay.lower_kwh) / mean_kwh;
    DayForecast {
        date: last
            .checked_add_days(Days::new(u64::from(replay.days_ahead)))
            .unwrap_or(NaiveDate::MAX),
        horizon: replay.days_ahead,
        expected_kwh: replay.expected_kwh,
        lower_kwh: replay.lower_kwh,
        upper_kwh: replay.upper_kwh,
        confidence: match width {
            width if width < 0.3 => Confidence::High,
            width if width < 0.6 => Confidence::Medium,
            _ => Confidence::Low,
        },
        method: replay.method,
        basis: replay.basis,
        weather: replay.weather,
        backtest: score(&replay.trials),
    }
}

/// The last thirty known days.
struct Recent {
    kwh: Vec<f64>,
    mean: f64,
    deviation: f64,
}

impl Recent {
    fn of(kwh: &[f64]) -> Self {
        let known = kwh.iter().rev().copied().filter(|kwh| kwh.is_finite());
        let kwh: Vec<f64> = known.take(30).collect();
        let mean = stats::mean(kwh.iter().copied()).unwrap_or(0.0);
        let deviation = deviation(&kwh, mean);
        Self {
            kwh,
            mean,
            deviation,
        }
    }
}

/// Standard deviation of a sample.
fn deviation(values: &[f64], mean: f64) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let sum: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (sum / (values.len() - 1) as f64).sqrt()
}

/// How the energy of a day spreads over its 24 local hours: shares that add up to 1, the mean of
/// the rows given. Give it the rows of the last 14 days. `None` when nothing was produced.
pub fn hourly_shape(
    series: &crate::Series,
    calibration: &crate::Calibration,
    context: &LoggerContext,
) -> Option<[f64; 24]> {
    use chrono::Timelike;
    let limits = crate::clean::Limits::of(calibration.robust_peak_w);
    let mut hours = [0.0; 24];
    let mut previous: Option<(i64, f64)> = None;
    for (&time, &power) in series.time().iter().zip(series.power_w()) {
        let power = limits.clean(power);
        if power.is_nan() {
            continue;
        }
        if let Some(from) = previous.replace((time, power))
            && let crate::energy::Step::Energy { wh, .. } = crate::energy::step_energy(
                from,
                (time, power),
                calibration.step_hours,
                context.label,
            )
            && wh > 0.0
        {
            // The stamp ends its step, so 13:00 is the end of the hour from noon.
            let hour = crate::calendar::local_time(time - 1, context.zone).hour();
            hours[hour as usize] += wh;
        }
    }
    let total: f64 = hours.iter().sum();
    (total > 0.0).then(|| hours.map(|wh| wh / total))
}
