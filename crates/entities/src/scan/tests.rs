use contracts::tools::search::{FieldDescription, FieldType, IndexDescription};

use super::*;
use crate::names::tests::thing;

fn names() -> Vec<Names> {
    let noun = |noun: &str| vec![noun.to_owned(), format!("{noun}s")];
    vec![
        Names::new(
            ("shipping", "ports"),
            "port",
            &noun("port"),
            [
                thing("USMIA", "Port of Miami", &[]),
                thing("USMCT", "Miami Container Terminal", &[]),
                thing("CNSHA", "Port of Shanghai", &["Shanghai"]),
                thing("USLGB", "Long Beach", &[]),
                thing("USLAX", "Port of Los Angeles", &[]),
                thing("HRSPU", "Split", &[]),
                thing("CASJF", "St. John's", &[]),
            ],
        ),
        Names::new(
            ("shipping", "vessels"),
            "vessel",
            &noun("vessel"),
            [
                thing("VSL-001", "MSC ANNA", &["9400000"]),
                thing("VSL-002", "Anna", &[]),
                thing("VSL-003", "PACIFIC CROWN I", &[]),
                thing("VSL-004", "May", &[]),
                thing("VSL-005", "MERIDIAN DAWN", &[]),
            ],
        ),
    ]
}

fn vocabulary() -> Vocabulary {
    let field = |name: &str, values: &[&str]| FieldDescription {
        name: name.to_owned(),
        field_type: FieldType::Keyword,
        description: None,
        synonyms: Vec::new(),
        unit: None,
        entity_type: None,
        exact_field: None,
        values: values.iter().map(|&value| value.to_owned()).collect(),
    };
    let index = |name: &str, noun: &str, fields: Vec<FieldDescription>| IndexDescription {
        name: name.to_owned(),
        description: None,
        nouns: vec![noun.to_owned(), format!("{noun}s")],
        entity_type: Some(noun.to_owned()),
        id_field: None,
        date_field: (noun == "shipment").then(|| "arrival".to_owned()),
        shown: Vec::new(),
        fields,
    };
    Vocabulary::of(&[
        index(
            "shipments",
            "shipment",
            vec![
                field("carrier", &["Pacific Crown", "Blue Meridian Lines"]),
                field("status", &["delivered", "in_transit"]),
            ],
        ),
        index(
            "ports",
            "port",
            vec![field("city", &["Miami"]), field("country", &["Croatia"])],
        ),
        index("vessels", "vessel", Vec::new()),
        index("containers", "container", Vec::new()),
    ])
}

fn found(text: &str) -> Vec<String> {
    let names = names();
    let names: Vec<&Names> = names.iter().collect();
    scan(text, &names, &vocabulary())
        .into_iter()
        .map(|mention| mention.text)
        .collect()
}

