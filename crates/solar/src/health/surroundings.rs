//! The measurements of the rest of a site at the moments of one logger.

use chrono_tz::Tz;

use super::moved;
use crate::calibration::Calibration;
use crate::clean::Limits;
use crate::days::PRODUCING_SHARE;
use crate::series::Series;
use crate::stats;

/// Median irradiance of other loggers at each of `times`, W/m2; NaN where none has a reading near.
pub fn site_irradiance(times: &[i64], others: &[(&Series, &Calibration)]) -> Vec<f64> {
    let mut cursors: Vec<Cursor<'_>> = others
        .iter()
        .map(|(series, calibration)| {
            Cursor::new(series.time(), series.irradiance(), calibration.step_hours)
        })
        .collect();
    let mut seen = Vec::with_capacity(others.len());
    times
        .iter()
        .map(|&time| median_at(time, &mut cursors, &mut seen, |g| g))
        .collect()
}

/// The neighbours' power at the times of a logger, as the median share of their peaks; 0 when fewer
/// than half of those with a reading deliver, NaN where none has one. A neighbour whose clock is an
/// hour off does not count then.
pub fn site_utilisation(
    own: (&Series, &Calibration),
    neighbours: &[(&Series, &Calibration)],
    zone: Tz,
) -> Vec<f64> {
    let moved = moved::times(own, neighbours, zone);
    let times = own.0.time();
    let shares: Vec<Vec<f64>> = neighbours
        .iter()
        .zip(&moved)
        .map(|((series, calibration), moved)| {
            let limits = Limits::of(calibration.robust_peak_w);
            let counts = |time: &i64| !moved.iter().any(|span| span.contains(time));
            let readings = series.time().iter().zip(series.power_w());
            readings
                .map(|(time, &power)| {
                    let power = if counts(time) {
                        limits.clean(power)
                    } else {
                        f64::NAN
                    };
                    power / calibration.robust_peak_w
                })
                .collect()
        })
        .collect();
    let mut cursors: Vec<Cursor<'_>> = neighbours
        .iter()
        .zip(&shares)
        .map(|((series, calibration), shares)| {
            Cursor::new(series.time(), shares, calibration.step_hours)
        })
        .collect();
    let mut seen = Vec::with_capacity(neighbours.len());
    // The median of shares is above the threshold when at least half of them are, save for the
    // lower half of a tie.
    let producing = |share: f64| if share > PRODUCING_SHARE { share } else { 0.0 };
    times
        .iter()
        .map(|&time| median_at(time, &mut cursors, &mut seen, producing))
        .collect()
}

fn median_at(
    time: i64,
    cursors: &mut [Cursor<'_>],
    seen: &mut Vec<f64>,
    read: impl Fn(f64) -> f64,
) -> f64 {
    seen.clear();
    seen.extend(
        cursors
            .iter_mut()
            .filter_map(|cursor| cursor.at(time))
            .map(read),
    );
    stats::median(seen).unwrap_or(f64::NAN)
}

/// Walks a column forward in time.
struct Cursor<'a> {
    time: &'a [i64],
    values: &'a [f64],
    row: usize,
    /// Maximum distance of a reading that still counts.
    reach: i64,
}

impl<'a> Cursor<'a> {
    fn new(time: &'a [i64], values: &'a [f64], step_hours: f64) -> Self {
        let reach = i64::try_from(stats::to_index(step_hours * 3600.0)).unwrap_or(i64::MAX);
        Self {
            time,
            values,
            row: 0,
            reach: reach.max(60),
        }
    }

    /// The reading at or first after `time`, whose step `time` lies in; times must not go back.
    fn at(&mut self, time: i64) -> Option<f64> {
        self.row += self.time[self.row..]
            .iter()
            .take_while(|&&t| t < time)
            .count();
        let at = *self.time.get(self.row)?;
        Some(self.values[self.row]).filter(|value| at - time < self.reach && value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Reading;

    fn neighbour(watts: f64) -> Series {
        (0..4)
            .map(|row| Reading {
                time: row * 900,
                power_w: watts,
                ..Reading::default()
            })
            .collect()
    }

    #[test]
    fn half_of_the_neighbours_must_deliver() {
        let calibration = Calibration {
            robust_peak_w: 1000.0,
            ..Calibration::default()
        };
        let (works, stands) = (neighbour(500.0), neighbour(0.0));
        let share = |series: &[&Series]| {
            let neighbours: Vec<_> = series
                .iter()
                .map(|series| (*series, &calibration))
                .collect();
            let times = [Reading {
                time: 900,
                ..Reading::default()
            }];
            let own: Series = times.into_iter().collect();
            site_utilisation((&own, &calibration), &neighbours, Tz::UTC)[0]
        };
        assert!((share(&[&works, &works, &stands]) - 0.5).abs() < 1e-9);
        assert!(share(&[&works, &stands]) > PRODUCING_SHARE);
        assert!(share(&[&works, &stands, &stands]).abs() < 1e-9);
        assert!(share(&[]).is_nan());
    }
}
