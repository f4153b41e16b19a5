//! The fields of terms.

mod fixture;
mod properties;

use contracts::tools::clarification::ClarificationAnswer;
use contracts::tools::meanings::{FieldTerm, MatchedBy, ResolvedEntity, TermRole};
use contracts::tools::search::{FieldType, FilterOp};
use serde_json::{Value, json};

use super::*;
use fixture::{containers, entity, mapped, of_terms, shipments, term, vessels};

#[test]
fn terms_get_fields_whose_types_fit() {
    use TermRole as R;
    for (text, role, expected) in [
        ("delay", R::Measure, "delay_hours"),
        ("delays", R::Measure, "delay_hours"),
        ("average delay", R::Measure, "delay_hours"),
        ("weight", R::Measure, "weight_kg"),
        ("kg", R::Measure, "weight_kg"),
        ("cargo value", R::Measure, "value_usd"),
        ("number of containers", R::Measure, "container_count"),
        ("carrier", R::GroupBy, "carrier"),
        ("shipping lines", R::GroupBy, "carrier"),
        ("vessel", R::GroupBy, "vessel_name"),
        ("vessel id", R::GroupBy, "vessel_id"),
        ("destination", R::GroupBy, "destination_port"),
        ("month", R::GroupBy, "actual_arrival"),
        ("newest", R::Sort, "actual_arrival"),
        ("arrival date", R::Select, "actual_arrival"),
        ("planned arrival date", R::Select, "planned_arrival"),
        ("ETA", R::Select, "planned_arrival"),
        ("departure", R::Sort, "actual_departure"),
        ("comodity", R::Select, "commodity"),
        ("notes", R::Select, "notes"),
        ("remarks", R::Sort, "notes.keyword"),
        ("status", R::GroupBy, "status"),
    ] {
        let mapping = of_terms(vec![term(text, role)]);
        let fields: Vec<&str> = mapping
            .fields
            .iter()
            .map(|field| field.field.as_str())
            .collect();
        assert_eq!(fields, [expected], "{text}: {mapping:?}");
    }
}

#[test]
fn unknown_terms_are_unmapped_and_never_invented() {
    for (text, role) in [
        ("carrier", TermRole::Measure),
        ("colour", TermRole::Select),
        ("captain's birthday", TermRole::Filter),
        ("shrug", TermRole::GroupBy),
        ("date", TermRole::Measure),
    ] {
        let mapping = of_terms(vec![term(text, role)]);
        assert!(
            mapping.fields.is_empty() && mapping.clarification.is_none(),
            "{text}: {mapping:?}"
        );
        assert_eq!(mapping.unmapped[0].term, text);
    }
}

#[test]
fn words_alone_are_values() {
    for (text, field, op, values) in [
        ("delivered", "status", FilterOp::Is, json!(["delivered"])),
        (
            "delivered status",
            "status",
            FilterOp::Is,
            json!(["delivered"]),
        ),
        (
            "status delivered",
            "status",
            FilterOp::Is,
            json!(["delivered"]),
        ),
        (
            "delivered shipments",
            "status",
            FilterOp::Is,
            json!(["delivered"]),
        ),
        ("in transit", "status", FilterOp::Is, json!(["in_transit"])),
        ("canceled", "status", FilterOp::Is, json!(["cancelled"])),
        (
            "not delivered",
            "status",
            FilterOp::IsNot,
            json!(["delivered"]),
        ),
        (
            "delivered or cancelled",
            "status",
            FilterOp::Is,
            json!(["delivered", "cancelled"]),
        ),
        ("hazardous", "hazardous", FilterOp::Is, json!([true])),
        ("dangerous", "hazardous", FilterOp::Is, json!([true])),
        ("non-hazardous", "hazardous", FilterOp::Is, json!([false])),
        ("late", "is_late", FilterOp::Is, json!([true])),
        ("delayed", "is_late", FilterOp::Is, json!([true])),
        ("on time", "is_late", FilterOp::Is, json!([false])),
        (
            "seafood",
            "commodity",
            FilterOp::Is,
            json!(["frozen seafood"]),
        ),
        (
            "pacific crown",
            "carrier",
            FilterOp::Is,
            json!(["Pacific Crown"]),
        ),
    ] {
        let mapping = of_terms(vec![term(text, TermRole::Filter)]);
        let found = mapping
            .fields
            .first()
            .unwrap_or_else(|| panic!("{text}: {mapping:?}"));
        assert_eq!(
            (found.field.as_str(), found.op, json!(found.values)),
            (field, Some(op), values),
            "{text}"
        );
    }
}

