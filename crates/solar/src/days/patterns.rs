//! Patterns within a day that show a state of the inverter or its logger: running at the limit,
//! repeating itself.

use crate::calendar;
use crate::calibration::Calibration;
use crate::clean::Limits;
use crate::context::LoggerContext;
use crate::days::PRODUCING_SHARE;
use crate::series::Series;
use crate::stats::to_index;

/// Equal readings in a row that no sky produces.
const STALE_RUN: usize = 6;

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
        if let Some((low, high)) = clipping_band(day, calibration) {
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
pub(super) fn count(time: &[i64], power: &[f64], calibration: &Calibration) -> (u32, u32) {
    debug_assert_eq!(time.len(), power.len());
    let clipped = clipping_band(power, calibration).map_or(0, |(low, high)| {
        power.iter().fold(0_u32, |count, p| {
            count + u32::from((low..=high).contains(p))
        })
    });
    let stale = stale_runs(power, calibration.robust_peak_w)
        .map(|run| run.len())
        .sum::<usize>();
    (clipped, u32::try_from(stale).unwrap_or(u32::MAX))
}

/// Lowest and highest value of the windows of a day in which power stands still near the peak.
fn clipping_band(power: &[f64], calibration: &Calibration) -> Option<(f64, f64)> {
    // Coarse data: three samples within 0.2 %. Below ten minutes: half an hour within 0.5 %.
    let coarse = calibration.step_hours * 60.0 >= 10.0 - 1e-9;
    let samples = if coarse {
        3
    } else {
        to_index((0.5 / calibration.step_hours).round()).max(3)
    };
    let tolerance = if coarse { 0.002 } else { 0.005 };
    let near_peak = 0.95 * calibration.robust_peak_w;
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
        let window = &power[end + 1 - samples..=end];
        let (mut low, mut high, mut sum) = (f64::INFINITY, 0.0_f64, 0.0);
        for &p in window {
            (low, high, sum) = (low.min(p), high.max(p), sum + p);
        }
        if high - low <= tolerance * sum / samples as f64 {
            band = Some(band.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
        }
    }
    band
}

/// Runs of at least six equal readings while producing.
fn stale_runs(
    power: &[f64],
    robust_peak_w: f64,
) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
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
        let time: Vec<i64> = (0..power.len())
            .map(|row| i64::try_from(row).unwrap())
            .collect();
        count(&time, power, &calibration(step_hours))
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
