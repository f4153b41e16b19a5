//! Energy of a day from a counter that is reset every day.

use super::{BACK_SHARE, Pace, Peak};

/// A reset this shortly before local midnight is that midnight's, on a clock that is a little
/// ahead.
const MIDNIGHT_SECONDS: i64 = 3600;

/// A fall to below this share is a reset or a glitch; a smaller one is noise.
const FALL_SHARE: f64 = 0.5;

/// A register that shows more than this share, and less than that, climbs.
const CLIMB_SHARE: f64 = 0.1;

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
    peak: Peak,
) -> Option<DailyDay> {
    let &(first_at, first) = readings.first()?;
    let pace = Pace::of(peak);
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
