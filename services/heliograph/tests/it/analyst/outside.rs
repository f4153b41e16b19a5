//! Conversations of a person who had not seen the rules, over the real source: the first number of
//! the last answer, by SQL and as that person counted it.

use super::{Person, stack};

/// A figure over the shipments of the demonstration.
macro_rules! shipments {
    ($figure:literal, $condition:literal) => {
        concat!(
            "SELECT (",
            $figure,
            ")::float8 FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND ",
            $condition
        )
    };
    ($condition:literal) => {
        shipments!("count(*)", $condition)
    };
}

/// Conversations, the statement, and what the person counted.
type Case = (&'static [&'static str], &'static str, Option<f64>);

const FIGURES: &[Case] = &[
    (
        &["how many late shipments to Rotterdam"],
        shipments!("s.destination_port_id = 'PRT-RTM' AND s.is_late"),
        Some(67.0),
    ),
    (
        &[
            "how many late shipments to Rotterdam",
            "worth more than 100000",
        ],
        shipments!("s.destination_port_id = 'PRT-RTM' AND s.is_late AND s.value_usd > 100000"),
        Some(45.0),
    ),
    (
        &["reefers in Rotterdam", "below -15 degrees"],
        "SELECT count(*)::float8 FROM demo_freight.containers c WHERE c.tenant = 'demo' AND c.type = 'reefer' AND c.location_port = 'Port of Rotterdam' AND c.temperature_c < -15",
        Some(42.0),
    ),
    (
        &[
            "how many shipments arrived in Hamburg in December",
            "what about the average weight",
        ],
        shipments!(
            "round(avg(s.weight_kg)::numeric, 2)",
            "s.destination_port_id = 'PRT-HAM' AND s.actual_arrival >= '2024-12-01Z' AND s.actual_arrival < '2025-01-01Z'"
        ),
        None,
    ),
    (
        &[
            "how many shipments arrived in Antwerp in November",
            "how about the average delay?",
        ],
        shipments!(
            "round(avg(s.delay_hours)::numeric, 2)",
            "s.destination_port_id = 'PRT-ANR' AND s.actual_arrival >= '2024-11-01Z' AND s.actual_arrival < '2024-12-01Z'"
        ),
        None,
    ),
    (
        &["how many shipments to Hamburg", "delivered"],
        shipments!("s.destination_port_id = 'PRT-HAM' AND s.status = 'delivered'"),
        None,
    ),
    (
        &["how many shipments to Hamburg", "in December"],
        shipments!(
            "s.destination_port_id = 'PRT-HAM' AND s.actual_arrival >= '2024-12-01Z' AND s.actual_arrival < '2025-01-01Z'"
        ),
        None,
    ),
    (
        &["how many shipments to Hamburg", "over 30 tons"],
        shipments!("s.destination_port_id = 'PRT-HAM' AND s.weight_kg > 30000"),
        None,
    ),
    (
        &["how many shipments to Hamburg", "hazardous only", "late"],
        shipments!("s.destination_port_id = 'PRT-HAM' AND s.hazardous AND s.is_late"),
        None,
    ),
    (
        &[
            "how many shipments to Miami Container Terminal",
            "how many in total?",
        ],
        shipments!("s.destination_port_id = 'PRT-MCT'"),
        Some(507.0),
    ),
    (
        &["how many shipments to Houston", "booked or in transit"],
        shipments!("s.destination_port_id = 'PRT-HOU' AND s.status IN ('booked', 'in_transit')"),
        Some(61.0),
    ),
    (
        &[
            "how many shipments to Hamburg",
            "how many will arrive there between 20 and 25 January?",
        ],
        shipments!(
            "s.destination_port_id = 'PRT-HAM' AND s.actual_arrival IS NULL AND s.status <> 'cancelled' AND s.planned_arrival >= '2025-01-20Z' AND s.planned_arrival < '2025-01-26Z'"
        ),
        None,
    ),
    (
        &["what is the average delay in November?", "and in December?"],
        shipments!(
            "round(avg(s.delay_hours)::numeric, 2)",
            "s.actual_arrival >= '2024-12-01Z' AND s.actual_arrival < '2025-01-01Z'"
        ),
        None,
    ),
    (
        &[
            "what is the average delay in November?",
            "and in December?",
            "and for coffee?",
        ],
        shipments!(
            "round(avg(s.delay_hours)::numeric, 2)",
            "s.actual_arrival >= '2024-12-01Z' AND s.actual_arrival < '2025-01-01Z' AND s.commodity = 'coffee'"
        ),
        None,
    ),
    (
        &["how many shipments from Shanghai", "what about Hamburg"],
        shipments!("s.origin_port_id = 'PRT-HAM'"),
        Some(511.0),
    ),
    (
        &["what weight went to Santos"],
        shipments!("sum(s.weight_kg)", "s.destination_port_id = 'PRT-SSZ'"),
        None,
    ),
    (
        &["sum of container count to Hamburg"],
        shipments!(
            "sum(s.container_count)",
            "s.destination_port_id = 'PRT-HAM'"
        ),
        None,
    ),
    (
        &["total containers shipped to Hamburg"],
        shipments!(
            "sum(s.container_count)",
            "s.destination_port_id = 'PRT-HAM'"
        ),
        None,
    ),
    (
        &["how many boxes went to Genoa"],
        shipments!(
            "sum(s.container_count)",
            "s.destination_port = 'Port of Genoa'"
        ),
        None,
    ),
    (
        &["how many late to Hamburg"],
        shipments!("s.destination_port_id = 'PRT-HAM' AND s.is_late"),
        Some(15.0),
    ),
    (
        &["how many hazardous to Hamburg"],
        shipments!("s.destination_port_id = 'PRT-HAM' AND s.hazardous"),
        None,
    ),
    (
        &["how many arrived on time to Santos"],
        shipments!("s.destination_port_id = 'PRT-SSZ' AND NOT s.is_late"),
        Some(145.0),
    ),
    (
        &["since 1 January, how many arrived late"],
        shipments!("s.is_late AND s.actual_arrival >= '2025-01-01Z'"),
        Some(203.0),
    ),
    (
        &["how many booked to Rotterdam"],
        shipments!("s.destination_port_id = 'PRT-RTM' AND s.status = 'booked'"),
        Some(14.0),
    ),
    (
        &["how many to Hamburg"],
        shipments!("s.destination_port_id = 'PRT-HAM'"),
        None,
    ),
    (
        &["how many from Hamburg"],
        shipments!("s.origin_port_id = 'PRT-HAM'"),
        None,
    ),
    (
        &["how many to the USA"],
        shipments!(
            "s.destination_port_id IN (SELECT port_id FROM demo_freight.ports WHERE tenant = 'demo' AND country = 'United States')"
        ),
        Some(4882.0),
    ),
    (
        &["how many shipments from Germany to Germany"],
        shipments!("s.origin_port_id = 'PRT-HAM' AND s.destination_port_id = 'PRT-HAM'"),
        Some(0.0),
    ),
    (
        &["how many shipments arrived early"],
        shipments!("s.delay_hours < 0"),
        Some(874.0),
    ),
    (
        &["how many shipments arrived more than 3 days late"],
        shipments!("s.delay_hours > 72"),
        Some(8.0),
    ),
    (
        &["how many shipments on vessel SOUTHERN STAR and PACIFIC CROWN I"],
        shipments!("s.vessel_name IN ('SOUTHERN STAR', 'PACIFIC CROWN I')"),
        Some(976.0),
    ),
    (
        &["how many shipments without delay"],
        shipments!("s.delay_hours <= 0"),
        Some(895.0),
    ),
    (
        &["how many in transit to Miami Container Terminal"],
        shipments!("s.destination_port_id = 'PRT-MCT' AND s.status = 'in_transit'"),
        Some(60.0),
    ),
    (
        &["how many shipments between Shanghai and Rotterdam"],
        shipments!("s.origin_port_id = 'PRT-SHA' AND s.destination_port_id = 'PRT-RTM'"),
        None,
    ),
    (
        &["how many shipments departed in December but arrived in January"],
        shipments!(
            "s.actual_departure >= '2024-12-01Z' AND s.actual_departure < '2025-01-01Z' AND s.actual_arrival >= '2025-01-01Z' AND s.actual_arrival < '2025-02-01Z'"
        ),
        Some(1056.0),
    ),
    (
        &["how much coffee did we ship in tons"],
        shipments!("sum(s.weight_kg)", "s.commodity = 'coffee'"),
        None,
    ),
    (
        &["how many vessels", "registered in Panama or Liberia"],
        "SELECT count(*)::float8 FROM demo_freight.vessels v WHERE v.tenant = 'demo' AND v.flag IN ('Panama', 'Liberia')",
        Some(10.0),
    ),
    (
        &[
            "how many shipments in December to Hamburg",
            "not December, November",
        ],
        shipments!(
            "s.destination_port_id = 'PRT-HAM' AND s.actual_arrival >= '2024-11-01Z' AND s.actual_arrival < '2024-12-01Z'"
        ),
        None,
    ),
    (
        &["how many shipments to Hamburg", "only late", "undo"],
        shipments!("s.destination_port_id = 'PRT-HAM'"),
        None,
    ),
    (
        &["how many shipments to or from Hamburg"],
        shipments!("(s.destination_port_id = 'PRT-HAM' OR s.origin_port_id = 'PRT-HAM')"),
        Some(756.0),
    ),
    (
        &["how many shipments are late or hazardous?"],
        shipments!("(s.is_late OR s.hazardous)"),
        None,
    ),
    (
        &["how many shipments not to Hamburg but from Santos"],
        shipments!("s.destination_port_id <> 'PRT-HAM' AND s.origin_port_id = 'PRT-SSZ'"),
        None,
    ),
    (
        &[
            "how many shipments worth more than 1 million",
            "less than 100,000?",
        ],
        shipments!("s.value_usd < 100000"),
        None,
    ),
    (
        &["late shipments to Hamburg", "how many from there?"],
        shipments!("s.is_late AND s.origin_port_id = 'PRT-HAM'"),
        None,
    ),
    (
        &[
            "list the late shipments of Pacific Crown",
            "how many containers in total?",
        ],
        shipments!(
            "sum(s.container_count)",
            "s.is_late AND s.carrier = 'Pacific Crown'"
        ),
        None,
    ),
];

