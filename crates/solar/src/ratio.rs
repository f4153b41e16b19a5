//! Performance ratio (IEC 61724-1) and specific yields.

use crate::calibration::Calibration;
use crate::completeness;
use crate::context::{Capacity, CapacityBasis, IrradianceBasis, LoggerContext};
use crate::days::{DayFigures, PairSums};
use crate::flags::{Flag, Flags};

/// Module temperature must be there in this share of the paired readings.
const TEMPERATURE_SHARE: f64 = 0.9;

/// A ratio above this is implausible whatever is missing.
const FAR_TOO_HIGH: f64 = 1.1;

/// The words for a performance ratio; there are none for a relative one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rating {
    /// At least 0.75.
    Normal,
    /// 0.60 to 0.75.
    Low,
    /// Below 0.60.
    Critical,
}

impl Rating {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Rating::Normal => "normal",
            Rating::Low => "low",
            Rating::Critical => "critical",
        }
    }
}

/// Why no performance ratio can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// No reading has both power and irradiance.
    PairedReadings,
    /// No capacity is stated and too few bright readings to estimate one.
    Capacity,
}

/// The performance of one or several days.
#[derive(Clone, Debug, PartialEq)]
pub struct Performance {
    /// Final yield divided by reference yield. With an inferred capacity a relative figure: 1 is
    /// the logger's own usual.
    pub pr: Option<f64>,
    /// The same at 25 C module temperature.
    pub pr_25c: Option<f64>,
    /// Final yield of the paired readings, kWh/kW = h.
    pub yf: Option<f64>,
    /// Energy of the days with paired readings, as every other figure has it, kWh: with what came
    /// in next to no light, and while the irradiance was unknown.
    pub energy_kwh: f64,
    /// Reference yield of the paired readings, h.
    pub yr: f64,
    /// Readings with power and irradiance.
    pub paired_records: u32,
    /// Paired readings divided by daylight readings.
    pub coverage: Option<f64>,
    /// Sums over those readings; their energy is that of the days, where a register says more or
    /// less than the power.
    pub pairs: PairSums,
    /// The same with the sunshine corrected to 25 C, over the readings with a module temperature.
    pub corrected: PairSums,
    /// Daylight readings.
    pub daylight: u32,
    /// The nameplate used.
    pub capacity: Option<Capacity>,
    /// AC power at standard test conditions from the logger's history, kW.
    pub stc_power_kw: Option<f64>,
    /// The verdict: only with a stated capacity, not for horizontal irradiance, and not of a ratio
    /// that no array has.
    pub rating: Option<Rating>,
    /// Named before the verdict, when it applies.
    pub lacking: Option<Lacking>,
    /// What to know about it.
    pub flags: Flags,
}

