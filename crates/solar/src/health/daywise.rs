//! Findings about whole days, from the daily figures.

use chrono::NaiveDate;

use crate::calendar::DaySpan;
use crate::completeness;
use crate::context::IrradianceBasis;
use crate::days::DayFigures;
use crate::flags::{Flag, Flags};
use crate::health::peers::{Basis, Measure, Model, Shortfall, Stretch};
use crate::health::{Event, EventKind, Evidence, HealthQuestion, Lag};
use crate::ratio::is_dead;

/// A day below this share of the usual P/G underperforms.
const UNDERPERFORMING: f64 = 0.8;

/// The findings of the days of a window.
#[derive(Default)]
pub(super) struct Daywise {
    pub(super) dead: Vec<NaiveDate>,
    pub(super) missing: Vec<NaiveDate>,
    pub(super) underperforming: Vec<NaiveDate>,
    pub(super) irradiance_suspect: Vec<NaiveDate>,
    pub(super) clipped: u32,
    pub(super) stale: u32,
    pub(super) shortfall: Option<Shortfall>,
    pub(super) vs_peers: Option<f64>,
    pub(super) lag: Option<Lag>,
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
    let model = Model::of(question);
    let mut ran = Vec::new();
    for day in &question.days[from..until] {
        found.examine(question, &model, day, events);
        let runs = !found.dead.contains(&day.date) && completeness::is_complete(question.days, day);
        if runs {
            ran.push((day, outage_kwh(question, day.date, events)));
        }
    }
    found.judge(question, &model, &ran, events);
    found.lag = Lag::of(&model.ratios(&ran), model.is_sized());
    registers(question, &question.days[from..until], events);
    found.flags.insert_if(Flag::DeadDay, !found.dead.is_empty());
    found
        .flags
        .insert_if(Flag::IncompleteDay, !found.missing.is_empty());
    found
}

/// Missing days from the first day with data on: before that the logger did not exist.
fn missing(question: &HealthQuestion<'_>) -> Vec<NaiveDate> {
    let window = question.window;
    let last = window
        .last
        .min(question.silent_after.unwrap_or(window.last));
    let mut missing = match question.days.first() {
        Some(first) => {
            completeness::missing_days(question.days, window.first.max(first.date), last)
        }
        None => Vec::new(),
    };
    let silent = question.silent_after.and_then(|day| day.succ_opt());
    missing.extend(silent.into_iter().flat_map(|first| {
        let days = first.max(window.first).iter_days();
        days.take_while(|day| *day <= window.last)
    }));
    missing
}

