//! Energy from registers: counters that reset every day, and counters that never do.
//!
//! Registers count through communication losses, so they are trusted before integrated power; but
//! they glitch, keep yesterday's value until the inverter wakes, and jump when a device is swapped.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::stats;

/// No array delivers its peak for longer than this in a day, hours.
pub(crate) const LONGEST_SUN_HOURS: f64 = 14.0;

/// The energy of the longest summer days, as hours of peak power.
const USUAL_SUN_HOURS: f64 = 10.0;

/// The real kind of a logger's daily-energy column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegisterKind {
    /// It holds nothing.
    #[default]
    None,
    /// A counter that resets every day.
    Daily,
    /// A counter that never resets, in the wrong column.
    Lifetime,
}

/// A reset this shortly before local midnight is that midnight's, on a clock that is a little
/// ahead.
const MIDNIGHT_SECONDS: i64 = 3600;

/// A fall to below this share is a reset or a glitch; a smaller one is noise.
const FALL_SHARE: f64 = 0.5;

/// After a glitch the register is back at this share of what it showed.
const BACK_SHARE: f64 = 0.98;

/// A register that shows more than this share, and less than that, climbs.
const CLIMB_SHARE: f64 = 0.1;

/// Times the robust peak that production reaches at most.
const LIKELY_PEAKS: f64 = 1.2;

/// Times the robust peak that a register may count: its factor may be wrong, or that of the power.
/// A larger rise is not energy of the device.
const POSSIBLE_PEAKS: f64 = 3.0;

/// A lifetime register that stood still has caught up when it rises at once by this share of what
/// was counted in the meantime.
const CAUGHT_UP: f64 = 0.5;

/// A drop that ends within this time is a glitch.
const GLITCH_SECONDS: i64 = 3600;

/// The last known state of a daily register before a day, and the local midnights around the day.
pub(crate) struct Opening {
    /// The local midnight that opens the day.
    pub(crate) midnight: i64,
    /// The local midnight that closes it.
    pub(crate) until: i64,
    /// The register at the end of the day before; 0 when it had been reset for this day by then.
    pub(crate) previous_kwh: Option<f64>,
}

/// The figures of a daily register for one day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DailyDay {
    /// Energy of the day.
    pub(crate) energy_kwh: f64,
    /// The register at the end; 0 when it was reset for the next day by then.
    pub(crate) closing_kwh: f64,
    /// Whether it shows more than the device can have made, so that a part of it is not in the
    /// energy.
    pub(crate) refused: bool,
}

/// Energy of a local day from a daily register: the sum of its rises, from the readings (time, kWh)
/// in order. `None` without a reading.
///
/// A register is reset at midnight by its own clock: seconds before or after local midnight, when
/// the inverter wakes up, or hours away from it in another zone. What follows a fall, and when it
/// happens, distinguish it from a glitch:
/// * up to an hour before the closing midnight it opens the next day;
/// * any other fall within the day shows that the readings before it continue from what the
///   register showed the day before;
/// * without one, the register was reset before the first reading, unless it still shows exactly
///   what it showed before.
///
/// A rise is refused only when no device of this peak can have made it. A register may count more
/// than the power says, and a display that stood still catches up at once.
pub(crate) fn daily_energy(
    readings: &[(i64, f64)],
    opening: &Opening,
    robust_peak_w: f64,
) -> Option<DailyDay> {
    let &(first_at, first) = readings.first()?;
    let pace = Pace::of(robust_peak_w);
    let unchanged = opening
        .previous_kwh
        .is_some_and(|previous| (first - previous).abs() <= 1e-9 * previous);
    let possible = pace.allows(first, first_at - opening.midnight);
    let mut count = Count {
        // What the first reading says about this day, unless it turns out to continue from the day
        // before.
        opened: if !unchanged && possible { first } else { 0.0 },
        opening_refused: !unchanged && !possible,
        total: 0.0,
        accepted: (first_at, first),
        since: first_at,
        jump: None,
        refused: false,
    };
    let mut row = 1;
    while let Some(&(time, kwh)) = readings.get(row) {
        row += 1;
        let (at, level) = count.accepted;
        if kwh >= level {
            count.rise(&readings[row - 1..], &pace);
            continue;
        }
        if count.falls_back(time, kwh, &pace) || kwh >= FALL_SHARE * level {
            continue;
        }
        if let Some(back) = back_from_glitch(&readings[row - 1..], level, at, &pace) {
            row += back - 1;
            continue;
        }
        if time > opening.until - MIDNIGHT_SECONDS {
            return Some(count.day(0.0));
        }
        (count.opened, count.opening_refused) = (0.0, false);
        if pace.allows(kwh, time - at) {
            count.total += kwh;
        } else {
            count.refused = true;
        }
        count.accept(time, kwh);
    }
    let closing = count.accepted.1;
    Some(count.day(closing))
}