#[test]
fn values_are_spelt_as_in_the_field() {
    let filter = |text: &str, op: FilterOp, value: Value| FieldTerm {
        op: Some(op),
        value: Some(value),
        ..term(text, TermRole::Filter)
    };
    let mapping = of_terms(vec![
        filter("status", FilterOp::Is, json!("Delivered")),
        filter("delay", FilterOp::Gt, json!("24")),
        filter("weight", FilterOp::Gte, json!(1000)),
        filter("hazardous", FilterOp::Is, json!("yes")),
        filter("remarks", FilterOp::Is, json!("fragile")),
        filter("remarks", FilterOp::Matches, json!("fragile")),
    ]);
    let found: Vec<(&str, Value)> = mapping
        .fields
        .iter()
        .map(|field| (field.field.as_str(), field.values[0].clone()))
        .collect();
    assert_eq!(
        found,
        [
            ("status", json!("delivered")),
            ("delay_hours", json!(24.0)),
            ("weight_kg", json!(1000)),
            ("hazardous", json!(true)),
            ("notes.keyword", json!("fragile")),
            ("notes", json!("fragile")),
        ]
    );
}

#[test]
fn entities_get_fields_by_the_words_around_them() {
    for (text, mentions, expected) in [
        (
            "shipments to Miami",
            &[("Miami", "port")][..],
            &["destination_port_id"][..],
        ),
        (
            "shipments for miami last week",
            &[("miami", "port")],
            &["destination_port_id"],
        ),
        (
            "shipments from Shanghai to Miami",
            &[("Shanghai", "port"), ("Miami", "port")],
            &["origin_port_id", "destination_port_id"],
        ),
        (
            "shipments arrive at port of Miami",
            &[("port of Miami", "port")],
            &["destination_port_id"],
        ),
        (
            "shipments that arrived last week at Miami",
            &[("Miami", "port")],
            &["destination_port_id"],
        ),
        (
            "departures out of the port Miami",
            &[("Miami", "port")],
            &["origin_port_id"],
        ),
        (
            "left Miami in May",
            &[("Miami", "port")],
            &["origin_port_id"],
        ),
        (
            "Miami arrivals",
            &[("Miami", "port")],
            &["destination_port_id"],
        ),
        (
            "with port of loading Miami",
            &[("Miami", "port")],
            &["origin_port_id"],
        ),
        (
            "late shipments on Anna",
            &[("Anna", "vessel")],
            &["vessel_id"],
        ),
        ("shipment X1", &[("X1", "shipment")], &["shipment_id"]),
    ] {
        let arguments = FieldMappingArguments {
            text: text.to_owned(),
            entities: mentions
                .iter()
                .map(|(mention, of)| entity(mention, of))
                .collect(),
            ..FieldMappingArguments::default()
        };
        let mapping = mapped(&arguments);
        let fields: Vec<&str> = mapping
            .entities
            .iter()
            .map(|entity| entity.field.as_str())
            .collect();
        assert_eq!(fields, expected, "{text}: {mapping:?}");
        assert!(
            mapping
                .entities
                .iter()
                .all(|entity| entity.value.ends_with("-ID"))
        );
    }
}

#[test]
fn an_entity_without_context_is_asked_about_once() {
    let mut arguments = FieldMappingArguments {
        text: "Miami shipments".to_owned(),
        entities: vec![entity("Miami", "port")],
        ..FieldMappingArguments::default()
    };
    let asked = mapped(&arguments).clarification.unwrap();
    let part = &asked.parts[0];
    assert_eq!(part.about, "field:Miami");
    let ids: Vec<&str> = part
        .options
        .iter()
        .map(|option| option.id.as_str())
        .collect();
    assert_eq!(ids, ["origin_port", "destination_port"]);
    assert_eq!(
        asked.question,
        "Which field is \u{201c}Miami\u{201d}: origin port or destination port?"
    );
    for (option_id, text) in [(Some("destination_port"), "x"), (None, "the destination")] {
        arguments.answers = vec![ClarificationAnswer {
            about: part.about.clone(),
            option_id: option_id.map(str::to_owned),
            text: text.to_owned(),
        }];
        let mapping = mapped(&arguments);
        assert_eq!(mapping.entities[0].field, "destination_port_id", "{text}");
        assert!(mapping.clarification.is_none());
    }
    arguments.answers.clear();
    arguments.best_guess = true;
    assert_eq!(mapped(&arguments).entities.len(), 1);
}

#[test]
fn a_single_or_default_field_needs_no_question() {
    let arguments = FieldMappingArguments {
        text: "containers Miami".to_owned(),
        entities: vec![entity("Miami", "port")],
        ..FieldMappingArguments::default()
    };
    let mapping = map(
        "shipping",
        &containers(),
        &arguments,
        &FieldThresholds::default(),
    );
    assert_eq!(
        (
            mapping.entities[0].field.as_str(),
            mapping.entities[0].value.as_str()
        ),
        ("location_port", "The Miami")
    );
    let mut shipments = shipments();
    let destination = shipments
        .fields
        .iter_mut()
        .find(|field| field.name == "destination_port")
        .unwrap();
    destination.synonyms.push("port".to_owned());
    let mapping = map(
        "shipping",
        &shipments,
        &arguments,
        &FieldThresholds::default(),
    );
    assert_eq!(mapping.entities[0].field, "destination_port_id");
    let unknown = FieldMappingArguments {
        entities: vec![entity("Acme", "customer")],
        ..arguments
    };
    assert_eq!(
        map(
            "shipping",
            &shipments,
            &unknown,
            &FieldThresholds::default()
        )
        .unmapped[0]
            .term,
        "Acme"
    );
}

