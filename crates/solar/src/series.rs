//! The readings of one logger, in columns.

use std::ops::Range;

use chrono::{DateTime, Utc};

/// One row. A missing value is NaN, which is what `Default` gives.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub time: i64,
    /// Active AC power, W.
    pub power_w: f64,
    /// Register that resets every day, kWh.
    pub daily_kwh: f64,
    /// Register that never resets, kWh.
    pub lifetime_kwh: f64,
    /// Irradiance, W/m2.
    pub irradiance: f64,
    /// Module temperature, C.
    pub module_c: f64,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            time: 0,
            power_w: f64::NAN,
            daily_kwh: f64::NAN,
            lifetime_kwh: f64::NAN,
            irradiance: f64::NAN,
            module_c: f64::NAN,
        }
    }
}

/// The columns of a [`Series`] before they are checked. An optional column may be left empty.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Seconds since 1970-01-01T00:00:00Z, strictly ascending.
    pub time: Vec<i64>,
    /// Active AC power, W.
    pub power_w: Vec<f64>,
    /// Register that resets every day, kWh.
    pub daily_kwh: Vec<f64>,
    /// Register that never resets, kWh.
    pub lifetime_kwh: Vec<f64>,
    /// Irradiance, W/m2.
    pub irradiance: Vec<f64>,
    /// Module temperature, C.
    pub module_c: Vec<f64>,
}

/// The reason why columns do not form a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeriesError {
    /// A column is neither empty nor as long as the time column.
    #[error("the columns have different lengths")]
    UnequalColumns,
    /// A time stamp is not later than the one before it.
    #[error("the time stamps are not strictly ascending (row {row})")]
    NotAscending {
        /// The row that is out of order.
        row: usize,
    },
}

/// The readings of one logger: strictly ascending in time, all columns of one length, missing
/// values NaN.
#[derive(Clone, Debug, Default)]
pub struct Series {
    columns: Columns,
}

impl Series {
    /// Takes columns over, after checking them.
    pub fn from_columns(mut columns: Columns) -> Result<Self, SeriesError> {
        let rows = columns.time.len();
        for column in columns.values_mut() {
            if column.is_empty() {
                column.resize(rows, f64::NAN);
            } else if column.len() != rows {
                return Err(SeriesError::UnequalColumns);
            }
        }
        if !columns.time.is_sorted_by(|a, b| a < b) {
            return Err(SeriesError::NotAscending {
                row: first_disorder(&columns.time),
            });
        }
        Ok(Self { columns })
    }

    /// An empty series with room for `rows`.
    pub fn with_capacity(rows: usize) -> Self {
        let mut columns = Columns {
            time: Vec::with_capacity(rows),
            ..Columns::default()
        };
        for column in columns.values_mut() {
            column.reserve_exact(rows);
        }
        Self { columns }
    }

    /// Adds a reading at its place in time; one with the same time stamp is replaced.
    pub fn push(&mut self, reading: Reading) {
        let place = match self.columns.time.last() {
            Some(&last) if reading.time <= last => self.columns.time.binary_search(&reading.time),
            _ => Err(self.len()),
        };
        let values = [
            reading.power_w,
            reading.daily_kwh,
            reading.lifetime_kwh,
            reading.irradiance,
            reading.module_c,
        ];
        match place {
            Ok(row) => {
                for (column, value) in self.columns.values_mut().into_iter().zip(values) {
                    column[row] = value;
                }
            }
            Err(row) => {
                self.columns.time.insert(row, reading.time);
                for (column, value) in self.columns.values_mut().into_iter().zip(values) {
                    column.insert(row, value);
                }
            }
        }
    }

