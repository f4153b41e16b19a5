//! Has a user moved the logger's clock? Production is centred on solar noon, give or take the
//! orientation of the array; when that distance jumps by an hour from one half month to the next,
//! it was the clock.

use chrono::{Datelike, NaiveDate};

use crate::calendar::{self, DaySpan};
use crate::calibration::Calibration;
use crate::completeness;
use crate::context::LoggerContext;
use crate::days::DayFigures;
use crate::health::{Event, EventKind, Evidence, HealthQuestion};
use crate::stats;
use crate::sun;

/// Days without which a half month says nothing.
const FEWEST_DAYS: usize = 5;

/// The offset of production from solar noon in one half of a month.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockOffset {
    /// The first day of the half: 1st or 16th.
    pub from: NaiveDate,
    /// Median over its days of power centroid minus solar transit, minutes.
    pub minutes: f64,
}

/// The offsets of every half month with enough days; needs coordinates.
pub fn clock_offsets(
    days: &[DayFigures],
    calibration: &Calibration,
    context: &LoggerContext,
) -> Vec<ClockOffset> {
    let Some(position) = context.position else {
        return Vec::new();
    };
    let mut halves: Vec<(NaiveDate, Vec<f64>)> = Vec::new();
    for day in days
        .iter()
        .filter(|day| completeness::is_complete(days, day))
    {
        let Some(centroid) = day
            .centroid_hour
            .filter(|_| !crate::ratio::is_dead(day, calibration))
        else {
            continue;
        };
        let midnight = calendar::day_start(day.date, context.zone);
        let noon = sun::transit(midnight + 43_200, position.longitude);
        let minutes = centroid * 60.0 - (noon - midnight as f64) / 60.0;
        let from = day
            .date
            .with_day(if day.date.day() <= 15 { 1 } else { 16 })
            .unwrap_or(day.date);
        match halves.last_mut() {
            Some((half, values)) if *half == from => values.push(minutes),
            _ => halves.push((from, vec![minutes])),
        }
    }
    let enough = halves
        .into_iter()
        .filter(|(_, values)| values.len() >= FEWEST_DAYS);
    enough
        .filter_map(|(from, mut values)| {
            Some(ClockOffset {
                from,
                minutes: stats::median(&mut values)?,
            })
        })
        .collect()
}

/// Adds a finding for every jump of 45 to 75 minutes that falls into the window.
pub(super) fn find(question: &HealthQuestion<'_>, events: &mut Vec<Event>) {
    let offsets = clock_offsets(question.days, question.calibration, question.context);
    for pair in offsets.windows(2) {
        let shift = pair[1].minutes - pair[0].minutes;
        // Only neighbours: over a longer time the seasons move a tilted array as far.
        let neighbours = (pair[1].from - pair[0].from).num_days() <= 16;
        let until = pair[1].from + chrono::Days::new(15);
        let in_window = pair[1].from <= question.window.last && until >= question.window.first;
        if neighbours && in_window && (45.0..=75.0).contains(&shift.abs()) {
            let span = DaySpan::of_day(pair[1].from, question.context.zone);
            events.push(Event {
                kind: EventKind::ClockShift,
                start: span.after,
                end: span.after,
                minutes: 0.0,
                lost_kwh: 0.0,
                evidence: Evidence::ShiftMinutes(shift),
            });
        }
    }
}
