//! A ranking compares only whole days, or the same hours: a day that runs in the west is not ranked
//! beside the same day that is over in the east.

use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use contracts::tools::{ExcludedLogger, ExclusionReason, Period};

use super::moment::{LONGEST_NIGHT, Moment, Progress};
use super::subject::Subject;
use super::wire;

/// Most days that the newest one lies before the last one that is over everywhere.
const MOST_BACK: u64 = 2;

/// What can be compared.
pub(super) struct Comparable {
    pub(super) subjects: Vec<Subject>,
    pub(super) window: Period,
    /// The day that is not over everywhere: the window ends before it, or with it.
    pub(super) unfinished: Option<NaiveDate>,
}

/// The loggers and days of `window` that can be compared. `is_named` says that a call names the
/// days; the reasons for leaving out loggers go to `excluded`.
pub(super) fn comparable(
    subjects: Vec<Subject>,
    window: Period,
    is_named: bool,
    clock: i64,
    excluded: &mut Vec<ExcludedLogger>,
) -> Comparable {
    let unfinished = unfinished(&subjects, window.end, clock);
    if unfinished.is_none() {
        return Comparable {
            subjects,
            window,
            unfinished,
        };
    }
    let now = present(&subjects, clock);
    let earliest = if is_named {
        window.start
    } else {
        window.end - Days::new(MOST_BACK)
    };
    let last = (1..)
        .map_while(|back| window.end.checked_sub_days(Days::new(back)))
        .take_while(|date| *date >= earliest)
        .find(|date| is_over(&subjects, *date, now));
    if let Some(end) = last {
        return Comparable {
            subjects,
            window: Period {
                start: window.start.min(end),
                end,
            },
            unfinished,
        };
    }
    Comparable {
        subjects: as_far(subjects, window.end, now, excluded),
        window,
        unfinished,
    }
}

/// The day, if it is not over at every site, and the sites have different clocks.
pub(super) fn unfinished(subjects: &[Subject], date: NaiveDate, clock: i64) -> Option<NaiveDate> {
    let now = present(subjects, clock);
    let mut offsets = current(subjects, now).map(|subject| now.offset(&subject.logger.site));
    let first = offsets.next();
    let one_clock = offsets.all(|offset| Some(offset) == first);
    (!one_clock && !is_over(subjects, date, now)).then_some(date)
}

fn present(subjects: &[Subject], clock: i64) -> Moment {
    let newest = subjects.iter().map(|subject| subject.anchor).max();
    Moment::of(newest.unwrap_or(clock), clock)
}

/// The loggers that have not stopped.
fn current(subjects: &[Subject], now: Moment) -> impl Iterator<Item = &Subject> {
    let is_current = move |subject: &&Subject| now.seconds() - subject.anchor <= LONGEST_NIGHT;
    subjects.iter().filter(is_current)
}

fn is_over(subjects: &[Subject], date: NaiveDate, now: Moment) -> bool {
    current(subjects, now).all(|subject| now.progress(&subject.logger.site, date) == Progress::Over)
}

/// The loggers for which the day is as far as for most.
fn as_far(
    subjects: Vec<Subject>,
    date: NaiveDate,
    now: Moment,
    excluded: &mut Vec<ExcludedLogger>,
) -> Vec<Subject> {
    let progress = |subject: &Subject| now.progress(&subject.logger.site, date);
    let is_current = |subject: &Subject| now.seconds() - subject.anchor <= LONGEST_NIGHT;
    // The whole day first, then the one that is further.
    let rank = |progress: Progress| match progress {
        Progress::Over => Some(i32::MAX),
        Progress::Running { offset } => Some(offset),
        Progress::NotBegun => None,
    };
    let mut groups: BTreeMap<i32, usize> = BTreeMap::new();
    for subject in subjects.iter().filter(|subject| is_current(subject)) {
        if let Some(rank) = rank(progress(subject)) {
            *groups.entry(rank).or_default() += 1;
        }
    }
    let Some((chosen, _)) = groups
        .into_iter()
        .max_by_key(|(rank, count)| (*count, *rank))
    else {
        return subjects;
    };
    let (kept, others): (Vec<_>, Vec<_>) = subjects
        .into_iter()
        .partition(|one| !is_current(one) || rank(progress(one)) == Some(chosen));
    excluded.extend(others.into_iter().map(|one| left_out(&one, date, now)));
    kept
}

fn left_out(subject: &Subject, date: NaiveDate, now: Moment) -> ExcludedLogger {
    let (id, site) = (&subject.logger.logger_id, &subject.logger.site);
    let (day, name) = (wire::spoken(date), &site.name);
    let clock = wire::time(now.seconds(), site.zone).format("%H:%M");
    let (reason, message) = match now.progress(site, date) {
        Progress::NotBegun => (
            ExclusionReason::DayNotBegun,
            format!("{day} has not begun at {name}, so {id} is not compared."),
        ),
        Progress::Running { .. } => (
            ExclusionReason::OtherHours,
            format!(
                "At {name} it is {clock} on {day}, so {id} has other hours of it than the devices that are compared."
            ),
        ),
        Progress::Over => (
            ExclusionReason::OtherHours,
            format!(
                "{day} is over at {name} and runs at the devices that are compared, so {id} is not compared with them."
            ),
        ),
    };
    ExcludedLogger {
        logger_id: id.clone(),
        reason,
        message,
        first_day: Some(subject.available.start),
        last_day: Some(subject.available.end),
    }
}
