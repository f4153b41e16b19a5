//! What holds of every follow-up and condition: conditions stay until something replaces them, a
//! bound replaces the bound before, "or" between roles is enough for either, and what was found is
//! what "it" is.

use super::said::{Said, check};

pub(super) const THE_FIRST_ONES_ARE_THOSE_BY_THE_FIGURE: Said = &[
    (
        &["average delay by carrier, top 2"],
        "shipments; by carrier; average_delay_hours; average_delay_hours down; 2",
        "",
    ),
    (
        &["average delay by carrier", "top 2"],
        "shipments; by carrier; count; average_delay_hours; average_delay_hours down; 2",
        "",
    ),
    (
        &["carriers by average delay, bottom 2"],
        "shipments; by carrier; average_delay_hours; average_delay_hours up; 2",
        "",
    ),
    (
        &["total weight by carrier, top 3"],
        "shipments; by carrier; sum_weight_kg; sum_weight_kg down; 3",
        "",
    ),
    (
        &[
            "which carrier has the fewest late shipments?",
            "top 3 instead",
        ],
        "shipments; is_late=true; by carrier; count; count up; 3",
        "",
    ),
    (
        &[
            "which carrier has the fewest late shipments?",
            "the 3 worst",
        ],
        "shipments; is_late=true; by carrier; count; count down; 3",
        "",
    ),
    (
        &["which carrier is the worst in delay?"],
        "shipments; by carrier; average_delay_hours; average_delay_hours down; 1",
        "",
    ),
    (
        &["which port receives the most coffee?"],
        "shipments; commodity=coffee; by destination_port; count; count down; 1",
        "",
    ),
    (
        &["second heaviest shipment to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; weight_kg down; 2",
        "",
    ),
];

#[tokio::test]
async fn the_first_ones_are_those_by_the_figure() {
    check(THE_FIRST_ONES_ARE_THOSE_BY_THE_FIGURE).await;
}

pub(super) const A_FIGURE_OF_WHAT_WAS_FOUND_KEEPS_ITS_CONDITIONS: Said = &[
    (
        &["late shipments to Hamburg", "how late on average?"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; average_delay_hours",
        "",
    ),
    (
        &["shipments to Rotterdam in December 2024", "how late?"],
        "shipments; destination_port_id=PRT-RTM; actual_arrival 2024-12-01..2024-12-31; average_delay_hours",
        "",
    ),
    (
        &["late shipments to Hamburg", "how heavy are they?"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; average_weight_kg",
        "",
    ),
    (
        &[
            "maximum delay of shipments to Hamburg",
            "which shipment is that?",
        ],
        "shipments; destination_port_id=PRT-HAM; delay_hours down; 1",
        "",
    ),
    (
        &[
            "what is the minimum weight to Rotterdam",
            "which one is it?",
        ],
        "shipments; destination_port_id=PRT-RTM; weight_kg up; 1",
        "",
    ),
    (
        &[
            "shipments to Hamburg with the longest delay",
            "which shipment is that?",
        ],
        "shipments; destination_port_id=PRT-HAM; delay_hours down; 1",
        "",
    ),
    (
        &["heaviest shipment to Hamburg", "how heavy is it?"],
        "shipments; destination_port_id=PRT-HAM; weight_kg down; 1",
        "",
    ),
    (
        &["heaviest shipment to Hamburg", "which vessel carries it?"],
        "shipments; destination_port_id=PRT-HAM; weight_kg down; 1",
        "",
    ),
    (
        &["heaviest shipment to Hamburg", "what is its cargo?"],
        "shipments; destination_port_id=PRT-HAM; weight_kg down; 1",
        "",
    ),
    (
        &["newest vessel", "how many shipments does it carry?"],
        "shipments; vessel_id=VSL-010; count",
        "",
    ),
    (
        &[
            "which vessel had the most late shipments?",
            "how many shipments does it have?",
        ],
        "shipments; vessel_id=VSL-010; count",
        "",
    ),
    (
        &[
            "which carrier has the most late shipments?",
            "how many shipments does that carrier have?",
        ],
        "shipments; carrier=Pacific Crown; count",
        "",
    ),
    (
        &[
            "list the late shipments of Pacific Crown",
            "how many?",
            "by destination port",
            "top 3",
        ],
        "shipments; is_late=true; carrier=Pacific Crown; by destination_port; count; count down; 3",
        "",
    ),
    (
        &["late shipments to Hamburg", "how many containers in total?"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; sum_container_count",
        "",
    ),
];

#[tokio::test]
async fn a_figure_of_what_was_found_keeps_its_conditions() {
    check(A_FIGURE_OF_WHAT_WAS_FOUND_KEEPS_ITS_CONDITIONS).await;
}

pub(super) const ONE_OF_SEVERAL_CONDITIONS_IS_ENOUGH: Said = &[
    (
        &["how many shipments to Hamburg or from Hamburg"],
        "shipments; destination_port_id=PRT-HAM or origin_port_id=PRT-HAM; count",
        "",
    ),
    (
        &["how many shipments to or from Hamburg in December 2024"],
        "shipments; destination_port_id=PRT-HAM or origin_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["late shipments from Santos or to Rotterdam"],
        "shipments; origin_port_id=PRT-SSZ or destination_port_id=PRT-RTM; is_late=true",
        "",
    ),
    (
        &["how many shipments are late or hazardous?"],
        "shipments; is_late=true or hazardous=true; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg or from Santos",
            "only late ones",
        ],
        "shipments; destination_port_id=PRT-HAM or origin_port_id=PRT-SSZ; is_late=true; count",
        "",
    ),
    (
        &["how many shipments not to Hamburg but from Santos"],
        "shipments; destination_port_id!=PRT-HAM; origin_port_id=PRT-SSZ; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg",
            "not Hamburg but from Santos",
        ],
        "shipments; destination_port_id!=PRT-HAM; origin_port_id=PRT-SSZ; count",
        "",
    ),
    (
        &["how many shipments to Hamburg", "not Hamburg but Rotterdam"],
        "shipments; destination_port_id=PRT-RTM; count",
        "",
    ),
];

#[tokio::test]
async fn one_of_several_conditions_is_enough() {
    check(ONE_OF_SEVERAL_CONDITIONS_IS_ENOUGH).await;
}

pub(super) const A_CONDITION_TAKES_THE_PLACE_OF_THE_OLD_ONE: Said = &[
    (
        &["shipments worth more than 1 million", "less than 10,000?"],
        "shipments; value_usd<10000",
        "",
    ),
    (
        &["shipments with exactly 2 containers", "at most 2"],
        "shipments; container_count<=2",
        "",
    ),
    (
        &["shipments with more than 3 containers", "exactly 2"],
        "shipments; container_count=2",
        "",
    ),
    (
        &[
            "shipments with delay over 48 hours",
            "under 24 hours",
            "between 24 and 48 hours",
        ],
        "shipments; delay_hours>=24; delay_hours<=48",
        "",
    ),
    (
        &[
            "shipments to Miami",
            "both of them",
            "only the container terminal",
        ],
        "shipments; destination_port_id=PRT-MCT",
        "",
    ),
    (
        &[
            "shipments to Cartagena",
            "all of them",
            "only the Colombian one",
        ],
        "shipments; destination_port_id=PRT-CTG",
        "",
    ),
    (
        &["how many shipments to Hamburg", "any port"],
        "shipments; count",
        "",
    ),
    (
        &["late shipments to Hamburg over 20 tons", "without the port"],
        "shipments; weight_kg>20000.0; is_late=true",
        "",
    ),
    (
        &["shipments from Santos to Hamburg", "without the origin"],
        "shipments; destination_port_id=PRT-HAM",
        "",
    ),
    (
        &["shipments to Hamburg over 20 tons", "without the weight"],
        "shipments; destination_port_id=PRT-HAM",
        "",
    ),
    (
        &["shipments to Hamburg over 20 tons", "without the value"],
        "shipments; destination_port_id=PRT-HAM; weight_kg>20000.0",
        "",
    ),
    (
        &["shipments to Hamburg", "without a weight"],
        "shipments; destination_port_id=PRT-HAM; weight_kg missing",
        "",
    ),
    (
        &["reefers in Rotterdam", "colder than -10"],
        "containers; location_port=Port of Rotterdam; type=reefer; temperature_c<-10",
        "",
    ),
];

#[tokio::test]
async fn a_condition_takes_the_place_of_the_old_one() {
    check(A_CONDITION_TAKES_THE_PLACE_OF_THE_OLD_ONE).await;
}

pub(super) const WORDS_OF_AMOUNTS_AND_DAYS: Said = &[
    (
        &["how many shipments arrived on 31 February"],
        "said: not a day of the calendar",
        "",
    ),
    (
        &["how many shipments to Hamburg", "on 31 April 2024"],
        "said: not a day of the calendar",
        "",
    ),
    (
        &[
            "how many shipments in December 2024",
            "compare with October 2024",
        ],
        "shipments; actual_arrival<2024-11-01 or actual_arrival>=2024-12-01; actual_arrival 2024-10-01..2024-12-31; by actual_arrival/month; count",
        "",
    ),
    (
        &["compare shipments of December 2024 with October 2024"],
        "shipments; actual_arrival<2024-11-01 or actual_arrival>=2024-12-01; actual_arrival 2024-10-01..2024-12-31; by actual_arrival/month; count",
        "",
    ),
    (
        &["compare November 2024 with December 2024"],
        "shipments; actual_arrival 2024-11-01..2024-12-31; by actual_arrival/month; count",
        "",
    ),
    (
        &["how many shipments since christmas"],
        "shipments; actual_arrival 2024-12-25..2025-01-15; count",
        "",
    ),
    (
        &["shipments worth more than half a million"],
        "shipments; value_usd>500000",
        "",
    ),
    (
        &["shipments worth more than 1.000.000"],
        "shipments; value_usd>1000000",
        "",
    ),
    (
        &["shipments worth more than 1.5 million"],
        "shipments; value_usd>1500000",
        "",
    ),
    (&["shipments 2 days late"], "shipments; delay_hours>=48", ""),
    (&["containers of size 40 ft"], "containers; size_ft=40", ""),
    (
        &["undelivered shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; status!=delivered",
        "",
    ),
    (
        &["shipments that arrived early in December 2024"],
        "shipments; delay_hours<0; actual_arrival 2024-12-01..2024-12-31",
        "",
    ),
    (
        &["shipments of fruit"],
        "shipments; commodity=fresh fruit",
        "",
    ),
    (
        &["minimum and maximum weight to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; minimum_weight_kg; maximum_weight_kg",
        "",
    ),
    (
        &["how much do shipments to Hamburg weigh"],
        "shipments; destination_port_id=PRT-HAM; sum_weight_kg",
        "",
    ),
];

#[tokio::test]
async fn words_of_amounts_and_days() {
    check(WORDS_OF_AMOUNTS_AND_DAYS).await;
}

pub(super) const WHAT_A_PERSON_ASKS_OF_FIGURES: Said = &[
    (
        &["late shipments from Shanghai", "by how much on average?"],
        "shipments; origin_port_id=PRT-SHA; is_late=true; average_delay_hours",
        "",
    ),
    (
        &["how many shipments are delayed by more than a day"],
        "shipments; delay_hours>24; count",
        "",
    ),
    (
        &["shipments heavier than a ton"],
        "shipments; weight_kg>1000",
        "",
    ),
    (
        &["how many shipments arrived exactly on time"],
        "shipments; is_late=false; count",
        "",
    ),
    (
        &["average delay per carrier in December 2024, worst first"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by carrier; average_delay_hours; average_delay_hours down",
        "",
    ),
    (
        &["which 3 ports have the highest average delay?"],
        "shipments; by destination_port; average_delay_hours; average_delay_hours down; 3",
        "",
    ),
    (
        &["which month had the most late arrivals?"],
        "shipments; is_late=true; by actual_arrival/month; count; count down; 1",
        "",
    ),
    (
        &["which week had the fewest shipments to Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; by actual_arrival/week; count; count up; 1",
        "",
    ),
    (
        &["which month had the highest average delay?"],
        "shipments; by actual_arrival/month; average_delay_hours; average_delay_hours down; 1",
        "",
    ),
    (
        &["difference in average delay between Hamburg and Rotterdam"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; by destination_port; average_delay_hours",
        "",
    ),
    (
        &["compare coffee and furniture by weight"],
        "shipments; commodity=coffee|furniture; by commodity; sum_weight_kg",
        "",
    ),
    (
        &["heaviest shipment from Shanghai", "who is the carrier?"],
        "shipments; origin_port_id=PRT-SHA; weight_kg down; 1",
        "",
    ),
    (
        &["shipments in the first week of December 2024"],
        "shipments; actual_arrival 2024-12-01..2024-12-07",
        "",
    ),
    (&["compare"], "said: What is to be compared", ""),
    (
        &["most valuable shipment of each carrier"],
        "said: not the first of each carrier",
        "",
    ),
    (
        &["which commodities go to Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; by commodity; count",
        "",
    ),
    (
        &["ports in Germany", "how many shipments go there?"],
        "shipments; destination_port_id=PRT-HAM; count",
        "",
    ),
    (
        &["shipments to Hamburg, sorry Rotterdam"],
        "shipments; destination_port_id=PRT-RTM",
        "",
    ),
    (
        &["late shipments to Hamburg", "how many from there?"],
        "shipments; is_late=true; origin_port_id=PRT-HAM; count",
        "",
    ),
    (
        &["shipments by carrier with more than 100 late shipments"],
        "said: cannot choose groups by a number of records",
        "",
    ),
];

#[tokio::test]
async fn what_a_person_asks_of_figures() {
    check(WHAT_A_PERSON_ASKS_OF_FIGURES).await;
}
