//! Findings about whole days, from the daily figures.

use chrono::NaiveDate;

use crate::calendar::DaySpan;
use crate::completeness;
use crate::context::IrradianceBasis;
use crate::days::DayFigures;
use crate::flags::{Flag, Flags};
use crate::health::{Event, EventKind, Evidence, HealthQuestion};
use crate::ratio::is_dead;

/// A day below this share of the usual P/G underperforms.
const UNDERPERFORMING: f64 = 0.8;

/// What the days of a window show.
#[derive(Default)]
pub(super) struct Daywise {
    pub(super) dead: Vec<NaiveDate>,
    pub(super) missing: Vec<NaiveDate>,
    pub(super) underperforming: Vec<NaiveDate>,
    pub(super) irradiance_suspect: Vec<NaiveDate>,
    pub(super) clipped: u32,
    pub(super) stale: u32,
    pub(super) flags: Flags,
}

pub(super) fn find(question: &HealthQuestion<'_>, events: &mut Vec<Event>) -> Daywise {
    let window = question.window;
    let mut found = Daywise {
        missing: missing(question),
        ..Daywise::default()
    };
    for date in &found.missing {
        let usual = completeness::typical_completeness(question.days, *date).unwrap_or(0.0);
        let day = question.days.iter().find(|day| day.date == *date);
        let completeness = Evidence::Completeness(day.map_or(0.0, |day| day.completeness), usual);
        events.push(whole_day(
            question,
            *date,
            EventKind::MissingDay,
            0.0,
            completeness,
        ));
    }
    let from = question.days.partition_point(|day| day.date < window.first);
    let until = question
        .days
        .partition_point(|day| day.date <= window.last)
        .max(from);
    for day in &question.days[from..until] {
        found.examine(question, day, events);
    }
    found.flags.insert_if(Flag::DeadDay, !found.dead.is_empty());
    found
        .flags
        .insert_if(Flag::IncompleteDay, !found.missing.is_empty());
    found
}

/// Missing days from the first day with data on: before that the logger did not exist.
fn missing(question: &HealthQuestion<'_>) -> Vec<NaiveDate> {
    let Some(first) = question.days.first() else {
        return Vec::new();
    };
    completeness::missing_days(
        question.days,
        question.window.first.max(first.date),
        question.window.last,
    )
}

impl Daywise {
    fn examine(
        &mut self,
        question: &HealthQuestion<'_>,
        day: &DayFigures,
        events: &mut Vec<Event>,
    ) {
        let calibration = question.calibration;
        if is_dead(day, calibration) {
            self.dead.push(day.date);
            let energy = day.energy().map_or(0.0, |(kwh, _)| kwh);
            let median = calibration.median_day_kwh.unwrap_or(0.0);
            events.push(whole_day(
                question,
                day.date,
                EventKind::DeadDay,
                0.0,
                Evidence::DayEnergy(energy, median),
            ));
        } else if let Some((relative, lost)) = underperformance(question, day, events) {
            self.underperforming.push(day.date);
            events.push(whole_day(
                question,
                day.date,
                EventKind::Underperformance,
                lost,
                Evidence::RelativeRatio(relative),
            ));
        }
        if day.sun.suspect {
            self.irradiance_suspect.push(day.date);
            let records = Evidence::Records(day.sun.records);
            events.push(whole_day(
                question,
                day.date,
                EventKind::IrradianceSuspect,
                0.0,
                records,
            ));
        }
        for (kind, count) in [
            (EventKind::StaleValues, day.stale),
            (EventKind::Clipping, day.clipped),
        ] {
            if count > 0 {
                let minutes = f64::from(count) * calibration.step_hours * 60.0;
                events.push(Event {
                    minutes,
                    ..whole_day(question, day.date, kind, 0.0, Evidence::Records(count))
                });
            }
        }
        self.clipped += day.clipped;
        self.stale += day.stale;
        self.flags.extend(day.flags());
    }
}

/// The day's P/G as a share of the usual one, and the energy that cost, when it is too low beside its outages: what those cost is
/// told with them, and not blamed on the whole day again. Horizontal irradiance does not tell.
fn underperformance(
    question: &HealthQuestion<'_>,
    day: &DayFigures,
    events: &[Event],
) -> Option<(f64, f64)> {
    if question.context.irradiance_basis == IrradianceBasis::Ghi || day.sun.suspect {
        return None;
    }
    let relative = day.bright_ratio()?
        / question
            .calibration
            .median_day_ratio
            .filter(|ratio| *ratio > 0.0)?;
    let span = DaySpan::of_day(day.date, question.context.zone);
    let outages: f64 = events
        .iter()
        .filter(|event| event.kind == EventKind::Outage && span.contains(event.end))
        .map(|event| event.lost_kwh)
        .sum();
    let delivered = day.power_kwh + outages;
    let relative = relative * delivered / day.power_kwh;
    (relative > 0.0 && relative < UNDERPERFORMING)
        .then(|| (relative, delivered * (1.0 / relative - 1.0)))
}

fn whole_day(
    question: &HealthQuestion<'_>,
    date: NaiveDate,
    kind: EventKind,
    lost_kwh: f64,
    evidence: Evidence,
) -> Event {
    let span = DaySpan::of_day(date, question.context.zone);
    Event {
        kind,
        start: span.after,
        end: span.until,
        minutes: span.hours() * 60.0,
        lost_kwh,
        evidence,
    }
}
