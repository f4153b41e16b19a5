//! Energy of a day from a counter that is never reset.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{BACK_SHARE, LIKELY_PEAKS, LONGEST_SUN_HOURS, POSSIBLE_PEAKS, Pace, Peak};
use crate::stats;

/// The energy of the longest summer days, as hours of peak power.
const USUAL_SUN_HOURS: f64 = 10.0;

/// A lifetime register that stood still has caught up when it rises at once by this share of what
/// was counted in the meantime.
const CAUGHT_UP: f64 = 0.5;

/// A register without power beside it that shows its old count again within this time fell by a
/// glitch.
const GLITCH_SECONDS: i64 = 3600;

/// This many readings of a register that continues from its old count are a glitch.
const MOST_GLITCHED: usize = 4;

/// The same, where the register comes back at a pace that is possible.
const MOST_REGAINED: usize = 2;

/// A reading below this share of the count before it is one of a register that began again, if the
/// register comes back at a pace that is possible.
const GLITCH_SHARE: f64 = 0.5;

/// Times the rise of the time around it: more within a step is the end of a glitch.
const UNUSUAL_RISE: f64 = 2.0;

/// The last valid reading of a lifetime register before a day, and its local day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LifetimeReading {
    /// The local day of the reading.
    pub date: NaiveDate,
    /// kWh.
    pub kwh: f64,
    /// Energy of the days until now that something else counted, because the register stood still
    /// or sent nothing, kWh. A register that catches up counts it once more.
    #[serde(default)]
    pub ahead_kwh: f64,
}

/// The figures of a lifetime register for one day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LifetimeDay {
    /// Energy of the day; `None` without valid readings, or when it is suspect and the power counts
    /// more.
    pub(crate) energy_kwh: Option<f64>,
    /// Gained over lost days before this one.
    pub(crate) unallocated_kwh: f64,
    /// The register was reset or replaced: it fell, or rose more than possible. What it gained in
    /// that step is not known.
    pub(crate) suspect: bool,
    /// The last valid reading.
    pub(crate) last_kwh: Option<f64>,
    /// What remains of the energy that something else counted, if the register stands still today,
    /// too.
    pub(crate) ahead_kwh: f64,
}

/// Energy of a local day from the readings (time, kWh) of a lifetime register. `midnight` opens
/// the day, and `power_kwh` is what its power comes to.
///
/// After days on which it stood still, the register continues from where it stood, or it catches up
/// at once. In the second case the energy of these days was counted already, and is not of this
/// one.
///
/// After a reset the register counts on from what it shows then. The energy of the day is what it
/// counted before and after; the step over the reset is left out. Where the power counts more than
/// that, the power is trusted.
pub(crate) fn lifetime_energy(
    readings: &[(i64, f64)],
    (date, midnight): (NaiveDate, i64),
    before: Option<LifetimeReading>,
    power_kwh: f64,
    peak: Peak,
) -> LifetimeDay {
    let pace = Pace::of(peak);
    let valid = valid(readings, before.map(|reading| reading.kwh), &pace);
    let (Some(&(first_at, first)), Some(&(_, last))) = (valid.first(), valid.last()) else {
        return LifetimeDay::default();
    };
    let most_per_day = most_per_day(peak);
    let possible = |rise: f64, days: i64| rise >= 0.0 && rise <= most_per_day * days as f64;
    let yesterday = before.filter(|reading| reading.date.succ_opt() == Some(date));
    let mut ahead = before.map_or(0.0, |reading| reading.ahead_kwh);
    let gap = before.filter(|_| yesterday.is_none()).map(|reading| {
        let gained = first - reading.kwh;
        let counted = ahead;
        if gained >= CAUGHT_UP * ahead {
            ahead = 0.0;
        }
        let days = (date - reading.date).num_days();
        possible(gained - counted, days).then_some(gained - counted)
    });
    let opened = yesterday.map_or((first_at, first), |reading| (midnight, reading.kwh));
    let refusal = if peak.of_power {
        Refusal::Nothing
    } else {
        Refusal::TooFast
    };
    let mut count = Count::of(opened, &valid, &pace, refusal);
    if ahead > 0.0 && !count.is_reset {
        let (at_once, seconds) = largest_rise((midnight, opened.1), &valid);
        let unlikely = !pace.made(at_once - 1.0, seconds);
        let beyond = count.kwh >= power_kwh + CAUGHT_UP * ahead;
        if at_once >= CAUGHT_UP * ahead && (unlikely || beyond) {
            count.kwh = (count.kwh - ahead).max(0.0);
            ahead = 0.0;
        }
    }
    if !possible(count.kwh, 1) {
        let refusal = if peak.of_power {
            Refusal::TooFastAtOnce
        } else {
            Refusal::LargeOrTooFastAtOnce(most_per_day / 2.0)
        };
        count = Count::of(opened, &valid, &pace, refusal);
    }
    let is_possible = possible(count.kwh, 1);
    let suspect = count.is_reset || !is_possible;
    let is_trusted = !suspect || (is_possible && count.kwh >= power_kwh);
    LifetimeDay {
        energy_kwh: is_trusted.then_some(count.kwh),
        unallocated_kwh: gap.flatten().unwrap_or(0.0),
        suspect: suspect || gap.is_some_and(|gained| gained.is_none()),
        last_kwh: Some(last),
        ahead_kwh: if count.is_reset { 0.0 } else { ahead },
    }
}

