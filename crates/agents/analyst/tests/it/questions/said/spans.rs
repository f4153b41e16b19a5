//! Existing values, the next events, parts of a period, spans of amounts, and the most of
//! something.

use super::{Said, check};

const WHAT_THERE_IS: Said = &[
    (
        &["which carriers are there?"],
        "shipments; by carrier; count",
        "",
    ),
    (
        &["what carriers are there?"],
        "shipments; by carrier; count",
        "",
    ),
    (
        &["what carriers do you know?"],
        "shipments; by carrier; count",
        "",
    ),
    (
        &["which commodities exist?"],
        "shipments; by commodity; count",
        "",
    ),
    (&["which flags are there?"], "vessels; by flag; count", ""),
    (
        &["which carriers are there in Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; by carrier; count",
        "",
    ),
    (
        &["what carriers have late shipments?"],
        "shipments; is_late=true; by carrier; count",
        "",
    ),
    (
        &["which carriers are late?"],
        "shipments; is_late=true; by carrier; count",
        "",
    ),
    (&["which ports are there?"], "ports", ""),
    (
        &["late shipments to Hamburg", "which carriers are there?"],
        "shipments; by carrier; count",
        "",
    ),
];

#[tokio::test]
async fn what_there_is() {
    check(WHAT_THERE_IS).await;
}

const OPEN: &str = "shipments; actual_arrival missing; status!=cancelled; planned_arrival>=2025-01-15; planned_arrival up; 1";

const WHAT_COMES_NEXT: Said = &[
    (&["which shipment arrives next?"], OPEN, ""),
    (&["what arrives next?"], OPEN, ""),
    (&["next arrival"], OPEN, ""),
    (
        &["what is the next shipment to Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival>=2025-01-15; planned_arrival up; 1",
        "",
    ),
    (
        &["the next 5 arrivals"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival>=2025-01-15; planned_arrival up; 5",
        "",
    ),
    (
        &["what departs next?"],
        "shipments; actual_departure missing; status!=cancelled; planned_departure>=2025-01-15; planned_departure up; 1",
        "",
    ),
    (
        &["which shipment arrived last?"],
        "shipments; actual_arrival exists; actual_arrival down; 1",
        "",
    ),
    (
        &["what arrives before the end of the week?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 1900-01-01..2025-01-19",
        "",
    ),
];

#[tokio::test]
async fn what_comes_next() {
    check(WHAT_COMES_NEXT).await;
}

const PARTS_OF_A_PERIOD: Said = &[
    (
        &["shipments planned to arrive before the end of March"],
        "shipments; planned_arrival 1900-01-01..2025-03-31",
        "",
    ),
    (
        &["shipments after the end of November"],
        "shipments; actual_arrival 2024-12-01..2199-12-31",
        "",
    ),
    (
        &["shipments since the start of the year"],
        "shipments; actual_arrival 2025-01-01..2025-01-15",
        "",
    ),
    (
        &["shipments before the start of December"],
        "shipments; actual_arrival 1900-01-01..2024-11-30",
        "",
    ),
    (
        &["shipments at the end of December"],
        "shipments; actual_arrival 2024-12-21..2024-12-31",
        "",
    ),
    (
        &["shipments from mid December"],
        "shipments; actual_arrival 2024-12-11..2024-12-20",
        "",
    ),
];

#[tokio::test]
async fn parts_of_a_period() {
    check(PARTS_OF_A_PERIOD).await;
}

const SPANS_OF_AMOUNTS: Said = &[
    (
        &["shipments that weigh between 10 and 20 t"],
        "shipments; weight_kg>=10000; weight_kg<=20000",
        "",
    ),
    (
        &["which shipments weigh over 20 t?"],
        "shipments; weight_kg>20000",
        "",
    ),
    (
        &["shipments that weigh more than 5,000"],
        "shipments; weight_kg>5000",
        "",
    ),
    (
        &["shipments weighing 10 to 20 t"],
        "shipments; weight_kg>=10000; weight_kg<=20000",
        "",
    ),
    (
        &["shipments of 10-20 t"],
        "shipments; weight_kg>=10000; weight_kg<=20000",
        "",
    ),
    (
        &["shipments with 3 to 5 containers"],
        "shipments; container_count>=3; container_count<=5",
        "",
    ),
    (
        &["shipments worth 100,000 to 200,000 dollars"],
        "shipments; value_usd>=100000; value_usd<=200000",
        "",
    ),
    (
        &["shipments 2 to 4 days late"],
        "shipments; delay_hours>=48; delay_hours<=96",
        "",
    ),
    (
        &["vessels with a capacity of 5000 to 10000 TEU"],
        "vessels; capacity_teu>=5000; capacity_teu<=10000",
        "",
    ),
    (
        &["shipments that took longer than 30 days"],
        "said: \u{201c}took longer\u{201d}",
        "",
    ),
];

#[tokio::test]
async fn spans_of_amounts() {
    check(SPANS_OF_AMOUNTS).await;
}

const NO_OTHER_THING: Said = &[
    // Another number is another thing, however alike the two look.
    (
        &["where is SHP-000129?"],
        "said: I know nothing called \u{201c}SHP-000129\u{201d}",
        "",
    ),
    (
        &["compare Pacific Crown and Nordhavn Container"],
        "shipments; carrier=Pacific Crown|Nordhavn Container; by carrier; count",
        "",
    ),
];

#[tokio::test]
async fn no_other_thing() {
    check(NO_OTHER_THING).await;
}

const THE_MOST_OF_SOMETHING: Said = &[
    (
        &["which shipment has the greatest tonnage?"],
        "shipments; weight_kg down; 1",
        "",
    ),
    (
        &["which carrier moved the greatest tonnage?"],
        "shipments; by carrier; sum_weight_kg; sum_weight_kg down; 1",
        "",
    ),
    (
        &["which vessel transported the highest value?"],
        "shipments; by vessel_name; maximum_value_usd; maximum_value_usd down; 1",
        "",
    ),
    (
        &["which carrier has the most late shipments?"],
        "shipments; is_late=true; by carrier; count; count down; 1",
        "",
    ),
    (
        &["which carrier has the most delayed shipments?"],
        "shipments; is_late=true; by carrier; count; count down; 1",
        "",
    ),
    (
        &["most delayed carrier in December"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by carrier; average_delay_hours; average_delay_hours down; 1",
        "",
    ),
    (
        &["which port is the most delayed?"],
        "shipments; by destination_port; average_delay_hours; average_delay_hours down; 1",
        "",
    ),
    (
        &["the most delayed shipment"],
        "shipments; delay_hours down; 1",
        "",
    ),
];

#[tokio::test]
async fn the_most_of_something() {
    check(THE_MOST_OF_SOMETHING).await;
}

const WHAT_NO_QUERY_CHOOSES_BY: Said = &[
    (
        &["shipments of the oldest vessel"],
        "said: I cannot find \u{201c}oldest vessel\u{201d} and its shipments in one step",
        "",
    ),
    (
        &["shipments on vessels built before 2005"],
        "said: I cannot choose shipments by what is known of vessels (\u{201c}built\u{201d})",
        "",
    ),
    (
        &["which port had an average delay of more than 20 hours?"],
        "said: Ask for the average delay by port",
        "",
    ),
    (
        &["how many shipments does each vessel carry on average?"],
        "shipments; by vessel_name; count",
        "did not use \u{201c}on average\u{201d}",
    ),
    (
        &["shipments with 2 or 3 containers"],
        "shipments; container_count>=2; container_count<=3",
        "",
    ),
    (
        &["the last shipment to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival down; 1",
        "",
    ),
    (
        &["difference in average delay between December and November"],
        "shipments; actual_arrival 2024-11-01..2024-12-31; by actual_arrival/month; average_delay_hours",
        "",
    ),
];

#[tokio::test]
async fn what_no_query_chooses_by() {
    check(WHAT_NO_QUERY_CHOOSES_BY).await;
}
