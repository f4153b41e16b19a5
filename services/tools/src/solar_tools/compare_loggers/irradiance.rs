//! The summary of one logger where irradiances are compared.

use contracts::tools::ComparisonSummary;
use solar::clean::irradiance_counts;
use solar::{Calibration, Series};

use crate::solar_tools::wire;

/// Mean and peak of the daylight readings, W/m², and what the sun brought, kWh/m².
pub(super) fn summary(series: &Series, calibration: &Calibration) -> ComparisonSummary {
    let daylight: Vec<f64> = series
        .irradiance()
        .iter()
        .copied()
        .filter(|g| irradiance_counts(*g))
        .collect();
    let sum: f64 = daylight.iter().sum();
    let known = !daylight.is_empty();
    ComparisonSummary {
        average: known.then(|| wire::tenths(sum / daylight.len() as f64)),
        peak: daylight.iter().copied().reduce(f64::max).map(wire::tenths),
        total: known.then(|| wire::cents(sum * calibration.step_hours / 1000.0)),
        ..ComparisonSummary::default()
    }
}

#[cfg(test)]
mod tests {
    use solar::Reading;

    use super::*;

    #[test]
    fn nights_and_missing_values_do_not_count() {
        let values = [0.0, 400.0, f64::NAN, 800.0, 5.0];
        let series = values
            .iter()
            .zip(0..)
            .map(|(&irradiance, step)| Reading {
                time: step * 900,
                irradiance,
                ..Reading::default()
            })
            .collect();
        let calibration = Calibration {
            step_hours: 0.25,
            ..Calibration::default()
        };
        let summary = summary(&series, &calibration);
        assert_eq!(summary.average, Some(600.0));
        assert_eq!(summary.peak, Some(800.0));
        assert_eq!(summary.total, Some(0.3));
    }
}
