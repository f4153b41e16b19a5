//! The summary of one logger where irradiances are compared.

use contracts::tools::ComparisonSummary;
use solar::{Calibration, DayFigures};

use crate::solar_tools::wire;

/// Mean and peak of the daylight readings, W/m², and the irradiation, kWh/m².
pub(super) fn summary(days: &[DayFigures], calibration: &Calibration) -> ComparisonSummary {
    let lit = || days.iter().filter(|day| day.sun.daylight > 0);
    let readings: u32 = lit().map(|day| day.sun.daylight).sum();
    let insolation: f64 = lit().map(|day| day.sun.insolation_kwh_m2).sum();
    let hours = f64::from(readings) * calibration.step_hours;
    let known = readings > 0;
    ComparisonSummary {
        average: known.then(|| wire::tenths(1000.0 * insolation / hours)),
        peak: lit()
            .map(|day| day.sun.peak_irradiance)
            .reduce(f64::max)
            .map(wire::tenths),
        total: known.then(|| wire::cents(insolation)),
        days_with_data: u32::try_from(lit().count()).unwrap_or(u32::MAX),
        ..ComparisonSummary::default()
    }
}

#[cfg(test)]
mod tests {
    use solar::{LoggerContext, Reading, Series, calibrate, rollup};

    use super::*;

    #[test]
    fn nights_and_missing_values_do_not_count() {
        let values = [0.0, 400.0, f64::NAN, 800.0, 5.0];
        let series: Series = values
            .iter()
            .zip(1..)
            .map(|(&irradiance, step)| Reading {
                time: step * 900,
                irradiance,
                ..Reading::default()
            })
            .collect();
        let context = LoggerContext::new(chrono_tz::UTC);
        let calibration = calibrate(&series, &context);
        let summary = summary(&rollup(&series, &calibration, &context), &calibration);
        assert_eq!(summary.average, Some(600.0));
        assert_eq!(summary.peak, Some(800.0));
        assert_eq!(summary.total, Some(0.3));
    }
}
