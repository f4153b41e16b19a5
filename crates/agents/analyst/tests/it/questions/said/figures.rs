//! Averages and comparisons.

use super::{Said, check};

const AVERAGES: Said = &[
    (
        &["average delay over all shipments"],
        "shipments; average_delay_hours",
        "",
    ),
    (
        &["average delay over all records"],
        "shipments; average_delay_hours",
        "",
    ),
    (
        &["what is the average weight across all shipments to Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; average_weight_kg",
        "",
    ),
    (
        &["which commodity is heaviest on average?"],
        "shipments; by commodity; average_weight_kg; average_weight_kg down; 1",
        "",
    ),
    (
        &["on average, how late are shipments to Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; average_delay_hours",
        "",
    ),
    (
        &["which carrier is late the most?"],
        "shipments; is_late=true; by carrier; count; count down; 1",
        "",
    ),
    (
        &["which carrier is late most often?"],
        "shipments; is_late=true; by carrier; count; count down; 1",
        "",
    ),
    (
        &["which commodity has the highest average value?"],
        "shipments; by commodity; average_value_usd; average_value_usd down; 1",
        "",
    ),
    (&["median delay by carrier"], "said: no median", ""),
    (
        &["what percentage of shipments is late?"],
        "said: do not divide one number by another",
        "",
    ),
    (
        &["total weight of coffee"],
        "shipments; commodity=coffee; sum_weight_kg",
        "",
    ),
    (
        &["how heavy are the shipments to Hamburg on average?"],
        "shipments; destination_port_id=PRT-HAM; average_weight_kg",
        "",
    ),
    (
        &["which carrier has the worst delays?"],
        "shipments; by carrier; average_delay_hours; average_delay_hours down; 1",
        "",
    ),
    (
        &["the average of the delay in all the records"],
        "shipments; average_delay_hours",
        "",
    ),
    (
        &["which carrier is on average the fastest?"],
        "shipments; by carrier; average_delay_hours; average_delay_hours up; 1",
        "",
    ),
];

#[tokio::test]
async fn averages() {
    check(AVERAGES).await;
}

const COMPARISONS: Said = &[
    (
        &["compare Hamburg and Rotterdam"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; by destination_port; count",
        "",
    ),
    (
        &["Hamburg vs Rotterdam: late shipments"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; is_late=true; by destination_port; count",
        "",
    ),
    (
        &["compare the average delay of Pacific Crown with Blue Meridian Lines"],
        "shipments; carrier=Pacific Crown|Blue Meridian Lines; by carrier; average_delay_hours",
        "",
    ),
    (
        &["compare coffee and furniture by total weight"],
        "shipments; commodity=coffee|furniture; by commodity; sum_weight_kg",
        "",
    ),
];

#[tokio::test]
async fn comparisons() {
    check(COMPARISONS).await;
}
