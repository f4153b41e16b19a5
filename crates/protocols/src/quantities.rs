//! The figures on the cards of the site assistant: their labels and units. Their components are
//! known by name; rows of queries and the cards made of them keep the names of their columns.

/// The components whose members are these figures.
const COMPONENTS: [&str; 5] = [
    "FleetOverview",
    "FinancialReport",
    "HealthReport",
    "FleetHealthReport",
    "ComparisonChart",
];

/// A member, its label and its unit.
const QUANTITIES: [(&str, &str, &str); 29] = [
    ("totalPower", "Power", "W"),
    ("totalEnergy", "Energy", "kWh"),
    ("deviceCount", "Devices", ""),
    ("onlineCount", "Devices online", ""),
    ("percentOnline", "Share online", "%"),
    ("dataTimestamp", "Time of the data", ""),
    ("loggerId", "Device", ""),
    ("loggerType", "Type", ""),
    ("power", "Power", "W"),
    ("energy", "Energy", "kWh"),
    ("irradiance", "Irradiance", "W/m²"),
    ("energyGenerated", "Energy", "kWh"),
    ("electricityRate", "Price per kWh", ""),
    ("co2Offset", "CO₂ avoided", "kg"),
    ("treesEquivalent", "Trees grown for ten years", ""),
    ("missingDays", "Days without data", ""),
    ("totalPredicted", "Expected energy", "kWh"),
    ("predictedEnergy", "Expected energy", "kWh"),
    ("rangeMin", "At least", "kWh"),
    ("rangeMax", "At most", "kWh"),
    ("healthScore", "Health score", "of 100"),
    ("avgHealthScore", "Mean health score", "of 100"),
    ("anomalyCount", "Anomalies", ""),
    ("totalAnomalies", "Anomalies", ""),
    ("lostKwh", "Energy lost", "kWh"),
    ("shortfallKwh", "Energy less than expected", "kWh"),
    ("vsPeersPct", "Compared with peers", "%"),
    ("spreadPercent", "Spread", "%"),
    ("totalKwh", "Energy of all", "kWh"),
];

/// Whether a component is a card of the site assistant.
pub(crate) fn are_on(component: Option<&str>) -> bool {
    component.is_some_and(|name| COMPONENTS.contains(&name))
}

/// The label and the unit of a member of such a card.
pub(crate) fn of(member: &str) -> Option<(&'static str, &'static str)> {
    let found = QUANTITIES.iter().find(|(name, _, _)| *name == member);
    found.map(|(_, label, unit)| (*label, *unit))
}
