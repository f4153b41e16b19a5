//! Turns that return to an earlier query by its days, and turns that take a condition away.

use super::{Said, check};

const A_QUERY_IS_NAMED_BY_ITS_DAYS: Said = &[
    (
        &[
            "shipments to Hamburg in June 2023",
            "coffee shipments last week",
            "the query about Hamburg in June again",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2023-06-01..2023-06-30",
        "",
    ),
    (
        &[
            "shipments to Hamburg in June 2023",
            "vessels at sea",
            "back to the query about Hamburg in June",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2023-06-01..2023-06-30",
        "",
    ),
    (
        &[
            "shipments to Hamburg in December 2022",
            "shipments to Hamburg in June 2023",
            "coffee shipments last week",
            "the query about Hamburg in December again",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2022-12-01..2022-12-31",
        "",
    ),
    (
        &[
            "shipments to Hamburg in December 2022",
            "shipments to Hamburg in June 2023",
            "the Hamburg shipments in December again",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2022-12-01..2022-12-31",
        "",
    ),
    (
        &[
            "shipments to Hamburg in June 2023",
            "coffee shipments last week",
            "the June query again",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2023-06-01..2023-06-30",
        "",
    ),
    (
        &[
            "shipments to Hamburg in June 2023",
            "coffee shipments last week",
            "now the June one again",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2023-06-01..2023-06-30",
        "",
    ),
    (
        &[
            "shipments to Hamburg in the first quarter of 2023",
            "coffee shipments last week",
            "show me the query about Hamburg in the first quarter again",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2023-01-01..2023-03-31",
        "",
    ),
    (
        &[
            "shipments to Hamburg in February 2024",
            "vessels at sea",
            "the question about Hamburg in February again please",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-02-01..2024-02-29",
        "",
    ),
    (
        &[
            "shipments to Hamburg on 3 June 2023",
            "vessels at sea",
            "the query about Hamburg on 3 June again",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2023-06-03..2023-06-03",
        "",
    ),
    // Other days are a change.
    (
        &[
            "shipments to Hamburg in June 2023",
            "coffee shipments last week",
            "the query about Hamburg again in December 2024",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31",
        "",
    ),
];

const NOTHING: &str = "no condition on";

const A_CONDITION_THAT_IS_NOT_THERE_IS_NOT_ADDED: Said = &[
    (
        &["shipments of coffee to Rotterdam", "forget the coffee"],
        "shipments; destination_port_id=PRT-RTM",
        "",
    ),
    (
        &["coffee shipments to Rotterdam", "nevermind the coffee"],
        "shipments; destination_port_id=PRT-RTM",
        "",
    ),
    (
        &["coffee shipments to Rotterdam", "never mind the coffee"],
        "shipments; destination_port_id=PRT-RTM",
        "",
    ),
    (
        &[
            "coffee shipments",
            "shipments to Rotterdam last month",
            "forget the coffee",
        ],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2024-12-01..2024-12-31",
        NOTHING,
    ),
    (
        &[
            "coffee shipments",
            "shipments to Rotterdam",
            "forget coffee",
        ],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &[
            "coffee shipments",
            "shipments to Rotterdam",
            "ok forget the coffee please",
        ],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &["shipments to Rotterdam", "never mind the coffee"],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &["shipments to Rotterdam", "don't care about the coffee"],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &["shipments to Rotterdam", "don't filter by coffee"],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &["shipments to Rotterdam", "lift the coffee filter"],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &["shipments to Rotterdam", "unset coffee"],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &["shipments to Rotterdam", "forget Pacific Crown"],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &["shipments to Rotterdam", "forget the delivered ones"],
        "shipments; destination_port_id=PRT-RTM",
        NOTHING,
    ),
    (
        &[
            "coffee shipments to Rotterdam",
            "forget the coffee, only the late ones",
        ],
        "shipments; destination_port_id=PRT-RTM; is_late=true",
        "",
    ),
];

#[tokio::test]
async fn a_query_is_named_by_its_days() {
    check(A_QUERY_IS_NAMED_BY_ITS_DAYS).await;
}

#[tokio::test]
async fn a_condition_that_is_not_there_is_not_added() {
    check(A_CONDITION_THAT_IS_NOT_THERE_IS_NOT_ADDED).await;
}

const A_NUMBER_SAYS_WHAT_IS_BIG: Said = &[
    (
        &["biggest shipment by value"],
        "shipments; value_usd down; 1",
        "",
    ),
    (
        &["the largest shipment by weight"],
        "shipments; weight_kg down; 1",
        "",
    ),
    (
        &["which is the smallest shipment by weight?"],
        "shipments; weight_kg up; 1",
        "",
    ),
    (
        &["top shipment by weight"],
        "shipments; weight_kg down; 1",
        "",
    ),
    (
        &["biggest 3 shipments by value"],
        "shipments; value_usd down; 3",
        "",
    ),
    (
        &["largest vessel by capacity"],
        "vessels; capacity_teu down; 1",
        "",
    ),
    (
        &["the biggest shipments by weight"],
        "shipments; weight_kg down",
        "",
    ),
    (
        &["biggest shipment to Hamburg by value"],
        "shipments; destination_port_id=PRT-HAM; value_usd down; 1",
        "",
    ),
    (
        &["biggest carrier by weight"],
        "shipments; by carrier; sum_weight_kg; sum_weight_kg down; 1",
        "",
    ),
];

#[tokio::test]
async fn a_number_says_what_is_big() {
    check(A_NUMBER_SAYS_WHAT_IS_BIG).await;
}
