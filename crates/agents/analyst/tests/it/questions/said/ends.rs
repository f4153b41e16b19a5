//! The ends of an order, what comes behind them, and values that are replaced.

use super::{Said, check};

const PLACES_IN_AN_ORDER: Said = &[
    (&["which shipment took the longest?"], "said: how long", ""),
    (
        &["what is the second longest delay?"],
        "shipments; delay_hours down; 2",
        "",
    ),
    (
        &[
            "which carrier has the most late shipments?",
            "and the second?",
        ],
        "shipments; is_late=true; by carrier; count; count down; 2",
        "",
    ),
    (
        &[
            "which carrier has the most late shipments?",
            "and the fewest?",
        ],
        "shipments; is_late=true; by carrier; count; count up; 1",
        "",
    ),
    (
        &[
            "which carrier has the most late shipments?",
            "and the second most?",
        ],
        "shipments; is_late=true; by carrier; count; count down; 2",
        "",
    ),
    (
        &["top 3 carriers by late shipments", "and the bottom 3?"],
        "shipments; is_late=true; by carrier; count; count up; 3",
        "",
    ),
    (
        &["heaviest shipment to Hamburg", "and the lightest?"],
        "shipments; destination_port_id=PRT-HAM; weight_kg up; 1",
        "",
    ),
];

#[tokio::test]
async fn places_in_an_order_are_asked_for() {
    check(PLACES_IN_AN_ORDER).await;
}

const INSTEAD: Said = &[
    (
        &[
            "how many shipments to Hamburg last week?",
            "Rotterdam instead",
        ],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg last week?",
            "instead of Hamburg take Rotterdam",
        ],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg last week?",
            "last month instead",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["average delay by carrier last week", "by port instead"],
        "shipments; actual_arrival 2025-01-08..2025-01-15; by destination_port; count; average_delay_hours",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg last week?",
            "without the week",
        ],
        "shipments; destination_port_id=PRT-HAM; count",
        "",
    ),
    (
        &[
            "how many late shipments to Hamburg last week?",
            "without the port",
        ],
        "shipments; is_late=true; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
];

#[tokio::test]
async fn a_value_stands_in_place_of_another() {
    check(INSTEAD).await;
}

const CONDITIONS_STAY: Said = &[
    (
        &[
            "how many late shipments to Hamburg last week?",
            "how late are they on average?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; average_delay_hours",
        "",
    ),
    (
        &["late shipments to Hamburg last week", "which carriers?"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; by carrier; count",
        "",
    ),
    (
        &["late shipments to Hamburg last week", "by which carrier?"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; by carrier; count",
        "",
    ),
    (
        &[
            "how many late shipments to Hamburg last week?",
            "which ones?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "how many late shipments to Hamburg last week?",
            "what is the total value?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; sum_value_usd",
        "",
    ),
    (
        &[
            "how many late shipments to Hamburg last week?",
            "and on time?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=false; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
];

#[tokio::test]
async fn conditions_stay_in_short_follow_ups() {
    check(CONDITIONS_STAY).await;
}

const NOW_AND_RATES: Said = &[
    (
        &["how many shipments arrived over New Year?"],
        "shipments; actual_arrival 2024-12-31..2025-01-01; count",
        "",
    ),
    (
        &["how many shipments arrived on New Year's Eve?"],
        "shipments; actual_arrival 2024-12-31..2024-12-31; count",
        "",
    ),
    (
        &["how many shipments arrived on New Year's Day?"],
        "shipments; actual_arrival 2025-01-01..2025-01-01; count",
        "",
    ),
    (&["which vessels are new?"], "said: \u{201c}new\u{201d}", ""),
    (
        &["which shipments are late now?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15",
        "",
    ),
    (
        &["which carrier is late right now?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15",
        "",
    ),
    (
        &["on-time rate by carrier"],
        "said: do not divide one number by another",
        "",
    ),
    (
        &["how many shipments are on time by carrier?"],
        "shipments; is_late=false; by carrier; count",
        "",
    ),
    (
        &["shipments to Hamburg last week", "where are they now?"],
        "said: where they are",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg last week?",
            "and the week before?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-01..2025-01-07; count",
        "",
    ),
    (
        &["heaviest shipment to Hamburg", "which carrier?"],
        "shipments; destination_port_id=PRT-HAM; weight_kg down; 1",
        "",
    ),
    (
        &["top 5 shipments by value", "which carriers?"],
        "shipments; by carrier; count",
        "5",
    ),
    (
        &["which port is the busiest?", "and the second busiest?"],
        "shipments; by destination_port; count; count down; 2",
        "",
    ),
    (
        &[
            "how many late shipments to Hamburg last week?",
            "which vessels?",
        ],
        "shipments; destination_port_id=PRT-HAM; is_late=true; actual_arrival 2025-01-08..2025-01-15; by vessel_name; count",
        "",
    ),
];

#[tokio::test]
async fn now_and_rates_are_what_they_are() {
    check(NOW_AND_RATES).await;
}
