//! From the figures of the crate `solar` to the contract's types. Rounding happens here and nowhere
//! else.

use chrono::{DateTime, FixedOffset, NaiveDate};
use chrono_tz::Tz;
use contracts::figures;
use contracts::tools as wire;
use solar::calendar::local_time;
use solar::size::Size;
use solar::{Calibration, Capacity, Flags};

use crate::store::{Logger, LoggerRole};

/// Energy, kWh, and money.
pub(super) fn cents(value: f64) -> f64 {
    round(value, 100.0)
}

/// Power, W.
pub(super) fn tenths(value: f64) -> f64 {
    round(value, 10.0)
}

/// Ratios.
pub(super) fn thousandths(value: f64) -> f64 {
    round(value, 1000.0)
}

fn round(value: f64, parts: f64) -> f64 {
    let rounded = (value * parts).round() / parts;
    // A value too large to be scaled has no such decimals; and there is no negative nothing.
    if rounded.is_finite() {
        rounded + 0.0
    } else {
        value
    }
}

/// An instant with the offset of the site.
pub(super) fn time(time: i64, zone: Tz) -> DateTime<FixedOffset> {
    local_time(time, zone).fixed_offset()
}

/// Minutes from one instant to another, both in seconds since 1970.
pub(super) fn minutes_between(first: i64, last: i64) -> f64 {
    let seconds = u32::try_from((last - first).max(0)).unwrap_or(u32::MAX);
    f64::from(seconds) / 60.0
}

/// The flags of a result, and `historical_data` where its newest data are not today's.
pub(super) fn flags(flags: Flags, historical: bool) -> Vec<wire::Flag> {
    let mut flags = flags;
    flags.insert_if(solar::Flag::HistoricalData, historical);
    flags.iter().map(flag).collect()
}

fn flag(flag: solar::Flag) -> wire::Flag {
    use solar::Flag as F;
    use wire::Flag as W;
    match flag {
        F::EnergyFromPower => W::EnergyFromPower,
        F::PowerFromRegister => W::PowerFromRegister,
        F::RegisterPowerMismatch => W::RegisterPowerMismatch,
        F::RegisterSuspect => W::RegisterSuspect,
        F::ValuesDropped => W::ValuesDropped,
        F::IncompleteDay => W::IncompleteDay,
        F::HoleBridged => W::HoleBridged,
        F::NightImport => W::NightImport,
        F::IrradianceMissing => W::IrradianceMissing,
        F::IrradianceSuspect => W::IrradianceSuspect,
        F::IrradianceNotPoa => W::IrradianceNotPoa,
        F::TemperatureMissing => W::TemperatureMissing,
        F::CapacityInferred => W::CapacityInferred,
        F::CapacityImplausible => W::CapacityImplausible,
        F::Clipping => W::Clipping,
        F::StaleValues => W::StaleValues,
        F::DeadDay => W::DeadDay,
        F::ClockShift => W::ClockShift,
        F::FewDays => W::FewDays,
        F::HistoricalData => W::HistoricalData,
    }
}

/// The source of an energy.
pub(super) fn energy_source(source: solar::EnergySource) -> wire::EnergySource {
    match source {
        solar::EnergySource::DailyRegister => wire::EnergySource::DailyRegister,
        solar::EnergySource::LifetimeRegister => wire::EnergySource::LifetimeRegister,
        solar::EnergySource::Power => wire::EnergySource::Power,
    }
}

/// The source of a sum of energies; power when there is nothing to sum.
pub(super) fn energy_source_of(
    sources: impl IntoIterator<Item = solar::EnergySource>,
) -> wire::EnergySource {
    let mut sources = sources.into_iter();
    let Some(first) = sources.next() else {
        return wire::EnergySource::Power;
    };
    if sources.all(|source| source == first) {
        energy_source(first)
    } else {
        wire::EnergySource::Mixed
    }
}

/// The plane of an irradiance.
pub(super) fn irradiance_basis(basis: solar::IrradianceBasis) -> wire::IrradianceBasis {
    match basis {
        solar::IrradianceBasis::Poa => wire::IrradianceBasis::Poa,
        solar::IrradianceBasis::Ghi => wire::IrradianceBasis::Ghi,
        solar::IrradianceBasis::Unknown => wire::IrradianceBasis::Unknown,
    }
}

/// The source of a capacity.
pub(super) fn capacity_basis(basis: solar::CapacityBasis) -> wire::CapacityBasis {
    match basis {
        solar::CapacityBasis::Parameter => wire::CapacityBasis::Parameter,
        solar::CapacityBasis::Configured => wire::CapacityBasis::Configured,
        solar::CapacityBasis::Inferred => wire::CapacityBasis::Inferred,
        solar::CapacityBasis::Peers => wire::CapacityBasis::Peers,
    }
}

/// The source of a size.
pub(super) fn size_basis(size: Size) -> wire::CapacityBasis {
    capacity_basis(Capacity::from(size).basis)
}

/// The role of a logger.
pub(super) fn role(role: LoggerRole) -> wire::LoggerRole {
    match role {
        LoggerRole::Inverter => wire::LoggerRole::Inverter,
        LoggerRole::Meter => wire::LoggerRole::Meter,
        LoggerRole::Weather => wire::LoggerRole::Weather,
    }
}

/// The capacity of a logger, as stated or else as estimated, and where it comes from.
pub(super) fn capacity(
    logger: &Logger,
    estimate: Option<Size>,
) -> (Option<f64>, wire::CapacityBasis) {
    let stated = logger.context().capacity.filter(|stated| stated.kw > 0.0);
    match stated.or(estimate.map(Capacity::from)) {
        Some(capacity) => (Some(cents(capacity.kw)), capacity_basis(capacity.basis)),
        None => (None, wire::CapacityBasis::Unknown),
    }
}

/// The nominal step, minutes.
pub(super) fn step_minutes(calibration: &Calibration) -> f64 {
    cents(calibration.step_hours * 60.0)
}

/// A day as a person writes it in a sentence: `4 December 2025`.
pub(super) fn spoken(date: NaiveDate) -> String {
    date.format("%-d %B %Y").to_string()
}

/// A power as sentences and cards write it, from the figure of the result.
pub(super) fn spoken_power(watts: f64) -> String {
    figures::power(tenths(watts))
}

/// An energy, likewise.
pub(super) fn spoken_energy(kwh: f64) -> String {
    figures::energy(cents(kwh))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_rounded_and_stay_numbers() {
        assert!((cents(1.005_1) - 1.01).abs() < 1e-12);
        assert!((tenths(-0.01)).to_string() == "0");
        assert!((cents(f64::MAX) - f64::MAX).abs() < 1.0);
    }

    #[test]
    fn every_flag_keeps_its_name_on_the_wire() {
        for &known in solar::Flag::ALL {
            assert_eq!(serde_json::to_value(flag(known)).unwrap(), known.as_str());
        }
    }

    #[test]
    fn several_sources_are_mixed() {
        use solar::EnergySource::{DailyRegister, Power};
        assert_eq!(
            energy_source_of([DailyRegister, DailyRegister]),
            wire::EnergySource::DailyRegister
        );
        assert_eq!(
            energy_source_of([DailyRegister, Power]),
            wire::EnergySource::Mixed
        );
        assert_eq!(energy_source_of([]), wire::EnergySource::Power);
    }
}
