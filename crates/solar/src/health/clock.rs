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
    of_halves(&daily_offsets(days, calibration, context))
}

/// The offset of each day that is complete and has energy, minutes.
fn daily_offsets(
    days: &[DayFigures],
    calibration: &Calibration,
    context: &LoggerContext,
) -> Vec<(NaiveDate, f64)> {
    let Some(position) = context.position else {
        return Vec::new();
    };
    let mut offsets = Vec::new();
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
        offsets.push((day.date, centroid * 60.0 - (noon - midnight as f64) / 60.0));
    }
    offsets
}

fn of_halves(daily: &[(NaiveDate, f64)]) -> Vec<ClockOffset> {
    let mut halves: Vec<(NaiveDate, Vec<f64>)> = Vec::new();
    for (date, minutes) in daily.iter().copied() {
        let from = date
            .with_day(if date.day() <= 15 { 1 } else { 16 })
            .unwrap_or(date);
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

/// The day on which the clock was moved: before it the days fit the first offset best, from it on
/// the second.
fn day_of_change(daily: &[(NaiveDate, f64)], [before, after]: [ClockOffset; 2]) -> NaiveDate {
    let until = after.from + chrono::Days::new(15);
    let days: Vec<&(NaiveDate, f64)> = daily
        .iter()
        .filter(|(date, _)| (before.from..=until).contains(date))
        .collect();
    let misfit = |at: usize| -> f64 {
        let (head, tail) = days.split_at(at);
        let off = |days: &[&(NaiveDate, f64)], offset: f64| -> f64 {
            days.iter()
                .map(|(_, minutes)| (minutes - offset).abs())
                .sum()
        };
        off(head, before.minutes) + off(tail, after.minutes)
    };
    (0..days.len())
        .min_by(|a, b| misfit(*a).total_cmp(&misfit(*b)))
        .map_or(after.from, |at| days[at].0)
}

/// Adds a finding for every jump of 45 to 75 minutes that falls into the window.
pub(super) fn find(question: &HealthQuestion<'_>, events: &mut Vec<Event>) {
    let daily = daily_offsets(question.days, question.calibration, question.context);
    let offsets = of_halves(&daily);
    for pair in offsets.windows(2) {
        let shift = pair[1].minutes - pair[0].minutes;
        // Only neighbours: over a longer time the seasons move a tilted array as far.
        let neighbours = (pair[1].from - pair[0].from).num_days() <= 16;
        if !neighbours || !(45.0..=75.0).contains(&shift.abs()) {
            continue;
        }
        let day = day_of_change(&daily, [pair[0], pair[1]]);
        if (question.window.first..=question.window.last).contains(&day) {
            let span = DaySpan::of_day(day, question.context.zone);
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
