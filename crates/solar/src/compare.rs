//! Loggers against each other: what a logger's days come to, by its size and beside the others.
//!
//! A logger's energy, peak and mean are those of its daily figures, so they are the same whatever
//! it is compared with. Only the ranking looks at the others: where a logger lacks days that others
//! have, these days count as the others had them.

mod chart;

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::calibration::Calibration;
use crate::days::DayFigures;
use crate::stats;

pub use chart::{AlignedChart, Candidate, Metric, align, common_records};

/// Factor that makes the median absolute deviation comparable with a standard deviation.
const MAD_TO_SIGMA: f64 = 1.4826;

/// A day with less than this share of the usual readings says little about the day.
const COMPLETE_SHARE: f64 = 0.9;

/// One logger of a comparison.
#[derive(Clone, Copy, Debug)]
pub struct Entrant<'a> {
    /// Its days in the range compared, in order.
    pub days: &'a [DayFigures],
    /// Its long-run figures.
    pub calibration: &'a Calibration,
    /// What its energy is divided by, kW.
    pub size_kw: Option<f64>,
}

/// How one logger compares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compared {
    /// Energy of its days, kWh; `None` without a day that has any.
    pub energy_kwh: Option<f64>,
    /// kWh/kW.
    pub specific_yield: Option<f64>,
    /// The ranked figure: the specific yield, or the energy if no size is known; for missing days,
    /// with the others' figures.
    pub compared: Option<f64>,
    /// Its place, from 0.
    pub rank: Option<usize>,
    /// Deviation from the median of all, percent; needs three loggers.
    pub vs_median_pct: Option<f64>,
    /// The same in robust standard deviations; needs three loggers that are not all equal.
    pub robust_z: Option<f64>,
    /// Clearly below the others: more than 10 % and three robust standard deviations.
    pub underperformer: bool,
    /// Highest valid power, W.
    pub peak_w: Option<f64>,
    /// Mean power of its producing readings, W.
    pub average_w: Option<f64>,
    /// Mean local time of production weighted by power, hours; a shifted one means another plane
    /// before it means a fault.
    pub centroid_hour: Option<f64>,
    /// Days with energy.
    pub days: u32,
    /// Of them with clearly fewer readings than usual.
    pub incomplete_days: u32,
}

/// A comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One per logger, in the order given.
    pub loggers: Vec<Compared>,
    /// The loggers that could be ranked, best first, by their place in `loggers`.
    pub ranking: Vec<usize>,
    /// Whether sizes are known, so that specific yields are ranked and not energies.
    pub by_size: bool,
    /// Whether all that are ranked have the same days.
    pub same_days: bool,
    /// Distance of the last from the first, percent of the first.
    pub spread_pct: Option<f64>,
}

