//! Questions that stand alone.

use super::{Table, check};

pub(super) const SUPERLATIVES_GO_BY_THE_QUANTITY_AND_THE_DIRECTION_OF_THE_WORD: Table = &[
    (&["newest vessel"], "vessels; built down; 1"),
    (&["What is our newest vessel?"], "vessels; built down; 1"),
    (&["which is the oldest ship?"], "vessels; built up; 1"),
    (&["show the oldest vessels"], "vessels; built up"),
    (&["the biggest vessel"], "vessels; capacity_teu down; 1"),
    (
        &["what is the largest ship"],
        "vessels; capacity_teu down; 1",
    ),
    (&["smallest vessels"], "vessels; capacity_teu up"),
    (&["the two biggest ships"], "vessels; capacity_teu down; 2"),
    (
        &["newest ships of Pacific Crown"],
        "vessels; carrier=Pacific Crown; built down",
    ),
    (&["heaviest shipment"], "shipments; weight_kg down; 1"),
    (
        &["the most valuable shipment"],
        "shipments; value_usd down; 1",
    ),
    (
        &["most expensive shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; value_usd down",
    ),
    (&["the 3 lightest shipments"], "shipments; weight_kg up; 3"),
    (&["most delayed shipment"], "shipments; delay_hours down; 1"),
    (
        &["what was the longest delay?"],
        "shipments; delay_hours down; 1",
    ),
    (
        &["shipment with the longest delay"],
        "shipments; delay_hours down; 1",
    ),
    (
        &["shipments with the shortest delay"],
        "shipments; delay_hours up",
    ),
    (
        &["most recent shipment"],
        "shipments; actual_arrival down; 1",
    ),
    (&["the newest shipments"], "shipments; actual_arrival down"),
    (
        &["earliest shipment of December 2024"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; actual_arrival up; 1",
    ),
    (&["coldest container"], "containers; temperature_c up; 1"),
    (
        &["warmest reefer containers"],
        "containers; type=reefer; temperature_c down",
    ),
];

#[tokio::test]
async fn superlatives_go_by_the_quantity_and_the_direction_of_the_word() {
    check(SUPERLATIVES_GO_BY_THE_QUANTITY_AND_THE_DIRECTION_OF_THE_WORD).await;
}

pub(super) const GROUPS_ARE_RANKED_BY_WHAT_IS_ASKED_OF_THEM: Table = &[
    (
        &["which carrier has the fewest late shipments?"],
        "shipments; is_late=true; by carrier; count; count up; 1",
    ),
    (
        &["which carrier has the most late shipments?"],
        "shipments; is_late=true; by carrier; count; count down; 1",
    ),
    (
        &["Which carrier had the least late shipments in December 2024?"],
        "shipments; is_late=true; actual_arrival 2024-12-01..2024-12-31; by carrier; count; count up; 1",
    ),
    (
        &["carriers with the fewest cancelled shipments"],
        "shipments; status=cancelled; by carrier; count; count up",
    ),
    (
        &["which vessel has the most delayed shipments"],
        "shipments; is_late=true; by vessel_name; count; count down; 1",
    ),
    (
        &["top 3 carriers by late shipments"],
        "shipments; is_late=true; by carrier; count; count down; 3",
    ),
    (
        &["top 3 carriers by number of late shipments"],
        "shipments; is_late=true; by carrier; count; count down; 3",
    ),
    (
        &["top 5 vessels by number of shipments"],
        "shipments; by vessel_name; count; count down; 5",
    ),
    (
        &["bottom 3 carriers by average delay"],
        "shipments; by carrier; average_delay_hours; average_delay_hours up; 3",
    ),
    (
        &["slowest carrier"],
        "shipments; by carrier; average_delay_hours; average_delay_hours down; 1",
    ),
    (
        &["what is the slowest carrier?"],
        "shipments; by carrier; average_delay_hours; average_delay_hours down; 1",
    ),
    (
        &["the fastest carriers"],
        "shipments; by carrier; average_delay_hours; average_delay_hours up",
    ),
    (
        &["which carrier is the most punctual?"],
        "shipments; by carrier; average_delay_hours; average_delay_hours up; 1",
    ),
    (
        &["slowest carrier to Hamburg in December 2024"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31; by carrier; average_delay_hours; average_delay_hours down; 1",
    ),
    (
        &["busiest port"],
        "shipments; by destination_port; count; count down; 1",
    ),
    (
        &["which port is the least busy?"],
        "shipments; by destination_port; count; count up; 1",
    ),
    (
        &["the least busy port last week"],
        "shipments; actual_arrival 2025-01-08..2025-01-15; by destination_port; count; count up; 1",
    ),
    (
        &["which carrier has the most shipments?"],
        "shipments; by carrier; count; count down; 1",
    ),
    (
        &["which port received the most shipments last week?"],
        "shipments; actual_arrival 2025-01-08..2025-01-15; by destination_port; count; count down; 1",
    ),
    (
        &["which vessel carried the most containers"],
        "shipments; by vessel_name; sum_container_count; sum_container_count down; 1",
    ),
    (
        &["which carrier has the highest average delay?"],
        "shipments; by carrier; average_delay_hours; average_delay_hours down; 1",
    ),
    (
        &["which carrier has the longest delays?"],
        "shipments; by carrier; maximum_delay_hours; maximum_delay_hours down; 1",
    ),
    (
        &["which vessel has the least delay?"],
        "shipments; by vessel_name; average_delay_hours; average_delay_hours up; 1",
    ),
    (
        &["which commodity has the highest total value"],
        "shipments; by commodity; sum_value_usd; sum_value_usd down; 1",
    ),
    (
        &["which carrier has the most vessels?"],
        "vessels; by carrier; count; count down; 1",
    ),
];

#[tokio::test]
async fn groups_are_ranked_by_what_is_asked_of_them() {
    check(GROUPS_ARE_RANKED_BY_WHAT_IS_ASKED_OF_THEM).await;
}

pub(super) const WHAT_IS_DUE_HAS_NOT_ARRIVED: Table = &[
    (
        &["shipments due next week"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
    ),
    (
        &["which shipments are due to arrive tomorrow?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16",
    ),
    (
        &["how many shipments are due this week"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-13..2025-01-19; count",
    ),
    (
        &["shipments due in Hamburg"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled",
    ),
    (
        &["overdue shipments"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15",
    ),
    (
        &["how many shipments are overdue?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15; count",
    ),
    (
        &["overdue shipments to Rotterdam"],
        "shipments; destination_port_id=PRT-RTM; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15",
    ),
    (
        &["overdue shipments by carrier"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15; by carrier; count",
    ),
    (&["late shipments"], "shipments; is_late=true"),
    (
        &["which shipments have not arrived yet?"],
        "shipments; actual_arrival missing; status!=cancelled",
    ),
    (
        &["shipments that have arrived"],
        "shipments; actual_arrival exists",
    ),
];

#[tokio::test]
async fn what_is_due_has_not_arrived() {
    check(WHAT_IS_DUE_HAS_NOT_ARRIVED).await;
}

pub(super) const WHAT_HAPPENED_WHEN_GOES_BY_THE_DATE_OF_THE_VERB: Table = &[
    (
        &["how many shipments arrived last week?"],
        "shipments; actual_arrival 2025-01-08..2025-01-15; count",
    ),
    (
        &["how many shipments departed last week?"],
        "shipments; actual_departure 2025-01-08..2025-01-15; count",
    ),
    (
        &["shipments that left Shanghai last month"],
        "shipments; origin_port_id=PRT-SHA; actual_departure 2024-12-01..2024-12-31",
    ),
    (
        &["how many containers arrived last week?"],
        "shipments; actual_arrival 2025-01-08..2025-01-15; sum_container_count",
    ),
    (
        &["how many containers arrived in Hamburg last week?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; sum_container_count",
    ),
    (
        &["how many vessels arrived in Hamburg last week?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; distinct_vessel_name",
    ),
    (
        &["how much weight arrived in December 2024"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; sum_weight_kg",
    ),
    (
        &["shipments arrived yesterday"],
        "shipments; actual_arrival 2025-01-14..2025-01-14",
    ),
    (
        &["shipments that arrived in the last 3 days"],
        "shipments; actual_arrival 2025-01-13..2025-01-15",
    ),
    (
        &["shipments that arrived in the past 30 days"],
        "shipments; actual_arrival 2024-12-17..2025-01-15",
    ),
    (
        &["shipments that arrived this month"],
        "shipments; actual_arrival 2025-01-01..2025-01-31",
    ),
    (
        &["shipments planned to arrive next week"],
        "shipments; planned_arrival 2025-01-15..2025-01-22",
    ),
    (
        &["shipments departed between 2024-12-01 and 2024-12-10"],
        "shipments; actual_departure 2024-12-01..2024-12-10",
    ),
    (
        &["show shipments to Hamburg last week"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
    ),
    (
        &["shipments in December 2024"],
        "shipments; actual_arrival 2024-12-01..2024-12-31",
    ),
];

#[tokio::test]
async fn what_happened_when_goes_by_the_date_of_the_verb() {
    check(WHAT_HAPPENED_WHEN_GOES_BY_THE_DATE_OF_THE_VERB).await;
}

pub(super) const RECORDS_ARE_CHOSEN_BY_NAMES_VALUES_AND_AMOUNTS: Table = &[
    (&["show delivered shipments"], "shipments; status=delivered"),
    (&["shipments in transit"], "shipments; status=in_transit"),
    (
        &["cancelled shipments to Rotterdam"],
        "shipments; destination_port_id=PRT-RTM; status=cancelled",
    ),
    (
        &["hazardous shipments from Shanghai"],
        "shipments; origin_port_id=PRT-SHA; hazardous=true",
    ),
    (
        &["shipments carrying coffee"],
        "shipments; commodity=coffee",
    ),
    (
        &["shipments of lithium batteries to Los Angeles"],
        "shipments; destination_port_id=PRT-LAX; commodity=lithium batteries",
    ),
    (&["shipments over 20 tonnes"], "shipments; weight_kg>20000"),
    (
        &["shipments worth more than $1 million"],
        "shipments; value_usd>1000000",
    ),
    (
        &["shipments with more than 5 containers"],
        "shipments; container_count>5",
    ),
    (
        &["shipments more than 2 days late"],
        "shipments; delay_hours>48",
    ),
    (&["vessels at sea"], "vessels; status=at_sea"),
    (&["ships in port"], "vessels; status=in_port"),
    (&["vessels with flag Panama"], "vessels; flag=Panama"),
    (&["vessels built after 2015"], "vessels; built>2015"),
    (&["vessels built before 2010"], "vessels; built<2010"),
    (
        &["vessels with a capacity over 10,000 TEU"],
        "vessels; capacity_teu>10000",
    ),
    (
        &["reefer containers in Rotterdam"],
        "containers; location_port=Port of Rotterdam; type=reefer",
    ),
    (
        &["shipments from Shanghai to Hamburg"],
        "shipments; origin_port_id=PRT-SHA; destination_port_id=PRT-HAM",
    ),
    (
        &["shipments not from Shanghai"],
        "shipments; origin_port_id!=PRT-SHA",
    ),
    (
        &["shipments to Hamburg or Rotterdam"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM",
    ),
    (&["shipments on MSC ANNA"], "shipments; vessel_id=VSL-001"),
    (&["where is MSC ANNA?"], "vessels; vessel_id=VSL-001"),
    (
        &["shipments by Blue Meridian Lines"],
        "shipments; carrier=Blue Meridian Lines",
    ),
];

#[tokio::test]
async fn records_are_chosen_by_names_values_and_amounts() {
    check(RECORDS_ARE_CHOSEN_BY_NAMES_VALUES_AND_AMOUNTS).await;
}

pub(super) const FIGURES_AND_ORDERS: Table = &[
    (
        &["average delay by carrier"],
        "shipments; by carrier; average_delay_hours",
    ),
    (
        &["number of shipments per month"],
        "shipments; by actual_arrival/month; count",
    ),
    (
        &["total weight by commodity"],
        "shipments; by commodity; sum_weight_kg",
    ),
    (
        &["shipments per destination"],
        "shipments; by destination_port; count",
    ),
    (
        &["count of shipments by status"],
        "shipments; by status; count",
    ),
    (
        &["average delay per month for Blue Meridian Lines"],
        "shipments; carrier=Blue Meridian Lines; by actual_arrival/month; average_delay_hours",
    ),
    (
        &["maximum delay by vessel"],
        "shipments; by vessel_name; maximum_delay_hours",
    ),
    (
        &["total value of shipments to Hamburg in December 2024"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31; sum_value_usd",
    ),
    (&["containers by type"], "containers; by type; count"),
    (&["vessels per carrier"], "vessels; by carrier; count"),
    (
        &["average capacity of vessels by carrier"],
        "vessels; by carrier; average_capacity_teu",
    ),
    (&["how many vessels do we have?"], "vessels; count"),
    (
        &["late shipments per carrier"],
        "shipments; is_late=true; by carrier; count",
    ),
    (
        &["how many late shipments were there in December 2024?"],
        "shipments; is_late=true; actual_arrival 2024-12-01..2024-12-31; count",
    ),
    (
        &["compare average delay in Hamburg and Rotterdam"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; by destination_port; average_delay_hours",
    ),
    (
        &["top 5 shipments by value"],
        "shipments; value_usd down; 5",
    ),
    (
        &["shipments sorted by weight descending"],
        "shipments; weight_kg down",
    ),
    (
        &["the last 10 shipments"],
        "shipments; actual_arrival down; 10",
    ),
    (
        &["shipments with the highest value to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; value_usd down",
    ),
    (&["average delay"], "shipments; average_delay_hours"),
];

#[tokio::test]
async fn figures_and_orders() {
    check(FIGURES_AND_ORDERS).await;
}
