//! Questions of a person who had not seen the rules: fragments behind a question, figures without
//! a word for them, two roles of one place, and forms that no query has.

use super::said::{Said, check};

pub(super) const A_FRAGMENT_KEEPS_WHAT_WAS_ASKED: Said = &[
    (
        &[
            "how many late shipments to Rotterdam",
            "worth more than 100000",
        ],
        "shipments; destination_port_id=PRT-RTM; is_late=true; value_usd>100000; count",
        "",
    ),
    (
        &["reefers in Rotterdam", "below -15 degrees"],
        "containers; location_port=Port of Rotterdam; type=reefer; temperature_c<-15",
        "",
    ),
    (
        &[
            "how many shipments arrived in Hamburg in December 2024",
            "what about the average weight",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31; average_weight_kg",
        "",
    ),
    (
        &[
            "how many shipments arrived in Antwerp in November 2024",
            "how about the average delay?",
        ],
        "shipments; destination_port_id=PRT-ANR; actual_arrival 2024-11-01..2024-11-30; average_delay_hours",
        "",
    ),
    (
        &["how many shipments to Hamburg", "delivered"],
        "shipments; destination_port_id=PRT-HAM; status=delivered; count",
        "",
    ),
    (
        &["how many shipments to Hamburg", "in December 2024"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["how many shipments to Hamburg", "over 30 tons"],
        "shipments; destination_port_id=PRT-HAM; weight_kg>30000; count",
        "",
    ),
    (
        &["how many shipments to Hamburg", "late", "hazardous only"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; hazardous=true; count",
        "",
    ),
    (
        &[
            "list late shipments to Santos",
            "average delay",
            "count by carrier",
        ],
        "shipments; destination_port_id=PRT-SSZ; is_late=true; by carrier; count",
        "",
    ),
    (
        &[
            "how many shipments to Miami Container Terminal",
            "how many in total?",
        ],
        "shipments; destination_port_id=PRT-MCT; count",
        "",
    ),
    (
        &["how many shipments to Houston", "booked or in transit"],
        "shipments; destination_port_id=PRT-HOU; status=booked|in_transit; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg",
            "what will arrive there between 20 and 25 January 2025?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-20..2025-01-25; count",
        "",
    ),
    (
        &["late shipments", "how many went there last week?"],
        "shipments; is_late=true; actual_arrival 2025-01-08..2025-01-15; count",
        "there",
    ),
    (
        &["heaviest shipment to Hamburg", "who is the carrier of it?"],
        "shipments; destination_port_id=PRT-HAM; weight_kg down; 1",
        "",
    ),
    (
        &["how many shipments to Hamburg", "which is the heaviest?"],
        "shipments; destination_port_id=PRT-HAM; weight_kg down; 1",
        "",
    ),
    (
        &[
            "list delivered shipments to Antwerp",
            "sort by weight",
            "the 3 heaviest",
        ],
        "shipments; destination_port_id=PRT-ANR; status=delivered; weight_kg down; 3",
        "",
    ),
    (
        &[
            "shipments to Hamburg",
            "with more than 3 containers",
            "at most 5",
        ],
        "shipments; destination_port_id=PRT-HAM; container_count>3; container_count<=5",
        "",
    ),
    (
        &[
            "average delay in November 2024",
            "and in December 2024?",
            "and for coffee?",
            "per carrier please",
            "what about Blue Meridian Lines",
        ],
        "shipments; commodity=coffee; carrier=Blue Meridian Lines; actual_arrival 2024-12-01..2024-12-31; by carrier; count; average_delay_hours",
        "",
    ),
    (
        &[
            "how many shipments from Singapore",
            "what about Shanghai",
            "how many late",
        ],
        "shipments; origin_port_id=PRT-SHA; is_late=true; count",
        "",
    ),
    (
        &["how many vessels at sea", "what about shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM",
        "",
    ),
    (
        &["vessels by carrier", "which has the most?"],
        "vessels; by carrier; count; count down; 1",
        "",
    ),
    (
        &["total weight by carrier", "which has the least?"],
        "shipments; by carrier; count; sum_weight_kg; sum_weight_kg up; 1",
        "",
    ),
];

#[tokio::test]
async fn a_fragment_keeps_what_was_asked() {
    check(A_FRAGMENT_KEEPS_WHAT_WAS_ASKED).await;
}

pub(super) const BOTH_VALUES_OF_A_COMPARISON: Said = &[
    (
        &[
            "how many shipments arrived in Hamburg in December 2024",
            "compare with Rotterdam",
        ],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; actual_arrival 2024-12-01..2024-12-31; by destination_port; count",
        "Port of Hamburg or Port of Rotterdam",
    ),
    (
        &[
            "how many shipments arrived in Hamburg in December 2024",
            "compare with October 2024",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival<2024-11-01 or actual_arrival>=2024-12-01; actual_arrival 2024-10-01..2024-12-31; by actual_arrival/month; count",
        "",
    ),
    (&["compare with Rotterdam"], "said: no earlier question", ""),
    (&["by status"], "said: Of which records", ""),
];

#[tokio::test]
async fn both_values_of_a_comparison() {
    check(BOTH_VALUES_OF_A_COMPARISON).await;
}

pub(super) const A_QUANTITY_IS_COMPUTED_WITHOUT_A_WORD_FOR_IT: Said = &[
    (
        &["weight by carrier"],
        "shipments; by carrier; sum_weight_kg",
        "",
    ),
    (
        &["delay by carrier"],
        "shipments; by carrier; average_delay_hours",
        "",
    ),
    (
        &["value by commodity"],
        "shipments; by commodity; sum_value_usd",
        "",
    ),
    (
        &["weight of shipments by month"],
        "shipments; by actual_arrival/month; sum_weight_kg",
        "",
    ),
    (
        &["what weight went to Santos"],
        "shipments; destination_port_id=PRT-SSZ; sum_weight_kg",
        "",
    ),
    (
        &["sum of container count to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; sum_container_count",
        "",
    ),
    (
        &["total containers shipped to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; sum_container_count",
        "",
    ),
    (
        &["how many boxes went to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; sum_container_count",
        "",
    ),
    (
        &["how much coffee did we ship in tons"],
        "shipments; commodity=coffee; sum_weight_kg",
        "",
    ),
    (
        &["how many tons went to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; sum_weight_kg",
        "",
    ),
    (
        &["worst carrier by delay"],
        "shipments; by carrier; average_delay_hours; average_delay_hours down; 1",
        "",
    ),
    (
        &["carriers by value"],
        "shipments; by carrier; sum_value_usd; sum_value_usd down",
        "",
    ),
    (
        &["shipments to Hamburg by weight"],
        "shipments; destination_port_id=PRT-HAM; weight_kg down",
        "",
    ),
    (
        &["ports with late shipments"],
        "shipments; is_late=true; by destination_port; count",
        "",
    ),
    (
        &["coldest reefer"],
        "containers; type=reefer; temperature_c up",
        "",
    ),
    (
        &["the heaviest shipments to Hamburg by carrier"],
        "shipments; destination_port_id=PRT-HAM; by carrier; count",
        "did not use the order",
    ),
    (
        &["sum of weight by month", "and value"],
        "shipments; by actual_arrival/month; sum_value_usd; actual_arrival up",
        "",
    ),
    (
        &["which port has the most carriers?"],
        "shipments; by destination_port; distinct_carrier; distinct_carrier down; 1",
        "",
    ),
];

#[tokio::test]
async fn a_quantity_is_computed_without_a_word_for_it() {
    check(A_QUANTITY_IS_COMPUTED_WITHOUT_A_WORD_FOR_IT).await;
}

pub(super) const HOW_MANY_WITHOUT_A_NOUN_COUNTS_RECORDS: Said = &[
    (
        &["how many late to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; is_late=true; count",
        "",
    ),
    (
        &["how many hazardous to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; hazardous=true; count",
        "",
    ),
    (
        &["how many arrived on time to Santos"],
        "shipments; destination_port_id=PRT-SSZ; is_late=false; count",
        "",
    ),
    (
        &["since 1 January 2025, how many arrived late"],
        "shipments; is_late=true; actual_arrival 2025-01-01..2025-01-15; count",
        "",
    ),
    (
        &["how many booked to Rotterdam"],
        "shipments; destination_port_id=PRT-RTM; status=booked; count",
        "",
    ),
    (
        &["how many to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; count",
        "",
    ),
    (
        &["how many from Hamburg"],
        "shipments; origin_port_id=PRT-HAM; count",
        "",
    ),
    (
        &["how many to the USA"],
        "shipments; destination_port_id=PRT-MIA|PRT-MCT|PRT-LAX|PRT-SAV|PRT-HOU; count",
        "",
    ),
    (
        &["in transit to Miami Container Terminal"],
        "shipments; destination_port_id=PRT-MCT; status=in_transit",
        "",
    ),
    (
        &["how many in transit to miami container terminal"],
        "shipments; destination_port_id=PRT-MCT; status=in_transit; count",
        "",
    ),
];

#[tokio::test]
async fn how_many_without_a_noun_counts_records() {
    check(HOW_MANY_WITHOUT_A_NOUN_COUNTS_RECORDS).await;
}

pub(super) const EACH_WORD_HAS_ITS_ROLE: Said = &[
    (
        &["how many shipments from Germany to Germany"],
        "shipments; origin_port_id=PRT-HAM; destination_port_id=PRT-HAM; count",
        "",
    ),
    (
        &["how many shipments arrived early"],
        "shipments; delay_hours<0; count",
        "",
    ),
    (&["arrived early"], "shipments; delay_hours<0", ""),
    (
        &["how many shipments arrived more than 3 days late"],
        "shipments; delay_hours>72; count",
        "",
    ),
    (
        &["shipments on vessel SOUTHERN CROSS and PACIFIC CROWN I"],
        "shipments; vessel_id=VSL-018|VSL-014",
        "",
    ),
    (
        &["how many shipments without delay"],
        "shipments; delay_hours<=0; count",
        "",
    ),
    (
        &["how many shipments between Shanghai and Rotterdam"],
        "shipments; origin_port_id=PRT-SHA; destination_port_id=PRT-RTM; count",
        "",
    ),
    (
        &["how many shipments departed in December 2024 but arrived in January 2025"],
        "shipments; actual_arrival>=2025-01-01; actual_arrival<2025-02-01; actual_departure 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["vessels registered in Panama or Liberia"],
        "vessels; flag=Panama|Liberia",
        "",
    ),
    (
        &["vessels by flag", "only Panama"],
        "vessels; flag=Panama; by flag; count",
        "",
    ),
];

#[tokio::test]
async fn each_word_has_its_role() {
    check(EACH_WORD_HAS_ITS_ROLE).await;
}

pub(super) const WHAT_NO_QUERY_HAS_IS_REFUSED: Said = &[
    (
        &["carriers with more than 100 late shipments"],
        "said: cannot choose carriers by a number of records",
        "",
    ),
    (
        &["which vessel was never late"],
        "said: of which no record fits",
        "",
    ),
    (&["worst carrier"], "said: does not say by which figure", ""),
    (
        &["which port has most terminals"],
        "said: cannot rank by it",
        "",
    ),
    (
        &["which port has the most late shipments per month"],
        "said: not name the first of each month",
        "",
    ),
];

#[tokio::test]
async fn what_no_query_has_is_refused() {
    check(WHAT_NO_QUERY_HAS_IS_REFUSED).await;
}

pub(super) const CHANGES_ARE_TAKEN_BACK_AND_CORRECTED: Said = &[
    (
        &["how many shipments to Hamburg", "only late", "undo"],
        "shipments; destination_port_id=PRT-HAM; count",
        "query before the last one",
    ),
    (
        &["how many shipments to Hamburg", "undo"],
        "said: nothing to take back",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg in December 2024",
            "not December, November",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2024-11-01..2024-11-30; count",
        "",
    ),
    (
        &["total value of shipments to Hamburg", "no, weight"],
        "shipments; destination_port_id=PRT-HAM; sum_weight_kg",
        "",
    ),
    (
        &["average weight of shipments to Hamburg", "sorry, the value"],
        "shipments; destination_port_id=PRT-HAM; average_value_usd",
        "",
    ),
    (
        &["top 5 carriers by weight", "sorry, the value"],
        "shipments; by carrier; sum_value_usd; sum_value_usd down; 5",
        "",
    ),
    (
        &["how many shipments in November 2024", "in October 2024 too"],
        "shipments; actual_arrival 2024-10-01..2024-11-30; count",
        "",
    ),
    (
        &["how many shipments in December 2024", "in October 2024 too"],
        "shipments; actual_arrival 2024-10-01..2024-10-31; count",
        "only these days",
    ),
    (
        &["shipments to Hamburg last week", "last week"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "nothing to change",
    ),
    (
        &["shipments to Cartagena", "no, the Colombian"],
        "shipments; destination_port_id=PRT-CTG",
        "",
    ),
    (
        &["shipments to Cartagena", "the Spanish one"],
        "shipments; destination_port_id=PRT-CAR",
        "",
    ),
    (
        &["shipments to Cartagena", "all of them"],
        "shipments; destination_port_id=PRT-CTG|PRT-CAR",
        "",
    ),
    (
        &["shipments to Cartagena", "undo"],
        "said: stopped working",
        "",
    ),
    (
        &[
            "shipments to Miami last week",
            "the port",
            "shipments to Miami in December 2024",
            "only the late ones",
            "the other one",
        ],
        "shipments; destination_port_id=PRT-MCT; is_late=true; actual_arrival 2024-12-01..2024-12-31",
        "",
    ),
    (
        &[
            "shipments to Miami last week",
            "the port",
            "drop the port",
            "now the Miami shipments again",
        ],
        "shipments; destination_port_id=PRT-MIA; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
];

#[tokio::test]
async fn changes_are_taken_back_and_corrected() {
    check(CHANGES_ARE_TAKEN_BACK_AND_CORRECTED).await;
}