/// The text of the last answer beside its figures, or in their place.
const WORDS: &[(&[&str], &[&str])] = &[
    (
        &["list late shipments to Santos", "count by carrier"],
        &["over 16 late shipments", "\n- "],
    ),
    (
        &["weight of shipments by month"],
        &[
            "have no actual arrival and are in no group",
            "- December 2024:",
        ],
    ),
    (
        &["how many shipments are neither hazardous nor late?"],
        &["more shipments are left out, because it is not known whether they are late"],
    ),
    (
        &["vessels by flag", "only Panama"],
        &["over 5 vessels with flag Panama"],
    ),
    (&["weight by carrier"], &["Blue Meridian Lines:", "kg"]),
    (&["delay by carrier"], &["Blue Meridian Lines: 25.55 h"]),
    (
        &["late shipments to Hamburg"],
        &["Found 15 late shipments", "SHP-", "and 5 more"],
    ),
    (
        &[
            "how many shipments to Hamburg in December",
            "compare with Rotterdam",
        ],
        &["Port of Hamburg: ", "Port of Rotterdam: "],
    ),
    (
        &[
            "how many shipments to Hamburg in December",
            "compare with October",
        ],
        &[
            "October 2024: ",
            "December 2024: ",
            "in October 2024 or in December 2024",
        ],
    ),
    (
        &["carriers with more than 100 late shipments"],
        &["I cannot choose carriers"],
    ),
    (
        &["which vessel was never late"],
        &["I cannot look for a vessel"],
    ),
    (
        &["average delay by carrier, top 2"],
        &["2 groups", "Blue Meridian Lines: 25.55 h"],
    ),
    (
        &["how many shipments arrived on 31 February"],
        &["is not a day of the calendar"],
    ),
    (&["worst carrier"], &["does not say by which figure"]),
    (&["which port has most terminals"], &["cannot rank"]),
    (&["compare with Rotterdam"], &["no earlier question"]),
    (&["by status"], &["Of which records"]),
];