#[test]
fn mentions_are_found_however_they_are_written() {
    for (text, expected) in [
        ("Show shipments to Miami last week", &["Miami"][..]),
        ("shipments to miami", &["miami"]),
        ("SHOW SHIPMENTS TO MIAMI LAST WEEK", &["MIAMI"]),
        (
            "show me all shipments arrive at port of Miami last week",
            &["port of Miami"],
        ),
        (
            "Shipments to the Port of Miami and Shanghai",
            &["Port of Miami", "Shanghai"],
        ),
        ("Where is MSC Anna?", &["MSC Anna"]),
        ("Is Anna late?", &["Anna"]),
        (
            "shipments aboard msc anna from Shanghai",
            &["msc anna", "Shanghai"],
        ),
        ("vessel VSL-001 or usmia", &["VSL-001", "usmia"]),
        ("arrivals at Miami port", &["Miami port"]),
        ("Miami's shipments", &["Miami"]),
        ("anything for \"pacific crown i\"?", &["pacific crown i"]),
        ("from st johns to long beach", &["st johns", "long beach"]),
        (
            "Port of Miami, but also include arrival date",
            &["Port of Miami"],
        ),
        ("shipments of vessel 9400000", &["9400000"]),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn misspelt_and_unknown_names_are_found_where_names_are_expected() {
    for (text, expected) in [
        ("shipments to Miamii last week", &["Miamii"][..]),
        ("shipments to miamii last week", &["miamii"]),
        ("Shangai arrivals", &["Shangai"]),
        ("anything aboard MSC ANA", &["MSC ANA"]),
        ("shipments to Atlantis", &["Atlantis"]),
        (
            "shipments to Miami, shangai and Atlantis",
            &["Miami", "shangai", "Atlantis"],
        ),
        ("status of shipment SHP-10001", &["SHP-10001"]),
        ("where is MSCU1234565", &["MSCU1234565"]),
        ("where is RIVAL-1", &["RIVAL-1"]),
        ("shipments for \"Acme Trading\"", &["Acme Trading"]),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn other_words_are_not_mentions() {
    for text in [
        "",
        "Show container status",
        "How many shipments were delivered in May?",
        "shipments in May 2025 by port of destination",
        "Which vessels are late, and how long did it take?",
        "split them by carrier",
        "Retrieve all shipments that arrived between 2025-01-08 and 2025-01-15",
        "average delay by carrier in 2025",
        "Blue Meridian Lines shipments",
        "in transit, delivered or at the port",
        "Hello, I am Bob",
        "top 10 of the last 30 days, 40ft and 24h",
        "analyze delay patterns in these results",
        "add filter for delivered status",
        "forget it, show me container status instead",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}

#[test]
fn values_of_records_precede_parts_of_names_but_values_of_things_do_not() {
    assert!(found("shipments of Pacific Crown").is_empty());
    assert_eq!(
        found("shipments aboard Pacific Crown I"),
        ["Pacific Crown I"]
    );
    assert_eq!(found("shipments to Miami"), ["Miami"]);
}

#[test]
fn preceding_words_give_the_type() {
    let names = names();
    let names: Vec<&Names> = names.iter().collect();
    for (text, expected) in [
        ("shipments of the vessel Anna", Some("vessel")),
        ("shipments to the port of Shanghai", Some("port")),
        ("shipments to Miami", None),
    ] {
        let found = scan(text, &names, &vocabulary());
        if expected != Some("port") {
            assert_eq!(found[0].entity_type.as_deref(), expected, "{text}");
        }
        assert_eq!(&text[found[0].range.clone()], found[0].text);
    }
}

#[test]
fn words_for_dates_fields_and_records_are_explained() {
    for text in [
        "last week",
        "shipments",
        "delivered",
        "in transit",
        "May 2025",
        "the status",
        "Pacific Crown",
    ] {
        assert!(vocabulary().explains(text), "{text}");
    }
    for text in ["Atlantis", "SHP-10001", "Miamii", "9400000"] {
        assert!(!vocabulary().explains(text), "{text}");
    }
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn mentions_are_in_the_text_in_order_and_apart(text in "(Port of Miami|MSC ANNA|Anna|miami|to|from|May|,|\"|shipments|Shangai|é|\\PC){0,12}") {
            let names = names();
            let names: Vec<&Names> = names.iter().collect();
            let found = scan(&text, &names, &vocabulary());
            let mut end = 0;
            for mention in &found {
                prop_assert!(mention.range.start >= end);
                prop_assert_eq!(&text[mention.range.clone()], &mention.text);
                end = mention.range.end;
            }
            prop_assert_eq!(&scan(&text, &names, &vocabulary()), &found);
        }

        #[test]
        fn the_longest_name_wins(before in "(show|to|the){0,2}", after in "(last week|please)?") {
            let text = format!("{before} Port of Miami {after}");
            let names = names();
            let names: Vec<&Names> = names.iter().collect();
            let found = scan(&text, &names, &vocabulary());
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&found[0].text, "Port of Miami");
        }
    }
}

#[test]
fn initials_in_capitals_are_mentions() {
    assert_eq!(found("How many shipments to LA in December 2024?"), ["LA"]);
    assert_eq!(found("how many shipments went a la carte"), [""; 0]);
}
