//! The part of the day figures that needs irradiance.

use chrono::NaiveTime;
use serde::{Deserialize, Serialize};

use crate::calendar::{self, DaySpan};
use crate::calibration::Calibration;
use crate::clean::{irradiance_counts, temperature_counts};
use crate::context::LoggerContext;
use crate::stats;

/// Sums over readings in which everything needed is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairSums {
    /// Number of readings.
    pub records: u32,
    /// Energy of those readings, kWh.
    pub energy_kwh: f64,
    /// Irradiation of those readings, kWh/m2; in the temperature-corrected sums each reading
    /// multiplied by its correction.
    pub insolation_kwh_m2: f64,
}

impl PairSums {
    fn add(&mut self, power_w: f64, irradiance: f64, step_hours: f64) {
        self.records += 1;
        self.energy_kwh += power_w.max(0.0) * step_hours / 1000.0;
        self.insolation_kwh_m2 += irradiance * step_hours / 1000.0;
    }

    /// The same readings with their energy multiplied by a factor.
    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            energy_kwh: factor * self.energy_kwh,
            ..self
        }
    }

    pub(crate) fn merge(&mut self, other: PairSums) {
        self.records += other.records;
        self.energy_kwh += other.energy_kwh;
        self.insolation_kwh_m2 += other.insolation_kwh_m2;
    }
}

/// Figures of a day that need irradiance; all zero without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SunFigures {
    /// Readings with irradiance.
    pub records: u32,
    /// Readings with 20 <= G < 2000 W/m2.
    pub daylight: u32,
    /// Irradiation of those, kWh/m2.
    pub insolation_kwh_m2: f64,
    /// Power and irradiance both valid.
    pub pairs: PairSums,
    /// Power, irradiance and module temperature all valid; the irradiance corrected to 25 C.
    pub corrected: PairSums,
    /// Power and irradiance between 200 and 1300 W/m2, to compare days by.
    pub bright: PairSums,
    /// Readings with irradiance above the threshold of sunshine.
    pub sunny: u32,
    /// Number of sunny readings with a valid power.
    pub sunny_valid: u32,
    /// Highest irradiance below 2000, W/m2.
    pub peak_irradiance: f64,
    /// The sensor reads light in the night: not to be used this day.
    pub suspect: bool,
}

/// The rows of one day.
pub(super) struct Day<'a> {
    pub(super) time: &'a [i64],
    /// Cleaned.
    pub(super) power: &'a [f64],
    pub(super) irradiance: &'a [f64],
    pub(super) module_c: &'a [f64],
    pub(super) span: DaySpan,
    pub(super) calibration: &'a Calibration,
    pub(super) context: &'a LoggerContext,
}

impl SunFigures {
    pub(super) fn of(day: &Day<'_>) -> Self {
        let mut sun = Self::default();
        if !day.irradiance.iter().any(|g| g.is_finite()) {
            return sun;
        }
        let step = day.calibration.step_hours;
        let threshold = day.context.sun_threshold();
        for ((&power, &irradiance), &module_c) in
            day.power.iter().zip(day.irradiance).zip(day.module_c)
        {
            if irradiance.is_nan() {
                continue;
            }
            sun.records += 1;
            if irradiance > threshold {
                sun.sunny += 1;
                sun.sunny_valid += u32::from(!power.is_nan());
            }
            if !irradiance_counts(irradiance) {
                continue;
            }
            sun.daylight += 1;
            sun.insolation_kwh_m2 += irradiance * step / 1000.0;
            sun.peak_irradiance = sun.peak_irradiance.max(irradiance);
            if power.is_nan() {
                continue;
            }
            sun.pairs.add(power, irradiance, step);
            if temperature_counts(module_c) {
                sun.corrected.add(
                    power,
                    irradiance * temperature_factor(module_c, day.context),
                    step,
                );
            }
            if irradiance > 200.0 && irradiance < 1300.0 {
                sun.bright.add(power, irradiance, step);
            }
        }
        sun.suspect = reads_light_at_night(day.time, day.irradiance, day.span, day.context);
        sun
    }
}

/// Share of its power at 25 C that an array delivers at this module temperature.
pub(crate) fn temperature_factor(module_c: f64, context: &LoggerContext) -> f64 {
    1.0 + context.gamma_per_k * (module_c - 25.0)
}

/// Whether the median of the irradiance from 23:00 to 03:00 is above 20 W/m2.
pub(crate) fn reads_light_at_night(
    time: &[i64],
    irradiance: &[f64],
    span: DaySpan,
    context: &LoggerContext,
) -> bool {
    let at = |hour: u32| {
        let hour = NaiveTime::from_hms_opt(hour, 0, 0).unwrap_or(NaiveTime::MIN);
        calendar::local_instant(span.first.and_time(hour), context.zone)
    };
    let morning = time.partition_point(|&t| t <= at(3));
    let evening = time.partition_point(|&t| t < at(23));
    let night = irradiance[..morning]
        .iter()
        .chain(&irradiance[evening.max(morning)..]);
    // Most nights are dark to the last reading; only a bright one is worth a median.
    if !night.clone().any(|&g| g > 20.0) {
        return false;
    }
    let mut night: Vec<f64> = night.copied().filter(|g| g.is_finite()).collect();
    stats::median(&mut night).is_some_and(|g| g > 20.0)
}
