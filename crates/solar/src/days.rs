//! Daily figures: what a local day of a logger comes to, computed once at ingestion and then used
//! by every question about longer periods.
//!
//! A day is computed from its own rows and the [`Carry`] of the rows before it. [`rollup`] over a
//! whole history and [`day_figures`] day by day give the same figures, so ingestion may recompute
//! just the days that changed, and the day after each of them.

mod patterns;
mod sunlight;

use std::ops::Range;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::calendar::{self, DaySpan};
use crate::calibration::Calibration;
use crate::clean::Limits;
use crate::context::{EnergySource, LoggerContext};
use crate::energy::{Step, step_energy};
use crate::flags::{Flag, Flags};
use crate::register::{self, LifetimeReading, Opening, Peak, RegisterKind};
use crate::series::Series;

pub use patterns::clipped_and_stale;
pub use sunlight::{PairSums, SunFigures};
pub(crate) use sunlight::{reads_light_at_night, temperature_factor};

/// Power below this share of the peak does not count as production.
pub const PRODUCING_SHARE: f64 = 0.005;

/// A register that shows less than this share of the integrated power has stopped: losses in
/// communication make it show more, never less.
const STANDSTILL_SHARE: f64 = 0.05;

/// Below this energy, kWh, registers and power say nothing about each other.
const LEAST_KWH: f64 = 1.0;

/// On a complete day register and power differ by more than this: a mismatch.
const MISMATCH: f64 = 0.05;

/// So does a difference of this on any day.
const MISMATCH_OF_ANY_DAY: f64 = 0.20;

/// The energy of the brightest hours, as a multiple of that of as many usual ones.
const BRIGHTEST: f64 = 2.5;

/// As long as it is more than a coarse register rounds away, kWh.
const LEAST_DIFFERENCE_KWH: f64 = 0.5;

/// Facts about earlier rows that a day needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Carry {
    /// The last valid power: seconds since 1970 and W.
    pub last_power: Option<(i64, f64)>,
    /// The daily register at the end, kWh; 0 when it had been reset for the next day by then.
    pub last_daily_kwh: Option<f64>,
    /// The last valid reading of a register that never resets.
    pub last_lifetime: Option<LifetimeReading>,
}

/// The figures of one local day of one logger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DayFigures {
    /// The local day.
    pub date: NaiveDate,
    /// Its length: 23, 24 or 25 hours.
    pub day_hours: f64,
    /// Readings, whatever they hold.
    pub records: u32,
    /// Readings with a valid power.
    pub valid: u32,
    /// Readings without a power.
    pub null_power: u32,
    /// Readings whose power was refused as implausible.
    pub dropped: u32,
    /// Share of the day that is covered by valid power, or by readings of the register where the
    /// device sends no power, 0 to 1.
    pub completeness: f64,
    /// Energy integrated from power, kWh.
    pub power_kwh: f64,
    /// Energy by the register that resets every day, kWh.
    pub daily_register_kwh: Option<f64>,
    /// Energy by the register that never resets, kWh.
    pub lifetime_register_kwh: Option<f64>,
    /// The lifetime register fell, or rose more than possible; or a register stood still while
    /// there was power.
    pub register_suspect: bool,
    /// The lifetime register's gain over lost days before this one, kWh. Belongs to a period, never
    /// to a day.
    pub unallocated_kwh: f64,
    /// Hours of which nothing is known, on the day that they end.
    pub hole_hours: f64,
    /// Single missing samples put on the straight line.
    pub bridged: u32,
    /// Consumption: the negative part of the power, kWh, as a positive number.
    pub night_import_kwh: f64,
    /// Highest valid power, W.
    pub peak_w: Option<f64>,
    /// The first reading with that power.
    pub peak_time: Option<i64>,
    /// Readings with power above 0.5 % of the peak.
    pub producing: u32,
    /// Mean power of those readings, W.
    pub producing_mean_w: Option<f64>,
    /// Mean local time of production weighted by power, hours since local midnight.
    pub centroid_hour: Option<f64>,
    /// Figures that need irradiance.
    pub sun: SunFigures,
    /// Readings at the inverter's limit.
    pub clipped: u32,
    /// Readings of repeated equal values in daylight.
    pub stale: u32,
    /// For the day after this one.
    pub closing: Carry,
}

impl DayFigures {
    /// The energy of the day from its most trusted source: register first, then power. `None` when
    /// nothing was measured.
    pub fn energy(&self) -> Option<(f64, EnergySource)> {
        if let Some(kwh) = self.daily_register_kwh {
            return Some((kwh, EnergySource::DailyRegister));
        }
        if let Some(kwh) = self.lifetime_register_kwh {
            return Some((kwh, EnergySource::LifetimeRegister));
        }
        (self.valid > 0).then_some((self.power_kwh, EnergySource::Power))
    }

