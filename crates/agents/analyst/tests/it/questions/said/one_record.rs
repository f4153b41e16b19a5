//! Questions about one record that was found: by its place among others, or as the only one.

use super::{Said, check};

const THE_RECORD_AT_A_PLACE_IS_LOOKED_AT: Said = &[
    (
        &[
            "heaviest shipment",
            "the second heaviest",
            "which shipment is that?",
        ],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &[
            "the second longest delay",
            "which shipment was that?",
            "how late was it?",
        ],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["third most valuable shipment", "which one is that?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["the 3rd longest delay", "which one is that?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["the second-heaviest shipment", "how late was it?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["second latest arrival", "which shipment is that?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &[
            "which shipment has the third longest delay?",
            "which shipment is that?",
        ],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &[
            "the second heaviest",
            "and the third?",
            "which shipment is that?",
        ],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["top 3 by weight", "and the second?", "how late was it?"],
        "shipments; shipment_id=SHP-000122",
        "",
    ),
    (
        &["second newest vessel", "which one is that?"],
        "vessels; vessel_id=VSL-010",
        "",
    ),
    (
        &[
            "second newest vessel",
            "which one is that?",
            "how many shipments does it carry?",
        ],
        "shipments; vessel_id=VSL-010; count",
        "",
    ),
    (
        &[
            "oldest vessels of Pacific Crown",
            "the second oldest",
            "what is its name?",
            "and the third oldest?",
        ],
        "vessels; carrier=Pacific Crown; built up; 3",
        "",
    ),
];

const A_PLACE_IS_READ_BEFORE_EVERY_END: Said = &[
    (
        &["the 2nd heaviest shipment"],
        "shipments; weight_kg down; 2",
        "",
    ),
    (
        &["the tenth heaviest shipment"],
        "shipments; weight_kg down; 10",
        "",
    ),
    (
        &["the second largest delay"],
        "shipments; delay_hours down; 2",
        "",
    ),
    (&["the largest delay"], "shipments; delay_hours down; 1", ""),
    (
        &["the shipment with the second largest value"],
        "shipments; value_usd down; 2",
        "",
    ),
    (
        &["the second to last arrival"],
        "shipments; actual_arrival exists; actual_arrival down; 2",
        "",
    ),
    (
        &["which carrier has the second most shipments?"],
        "shipments; by carrier; count; count down; 2",
        "",
    ),
    (
        &["which port had the second most departures in December?"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count; count down; 2",
        "",
    ),
    (
        &["second busiest port"],
        "shipments; by destination_port; count; count down; 2",
        "",
    ),
    (
        &["shipments that arrived in the second week of January"],
        "shipments; actual_arrival 2025-01-08..2025-01-14",
        "",
    ),
];

const A_THING_OF_THE_RECORD_IS_TOLD_BY_IT: Said = &[
    (
        &["second heaviest shipment", "which vessel is that?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &[
            "second heaviest shipment",
            "which vessel is that?",
            "how late was it?",
        ],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["the second heaviest", "which vessel carried it?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["the second heaviest", "from where?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["the second heaviest", "details"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["longest delay", "which port?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["longest delay", "which port?", "which vessel?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["latest arrival", "from which port?"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &[
            "longest delay",
            "which vessel was that?",
            "how late was it?",
        ],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
];

const THE_GROUP_AT_A_PLACE_IS_LOOKED_AT: Said = &[
    (
        &[
            "which carrier has the most shipments in December?",
            "which carrier is that?",
        ],
        "shipments; carrier=Pacific Crown; actual_arrival 2024-12-01..2024-12-31; by carrier; count; count down; 1",
        "",
    ),
    (
        &["which port has the most departures?", "which one is that?"],
        "shipments; actual_departure exists; origin_port_id=PRT-HAM; by origin_port; count; count down; 1",
        "",
    ),
];

#[tokio::test]
async fn the_record_at_a_place_is_looked_at() {
    check(THE_RECORD_AT_A_PLACE_IS_LOOKED_AT).await;
}

#[tokio::test]
async fn a_place_is_read_before_every_end() {
    check(A_PLACE_IS_READ_BEFORE_EVERY_END).await;
}

#[tokio::test]
async fn a_thing_of_the_record_is_told_by_it() {
    check(A_THING_OF_THE_RECORD_IS_TOLD_BY_IT).await;
}

#[tokio::test]
async fn the_group_at_a_place_is_looked_at() {
    check(THE_GROUP_AT_A_PLACE_IS_LOOKED_AT).await;
}
