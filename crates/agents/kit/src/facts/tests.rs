use serde_json::{Value, json};

use super::*;
use crate::{Closing, Gate, Piece};

/// A fleet of five devices, one of which is offline.
fn fleet() -> Value {
    let device = |id: &str, state: &str, energy: f64| json!({ "loggerId": id, "siteId": "demo", "state": state, "energyTodayKwh": energy, "powerWatts": energy * 50.0 });
    json!({
        "fleet": {
            "type": "fleet_overview", "timestamp": "2025-12-04T15:00:00+00:00", "localDate": "2025-12-04", "dateMismatch": null,
            "status": { "totalLoggers": 5, "activeLoggers": 4, "producing": 4, "asleep": 0, "offline": 1, "percentOnline": 80.0, "fleetHealth": "Degraded" },
            "production": { "currentTotalPowerWatts": 4800.0, "todayTotalEnergyKwh": 86.0 },
            "offlineLoggers": [{ "loggerId": "SD-INV-001", "siteId": "demo", "lastSeen": "2025-12-03T12:00:00+00:00", "reason": "It sends no readings." }],
            "devices": [device("GW-INV-001", "producing", 42.98), device("LTI-INV-001", "producing", 20.0), device("MEIER-INV-001", "producing", 15.0), device("SB-INV-001", "producing", 8.02), device("SD-INV-001", "offline", 0.0)],
        },
    })
}

fn registry(result: &Value) -> (FactRegistry, Value) {
    let mut facts = FactRegistry::default();
    let told = facts.annotate(result);
    (facts, told)
}

/// The id of the fact whose line or value holds this.
fn id(facts: &FactRegistry, subject: &str, label: &str, kind: impl Fn(&Kind) -> bool) -> String {
    let found = facts.facts.iter().find(|fact| {
        fact.subject.name().unwrap_or("") == subject
            && fact.measure.label == label
            && kind(&fact.kind)
    });
    format!(
        "[[{}]]",
        found
            .unwrap_or_else(|| panic!("{subject} {label}: {:#?}", facts.facts))
            .id
    )
}

#[test]
fn word_lists_are_in_order() {
    lexicon::tests_sorted();
}

#[test]
fn values_are_written_by_the_server() {
    let (facts, told) = registry(&fleet());
    let device = &told["fleet"]["devices"][0];
    assert!(
        device["energyTodayKwh"]
            .as_str()
            .unwrap()
            .starts_with("43 kWh [[f"),
        "{told}"
    );
    let gw = id(&facts, "GW-INV-001", "energy", |kind| *kind == Kind::Value);
    let lti = id(&facts, "LTI-INV-001", "energy", |kind| *kind == Kind::Value);
    let offline = id(&facts, "", "devices offline", |kind| {
        matches!(kind, Kind::Part { .. })
    });
    let leads = id(&facts, "GW-INV-001", "energy", |kind| {
        *kind == Kind::Extreme { greatest: true }
    });
    let more = id(
        &facts,
        "GW-INV-001",
        "energy",
        |kind| matches!(kind, Kind::Difference { more: true, other } if other == "SD-INV-001"),
    );
    let said = |text: &str| facts.word(text).text;
    for (text, expected) in [
        (format!("GW-INV-001 made {gw}."), "GW-INV-001 made 43 kWh."),
        (
            format!("GW-INV-001 made {gw} and LTI-INV-001 {lti} today."),
            "GW-INV-001 made 43 kWh and LTI-INV-001 20 kWh today.",
        ),
        (
            format!("{offline} devices are offline."),
            "1 of 5 devices are offline.",
        ),
        (
            format!("GW-INV-001 made the most {leads}, {gw}."),
            "GW-INV-001 made the most, 43 kWh.",
        ),
        (
            format!("{leads} made the most."),
            "GW-INV-001 made the most.",
        ),
        (
            format!("GW-INV-001 made {more} more than SD-INV-001."),
            "GW-INV-001 made 43 kWh more than SD-INV-001.",
        ),
        (
            format!("GW-INV-001 made {gw} kWh."),
            "GW-INV-001 made 43 kWh.",
        ),
        // A value that is quoted as the model got it is that of its fact.
        (
            "GW-INV-001 made 43 kWh.".to_owned(),
            "GW-INV-001 made 43 kWh.",
        ),
    ] {
        assert_eq!(said(&text), expected, "{text}");
    }
    for text in [
        format!("SD-INV-001 made {gw}."),
        format!("GW-INV-001 made {lti} and LTI-INV-001 {gw}."),
        format!("GW-INV-001 peaked at {gw}."),
        format!("SD-INV-001 made {more} more than GW-INV-001."),
        format!("GW-INV-001 made {more} less than SD-INV-001."),
        format!("LTI-INV-001 made the most {leads}."),
        format!("GW-INV-001 did not make {gw}."),
        format!("GW-INV-001 made {gw} yesterday."),
        format!("GW-INV-001 made {gw} because the sun was strong."),
        format!("GW-INV-001 made -{gw}."),
        format!("GW-INV-001 made {gw}, which is 50 %."),
        format!("All {offline} devices are offline."),
        "GW-INV-001 made 42.98 kWh.".to_owned(),
        "GW-INV-001 made 43 W.".to_owned(),
        "SD-INV-001 made 43 kWh.".to_owned(),
        "All devices are online and nothing is wrong.".to_owned(),
        "Sure, you can.".to_owned(),
    ] {
        assert_eq!(said(&text), "", "{text}");
    }
}