/// No device makes more in a day, kWh. A factor between register and power may be wrong; the peak
/// of the register's own rises has none.
fn most_per_day(peak: Peak) -> f64 {
    let hours = if peak.of_power {
        POSSIBLE_PEAKS * USUAL_SUN_HOURS
    } else {
        LIKELY_PEAKS * LONGEST_SUN_HOURS
    };
    if peak.w > 0.0 {
        hours * peak.w / 1000.0
    } else {
        f64::INFINITY
    }
}

/// Which rises are not those of one register: it was reset to a count that is not zero, or another
/// one continues.
#[derive(Clone, Copy)]
enum Refusal {
    /// None: power beside the register says what it makes.
    Nothing,
    /// Rises that nothing makes in the time since the register last rose. A register that stood
    /// still may catch up.
    TooFast,
    /// Rises that nothing makes in the time between the two readings.
    TooFastAtOnce,
    /// The same, and rises of more than this at once, kWh.
    LargeOrTooFastAtOnce(f64),
}

impl Refusal {
    /// Whether a rise is refused, `seconds` after the reading before it and `stood` after the
    /// register last rose.
    fn refuses(self, rise: f64, seconds: i64, stood: i64, pace: &Pace) -> bool {
        match self {
            Self::Nothing => false,
            Self::TooFast => !pace.allows(rise, stood),
            Self::TooFastAtOnce => !pace.allows(rise, seconds),
            Self::LargeOrTooFastAtOnce(most) => rise > most || !pace.allows(rise, seconds),
        }
    }
}

/// The energy that a register counted over a day.
struct Count {
    kwh: f64,
    /// It began again, or another one continued.
    is_reset: bool,
}

impl Count {
    /// Counts from the reading that opens the day. A rise that is refused is a reset as well.
    fn of(opened: (i64, f64), valid: &[(i64, f64)], pace: &Pace, refusal: Refusal) -> Self {
        let mut count = Self {
            kwh: 0.0,
            is_reset: false,
        };
        // The last reading, the one before it, and the one that the count continues from.
        let (mut last, mut before, mut start) = (opened, opened, opened.1);
        let (mut row, mut risen) = (0, opened.0);
        while let Some(&(time, kwh)) = valid.get(row) {
            // A register that was too high for one reading does not fall below the one before.
            let falls = kwh < BACK_SHARE * before.1.min(last.1);
            let rise = kwh - last.1;
            let refused = refusal.refuses(rise, time - last.0, time - risen, pace);
            let shown = &valid[row..];
            row += 1;
            let glitched = if falls {
                back_from_glitch(shown, last.1, pace)
                    .or_else(|| regained(shown, (before, last), pace))
            } else if rise < 0.0 || refused {
                back_at_once(shown, last, pace)
            } else {
                None
            };
            if let Some(more) = glitched {
                row += more;
                continue;
            }
            if falls || refused {
                count.kwh += last.1 - start;
                count.is_reset = true;
                (before, start) = ((time, kwh), kwh);
            } else {
                before = last;
            }
            if rise > 0.0 {
                risen = time;
            }
            last = (time, kwh);
        }
        count.kwh += last.1 - start;
        count
    }
}

/// Number of readings after the first of these, which fell, that are of a glitch as well: after
/// them the register shows what it showed before, at a pace that nothing makes. `None` if it was
/// reset.
fn back_from_glitch(fallen: &[(i64, f64)], level: f64, pace: &Pace) -> Option<usize> {
    let &(fell, _) = fallen.first()?;
    fallen.windows(2).position(|pair| {
        let ((from, low), (to, high)) = (pair[0], pair[1]);
        let at_once = if pace.is_known() {
            !pace.allows(high - low, to - from)
        } else {
            to - fell <= GLITCH_SECONDS
        };
        high >= BACK_SHARE * level && at_once
    })
}

/// Number of readings after the first of these that are of a glitch as well: it is lower or higher
/// than `level`, by a step that nothing makes, and after a few readings the register continues
/// from `level`.
fn back_at_once(shown: &[(i64, f64)], level: (i64, f64), pace: &Pace) -> Option<usize> {
    let is_low = shown.first()?.1 < level.1;
    let pairs = shown.windows(2).take(MOST_GLITCHED);
    let is_over = |pair: &[(i64, f64)]| {
        let ((from, wrong), (to, back)) = (pair[0], pair[1]);
        let steps = if is_low {
            wrong < level.1 && !pace.allows(back - wrong, to - from)
        } else {
            back < wrong
        };
        steps && goes_on(level, (to, back), pace)
    };
    pairs
        .enumerate()
        .find(|(_, pair)| is_over(pair))
        .map(|(at, _)| at)
}

