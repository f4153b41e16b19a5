//! Requests for the demonstration's source.

mod any_text;

use contracts::todo::QueryStrategy;
use contracts::tools::meanings::TermRole;
use contracts::tools::search::{FilterOp, Interval, MeasureOp, QueryType};

use super::*;
use crate::language::fixture::{shipping, today};

fn read(text: &str) -> Request {
    read_request(text, &shipping(), today())
}

/// A request in a line: what it is, its index, and what it has.
fn shown(text: &str) -> String {
    let request = read(text);
    let mut out = vec![
        match request.retrieval {
            Retrieval::SingleEntity => "one",
            Retrieval::MultiEntity => "many",
            Retrieval::Aggregation => "figures",
        }
        .to_owned()
            + if request.retrieval_certain { "" } else { "?" },
        request
            .indices
            .first()
            .map_or("-".to_owned(), |index| index.index.clone()),
    ];
    for term in &request.terms {
        let role = match term.role {
            TermRole::Select => "show",
            TermRole::Filter => "where",
            TermRole::Measure => "measure",
            TermRole::GroupBy => "by",
            TermRole::Sort => "sort",
        };
        let op = match term.op {
            None => String::new(),
            Some(FilterOp::Is) => " =".into(),
            Some(FilterOp::IsNot) => " !=".into(),
            Some(FilterOp::Gt) => " >".into(),
            Some(FilterOp::Gte) => " >=".into(),
            Some(FilterOp::Lt) => " <".into(),
            Some(FilterOp::Lte) => " <=".into(),
            Some(FilterOp::Missing) => " missing".into(),
            Some(op) => format!(" {op:?}"),
        };
        let value = term
            .value
            .as_ref()
            .map_or(String::new(), |value| format!(" {value}"));
        out.push(format!("{role} {}{op}{value}", term.text));
    }
    for measure in &request.measures {
        let op = format!("{:?}", measure.op).to_lowercase();
        out.push(
            measure
                .term
                .as_ref()
                .map_or(op.clone(), |term| format!("{op}({term})")),
        );
    }
    for group in &request.group_by {
        let interval = group
            .interval
            .map(|interval| format!("{interval:?}").to_lowercase());
        out.push(format!(
            "group {}{}",
            group.term.clone().unwrap_or_default(),
            interval.map_or(String::new(), |i| format!("/{i}"))
        ));
    }
    for sort in &request.sort {
        let by = match &sort.by {
            SortKey::Term(term) => term.clone(),
            SortKey::Count => "count".to_owned(),
            SortKey::Time => "time".into(),
            SortKey::Measure(at) => format!("#{at}"),
        };
        out.push(format!(
            "order {by}{}",
            if sort.descending { " down" } else { "" }
        ));
    }
    out.extend(request.limit.map(|limit| format!("limit {limit}")));
    out.extend(
        request
            .entity_hints
            .iter()
            .map(|hint| format!("name {}", hint.text)),
    );
    out.extend(request.negated.iter().map(|words| format!("no {words}")));
    out.extend(
        request
            .time_words
            .iter()
            .map(|words| format!("time {words}")),
    );
    out.extend(request.leftover.iter().map(|left| {
        format!(
            "{}{}",
            if left.name_like { "name? " } else { "left " },
            left.words
        )
    }));
    out.join("; ")
}