/// The performance of `days`; `history` (which may be the same) says what a complete day is.
/// `parameter_kw` is a capacity given with the question and goes before the configured one.
pub fn performance(
    days: &[DayFigures],
    history: &[DayFigures],
    parameter_kw: Option<f64>,
    calibration: &Calibration,
    context: &LoggerContext,
) -> Performance {
    let parameter = parameter_kw.filter(|kw| *kw > 0.0).map(|kw| Capacity {
        kw,
        basis: CapacityBasis::Parameter,
    });
    let capacity = parameter.or_else(|| calibration.capacity(context));
    let (mut pairs, mut corrected, mut daylight) = (PairSums::default(), PairSums::default(), 0);
    let mut flags = Flags::default();
    let mut complete = !days.is_empty();
    let mut energy_kwh = 0.0;
    for day in days {
        flags.extend(day.flags());
        let whole = completeness::is_complete(history, day);
        complete &= whole;
        flags.insert_if(Flag::DeadDay, is_dead(day, calibration));
        daylight += day.sun.daylight;
        if !day.sun.suspect {
            let factor = day.energy_per_power(whole);
            pairs.merge(day.sun.pairs.times(factor));
            if day.sun.pairs.records > 0 {
                energy_kwh += day.energy().map_or(0.0, |(kwh, _)| kwh);
            }
            corrected.merge(day.sun.corrected.times(factor));
        }
    }
    let pr = capacity.and_then(|capacity| ratio_of(pairs, capacity));
    let warm = f64::from(corrected.records) >= TEMPERATURE_SHARE * f64::from(pairs.records);
    let pr_25c = capacity
        .filter(|_| warm && corrected.records > 0)
        .and_then(|capacity| ratio_of(corrected, capacity));
    let given = capacity.is_some_and(Capacity::is_stated);

    flags.insert_if(Flag::IncompleteDay, !complete);
    flags.insert_if(
        Flag::IrradianceMissing,
        days.iter().all(|day| day.sun.records == 0),
    );
    flags.insert_if(
        Flag::IrradianceNotPoa,
        context.irradiance_basis == IrradianceBasis::Ghi,
    );
    flags.insert_if(
        Flag::TemperatureMissing,
        pairs.records > 0 && pr_25c.is_none() && capacity.is_some(),
    );
    flags.insert_if(Flag::CapacityInferred, capacity.is_some() && !given);
    // A device that stood still has a low ratio whatever its capacity is.
    let stood_still = flags.contains(Flag::DeadDay);
    let implausible =
        given && pr.is_some_and(|pr| is_implausible(pr, complete) && !(stood_still && pr < 1.0));
    flags.insert_if(Flag::CapacityImplausible, implausible);
    Performance {
        pr,
        pr_25c,
        yf: capacity
            .filter(|_| pairs.records > 0)
            .map(|capacity| pairs.energy_kwh / capacity.kw),
        energy_kwh,
        yr: pairs.insolation_kwh_m2,
        paired_records: pairs.records,
        pairs,
        corrected,
        daylight,
        coverage: (daylight > 0).then(|| f64::from(pairs.records) / f64::from(daylight)),
        capacity,
        stc_power_kw: calibration.stc_power_kw,
        rating: pr
            .filter(|_| given && !implausible && context.irradiance_basis != IrradianceBasis::Ghi)
            .map(rate)
            // No device that stood still for a whole day is normal.
            .filter(|rating| !(stood_still && *rating == Rating::Normal)),
        lacking: match (pairs.records, capacity) {
            (0, _) => Some(Lacking::PairedReadings),
            (_, None) => Some(Lacking::Capacity),
            _ => None,
        },
        flags,
    }
}

/// Whether no array has such a ratio, so that it says something about the stated capacity. For
/// incomplete readings only a ratio well above 1 shows this.
fn is_implausible(pr: f64, complete: bool) -> bool {
    if complete {
        !(0.2..=1.0).contains(&pr)
    } else {
        pr > FAR_TOO_HIGH
    }
}

/// The band that a performance ratio falls into.
pub fn rate(pr: f64) -> Rating {
    match pr {
        pr if pr >= 0.75 => Rating::Normal,
        pr if pr >= 0.60 => Rating::Low,
        _ => Rating::Critical,
    }
}

/// Whether the day has at least half of its usual readings and next to no energy. Needs no
/// irradiance, so it also finds a site that is switched off with its sensors.
pub fn is_dead(day: &DayFigures, calibration: &Calibration) -> bool {
    let usual = if calibration.counts_alone() {
        let usual = calibration.typical_completeness.unwrap_or(0.0);
        day.completeness > 0.0 && day.completeness >= 0.5 * usual
    } else {
        let usual = calibration.usual_day_records;
        day.valid > 0 && usual.is_none_or(|usual| f64::from(day.valid) >= 0.5 * usual)
    };
    let (Some((kwh, _)), Some(median)) = (day.energy(), calibration.median_day_kwh) else {
        return false;
    };
    usual && kwh <= 0.01 * median
}

fn ratio_of(pairs: PairSums, capacity: Capacity) -> Option<f64> {
    (pairs.insolation_kwh_m2 > 0.0)
        .then(|| pairs.energy_kwh / (capacity.kw * pairs.insolation_kwh_m2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_begin_at_their_lower_bound() {
        let words = [0.75, 0.7499, 0.60, 0.599].map(|pr| rate(pr).as_str());
        assert_eq!(words, ["normal", "low", "low", "critical"]);
    }
}
