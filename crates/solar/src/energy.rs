//! Energy from power, step by step.

use crate::context::Label;

/// Two samples further apart than this many nominal steps have a hole between them. Two steps are
/// one missing sample; the fraction forgives clocks that tick unevenly by a hair.
const BRIDGE_STEPS: f64 = 2.0001;

/// What lies between two consecutive valid samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Energy, Wh; `bridged` samples were missing and put on the straight line.
    Energy {
        /// Wh.
        wh: f64,
        /// Missing samples that were bridged.
        bridged: u32,
    },
    /// A hole: nothing is known about this many hours.
    Hole {
        /// Hours beyond one step.
        hours: f64,
    },
}

/// A valid sample: seconds since 1970 and W.
pub type Sample = (i64, f64);

/// The energy between two consecutive valid samples; consumption counts as zero.
#[inline]
pub fn step_energy(from: Sample, to: Sample, step_hours: f64, label: Label) -> Step {
    let hours = (to.0 - from.0) as f64 / 3600.0;
    if hours > BRIDGE_STEPS * step_hours {
        return Step::Hole {
            hours: hours - step_hours,
        };
    }
    let (a, b) = (from.1.max(0.0), to.1.max(0.0));
    // At most two steps apart, so one sample at most is missing.
    let missing = hours >= 1.5 * step_hours;
    let wh = match label {
        Label::Right if missing => hours * (a + (b - a) * 0.75),
        Label::Right => hours * b,
        Label::Instantaneous => hours * (a + b) / 2.0,
    };
    Step::Energy {
        wh,
        bridged: u32::from(missing),
    }
}

/// Whether two consecutive readings belong to one run.
#[inline]
pub(crate) fn adjacent(earlier: i64, later: i64, step_hours: f64) -> bool {
    (later - earlier) as f64 / 3600.0 <= BRIDGE_STEPS * step_hours
}

/// Median of the positive differences of consecutive time stamps, hours.
pub fn nominal_step_hours(time: &[i64]) -> Option<f64> {
    let mut steps: Vec<f64> = time
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64)
        .filter(|&d| d > 0.0)
        .collect();
    crate::stats::median(&mut steps).map(|seconds| seconds / 3600.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f64 = 0.25;

    fn wh(step: Step) -> f64 {
        match step {
            Step::Energy { wh, .. } => wh,
            Step::Hole { .. } => f64::NAN,
        }
    }

    #[test]
    fn one_step_is_a_rectangle_of_the_later_value() {
        assert!((wh(step_energy((0, 100.0), (900, 400.0), H, Label::Right)) - 100.0).abs() < 1e-9);
        assert!((wh(step_energy((0, 100.0), (900, -5.0), H, Label::Right))).abs() < 1e-9);
    }

    #[test]
    fn one_missing_sample_lies_on_the_straight_line() {
        // 250 W, then 400 W, a quarter of an hour each.
        let step = step_energy((0, 100.0), (1800, 400.0), H, Label::Right);
        assert_eq!(
            step,
            Step::Energy {
                wh: (250.0 + 400.0) * H,
                bridged: 1
            }
        );
    }

    #[test]
    fn instantaneous_readings_make_trapezoids() {
        assert!(
            (wh(step_energy(
                (0, 100.0),
                (900, 400.0),
                H,
                Label::Instantaneous
            )) - 62.5)
                .abs()
                < 1e-9
        );
    }

    #[test]
    fn a_longer_distance_is_a_hole_that_adds_nothing() {
        assert_eq!(
            step_energy((0, 100.0), (2700, 400.0), H, Label::Right),
            Step::Hole { hours: 0.5 }
        );
    }

    #[test]
    fn the_nominal_step_is_the_median_distance() {
        assert_eq!(nominal_step_hours(&[0, 900, 1800, 9000]), Some(0.25));
        assert_eq!(nominal_step_hours(&[7]), None);
    }
}