/// The count of a register so far in a day.
struct Count {
    /// The display at the first reading, as far as that is of this day.
    opened: f64,
    /// Whether the first reading is more than this day can have produced. After a fall it is the
    /// day before that it was of.
    opening_refused: bool,
    /// The sum of its rises.
    total: f64,
    /// The last reading that was believed.
    accepted: (i64, f64),
    /// Since when it shows that.
    since: i64,
    /// The last rise that was too fast.
    jump: Option<Jump>,
    refused: bool,
}

/// A rise that was too fast for the time since the reading before it.
#[derive(Clone, Copy)]
struct Jump {
    /// The display before.
    from: (i64, f64),
    /// The count until then.
    total: f64,
    /// Whether it is not counted, because it cannot have been made since the display last changed.
    refused: bool,
}

impl Count {
    /// Takes the first of `readings`, which shows no less than the last one that was believed.
    fn rise(&mut self, readings: &[(i64, f64)], pace: &Pace) {
        let Some(&(time, kwh)) = readings.first() else {
            return;
        };
        let (at, level) = self.accepted;
        let rise = kwh - level;
        if pace.allows(rise, time - at) {
            self.total += rise;
            self.accept(time, kwh);
        } else if stays(readings, pace) {
            // It really shows that now: a display that stood still catches up, a glitch is over, or
            // another device counts. What it jumped by is unknown when nothing can have made it.
            self.refused |= self.jump.is_some_and(|jump| jump.refused);
            let refused = !pace.allows(rise, time - self.since);
            self.jump = Some(Jump {
                from: (at, level),
                total: self.total,
                refused,
            });
            if !refused {
                self.total += rise;
            }
            self.accept(time, kwh);
        }
    }

    /// Whether a fall ends a jump, which was a glitch: the register shows again what it showed
    /// before, and what was made since. A fall to nothing is a reset, not the end of a jump that
    /// was counted.
    fn falls_back(&mut self, time: i64, kwh: f64, pace: &Pace) -> bool {
        let Some(jump) = self.jump else { return false };
        let (at, level) = jump.from;
        let back = kwh >= BACK_SHARE * level && pace.allows(kwh - level, time - at);
        let fell = kwh < BACK_SHARE * self.accepted.1;
        if !(back && fell && (jump.refused || level > 1.0)) {
            return false;
        }
        self.jump = None;
        self.total = jump.total + (kwh - level).max(0.0);
        self.accept(time, kwh);
        true
    }

    fn accept(&mut self, time: i64, kwh: f64) {
        if (kwh - self.accepted.1).abs() > 0.0 {
            self.since = time;
        }
        self.accepted = (time, kwh);
    }

    fn day(&self, closing_kwh: f64) -> DailyDay {
        DailyDay {
            energy_kwh: self.opened + self.total,
            closing_kwh,
            refused: self.refused
                || self.opening_refused
                || self.jump.is_some_and(|jump| jump.refused),
        }
    }
}

/// Whether the first two of `readings` show the same, as far as production lets them.
fn stays(readings: &[(i64, f64)], pace: &Pace) -> bool {
    let [(time, kwh), (next, after), ..] = *readings else {
        return false;
    };
    after >= BACK_SHARE * kwh && pace.allows(after - kwh, next - time)
}

/// How fast a register can rise.
struct Pace {
    /// At its peak the device makes little more, kW.
    likely_kw: f64,
    /// No register counts more, whatever its factor is, kW.
    possible_kw: f64,
}

impl Pace {
    fn of(robust_peak_w: f64) -> Self {
        let peaks = |share: f64| {
            if robust_peak_w > 0.0 {
                share * robust_peak_w / 1000.0
            } else {
                f64::INFINITY
            }
        };
        Self {
            likely_kw: peaks(LIKELY_PEAKS),
            possible_kw: peaks(POSSIBLE_PEAKS),
        }
    }

    /// Whether a rise is possible. One kWh of resolution: a register in whole kWh may jump by that
    /// much at once.
    fn allows(&self, rise: f64, seconds: i64) -> bool {
        rise - 1.0 <= self.possible_kw * hours(seconds)
    }

