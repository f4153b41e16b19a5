//! Conditions: places, amounts, days, flags, and what is not wanted.

use super::{Said, check};

const EITHER_OF_SEVERAL: Said = &[
    (
        &["shipments from Shanghai or Singapore"],
        "shipments; origin_port_id=PRT-SHA|PRT-SIN",
        "",
    ),
    (
        &["how many shipments came from Rotterdam or from Hamburg last month"],
        "shipments; origin_port_id=PRT-RTM|PRT-HAM; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["late or hazardous shipments"],
        "shipments; is_late=true or hazardous=true",
        "",
    ),
    (
        &["coffee or furniture to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; commodity=coffee|furniture",
        "",
    ),
    (
        &["shipments to Hamburg or from Rotterdam"],
        "shipments; destination_port_id=PRT-HAM or origin_port_id=PRT-RTM",
        "",
    ),
    (
        &["delivered or arrived shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; status=delivered|arrived",
        "",
    ),
    (
        &["shipments of Pacific Crown or Nordhavn Container"],
        "shipments; carrier=Pacific Crown|Nordhavn Container",
        "",
    ),
    (
        &["how many shipments are either coffee or apparel?"],
        "shipments; commodity=coffee|apparel; count",
        "",
    ),
    (
        &["shipments neither from Shanghai nor from Singapore"],
        "shipments; origin_port_id!=PRT-SHA|PRT-SIN",
        "",
    ),
    (
        &["shipments that are neither late nor hazardous"],
        "shipments; is_late=false; hazardous=false",
        "",
    ),
];

#[tokio::test]
async fn either_of_several() {
    check(EITHER_OF_SEVERAL).await;
}

const COUNTRIES_ARE_THEIR_PORTS: Said = &[
    (
        &["shipments to Germany"],
        "shipments; destination_port_id=PRT-HAM",
        "",
    ),
    (
        &["how many shipments to the United States last month"],
        "shipments; destination_port_id=PRT-MIA|PRT-MCT|PRT-LAX|PRT-SAV|PRT-HOU; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["shipments from China to Spain"],
        "shipments; origin_port_id=PRT-SHA; destination_port_id=PRT-CAR",
        "",
    ),
    (
        &["shipments not to Colombia"],
        "shipments; destination_port_id!=PRT-CTG",
        "",
    ),
    (
        &["average delay in Germany"],
        "shipments; destination_port_id=PRT-HAM; average_delay_hours",
        "",
    ),
    (
        &["vessels in Germany"],
        "vessels; current_port=Port of Hamburg",
        "",
    ),
    (
        &["shipments to Germany or the Netherlands"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM",
        "",
    ),
    (
        &["shipments to the USA"],
        "shipments; destination_port_id=PRT-MIA|PRT-MCT|PRT-LAX|PRT-SAV|PRT-HOU",
        "",
    ),
    (
        &["how many shipments go to germany"],
        "shipments; destination_port_id=PRT-HAM; count",
        "",
    ),
    (&["shipments to France"], "said: I know nothing called", ""),
];

#[tokio::test]
async fn countries_are_their_ports() {
    check(COUNTRIES_ARE_THEIR_PORTS).await;
}

const CONDITIONS_ARE_TAKEN_AWAY_IN_MANY_WORDS: Said = &[
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "without the status filter",
        ],
        "shipments; destination_port_id=PRT-HAM; carrier=Pacific Crown; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "drop the port",
        ],
        "shipments; status=delivered; carrier=Pacific Crown; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "forget the carrier",
        ],
        "shipments; destination_port_id=PRT-HAM; status=delivered; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "ignore the date",
        ],
        "shipments; destination_port_id=PRT-HAM; status=delivered; carrier=Pacific Crown",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "any carrier",
        ],
        "shipments; destination_port_id=PRT-HAM; status=delivered; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "not only delivered",
        ],
        "shipments; destination_port_id=PRT-HAM; carrier=Pacific Crown; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "for all ports",
        ],
        "shipments; status=delivered; carrier=Pacific Crown; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "take out the status",
        ],
        "shipments; destination_port_id=PRT-HAM; carrier=Pacific Crown; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "never mind the carrier",
        ],
        "shipments; destination_port_id=PRT-HAM; status=delivered; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "whatever the carrier",
        ],
        "shipments; destination_port_id=PRT-HAM; status=delivered; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "the carrier does not matter",
        ],
        "shipments; destination_port_id=PRT-HAM; status=delivered; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "remove Hamburg",
        ],
        "shipments; status=delivered; carrier=Pacific Crown; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "remove the port and the carrier",
        ],
        "shipments; status=delivered; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "delivered shipments of Pacific Crown to Hamburg last week",
            "of all carriers",
        ],
        "shipments; destination_port_id=PRT-HAM; status=delivered; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
];

