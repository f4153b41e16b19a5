//! Hours of daylight without readings, on days that have some.

use chrono::{Days, NaiveDate};

use crate::calendar::DaySpan;
use crate::clean::Limits;
use crate::completeness;
use crate::context::Label;
use crate::days::DayFigures;
use crate::health::HealthQuestion;
use crate::stats;
use crate::sun;

/// Days on either side that show when the logger usually produces.
const NEIGHBOURS: u64 = 15;

/// Minimum number of them.
const FEWEST_DAYS: usize = 3;

/// Two readings further apart than this many steps have a gap between them.
const GAP_STEPS: f64 = 1.5;

/// A gap that reaches to the edge of the daylight is at least this long, seconds: when a logger
/// wakes and sleeps is known less well.
const SHORTEST_AT_EDGE: i64 = 3600;

/// Seconds between the moments at which the position of the sun is looked at.
const LOOK: usize = 300;

/// A time of daylight without a valid reading of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Start, seconds since 1970.
    pub start: i64,
    /// End.
    pub end: i64,
}

impl Gap {
    /// Length, hours.
    pub fn hours(self) -> f64 {
        (self.end - self.start) as f64 / 3600.0
    }
}

/// The gaps of the window, in order: times at which the logger usually produces (or the sun was up,
/// if that is not known) without a valid reading. Days without readings are not gaps; nor is the
/// time after `newest`, the newest reading of the site, or before the first reading of the logger.
pub fn gaps(question: &HealthQuestion<'_>, newest: i64) -> Vec<Gap> {
    let missing = match question.days.first() {
        Some(first) => completeness::missing_days(
            question.days,
            question.window.first.max(first.date),
            question.window.last,
        ),
        None => return Vec::new(),
    };
    let covered = Covered::of(question);
    let from = question
        .days
        .partition_point(|day| day.date < question.window.first);
    let in_window = question.days[from..]
        .iter()
        .take_while(|day| day.date <= question.window.last);
    in_window
        .filter(|day| day.valid > 0 && !missing.contains(&day.date))
        .filter_map(|day| Some((day, daylight(question, day, &covered)?)))
        .flat_map(|(day, daylight)| covered.gaps(question, day, daylight, newest))
        .collect()
}

/// The times of the valid readings.
struct Covered {
    times: Vec<i64>,
    producing: Vec<i64>,
    step: i64,
    label: Label,
}

impl Covered {
    fn of(question: &HealthQuestion<'_>) -> Self {
        let series = question.series;
        let limits = Limits::of(question.calibration.robust_peak_w);
        let producing_w = question.calibration.producing_w();
        let (mut times, mut producing) = (Vec::new(), Vec::new());
        for (&time, &power) in series.time().iter().zip(series.power_w()) {
            let power = limits.clean(power);
            if power.is_nan() {
                continue;
            }
            times.push(time);
            if power > producing_w {
                producing.push(time);
            }
        }
        let step = stats::to_index(question.calibration.step_hours * 3600.0);
        Self {
            times,
            producing,
            step: i64::try_from(step).unwrap_or(0).max(1),
            label: question.context.label,
        }
    }

    /// The time that the reading of a stamp is about.
    fn about(&self, stamp: i64) -> (i64, i64) {
        match self.label {
            Label::Right => (stamp - self.step, stamp),
            Label::Instantaneous => (stamp, stamp + self.step),
        }
    }

    /// The parts of the daylight of a day that no reading is about.
    fn gaps(
        &self,
        question: &HealthQuestion<'_>,
        day: &DayFigures,
        (sunrise, sunset): (i64, i64),
        newest: i64,
    ) -> Vec<Gap> {
        let span = DaySpan::of_day(day.date, question.context.zone);
        let first_day = question.days.first().map(|first| first.date) == Some(day.date);
        let opens = if first_day {
            self.times
                .first()
                .map_or(sunrise, |stamp| self.about(*stamp).0)
        } else {
            span.after
        };
        let start = sunrise.max(opens);
        let end = sunset.min(newest).min(span.until);
        let from = self.times.partition_point(|time| *time <= span.after);
        let until = self.times.partition_point(|time| *time <= span.until);
        let apart = GAP_STEPS * self.step as f64;
        let mut found = Vec::new();
        let mut known = start;
        let mut before = None;
        let stamps = self.times[from..until].iter().map(|stamp| Some(*stamp));
        for stamp in stamps.chain([None]) {
            let (begins, ends) = stamp.map_or((end, end), |stamp| self.about(stamp));
            let gap = Gap {
                start: known,
                end: begins.min(end),
            };
            let at_edge = before.is_none() || stamp.is_none() || gap.end == end;
            let shortest = if at_edge { SHORTEST_AT_EDGE } else { 1 };
            let wide = before
                .zip(stamp)
                .is_none_or(|(before, stamp)| (stamp - before) as f64 > apart);
            if wide && gap.end - gap.start >= shortest {
                found.push(gap);
            }
            known = known.max(ends);
            before = stamp;
        }
        found
    }
}

/// When a logger produces on a day: as on the days around it, otherwise while the sun is up,
/// otherwise from the first to the last reading with power of the day.
fn daylight(
    question: &HealthQuestion<'_>,
    day: &DayFigures,
    covered: &Covered,
) -> Option<(i64, i64)> {
    let span = DaySpan::of_day(day.date, question.context.zone);
    if let Some((centre, hours)) = usual_production(question, day.date) {
        let at = |hour: f64| {
            let seconds = stats::to_index((hour * 3600.0).max(0.0));
            span.after + i64::try_from(seconds).unwrap_or(0)
        };
        return Some((at(centre - hours / 2.0), at(centre + hours / 2.0)));
    }
    if let Some(position) = question.context.position {
        let mut up = (span.after..=span.until)
            .step_by(LOOK)
            .filter(|time| !sun::is_night(*time, position));
        let first = up.next()?;
        return Some((first, up.last().unwrap_or(first)));
    }
    let from = covered
        .producing
        .partition_point(|time| *time <= span.after);
    let until = covered
        .producing
        .partition_point(|time| *time <= span.until);
    let producing = covered.producing.get(from..until)?;
    Some((
        covered.about(*producing.first()?).0,
        covered.about(*producing.last()?).1,
    ))
}

/// The middle of the production of the days around a day, hours since midnight, and its length.
pub(super) fn usual_production(
    question: &HealthQuestion<'_>,
    date: NaiveDate,
) -> Option<(f64, f64)> {
    let first = date.checked_sub_days(Days::new(NEIGHBOURS))?;
    let last = date.checked_add_days(Days::new(NEIGHBOURS))?;
    let days = question.days;
    let near = &days[days.partition_point(|day| day.date < first)
        ..days.partition_point(|day| day.date <= last)];
    let whole: Vec<&DayFigures> = near
        .iter()
        .filter(|day| day.producing > 0 && completeness::is_complete(days, day))
        .collect();
    if whole.len() < FEWEST_DAYS {
        return None;
    }
    let middle = |figure: &dyn Fn(&DayFigures) -> Option<f64>| {
        let mut figures: Vec<f64> = whole.iter().filter_map(|day| figure(day)).collect();
        stats::median(&mut figures)
    };
    let step = question.calibration.step_hours;
    Some((
        middle(&|day| day.centroid_hour)?,
        middle(&|day| Some(f64::from(day.producing) * step))?,
    ))
}
