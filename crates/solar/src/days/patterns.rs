//! Patterns within a day that show a state of the inverter or its logger: running at the limit,
//! repeating itself.

use std::ops::Range;

use crate::calendar;
use crate::calibration::Calibration;
use crate::clean::Limits;
use crate::context::LoggerContext;
use crate::days::PRODUCING_SHARE;
use crate::series::Series;
use crate::stats::to_index;

/// Equal readings in a row that no sky produces.
const STALE_RUN: usize = 6;

/// An inverter that limits its panels passes on at least this share of their stated capacity.
const LEAST_OF_CAPACITY: f64 = 0.6;

/// A stretch is level beyond what the curve around it explains where the curve would fall by more
/// than this multiple of what the stretch falls.
const UNEXPLAINED: f64 = 2.0;

/// For each reading of a series whether it is clipped, and whether it is stale.
pub fn clipped_and_stale(
    series: &Series,
    calibration: &Calibration,
    context: &LoggerContext,
) -> (Vec<bool>, Vec<bool>) {
    let limits = Limits::of(calibration.robust_peak_w);
    let power: Vec<f64> = series.power_w().iter().map(|&p| limits.clean(p)).collect();
    let (mut clipped, mut stale) = (vec![false; power.len()], vec![false; power.len()]);
    for (_, rows) in calendar::split_days(series.time(), context.zone) {
        let day = &power[rows.clone()];
        if let Some((low, high)) = clipping_band(day, calibration, context) {
            for (mark, p) in clipped[rows.clone()].iter_mut().zip(day) {
                *mark = (low..=high).contains(p);
            }
        }
        for run in stale_runs(day, calibration.robust_peak_w) {
            stale[rows.start + run.start..rows.start + run.end].fill(true);
        }
    }
    (clipped, stale)
}

/// Numbers of clipped and of stale readings of a day.
pub(super) fn count(
    power: &[f64],
    calibration: &Calibration,
    context: &LoggerContext,
) -> (u32, u32) {
    let clipped = clipping_band(power, calibration, context).map_or(0, |(low, high)| {
        power.iter().fold(0_u32, |count, p| {
            count + u32::from((low..=high).contains(p))
        })
    });
    let stale = stale_runs(power, calibration.robust_peak_w)
        .map(|run| run.len())
        .sum::<usize>();
    (clipped, u32::try_from(stale).unwrap_or(u32::MAX))
}

