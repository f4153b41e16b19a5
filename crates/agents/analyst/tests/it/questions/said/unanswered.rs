//! Words that were passed over, so that another question was answered: scales, negations, things of
//! a record, ends of an order, and words of which no field says anything.

use super::{Said, check};

const A_SCALE_BELONGS_TO_BOTH_BOUNDS: Said = &[
    (
        &["shipments worth between 2 and 3 million dollars"],
        "shipments; value_usd>=2000000; value_usd<=3000000",
        "",
    ),
    (
        &["shipments worth between 1.5 and 2.5 million"],
        "shipments; value_usd>=1500000; value_usd<=2500000",
        "",
    ),
    (
        &["shipments between 500 and 800 thousand dollars"],
        "shipments; value_usd>=500000; value_usd<=800000",
        "",
    ),
    (
        &["shipments worth $1 to $2 million"],
        "shipments; value_usd>=1000000; value_usd<=2000000",
        "",
    ),
    (
        &["shipments between 1 million and 2 million dollars"],
        "shipments; value_usd>=1000000; value_usd<=2000000",
        "",
    ),
    (
        &["shipments worth between 900 and 2 thousand dollars"],
        "shipments; value_usd>=900; value_usd<=2000",
        "",
    ),
];

const A_NEGATION_IS_KEPT: Said = &[
    (
        &["how many shipments are not flagged as hazardous?"],
        "shipments; hazardous=false; count",
        "",
    ),
    (
        &["shipments that were not marked as late"],
        "shipments; is_late=false",
        "",
    ),
    (
        &["how many shipments are not listed as cancelled?"],
        "shipments; status!=cancelled; count",
        "",
    ),
    (
        &["how many shipments to Hamburg have not been shown as hazardous?"],
        "shipments; destination_port_id=PRT-HAM; hazardous=false; count",
        "",
    ),
    (
        &["shipments not known to be late"],
        "shipments; is_late=false",
        "",
    ),
    (
        &["how many shipments are flagged as hazardous?"],
        "shipments; hazardous=true; count",
        "",
    ),
    (
        &["how many shipments due this week have not left yet?"],
        "shipments; actual_arrival missing; status!=cancelled; actual_departure missing; planned_arrival 2025-01-13..2025-01-19; count",
        "",
    ),
    (
        &["vessels without shipments"],
        "said: without shipments",
        "",
    ),
    (
        &["which vessels have no shipments?"],
        "said: no shipments",
        "",
    ),
];

const A_THING_OF_THE_RECORD_IS_MEANT: Said = &[
    (
        &[
            "most expensive shipment to Hamburg",
            "and what did its vessel carry in November?",
        ],
        "shipments; vessel_id=VSL-010; actual_arrival 2024-11-01..2024-11-30",
        "",
    ),
    (
        &[
            "heaviest shipment to Rotterdam",
            "what else did that vessel carry in December?",
        ],
        "shipments; vessel_id=VSL-010; actual_arrival 2024-12-01..2024-12-31",
        "",
    ),
    (
        &[
            "heaviest shipment to Rotterdam",
            "how many shipments are on that vessel?",
        ],
        "shipments; vessel_id=VSL-010; count",
        "",
    ),
    (
        &[
            "which shipment was the most delayed?",
            "which vessel was that?",
            "how many shipments did it carry?",
        ],
        "shipments; vessel_id=VSL-010; count",
        "",
    ),
];

