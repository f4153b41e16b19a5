//! Departures and arrivals within days, by the port of what happened.

use super::{Said, check};

const BY_PORT_ON_DAYS: Said = &[
    (
        &["Departures by port in December"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count",
        "",
    ),
    (
        &["departures by port last month"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count",
        "",
    ),
    (
        &["last month's departures by port"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count",
        "",
    ),
    (
        &["number of departures per port in 2024"],
        "shipments; actual_departure 2024-01-01..2024-12-31; by origin_port; count",
        "",
    ),
    (
        &["Which port had the most departures in December?"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count; count down; 1",
        "",
    ),
    (
        &["Departures from which port are the most in December?"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count; count down; 1",
        "",
    ),
    (
        &["the busiest port by departures in December"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count; count down; 1",
        "",
    ),
    (
        &["top 3 ports by departures in December"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count; count down; 3",
        "",
    ),
    (
        &["shipments that left in December by port"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count",
        "",
    ),
    (
        &["departures in December by destination port"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by destination_port; count",
        "",
    ),
    (
        &["average weight of departures by port in December"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; average_weight_kg",
        "",
    ),
    (
        &["arrivals by port in December"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by destination_port; count",
        "",
    ),
    (
        &["Which port had the fewest arrivals in December?"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by destination_port; count; count up; 1",
        "",
    ),
];

const BY_PORT_BEHIND_DEPARTURES: Said = &[
    (
        &["departures in December", "by port"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count",
        "",
    ),
    (
        &["departures in December", "which port has the most?"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count; count down; 1",
        "",
    ),
    (
        &["departures by port", "in December"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count",
        "",
    ),
    (
        &["departures by port in November", "and in December?"],
        "shipments; actual_departure 2024-12-01..2024-12-31; by origin_port; count",
        "",
    ),
    (
        &["departures", "which port has the most?"],
        "shipments; actual_departure exists; by origin_port; count; count down; 1",
        "",
    ),
    (
        &["arrivals in December", "by port"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by destination_port; count",
        "",
    ),
];

#[tokio::test]
async fn ports_on_days_are_those_of_what_happened() {
    check(BY_PORT_ON_DAYS).await;
}

#[tokio::test]
async fn ports_behind_departures_are_those_of_departure() {
    check(BY_PORT_BEHIND_DEPARTURES).await;
}