    /// Energy by whichever register is trusted, kWh.
    pub fn register_kwh(&self) -> Option<f64> {
        self.daily_register_kwh.or(self.lifetime_register_kwh)
    }

    /// Register energy divided by integrated power, when both say something.
    pub fn register_power_ratio(&self) -> Option<f64> {
        self.register_kwh()
            .filter(|_| self.power_kwh > 0.0)
            .map(|kwh| kwh / self.power_kwh)
    }

    /// The energy that a device is judged by beside others, kWh: where its register and its power
    /// differ and missing readings do not explain that, the lower of the two, as either may be
    /// wrong.
    pub fn judged_kwh(&self, calibration: &Calibration) -> Option<f64> {
        let (kwh, _) = self.energy()?;
        Some(if self.register_is_doubtful(calibration) {
            kwh.min(self.power_kwh)
        } else {
            kwh
        })
    }

    /// Whether register and power differ although all readings are there, or by more than missing
    /// ones explain: one of the two is wrong.
    pub fn register_is_doubtful(&self, calibration: &Calibration) -> bool {
        self.register_differs() && !self.missing_explains(calibration)
    }

    /// Whether a register above the power counts what missing readings hide. These may be of the
    /// brightest hours.
    fn missing_explains(&self, calibration: &Calibration) -> bool {
        let Some(register) = self.register_kwh() else {
            return false;
        };
        let usual = calibration.typical_completeness.unwrap_or(1.0);
        let missing = (usual - self.completeness).max(0.0) * self.day_hours;
        let producing = f64::from(self.producing) * calibration.step_hours;
        let share = missing / (missing + producing).max(f64::MIN_POSITIVE);
        register > self.power_kwh && register * (1.0 - BRIGHTEST * share) <= self.power_kwh
    }

    /// Whether register and integrated power differ by more than a missing sample explains: by 5 %
    /// on a complete day, by 20 % on any.
    pub fn register_differs(&self) -> bool {
        let Some(register) = self.register_kwh() else {
            return false;
        };
        let difference = (register - self.power_kwh).abs();
        if self.valid == 0 || register.max(self.power_kwh) < LEAST_KWH {
            return false;
        }
        difference > (MISMATCH_OF_ANY_DAY * self.power_kwh).max(LEAST_DIFFERENCE_KWH)
            || (self.completeness >= 0.95 && difference > MISMATCH * self.power_kwh)
    }

    /// What energies of the day's power are multiplied by so that they come to the energy of the
    /// day: register divided by power where the two differ. On a day that is not complete the
    /// register also counts what the missing readings hide, so power represents itself.
    pub fn energy_per_power(&self, complete: bool) -> f64 {
        self.register_power_ratio()
            .filter(|_| complete && self.register_differs())
            .unwrap_or(1.0)
    }

    /// What to know about the energy of the day.
    pub fn flags(&self) -> Flags {
        let mut flags = Flags::default();
        flags.insert_if(
            Flag::EnergyFromPower,
            matches!(self.energy(), Some((_, EnergySource::Power))),
        );
        flags.insert_if(Flag::RegisterPowerMismatch, self.register_differs());
        flags.insert_if(Flag::RegisterSuspect, self.register_suspect);
        flags.insert_if(Flag::ValuesDropped, self.dropped > 0);
        flags.insert_if(Flag::HoleBridged, self.bridged > 0);
        flags.insert_if(Flag::NightImport, self.night_import_kwh > 0.005);
        flags.insert_if(Flag::IrradianceSuspect, self.sun.suspect);
        flags.insert_if(Flag::Clipping, self.clipped > 0);
        flags.insert_if(Flag::StaleValues, self.stale > 0);
        flags
    }
}

/// The figures of every local day with readings, in order.
pub fn rollup(
    series: &Series,
    calibration: &Calibration,
    context: &LoggerContext,
) -> Vec<DayFigures> {
    let mut carry = Carry::default();
    let mut days = Vec::new();
    for (span, rows) in calendar::split_days(series.time(), context.zone) {
        let (day, closing) = compute(series, rows, span, carry, calibration, context);
        carry = closing;
        days.extend(day);
    }
    days
}

