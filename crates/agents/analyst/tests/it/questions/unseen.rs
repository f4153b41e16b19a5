//! Questions of another person who had not seen the rules: what things moved, which things there
//! are, verbs with an amount, and the first records by another quantity.

use super::said::{Said, check};

const WHAT_THINGS_MOVE_IS_ADDED_UP: Said = &[
    (
        &["which port received the largest weight?"],
        "shipments; by destination_port; sum_weight_kg; sum_weight_kg down; 1",
        "",
    ),
    (
        &["Which carrier moved the greatest weight in December 2024?"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by carrier; sum_weight_kg; sum_weight_kg down; 1",
        "",
    ),
    (
        &["which carrier hauled the smallest weight?"],
        "shipments; by carrier; sum_weight_kg; sum_weight_kg up; 1",
        "",
    ),
    // The value of one of them is not a sum.
    (
        &["which carrier has the largest weight?"],
        "shipments; by carrier; maximum_weight_kg; maximum_weight_kg down; 1",
        "",
    ),
];

#[tokio::test]
async fn what_things_move_is_added_up() {
    check(WHAT_THINGS_MOVE_IS_ADDED_UP).await;
}

const THINGS_ARE_LISTED_AND_NOT_THEIR_RECORDS: Said = &[
    (
        &["which commodities do we ship?"],
        "shipments; by commodity; count",
        "",
    ),
    (
        &["what carriers are there?"],
        "shipments; by carrier; count",
        "",
    ),
    (
        &["which carriers arrived in Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; by carrier; count",
        "",
    ),
];

#[tokio::test]
async fn things_are_listed_and_not_their_records() {
    check(THINGS_ARE_LISTED_AND_NOT_THEIR_RECORDS).await;
}

const VERBS_WITH_AN_AMOUNT_ARE_CONDITIONS: Said = &[
    (
        &["how many shipments weigh between 10 and 15 tons?"],
        "shipments; weight_kg>=10000; weight_kg<=15000; count",
        "",
    ),
    (
        &["how many shipments weigh more than 20 tons?"],
        "shipments; weight_kg>20000; count",
        "",
    ),
    (
        &["what do the shipments to Hamburg weigh?"],
        "shipments; destination_port_id=PRT-HAM; sum_weight_kg",
        "",
    ),
    (
        &["how many shipments exceed a value of 1 million dollars?"],
        "shipments; value_usd>1000000; count",
        "",
    ),
    (
        &["how many shipments arrived a day or more late?"],
        "shipments; delay_hours>=24; count",
        "",
    ),
    (
        &["how many 20 ft reefer containers are in Hamburg?"],
        "containers; location_port=Port of Hamburg; type=reefer; size_ft=20; count",
        "",
    ),
];

#[tokio::test]
async fn verbs_with_an_amount_are_conditions() {
    check(VERBS_WITH_AN_AMOUNT_ARE_CONDITIONS).await;
}

const THE_FIRST_OF_AN_ORDER_STAY_THE_FIRST: Said = &[
    (
        &["which shipment to Santos is the most delayed?"],
        "shipments; destination_port_id=PRT-SSZ; delay_hours down; 1",
        "",
    ),
    (
        &[
            "which shipment to Santos is the most delayed?",
            "how late is it?",
        ],
        "shipments; destination_port_id=PRT-SSZ; delay_hours down; 1",
        "",
    ),
    (
        &["which shipment to Santos is the heaviest?"],
        "shipments; destination_port_id=PRT-SSZ; weight_kg down; 1",
        "",
    ),
    (
        &["top 5 shipments by value", "sort by weight instead"],
        "shipments; weight_kg down; 5",
        "",
    ),
    (
        &["top 5 shipments by value", "the lightest first"],
        "shipments; weight_kg up; 5",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "vessels at sea",
            "back to the Hamburg ones",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
];

#[tokio::test]
async fn the_first_of_an_order_stay_the_first() {
    check(THE_FIRST_OF_AN_ORDER_STAY_THE_FIRST).await;
}

const WHAT_COMES_NEXT_IS_THE_FIRST_OF_THE_PLAN: Said = &[
    (
        &["when does the next shipment to Hamburg arrive?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival up; 1",
        "",
    ),
    (
        &["which shipment to Hamburg arrives next?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival up; 1",
        "",
    ),
    (
        &["what is the next departure from Santos?"],
        "shipments; origin_port_id=PRT-SSZ; actual_departure missing; status!=cancelled; planned_departure up; 1",
        "",
    ),
];

#[tokio::test]
async fn what_comes_next_is_the_first_of_the_plan() {
    check(WHAT_COMES_NEXT_IS_THE_FIRST_OF_THE_PLAN).await;
}

const NAMES_THAT_END_LIKE_A_FIELD: Said = &[
    (
        &["compare Pacific Crown and Blue Meridian Lines by average delay"],
        "shipments; carrier=Pacific Crown|Blue Meridian Lines; by carrier; count; average_delay_hours",
        "",
    ),
    (
        &["how many shipments should arrive before the end of January?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<=2025-01-31; count",
        "",
    ),
];

#[tokio::test]
async fn names_that_end_like_a_field() {
    check(NAMES_THAT_END_LIKE_A_FIELD).await;
}
