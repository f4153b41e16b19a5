//! Many ways to say the same.

mod answering;
mod classifying;
mod dating;
mod laws;
mod naming;
mod plant;
mod understanding;

use chrono::{DateTime, FixedOffset, NaiveDate};
use contracts::tools::{CapacityBasis, IrradianceBasis, LoggerRole, LoggerSummary};

use super::Horizon;

pub(super) fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

pub(crate) fn logger(
    id: &str,
    kind: &str,
    role: LoggerRole,
    site: &str,
    name: &str,
) -> LoggerSummary {
    let at = |text: &str| DateTime::<FixedOffset>::parse_from_rfc3339(text).unwrap();
    LoggerSummary {
        logger_id: id.to_owned(),
        logger_type: kind.to_owned(),
        role,
        site_id: site.to_owned(),
        site_name: name.to_owned(),
        timezone: "Europe/Zurich".to_owned(),
        earliest_data: Some(at("2025-11-05T00:05:00+01:00")),
        latest_data: Some(at("2025-12-04T23:55:00+01:00")),
        record_count: 8_000,
        step_minutes: Some(5.0),
        has_irradiance: true,
        irradiance_basis: IrradianceBasis::Poa,
        has_register: true,
        capacity_kw: Some(5.0),
        capacity_basis: CapacityBasis::Configured,
    }
}

/// The demo fleet.
pub(crate) fn demo() -> Vec<LoggerSummary> {
    [
        ("GW-INV-001", "goodwe"),
        ("LTI-INV-001", "lti"),
        ("MEIER-INV-001", "meier"),
        ("SD-INV-001", "smartdog"),
    ]
    .map(|(id, kind)| logger(id, kind, LoggerRole::Inverter, "demo", "Demo Site"))
    .to_vec()
}

/// Several sites, brands with several devices, a meter, a weather station, an id of digits.
pub(super) fn mixed() -> Vec<LoggerSummary> {
    use LoggerRole::{Inverter, Meter, Weather};
    vec![
        logger("GW-INV-001", "goodwe", Inverter, "bern", "Bern Depot"),
        logger("GW-INV-002", "goodwe", Inverter, "bern", "Bern Depot"),
        logger("925", "integra", Inverter, "bern", "Bern Depot"),
        logger("RSF2-INV2", "lti", Inverter, "rsf2", "NREL RSF II, Golden"),
        logger(
            "RSF2-METER",
            "plexlog",
            Meter,
            "rsf2",
            "NREL RSF II, Golden",
        ),
        logger("R27-MTR01", "plexlog", Meter, "r27", "R27"),
        logger("SERF-EAST", "smartdog", Inverter, "serf", "SERF East"),
        logger("INV-30339", "meteocontrol", Inverter, "sdt", "SDT"),
        logger("WS-1", "mbmet", Weather, "bern", "Bern Depot"),
    ]
}

/// The demo fleet on a Thursday.
pub(crate) fn horizon(loggers: &[LoggerSummary]) -> Horizon<'_> {
    Horizon {
        loggers,
        anchor: NaiveDate::from_ymd_opt(2025, 12, 4).unwrap(),
        today: NaiveDate::from_ymd_opt(2026, 3, 1).unwrap(),
    }
}