/// The figures of one local day from its rows, and the carry for the day after it.
///
/// `series` must hold all rows of the day; rows outside it are ignored. `before` is the closing
/// carry of the last day that has rows, or [`Carry::of_rows`] of the rows before. There are no
/// figures for a day whose only reading is the one at its closing midnight: that one just opens the
/// next day.
pub fn day_figures(
    series: &Series,
    date: NaiveDate,
    before: &Carry,
    calibration: &Calibration,
    context: &LoggerContext,
) -> (Option<DayFigures>, Carry) {
    let span = DaySpan::of_day(date, context.zone);
    let rows = series.rows(span.after, span.until);
    if rows.is_empty() {
        return (None, *before);
    }
    compute(series, rows, span, *before, calibration, context)
}

impl Carry {
    /// The carry of all rows of `series`, for the day that follows them. The rows of one whole day
    /// suffice when it has a valid power and register readings.
    pub fn of_rows(series: &Series, calibration: &Calibration, context: &LoggerContext) -> Self {
        let mut carry = Carry::default();
        for (span, rows) in calendar::split_days(series.time(), context.zone) {
            carry = compute(series, rows, span, carry, calibration, context).1;
        }
        carry
    }
}

fn compute(
    series: &Series,
    rows: Range<usize>,
    span: DaySpan,
    before: Carry,
    calibration: &Calibration,
    context: &LoggerContext,
) -> (Option<DayFigures>, Carry) {
    let time = &series.time()[rows.clone()];
    let limits = Limits::of(calibration.robust_peak_w);
    let power: Vec<f64> = series.power_w()[rows.clone()]
        .iter()
        .map(|&p| limits.clean(p))
        .collect();

    let mut day = DayFigures {
        day_hours: span.hours(),
        records: u32::try_from(time.len()).unwrap_or(u32::MAX),
        ..DayFigures::empty(span.first)
    };
    day.count(&series.power_w()[rows.clone()], &power);
    day.add_power(time, &power, span, before.last_power, calibration, context);
    if calibration.counts_alone() && day.valid == 0 {
        let (_, shown) = register::column(series, rows.clone(), calibration.register);
        let stamps = shown.iter().filter(|kwh| kwh.is_finite()).count() as f64;
        day.completeness = (stamps * calibration.step_hours / day.day_hours).min(1.0);
    }
    let mut closing = day.add_registers(
        series,
        rows.clone(),
        span,
        before,
        (calibration.register, calibration.peak_of_registers(context)),
    );
    closing.last_power = last_valid(time, &power).or(before.last_power);
    day.sun = SunFigures::of(&sunlight::Day {
        time,
        power: &power,
        irradiance: &series.irradiance()[rows.clone()],
        module_c: &series.module_c()[rows],
        span,
        calibration,
        context,
    });
    let (clipped, stale) = patterns::count(&power, calibration, context);
    (day.clipped, day.stale, day.closing) = (clipped, stale, closing);

    if time.first() == Some(&span.until) {
        // A reading at midnight after a day without any makes no day. It must not use up what the
        // registers gained; the hole that it ends shows in the missing days.
        return (
            None,
            Carry {
                last_power: closing.last_power,
                ..before
            },
        );
    }
    (Some(day), closing)
}

impl DayFigures {
    fn drop_registers_that_stand_still(&mut self) {
        if self.power_kwh < LEAST_KWH {
            return;
        }
        let least = STANDSTILL_SHARE * self.power_kwh;
        for register in [
            &mut self.daily_register_kwh,
            &mut self.lifetime_register_kwh,
        ] {
            if register.take_if(|kwh| *kwh < least).is_some() {
                self.register_suspect = true;
            }
        }
    }
}

fn last_valid(time: &[i64], power: &[f64]) -> Option<(i64, f64)> {
    power
        .iter()
        .rposition(|p| !p.is_nan())
        .map(|row| (time[row], power[row]))
}

impl DayFigures {
    /// A day of which nothing is known.
    pub fn empty(date: NaiveDate) -> Self {
        Self {
            date,
            day_hours: 0.0,
            records: 0,
            valid: 0,
            null_power: 0,
            dropped: 0,
            completeness: 0.0,
            power_kwh: 0.0,
            daily_register_kwh: None,
            lifetime_register_kwh: None,
            register_suspect: false,
            unallocated_kwh: 0.0,
            hole_hours: 0.0,
            bridged: 0,
            night_import_kwh: 0.0,
            peak_w: None,
            peak_time: None,
            producing: 0,
            producing_mean_w: None,
            centroid_hour: None,
            sun: SunFigures::default(),
            clipped: 0,
            stale: 0,
            closing: Carry::default(),
        }
    }

    fn count(&mut self, raw: &[f64], clean: &[f64]) {
        for (raw, clean) in raw.iter().zip(clean) {
            self.null_power += u32::from(raw.is_nan());
            self.valid += u32::from(!clean.is_nan());
        }
        self.dropped = self.records - self.null_power - self.valid;
    }

