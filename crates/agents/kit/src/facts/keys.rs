//! Keys of results: what they hold in other words, and those that hold nothing to say.

use super::Unit;

/// Keys that say in other words what they hold.
const RENAMED: &[(&str, &str, Unit)] = &[
    ("peakValue", "peak power", Unit::Power),
    ("avgValue", "average power", Unit::Power),
    ("totalEnergy", "energy", Unit::Energy),
    ("totalKwh", "energy", Unit::Energy),
    ("totalEnergyKwh", "energy", Unit::Energy),
    ("energyTodayKwh", "energy", Unit::Energy),
    ("todayTotalEnergyKwh", "energy", Unit::Energy),
    ("registerKwh", "energy counter", Unit::Energy),
    ("currentTotalPowerWatts", "power", Unit::Power),
    ("powerWatts", "power", Unit::Power),
    (
        "siteAvgIrradiance",
        "average sunlight irradiance",
        Unit::Irradiance,
    ),
    ("specificYield", "specific yield", Unit::SpecificYield),
    (
        "comparedYield",
        "compared specific yield",
        Unit::SpecificYield,
    ),
    ("yf", "specific yield", Unit::SpecificYield),
    ("percentOnline", "online share", Unit::Percent),
    ("performanceRatio", "performance ratio", Unit::Percent),
    ("availabilityTime", "availability time", Unit::Share),
    ("availabilityEnergy", "availability energy", Unit::Share),
    ("completeness", "completeness readings", Unit::Share),
    ("coverage", "coverage readings", Unit::Share),
    ("confidenceLevel", "confidence", Unit::Share),
    ("holeHours", "missing readings hours", Unit::Hours),
    ("nightImportKwh", "drew night import", Unit::Energy),
    ("expectedKwh", "expected energy", Unit::Energy),
    ("totalPredicted", "expected energy", Unit::Energy),
    ("lower", "lower expected energy", Unit::Energy),
    ("upper", "upper expected energy", Unit::Energy),
    ("averageKwh", "usual average energy", Unit::Energy),
    ("stdDevKwh", "deviation energy", Unit::Energy),
    ("minKwh", "min energy", Unit::Energy),
    ("maxKwh", "max energy", Unit::Energy),
    ("co2OffsetKg", "co2 offset", Unit::Mass),
    ("treesGrown10Years", "trees", Unit::Plain),
    ("healthScore", "health score", Unit::Plain),
    ("spreadPercent", "spread", Unit::Percent),
    ("sunHours", "sun hours", Unit::Hours),
    ("hours", "hours", Unit::Hours),
    ("occurrences", "occurrences", Unit::Count),
];

/// Keys that hold nothing to say: for programs, or said better by another key.
const SKIPPED: &[&str] = &[
    "type",
    "timezone",
    "method",
    "flags",
    "basis",
    "message",
    "summary",
    "interpretation",
    "energySource",
    "capacityBasis",
    "irradianceBasis",
    "loggerType",
    "siteId",
    "site_id",
    "loggerId",
    "logger_id",
    "loggerIds",
    "handle",
    "electricityRateUsd",
    "savingsUsd",
    "treesEquivalent",
    "rangeMin",
    "rangeMax",
    "pr",
    "pr25C",
    "role",
    "metric",
    "currency",
    "stepMinutes",
    "evidence",
    "robustZ",
    "commonRecords",
    "color",
    "id",
    "year",
    "count",
    "text",
    "localHour",
    "personsTimeZone",
    "recordCount",
    "night",
    "current",
    "counted",
];

/// Words of units in keys.
const UNITS: &[&str] = &["kg", "kw", "kwh", "pct", "percent", "usd", "w", "watts"];

/// Words of keys that say nothing without the key above.
const GENERAL: &[&str] = &[
    "amount", "average", "avg", "first", "last", "max", "mean", "min", "value",
];

/// Words of measures that say at which place of a row something is, or add up along it: the
/// highest of them says nothing.
const PLACES: &[&str] = &[
    "cumulative",
    "horizon",
    "place",
    "position",
    "rank",
    "ranked",
    "ranking",
    "running",
];

/// Whole labels of the same kind.
const CALENDAR: &[&str] = &["hour", "day", "month", "number", "quarter", "week", "year"];

/// Whether a measure is a place in a row, or a sum along it.
pub(super) fn is_place(label: &str) -> bool {
    CALENDAR.contains(&label) || label.split(' ').any(|word| PLACES.contains(&word))
}

pub(super) fn is_skipped(key: &str) -> bool {
    SKIPPED.contains(&key)
}

pub(super) fn is_unit(token: &str) -> bool {
    UNITS.contains(&token)
}

pub(super) fn is_general(tokens: &[String]) -> bool {
    tokens.len() == 1 && tokens.iter().all(|token| GENERAL.contains(&token.as_str()))
}

pub(super) fn renamed(key: &str) -> Option<(&'static str, Unit)> {
    let found = RENAMED.iter().find(|(name, ..)| *name == key);
    found.map(|(_, label, unit)| (*label, unit.clone()))
}