impl Daywise {
    fn examine(
        &mut self,
        question: &HealthQuestion<'_>,
        model: &Model<'_>,
        day: &DayFigures,
        events: &mut Vec<Event>,
    ) {
        let calibration = question.calibration;
        if let Some(evidence) = dead(question, model, day) {
            self.dead.push(day.date);
            let lost = lost_on_dead_day(question, model, day, events);
            events.push(whole_day(
                question,
                day.date,
                EventKind::DeadDay,
                lost,
                evidence,
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

impl Daywise {
    /// Judges the days on which the logger ran: all of them, or the stretches that fell short.
    fn judge(
        &mut self,
        question: &HealthQuestion<'_>,
        model: &Model<'_>,
        ran: &[(&DayFigures, f64)],
        events: &mut Vec<Event>,
    ) {
        (self.shortfall, self.vs_peers) = model.shortfall(ran);
        let (Some(shortfall), Some((first, _)), Some((last, _))) =
            (&self.shortfall, ran.first(), ran.last())
        else {
            return;
        };
        let all = [Stretch {
            first: first.date,
            last: last.date,
            share: shortfall.share,
            kwh: shortfall.kwh,
        }];
        let stretches = if shortfall.stretches.is_empty() {
            &all[..]
        } else {
            &shortfall.stretches
        };
        events.extend(stretches.iter().map(|stretch| {
            let span = DaySpan::of_days(stretch.first, stretch.last, question.context.zone);
            Event {
                kind: EventKind::Underperformance,
                start: span.after,
                end: span.until,
                minutes: span.hours() * 60.0,
                lost_kwh: stretch.kwh,
                evidence: match shortfall.measure {
                    Measure::Peers(peers) => Evidence::Peers(stretch.share, peers),
                    Measure::OwnShare => Evidence::OwnShare(stretch.share),
                    Measure::PerformanceRatio(ratio) => Evidence::PerformanceRatio(ratio),
                },
            }
        }));
    }
}

/// One finding for all days on which register and power differ: what nothing else shows, as the
/// device runs well by either of the two.
fn registers(question: &HealthQuestion<'_>, days: &[DayFigures], events: &mut Vec<Event>) {
    let mut differing = days.iter().filter(|day| day.register_differs());
    let Some(first) = differing.next() else {
        return;
    };
    let (mut last, mut count) = (first, 1);
    let mut register = first.register_kwh().unwrap_or(0.0);
    let mut power = first.power_kwh;
    let mut whole = first.register_is_doubtful(question.calibration);
    for day in differing {
        (last, count) = (day, count + 1);
        register += day.register_kwh().unwrap_or(0.0);
        power += day.power_kwh;
        whole |= day.register_is_doubtful(question.calibration);
    }
    let span = DaySpan::of_days(first.date, last.date, question.context.zone);
    events.push(Event {
        kind: EventKind::RegisterMismatch,
        start: span.after,
        end: span.until,
        minutes: span.hours() * 60.0,
        lost_kwh: 0.0,
        evidence: Evidence::Registers {
            register_kwh: register,
            power_kwh: power,
            days: count,
            whole,
        },
    });
}

/// The evidence that a day is dead; `None` if it is not.
fn dead(question: &HealthQuestion<'_>, model: &Model<'_>, day: &DayFigures) -> Option<Evidence> {
    let energy = day.energy().map_or(0.0, |(kwh, _)| kwh);
    if let Some((expected, _)) = model.is_dead(day) {
        return Some(Evidence::ExpectedEnergy(energy, expected));
    }
    let median = question.calibration.median_day_kwh.unwrap_or(0.0);
    is_dead(day, question.calibration).then_some(Evidence::DayEnergy(energy, median))
}

/// The loss of a dead day: by the peers, otherwise the loss of its outages reading by reading,
/// otherwise by the logger's own model. Its outages are part of it, so that nothing is counted
/// twice.
fn lost_on_dead_day(
    question: &HealthQuestion<'_>,
    model: &Model<'_>,
    day: &DayFigures,
    events: &mut [Event],
) -> f64 {
    let outages = outage_kwh(question, day.date, events);
    let energy = day.energy().map_or(0.0, |(kwh, _)| kwh);
    let lost = match model.expected_of_dead_day(day.date) {
        Some((expected, Basis::Peers)) => (expected - energy).max(0.0),
        _ if outages > 0.0 => outages,
        Some((expected, _)) => (expected - energy).max(0.0),
        None => 0.0,
    };
    let span = DaySpan::of_day(day.date, question.context.zone);
    for event in events
        .iter_mut()
        .filter(|event| event.kind == EventKind::Outage && span.contains(event.end))
    {
        event.lost_kwh = 0.0;
    }
    lost
}

/// The loss of the outages that end on a day.
fn outage_kwh(question: &HealthQuestion<'_>, date: NaiveDate, events: &[Event]) -> f64 {
    let span = DaySpan::of_day(date, question.context.zone);
    events
        .iter()
        .filter(|event| event.kind == EventKind::Outage && span.contains(event.end))
        .map(|event| event.lost_kwh)
        .sum()
}

/// The day's P/G as a share of the usual one, and the lost energy, when it is too low even without
/// its outages: their loss is reported with them, and not counted again for the whole day. Not for
/// horizontal irradiance, which does not show it.
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
    let outages = outage_kwh(question, day.date, events);
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
