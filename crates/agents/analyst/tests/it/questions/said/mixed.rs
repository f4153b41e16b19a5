//! Questions of every kind, as three people put them.

use super::{Said, check};

const MORE_OF_ALL: Said = &[
    (
        &["how many shipments last week were early?"],
        "shipments; delay_hours<0; actual_arrival 2025-01-08..2025-01-15; count",
        "",
    ),
    (&["what is late?"], "shipments; is_late=true", ""),
    (
        &["shipments to Hamburg and Rotterdam that are not late"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; is_late=false",
        "",
    ),
    (
        &["shipments except Hamburg and Rotterdam"],
        "shipments; destination_port_id!=PRT-HAM|PRT-RTM",
        "",
    ),
    (
        &["all shipments except from Shanghai and Singapore"],
        "shipments; origin_port_id!=PRT-SHA|PRT-SIN",
        "",
    ),
    (
        &["shipments other than to Hamburg or Rotterdam"],
        "shipments; destination_port_id!=PRT-HAM|PRT-RTM",
        "",
    ),
    (
        &["shipments apart from coffee and furniture"],
        "shipments; commodity!=coffee|furniture",
        "",
    ),
    (
        &["how many vessels and ports do we have?"],
        "vessels; count",
        "ports",
    ),
    (
        &["how many shipments are neither delivered nor cancelled?"],
        "shipments; status!=delivered|cancelled; count",
        "",
    ),
    (
        &["shipments not from China"],
        "shipments; origin_port_id!=PRT-SHA",
        "",
    ),
    (
        &["average delay per country"],
        "said: Groups can be made by",
        "",
    ),
    (
        &["shipments from Europe to Asia"],
        "said: I know nothing called",
        "",
    ),
    (
        &["shipments by destination country"],
        "said: \u{201c}country\u{201d}",
        "",
    ),
    (
        &["how many shipments arrived by 10 January 2025?"],
        "shipments; actual_arrival 1900-01-01..2025-01-10; count",
        "",
    ),
    (
        &["how many shipments are due by 20 January 2025?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 1900-01-01..2025-01-20; count",
        "",
    ),
    (
        &["which shipments are still at sea?"],
        "containers; status=at_sea",
        "these are",
    ),
    (
        &["shipments delayed by more than 48 hours last week"],
        "shipments; delay_hours>48; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &["shipments delayed between 1 and 2 days"],
        "shipments; delay_hours>=24; delay_hours<=48",
        "",
    ),
    (
        &["list the 5 most delayed shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; delay_hours down; 5",
        "",
    ),
    (
        &["who carries most coffee?"],
        "said: does not say of which things",
        "",
    ),
    (
        &["which carrier carries the most coffee?"],
        "shipments; commodity=coffee; by carrier; count; count down; 1",
        "",
    ),
    (
        &["which carrier moved the most weight in December 2024?"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; by carrier; sum_weight_kg; sum_weight_kg down; 1",
        "",
    ),
    (
        &["do we have any hazardous shipments to Rotterdam next week?"],
        "shipments; destination_port_id=PRT-RTM; actual_arrival missing; status!=cancelled; hazardous=true; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["is anything from Pacific Crown late?"],
        "shipments; carrier=Pacific Crown; is_late=true",
        "",
    ),
    (
        &["shipments with a value of over 500k to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; value_usd>500000",
        "",
    ),
    (
        &["shipments lighter than 5 tons"],
        "shipments; weight_kg<5000",
        "",
    ),
    (
        &["total value of shipments not yet arrived"],
        "shipments; actual_arrival missing; status!=cancelled; sum_value_usd",
        "",
    ),
    (
        &["how many containers are at sea?"],
        "containers; status=at_sea; count",
        "",
    ),
    (
        &["how many reefers are in Rotterdam?"],
        "containers; location_port=Port of Rotterdam; type=reefer; count",
        "",
    ),
    (&["vessels not in port"], "vessels; status!=in_port", ""),
    (
        &["vessels built between 2010 and 2015"],
        "vessels; built>=2010; built<=2015",
        "",
    ),
    (
        &["vessels built before 2010 or after 2020"],
        "said: \u{201c}or\u{201d}",
        "",
    ),
    (&["vessels older than 10 years"], "vessels; built<2015", ""),
    (
        &["ships with capacity of at least 10000 teu"],
        "vessels; capacity_teu>=10000",
        "",
    ),
    (
        &["biggest vessel of Pacific Crown"],
        "vessels; carrier=Pacific Crown; capacity_teu down; 1",
        "",
    ),
    (
        &["shipments to Hamburg with no arrival date"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing",
        "",
    ),
    (
        &["top 3 ports by late shipments"],
        "shipments; is_late=true; by destination_port; count; count down; 3",
        "",
    ),
    (
        &["which port has the fewest late shipments?"],
        "shipments; is_late=true; by destination_port; count; count up; 1",
        "",
    ),
    (
        &["compare November 2024 and December 2024"],
        "shipments; actual_arrival 2024-11-01..2024-12-31; by actual_arrival/month; count",
        "",
    ),
    (
        &["compare late shipments in November and December 2024"],
        "shipments; is_late=true; actual_arrival 2024-11-01..2024-12-31; by actual_arrival/month; count",
        "",
    ),
    (
        &["average delay in Hamburg versus Rotterdam"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; by destination_port; average_delay_hours",
        "",
    ),
    (
        &["difference between Hamburg and Rotterdam in average delay"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; by destination_port; average_delay_hours",
        "",
    ),
    (
        &["shipments from Hamburg or to Rotterdam"],
        "shipments; origin_port_id=PRT-HAM or destination_port_id=PRT-RTM",
        "",
    ),
    (
        &["shipments on MSC ANNA or MSC BEATRICE"],
        "shipments; vessel_id=VSL-001|VSL-002",
        "",
    ),
    (
        &["shipments that are late or cancelled"],
        "shipments; is_late=true or status=cancelled",
        "",
    ),
    (
        &["coffee shipments worth more than 100k or less than 10k"],
        "said: \u{201c}10\u{201d}",
        "",
    ),
    (
        &["shipments last week", "not from Shanghai"],
        "shipments; origin_port_id!=PRT-SHA; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &["shipments last week", "except coffee"],
        "shipments; commodity!=coffee; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &["shipments last week", "only to Germany"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "what about the week before?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-01..2025-01-07",
        "",
    ),
    (
        &[
            "shipments to Hamburg or Rotterdam last week",
            "without Rotterdam",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &[
            "shipments to Hamburg or Rotterdam last week",
            "drop Rotterdam",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &["shipments to Hamburg last week", "how many by carrier?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; by carrier; count",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "how many of them per carrier?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; by carrier; count",
        "",
    ),
    (
        &["shipments to Hamburg last week", "total weight?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; sum_weight_kg",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "which carrier has the most?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; by carrier; count; count down; 1",
        "",
    ),
    (
        &["shipments to Hamburg last week", "vessels at sea"],
        "vessels; status=at_sea",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "how many vessels are at sea?",
        ],
        "vessels; status=at_sea; count",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "how many shipments are late?",
        ],
        "shipments; is_late=true; count",
        "",
    ),
    (
        &["shipments to Hamburg last week", "average delay by carrier"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; by carrier; average_delay_hours",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "late shipments to Rotterdam",
        ],
        "shipments; destination_port_id=PRT-RTM; is_late=true",
        "",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "group by status",
            "and by carrier?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; by carrier; count",
        "",
    ),
    (
        &["late shipments to Hamburg", "late or not"],
        "shipments; destination_port_id=PRT-HAM; is_late=true",
        "or",
    ),
    (
        &["late shipments to Hamburg", "the not late ones"],
        "shipments; destination_port_id=PRT-HAM; is_late=false",
        "",
    ),
    (
        &[
            "how many late shipments to Hamburg?",
            "and in Rotterdam?",
            "and both together?",
        ],
        "shipments; destination_port_id=PRT-RTM|PRT-HAM; is_late=true; count",
        "",
    ),
    (
        &[
            "how many shipments to Hamburg last week?",
            "and the carrier with the most?",
        ],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15; by carrier; count; count down; 1",
        "",
    ),
    (&["update the status"], "said: only read", ""),
    (&["cancel the last shipment"], "said: only read", ""),
    (
        &["please remove shipment SHP-000123"],
        "said: only read",
        "",
    ),
    (&["I want to cancel SHP-000123"], "said: only read", ""),
    (
        &["change the carrier of my shipment"],
        "said: only read",
        "",
    ),
    (
        &["move shipment SHP-000123 to Rotterdam"],
        "said: only read",
        "",
    ),
    (
        &["shipments that were booked but not delivered"],
        "shipments; status=booked; status!=delivered",
        "",
    ),
    (
        &["booked shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM; status=booked",
        "",
    ),
    (
        &["shipments within 10 hours of plan"],
        "said: \u{201c}10 hours of plan\u{201d}",
        "",
    ),
    (
        &["shipments where delay is greater than 10"],
        "shipments; delay_hours>10",
        "",
    ),
    (
        &["shipments arriving today"],
        "shipments; actual_arrival 2025-01-15..2025-01-15",
        "",
    ),
    (
        &["what arrived today?"],
        "shipments; actual_arrival 2025-01-15..2025-01-15",
        "",
    ),
    (
        &["what will arrive today?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-15",
        "",
    ),
    (
        &["eta of SHP-000123"],
        "shipments; shipment_id=SHP-000123",
        "",
    ),
    (
        &["how many shipment we have in the december 2024"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["me want see late ship from hamburg"],
        "shipments; origin_port_id=PRT-HAM; is_late=true",
        "these are",
    ),
    (
        &["shipments hamburg"],
        "shipments; destination_port_id=PRT-HAM",
        "",
    ),
    (
        &["shipments Hamburg Rotterdam"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM",
        "",
    ),
    (
        &["which shipments have more than one container?"],
        "shipments; container_count>1",
        "",
    ),
    (
        &["single container shipments"],
        "said: \u{201c}single\u{201d}",
        "",
    ),
    (
        &["how many shipments have not been delivered by 10 January 2025?"],
        "shipments; status!=delivered; actual_arrival 1900-01-01..2025-01-10; count",
        "",
    ),
];

#[tokio::test]
async fn more_of_all() {
    check(MORE_OF_ALL).await;
}
