//! Loggers against each other: by specific yield over the time that all of them measured.

use crate::calibration::Calibration;
use crate::clean::Limits;
use crate::context::LoggerContext;
use crate::curve::{bucket_end, bucket_seconds};
use crate::energy::{Step, adjacent, step_energy};
use crate::flags::{Flag, Flags};
use crate::series::Series;
use crate::stats;

/// Makes the median absolute deviation comparable with a standard deviation.
const MAD_TO_SIGMA: f64 = 1.4826;

/// One logger of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its readings in the range compared.
    pub series: &'a Series,
    /// Its long-run figures.
    pub calibration: &'a Calibration,
    /// What is known about it.
    pub context: &'a LoggerContext,
}

/// What energies are divided by; the same for all loggers of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YieldBasis {
    /// The stated nameplates.
    Capacity,
    /// AC power at standard test conditions from the data, without temperature.
    StcPower,
    /// Robust peaks.
    RobustPeak,
}

impl YieldBasis {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            YieldBasis::Capacity => "capacity",
            YieldBasis::StcPower => "stc_power",
            YieldBasis::RobustPeak => "robust_peak",
        }
    }
}

/// How one logger compares.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Energy over the common time, kWh.
    pub energy_kwh: f64,
    /// What it is divided by, kW.
    pub basis_kw: Option<f64>,
    /// kWh/kW.
    pub specific_yield: Option<f64>,
    /// Deviation of the specific yield from the median of all, percent.
    pub vs_median_pct: Option<f64>,
    /// The same in robust standard deviations; needs three loggers that are not all equal.
    pub robust_z: Option<f64>,
    /// Clearly below the others: more than 10 % and three robust standard deviations.
    pub underperformer: bool,
    /// Highest valid power in its own readings, W.
    pub peak_w: Option<f64>,
    /// Mean power of its producing readings, W.
    pub average_w: Option<f64>,
    /// Mean local time of production weighted by power, hours; a shifted one means another plane before it means a fault.
    pub centroid_hour: Option<f64>,
}

/// A comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What energies are divided by.
    pub basis: YieldBasis,
    /// One per logger, in the order given.
    pub loggers: Vec<Compared>,
    /// Time stamps of the slowest logger at which all have a valid power.
    pub common_records: u32,
    /// Difference of the two specific yields, percent of their mean; only with two loggers.
    pub difference_pct: Option<f64>,
    /// What to know about it.
    pub flags: Flags,
}

