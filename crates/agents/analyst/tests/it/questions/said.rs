//! Questions as a harbour's clerk, a manager and a person who speaks little English put them,
//! written before the rules that read them: the query that each becomes, and the words that the
//! answer says it did not use. Where no words are named the answer may leave none out.

use super::Talk;

/// Conversations, the query of the last turn, and words of the remark that belongs to it.
pub(super) type Said = &'static [(&'static [&'static str], &'static str, &'static str)];

pub(super) async fn check(table: Said) {
    let mut wrong = Vec::new();
    for (turns, expected, remark) in table {
        let mut talk = Talk::new();
        let mut said = String::new();
        for turn in *turns {
            talk.demo.forget_queries();
            said = talk.say(turn).await;
        }
        let found = talk.demo.last();
        let right = match expected.strip_prefix("said: ") {
            Some(words) => found == "nothing" && said.contains(words),
            None => found == *expected,
        };
        let silent = !["did not use", "left it out", "I know nothing"]
            .iter()
            .any(|words| said.contains(words));
        let told = if remark.is_empty() {
            silent || expected.starts_with("said: ")
        } else {
            said.contains(remark)
        };
        if !right || !told {
            wrong.push(format!(
                "{turns:?}\n  expected {expected} ({remark})\n  found    {found}\n  said     {said}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        table.len(),
        wrong.join("\n")
    );
}

pub(super) const MORE_OF_ALL: Said = &[
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
        "shipments; average_delay_hours",
        "country",
    ),
    (
        &["shipments from Europe to Asia"],
        "said: I know nothing called",
        "",
    ),
    (
        &["shipments by destination country"],
        "shipments; by destination_port; count",
        "country",
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
        "vessels; built<2010",
        "or",
    ),
    (&["vessels older than 10 years"], "vessels", "older"),
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
        "shipments; value_usd>100000; commodity=coffee",
        "or",
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
        "shipments; destination_port_id=PRT-RTM; is_late=true; count",
        "together",
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
        "shipments",
        "within",
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
    (&["single container shipments"], "shipments", "single"),
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

pub(super) const WHAT_IS_TO_COME_GOES_BY_THE_PLAN: Said = &[
    (
        &["what is overdue?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15",
        "",
    ),
    (
        &["anything overdue for Hamburg?"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15",
        "",
    ),
    (
        &["what's due tomorrow?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["what is due in Rotterdam next week?"],
        "shipments; destination_port_id=PRT-RTM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["how many are overdue?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-15; count",
        "",
    ),
    (
        &["what arrives tomorrow?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["which shipments will arrive next week?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["how many shipments arrive in the next 7 days?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-21; count",
        "",
    ),
    (
        &["shipments departing tomorrow"],
        "shipments; actual_departure missing; status!=cancelled; planned_departure 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["expected arrivals in Hamburg next week"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["shipments arriving in Hamburg on 20 January 2025"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-20..2025-01-20",
        "",
    ),
    (
        &["what did arrive yesterday?"],
        "shipments; actual_arrival 2025-01-14..2025-01-14",
        "",
    ),
    (
        &["shipments to Hamburg next week"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-15..2025-01-22",
        "",
    ),
    (
        &["which shipments must arrive until 20 January 2025?"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 1900-01-01..2025-01-20",
        "",
    ),
    (
        &["shipments due to leave Shanghai tomorrow"],
        "shipments; origin_port_id=PRT-SHA; actual_departure missing; status!=cancelled; planned_departure 2025-01-16..2025-01-16",
        "",
    ),
    (
        &["shipments more than 2 days overdue"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival<2025-01-13",
        "",
    ),
    (
        &["how many shipments are arriving tomorrow by carrier"],
        "shipments; actual_arrival missing; status!=cancelled; planned_arrival 2025-01-16..2025-01-16; by carrier; count",
        "",
    ),
];

#[tokio::test]
async fn what_is_to_come_goes_by_the_plan() {
    check(WHAT_IS_TO_COME_GOES_BY_THE_PLAN).await;
}

pub(super) const EITHER_OF_SEVERAL: Said = &[
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

pub(super) const WHAT_WAS_FOUND_IS_ASKED_AGAIN: Said = &[
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

pub(super) const COUNTRIES_ARE_THEIR_PORTS: Said = &[
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

pub(super) const CONDITIONS_ARE_TAKEN_AWAY_IN_MANY_WORDS: Said = &[
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

pub(super) const AVERAGES: Said = &[
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

pub(super) const WHAT_IS_NOT_WANTED: Said = &[
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

pub(super) const DAYS_WITH_AN_OPEN_END: Said = &[
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
        "shipments; actual_arrival 2024-12-01..2024-12-31",
        "not",
    ),
];

#[tokio::test]
async fn days_with_an_open_end() {
    check(DAYS_WITH_AN_OPEN_END).await;
}

pub(super) const AMOUNTS_AND_FLAGS: Said = &[
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
        "shipments; weight_kg>20000; value_usd>1000000",
        "or",
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

pub(super) const COMPARISONS: Said = &[
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

pub(super) const WRITING_IS_REFUSED: Said = &[
    (&["delete shipment SHP-000123"], "said: only read", ""),
    (&["cancel shipment SHP-000123"], "said: only read", ""),
    (
        &["set the status of SHP-000123 to delivered"],
        "said: only read",
        "",
    ),
    (
        &["please update SHP-000123: it is delivered"],
        "said: only read",
        "",
    ),
    (&["mark SHP-000123 as delivered"], "said: only read", ""),
    (&["book a new shipment to Hamburg"], "said: only read", ""),
    (&["cancel the shipment to Hamburg"], "said: only read", ""),
    (&["send an email to the carrier"], "said: only read", ""),
    (
        &["shipments to Hamburg last week", "delete them"],
        "said: only read",
        "",
    ),
    (
        &["shipments to Hamburg last week", "cancel these shipments"],
        "said: only read",
        "",
    ),
    (
        &["change the destination of SHP-000123 to Hamburg"],
        "said: only read",
        "",
    ),
    (&["can you cancel my booking?"], "said: only read", ""),
    (
        &["which shipments were cancelled?"],
        "shipments; status=cancelled",
        "",
    ),
];

#[tokio::test]
async fn writing_is_refused() {
    check(WRITING_IS_REFUSED).await;
}

pub(super) const A_FOLLOW_UP_CHANGES_ONE_THING: Said = &[
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

pub(super) const EARLIER_QUERIES_BY_THEIR_TOPIC: Said = &[
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

pub(super) const NOTHING_IS_LEFT_OUT_IN_SILENCE: Said = &[
    (&["shipments with insurance"], "shipments", "insurance"),
    (&["shipments heavier than average"], "shipments", "average"),
    (
        &["shipments heavier than 10 tonnes"],
        "shipments; weight_kg>10000",
        "",
    ),
    (
        &["insured shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM",
        "insured",
    ),
    (&["shipments older than 30 days"], "shipments", "older"),
    (&["shipments via Suez"], "said: I know nothing called", ""),
    (
        &["shipments that never arrived"],
        "shipments; actual_arrival missing; status!=cancelled",
        "",
    ),
    (
        &["every second shipment to Hamburg"],
        "shipments; destination_port_id=PRT-HAM",
        "second",
    ),
    (
        &["shipments to Hamburg on Mondays"],
        "said: I know nothing called",
        "",
    ),
    (
        &["shipments that left Shanghai but have not arrived"],
        "shipments; origin_port_id=PRT-SHA; actual_departure exists; actual_arrival missing; status!=cancelled",
        "",
    ),
    (
        &["how many shipments to Hamburg without customs papers?"],
        "shipments; destination_port_id=PRT-HAM; count",
        "customs papers",
    ),
    (
        &["shipments with more value than weight"],
        "shipments",
        "more",
    ),
    (
        &["half of the shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM",
        "half",
    ),
    (
        &["shipments to Hamburg per vessel and week"],
        "shipments; destination_port_id=PRT-HAM; by vessel_name; by actual_arrival/week; count",
        "",
    ),
    (
        &["how many shipments did arrive in Hamburg and how many in Rotterdam?"],
        "shipments; destination_port_id=PRT-HAM|PRT-RTM; by destination_port; count",
        "",
    ),
    (
        &["most shipments to Hamburg"],
        "shipments; destination_port_id=PRT-HAM",
        "most",
    ),
    (
        &["which vessels did not call at Hamburg last week?"],
        "vessels; current_port!=Port of Hamburg",
        "not",
    ),
    (
        &["shipments where origin is not Shanghai"],
        "shipments; origin_port_id!=PRT-SHA",
        "",
    ),
    (
        &["how many containers are not empty?"],
        "containers; status!=empty; count",
        "",
    ),
    (
        &["give me shipments arrive Hamburg last week"],
        "shipments; destination_port_id=PRT-HAM; actual_arrival 2025-01-08..2025-01-15",
        "",
    ),
    (
        &["how much shipments was late in december 2024?"],
        "shipments; is_late=true; actual_arrival 2024-12-01..2024-12-31; count",
        "",
    ),
    (
        &["shipments which they are going to Hamburg with coffee"],
        "shipments; destination_port_id=PRT-HAM; commodity=coffee",
        "",
    ),
    (
        &["the biggest delay in december 2024"],
        "shipments; actual_arrival 2024-12-01..2024-12-31; delay_hours down; 1",
        "",
    ),
];

#[tokio::test]
async fn nothing_is_left_out_in_silence() {
    check(NOTHING_IS_LEFT_OUT_IN_SILENCE).await;
}
