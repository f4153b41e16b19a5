//! Turns that go on from an earlier one.

use super::{Said, check};

const WHAT_WAS_FOUND_IS_ASKED_AGAIN: Said = &[
    (
        &[
            "how many shipments arrived in Hamburg last week?",
            "how many of them were late?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &[
            "how many shipments arrived in Hamburg last week?",
            "how many of these are hazardous?",
        ],
        "shipments; destination_port_id=PRT-HAM; hazardous=true; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "how many of those are late?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "of those, how many carry coffee?",
        ],
        "shipments; destination_port_id=PRT-HAM; commodity=coffee; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &[
            "how many shipments arrived in Hamburg last week?",
            "which of them were late?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "what is their average delay?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; average_delay_hours",
        "",
    ),
    (
        &[
            "how many shipments arrived in Hamburg last week?",
            "and how many were late?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &["shipments to Hamburg last week", "how many are there?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &[
            "top 5 shipments by value",
            "how many of them are hazardous?",
        ],
        "shipments; hazardous=true; count",
        "5",
    ),
    (
        &[
            "how many late shipments to Hamburg?",
            "how many of these by Pacific Crown?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; carrier=Pacific Crown; count",
        "",
    ),
];

#[tokio::test]
async fn what_was_found_is_asked_again() {
    check(WHAT_WAS_FOUND_IS_ASKED_AGAIN).await;
}

const A_FOLLOW_UP_CHANGES_ONE_THING: Said = &[
    (
        &[
            "how many shipments to Hamburg last week?",
            "and in Rotterdam?",
        ],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2025-01-08..2025-01-15; count",
        "Rotterdam",
    ),
    (
        &["average delay by carrier in Hamburg", "and in Rotterdam?"],
        "shipments; destination_port_id=PRT-RTM; by carrier; count; average_delay_hours",
        "",
    ),
    (
        &["shipments from Shanghai to Hamburg", "and from Singapore?"],
        "shipments; origin_port_id=PRT-SIN; destination_port_id=PRT-HAM",
        "",
    ),
    (
        &["shipments to Hamburg last week", "also Rotterdam"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &["shipments to Hamburg last week", "add Rotterdam"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &["how many late shipments last week?", "in Hamburg?"],
        "shipments; is_late=true; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg last week?",
            "only the hazardous ones",
            "and in Rotterdam?",
        ],
        "shipments; destination_port_id=PRT-RTM; hazardous=true; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &["shipments to Hamburg last week", "by carrier"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; by carrier; count",
        "",
    ),
    (
        &["shipments to Hamburg last week", "how many?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &["how many shipments to Hamburg last week?", "show them"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "which carrier has the most late shipments?",
            "and in December 2024?",
        ],
        "shipments; is_late=true; actual_arrival 2024-12-01..2024-12-31; by carrier; count; count down; 1",
        "",
    ),
    (
        &["shipments to Hamburg last week", "and the late ones?"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "how many shipments of Pacific Crown last month?",
            "and Nordhavn Container?",
        ],
        "shipments; carrier=Nordhavn Container; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg last week?",
            "and to Germany?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &["how many shipments of coffee last week?", "and furniture?"],
        "shipments; commodity=furniture; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
];

#[tokio::test]
async fn a_follow_up_changes_one_thing() {
    check(A_FOLLOW_UP_CHANGES_ONE_THING).await;
}

const EARLIER_QUERIES_BY_THEIR_TOPIC: Said = &[
    (
        &[
            "shipments to Hamburg last week",
            "vessels at sea",
            "reefer containers",
            "now the Hamburg shipments again",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "vessels at sea",
            "back to the Hamburg shipments, only the late ones",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "vessels by carrier",
            "how many of the Hamburg shipments were late?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
];

#[tokio::test]
async fn earlier_queries_by_their_topic() {
    check(EARLIER_QUERIES_BY_THEIR_TOPIC).await;
}
