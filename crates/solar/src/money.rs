//! Money and carbon: what a number of kilowatt hours is worth.

use chrono::NaiveDate;

use crate::completeness;
use crate::context::EnergySource;
use crate::days::DayFigures;
use crate::flags::{Flag, Flags};

/// CO2 taken up by one urban tree seedling grown for ten years, kg (EPA).
const KG_PER_TREE: f64 = 60.0;

/// A projection to a year needs at least this many known days.
const PROJECTION_DAYS: u32 = 60;

/// An emission factor of electricity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Co2Factor {
    /// kg CO2 per kWh.
    pub kg_per_kwh: f64,
    /// The electricity mix that it describes.
    pub name: &'static str,
    /// The year of the data.
    pub year: u16,
    /// Who published it.
    pub source: &'static str,
}

/// The factors on offer; the first is the default.
pub const CO2_FACTORS: [Co2Factor; 4] = [
    Co2Factor {
        kg_per_kwh: 0.394,
        name: "US average, delivered",
        year: 2022,
        source: "EPA equivalencies calculator on eGRID2022",
    },
    Co2Factor {
        kg_per_kwh: 0.373,
        name: "US average, generated",
        year: 2022,
        source: "EPA eGRID2022, 823.1 lb/MWh",
    },
    Co2Factor {
        kg_per_kwh: 0.699,
        name: "US marginal",
        year: 2022,
        source: "EPA AVERT national, 1,540.1 lb/MWh",
    },
    Co2Factor {
        kg_per_kwh: 0.281,
        name: "EU-27",
        year: 2018,
        source: "EEA greenhouse gas intensity, CO2e",
    },
];

/// The factor that is used unless one is configured.
pub const DEFAULT_CO2_FACTOR: Co2Factor = CO2_FACTORS[0];

/// The value of an energy if all of it replaces purchased power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Savings {
    /// In the currency of the rate.
    pub savings: f64,
    /// kg.
    pub co2_kg: f64,
    /// Urban tree seedlings grown for ten years that take up as much.
    pub trees_grown_10_years: f64,
}

/// Values an energy.
pub fn savings(kwh: f64, rate_per_kwh: f64, kg_co2_per_kwh: f64) -> Savings {
    let co2_kg = kwh * kg_co2_per_kwh;
    Savings {
        savings: kwh * rate_per_kwh,
        co2_kg,
        trees_grown_10_years: co2_kg / KG_PER_TREE,
    }
}

/// The energy of a period of local days.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodEnergy {
    /// Each day with data and its energy, kWh.
    pub days: Vec<(NaiveDate, f64)>,
    /// The total of the period: the sum of the days, kWh.
    pub total_kwh: f64,
    /// The lifetime register's gain over lost days in the period, kWh: not of a single day, and not
    /// part of the total.
    pub unallocated_kwh: f64,
    /// The source of the days' energy: the least trusted one; `None` without data.
    pub source: Option<EnergySource>,
    /// Calendar days in the period.
    pub days_expected: u32,
    /// Days without data; listed, never filled.
    pub missing_days: Vec<NaiveDate>,
    /// What to know about it.
    pub flags: Flags,
}

impl PeriodEnergy {
    /// The total projected to a year of 365 days; only with 60 days of data. Name it a projection.
    pub fn projected_year_kwh(&self) -> Option<f64> {
        let known = u32::try_from(self.days.len()).unwrap_or(u32::MAX);
        (known >= PROJECTION_DAYS).then(|| self.total_kwh / f64::from(known) * 365.0)
    }
}

/// The energy of the days from `first` to `last`, both included. `days` may reach beyond; it is in
/// order.
///
/// What a lifetime register gained over lost days is beside it when the loss began on or after
/// `first`. Before that it is unknown how much of it belongs to the period.
pub fn period_energy(days: &[DayFigures], first: NaiveDate, last: NaiveDate) -> PeriodEnergy {
    let from = days.partition_point(|day| day.date < first);
    let until = days.partition_point(|day| day.date <= last).max(from);
    let mut energy = PeriodEnergy {
        days: Vec::with_capacity(until - from),
        total_kwh: 0.0,
        unallocated_kwh: 0.0,
        source: None,
        days_expected: u32::try_from((last - first).num_days() + 1).unwrap_or(0),
        missing_days: completeness::missing_days(days, first, last),
        flags: Flags::default(),
    };
    for (index, day) in days.iter().enumerate().take(until).skip(from) {
        let Some((kwh, source)) = day.energy() else {
            continue;
        };
        energy.days.push((day.date, kwh));
        energy.total_kwh += kwh;
        energy.source = Some(
            energy
                .source
                .map_or(source, |worst| less_trusted(worst, source)),
        );
        energy.flags.extend(day.flags());
        energy
            .flags
            .insert_if(Flag::IncompleteDay, !completeness::is_complete(days, day));
        if index > from {
            energy.unallocated_kwh += day.unallocated_kwh;
        }
    }
    energy
}

pub(crate) fn less_trusted(a: EnergySource, b: EnergySource) -> EnergySource {
    let rank = |source| match source {
        EnergySource::DailyRegister => 0,
        EnergySource::LifetimeRegister => 1,
        EnergySource::Power => 2,
    };
    if rank(b) > rank(a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_energy_is_worth_its_rate_and_its_factor() {
        let value = savings(1000.0, 0.2, DEFAULT_CO2_FACTOR.kg_per_kwh);
        assert!((value.savings - 200.0).abs() < 1e-9);
        assert!((value.co2_kg - 394.0).abs() < 1e-9);
        assert!((value.trees_grown_10_years - 394.0 / 60.0).abs() < 1e-9);
    }
}
