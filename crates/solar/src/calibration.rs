//! The long-run figures of a logger: computed once from its history, stored, and handed back with
//! every question, so that answering reads only the rows of the range asked for.

use serde::{Deserialize, Serialize};

use crate::calendar;
use crate::clean::{Limits, robust_peak, temperature_counts};
use crate::context::{Capacity, CapacityBasis, LoggerContext};
use crate::days::{DayFigures, PRODUCING_SHARE, rollup};
use crate::energy::nominal_step_hours;
use crate::register::{DayEnds, RegisterKind, detect_kind};
use crate::series::Series;
use crate::stats;

/// AC power at standard test conditions divided by the DC nameplate: 14.08 % losses and a 96 %
/// inverter (PVWatts).
pub const STC_AC_PER_DC: f64 = 0.8248;

/// The step that is assumed of a logger with a single reading, hours.
const DEFAULT_STEP_HOURS: f64 = 0.25;

/// Counts up when the rules of daily figures change, so that days of older rules are computed
/// again.
pub const RULES: u32 = 6;

/// Bright readings that a capacity estimate needs.
const CAPACITY_RECORDS: usize = 12;

/// The long-run figures of one logger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Readings that the figures come from.
    pub records: u64,
    /// Nominal step, hours.
    pub step_hours: f64,
    /// Robust peak of the power, W; 0 for a logger that never produced.
    pub robust_peak_w: f64,
    /// The kind of the daily-energy column.
    pub register: RegisterKind,
    /// Whether there is a lifetime register.
    pub has_lifetime: bool,
    /// Whether there is irradiance.
    pub has_irradiance: bool,
    /// Whether there is module temperature.
    pub has_module_temperature: bool,
    /// Median P/G of producing readings with G > 200 W/m2, W per W/m2.
    pub power_per_irradiance: Option<f64>,
    /// AC power at standard test conditions, corrected for temperature where that is known, kW.
    pub stc_power_kw: Option<f64>,
    /// The same without correction, which is comparable between loggers with and without
    /// temperature, kW.
    pub stc_power_uncorrected_kw: Option<f64>,
    /// Bright readings behind the two.
    pub stc_records: u64,
    /// Readings with valid power and irradiance.
    pub paired_records: u64,
    /// Median energy of the days that produced, kWh.
    pub median_day_kwh: Option<f64>,
    /// Median of the days' P/G (200 < G < 1300 W/m2), W per kW/m2.
    pub median_day_ratio: Option<f64>,
    /// Median completeness of the days.
    pub typical_completeness: Option<f64>,
    /// Median number of valid readings of a day.
    pub usual_day_records: Option<f64>,
    /// Days with figures.
    pub days: u64,
    /// The rules that the days were computed by.
    #[serde(default)]
    pub rules: u32,
}

impl Default for Calibration {
    /// The calibration of a logger without readings.
    fn default() -> Self {
        Self {
            records: 0,
            step_hours: DEFAULT_STEP_HOURS,
            robust_peak_w: 0.0,
            register: RegisterKind::None,
            has_lifetime: false,
            has_irradiance: false,
            has_module_temperature: false,
            power_per_irradiance: None,
            stc_power_kw: None,
            stc_power_uncorrected_kw: None,
            stc_records: 0,
            paired_records: 0,
            median_day_kwh: None,
            median_day_ratio: None,
            typical_completeness: None,
            usual_day_records: None,
            days: 0,
            rules: RULES,
        }
    }
}

/// The long-run figures of a logger from its history.
pub fn calibrate(series: &Series, context: &LoggerContext) -> Calibration {
    let calibration = calibrate_rows(series, context);
    let days = rollup(series, &calibration, context);
    calibration.with_days(&days)
}

/// The part of [`calibrate`] that needs rows but no day figures.
pub fn calibrate_rows(series: &Series, context: &LoggerContext) -> Calibration {
    let robust_peak_w = robust_peak(series.power_w()).unwrap_or(0.0);
    let mut calibration = Calibration {
        records: series.len() as u64,
        step_hours: nominal_step_hours(series.time()).unwrap_or(DEFAULT_STEP_HOURS),
        robust_peak_w,
        register: detect_kind(&register_ends(series, context), robust_peak_w),
        has_lifetime: series.lifetime_kwh().iter().any(|kwh| kwh.is_finite()),
        has_irradiance: series.has_irradiance(),
        has_module_temperature: series.module_c().iter().any(|c| temperature_counts(*c)),
        ..Calibration::default()
    };
    if calibration.has_irradiance {
        calibration.add_irradiance_figures(series, context);
    }
    calibration
}

