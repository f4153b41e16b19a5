//! Which figures are those of the facts.

use serde_json::{Value, json};

use super::*;

fn wrong(text: &str, facts: &Value) -> Vec<String> {
    unsupported(text, &Known::of(facts))
        .into_iter()
        .map(|figure| figure.text)
        .collect()
}

#[test]
fn figures_may_change_unit_and_places() {
    let facts = json!({"watts": 4_321.7, "kwh": 12_345.6, "share": 0.984, "percent": 75.0, "minutes": 238.0, "kg": 15_400.0, "rate": 0.28});
    for text in [
        "4.3 kW",
        "4,322 W",
        "12.3 MWh",
        "12,346 kWh",
        "98.4 %",
        "98%",
        "75 percent",
        "3.97 hours",
        "4 hours",
        "238 minutes",
        "15.4 t",
        "15,400 kg",
        "CHF 0.28",
        "28 ct",
        "0.00432 MW",
    ] {
        assert!(wrong(text, &facts).is_empty(), "{text}");
    }
    for text in [
        "4.4 kW",
        "4.31 kW",
        "12.4 MWh",
        "97 %",
        "76 %",
        "3.8 hours",
        "15.5 t",
        "12,345 kWh",
        "30 ct",
        "74 percentage points",
    ] {
        assert_eq!(wrong(text, &facts), [text.replace(" points", "")], "{text}");
    }
}

#[test]
fn names_days_and_times_are_those_of_the_facts() {
    let facts = json!({"id": "GW-INV-001", "code": "E-501", "at": "2025-11-29T10:05:00+01:00", "day": "2025-12-04", "summary": {"R27": {"n": 1}}});
    for text in [
        "GW-INV-001 on 29 November 2025 at 10:05",
        "since November 29, 2025",
        "on Dec 4",
        "in December 2025",
        "in 2025",
        "E-501",
        "2025-12-04",
        "CO2 of R27",
        "the 4th of December",
    ] {
        assert!(
            wrong(text, &facts).is_empty(),
            "{text}: {:?}",
            wrong(text, &facts)
        );
    }
    for (text, expected) in [
        ("on 30 November 2025", "30 November 2025"),
        ("at 11:05", "11:05"),
        ("in 2024", "2024"),
        ("on Dec 5", "Dec 5"),
        ("2025-12-05", "2025-12-05"),
    ] {
        assert_eq!(wrong(text, &facts), [expected], "{text}");
    }
}

#[test]
fn lists_can_be_counted() {
    assert!(wrong("2 devices", &json!({"ids": ["a", "b"]})).is_empty());
    assert_eq!(wrong("3 devices", &json!({"ids": ["a", "b"]})), ["3"]);
}

#[test]
fn digits_within_words_are_no_figures() {
    assert_eq!(numbers_in("CO2, GW-INV-001, E-501, h2o, 3rd, x_7"), []);
    assert_eq!(
        numbers_in("-7 °C and 1,234.50 CHF")
            .iter()
            .map(|figure| figure.value)
            .collect::<Vec<_>>(),
        [7.0, 1234.5]
    );
}
