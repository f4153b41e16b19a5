//! Irradiance for loggers that have none: their sensor's, or the median of the site's sensors, on
//! the logger's own time stamps.
//!
//! Stamps end the step that they represent. Where a sensor is finer than the logger its readings
//! within the logger's step are averaged; where it is as coarse or coarser, the sensor's step that
//! contains the logger's is taken.

use solar::Columns;
use solar::energy::nominal_step_hours;

/// The logger's columns with irradiance, and where it has no module temperature at all with that,
/// too, from its sensors.
pub fn with_sensors(mut own: Columns, sensors: &[Columns]) -> Columns {
    own.irradiance = median_of(&own, sensors, |sensor| &sensor.irradiance);
    let asked = sensors
        .iter()
        .all(|sensor| sensor.module_c.len() == sensor.time.len());
    if asked && own.module_c.iter().all(|c| c.is_nan()) {
        own.module_c = median_of(&own, sensors, |sensor| &sensor.module_c);
    }
    own
}

fn median_of(own: &Columns, sensors: &[Columns], column: fn(&Columns) -> &Vec<f64>) -> Vec<f64> {
    let step = step_seconds(&own.time);
    let aligned: Vec<Vec<f64>> = sensors
        .iter()
        .map(|sensor| align(&own.time, step, &sensor.time, column(sensor)))
        .collect();
    let mut values = Vec::with_capacity(aligned.len());
    (0..own.time.len())
        .map(|row| {
            values.clear();
            values.extend(
                aligned
                    .iter()
                    .map(|sensor| sensor[row])
                    .filter(|v| v.is_finite()),
            );
            median(&mut values)
        })
        .collect()
}

/// A sensor's values on other time stamps; NaN where it has none.
fn align(stamps: &[i64], step: i64, sensor_stamps: &[i64], values: &[f64]) -> Vec<f64> {
    let sensor_step = step_seconds(sensor_stamps);
    let finer = 4 * sensor_step < 3 * step;
    let mut next = 0;
    stamps
        .iter()
        .map(|&stamp| {
            if finer {
                let start = next + sensor_stamps[next..].partition_point(|&t| t <= stamp - step);
                next = start + sensor_stamps[start..].partition_point(|&t| t <= stamp);
                mean(&values[start..next])
            } else {
                next += sensor_stamps[next..].partition_point(|&t| t < stamp);
                match sensor_stamps.get(next) {
                    Some(&t) if t - stamp < sensor_step => values[next],
                    _ => f64::NAN,
                }
            }
        })
        .collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a step is some seconds to some days"
)]
fn step_seconds(stamps: &[i64]) -> i64 {
    nominal_step_hours(stamps).map_or(1, |hours| ((hours * 3600.0).round() as i64).max(1))
}

fn mean(values: &[f64]) -> f64 {
    let (sum, count) = values
        .iter()
        .filter(|value| value.is_finite())
        .fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensor(readings: &[(i64, f64)]) -> Columns {
        Columns {
            time: readings.iter().map(|(time, _)| *time).collect(),
            irradiance: readings.iter().map(|(_, g)| *g).collect(),
            module_c: vec![f64::NAN; readings.len()],
            ..Columns::default()
        }
    }

    fn irradiance(stamps: &[i64], sensors: &[Columns]) -> Vec<f64> {
        let own = Columns {
            time: stamps.to_vec(),
            ..Columns::default()
        };
        with_sensors(own, sensors).irradiance
    }

    #[test]
    fn a_sensor_with_the_same_clock_is_taken_as_it_is() {
        let g = irradiance(
            &[300, 600, 900],
            &[sensor(&[(300, 1.0), (600, 2.0), (1200, 4.0), (1500, 5.0)])],
        );
        assert_eq!(g[..2], [1.0, 2.0]);
        assert!(g[2].is_nan());
    }

    #[test]
    fn a_finer_sensor_is_averaged_over_the_step() {
        let minutes: Vec<(i64, f64)> = (1..=10)
            .map(|m| (m * 60, f64::from(u8::try_from(m).unwrap())))
            .collect();
        assert_eq!(irradiance(&[300, 600], &[sensor(&minutes)]), [3.0, 8.0]);
    }

    #[test]
    fn a_coarser_sensor_gives_the_step_that_contains_the_stamp() {
        let g = irradiance(
            &[300, 600, 900, 1200],
            &[sensor(&[(900, 9.0), (1800, 18.0)])],
        );
        assert_eq!(g, [9.0, 9.0, 9.0, 18.0]);
    }

    #[test]
    fn of_several_sensors_the_median_counts() {
        let sensors = [
            sensor(&[(300, 1.0), (600, 5.0)]),
            sensor(&[(300, 9.0), (600, f64::NAN)]),
            sensor(&[(300, 2.0), (600, 7.0)]),
        ];
        assert_eq!(irradiance(&[300, 600], &sensors), [2.0, 6.0]);
    }
}