const ENDS_AND_LATENESS_ARE_OF_WHAT_IS_SAID: Said = &[
    (&["how many shipments left late?"], "said: left late", ""),
    (
        &["how many departed late in December?"],
        "said: departed late",
        "",
    ),
    (
        &["how many shipments arrived late?"],
        "shipments; is_late=true; count",
        "",
    ),
    (&["which carrier is the worst?"], "said: worst carrier", ""),
    (&["which carrier is worst?"], "said: worst carrier", ""),
    (
        &["how many shipments left Hamburg on time?"],
        "said: left Hamburg on time",
        "",
    ),
    (&["which port was the best?"], "said: best port", ""),
    (
        &["which shipment was the latest?"],
        "shipments; actual_arrival down; 1",
        "",
    ),
    (
        &["which shipment arrived first in December?"],
        "shipments; actual_arrival exists; actual_arrival 2024-12-01..2024-12-31; actual_arrival up; 1",
        "",
    ),
    (
        &["which vessel was built first?"],
        "vessels; built up; 1",
        "",
    ),
    (&["vessels built before 2005"], "vessels; built<2005", ""),
    (&["vessels older than 20 years"], "vessels; built<2005", ""),
    (&["the oldest vessel"], "vessels; built up; 1", ""),
    (&["average age of vessels"], "said: age", ""),
    (
        &["weight by carrier, heaviest first"],
        "shipments; by carrier; sum_weight_kg; sum_weight_kg down",
        "",
    ),
    (
        &["late shipments by carrier, fewest first"],
        "shipments; is_late=true; by carrier; count; count up",
        "",
    ),
];

const WHAT_NO_FIELD_SAYS_IS_NAMED: Said = &[
    (
        &["how many shipments were damaged?"],
        "said: I know nothing of shipments that says \u{201c}damaged\u{201d}",
        "",
    ),
    (
        &["how many shipments were lost?"],
        "said: \u{201c}lost\u{201d}",
        "",
    ),
    (
        &["how many passengers are on MSC ANNA?"],
        "said: passengers",
        "",
    ),
    (&["what is a TEU?"], "said: TEU", ""),
    (
        &["how many containers are on MSC ANNA?"],
        "said: MSC ANNA",
        "",
    ),
    (
        &["how many containers weigh more than 20 t?"],
        "said: \u{201c}weigh\u{201d}",
        "",
    ),
];

const AN_EARLIER_QUERY_IS_NAMED_IN_MANY_WAYS: Said = &[
    (
        &[
            "how many shipments to Hamburg are in transit?",
            "and to Rotterdam?",
            "what was the average delay for coffee?",
            "how many shipments to Santos are late?",
            "the query about coffee again",
        ],
        "shipments; destination_port_id=PRT-RTM; status=in_transit; commodity=coffee; count; average_delay_hours",
        "",
    ),
    (
        &[
            "how many shipments with coffee to Rotterdam are late?",
            "how many with chemicals to Hamburg?",
            "and electronics to Santos?",
            "back to coffee",
        ],
        "shipments; destination_port_id=PRT-RTM; commodity=coffee; is_late=true; count",
        "",
    ),
    (
        &[
            "how many shipments with coffee to Rotterdam are late?",
            "how many with chemicals to Hamburg?",
            "and electronics to Santos?",
            "the Hamburg one",
        ],
        "shipments; destination_port_id=PRT-HAM; commodity=chemicals; is_late=true; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg?",
            "by carrier",
            "what about coffee?",
            "the first query again",
        ],
        "shipments; destination_port_id=PRT-HAM; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg?",
            "by carrier",
            "what about coffee?",
            "the previous one",
        ],
        "shipments; destination_port_id=PRT-HAM; by carrier; count",
        "",
    ),
];

#[tokio::test]
async fn a_scale_belongs_to_both_bounds() {
    check(A_SCALE_BELONGS_TO_BOTH_BOUNDS).await;
}

#[tokio::test]
async fn a_negation_is_kept() {
    check(A_NEGATION_IS_KEPT).await;
}

#[tokio::test]
async fn a_thing_of_the_record_is_meant() {
    check(A_THING_OF_THE_RECORD_IS_MEANT).await;
}

#[tokio::test]
async fn ends_and_lateness_are_of_what_is_said() {
    check(ENDS_AND_LATENESS_ARE_OF_WHAT_IS_SAID).await;
}

#[tokio::test]
async fn what_no_field_says_is_named() {
    check(WHAT_NO_FIELD_SAYS_IS_NAMED).await;
}

#[tokio::test]
async fn an_earlier_query_is_named_in_many_ways() {
    check(AN_EARLIER_QUERY_IS_NAMED_IN_MANY_WAYS).await;
}
