//! Statements of an answer beside its figures: the plan it goes by, what it refuses, and the words
//! that it did not use.

use super::{Said, check};

const WHAT_IS_TO_COME_GOES_BY_THE_PLAN: Said = &[
    (
        &["what is overdue?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15",
        "",
    ),
    (
        &["anything overdue for Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15",
        "",
    ),
    (
        &["what's due tomorrow?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["what is due in Rotterdam next week?"],
        "shipments; destination_port_id=PRT-RTM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["how many are overdue?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15; count",
        "",
    ),
    (
        &["what arrives tomorrow?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["which shipments will arrive next week?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["how many shipments arrive in the next 7 days?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-21; count",
        "",
    ),
    (
        &["shipments departing tomorrow"],
        "shipments; actual_departure missing; status!=cancelled; planned_departure 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["expected arrivals in Hamburg next week"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["shipments arriving in Hamburg on 20 January 2025"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-20..2025-01-20",
        "",
    ),
    (
        &["what did arrive yesterday?"],
        "shipments; actual_arrival 2025-01-14..2025-01-14",
        "",
    ),
    (
        &["shipments to Hamburg next week"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["which shipments must arrive until 20 January 2025?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 1900-01-01..2025-01-20",
        "",
    ),
    (
        &["shipments due to leave Shanghai tomorrow"],
        "shipments; origin_port_id=PRT-SHA; actual_departure missing; status!=cancelled; planned_departure 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["shipments more than 2 days overdue"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-13",
        "",
    ),
    (
        &["how many shipments are arriving tomorrow by carrier"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16; by carrier; count",
        "",
    ),
];

#[tokio::test]
async fn what_is_to_come_goes_by_the_plan() {
    check(WHAT_IS_TO_COME_GOES_BY_THE_PLAN).await;
}

const WRITING_IS_REFUSED: Said = &[
    (&["delete shipment SHP-000123"], "said: only read", ""),
    (&["cancel shipment SHP-000123"], "said: only read", ""),
    (
        &["set the status of SHP-000123 to delivered"],
        "said: only read",
        "",
    ),
    (
        &["please update SHP-000123: it is delivered"],
        "said: only read",
        "",
    ),
    (&["mark SHP-000123 as delivered"], "said: only read", ""),
    (&["book a new shipment to Hamburg"], "said: only read", ""),
    (&["cancel the shipment to Hamburg"], "said: only read", ""),
    (&["send an email to the carrier"], "said: only read", ""),
    (
        &["shipments to Hamburg last week", "delete them"],
        "said: only read",
        "",
    ),
    (
        &["shipments to Hamburg last week", "cancel these shipments"],
        "said: only read",
        "",
    ),
    (
        &["change the destination of SHP-000123 to Hamburg"],
        "said: only read",
        "",
    ),
    (&["can you cancel my booking?"], "said: only read", ""),
    (
        &["which shipments were cancelled?"],
        "shipments; status=cancelled",
        "",
    ),
];

#[tokio::test]
async fn writing_is_refused() {
    check(WRITING_IS_REFUSED).await;
}

const NOTHING_IS_LEFT_OUT_IN_SILENCE: Said = &[
    (
        &["shipments with insurance"],
        "said: \u{201c}insurance\u{201d}",
        "",
    ),
    (
        &["shipments heavier than average"],
        "said: \u{201c}heavier than average\u{201d}",
        "",
    ),
    (
        &["shipments heavier than 10 tonnes"],
        "shipments; weight_kg>10000",
        "",
    ),
    (
        &["insured shipments to Hamburg"],
        "said: \u{201c}insured\u{201d}",
        "",
    ),
    (
        &["shipments older than 30 days"],
        "said: \u{201c}older\u{201d}",
        "",
    ),
    (&["shipments via Suez"], "said: I know nothing called", ""),
    (
        &["shipments that never arrived"],
        "shipments; actual_arrival missing; status!=cancelled",
        "",
    ),
    (
        &["every second shipment to Hamburg"],
        "said: \u{201c}second\u{201d}",
        "",
    ),
    (
        &["shipments to Hamburg on Mondays"],
        "said: I know nothing called",
        "",
    ),
    (
        &["shipments that left Shanghai but have not arrived"],
        "shipments; origin_port_id=PRT-SHA; actual_departure exists; actual_arrival missing; status!=cancelled",
        "",
    ),
    (
        &["how many shipments to Hamburg without customs papers?"],
        "said: customs papers",
        "",
    ),
    (
        &["shipments with more value than weight"],
        "said: cannot compare two fields",
        "",
    ),
    (
        &["half of the shipments to Hamburg"],
        "said: \u{201c}half\u{201d}",
        "",
    ),
    (
        &["shipments to Hamburg per vessel and week"],
        "shipments; destination_port_id=PRT-HAM; by vessel_name; by actual_arrival/week; count",
        "",
    ),
    (
        &["how many shipments did arrive in Hamburg and how many in Rotterdam?"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; by destination_port; count",
        "",
    ),
    (
        &["most shipments to Hamburg"],
        "said: \u{201c}most\u{201d}",
        "",
    ),
    (
        &["which vessels did not call at Hamburg last week?"],
        "said: \u{201c}call\u{201d}",
        "",
    ),
    (
        &["shipments where origin is not Shanghai"],
        "shipments; origin_port_id!=PRT-SHA",
        "",
    ),
    (
        &["how many containers are not empty?"],
        "containers; status!=empty; count",
        "",
    ),
    (
        &["give me shipments arrive Hamburg last week"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &["how much shipments was late in december 2024?"],
        "shipments; is_late=true; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["shipments which they are going to Hamburg with coffee"],
        "shipments; destination_port_id=PRT-HAM; commodity=coffee",
        "",
    ),
    (
        &["the biggest delay in december 2024"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; delay_hours down; 1",
        "",
    ),
];

#[tokio::test]
async fn nothing_is_left_out_in_silence() {
    check(NOTHING_IS_LEFT_OUT_IN_SILENCE).await;
}