/// The same, of a register that falls by little and comes back at a pace that is possible, but not
/// that of the time around it. `until` are the two readings before.
fn regained(fallen: &[(i64, f64)], until: ((i64, f64), (i64, f64)), pace: &Pace) -> Option<usize> {
    let (before, level) = until;
    let rate = |from: (i64, f64), to: (i64, f64)| (to.1 - from.1) / (to.0 - from.0).max(1) as f64;
    let low = fallen
        .iter()
        .take_while(|(_, kwh)| *kwh < level.1 && *kwh >= GLITCH_SHARE * level.1)
        .count();
    if !(1..=MOST_REGAINED).contains(&low) {
        return None;
    }
    let (&back, &after) = (fallen.get(low)?, fallen.get(low + 1)?);
    let usual = f64::midpoint(rate(before, level), rate(back, after));
    let is_unusual = rate(fallen[low - 1], back) > UNUSUAL_RISE * usual;
    (is_unusual && goes_on(level, back, pace)).then_some(low - 1)
}

/// Whether a reading continues the count of an earlier one.
fn goes_on(level: (i64, f64), (time, kwh): (i64, f64), pace: &Pace) -> bool {
    kwh >= level.1 && pace.allows(kwh - level.1, time - level.0)
}

/// The largest rise between two readings, and the seconds between them.
fn largest_rise(opened: (i64, f64), valid: &[(i64, f64)]) -> (f64, i64) {
    let (mut before, mut largest) = (opened, (0.0_f64, 0));
    for &(time, kwh) in valid {
        if kwh - before.1 > largest.0 {
            largest = (kwh - before.1, time - before.0);
        }
        before = (time, kwh);
    }
    largest
}

/// The readings that agree with those around them, after the register showed `opened`.
///
/// An inverter that sleeps may show zero, which says nothing. A zero that a lower count than before
/// follows begins that count.
fn valid(readings: &[(i64, f64)], opened: Option<f64>, pace: &Pace) -> Vec<(i64, f64)> {
    let shown: Vec<f64> = readings.iter().map(|(_, kwh)| *kwh).collect();
    let usual_rise = usual_rise(&shown);
    let agreeing: Vec<usize> = (0..shown.len())
        .filter(|&at| shown[at] > 0.0 && agrees(&shown, at, usual_rise))
        .collect();
    let begins = |at: usize| {
        let after = agreeing.partition_point(|other| *other < at);
        let Some(&next) = agreeing.get(after) else {
            return false;
        };
        let before = after.checked_sub(1).map(|before| shown[agreeing[before]]);
        let seconds = readings[next].0 - readings[at].0;
        match before.or(opened) {
            Some(before) => shown[next] < BACK_SHARE * before,
            None => pace.is_known() && pace.allows(shown[next], seconds),
        }
    };
    let counts =
        |at: &usize| agreeing.binary_search(at).is_ok() || (shown[*at] == 0.0 && begins(*at));
    (0..shown.len())
        .filter(counts)
        .map(|at| readings[at])
        .collect()
}

/// The rise between two readings of the hours that count most, kWh; 0 if there are too few. A few
/// jumps do not change it.
fn usual_rise(shown: &[f64]) -> f64 {
    let rises = shown.windows(2).map(|pair| pair[1] - pair[0]);
    let mut rises: Vec<f64> = rises.filter(|rise| *rise > 0.0).collect();
    rises.sort_unstable_by(f64::total_cmp);
    match rises.len() {
        0..3 => 0.0,
        several => rises[3 * (several - 1) / 4],
    }
}

/// Whether a reading is near the running median of five: no farther than two steps of twice the
/// usual rise. Beside a reset it is near the median of those on one side of it.
fn agrees(readings: &[f64], at: usize, usual_rise: f64) -> bool {
    let value = readings[at];
    let around = at.saturating_sub(2)..readings.len().min(at + 3);
    let until = at.saturating_sub(4)..at + 1;
    let from = at..readings.len().min(at + 5);
    let is_near = |window: std::ops::Range<usize>| {
        let window = &readings[window];
        let mut sorted = [0.0; 5];
        let sorted = &mut sorted[..window.len()];
        sorted.copy_from_slice(window);
        let median = stats::median(sorted).unwrap_or(f64::NAN);
        (value - median).abs() <= 0.02 * median + 50.0 + 4.0 * usual_rise
    };
    let several = |window: &std::ops::Range<usize>| window.len() > 1;
    is_near(around) || [until, from].into_iter().filter(several).any(is_near)
}
