//! Turns that continue an earlier one.

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

const CHANGES_SEEN_FROM_OUTSIDE: Said = &[
    (
        &[
            "how many shipments to Hamburg in December 2024?",
            "and to Rotterdam?",
            "in both?",
        ],
        "shipments; destination_port_id=PRT-RTM|PRT-HAM; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &[
            "shipments of coffee to Hamburg",
            "and to Spain",
            "to either",
        ],
        "shipments; destination_port_id=PRT-CAR|PRT-HAM; commodity=coffee",
        "",
    ),
    (
        &["how many shipments were cancelled in 2024?"],
        "shipments; status=cancelled; planned_arrival 2024-01-01..2024-12-31; count",
        "",
    ),
    (
        &["how many shipments were cancelled in 2024?", "by month"],
        "shipments; status=cancelled; planned_arrival 2024-01-01..2024-12-31; by planned_arrival/month; count",
        "",
    ),
    (
        &["what should have arrived yesterday?"],
        "shipments; planned_arrival 2025-01-14..2025-01-14",
        "",
    ),
    (
        &[
            "how many shipments are overdue?",
            "and which are due tomorrow?",
        ],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16; count",
        "",
    ),
    (
        &["how many shipments are overdue?", "show the first 10"],
        "shipments; planned_arrival<2025-01-15; actual_arrival missing; status!=cancelled; 10",
        "",
    ),
    (
        &["how many shipments arrived not december, november 2024"],
        "shipments; actual_arrival 2024-11-01..2024-11-30; count",
        "",
    ),
    (
        &["not december, november"],
        "shipments; actual_arrival 2024-11-01..2024-11-30",
        "",
    ),
    (
        &["shipments in November, not in December"],
        "shipments; actual_arrival 2024-11-01..2024-11-30",
        "",
    ),
    (
        &[
            "total weight by carrier in 2024",
            "top 3",
            "all of them again",
        ],
        "shipments; actual_arrival 2024-01-01..2024-12-31; by carrier; count; sum_weight_kg; sum_weight_kg down",
        "",
    ),
    (
        &[
            "Which port received the most shipments in December 2024?",
            "and by weight?",
        ],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by destination_port; sum_weight_kg; sum_weight_kg down; 1",
        "",
    ),
    (
        &[
            "Which port received the most shipments in December 2024?",
            "and the second most?",
        ],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by destination_port; count; count down; 2",
        "",
    ),
    (
        &[
            "the Hamburg shipments in December 2024",
            "vessels of Pacific Crown",
        ],
        "vessels; carrier=Pacific Crown",
        "",
    ),
    (
        &["how many reefers are in Singapore?", "the coldest one"],
        "containers; location_port=Port of Singapore; type=reefer; temperature_c up; 1",
        "",
    ),
    (
        &[
            "Which vessel is the newest?",
            "which is the largest by capacity?",
        ],
        "vessels; capacity_teu down; 1",
        "",
    ),
    (
        &[
            "how many late shipments to Hamburg?",
            "and what do they weigh?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; sum_weight_kg",
        "",
    ),
    (
        &[
            "show shipments from Shanghai to Hamburg",
            "only hazardous ones",
            "without that",
        ],
        "shipments; origin_port_id=PRT-SHA; destination_port_id=PRT-HAM",
        "",
    ),
    (
        &["cancelled shipments by month in 2024"],
        "shipments; status=cancelled; planned_arrival 2024-01-01..2024-12-31; by planned_arrival/month; count",
        "",
    ),
    (
        &[
            "how many shipments arrived early in December 2024?",
            "and on time?",
        ],
        "shipments; is_late=false; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &[
            "how many shipments arrived early in December 2024?",
            "and late?",
        ],
        "shipments; is_late=true; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["how many late shipments in December 2024?", "and early?"],
        "shipments; delay_hours<0; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &[
            "what is the average delay to Santos in 2024?",
            "and the maximum?",
        ],
        "shipments; destination_port_id=PRT-SSZ; actual_arrival 2024-01-01..2024-12-31; maximum_delay_hours",
        "",
    ),
    (
        &[
            "which carrier was late most often in November 2024?",
            "and least often?",
        ],
        "shipments; is_late=true; actual_arrival 2024-11-01..2024-11-30; by carrier; count; count up; 1",
        "",
    ),
    (
        &["average delay by carrier", "worst first"],
        "shipments; by carrier; count; average_delay_hours; average_delay_hours down",
        "",
    ),
];

#[tokio::test]
async fn changes_seen_from_outside() {
    check(CHANGES_SEEN_FROM_OUTSIDE).await;
}
