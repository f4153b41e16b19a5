//! Alternatives, ends and days that a follow-up puts beside what was asked, and lateness that is
//! known of no event.

use super::{Said, check};

const LATE_DEPARTURES_ARE_NOT_KNOWN: Said = &[
    (
        &["Which ports have the most late departures?"],
        "said: known of the actual arrival only",
        "",
    ),
    (&["late departures by port"], "said: late departures", ""),
    (
        &["how many late departures were there in December?"],
        "said: late departures",
        "",
    ),
    (
        &["departures that were late"],
        "said: known of the actual arrival only",
        "",
    ),
    (
        &["departures in December that were late"],
        "said: known of the actual arrival only",
        "",
    ),
    (
        &["on-time departures by port"],
        "said: on-time departures",
        "",
    ),
    (&["on time departures"], "said: on time departures", ""),
    (&["early departures by port"], "said: early departures", ""),
    (
        &["average delay of departures"],
        "said: delay of departures",
        "",
    ),
    (&["departure delays by port"], "said: departure delays", ""),
    (
        &["shipments to Hamburg", "late departures by port"],
        "said: late departures",
        "",
    ),
    (&["shipments left late by port"], "said: left late", ""),
    (
        &["late arrivals by port"],
        "shipments; is_late=true; by destination_port; count",
        "",
    ),
    (
        &["departures in late December"],
        "shipments; actual_departure 2024-12-21..2024-12-31",
        "",
    ),
];

const OR_IS_THE_ALTERNATIVE: Said = &[
    (
        &["weight by carrier in December", "to or from Hamburg"],
        "shipments; destination_port_id=PRT-HAM or origin_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31; by carrier; count; sum_weight_kg",
        "",
    ),
    (
        &["shipments to Hamburg in December", "or from Hamburg"],
        "shipments; destination_port_id=PRT-HAM or origin_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31",
        "",
    ),
    (
        &["shipments to Hamburg in December", "or Santos"],
        "shipments; destination_port_id=PRT-HAM|PRT-SSZ; actual_arrival 2024-12-01..2024-12-31",
        "",
    ),
    (
        &["shipments to Hamburg in December", "or to Santos"],
        "shipments; destination_port_id=PRT-HAM|PRT-SSZ; actual_arrival 2024-12-01..2024-12-31",
        "",
    ),
    (
        &["late shipments", "or hazardous"],
        "shipments; is_late=true or hazardous=true",
        "",
    ),
    (
        &["late shipments", "or hazardous", "or from Hamburg"],
        "shipments; is_late=true or hazardous=true or origin_port_id=PRT-HAM",
        "",
    ),
    (
        &["coffee shipments", "or machinery"],
        "shipments; commodity=coffee|machinery",
        "",
    ),
    (
        &["shipments over 30 tons", "or over 100,000 dollars"],
        "shipments; weight_kg>30000.0 or value_usd>100000",
        "",
    ),
    (
        &["late shipments to Hamburg", "or from Hamburg"],
        "shipments; destination_port_id=PRT-HAM or origin_port_id=PRT-HAM; is_late=true",
        "",
    ),
    (
        &["shipments in December", "or November"],
        "shipments; actual_arrival 2024-11-01..2024-12-31",
        "",
    ),
    (
        &["shipments in December", "or in March 2024"],
        "said: do not touch",
        "",
    ),
    (
        &["late coffee shipments", "or hazardous"],
        "said: I cannot tell what the alternative is of",
        "",
    ),
];

const THE_FEWEST_ARE_COUNTED: Said = &[
    (
        &["the fewest arrivals"],
        "shipments; actual_arrival exists; by destination_port; count; count up; 1",
        "",
    ),
    (
        &["the fewest arrivals by port"],
        "shipments; actual_arrival exists; by destination_port; count; count up",
        "",
    ),
    (
        &["fewest departures by port"],
        "shipments; actual_departure exists; by origin_port; count; count up",
        "",
    ),
    (
        &["the most departures in December"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count; count down; 1",
        "",
    ),
    (
        &["fewest shipments by carrier"],
        "shipments; by carrier; count; count up",
        "",
    ),
    (
        &["the lowest number of shipments by carrier"],
        "shipments; by carrier; count; count up",
        "",
    ),
    (
        &["fewest late arrivals by port"],
        "shipments; is_late=true; by destination_port; count; count up",
        "",
    ),
];

const YEARS_AND_DAYS_ARE_THOSE_OF_THE_QUERY: Said = &[
    (
        &["vessels built before 2010", "and after 2015?"],
        "vessels; built>2015",
        "",
    ),
    (
        &["vessels built before 2010", "in 2012?"],
        "vessels; built=2012",
        "",
    ),
    (
        &["vessels built before 2010", "or after 2015"],
        "vessels; built<2010 or built>2015",
        "",
    ),
    (
        &["shipments that arrived on Christmas", "and the day after?"],
        "shipments; actual_arrival 2024-12-27..2024-12-27",
        "",
    ),
    (
        &["shipments that arrived on Christmas", "and the day before?"],
        "shipments; actual_arrival 2024-12-24..2024-12-24",
        "",
    ),
    (
        &[
            "shipments that arrived on 24 December",
            "and the day after?",
        ],
        "shipments; actual_arrival 2024-12-25..2024-12-25",
        "",
    ),
    (
        &[
            "shipments that arrived on 24 December",
            "and the 3 days before?",
        ],
        "shipments; actual_arrival 2024-12-21..2024-12-23",
        "",
    ),
    (
        &["shipments in December", "and the 2 months before?"],
        "shipments; actual_arrival 2024-10-01..2024-11-30",
        "",
    ),
];

const ANOTHER_LANGUAGE_IS_NAMED: Said = &[
    (
        &["\u{bf}Cu\u{e1}ntos env\u{ed}os hay a Rotterdam?"],
        "said: looks like Spanish",
        "",
    ),
    (
        &["Wie viele Sendungen gehen nach Hamburg?"],
        "said: looks like German",
        "",
    ),
    (
        &["shipments to Hamburg", "quali spedizioni sono in ritardo?"],
        "said: looks like Italian",
        "",
    ),
];

const WHAT_WENT_IS_SAID: Said = &[
    (
        &["How many containers went to Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; sum_container_count",
        "every status counts (booked, in transit, arrived, delivered, cancelled)",
    ),
    (
        &["how many boxes arrived in Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival exists; sum_container_count",
        "",
    ),
];

#[tokio::test]
async fn late_departures_are_not_known() {
    check(LATE_DEPARTURES_ARE_NOT_KNOWN).await;
}

#[tokio::test]
async fn or_is_the_alternative() {
    check(OR_IS_THE_ALTERNATIVE).await;
}

#[tokio::test]
async fn the_fewest_are_counted() {
    check(THE_FEWEST_ARE_COUNTED).await;
}

#[tokio::test]
async fn years_and_days_are_those_of_the_query() {
    check(YEARS_AND_DAYS_ARE_THOSE_OF_THE_QUERY).await;
}

#[tokio::test]
async fn another_language_is_named() {
    check(ANOTHER_LANGUAGE_IS_NAMED).await;
}

#[tokio::test]
async fn what_went_is_said() {
    check(WHAT_WENT_IS_SAID).await;
}
