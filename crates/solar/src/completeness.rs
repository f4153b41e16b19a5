//! Which days have their readings, judged against their neighbours.

use chrono::{Days, NaiveDate};

use crate::days::DayFigures;
use crate::stats;

/// Neighbours on either side that say what is usual: with the day itself, 31.
const NEIGHBOURS: u64 = 15;

/// A day with less than this share of the usual completeness is missing.
const MISSING_SHARE: f64 = 0.05;

/// A day with at least this share of the usual completeness is complete.
const COMPLETE_SHARE: f64 = 0.9;

/// The usual completeness around a day: the median of the days with readings among the 31 around
/// it, or of all days when there are none. `days` are in order. `None` without days.
pub fn typical_completeness(days: &[DayFigures], date: NaiveDate) -> Option<f64> {
    let first = date
        .checked_sub_days(Days::new(NEIGHBOURS))
        .unwrap_or(NaiveDate::MIN);
    let last = date
        .checked_add_days(Days::new(NEIGHBOURS))
        .unwrap_or(NaiveDate::MAX);
    let near = &days[days.partition_point(|day| day.date < first)
        ..days.partition_point(|day| day.date <= last)];
    let around = if near.is_empty() { days } else { near };
    let mut values: Vec<f64> = around.iter().map(|day| day.completeness).collect();
    stats::median(&mut values)
}

/// The days between `first` and `last`, both included, with less than 5 % of the usual readings.
pub fn missing_days(days: &[DayFigures], first: NaiveDate, last: NaiveDate) -> Vec<NaiveDate> {
    let mut known = days.iter().skip_while(|day| day.date < first).peekable();
    let mut missing = Vec::new();
    for date in first.iter_days().take_while(|date| *date <= last) {
        let completeness = known
            .next_if(|day| day.date == date)
            .map_or(0.0, |day| day.completeness);
        // A day that is complete on its own needs no comparison.
        if completeness < MISSING_SHARE
            && typical_completeness(days, date)
                .is_some_and(|typical| completeness < MISSING_SHARE * typical)
        {
            missing.push(date);
        }
    }
    missing
}

/// Whether the day has at least 90 % of the usual readings.
pub fn is_complete(days: &[DayFigures], day: &DayFigures) -> bool {
    day.completeness >= COMPLETE_SHARE
        || typical_completeness(days, day.date)
            .is_some_and(|typical| day.completeness >= COMPLETE_SHARE * typical)
}