    /// Whether a rise is what the power makes.
    fn made(&self, rise: f64, seconds: i64) -> bool {
        rise <= self.likely_kw * hours(seconds)
    }
}

fn hours(seconds: i64) -> f64 {
    seconds.max(1) as f64 / 3600.0
}

/// Number of readings that a glitch lasts that begins with the first of `readings`, after the
/// register showed `level` at `at`: until it shows that again at once. `None` when it climbs back,
/// which is production after a reset, or does not come back.
fn back_from_glitch(readings: &[(i64, f64)], level: f64, at: i64, pace: &Pace) -> Option<usize> {
    for (index, pair) in readings.windows(2).enumerate() {
        let [(before, fallen), (time, kwh)] = [pair[0], pair[1]];
        if kwh < BACK_SHARE * level {
            if kwh > CLIMB_SHARE * level {
                return None;
            }
            continue;
        }
        if !pace.allows(kwh - level, time - at) {
            continue;
        }
        let at_once = time - at <= GLITCH_SECONDS || !pace.made(kwh - fallen, time - before);
        return at_once.then_some(index + 1);
    }
    None
}

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
    /// Energy of the day; `None` without valid readings or when suspect.
    pub(crate) energy_kwh: Option<f64>,
    /// Gained over lost days before this one.
    pub(crate) unallocated_kwh: f64,
    /// The register fell, or rose more than possible.
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
pub(crate) fn lifetime_energy(
    readings: &[(i64, f64)],
    (date, midnight): (NaiveDate, i64),
    before: Option<LifetimeReading>,
    power_kwh: f64,
    robust_peak_w: f64,
) -> LifetimeDay {
    let shown: Vec<f64> = readings.iter().map(|(_, kwh)| *kwh).collect();
    let Some((first, last)) = valid_ends(&shown) else {
        return LifetimeDay::default();
    };
    let most_per_day = if robust_peak_w > 0.0 {
        POSSIBLE_PEAKS * USUAL_SUN_HOURS * robust_peak_w / 1000.0
    } else {
        f64::INFINITY
    };
    let possible = |rise: f64, days: i64| rise >= 0.0 && rise <= most_per_day * days as f64;
    let yesterday = before.filter(|reading| reading.date.succ_opt() == Some(date));
    let mut ahead = before.map_or(0.0, |reading| reading.ahead_kwh);
    let gap = before.filter(|_| yesterday.is_none()).map(|reading| {
        let gained = first - reading.kwh;
        let counted = ahead;
        if gained >= CAUGHT_UP * ahead {
            ahead = 0.0;
        }
        if possible(gained - counted, (date - reading.date).num_days()) {
            gained - counted
        } else {
            0.0
        }
    });
    let opened = yesterday.map_or(first, |reading| reading.kwh);
    let mut rise = last - opened;
    if ahead > 0.0 {
        let (at_once, seconds) = largest_rise((midnight, opened), readings, &shown);
        let unlikely = !Pace::of(robust_peak_w).made(at_once - 1.0, seconds);
        let beyond = rise >= power_kwh + CAUGHT_UP * ahead;
        if at_once >= CAUGHT_UP * ahead && (unlikely || beyond) {
            rise = (rise - ahead).max(0.0);
            ahead = 0.0;
        }
    }
    let suspect = !possible(rise, 1);
    LifetimeDay {
        energy_kwh: (!suspect).then_some(rise),
        unallocated_kwh: gap.unwrap_or(0.0),
        suspect,
        last_kwh: Some(last),
        ahead_kwh: ahead,
    }
}

/// The largest rise between two readings that agree with those around them, and the seconds
/// between them.
fn largest_rise(opened: (i64, f64), readings: &[(i64, f64)], shown: &[f64]) -> (f64, i64) {
    let (mut before, mut largest) = (opened, (0.0_f64, 0));
    for (at, &(time, kwh)) in readings.iter().enumerate() {
        if !agrees(shown, at) {
            continue;
        }
        if kwh - before.1 > largest.0 {
            largest = (kwh - before.1, time - before.0);
        }
        before = (time, kwh);
    }
    largest
}

/// First and last reading that agree with the running median of five.
fn valid_ends(readings: &[f64]) -> Option<(f64, f64)> {
    let first = (0..readings.len()).find(|&i| agrees(readings, i))?;
    let last = (0..readings.len()).rev().find(|&i| agrees(readings, i))?;
    Some((readings[first], readings[last]))
}

