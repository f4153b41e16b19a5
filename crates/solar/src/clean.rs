//! Which values are measurements and which are not.

/// Beyond this, a value is a sentinel and not a power, W.
const SENTINEL_W: f64 = 1e8;

/// The plausible range of a logger's power.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    low: f64,
    high: f64,
}

impl Limits {
    /// The range for a logger with this robust peak; without one, only sentinels are refused.
    pub fn of(robust_peak_w: f64) -> Self {
        if robust_peak_w > 0.0 {
            Self {
                low: -0.25 * robust_peak_w,
                high: 2.0 * robust_peak_w,
            }
        } else {
            Self {
                low: -SENTINEL_W,
                high: SENTINEL_W,
            }
        }
    }

    /// The value, or NaN when it is not a measurement.
    #[inline]
    pub fn clean(self, power_w: f64) -> f64 {
        if power_w >= self.low && power_w <= self.high && power_w.abs() < SENTINEL_W {
            power_w
        } else {
            f64::NAN
        }
    }
}

/// 99.5th percentile of the positive power after the sentinel rule: a peak that one spike does not
/// move.
pub fn robust_peak(power_w: &[f64]) -> Option<f64> {
    let mut positive: Vec<f64> = power_w
        .iter()
        .copied()
        .filter(|&p| p > 0.0 && p < SENTINEL_W)
        .collect();
    crate::stats::quantile(&mut positive, 0.995)
}

/// Whether irradiance counts in sums, W/m2.
#[inline]
pub fn irradiance_counts(irradiance: f64) -> bool {
    (20.0..2000.0).contains(&irradiance)
}

/// Whether a module temperature is one, C.
#[inline]
pub fn temperature_counts(module_c: f64) -> bool {
    (-40.0..=100.0).contains(&module_c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentinels_spikes_and_large_negatives_go_while_night_consumption_stays() {
        let raw = [
            f64::NAN,
            -1e9,
            f64::INFINITY,
            2001.0,
            -251.0,
            -249.0,
            0.0,
            2000.0,
        ];
        let clean = raw.map(|raw| Limits::of(1000.0).clean(raw));
        assert!(clean[..5].iter().all(|value| value.is_nan()));
        assert_eq!(clean[5..], [-249.0, 0.0, 2000.0]);
    }

    #[test]
    fn without_a_peak_only_sentinels_are_refused() {
        let limits = Limits::of(0.0);
        assert!(limits.clean(-1e9).is_nan());
        assert!(limits.clean(1e8).is_nan());
        assert!((limits.clean(5000.0) - 5000.0).abs() < f64::EPSILON);
    }

    #[test]
    fn the_peak_ignores_sentinels_and_nothing() {
        assert_eq!(robust_peak(&[-5.0, 0.0, f64::NAN, 1e9]), None);
        assert_eq!(robust_peak(&[7.0, -1e9]), Some(7.0));
    }
}
