//! The power curve of a day: its figures from every reading, its chart from a few.

mod counted;

use crate::calendar;
use crate::calibration::Calibration;
use crate::clean::Limits;
use crate::completeness;
use crate::context::{EnergySource, LoggerContext};
use crate::days::{DayFigures, clipped_and_stale};
use crate::flags::{Flag, Flags};
use crate::series::Series;
use crate::stats;

pub use counted::counted_curve;

/// Complete days before a day that its energy is compared with.
const TREND_DAYS: usize = 7;

/// Fewer complete days than this make no trend.
const FEWEST_TREND_DAYS: usize = 3;

/// Bucket lengths of a chart, seconds.
const BUCKETS: [i64; 12] = [
    60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400,
];

/// The energy of a day against the days before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trend {
    /// More than 10 % above.
    Increasing,
    /// More than 10 % below.
    Decreasing,
    /// Within 10 %, or nothing to compare with.
    Stable,
}

impl Trend {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Trend::Increasing => "increasing",
            Trend::Decreasing => "decreasing",
            Trend::Stable => "stable",
        }
    }
}

/// The figures of a day's power curve, none of them touched by thinning.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveFigures {
    /// Highest valid power, W.
    pub peak_w: Option<f64>,
    /// The first reading with that power, seconds since 1970.
    pub peak_time: Option<i64>,
    /// Mean power of the producing readings, W; night rows do not change it.
    pub average_w: Option<f64>,
    /// Energy of the day, kWh.
    pub total_kwh: Option<f64>,
    /// The source of that energy.
    pub source: Option<EnergySource>,
    /// Energy by register, kWh.
    pub register_kwh: Option<f64>,
    /// Energy integrated from power, kWh.
    pub power_kwh: f64,
    /// Register divided by power.
    pub register_power_ratio: Option<f64>,
    /// Share of the day covered by valid power.
    pub completeness: f64,
    /// Hours of which nothing is known.
    pub hole_hours: f64,
    /// Consumption, kWh.
    pub night_import_kwh: f64,
    /// Readings at the inverter's limit.
    pub clipped_samples: u32,
    /// Nominal step, minutes.
    pub step_minutes: f64,
    /// Against the days before.
    pub trend: Trend,
    /// The median of those days, kWh; `None` with too few.
    pub trend_median_kwh: Option<f64>,
    /// What to know about it.
    pub flags: Flags,
}

/// The figures of a day. `before` are the days before it, in order (later ones are ignored); a
/// month of them is enough.
pub fn curve_figures(
    day: &DayFigures,
    before: &[DayFigures],
    calibration: &Calibration,
) -> CurveFigures {
    let before = &before[..before.partition_point(|other| other.date < day.date)];
    let energy = day.energy();
    let mut flags = day.flags();
    let usual = trend_median(before);
    flags.insert_if(Flag::FewDays, usual.is_none());
    let complete = if before.is_empty() {
        day.completeness >= 0.9
    } else {
        completeness::is_complete(before, day)
    };
    flags.insert_if(Flag::IncompleteDay, !complete);
    flags.insert_if(Flag::DeadDay, crate::ratio::is_dead(day, calibration));
    flags.insert_if(Flag::IrradianceMissing, day.sun.records == 0);
    CurveFigures {
        peak_w: day.peak_w,
        peak_time: day.peak_time,
        average_w: day.producing_mean_w.or((day.valid > 0).then_some(0.0)),
        total_kwh: energy.map(|(kwh, _)| kwh),
        source: energy.map(|(_, source)| source),
        register_kwh: day.register_kwh(),
        power_kwh: day.power_kwh,
        register_power_ratio: day.register_power_ratio(),
        completeness: day.completeness,
        hole_hours: day.hole_hours,
        night_import_kwh: day.night_import_kwh,
        clipped_samples: day.clipped,
        step_minutes: calibration.step_hours * 60.0,
        trend: trend(energy.map(|(kwh, _)| kwh), usual),
        trend_median_kwh: usual,
        flags,
    }
}

/// Median energy of the last seven complete days.
fn trend_median(before: &[DayFigures]) -> Option<f64> {
    let complete = before
        .iter()
        .rev()
        .filter(|day| completeness::is_complete(before, day));
    let mut energies: Vec<f64> = complete
        .filter_map(DayFigures::energy)
        .map(|(kwh, _)| kwh)
        .take(TREND_DAYS)
        .collect();
    if energies.len() < FEWEST_TREND_DAYS {
        None
    } else {
        stats::median(&mut energies)
    }
}

fn trend(today: Option<f64>, usual: Option<f64>) -> Trend {
    match (today, usual) {
        (Some(today), Some(usual)) if today > 1.1 * usual => Trend::Increasing,
        (Some(today), Some(usual)) if today < 0.9 * usual => Trend::Decreasing,
        _ => Trend::Stable,
    }
}