/// Lowest and highest value of the windows of a day in which power stands still near the peak, and
/// not just at the top of a curve.
fn clipping_band(
    power: &[f64],
    calibration: &Calibration,
    context: &LoggerContext,
) -> Option<(f64, f64)> {
    // Coarse data: three samples within 0.2 %. Below ten minutes: half an hour within 0.5 %.
    let coarse = calibration.step_hours * 60.0 >= 10.0 - 1e-9;
    let samples = if coarse {
        3
    } else {
        to_index((0.5 / calibration.step_hours).round()).max(3)
    };
    let tolerance = if coarse { 0.002 } else { 0.005 };
    let stated = context.capacity.filter(|capacity| capacity.is_stated());
    let near_capacity = stated.map_or(0.0, |capacity| LEAST_OF_CAPACITY * 1000.0 * capacity.kw);
    let near_peak = (0.95 * calibration.robust_peak_w).max(near_capacity);
    if near_peak <= 0.0 {
        return None;
    }
    let mut band: Option<(f64, f64)> = None;
    let mut near = 0;
    for (end, &p) in power.iter().enumerate() {
        near = if p >= near_peak { near + 1 } else { 0 };
        if near < samples {
            continue;
        }
        let window = end + 1 - samples..end + 1;
        let (low, high, mean) = extent(&power[window.clone()]);
        if high - low <= tolerance * mean && !is_the_top_of_a_curve(power, window, tolerance) {
            band = Some(band.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
        }
    }
    band
}

/// Lowest value, highest value and mean.
fn extent(values: &[f64]) -> (f64, f64, f64) {
    let (mut low, mut high, mut sum) = (f64::INFINITY, 0.0_f64, 0.0);
    for &p in values {
        (low, high, sum) = (low.min(p), high.max(p), sum + p);
    }
    (low, high, sum / values.len() as f64)
}

/// Whether a level window is only as level as the curve around it makes it: at noon the sun itself
/// lets power stand nearly still. Near its top a curve falls with the square of the distance, so
/// its fall outside the window gives the fall within. A limit has a fall on both sides of it.
fn is_the_top_of_a_curve(power: &[f64], window: Range<usize>, tolerance: f64) -> bool {
    let (low, high, mean) = extent(&power[window.clone()]);
    let margin = tolerance * mean;
    // The level stretch that the window is a part of; clouds may interrupt it.
    let outermost = |outwards: &mut dyn Iterator<Item = usize>, from: usize| {
        outwards
            .take_while(|row| power[*row].is_nan() || power[*row] <= high + margin)
            .filter(|row| power[*row] >= low - margin)
            .last()
            .unwrap_or(from)
    };
    let first = outermost(&mut (0..window.start).rev(), window.start);
    let last = outermost(&mut (window.end..power.len()), window.end - 1);
    let reach = (last - first + 1).min(first).min(power.len() - 1 - last);
    if reach == 0 {
        return true;
    }
    let (mut least, mut most) = (low, high);
    for &p in power[first..=last].iter().filter(|p| **p >= low - margin) {
        (least, most) = (least.min(p), most.max(p));
    }
    let half = (last - first) as f64 / 2.0;
    let fall = most - power[first - reach].max(power[last + reach]);
    let within = fall * (half / (half + reach as f64)).powi(2);
    within.is_nan() || within <= UNEXPLAINED * (most - least)
}

/// Runs of at least six equal readings while producing.
fn stale_runs(power: &[f64], robust_peak_w: f64) -> impl Iterator<Item = Range<usize>> + '_ {
    let producing_w = PRODUCING_SHARE * robust_peak_w;
    let mut start = 0;
    std::iter::from_fn(move || {
        while start < power.len() {
            let value = power[start];
            if value.is_nan() || value <= producing_w {
                start += 1;
                continue;
            }
            let equal = |pair: &&[f64]| (pair[1] - pair[0]).abs() <= 1e-5 * pair[0].abs();
            let run = start..start + 1 + power[start..].windows(2).take_while(equal).count();
            start = run.end;
            if run.len() >= STALE_RUN {
                return Some(run);
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calibration(step_hours: f64) -> Calibration {
        Calibration {
            step_hours,
            robust_peak_w: 1000.0,
            ..Calibration::default()
        }
    }

    fn counts(power: &[f64], step_hours: f64) -> (u32, u32) {
        count(
            power,
            &calibration(step_hours),
            &LoggerContext::new(chrono_tz::UTC),
        )
    }

    #[test]
    fn a_plateau_at_the_peak_is_clipping_and_one_below_is_not() {
        assert_eq!(
            counts(&[500.0, 999.0, 999.5, 1000.0, 999.2, 700.0], 0.25).0,
            4
        );
        assert_eq!(counts(&[500.0, 800.0, 800.0, 800.0, 700.0], 0.25).0, 0);
        assert_eq!(counts(&[960.0, 980.0, 1000.0, 970.0], 0.25).0, 0);
    }

    /// The power of a clear day, W: a cosine of this many hours from noon to sunset.
    fn clear_day(step_hours: f64, hours: f64, limit: f64) -> Vec<f64> {
        let rows = to_index((2.0 * hours / step_hours).round());
        (0..=rows)
            .map(|row| {
                let from_noon = row as f64 * step_hours - hours;
                let sun = (std::f64::consts::FRAC_PI_2 * from_noon / hours).cos();
                (1000.0 * sun).min(limit).round()
            })
            .collect()
    }

    #[test]
    fn the_top_of_a_clear_day_is_not_clipping() {
        for step in [1.0 / 60.0, 1.0 / 12.0, 0.25] {
            for hours in [4.0, 6.6, 8.0] {
                let day = clear_day(step, hours, 1000.0);
                assert_eq!(counts(&day, step).0, 0, "{step} {hours}");
                let day = clear_day(step, hours, 965.0);
                assert!(counts(&day, step).0 > 0, "{step} {hours}");
            }
        }
    }

    #[test]
    fn a_plateau_far_below_the_stated_capacity_is_not_clipping() {
        let day = clear_day(0.25, 6.0, 960.0);
        let of = |kw| {
            let basis = crate::context::CapacityBasis::Configured;
            let context = LoggerContext {
                capacity: Some(crate::context::Capacity { kw, basis }),
                ..LoggerContext::new(chrono_tz::UTC)
            };
            count(&day, &calibration(0.25), &context).0
        };
        assert!(of(1.3) > 0);
        assert_eq!(of(2.0), 0);
    }

    #[test]
    fn clouds_in_a_limit_leave_it_one() {
        let mut day = clear_day(0.25, 6.0, 960.0);
        let noon = day.len() / 2;
        let whole = counts(&day, 0.25).0;
        day[noon] = 400.0;
        assert_eq!(counts(&day, 0.25).0, whole - 1);
    }

    #[test]
    fn six_equal_values_in_daylight_are_stale_and_nights_never_are() {
        assert_eq!(counts(&[0.0; 50], 0.25).1, 0);
        assert_eq!(
            counts(
                &[300.0, 400.0, 400.0, 400.0, 400.0, 400.0, 400.0, 410.0],
                0.25
            )
            .1,
            6
        );
        assert_eq!(
            counts(&[400.0, 400.0, f64::NAN, 400.0, 400.0, 400.0, 400.0], 0.25).1,
            0
        );
    }
}