/// Compares loggers over the time in which all of them measured.
///
/// The time stamps of the logger with the longest step are the grid; an interval of it counts when every logger has energy
/// for it. So loggers with different steps, or clocks that are seconds apart, compare without being resampled.
pub fn compare(loggers: &[Candidate<'_>]) -> Comparison {
    let basis = basis(loggers);
    let (energies, common_records) = common_energies(loggers);
    let yields: Vec<Option<f64>> = loggers
        .iter()
        .zip(&energies)
        .map(|(logger, energy)| {
            basis
                .kw(logger)
                .filter(|_| common_records > 0)
                .map(|kw| energy / kw)
        })
        .collect();
    let mut known: Vec<f64> = yields.iter().copied().flatten().collect();
    let median = stats::median(&mut known).filter(|median| *median > 0.0);
    let spread = median.and_then(|median| {
        let mut distances: Vec<f64> = known.iter().map(|value| (value - median).abs()).collect();
        stats::median(&mut distances)
            .filter(|mad| *mad > 0.0 && known.len() > 2)
            .map(|mad| MAD_TO_SIGMA * mad)
    });
    let mut flags = Flags::default();
    flags.insert_if(Flag::CapacityInferred, basis != YieldBasis::Capacity);
    let compared =
        loggers
            .iter()
            .zip(energies)
            .zip(&yields)
            .map(|((logger, energy_kwh), &specific_yield)| {
                let deviation = specific_yield
                    .zip(median)
                    .map(|(value, median)| value - median);
                let vs_median_pct = deviation
                    .zip(median)
                    .map(|(deviation, median)| 100.0 * deviation / median);
                let robust_z = deviation
                    .zip(spread)
                    .map(|(deviation, spread)| deviation / spread);
                let own = own_figures(logger);
                Compared {
                    energy_kwh,
                    basis_kw: basis.kw(logger),
                    specific_yield,
                    vs_median_pct: vs_median_pct.filter(|_| known.len() > 2),
                    robust_z,
                    underperformer: vs_median_pct.is_some_and(|pct| pct < -10.0)
                        && robust_z.is_some_and(|z| z < -3.0),
                    peak_w: own.peak_w,
                    average_w: own.average_w,
                    centroid_hour: own.centroid_hour,
                }
            });
    Comparison {
        loggers: compared.collect(),
        basis,
        common_records,
        difference_pct: match yields[..] {
            [Some(a), Some(b)] if a + b > 0.0 => Some(200.0 * (a - b) / (a + b)),
            _ => None,
        },
        flags,
    }
}

impl YieldBasis {
    fn kw(self, logger: &Candidate<'_>) -> Option<f64> {
        let kw = match self {
            YieldBasis::Capacity => logger.context.capacity.map(|capacity| capacity.kw),
            YieldBasis::StcPower => logger.calibration.stc_power_uncorrected_kw,
            YieldBasis::RobustPeak => Some(logger.calibration.robust_peak_w / 1000.0),
        };
        kw.filter(|kw| *kw > 0.0)
    }
}

fn basis(loggers: &[Candidate<'_>]) -> YieldBasis {
    [YieldBasis::Capacity, YieldBasis::StcPower]
        .into_iter()
        .find(|basis| loggers.iter().all(|logger| basis.kw(logger).is_some()))
        .unwrap_or(YieldBasis::RobustPeak)
}

/// Energy of each logger over the intervals in which all measured, and the number of grid stamps at which all have power.
fn common_energies(loggers: &[Candidate<'_>]) -> (Vec<f64>, u32) {
    let slowest = loggers.iter().max_by(|a, b| {
        a.calibration
            .step_hours
            .total_cmp(&b.calibration.step_hours)
    });
    let Some(slowest) = slowest else {
        return (Vec::new(), 0);
    };
    let grid = slowest.series.time();
    let step_hours = slowest.calibration.step_hours;
    let intervals: Vec<Vec<Option<f64>>> = loggers
        .iter()
        .map(|logger| interval_energies(logger, grid, step_hours))
        .collect();
    let mut energies = vec![0.0; loggers.len()];
    let mut common = 0;
    for interval in 0..grid.len() {
        if intervals.iter().all(|logger| logger[interval].is_some()) {
            common += 1;
            for (energy, logger) in energies.iter_mut().zip(&intervals) {
                *energy += logger[interval].unwrap_or(0.0) / 1000.0;
            }
        }
    }
    (energies, common)
}

/// Energy of a logger in the interval that ends at each grid stamp, Wh; `None` where it did not measure all of it.
fn interval_energies(logger: &Candidate<'_>, grid: &[i64], step_hours: f64) -> Vec<Option<f64>> {
    let limits = Limits::of(logger.calibration.robust_peak_w);
    let samples = logger
        .series
        .time()
        .iter()
        .copied()
        .zip(logger.series.power_w().iter().map(|&p| limits.clean(p)));
    let mut samples = samples.filter(|(_, power)| !power.is_nan()).peekable();
    let mut previous = None;
    let mut energies = Vec::with_capacity(grid.len());
    for (index, &end) in grid.iter().enumerate() {
        let mut energy = None;
        let mut hole = false;
        while let Some(sample) = samples.next_if(|(time, _)| *time <= end) {
            match previous.map(|from| {
                step_energy(
                    from,
                    sample,
                    logger.calibration.step_hours,
                    logger.context.label,
                )
            }) {
                Some(Step::Energy { wh, .. }) => *energy.get_or_insert(0.0) += wh,
                Some(Step::Hole { .. }) => hole = true,
                // The first reading has no step before it, but it is a reading.
                None => energy = Some(0.0),
            }
            previous = Some(sample);
        }
        let after_gap = index > 0 && !adjacent(grid[index - 1], end, step_hours);
        energies.push(energy.filter(|_| !hole && !after_gap));
    }
    energies
}

struct OwnFigures {
    peak_w: Option<f64>,
    average_w: Option<f64>,
    centroid_hour: Option<f64>,
}

fn own_figures(logger: &Candidate<'_>) -> OwnFigures {
    let limits = Limits::of(logger.calibration.robust_peak_w);
    let producing_w = logger.calibration.producing_w();
    let (mut peak_w, mut count, mut sum, mut moment) = (None, 0_u32, 0.0, 0.0);
    for (span, rows) in crate::calendar::split_days(logger.series.time(), logger.context.zone) {
        for row in rows {
            let power = limits.clean(logger.series.power_w()[row]);
            if power.is_nan() {
                continue;
            }
            peak_w = Some(peak_w.map_or(power, |peak: f64| peak.max(power)));
            if power > producing_w {
                count += 1;
                sum += power;
                moment += power * (logger.series.time()[row] - span.after) as f64 / 3600.0;
            }
        }
    }
    let known = |value: f64| (count > 0).then_some(value);
    OwnFigures {
        peak_w,
        average_w: known(sum / f64::from(count)),
        centroid_hour: known(moment / sum),
    }
}

/// What a comparison chart shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Mean power, W.
    Power,
    /// Energy since the start of the range, integrated from power, kWh.
    Energy,
    /// Mean irradiance, W/m2.
    Irradiance,
}

/// The points of a comparison chart: one row per time, one column per logger.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlignedChart {
    /// Seconds since 1970: a common time stamp, or the end of a bucket.
    pub times: Vec<i64>,
    /// Per logger one value per time; `None` where it has none.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Puts loggers on one time axis of at most `most` points. With equal steps and few points the axis is the time stamps
/// themselves; else time buckets.
pub fn align(loggers: &[Candidate<'_>], metric: Metric, most: usize) -> AlignedChart {
    let Some(first) = loggers.first() else {
        return AlignedChart::default();
    };
    let mut times: Vec<i64> = loggers
        .iter()
        .flat_map(|logger| logger.series.time())
        .copied()
        .collect();
    times.sort_unstable();
    times.dedup();
    let unequal = loggers
        .iter()
        .map(|logger| logger.calibration.step_hours)
        .filter(|step| (step - first.calibration.step_hours).abs() > 1e-9)
        .fold(None, |longest: Option<f64>, step| {
            Some(longest.map_or(step, |l| l.max(step)))
        });
    let steps =
        unequal.map(|step| stats::to_index(step.max(first.calibration.step_hours) * 3600.0));
    let longest_step = steps.and_then(|seconds| i64::try_from(seconds).ok());
    let bucket = bucket_seconds(&times, most).max(longest_step.filter(|seconds| *seconds > 0));
    if let Some(seconds) = bucket {
        for time in &mut times {
            *time = bucket_end(*time, seconds, first.context);
        }
        times.dedup();
    }
    let values = loggers
        .iter()
        .map(|logger| on_axis(logger, metric, &times))
        .collect();
    AlignedChart { times, values }
}

/// The values of a logger in the intervals that end at each of `times`.
fn on_axis(logger: &Candidate<'_>, metric: Metric, times: &[i64]) -> Vec<Option<f64>> {
    let limits = Limits::of(logger.calibration.robust_peak_w);
    let series = logger.series;
    let (mut row, mut total_kwh, mut previous) = (0, 0.0, None);
    let mut values = Vec::with_capacity(times.len());
    for &end in times {
        let (mut sum, mut count) = (0.0, 0_u32);
        while row < series.len() && series.time()[row] <= end {
            let power = limits.clean(series.power_w()[row]);
            let value = if metric == Metric::Irradiance {
                series.irradiance()[row]
            } else {
                power
            };
            if value.is_finite() {
                (sum, count) = (sum + value, count + 1);
            }
            if power.is_finite() {
                let sample = (series.time()[row], power);
                let from = previous.replace(sample);
                let step = from.map(|from| {
                    step_energy(
                        from,
                        sample,
                        logger.calibration.step_hours,
                        logger.context.label,
                    )
                });
                if let Some(Step::Energy { wh, .. }) = step {
                    total_kwh += wh / 1000.0;
                }
            }
            row += 1;
        }
        let value = if metric == Metric::Energy {
            total_kwh
        } else {
            sum / f64::from(count)
        };
        values.push((count > 0).then_some(value));
    }
    values
}