fn agrees(readings: &[f64], at: usize) -> bool {
    let window = &readings[at.saturating_sub(2)..readings.len().min(at + 3)];
    let mut sorted = [0.0; 5];
    let sorted = &mut sorted[..window.len()];
    sorted.copy_from_slice(window);
    let median = stats::median(sorted).unwrap_or(f64::NAN);
    let value = readings[at];
    value > 0.0 && (value - median).abs() <= 0.02 * median + 50.0
}

/// The kind of a daily-energy column, from the first and last readings of each day in order.
///
/// A register that resets opens the day near zero, or at yesterday's value and then falls. One that
/// never resets opens it with more than the device can deliver in a day, and does not fall.
pub(crate) fn detect_kind(days: &[DayEnds], robust_peak_w: f64) -> RegisterKind {
    if days.is_empty() {
        return RegisterKind::None;
    }
    let beyond = LONGEST_SUN_HOURS * robust_peak_w / 1000.0;
    let high = days
        .iter()
        .filter(|day| robust_peak_w > 0.0 && day.first > beyond)
        .count();
    let falls = days.iter().filter(|day| day.falls).count()
        + days
            .windows(2)
            .filter(|pair| pair[1].first < 0.5 * pair[0].last)
            .count();
    if high * 2 > days.len() && falls * 10 <= days.len() {
        RegisterKind::Lifetime
    } else {
        RegisterKind::Daily
    }
}