/// The first number of an answer, without marks.
fn number(text: &str) -> Option<f64> {
    text.split_whitespace().find_map(|word| {
        let digits = word.replace(',', "");
        let digits = digits.trim_end_matches(['.', ';', ':']);
        digits
            .starts_with(|c: char| c.is_ascii_digit() || c == '-')
            .then(|| digits.parse().ok())?
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_of_conversations_are_those_of_the_tables() {
    let stack = stack(|_| ()).await;
    let person = Person::demo(&stack).await;
    let mut wrong = Vec::new();
    for (at, (turns, sql, counted)) in FIGURES.iter().enumerate() {
        let right: f64 = sqlx::query_scalar(*sql)
            .fetch_one(stack.pool())
            .await
            .unwrap();
        if let Some(counted) = counted.filter(|counted| (counted - right).abs() > 0.01) {
            wrong.push(format!(
                "{turns:?}: {right} by SQL, but {counted} was counted"
            ));
        }
        let talk = person.conversation(&format!("outside-{at}"));
        let mut said = String::new();
        for turn in *turns {
            said = talk.say(turn).await.text();
        }
        let found = number(&said)
            .filter(|_| !said.starts_with("I found no "))
            .unwrap_or(0.0);
        if (found - right).abs() > 0.01 {
            wrong.push(format!("{turns:?}: {right} by SQL, but {said}"));
        }
    }
    for (at, (turns, expected)) in WORDS.iter().enumerate() {
        let talk = person.conversation(&format!("words-{at}"));
        let mut said = String::new();
        for turn in *turns {
            said = talk.say(turn).await.text();
        }
        if expected.iter().any(|words| !said.contains(words)) || said.contains("GraphQL") {
            wrong.push(format!("{turns:?}: {expected:?} is not in {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
