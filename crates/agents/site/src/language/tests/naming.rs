//! Devices, rates, capacities, metrics.

use contracts::tools::{ComparisonMetric, LoggerSummary};

use super::{demo, horizon, logger, mixed};
use crate::language::{LoggerMention, Note, extract, wants_all};

fn shown(mention: &LoggerMention) -> String {
    match mention {
        LoggerMention::None => "-".to_owned(),
        LoggerMention::One(id) => id.clone(),
        LoggerMention::Several(ids) => ids.join("+"),
        LoggerMention::All => "all".to_owned(),
        LoggerMention::Ambiguous { phrase, candidates } => {
            format!("{phrase}? {}", candidates.join("/"))
        }
        LoggerMention::Unknown { phrase } => format!("unknown {phrase}"),
    }
}

fn check(loggers: &[LoggerSummary], table: &[(&str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .map(|(message, expected)| {
            (
                *message,
                *expected,
                shown(&extract(message, &horizon(loggers)).loggers),
            )
        })
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn one_of_the_demo_fleet() {
    check(
        &demo(),
        &[
            ("check the health of LTI-INV-001", "LTI-INV-001"),
            ("check lti-inv-001", "LTI-INV-001"),
            ("check LTIINV001", "LTI-INV-001"),
            ("check lti inv 001", "LTI-INV-001"),
            ("check lti_inv_1", "LTI-INV-001"),
            ("LTI-INV-001's health", "LTI-INV-001"),
            ("(LTI-INV-001)", "LTI-INV-001"),
            ("health of the LTI", "LTI-INV-001"),
            ("GW-INV", "GW-INV-001"),
            ("how is GW", "GW-INV-001"),
            ("the SmartDog", "SD-INV-001"),
            ("the smart dog", "SD-INV-001"),
            ("smartdgo yesterday", "SD-INV-001"),
            ("goodwe inverter", "GW-INV-001"),
            ("the good we inverter", "GW-INV-001"),
            ("MEIER", "MEIER-INV-001"),
            ("the Meyer one", "MEIER-INV-001"),
            ("power curve of GW-INV-001 on Nov 29", "GW-INV-001"),
            ("goodwe GW-INV-001", "GW-INV-001"),
            ("GW inverter 1", "GW-INV-001"),
            ("SD 1", "SD-INV-001"),
        ],
    );
}

#[test]
fn several_of_the_demo_fleet() {
    check(
        &demo(),
        &[
            ("compare GW and SD on energy", "GW-INV-001+SD-INV-001"),
            (
                "GW-INV-001, LTI-INV-001 & MEIER",
                "GW-INV-001+LTI-INV-001+MEIER-INV-001",
            ),
            (
                "compare sd-inv-001 with gw-inv-001",
                "SD-INV-001+GW-INV-001",
            ),
            (
                "the LTI versus the goodwe inverter",
                "LTI-INV-001+GW-INV-001",
            ),
            ("GW-INV-001 and GW-INV-001", "GW-INV-001"),
            (
                "all inverters except the LTI",
                "GW-INV-001+MEIER-INV-001+SD-INV-001",
            ),
            ("compare GW with the rest", "all"),
            ("compare GW-INV-001 with the fleet", "all"),
        ],
    );
}

#[test]
fn what_is_left_out_is_not_what_is_asked_about() {
    check(
        &demo(),
        &[
            (
                "savings of november without LTI-INV-001",
                "GW-INV-001+MEIER-INV-001+SD-INV-001",
            ),
            (
                "everything but the LTI: energy in october",
                "GW-INV-001+MEIER-INV-001+SD-INV-001",
            ),
            (
                "energy without LTI and MEIER in october",
                "GW-INV-001+SD-INV-001",
            ),
            (
                "LTI-INV-001 not GW-INV-001: energy in october",
                "LTI-INV-001",
            ),
            (
                "other than LTI-INV-001, who is best in october?",
                "GW-INV-001+MEIER-INV-001+SD-INV-001",
            ),
        ],
    );
    check(
        &mixed(),
        &[
            (
                "energy of Bern Depot but not GW-INV-002 in october",
                "GW-INV-001+925",
            ),
            (
                "savings in october without the Bern Depot",
                "RSF2-INV2+SERF-EAST+INV-30339",
            ),
        ],
    );
    let loggers = mixed();
    let message = "savings in october without the Bern Depot";
    assert_eq!(extract(message, &horizon(&loggers)).site, None);
}

#[test]
fn all_of_the_demo_fleet() {
    check(
        &demo(),
        &[
            ("compare all inverters", "all"),
            ("check every device", "all"),
            ("health of each inverter", "all"),
            ("the whole park", "all"),
            ("the entire fleet", "all"),
            ("everything", "all"),
            ("all of them", "all"),
            ("check all", "all"),
            ("all my solar inverters", "all"),
            ("health of all four inverters", "all"),
            ("compare all inverters at the demo site", "all"),
        ],
    );
    assert!(
        wants_all("energy of yesterday per device") && wants_all("energy by inverter yesterday")
    );
    assert!(!wants_all("energy by inverter LTI") && !wants_all("cost per kWh"));
    assert!(wants_all("full system please") && !wants_all("is all well") && !wants_all("each day"));
}

#[test]
fn ordinary_words_name_no_device() {
    let mut loggers = demo();
    for id in [
        "ME-001", "GO-INV-1", "LIT-2", "ON-SUN-1", "IT-7", "DAY-1", "SOLAR-5",
    ] {
        loggers.push(logger(
            id,
            "lti2",
            contracts::tools::LoggerRole::Inverter,
            "demo",
            "Demo Site",
        ));
    }
    check(
        &loggers,
        &[
            ("show me the savings", "-"),
            ("go on", "-"),
            ("is it lit today", "-"),
            ("the sun is on", "-"),
            ("how much did I save in 1 day", "-"),
            ("at 0.30 per kWh for 7 days", "-"),
            ("solar savings", "-"),
            ("what does E-501 mean", "-"),
            ("error code 501", "-"),
            ("10 GW of power", "-"),
            ("week-by-week and day-ahead view", "-"),
            ("check ME-001", "ME-001"),
            ("check ME", "ME-001"),
            ("co2 of q3", "-"),
        ],
    );
}

#[test]
fn unknown_and_ambiguous_names() {
    check(
        &demo(),
        &[
            ("check INV-999", "unknown INV-999"),
            ("health of GW-INV-999", "unknown GW-INV-999"),
            ("compare GW-INV-001 and XYZ-123", "unknown XYZ-123"),
            ("inverter 7", "unknown inverter 7"),
            (
                "inverter 1",
                "inverter 1? GW-INV-001/LTI-INV-001/MEIER-INV-001/SD-INV-001",
            ),
            (
                "INV-001",
                "INV-001? GW-INV-001/LTI-INV-001/MEIER-INV-001/SD-INV-001",
            ),
            ("LTI-IVN-001", "LTI-IVN-001? LTI-INV-001"),
            ("GW-INV-0012", "unknown GW-INV-0012"),
            ("abc12 health", "unknown abc12"),
        ],
    );
}

#[test]
fn a_mixed_fleet() {
    check(
        &mixed(),
        &[
            ("the goodwe", "goodwe? GW-INV-001/GW-INV-002"),
            ("the goodwe inverters", "GW-INV-001+GW-INV-002"),
            ("all goodwe inverters", "GW-INV-001+GW-INV-002"),
            ("goodwe 2", "GW-INV-002"),
            ("GW inverter 2", "GW-INV-002"),
            ("GW-INV", "GW-INV? GW-INV-001/GW-INV-002"),
            ("compare inverter 1 and 2", "2? GW-INV-002/RSF2-INV2"),
            ("logger 925", "925"),
            ("check 925", "925"),
            ("the last 925 days", "-"),
            ("r27", "R27-MTR01"),
            ("RSF2", "RSF2-INV2"),
            ("RSF2-INV2", "RSF2-INV2"),
            ("serf east", "SERF-EAST"),
            ("30339", "INV-30339"),
            ("inverter 30339", "INV-30339"),
            ("my weather station", "WS-1"),
            ("the meters", "RSF2-METER+R27-MTR01"),
            ("savings in Golden", "RSF2-INV2"),
            ("all inverters at Bern", "GW-INV-001+GW-INV-002+925"),
            ("bern depot", "-"),
            (
                "the goodwe in Bern number 2",
                "goodwe? GW-INV-001/GW-INV-002",
            ),
        ],
    );
    let loggers = mixed();
    assert_eq!(
        extract("how much did Bern save", &horizon(&loggers))
            .site
            .as_deref(),
        Some("bern")
    );
    assert_eq!(
        extract("how much did I save", &horizon(&loggers)).site,
        None
    );
}

#[test]
fn rates() {
    let loggers = demo();
    let table: &[(&str, Option<f64>)] = &[
        ("savings at 0.30 per kWh", Some(0.30)),
        ("with 28 ct/kWh", Some(0.28)),
        ("savings with 28.5 cents per kWh", Some(0.285)),
        ("27 Rp.", Some(0.27)),
        ("CHF 0.27", Some(0.27)),
        ("0.27 CHF/kWh", Some(0.27)),
        ("at $0.15", Some(0.15)),
        ("€0,31 per kWh", Some(0.31)),
        ("a rate of .25", Some(0.25)),
        ("tariff 0.2", Some(0.2)),
        ("at 0.30", Some(0.30)),
        ("did I save $120 last month", None),
        ("savings at 7", None),
        ("on 29.11.2025", None),
        ("5 kWh", None),
        ("last 30 days", None),
        ("at 30 per kWh", None),
    ];
    for (message, expected) in table {
        let found = extract(message, &horizon(&loggers));
        assert_eq!(found.rate, *expected, "{message}");
        let refused = found
            .notes
            .iter()
            .any(|note| matches!(note, Note::RateOutOfRange { .. }));
        assert_eq!(refused, *message == "at 30 per kWh", "{message}");
    }
}

#[test]
fn capacities_and_metrics() {
    let loggers = demo();
    let capacity = |message: &str| extract(message, &horizon(&loggers)).capacity_kw;
    assert_eq!(
        capacity("performance ratio of GW-INV-001 with 10 kWp"),
        Some(10.0)
    );
    assert_eq!(capacity("5.5kWp"), Some(5.5));
    assert_eq!(capacity("0.5 MWp"), Some(500.0));
    assert_eq!(capacity("5000 Wp"), Some(5.0));
    assert_eq!(capacity("capacity of 6 kW"), Some(6.0));
    assert_eq!(capacity("peak of 6 kW"), None);
    let metric = |message: &str| extract(message, &horizon(&loggers)).metric;
    assert_eq!(
        metric("compare GW and SD on energy"),
        Some(ComparisonMetric::Energy)
    );
    assert_eq!(
        metric("Compare total energy production"),
        Some(ComparisonMetric::Energy)
    );
    assert_eq!(
        metric("compare power of GW and SD"),
        Some(ComparisonMetric::Power)
    );
    assert_eq!(
        metric("compare irradiance"),
        Some(ComparisonMetric::Irradiance)
    );
    assert_eq!(metric("compare GW and SD"), None);
}

#[test]
fn everything_at_once() {
    let loggers = demo();
    let found = extract(
        "How much did the SmartDog save from Nov 3 to Nov 9 at 28 ct/kWh?",
        &horizon(&loggers),
    );
    assert_eq!(shown(&found.loggers), "SD-INV-001");
    assert_eq!(found.rate, Some(0.28));
    assert!(found.when.is_some() && found.days_ahead.is_none());
}

#[test]
fn a_site_may_be_called_plant() {
    use contracts::tools::LoggerRole::Inverter;
    let sites = [
        ("A-1", "plant-a", "Plant A"),
        ("B-1", "plant-b", "Plant B"),
        ("N-1", "north", "North plant"),
        ("S-1", "south", "South plant"),
        ("P-1", "plant", "Plant"),
    ];
    let loggers = sites.map(|(id, site, name)| logger(id, "goodwe", Inverter, site, name));
    let wrong: Vec<_> = [
        ("energy of Plant A yesterday", "plant-a"),
        ("how is plant b doing?", "plant-b"),
        ("How much did plant-b make yesterday?", "plant-b"),
        ("how much did North plant make yesterday?", "north"),
        ("savings of the north plant last week", "north"),
        ("is South plant ok?", "south"),
        ("energy of Plant yesterday", "plant"),
        ("how is the plant doing?", "plant"),
        ("how much did Plant make on 3 December?", "plant"),
    ]
    .into_iter()
    .map(|(message, site)| (message, site, extract(message, &horizon(&loggers)).site))
    .filter(|(_, expected, found)| found.as_deref() != Some(*expected))
    .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // "Plant" is a word like any other where no site is called so.
    let found = extract("how is the plant doing?", &horizon(&loggers[..2])).site;
    assert_eq!(found, None);
}
