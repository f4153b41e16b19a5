//! Units, and how a value in one is written.

use contracts::figures;

/// The unit of a fact as the data have it; people may read it in a larger one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// Energy, kWh.
    Energy,
    /// Power, W.
    Power,
    /// Power, kW.
    Kilowatts,
    /// Mass, kg.
    Mass,
    /// Percent.
    Percent,
    /// A share of 1, written in percent.
    Share,
    /// Hours.
    Hours,
    /// Minutes.
    Minutes,
    /// Irradiance, W/m².
    Irradiance,
    /// Energy per capacity, kWh/kWp.
    SpecificYield,
    /// Money in this currency.
    Money(String),
    /// Money per kWh in this currency.
    Tariff(String),
    /// Number of things.
    Count,
    /// A number without a unit.
    Plain,
    /// A number in a unit that the rows name.
    Named(String),
}

impl Unit {
    pub(super) fn is_count(&self) -> bool {
        matches!(self, Self::Count)
    }

    pub(super) fn is_power(&self) -> bool {
        matches!(self, Self::Power | Self::Kilowatts)
    }

    /// The value with its unit, in the form of every other figure.
    pub(super) fn write(&self, value: f64) -> String {
        match self {
            Self::Energy => figures::energy(value),
            Self::Power => figures::power(value),
            Self::Kilowatts => figures::power(value * 1e3),
            Self::Mass => figures::mass(value),
            Self::Percent => figures::percent(value),
            Self::Share => figures::percent(value * 100.0),
            Self::Hours => duration(value * 60.0),
            Self::Minutes => duration(value),
            Self::Irradiance => format!("{} W/m\u{b2}", figures::decimal(value, 0)),
            Self::SpecificYield => format!("{} kWh/kWp", figures::figure(value)),
            Self::Money(currency) => format!("{currency} {}", figures::decimal(value, 2)),
            Self::Tariff(currency) => format!("{currency} {} per kWh", tariff(value)),
            Self::Count => figures::decimal(value, 0),
            Self::Plain => figures::figure(value),
            Self::Named(unit) => format!("{} {unit}", figures::figure(value)),
        }
    }
}

fn tariff(value: f64) -> String {
    let text = figures::decimal(value, 4);
    let short = text
        .strip_suffix("00")
        .or_else(|| text.strip_suffix('0'))
        .unwrap_or(&text);
    short.to_owned()
}

fn duration(minutes: f64) -> String {
    let (value, unit) = if minutes.abs() < 59.5 {
        (figures::decimal(minutes, 0), "minute")
    } else {
        (figures::figure(minutes / 60.0), "hour")
    };
    let plural = if value == "1" { "" } else { "s" };
    format!("{value} {unit}{plural}")
}
