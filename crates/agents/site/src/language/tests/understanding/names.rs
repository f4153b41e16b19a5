//! Names that only the list of devices distinguishes from other words.

use contracts::tools::LoggerSummary;

use super::check;
use crate::language::tests::{horizon, logger, mixed};
use crate::language::{LoggerMention, extract, may_name_a_device};

#[test]
fn names_that_only_the_list_of_devices_knows_are_devices() {
    check(
        &mixed(),
        &[
            ("serf yesterday", "PowerCurve", "SERF-EAST", "12-03"),
            ("is serf ok?", "Health", "SERF-EAST", "-"),
            (
                "how much did Bern Depot save last month",
                "Savings",
                "-",
                "11-01..11-30",
            ),
            (
                "performance ratio of bern yesterday",
                "PerformanceRatio",
                "-",
                "12-03",
            ),
            ("how is Bern Depot doing", "Fleet", "-", "-"),
            ("turn serf off", "no Control", "", ""),
            ("is serf soiled", "no Cause", "", ""),
            (
                "energy of the r27 meter last week",
                "Savings",
                "R27-MTR01",
                "11-24..11-30",
            ),
        ],
    );
}

/// Devices whose ids look like error codes, a site's name with a word of a device's id, and long
/// names of sites.
fn farms() -> Vec<LoggerSummary> {
    use contracts::tools::LoggerRole::{Inverter, Meter};
    let (rsf, serf) = (
        "RSF II, Golden, Colorado (measured 2011 to 2022)",
        "SERF East, Golden, Colorado (measured 2011 to 2022)",
    );
    vec![
        logger("F01", "goodwe", Inverter, "hill", "Hilltop Farm"),
        logger("F11", "goodwe", Inverter, "hill", "Hilltop Farm"),
        logger("FARM-METER", "plexlog", Meter, "lower", "Lower Barn"),
        logger("LOW-INV-1", "lti", Inverter, "lower", "Lower Barn"),
        logger("RSF2-INV2", "lti", Inverter, "rsf2", rsf),
        logger("SERF-INV1", "lti", Inverter, "serf", serf),
    ]
}

#[test]
fn a_device_is_no_error_code_and_the_longest_name_wins() {
    let loggers = farms();
    check(
        &loggers,
        &[
            ("energy of F01 on 25.10.2025", "PowerCurve", "F01", "10-25"),
            (
                "energy of F01 october 2025",
                "Savings",
                "F01",
                "10-01..10-31",
            ),
            (
                "savings of F11 in october",
                "Savings",
                "F11",
                "10-01..10-31",
            ),
            (
                "PR of F11 on 31 October 2025",
                "PerformanceRatio",
                "F11",
                "10-31",
            ),
            (
                "Show the power curve of F11 on 31 October 2025",
                "PowerCurve",
                "F11",
                "10-31",
            ),
            ("check F01", "Health", "F01", "-"),
            ("compare F01 and F11", "Compare", "F01+F11", "-"),
            (
                "error codes of F01 last week",
                "ErrorCodes",
                "F01",
                "11-24..11-30",
            ),
            ("what does F99 mean?", "ErrorCodes", "-", "-"),
            ("energy of F99 yesterday", "Savings", "unknown F99", "12-03"),
            (
                "How much did Hilltop Farm save in october",
                "Savings",
                "-",
                "10-01..10-31",
            ),
            (
                "energy of FARM-METER last week",
                "Savings",
                "FARM-METER",
                "11-24..11-30",
            ),
            ("PR of RSF II", "PerformanceRatio", "RSF2-INV2", "-"),
            (
                "energy of RSF II, Golden, Colorado on 4 january 2022",
                "PowerCurve",
                "RSF2-INV2",
                "01-04",
            ),
        ],
    );
    let site = |message| extract(message, &horizon(&loggers)).site;
    for message in [
        "How much did Hilltop Farm save in october",
        "hilltop farm's savings",
        "savings at Hilltop",
    ] {
        assert_eq!(site(message).as_deref(), Some("hill"), "{message}");
    }
    assert_eq!(site("savings in Golden"), None);
    for (message, expected) in [
        ("energy of F01", true),
        ("what is E-501", true),
        ("energy of LTI-INV-001", false),
    ] {
        assert_eq!(may_name_a_device(message), expected, "{message}");
    }
}

/// Ids that differ in zeros and separators alone.
fn alike() -> Vec<LoggerSummary> {
    use contracts::tools::LoggerRole::Inverter;
    [
        "INV-001", "INV-01", "INV-1", "INV-2", "INV-02", "WR 2", "WR-2",
    ]
    .map(|id| logger(id, "lti", Inverter, "hof", "Hof"))
    .to_vec()
}

#[test]
fn an_exact_id_wins_over_those_that_are_alike() {
    use LoggerMention::{Ambiguous, One, Several};
    let loggers = alike();
    let named = |message: &str| extract(message, &horizon(&loggers)).loggers;
    for id in ["INV-1", "INV-01", "INV-001", "WR-2", "WR 2"] {
        for message in [
            format!("Energy of {id} on 29 November"),
            format!("Energy of \"{id}\" on 29 November"),
            format!("energy of {} on 29 November", id.to_lowercase()),
            format!("{id}'s energy on 29 November"),
        ] {
            assert_eq!(named(&message), One(id.to_owned()), "{message}");
        }
    }
    let several = |ids: &[&str]| Several(ids.iter().map(|id| (*id).to_owned()).collect());
    for (message, expected) in [
        ("Compare INV-1 and INV-01", &["INV-1", "INV-01"][..]),
        (
            "Compare INV-01 and INV-001 in November",
            &["INV-01", "INV-001"],
        ),
        ("compare WR-2 with WR 2", &["WR-2", "WR 2"]),
        ("compare INV-1 and 02", &["INV-1", "INV-02"]),
        ("compare INV-1, 01 and 2", &["INV-1", "INV-01", "INV-2"]),
    ] {
        assert_eq!(named(message), several(expected), "{message}");
    }
    for (message, alike) in [
        (
            "energy of INV 1 on 29 November",
            &["INV-001", "INV-01", "INV-1"][..],
        ),
        (
            "energy of INV-0001 on 29 November",
            &["INV-001", "INV-01", "INV-1"],
        ),
        ("energy of inv_2 on 29 November", &["INV-2", "INV-02"]),
        ("energy of WR-02 on 29 November", &["WR 2", "WR-2"]),
    ] {
        let Ambiguous { candidates, .. } = named(message) else {
            panic!("{message}: {:?}", named(message));
        };
        assert_eq!(candidates, alike, "{message}");
    }
    // One that is alike to no other is found in any spelling.
    let demo = crate::language::tests::demo();
    let found = extract("energy of gw inv 1 yesterday", &horizon(&demo)).loggers;
    assert_eq!(found, One("GW-INV-001".to_owned()));
}