impl Calibration {
    /// These figures with those that come from days replaced.
    #[must_use]
    pub fn with_days(mut self, days: &[DayFigures]) -> Self {
        let median = |value: &dyn Fn(&DayFigures) -> Option<f64>| {
            stats::median(&mut days.iter().filter_map(value).collect::<Vec<f64>>())
        };
        self.median_day_kwh =
            median(&|day| day.energy().map(|(kwh, _)| kwh).filter(|&kwh| kwh > 0.0));
        self.median_day_ratio = median(&|day| day.bright_ratio());
        self.typical_completeness = median(&|day| Some(day.completeness));
        self.usual_day_records = median(&|day| Some(f64::from(day.valid)));
        self.days = days.len() as u64;
        self
    }

    /// DC nameplate estimated from the data, kW.
    pub fn dc_capacity_estimate_kw(&self) -> Option<f64> {
        self.stc_power_kw.map(|kw| kw / STC_AC_PER_DC)
    }

    /// The nameplate to use: the stated one, otherwise the estimate.
    pub fn capacity(&self, context: &LoggerContext) -> Option<Capacity> {
        context
            .capacity
            .filter(|capacity| capacity.kw > 0.0)
            .or_else(|| {
                self.dc_capacity_estimate_kw().map(|kw| Capacity {
                    kw,
                    basis: CapacityBasis::Inferred,
                })
            })
    }

    /// Power above which the logger counts as producing, W.
    pub fn producing_w(&self) -> f64 {
        PRODUCING_SHARE * self.robust_peak_w
    }

    /// Whether day figures computed with `other` still hold with `self`: same rules, step and
    /// register, and a peak that moved by less than a tenth, so that no cleaning rule decides
    /// differently on real values.
    pub fn keeps_days_of(&self, other: &Calibration) -> bool {
        self.rules == other.rules
            && (self.step_hours - other.step_hours).abs() < 1e-9
            && self.register == other.register
            && self.has_lifetime == other.has_lifetime
            && (self.robust_peak_w - other.robust_peak_w).abs() <= 0.1 * other.robust_peak_w
    }

    fn add_irradiance_figures(&mut self, series: &Series, context: &LoggerContext) {
        let limits = Limits::of(self.robust_peak_w);
        let producing_w = self.producing_w();
        let (mut usual, mut bright, mut corrected) = (Vec::new(), Vec::new(), Vec::new());
        let rows = series
            .power_w()
            .iter()
            .zip(series.irradiance())
            .zip(series.module_c());
        for ((&power, &irradiance), &module_c) in rows {
            let power = limits.clean(power);
            if power.is_nan() || !crate::clean::irradiance_counts(irradiance) {
                continue;
            }
            self.paired_records += 1;
            let ratio = power.max(0.0) / irradiance;
            if irradiance > 200.0 && power > producing_w {
                usual.push(ratio);
            }
            if (600.0..=1100.0).contains(&irradiance) {
                bright.push(ratio);
                if temperature_counts(module_c) {
                    corrected.push(ratio / crate::days::temperature_factor(module_c, context));
                }
            }
        }
        self.power_per_irradiance = stats::median(&mut usual);
        self.stc_records = bright.len() as u64;
        let estimate = |ratios: &mut Vec<f64>| {
            stats::median(ratios).filter(|&k| ratios.len() >= CAPACITY_RECORDS && k > 0.0)
        };
        // W per W/m2 at 1000 W/m2 is the same number in kW.
        self.stc_power_uncorrected_kw = estimate(&mut bright);
        self.stc_power_kw = estimate(&mut corrected).or(self.stc_power_uncorrected_kw);
    }
}

impl DayFigures {
    /// P/G of the bright readings of the day, W per kW/m2.
    pub fn bright_ratio(&self) -> Option<f64> {
        let bright = self.sun.bright;
        (bright.records > 0).then(|| bright.energy_kwh / bright.insolation_kwh_m2 * 1000.0)
    }
}

fn register_ends(series: &Series, context: &LoggerContext) -> Vec<DayEnds> {
    let column = series.daily_kwh();
    if !column.iter().any(|kwh| kwh.is_finite()) {
        return Vec::new();
    }
    let days = calendar::split_days(series.time(), context.zone);
    days.into_iter()
        .filter_map(|(_, rows)| day_ends(&column[rows]))
        .collect()
}

fn day_ends(column: &[f64]) -> Option<DayEnds> {
    let mut readings = column.iter().copied().filter(|kwh| kwh.is_finite());
    let first = readings.next()?;
    let (last, falls) = readings.fold((first, false), |(previous, falls), kwh| {
        (kwh, falls || kwh < 0.5 * previous)
    });
    Some(DayEnds { first, last, falls })
}
