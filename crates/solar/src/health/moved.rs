//! Clocks that are an hour off: what such a device saw of the sun is of other hours.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use chrono::NaiveDate;
use chrono_tz::Tz;

use crate::calendar;
use crate::calibration::Calibration;
use crate::clean::Limits;
use crate::series::Series;
use crate::stats;

/// A clock that is set wrong by an hour, or not set to summer time, moves the day by this, seconds.
const MOVED: RangeInclusive<i64> = 45 * 60..=75 * 60;

/// Both ends of a moved day are moved alike, give or take this, seconds.
const MOVED_ALIKE: i64 = 30 * 60;

/// Whether a day whose first and last production differ by these seconds from those of others is
/// moved as a whole.
pub(super) fn is_moved(first: i64, last: i64) -> bool {
    let moved = MOVED.contains(&first.abs()) || MOVED.contains(&last.abs());
    moved && (first - last).abs() <= MOVED_ALIKE
}

/// A device's production on a day.
#[derive(Clone, Copy)]
struct Ends {
    first: i64,
    last: i64,
    /// Whether the clock may have been set forward in between: an hour has no readings.
    skips_an_hour: bool,
}

type Days = BTreeMap<NaiveDate, Ends>;

fn days((series, calibration): (&Series, &Calibration), zone: Tz) -> Days {
    let limits = Limits::of(calibration.robust_peak_w);
    let producing_w = calibration.producing_w();
    let step = stats::to_index(calibration.step_hours * 3600.0);
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    let of_day = |rows: Range<usize>| {
        let produces = |row: &usize| limits.clean(series.power_w()[*row]) > producing_w;
        let mut producing = rows.filter(produces);
        let first = producing.next()?;
        let last = producing.next_back().unwrap_or(first);
        let times = &series.time()[first..=last];
        let mut pairs = times.windows(2);
        Some(Ends {
            first: series.time()[first],
            last: series.time()[last],
            skips_an_hour: pairs.any(|pair| MOVED.contains(&(pair[1] - pair[0] - step))),
        })
    };
    calendar::split_days(series.time(), zone)
        .into_iter()
        .filter_map(|(span, rows)| Some((span.first, of_day(rows)?)))
        .collect()
}

/// Per neighbour the times of which its readings say nothing, because its clock is an hour off: a
/// whole day if most devices of the site agree on another one, and the end of the day on which the
/// clock was set forward.
pub(super) fn times(
    own: (&Series, &Calibration),
    neighbours: &[(&Series, &Calibration)],
    zone: Tz,
) -> Vec<Vec<RangeInclusive<i64>>> {
    let own = days(own, zone);
    let theirs: Vec<Days> = neighbours.iter().map(|one| days(*one, zone)).collect();
    let of_day = |(date, ends): (&NaiveDate, &Ends)| {
        let all = theirs.iter().chain([&own]);
        let all: Vec<&Ends> = all.filter_map(|days| days.get(date)).collect();
        let against = |one: &&Ends| is_moved(ends.first - one.first, ends.last - one.last);
        if 2 * all.iter().copied().filter(against).count() > all.len() {
            return Some(ends.first..=ends.last);
        }
        let earlier = all.iter().map(|one| one.last);
        let earlier: Vec<i64> = earlier
            .filter(|last| MOVED.contains(&(ends.last - last)))
            .collect();
        let is_late = ends.skips_an_hour && 2 * earlier.len() >= all.len();
        let last = earlier.into_iter().max().filter(|_| is_late)?;
        Some(last + 1..=ends.last)
    };
    let of_neighbour = |days: &Days| days.iter().filter_map(of_day).collect();
    theirs.iter().map(of_neighbour).collect()
}