    /// Number of readings.
    pub fn len(&self) -> usize {
        self.columns.time.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.time.is_empty()
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    pub fn time(&self) -> &[i64] {
        &self.columns.time
    }

    /// The measured active AC power, W. Most callers need it cleaned: see [`crate::clean`].
    pub fn power_w(&self) -> &[f64] {
        &self.columns.power_w
    }

    /// Daily register, kWh.
    pub fn daily_kwh(&self) -> &[f64] {
        &self.columns.daily_kwh
    }

    /// Lifetime register, kWh.
    pub fn lifetime_kwh(&self) -> &[f64] {
        &self.columns.lifetime_kwh
    }

    /// Irradiance, W/m2.
    pub fn irradiance(&self) -> &[f64] {
        &self.columns.irradiance
    }

    /// Module temperature, C.
    pub fn module_c(&self) -> &[f64] {
        &self.columns.module_c
    }

    /// Whether any irradiance was read.
    pub fn has_irradiance(&self) -> bool {
        self.columns.irradiance.iter().any(|g| g.is_finite())
    }

    /// The rows with `after < time <= until`.
    pub fn rows(&self, after: i64, until: i64) -> Range<usize> {
        let start = self.columns.time.partition_point(|&time| time <= after);
        let end = self.columns.time.partition_point(|&time| time <= until);
        start..end.max(start)
    }

    /// A copy of the rows with `after < time <= until`.
    #[must_use]
    pub fn between(&self, after: i64, until: i64) -> Self {
        let rows = self.rows(after, until);
        let from = &self.columns;
        Self {
            columns: Columns {
                time: from.time[rows.clone()].to_vec(),
                power_w: from.power_w[rows.clone()].to_vec(),
                daily_kwh: from.daily_kwh[rows.clone()].to_vec(),
                lifetime_kwh: from.lifetime_kwh[rows.clone()].to_vec(),
                irradiance: from.irradiance[rows.clone()].to_vec(),
                module_c: from.module_c[rows].to_vec(),
            },
        }
    }
}

impl FromIterator<Reading> for Series {
    fn from_iter<T: IntoIterator<Item = Reading>>(readings: T) -> Self {
        let readings = readings.into_iter();
        let mut series = Series::with_capacity(readings.size_hint().0);
        for reading in readings {
            series.push(reading);
        }
        series
    }
}

impl Columns {
    fn values_mut(&mut self) -> [&mut Vec<f64>; 5] {
        [
            &mut self.power_w,
            &mut self.daily_kwh,
            &mut self.lifetime_kwh,
            &mut self.irradiance,
            &mut self.module_c,
        ]
    }
}

fn first_disorder(time: &[i64]) -> usize {
    time.windows(2)
        .position(|pair| pair[0] >= pair[1])
        .map_or(0, |row| row + 1)
}

/// Seconds since 1970 of an instant; a fraction of a second is cut off.
pub fn epoch(instant: DateTime<Utc>) -> i64 {
    instant.timestamp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: i64, power_w: f64) -> Reading {
        Reading {
            time,
            power_w,
            ..Reading::default()
        }
    }

    #[test]
    fn readings_find_their_place_in_time_and_replace_their_like() {
        let series: Series = [at(30, 3.0), at(10, 1.0), at(20, 9.0), at(20, 2.0)]
            .into_iter()
            .collect();
        assert_eq!(series.time(), [10, 20, 30]);
        assert_eq!(series.power_w(), [1.0, 2.0, 3.0]);
        assert!(series.irradiance().iter().all(|g| g.is_nan()));
    }

    #[test]
    fn a_range_opens_after_its_start_and_includes_its_end() {
        let series: Series = [at(10, 1.0), at(20, 2.0), at(30, 3.0)]
            .into_iter()
            .collect();
        assert_eq!(series.rows(10, 30), 1..3);
        assert_eq!(series.between(10, 20).time(), [20]);
        assert_eq!(series.rows(40, 50), 3..3);
        assert_eq!(series.rows(50, 0).len(), 0);
    }

    #[test]
    fn bad_columns_are_refused_with_the_reason() {
        let unequal = Columns {
            time: vec![1, 2],
            power_w: vec![1.0],
            ..Columns::default()
        };
        assert_eq!(
            Series::from_columns(unequal).unwrap_err(),
            SeriesError::UnequalColumns
        );
        let disorder = Columns {
            time: vec![1, 3, 3],
            ..Columns::default()
        };
        assert_eq!(
            Series::from_columns(disorder).unwrap_err(),
            SeriesError::NotAscending { row: 2 }
        );
    }
}