#[test]
fn words_about_time_get_a_date_field() {
    for (text, words, expected) in [
        (
            "shipments that arrived last week",
            "arrived last week",
            "actual_arrival",
        ),
        ("shipments last week", "last week", "actual_arrival"),
        (
            "shipments departing last week",
            "departing last week",
            "actual_departure",
        ),
        (
            "shipments that left Miami last week",
            "last week",
            "actual_departure",
        ),
        (
            "shipments due next week",
            "due next week",
            "planned_arrival",
        ),
        (
            "planned departures in May",
            "planned departures in May",
            "planned_departure",
        ),
        (
            "expected to leave tomorrow",
            "expected to leave tomorrow",
            "planned_departure",
        ),
        (
            "arriving next week",
            "arriving next week",
            "planned_arrival",
        ),
        (
            "shipments scheduled for next week",
            "scheduled for next week",
            "planned_arrival",
        ),
    ] {
        let arguments = FieldMappingArguments {
            text: text.to_owned(),
            time_words: Some(words.to_owned()),
            ..FieldMappingArguments::default()
        };
        let mapping = mapped(&arguments);
        assert_eq!(
            mapping.date_field.as_deref(),
            Some(expected),
            "{text}: {mapping:?}"
        );
    }
    let none = FieldMappingArguments {
        text: "x".to_owned(),
        ..FieldMappingArguments::default()
    };
    assert_eq!(mapped(&none).date_field, None);
    let arguments = FieldMappingArguments {
        time_words: Some("last week".to_owned()),
        ..none
    };
    assert!(
        !map(
            "shipping",
            &vessels(),
            &arguments,
            &FieldThresholds::default()
        )
        .unmapped
        .is_empty()
    );
}

#[test]
fn several_fitting_fields_are_asked_about_and_the_answer_decides() {
    let mut arguments = FieldMappingArguments {
        text: "shipments by port".to_owned(),
        terms: vec![term("port", TermRole::GroupBy)],
        ..FieldMappingArguments::default()
    };
    let mapping = mapped(&arguments);
    let part = &mapping.clarification.unwrap().parts[0];
    let ids: Vec<&str> = part
        .options
        .iter()
        .map(|option| option.id.as_str())
        .collect();
    assert_eq!(
        (part.about.as_str(), ids),
        ("field:port", vec!["origin_port", "destination_port"])
    );
    arguments.answers = vec![ClarificationAnswer {
        about: "field:port".to_owned(),
        option_id: Some("origin_port".to_owned()),
        text: "origin port".to_owned(),
    }];
    assert_eq!(mapped(&arguments).fields[0].field, "origin_port");
}

#[test]
fn the_index_is_the_one_whose_records_are_requested() {
    let indices = [shipments(), containers(), vessels()];
    let chosen = |text: &str, arguments: FieldMappingArguments| {
        let arguments = FieldMappingArguments {
            text: text.to_owned(),
            ..arguments
        };
        choose_index(&arguments, &indices).map(|at| indices[at].name.clone())
    };
    for (text, expected) in [
        ("Show shipments to Miami last week", "shipments"),
        ("show me container status", "containers"),
        ("how many ships are there", "vessels"),
        ("number of containers in Miami", "containers"),
        ("show the shipments by vessel", "shipments"),
        ("container shipments to Miami", "shipments"),
        ("hello", "shipments"),
    ] {
        assert_eq!(
            chosen(text, FieldMappingArguments::default()).as_deref(),
            Some(expected),
            "{text}"
        );
    }
    let named = FieldMappingArguments {
        index: Some("vessels".to_owned()),
        ..FieldMappingArguments::default()
    };
    assert_eq!(chosen("shipments", named).as_deref(), Some("vessels"));
    let absent = FieldMappingArguments {
        index: Some("secrets".to_owned()),
        ..FieldMappingArguments::default()
    };
    assert_eq!(chosen("shipments", absent), None);
    let terms = FieldMappingArguments {
        terms: vec![term("delay", TermRole::Measure)],
        ..FieldMappingArguments::default()
    };
    assert_eq!(
        chosen("average delay by vessel", terms).as_deref(),
        Some("shipments")
    );
    let vessel = FieldMappingArguments {
        entities: vec![entity("Miami Container Terminal", "port")],
        ..FieldMappingArguments::default()
    };
    assert_eq!(
        chosen("shipments to Miami Container Terminal", vessel).as_deref(),
        Some("shipments")
    );
    let anna = FieldMappingArguments {
        entities: vec![entity("Anna", "vessel")],
        ..FieldMappingArguments::default()
    };
    assert_eq!(chosen("where is Anna?", anna).as_deref(), Some("vessels"));
}