/// The readings that open and close a day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DayEnds {
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// Whether the register fell by more than half within the day.
    pub(crate) falls: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEAK_W: f64 = 5000.0;

    fn opening(previous_kwh: Option<f64>) -> Opening {
        Opening {
            midnight: 0,
            until: 24 * 3600,
            previous_kwh,
        }
    }

    fn hours(readings: &[(i64, f64)]) -> Vec<(i64, f64)> {
        readings
            .iter()
            .map(|&(hour, kwh)| (hour * 3600, kwh))
            .collect()
    }

    fn daily(readings: &[(i64, f64)], previous: Option<f64>) -> Option<f64> {
        daily_energy(&hours(readings), &opening(previous), PEAK_W).map(|day| day.energy_kwh)
    }

    fn near(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    }

    #[test]
    fn a_daily_register_counts_from_its_reset_although_the_day_opens_with_yesterdays_value() {
        assert_eq!(
            daily(
                &[(1, 30.0), (5, 30.0), (6, 0.0), (12, 15.0), (20, 28.0)],
                Some(30.0)
            ),
            Some(28.0)
        );
        assert_eq!(daily(&[(1, 30.0), (23, 30.0)], Some(30.0)), Some(0.0));
    }

    #[test]
    fn a_register_that_is_reset_seconds_before_midnight_keeps_its_day() {
        // 0.1 was there at the midnight before, and 0.0 is there at the next.
        let readings = [
            (0, 0.1),
            (1, 0.1),
            (8, 2.0),
            (12, 20.0),
            (18, 40.1),
            (24, 0.0),
        ];
        near(daily(&readings[1..], Some(0.0)), 40.1);
        let day = daily_energy(&hours(&readings[1..]), &opening(Some(0.0)), PEAK_W).unwrap();
        assert!(day.closing_kwh.abs() < 1e-9);
        // The day before ended with the 0.1, which is this day's.
        let before = [(8, 3.0), (18, 30.0), (24, 0.1)];
        let before = daily_energy(&hours(&before), &opening(Some(0.0)), PEAK_W).unwrap();
        assert_eq!((before.energy_kwh, before.closing_kwh), (30.0, 0.0));
    }

    #[test]
    fn a_register_of_another_zone_counts_on_both_sides_of_its_reset() {
        // Reset at 17:00 local: 3 kWh since then were there at midnight, 30 follow, and 3 more
        // after the reset.
        let readings = [
            (1, 3.0),
            (7, 3.0),
            (10, 10.0),
            (13, 25.0),
            (16, 33.0),
            (17, 0.0),
            (20, 3.0),
            (24, 3.0),
        ];
        near(daily(&readings, Some(3.0)), 33.0);
    }

    #[test]
    fn a_register_that_is_read_in_the_evening_only_tells_the_day() {
        near(daily(&[(20, 40.0), (24, 0.0)], Some(38.0)), 40.0);
        near(daily(&[(20, 20.0)], None), 20.0);
        // Still yesterday's, as no device makes that much in an hour.
        near(daily(&[(1, 30.0), (5, 30.0)], Some(20.0)), 0.0);
    }

    #[test]
    fn an_inverter_that_starts_anew_at_noon_adds_up() {
        near(
            daily(
                &[
                    (6, 0.0),
                    (9, 8.0),
                    (12, 20.0),
                    (13, 0.0),
                    (15, 7.0),
                    (18, 12.0),
                ],
                Some(30.0),
            ),
            32.0,
        );
    }

    #[test]
    fn a_day_that_opens_with_a_glitch_does_not_count_the_day_before() {
        let stale = [
            (1, 0.0),
            (2, 20.0),
            (3, 20.0),
            (4, 20.0),
            (5, 20.0),
            (6, 0.0),
            (12, 9.0),
        ];
        near(daily(&stale, Some(20.0)), 9.0);
    }

    #[test]
    fn a_value_that_is_stuck_beyond_the_possible_adds_nothing() {
        let readings = [
            (6, 0.0),
            (9, 8.0),
            (10, 6553.5),
            (11, 6553.5),
            (12, 6553.5),
            (13, 16.0),
            (14, 18.0),
        ];
        near(daily(&readings, Some(30.0)), 18.0);
    }

    #[test]
    fn a_register_that_counts_more_than_the_power_is_believed_up_to_three_times() {
        // Quarters of an hour at the peak, counted 1.3 and 2.8 times.
        for factor in [1.3, 2.8] {
            let quarters = |steps: i32| f64::from(steps) * 1.25 * factor;
            let readings: Vec<(i64, f64)> = (0..=24)
                .map(|step| (8 * 3600 + i64::from(step) * 900, quarters(step)))
                .collect();
            let day = daily_energy(&readings, &opening(Some(30.0)), PEAK_W).unwrap();
            near(Some(day.energy_kwh), quarters(24));
            assert!(!day.refused);
        }
    }

    #[test]
    fn a_display_that_stood_still_catches_up() {
        let still = [(8, 2.0), (9, 4.0), (10, 4.0), (11, 4.0), (12, 4.0)];
        let mut readings = hours(&still);
        // Shown at once, and shown from then on.
        readings.extend([(45_000, 29.0), (46_800, 31.0), (54_000, 40.0)]);
        let day = daily_energy(&readings, &opening(Some(30.0)), PEAK_W).unwrap();
        near(Some(day.energy_kwh), 40.0);
        assert!(!day.refused);
        // It was a glitch after all: the register shows again what it showed before.
        readings.extend([(55_800, 5.0), (57_600, 6.0)]);
        let day = daily_energy(&readings, &opening(Some(30.0)), PEAK_W).unwrap();
        near(Some(day.energy_kwh), 6.0);
    }

    #[test]
    fn a_rise_that_nothing_can_have_made_is_refused_and_the_day_says_so() {
        let day = |readings: &[(i64, f64)]| {
            daily_energy(&hours(readings), &opening(Some(30.0)), PEAK_W).unwrap()
        };
        let swapped = day(&[(6, 0.0), (9, 8.0), (10, 400.0), (11, 403.0), (14, 410.0)]);
        assert_eq!((swapped.energy_kwh, swapped.refused), (18.0, true));
        let other_counter = day(&[(6, 0.0), (9, 8.0), (12, 300.0), (13, 301.0), (14, 100.0)]);
        assert!(other_counter.refused);
        // A single reading that is out of place takes nothing away.
        let spike = day(&[(6, 0.0), (9, 8.0), (10, 400.0), (11, 12.0), (14, 20.0)]);
        assert_eq!((spike.energy_kwh, spike.refused), (20.0, false));
        // What the register still shows of the day before is not of this day, and nothing is lost.
        let stale = day(&[(1, 29.0), (5, 29.0), (6, 0.0), (12, 15.0)]);
        assert_eq!((stale.energy_kwh, stale.refused), (15.0, false));
    }

    #[test]
    fn glitches_add_nothing() {
        // Down to zero and back, and up beyond what the device can deliver.
        let readings = [
            (6, 0.0),
            (9, 8.0),
            (10, 0.0),
            (11, 12.0),
            (12, 400.0),
            (13, 16.0),
        ];
        assert_eq!(daily(&readings, Some(30.0)), Some(16.0));
        assert_eq!(daily(&[], Some(30.0)), None);
    }

    fn date(day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2024, 5, day).unwrap()
    }

    /// The readings one hour after the other.
    fn lifetime(
        shown: &[f64],
        date: NaiveDate,
        before: Option<LifetimeReading>,
        power_kwh: f64,
    ) -> LifetimeDay {
        let readings: Vec<(i64, f64)> = shown
            .iter()
            .zip(1..)
            .map(|(kwh, hour)| (3600 * hour, *kwh))
            .collect();
        lifetime_energy(&readings, (date, 0), before, power_kwh, PEAK_W)
    }

    fn before(day: u32, kwh: f64) -> LifetimeReading {
        LifetimeReading {
            date: date(day),
            kwh,
            ahead_kwh: 0.0,
        }
    }

    #[test]
    fn a_lifetime_register_counts_from_yesterdays_last_reading() {
        let day = lifetime(
            &[1001.0, 1010.0, 1020.0],
            date(2),
            Some(before(1, 1000.0)),
            20.0,
        );
        assert_eq!(
            (day.energy_kwh, day.unallocated_kwh, day.suspect),
            (Some(20.0), 0.0, false)
        );
    }

    #[test]
    fn what_it_gained_over_lost_days_belongs_to_no_day() {
        let day = lifetime(&[1090.0, 1110.0], date(7), Some(before(1, 1000.0)), 20.0);
        assert_eq!((day.energy_kwh, day.unallocated_kwh), (Some(20.0), 90.0));
    }

    #[test]
    fn what_was_counted_while_it_stood_still_is_not_counted_again() {
        let stood = |ahead_kwh| {
            Some(LifetimeReading {
                ahead_kwh,
                ..before(1, 1000.0)
            })
        };
        let energy = |readings: &[f64], ahead_kwh, power_kwh| {
            lifetime(readings, date(2), stood(ahead_kwh), power_kwh)
        };
        // It catches up over night, or in the middle of the day.
        for readings in [[1021.0, 1030.0, 1041.0], [1000.0, 1032.0, 1041.0]] {
            let day = energy(&readings, 20.0, 20.5);
            assert_eq!((day.energy_kwh, day.ahead_kwh), (Some(21.0), 0.0));
        }
        // After four days it shows more than a day can make.
        let day = energy(&[1600.0, 1610.0], 590.0, 20.0);
        assert_eq!((day.energy_kwh, day.suspect), (Some(20.0), false));
        // It continues from where it stood.
        let day = energy(&[1000.0, 1005.0, 1010.0, 1016.0, 1021.0], 20.0, 20.5);
        assert_eq!((day.energy_kwh, day.ahead_kwh), (Some(21.0), 20.0));
        // Days without readings follow: what it gained beyond the days that were counted.
        let later = |readings: &[f64]| {
            let day = lifetime(readings, date(5), stood(20.0), 20.0);
            (day.energy_kwh, day.unallocated_kwh)
        };
        assert_eq!(later(&[1060.0, 1080.0]), (Some(20.0), 40.0));
        assert_eq!(
            later(&[1000.0, 1005.0, 1010.0, 1015.0, 1020.0]),
            (Some(20.0), 0.0)
        );
    }

    #[test]
    fn impossible_rises_and_falls_are_suspect() {
        assert!(lifetime(&[5000.0, 5001.0], date(2), Some(before(1, 1000.0)), 20.0).suspect);
        assert!(lifetime(&[10.0, 11.0], date(2), Some(before(1, 1000.0)), 20.0).suspect);
        let swapped = lifetime(&[10.0, 12.0], date(9), Some(before(1, 1000.0)), 20.0);
        assert_eq!(
            (swapped.energy_kwh, swapped.unallocated_kwh),
            (Some(2.0), 0.0)
        );
    }

    #[test]
    fn a_reading_far_from_its_neighbours_is_no_reading() {
        let day = lifetime(
            &[0.0, 1001.0, 1002.0, 9e9, 1003.0, 0.0],
            date(2),
            Some(before(1, 1000.0)),
            20.0,
        );
        assert_eq!(day.energy_kwh, Some(3.0));
    }

    #[test]
    fn a_register_that_never_resets_is_found_out() {
        let ends = |first: f64, last: f64| DayEnds {
            first,
            last,
            falls: false,
        };
        let rising = [ends(900.0, 920.0), ends(920.0, 941.0), ends(941.0, 950.0)];
        assert_eq!(detect_kind(&rising, PEAK_W), RegisterKind::Lifetime);
        assert_eq!(
            detect_kind(&[ends(0.0, 20.0), ends(0.0, 22.0)], PEAK_W),
            RegisterKind::Daily
        );
        assert_eq!(detect_kind(&[], PEAK_W), RegisterKind::None);
    }
}