/// Compares loggers by what their days come to.
pub fn compare(loggers: &[Entrant<'_>]) -> Comparison {
    let mut compared: Vec<Compared> = loggers.iter().map(own_figures).collect();
    let by_size = loggers
        .iter()
        .zip(&compared)
        .any(|(logger, own)| own.energy_kwh.is_some() && logger.size_kw.is_some());
    let usual = best_coverage(loggers);
    let worth: Vec<BTreeMap<NaiveDate, f64>> = loggers
        .iter()
        .map(|logger| {
            let size = if by_size { logger.size_kw } else { Some(1.0) };
            size.map(|kw| days_worth(logger, kw, &usual))
                .unwrap_or_default()
        })
        .collect();
    let same_days = rank_by_days(&worth, &mut compared);
    let mut ranking: Vec<usize> = (0..compared.len())
        .filter(|&logger| compared[logger].compared.is_some())
        .collect();
    // Stable: of equals the one asked for first is first.
    ranking.sort_by(|&a, &b| {
        let value = |logger: usize| compared[logger].compared.unwrap_or(0.0);
        value(b).total_cmp(&value(a))
    });
    for (place, &logger) in ranking.iter().enumerate() {
        compared[logger].rank = Some(place);
    }
    beside_the_median(&mut compared);
    let ends = ranking.first().zip(ranking.last());
    let spread_pct = ends
        .filter(|_| ranking.len() > 1)
        .and_then(|(&best, &worst)| {
            let (best, worst) = (compared[best].compared?, compared[worst].compared?);
            (best > 0.0).then(|| 100.0 * (best - worst) / best)
        });
    Comparison {
        loggers: compared,
        ranking,
        by_size,
        same_days,
        spread_pct,
    }
}

/// The figures that need no other logger.
fn own_figures(logger: &Entrant<'_>) -> Compared {
    let mut own = Compared::default();
    let (mut kwh, mut valid, mut producing, mut sum_w, mut moment) = (0.0, 0, 0, 0.0, 0.0);
    for day in logger.days {
        if let Some((energy, _)) = day.energy() {
            kwh += energy;
            own.days += 1;
            own.incomplete_days += u32::from(!is_complete(day, logger.calibration));
        }
        own.peak_w = match (own.peak_w, day.peak_w) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        valid += day.valid;
        if let Some(mean) = day.producing_mean_w {
            let weight = mean * f64::from(day.producing);
            producing += day.producing;
            sum_w += weight;
            moment += weight * day.centroid_hour.unwrap_or(0.0);
        }
    }
    own.energy_kwh = (own.days > 0).then_some(kwh);
    own.specific_yield = own.energy_kwh.zip(logger.size_kw).map(|(kwh, kw)| kwh / kw);
    own.average_w = match (producing, valid) {
        (0, 0) => None,
        (0, _) => Some(0.0),
        (count, _) => Some(sum_w / f64::from(count)),
    };
    own.centroid_hour = (sum_w > 0.0).then(|| moment / sum_w);
    own
}

/// The measured share of a usual day, 1 at most.
fn coverage(day: &DayFigures, calibration: &Calibration) -> f64 {
    let usual = calibration
        .typical_completeness
        .filter(|usual| *usual > 0.0)
        .unwrap_or(1.0);
    (day.completeness / usual).min(1.0)
}

fn is_complete(day: &DayFigures, calibration: &Calibration) -> bool {
    coverage(day, calibration) >= COMPLETE_SHARE
}

/// Of each day the best coverage that any logger has.
fn best_coverage(loggers: &[Entrant<'_>]) -> BTreeMap<NaiveDate, f64> {
    let mut best: BTreeMap<NaiveDate, f64> = BTreeMap::new();
    for logger in loggers {
        for day in logger.days.iter().filter(|day| day.energy().is_some()) {
            let best = best.entry(day.date).or_default();
            *best = best.max(coverage(day, logger.calibration));
        }
    }
    best
}

/// The yield of each day per kW: of the days that were measured as the others' were, or of all if
/// there is none.
fn days_worth(
    logger: &Entrant<'_>,
    kw: f64,
    best: &BTreeMap<NaiveDate, f64>,
) -> BTreeMap<NaiveDate, f64> {
    let worth = |fair_only: bool| {
        logger
            .days
            .iter()
            .filter(|day| {
                let best = best.get(&day.date).copied().unwrap_or(0.0);
                !fair_only || coverage(day, logger.calibration) >= COMPLETE_SHARE * best
            })
            .filter_map(|day| day.energy().map(|(kwh, _)| (day.date, kwh / kw)))
            .collect::<BTreeMap<_, _>>()
    };
    let fair = worth(true);
    if fair.is_empty() { worth(false) } else { fair }
}

/// Sets what the loggers are ranked by. A logger that has no day in common with any other stays
/// without, unless it is alone. Returns whether all have the same days.
fn rank_by_days(worth: &[BTreeMap<NaiveDate, f64>], compared: &mut [Compared]) -> bool {
    let mut days: BTreeMap<NaiveDate, Vec<f64>> = BTreeMap::new();
    for (date, value) in worth.iter().flatten() {
        days.entry(*date).or_default().push(*value);
    }
    let alone = worth.iter().filter(|days| !days.is_empty()).count() < 2;
    let usual: BTreeMap<NaiveDate, (f64, usize)> = days
        .into_iter()
        .map(|(date, mut values)| {
            let count = values.len();
            (date, (stats::median(&mut values).unwrap_or(0.0), count))
        })
        .collect();
    let all: f64 = usual.values().map(|(value, _)| value).sum();
    let mut same_days = true;
    for (days, own) in worth.iter().zip(compared) {
        let shared = days
            .keys()
            .any(|date| usual.get(date).is_some_and(|(_, count)| *count > 1));
        if days.is_empty() || !(shared || alone) {
            continue;
        }
        let total: f64 = days.values().sum();
        let lacking = days.len() < usual.len();
        let of_these: f64 = days
            .keys()
            .filter_map(|date| usual.get(date))
            .map(|(value, _)| value)
            .sum();
        own.compared = Some(if lacking && of_these > 0.0 {
            total * all / of_these
        } else {
            total
        });
        same_days &= !lacking;
    }
    same_days
}

fn beside_the_median(compared: &mut [Compared]) {
    let mut known: Vec<f64> = compared.iter().filter_map(|own| own.compared).collect();
    if known.len() < 3 {
        return;
    }
    let Some(median) = stats::median(&mut known).filter(|median| *median > 0.0) else {
        return;
    };
    let mut distances: Vec<f64> = known.iter().map(|value| (value - median).abs()).collect();
    let sigma = MAD_TO_SIGMA * stats::median(&mut distances).unwrap_or(0.0);
    for own in compared {
        let Some(value) = own.compared else { continue };
        let pct = 100.0 * (value - median) / median;
        let z = (sigma > 0.0).then(|| (value - median) / sigma);
        own.vs_median_pct = Some(pct);
        own.robust_z = z;
        // Where most are equal, whatever is not equal is beyond chance; a logger that was not
        // measured all day is not proof.
        own.underperformer =
            pct < -10.0 && z.is_none_or(|z| z < -3.0) && own.incomplete_days < own.days;
    }
}