#[tokio::test]
async fn conditions_are_taken_away_in_many_words() {
    check(CONDITIONS_ARE_TAKEN_AWAY_IN_MANY_WORDS).await;
}

const WHAT_IS_NOT_WANTED: Said = &[
    (
        &["shipments except to Hamburg"],
        "shipments; destination_port_id!=PRT-HAM",
        "",
    ),
    (
        &["all shipments other than coffee"],
        "shipments; commodity!=coffee",
        "",
    ),
    (
        &["everything but coffee to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; commodity!=coffee",
        "",
    ),
    (
        &["shipments not carried by Pacific Crown"],
        "shipments; carrier!=Pacific Crown",
        "",
    ),
    (
        &["shipments that are not late"],
        "shipments; is_late=false",
        "",
    ),
    (
        &["late but not hazardous shipments"],
        "shipments; is_late=true; hazardous=false",
        "",
    ),
    (
        &["shipments without delay"],
        "shipments; delay_hours<=0",
        "",
    ),
    (
        &["excluding cancelled ones, how many shipments go to Rotterdam?"],
        "shipments; destination_port_id=PRT-RTM; status!=cancelled; count",
        "",
    ),
    (
        &["shipments to all ports but Hamburg"],
        "shipments; destination_port_id!=PRT-HAM",
        "",
    ),
    (
        &["shipments not to Hamburg but to Rotterdam"],
        "shipments; destination_port_id!=PRT-HAM; destination_port_id=PRT-RTM",
        "",
    ),
    (
        &["shipments to Hamburg, not from Shanghai"],
        "shipments; destination_port_id=PRT-HAM; origin_port_id!=PRT-SHA",
        "",
    ),
    (
        &["shipments never delivered"],
        "shipments; status!=delivered",
        "",
    ),
    (
        &["non-hazardous shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; hazardous=false",
        "",
    ),
    (
        &["average delay by carrier without Pacific Crown"],
        "shipments; carrier!=Pacific Crown; by carrier; average_delay_hours",
        "",
    ),
];

#[tokio::test]
async fn what_is_not_wanted() {
    check(WHAT_IS_NOT_WANTED).await;
}

const DAYS_WITH_AN_OPEN_END: Said = &[
    (
        &["shipments that arrived on or after 5 January 2025"],
        "shipments; actual_arrival 2025-01-05..2199-12-31",
        "",
    ),
    (
        &["shipments that arrived no later than 10 January 2025"],
        "shipments; actual_arrival 1900-01-01..2025-01-10",
        "",
    ),
    (
        &["shipments that arrived between 3 and 10 January 2025"],
        "shipments; actual_arrival 2025-01-03..2025-01-10",
        "",
    ),
    (
        &["shipments that arrived before 5 January 2025"],
        "shipments; actual_arrival 1900-01-01..2025-01-04",
        "",
    ),
    (
        &["shipments that arrived not before 5 January 2025"],
        "shipments; actual_arrival 2025-01-05..2199-12-31",
        "",
    ),
    (
        &["shipments that arrived at the latest on 10 January 2025"],
        "shipments; actual_arrival 1900-01-01..2025-01-10",
        "",
    ),
    (
        &["shipments that arrived after 5 January 2025"],
        "shipments; actual_arrival 2025-01-06..2199-12-31",
        "",
    ),
    (
        &["shipments that arrived on or before 5 January 2025"],
        "shipments; actual_arrival 1900-01-01..2025-01-05",
        "",
    ),
    (
        &["shipments that arrived 5 January 2025 or later"],
        "shipments; actual_arrival 2025-01-05..2199-12-31",
        "",
    ),
    (
        &["shipments that arrived in the first half of December 2024"],
        "shipments; actual_arrival 2024-12-01..2024-12-15",
        "",
    ),
    (
        &["shipments that arrived on 5 or 6 January 2025"],
        "shipments; actual_arrival 2025-01-05..2025-01-06",
        "",
    ),
    (
        &["shipments in Q4 2024"],
        "shipments; actual_arrival 2024-10-01..2024-12-31",
        "",
    ),
    (
        &["shipments that arrived in December 2024 or January 2025"],
        "shipments; actual_arrival 2024-12-01..2025-01-31",
        "",
    ),
    (
        &["shipments that did not arrive in December 2024"],
        "said: \u{201c}not\u{201d}",
        "",
    ),
];

#[tokio::test]
async fn days_with_an_open_end() {
    check(DAYS_WITH_AN_OPEN_END).await;
}

const AMOUNTS_AND_FLAGS: Said = &[
    (&["early shipments"], "shipments; delay_hours<0", ""),
    (
        &["how many shipments arrived early last week?"],
        "shipments; actual_arrival 2025-01-08..2025-01-15; count",
        "early",
    ),
    (
        &["how many shipments were on time last week?"],
        "shipments; is_late=false; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (
        &["shipments ahead of schedule"],
        "shipments; delay_hours<0",
        "",
    ),
    (&["40 ft containers"], "containers; size_ft=40", ""),
    (
        &["containers of 20 feet in Rotterdam"],
        "containers; location_port=Port of Rotterdam; size_ft=20",
        "",
    ),
    (
        &["how many empty containers do we have?"],
        "containers; status=empty; count",
        "",
    ),
    (
        &["containers warmer than -18 degrees"],
        "containers; temperature_c>-18",
        "",
    ),
    (&["ships registered in Panama"], "vessels; flag=Panama", ""),
    (&["vessels under Panama flag"], "vessels; flag=Panama", ""),
    (
        &["how many vessels fly the flag of Liberia?"],
        "vessels; flag=Liberia; count",
        "",
    ),
    (&["vessels by flag"], "vessels; by flag; count", ""),
    (
        &["is MSC ANNA in port?"],
        "vessels; vessel_id=VSL-001; status=in_port",
        "",
    ),
    (
        &["vessels built in 2015 or later"],
        "vessels; built>=2015",
        "",
    ),
    (
        &["shipments with exactly 2 containers"],
        "shipments; container_count=2",
        "",
    ),
    (
        &["shipments with 2 containers"],
        "shipments; container_count=2",
        "",
    ),
    (
        &["shipments worth less than 100k"],
        "shipments; value_usd<100000",
        "",
    ),
    (
        &["shipments with at least 3 containers and under 20 tonnes"],
        "shipments; container_count>=3; weight_kg<20000",
        "",
    ),
    (
        &["shipments with a delay between 10 and 20 hours"],
        "shipments; delay_hours>=10; delay_hours<=20",
        "",
    ),
    (&["open top containers"], "containers; type=open_top", ""),
    (
        &["shipments of three containers to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; container_count=3",
        "",
    ),
    (
        &["shipments over 20 t or worth more than $1 million"],
        "said: \u{201c}or\u{201d}",
        "",
    ),
    (
        &["reefers in Rotterdam"],
        "containers; location_port=Port of Rotterdam; type=reefer",
        "",
    ),
];

#[tokio::test]
async fn amounts_and_flags() {
    check(AMOUNTS_AND_FLAGS).await;
}