/// The quality of a point of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// Measured.
    Good,
    /// At the inverter's limit.
    Clipped,
    /// A repeated value.
    Stale,
    /// A value was refused as implausible.
    Dropped,
    /// There is no value.
    Missing,
}

impl Quality {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Quality::Good => "good",
            Quality::Clipped => "clipped",
            Quality::Stale => "stale",
            Quality::Dropped => "dropped",
            Quality::Missing => "missing",
        }
    }
}

/// A point of a chart: one reading, or a bucket of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The reading, or the end of the bucket; seconds since 1970.
    pub time: i64,
    /// Mean valid power, W.
    pub mean_w: Option<f64>,
    /// Lowest, W.
    pub min_w: Option<f64>,
    /// Highest, W.
    pub max_w: Option<f64>,
    /// Mean irradiance, W/m2.
    pub irradiance: Option<f64>,
    /// Readings in the bucket.
    pub records: u32,
    /// The worst quality of its readings; `Missing` only when none has a value.
    pub quality: Quality,
}

/// The points of a chart: every reading, or when there are more than `most`, time buckets with
/// their mean, lowest and highest power. Sums and peaks never come from here.
pub fn thin(
    series: &Series,
    calibration: &Calibration,
    context: &LoggerContext,
    most: usize,
) -> Vec<CurvePoint> {
    let (clipped, stale) = clipped_and_stale(series, calibration, context);
    let limits = Limits::of(calibration.robust_peak_w);
    let reading = |row: usize| {
        let raw = series.power_w()[row];
        let power = limits.clean(raw);
        let quality = match (power.is_nan(), raw.is_nan()) {
            (true, true) => Quality::Missing,
            (true, false) => Quality::Dropped,
            _ if stale[row] => Quality::Stale,
            _ if clipped[row] => Quality::Clipped,
            _ => Quality::Good,
        };
        (power, series.irradiance()[row], quality)
    };
    let bucket = bucket_seconds(series.time(), most);
    let mut points = Vec::with_capacity(series.len().min(most.max(1)));
    let mut row = 0;
    while row < series.len() {
        let time = bucket.map_or(series.time()[row], |seconds| {
            bucket_end(series.time()[row], seconds, context)
        });
        let rows = series.time()[row..].partition_point(|&t| t <= time).max(1);
        points.push(point(time, (row..row + rows).map(reading)));
        row += rows;
    }
    points
}

/// The shortest usual bucket that leaves at most `most` points; `None` when nothing has to be
/// thinned.
pub(crate) fn bucket_seconds(time: &[i64], most: usize) -> Option<i64> {
    let (Some(first), Some(last)) = (time.first(), time.last()) else {
        return None;
    };
    if time.len() <= most {
        return None;
    }
    // One bucket may be cut at either end.
    let most = i64::try_from(most.saturating_sub(1).max(1)).unwrap_or(i64::MAX);
    let shortest = (last - first) / most + 1;
    let day = 86_400;
    Some(
        BUCKETS
            .into_iter()
            .find(|&seconds| seconds >= shortest)
            .unwrap_or((shortest + day - 1) / day * day),
    )
}

/// End of the bucket that a reading falls into; buckets are aligned to the local clock and include
/// their end.
pub(crate) fn bucket_end(time: i64, seconds: i64, context: &LoggerContext) -> i64 {
    use chrono::Offset;
    let offset = i64::from(
        calendar::local_time(time, context.zone)
            .offset()
            .fix()
            .local_minus_utc(),
    );
    let local = time + offset;
    local + (-local).rem_euclid(seconds) - offset
}

fn point(time: i64, readings: impl Iterator<Item = (f64, f64, Quality)>) -> CurvePoint {
    let (mut sum, mut valid, mut low, mut high) = (0.0, 0_u32, f64::INFINITY, f64::NEG_INFINITY);
    let (mut light, mut lit, mut records) = (0.0, 0_u32, 0_u32);
    let mut quality = Quality::Good;
    for (power, irradiance, reading) in readings {
        records += 1;
        if !power.is_nan() {
            (sum, valid, low, high) = (sum + power, valid + 1, low.min(power), high.max(power));
        }
        if irradiance.is_finite() {
            (light, lit) = (light + irradiance, lit + 1);
        }
        if reading != Quality::Missing && reading as u8 > quality as u8 {
            quality = reading;
        }
    }
    if valid == 0 && quality != Quality::Dropped {
        quality = Quality::Missing;
    }
    let known = |value: f64| (valid > 0).then_some(value);
    CurvePoint {
        time,
        mean_w: known(sum / f64::from(valid)),
        min_w: known(low),
        max_w: known(high),
        irradiance: (lit > 0).then(|| light / f64::from(lit)),
        records,
        quality,
    }
}