#[test]
fn words_behind_a_value_are_not_glued_to_it() {
    let mut facts = FactRegistry::default();
    for (label, unit, number) in [
        ("shipments total", Unit::Count, 142.0),
        ("weight total", Unit::Plain, 7.25),
        ("cost", Unit::Money("USD".to_owned()), 3.5),
    ] {
        facts.tell(Subject::Whole, label, unit, number);
    }
    for (text, said) in [
        (
            "There were [[f1]] shipments in total.",
            "There were 142 shipments in total.",
        ),
        ("Shipments: [[f1]] in total.", "Shipments: 142 in total."),
        (
            "The weight is [[f2]] in total.",
            "The weight is 7.25 in total.",
        ),
        (
            "The weight: **[[f2]]** in total.",
            "The weight: **7.25** in total.",
        ),
        (
            "The weight is [[f2]]in total.",
            "The weight is 7.25 in total.",
        ),
        (
            "The cost is [[f3]]in total.",
            "The cost is USD 3.50 in total.",
        ),
    ] {
        assert_eq!(facts.word(text).text, said, "{text}");
    }
}

#[test]
fn what_has_to_be_said_comes_first() {
    let (mut facts, _) = registry(&fleet());
    facts.must_say("1 of your 5 inverters is offline: SD-INV-001. Your panels made 86 kWh today.");
    facts.state("I'd check the health of SD-INV-001 next.");
    let total = id(&facts, "", "energy", |kind| *kind == Kind::Value);
    let worded = facts.word(&format!("Your panels made {total} today."));
    assert_eq!(
        worded.text,
        "1 of your 5 inverters is offline: SD-INV-001. Your panels made 86 kWh today."
    );
    let worded = facts.word(&format!("[[s1]] Your site made {total} today. [[s3]]"));
    assert_eq!(
        worded.text,
        "1 of your 5 inverters is offline: SD-INV-001. Your site made 86 kWh today. I'd check the health of SD-INV-001 next."
    );
}

#[test]
fn a_text_waits_for_what_has_to_be_said_and_streams_from_there() {
    let (mut facts, _) = registry(&fleet());
    facts.must_say("1 of your 5 inverters is offline: SD-INV-001.");
    let mut gate = FactGate::new(&facts);
    assert!(gate.push("Good morning! ").is_empty());
    assert!(gate.push("[[s1]] Let").is_empty());
    assert_eq!(
        gate.push(" me look. Good"),
        [Piece::Said(
            "Good morning! 1 of your 5 inverters is offline: SD-INV-001. Let me look.".into()
        )]
    );
    assert_eq!(gate.push(" evening! "), []);
    assert_eq!(gate.close(), Closing::default());
}

#[test]
fn a_sentence_names_what_its_figure_is_of_and_a_device_has_a_figure() {
    let mut facts = FactRegistry::default();
    facts.annotate(&json!({ "devices": [
        { "loggerId": "HOF-INV-5", "energyTodayKwh": 12.0, "expectedKwh": 217.0 },
        { "loggerId": "HOF-INV-6", "energyTodayKwh": 14.0, "expectedKwh": 200.0 },
    ] }));
    let told = "HOF-INV-5 made 12 kWh.";
    for hollow in ["HOF-INV-5 made.", "HOF-INV-6 made."] {
        let both = format!("{told} {hollow}");
        assert_eq!(facts.word(&both).text, told, "{hollow}");
    }
    for hollow in ["HOF-INV-5 made.", "217 expected.", "217 kWh expected."] {
        assert_eq!(facts.word(hollow).text, "", "{hollow}");
    }
}