fn check(table: &[(&str, &str)]) {
    let wrong: Vec<_> = table
        .iter()
        .map(|(text, expected)| (*text, *expected, shown(text)))
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_documents_requests() {
    check(&[
        (
            "Show shipments to Miami last week",
            "many; shipments; time last week; name? Miami",
        ),
        (
            "Retrieve shipments to Miami between 2025-01-08 and 2025-01-15",
            "many; shipments; time between 2025-01-08 and 2025-01-15; name? Miami",
        ),
        (
            "show me all shipments arrive at port of Miami last week",
            "many; shipments; time arrive last week; name? Miami",
        ),
        (
            "Retrieve all shipments that arrived at Miami port between 2025-01-08 and 2025-01-15",
            "many; shipments; time arrived between 2025-01-08 and 2025-01-15; name? Miami",
        ),
        ("show me container status", "many?; containers; show status"),
        (
            "Retrieve container status",
            "many?; containers; show status",
        ),
        (
            "Retrieve shipments to Port of Miami between 2025-01-08 and 2025-01-15, include arrival date",
            "many; shipments; show arrival date; time between 2025-01-08 and 2025-01-15; name? Miami",
        ),
    ]);
    let range = read("Show shipments to Miami last week")
        .time_range
        .unwrap();
    assert_eq!(range.kind.as_deref(), Some("last week"));
    assert_eq!(
        (range.start.to_string(), range.end.to_string()),
        ("2025-01-08".into(), "2025-01-15".into())
    );
}

#[test]
fn conditions() {
    check(&[
        (
            "shipments over 20 tonnes",
            "many; shipments; where weight_kg > 20000",
        ),
        (
            "shipments with weight over 20 tonnes",
            "many; shipments; where weight > 20000",
        ),
        (
            "shipments weighing more than 500 kg",
            "many; shipments; where weight_kg > 500",
        ),
        (
            "shipments with more than 5 containers",
            "many; shipments; where containers > 5",
        ),
        (
            "shipments with value at least $10k",
            "many; shipments; where value >= 10000",
        ),
        (
            "shipments with a value of at least $10,000",
            "many; shipments; where value >= 10000",
        ),
        (
            "shipments with between 3 and 5 containers",
            "many; shipments; where containers >= 3; where containers <= 5",
        ),
        (
            "shipments delayed more than 2 days",
            "many; shipments; where delayed > 48",
        ),
        (
            "shipments with delay > 24",
            "many; shipments; where delay > 24",
        ),
        (
            "shipments with 5 or more containers",
            "many; shipments; where containers >= 5",
        ),
        (
            "shipments more than 2 days late",
            "many; shipments; where delay_hours > 48",
        ),
        (
            "vessels with capacity under 5,000 TEU",
            "many; vessels; where capacity < 5000",
        ),
        (
            "containers below -18 degrees",
            "many; containers; where temperature_c < -18",
        ),
        (
            "shipments with more than 5 pallets",
            "many; shipments; where pallets > 5",
        ),
    ]);
}

#[test]
fn values() {
    check(&[
        ("delivered shipments", "many; shipments; where delivered"),
        (
            "shipments that are delivered",
            "many; shipments; where delivered",
        ),
        (
            "shipments with delivered status",
            "many; shipments; where delivered",
        ),
        (
            "shipments with status delivered",
            "many; shipments; where delivered",
        ),
        (
            "shipments where status is in transit",
            "many; shipments; where in transit",
        ),
        (
            "shipments in transit to Rotterdam",
            "many; shipments; where in transit; name? Rotterdam",
        ),
        (
            "shipments not delivered",
            "many; shipments; where delivered !=",
        ),
        (
            "shipments that have not been delivered yet",
            "many; shipments; where delivered !=; left yet",
        ),
        (
            "shipments without cancelled ones",
            "many; shipments; where cancelled !=",
        ),
        (
            "delivered or arrived shipments",
            "many; shipments; where delivered or arrived",
        ),
        ("hazardous shipments", "many; shipments; where hazardous"),
        (
            "late shipments to Shanghai",
            "many; shipments; where late; name? Shanghai",
        ),
        ("delayed shipments", "many; shipments; where delayed"),
        (
            "shipments without arrival date",
            "many; shipments; where arrival date missing",
        ),
        (
            "shipments with carrier Maersk",
            "many; shipments; where carrier = \"Maersk\"",
        ),
        (
            "shipments where commodity is steel",
            "many; shipments; where commodity = \"steel\"",
        ),
        (
            "reefer containers in Rotterdam",
            "many; containers; where reefer; name? Rotterdam",
        ),
        (
            "shipments delivered last week",
            "many; shipments; where delivered; time delivered last week",
        ),
        (
            "shipments that departed last month",
            "many; shipments; time departed last month",
        ),
        (
            "shipments with planned arrival next week",
            "many; shipments; time planned arrival next week",
        ),
        (
            "add filter for delivered status",
            "many?; shipments; where delivered",
        ),
    ]);
}

#[test]
fn figures() {
    check(&[
        (
            "how many shipments arrived last week",
            "figures; shipments; count; time arrived last week",
        ),
        (
            "number of shipments per carrier",
            "figures; shipments; by carrier; count; group carrier",
        ),
        (
            "average delay by carrier",
            "figures; shipments; measure delay; by carrier; average(delay); group carrier",
        ),
        (
            "average delay of shipments by carrier last month",
            "figures; shipments; measure delay; by carrier; average(delay); group carrier; time last month",
        ),
        (
            "total weight of shipments to Miami",
            "figures; shipments; measure weight; sum(weight); name? Miami",
        ),
        (
            "shipments by carrier",
            "figures; shipments; by carrier; count; group carrier",
        ),
        (
            "shipments per month",
            "figures; shipments; count; group /month",
        ),
        (
            "monthly shipments to Miami",
            "figures; shipments; count; group /month; name? Miami",
        ),
        ("total shipments", "figures; shipments; count"),
        (
            "max delay for each vessel of shipments",
            "figures; shipments; measure delay; by vessel; maximum(delay); group vessel",
        ),
        (
            "which carrier has the most shipments",
            "figures; shipments; by carrier; count; group carrier; order #0 down; limit 1",
        ),
        (
            "Which vessel carried the most shipments?",
            "figures; shipments; by vessel; count; group vessel; order #0 down; limit 1",
        ),
        (
            "which carriers have the highest average delay",
            "figures; shipments; by carriers; measure delay; average(delay); group carriers; order #0 down",
        ),
        (
            "how many different carriers are in the shipments",
            "figures; shipments; by carriers; distinct(carriers)",
        ),
        (
            "average weight and total value of shipments grouped by carrier and destination",
            "figures; shipments; measure weight; measure value; by carrier; by destination; average(weight); sum(value); group carrier; group destination",
        ),
        (
            "top 5 carriers by number of shipments",
            "figures; shipments; by carriers; count; group carriers; order #0 down; limit 5",
        ),
        (
            "top 5 carriers by average delay",
            "figures; shipments; by carriers; measure delay; average(delay); group carriers; order #0 down; limit 5",
        ),
    ]);
    assert_eq!(
        read("average delay by month").group_by[0].interval,
        Some(Interval::Month)
    );
    assert_eq!(read("how many shipments").measures[0].op, MeasureOp::Count);
    assert_eq!(
        read("how many shipments").aggregation_keywords,
        ["how many"]
    );
}

#[test]
fn orders_and_limits() {
    check(&[
        (
            "top 5 shipments by weight",
            "many; shipments; sort weight; order weight down; limit 5",
        ),
        (
            "ten latest shipments",
            "many; shipments; order time down; limit 10",
        ),
        (
            "the latest 5 shipments to Miami",
            "many; shipments; order time down; limit 5; name? Miami",
        ),
        (
            "the most recent shipment",
            "many; shipments; order time down; limit 1",
        ),
        (
            "shipments sorted by delay descending",
            "many; shipments; sort delay; order delay down",
        ),
        (
            "shipments ordered by weight",
            "many; shipments; sort weight; order weight",
        ),
        (
            "heaviest shipments",
            "many; shipments; sort weight; order weight down",
        ),
        (
            "shipment with the highest value",
            "many; shipments; sort value; order value down; limit 1",
        ),
        (
            "most delayed shipments",
            "many; shipments; sort delayed; order delayed down",
        ),
        ("first 20 shipments", "many; shipments; limit 20"),
    ]);
}

#[test]
fn one_thing() {
    check(&[
        ("show vessel MSC ANNA", "one; vessels; name? MSC ANNA"),
        (
            "where is container MSCU1234565",
            "one; containers; name MSCU1234565",
        ),
        (
            "status of shipment SHP-000123",
            "one; shipments; show status; name SHP-000123",
        ),
        (
            "details of the vessel \"msc anna\"",
            "one; vessels; name msc anna",
        ),
        (
            "current location of MSCU1234565",
            "one; -; name MSCU1234565; left location",
        ),
        (
            "shipments on vessel MSC ANNA",
            "many; shipments; name? MSC ANNA",
        ),
    ]);
    assert!(read("current status of container MSCU1234565").live);
}

#[test]
fn what_is_shown() {
    check(&[
        (
            "show status and weight of shipments to Miami",
            "many; shipments; show status; show weight; name? Miami",
        ),
        (
            "shipments to Miami including arrival date and vessel name",
            "many; shipments; show arrival date; show vessel name; name? Miami",
        ),
        (
            "show shipments with vessel and carrier",
            "many; shipments; show vessel; show carrier",
        ),
    ]);
}

#[test]
fn names_and_noes() {
    check(&[
        (
            "shipments not to Miami",
            "many; shipments; no not to Miami; name? Miami",
        ),
        (
            "shipments except from Shanghai",
            "many; shipments; no except from Shanghai; name? Shanghai",
        ),
        ("purple shipments", "many; shipments; left purple"),
        (
            "shipments from shanghai to atlantis",
            "many; shipments; name? shanghai; name? atlantis",
        ),
    ]);
}

#[test]
fn what_is_not_used_is_told() {
    let request = read("show purple shipments to Miami");
    assert_eq!(request.unused(&["Miami"]), ["purple"]);
    assert_eq!(
        read("show shipments to Port of Miami").unused(&["port of miami"]),
        Vec::<String>::new()
    );
    assert_eq!(
        read("shipments on Feb 30").time_problem.as_deref(),
        Some("“Feb 30” is not a day of the calendar.")
    );
}

#[test]
fn sources_by_what_is_asked() {
    let of = |text: &str| strategy(&read(text), &shipping()).0;
    assert_eq!(
        of("Show shipments to Miami last week"),
        QueryStrategy::Elasticsearch
    );
    assert_eq!(of("show vessel MSC ANNA"), QueryStrategy::Graphql);
    assert_eq!(of("average delay by carrier"), QueryStrategy::Elasticsearch);
    assert_eq!(of("show me container status"), QueryStrategy::Elasticsearch);
    assert_eq!(of("current container status"), QueryStrategy::Graphql);
    assert_eq!(
        of("current status of all containers"),
        QueryStrategy::Elasticsearch
    );
    assert_eq!(
        of("compare shipments to Miami and Shanghai"),
        QueryStrategy::Hybrid
    );
    assert_eq!(
        of("compare average delay by carrier"),
        QueryStrategy::Elasticsearch
    );
    let mut only_search = shipping();
    only_search.sources[0].query_types = vec![QueryType::Elasticsearch];
    let (found, reason) = strategy(&read("show vessel MSC ANNA"), &only_search);
    assert_eq!(found, QueryStrategy::Elasticsearch);
    assert_eq!(
        reason,
        "One thing is asked for, but no source with these records answers GraphQL"
    );
}

#[test]
fn everyday_requests() {
    check(&[
        (
            "Show me all shipmnets to Miami",
            "many; shipments; name? Miami",
        ),
        (
            "Which shipments to Rotterdam are delayed by more than 2 days?",
            "many; shipments; where delayed > 48; name? Rotterdam",
        ),
        (
            "What is the average delay per carrier this month?",
            "figures; shipments; measure delay; by carrier; average(delay); group carrier; time this month",
        ),
        (
            "shipments from Shanghai to Miami with status in transit and value over $1 million",
            "many; shipments; where value > 1000000; where in transit; name? Shanghai; name? Miami",
        ),
        (
            "how many containers are at Port of Miami right now",
            "figures; containers; count; name? Miami",
        ),
        (
            "compare planned and actual arrival of shipments on MSC ANNA",
            "many; shipments; show planned arrival; show actual arrival; name? MSC ANNA",
        ),
        (
            "what is the status of MSC ANNA",
            "one; -; show status; name? MSC ANNA",
        ),
        (
            "how many shipments per month and carrier in 2024",
            "figures; shipments; by carrier; count; group /month; group carrier; time 2024",
        ),
        (
            "total value of delivered shipments by destination port",
            "figures; shipments; measure value; by destination port; where delivered; sum(value); group destination port",
        ),
        (
            "show the 3 heaviest shipments of last month",
            "many; shipments; sort weight; order weight down; limit 3; time last month",
        ),
        (
            "shipments by vessel MSC ANNA",
            "many; shipments; name? MSC ANNA",
        ),
        (
            "shipments carried by Maersk",
            "many; shipments; name? Maersk",
        ),
        (
            "show containers on shipment SHP-000123",
            "many; containers; name SHP-000123",
        ),
        (
            "shipments with reference \"AB-12345\"",
            "many; shipments; where reference = \"AB-12345\"",
        ),
        (
            "Retrieve shipments to Port of Miami, only delivered, sort by delay",
            "many; shipments; sort delay; where delivered; order delay; name? Miami",
        ),
        (
            "what was the total weight shipped to Miami by month in 2024",
            "figures; shipments; measure weight; sum(weight); group /month; time 2024; name? Miami",
        ),
        (
            "late arrivals in Rotterdam last quarter",
            "many; shipments; where late; time arrivals last quarter; name? Rotterdam",
        ),
        (
            "which vessel had the longest delay last month?",
            "figures; shipments; by vessel; measure delay; maximum(delay); group vessel; order #0 down; limit 1; time last month",
        ),
        (
            "shipments with no vessel",
            "many; shipments; where vessel missing",
        ),
        (
            "Get me everything about vessel EVER GIVEN",
            "one; vessels; name? EVER GIVEN",
        ),
        (
            "shipments between Shanghai and Miami",
            "many; shipments; name? Shanghai; name? Miami",
        ),
        ("electronics shipments", "many; shipments; left electronics"),
    ]);
}