    fn add_power(
        &mut self,
        time: &[i64],
        power: &[f64],
        span: DaySpan,
        mut previous: Option<(i64, f64)>,
        calibration: &Calibration,
        context: &LoggerContext,
    ) {
        let step_hours = calibration.step_hours;
        let producing_w = PRODUCING_SHARE * calibration.robust_peak_w;
        // Completeness counts the stamps from midnight to before midnight, so that a day read every
        // quarter of an hour from 00:00 to 23:45 is complete although its first stamp ends the day
        // before.
        let mut stamps = u32::from(previous.is_some_and(|(t, _)| t == span.after));
        let (mut wh, mut import_wh, mut sum_w, mut moment) = (0.0, 0.0, 0.0, 0.0);
        for (&t, &p) in time.iter().zip(power) {
            if p.is_nan() {
                continue;
            }
            stamps += u32::from(t < span.until);
            if let Some(from) = previous {
                match step_energy(from, (t, p), step_hours, context.label) {
                    Step::Energy { wh: step, bridged } => {
                        wh += step;
                        self.bridged += bridged;
                    }
                    Step::Hole { hours } => self.hole_hours += hours,
                }
            }
            previous = Some((t, p));
            import_wh += (-p).max(0.0) * step_hours;
            if self.peak_w.is_none_or(|peak| p > peak) {
                (self.peak_w, self.peak_time) = (Some(p), Some(t));
            }
            if p > producing_w {
                self.producing += 1;
                sum_w += p;
                moment += p * (t - span.after) as f64;
            }
        }
        self.power_kwh = wh / 1000.0;
        self.night_import_kwh = import_wh / 1000.0;
        if self.day_hours > 0.0 {
            self.completeness = (f64::from(stamps) * step_hours / self.day_hours).min(1.0);
        }
        if self.producing > 0 {
            self.producing_mean_w = Some(sum_w / f64::from(self.producing));
            self.centroid_hour = Some(moment / sum_w / 3600.0);
        }
    }

    /// Sets the register energies; returns the carry as far as registers go.
    fn add_registers(
        &mut self,
        series: &Series,
        rows: Range<usize>,
        span: DaySpan,
        before: Carry,
        (kind, peak): (RegisterKind, Peak),
    ) -> Carry {
        let mut closing = before;
        let daily_column = &series.daily_kwh()[rows.clone()];
        let mut lifetime: Vec<(i64, f64)> = Vec::new();
        let time = &series.time()[rows.clone()];
        let finite = |column: &[f64]| -> Vec<(i64, f64)> {
            let readings = time.iter().copied().zip(column.iter().copied());
            readings.filter(|(_, kwh)| kwh.is_finite()).collect()
        };
        match kind {
            RegisterKind::None => {}
            RegisterKind::Daily => {
                let time = time.iter().copied();
                let readings: Vec<(i64, f64)> = time
                    .zip(daily_column.iter().copied())
                    .filter(|&(_, kwh)| kwh >= 0.0 && kwh.is_finite())
                    .collect();
                let opening = Opening {
                    midnight: span.after,
                    until: span.until,
                    previous_kwh: before.last_daily_kwh,
                };
                if let Some(day) = register::daily_energy(&readings, &opening, peak) {
                    self.daily_register_kwh = Some(day.energy_kwh);
                    self.register_suspect |= day.refused;
                    closing.last_daily_kwh = Some(day.closing_kwh);
                }
            }
            RegisterKind::Lifetime => {
                lifetime = finite(daily_column);
            }
        }
        if lifetime.is_empty() {
            lifetime = finite(&series.lifetime_kwh()[rows]);
        }
        let day = register::lifetime_energy(
            &lifetime,
            (span.first, span.after),
            before.last_lifetime,
            self.power_kwh,
            peak,
        );
        self.lifetime_register_kwh = day.energy_kwh;
        self.register_suspect |= day.suspect;
        self.drop_registers_that_stand_still();
        self.unallocated_kwh = day.unallocated_kwh;
        let counted_kwh = self.energy().map_or(0.0, |(kwh, _)| kwh);
        if let Some(kwh) = day.last_kwh {
            let stood_still = self.lifetime_register_kwh.is_none();
            let rise_kwh = day.energy_kwh.filter(|_| stood_still);
            closing.last_lifetime = Some(LifetimeReading {
                date: span.first,
                kwh,
                ahead_kwh: rise_kwh
                    .map_or(0.0, |rise| (day.ahead_kwh + counted_kwh - rise).max(0.0)),
            });
        } else if let Some(reading) = &mut closing.last_lifetime {
            reading.ahead_kwh += counted_kwh;
        }
        closing
    }
}
