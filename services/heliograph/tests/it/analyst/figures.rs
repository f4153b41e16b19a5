//! Figures of the analyst, compared with the tables of the demonstration by SQL.

use super::{Person, stack};

/// Conversations whose last answer is one number, and the statement that counts the same.
const COUNTS: &[(&[&str], &str)] = &[
    (
        &["how many shipments are overdue?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_arrival IS NULL AND s.status <> 'cancelled' AND s.planned_arrival < '2025-01-15Z'",
    ),
    (
        &["how many are overdue?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_arrival IS NULL AND s.status <> 'cancelled' AND s.planned_arrival < '2025-01-15Z'",
    ),
    (
        &["how many shipments will arrive next week?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_arrival IS NULL AND s.status <> 'cancelled' AND s.planned_arrival >= '2025-01-15Z' AND s.planned_arrival < '2025-01-23Z'",
    ),
    (
        &["how many shipments arrive in Hamburg in the next 7 days?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_arrival IS NULL AND s.status <> 'cancelled' AND s.destination_port_id = 'PRT-HAM' AND s.planned_arrival >= '2025-01-15Z' AND s.planned_arrival < '2025-01-22Z'",
    ),
    (
        &["how many shipments depart tomorrow?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_departure IS NULL AND s.status <> 'cancelled' AND s.planned_departure >= '2025-01-16Z' AND s.planned_departure < '2025-01-17Z'",
    ),
    (
        &["how many shipments from Shanghai or Singapore?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.origin_port_id IN ('PRT-SHA', 'PRT-SIN')",
    ),
    (
        &["how many shipments neither from Shanghai nor from Singapore?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.origin_port_id NOT IN ('PRT-SHA', 'PRT-SIN')",
    ),
    (
        &[
            "how many shipments arrived in Hamburg in December 2024?",
            "how many of them were late?",
        ],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.destination_port_id = 'PRT-HAM' AND s.is_late AND s.actual_arrival >= '2024-12-01Z' AND s.actual_arrival < '2025-01-01Z'",
    ),
    (
        &[
            "how many shipments arrived in Hamburg last week?",
            "and in Rotterdam?",
        ],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.destination_port_id = 'PRT-RTM' AND s.actual_arrival >= '2025-01-08Z' AND s.actual_arrival < '2025-01-16Z'",
    ),
    (
        &[
            "shipments to Hamburg last week",
            "of those, how many carry coffee?",
        ],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.destination_port_id = 'PRT-HAM' AND s.commodity = 'coffee' AND s.actual_arrival >= '2025-01-08Z' AND s.actual_arrival < '2025-01-16Z'",
    ),
    (
        &["how many shipments to Germany?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.destination_port_id IN (SELECT port_id FROM demo_freight.ports WHERE tenant = 'demo' AND country = 'Germany')",
    ),
    (
        &["how many shipments arrived in the United States in December 2024?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.destination_port_id IN (SELECT port_id FROM demo_freight.ports WHERE tenant = 'demo' AND country = 'United States') AND s.actual_arrival >= '2024-12-01Z' AND s.actual_arrival < '2025-01-01Z'",
    ),
    (
        &["how many shipments not to Colombia?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND NOT s.destination_port_id IN (SELECT port_id FROM demo_freight.ports WHERE tenant = 'demo' AND country = 'Colombia')",
    ),
    (
        &["how many shipments from China to Germany?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.origin_port_id IN (SELECT port_id FROM demo_freight.ports WHERE tenant = 'demo' AND country = 'China') AND s.destination_port_id IN (SELECT port_id FROM demo_freight.ports WHERE tenant = 'demo' AND country = 'Germany')",
    ),
    (
        &[
            "how many delivered shipments of Pacific Crown to Hamburg last week?",
            "forget the carrier",
        ],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.destination_port_id = 'PRT-HAM' AND s.status = 'delivered' AND s.actual_arrival >= '2025-01-08Z' AND s.actual_arrival < '2025-01-16Z'",
    ),
    (
        &[
            "how many delivered shipments of Pacific Crown to Hamburg in December 2024?",
            "without the status filter",
        ],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.destination_port_id = 'PRT-HAM' AND s.carrier = 'Pacific Crown' AND s.actual_arrival >= '2024-12-01Z' AND s.actual_arrival < '2025-01-01Z'",
    ),
    (
        &[
            "how many delivered shipments of Pacific Crown to Hamburg last week?",
            "drop the port",
        ],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.status = 'delivered' AND s.carrier = 'Pacific Crown' AND s.actual_arrival >= '2025-01-08Z' AND s.actual_arrival < '2025-01-16Z'",
    ),
    (
        &["how many shipments other than coffee?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.commodity <> 'coffee'",
    ),
    (
        &["how many shipments except to Hamburg and Rotterdam?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.destination_port_id NOT IN ('PRT-HAM', 'PRT-RTM')",
    ),
    (
        &["how many shipments not carried by Pacific Crown?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.carrier <> 'Pacific Crown'",
    ),
    (
        &["how many shipments arrived on or after 5 January 2025?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_arrival >= '2025-01-05Z'",
    ),
    (
        &["how many shipments arrived no later than 10 January 2025?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_arrival < '2025-01-11Z'",
    ),
    (
        &["how many shipments arrived between 3 and 10 January 2025?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_arrival >= '2025-01-03Z' AND s.actual_arrival < '2025-01-11Z'",
    ),
    (
        &["how many shipments arrived in the first half of December 2024?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.actual_arrival >= '2024-12-01Z' AND s.actual_arrival < '2024-12-16Z'",
    ),
    (
        &["how many shipments last week were early?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.delay_hours < 0 AND s.actual_arrival >= '2025-01-08Z' AND s.actual_arrival < '2025-01-16Z'",
    ),
    (
        &["how many shipments with 2 containers?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.container_count = 2",
    ),
    (
        &["how many shipments worth less than 100k?"],
        "SELECT count(*) FROM demo_freight.shipments s WHERE s.tenant = 'demo' AND s.value_usd < 100000",
    ),
    (
        &["how many 40 ft containers?"],
        "SELECT count(*) FROM demo_freight.containers c WHERE c.tenant = 'demo' AND c.size_ft = 40",
    ),
    (
        &["how many empty containers are there?"],
        "SELECT count(*) FROM demo_freight.containers c WHERE c.tenant = 'demo' AND c.status = 'empty'",
    ),
    (
        &["how many containers are warmer than -18 degrees?"],
        "SELECT count(*) FROM demo_freight.containers c WHERE c.tenant = 'demo' AND c.temperature_c > -18",
    ),
    (
        &["how many ships are registered in Panama?"],
        "SELECT count(*) FROM demo_freight.vessels v WHERE v.tenant = 'demo' AND v.flag = 'Panama'",
    ),
    (
        &["how many vessels were built in 2015 or later?"],
        "SELECT count(*) FROM demo_freight.vessels v WHERE v.tenant = 'demo' AND v.built >= 2015",
    ),
];

/// The first number of an answer: `There are 1,204 shipments …`.
fn number(text: &str) -> Option<i64> {
    let digits = text
        .split_whitespace()
        .map(|word| word.replace(',', ""))
        .find(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_are_those_of_the_tables() {
    let stack = stack(|_| ()).await;
    let person = Person::demo(&stack).await;
    let mut wrong = Vec::new();
    let mut nothing = Vec::new();
    for (at, (turns, sql)) in COUNTS.iter().enumerate() {
        let counted: i64 = sqlx::query_scalar(*sql)
            .fetch_one(stack.pool())
            .await
            .unwrap();
        if counted == 0 {
            nothing.push(turns);
        }
        let talk = person.conversation(&format!("figures-{at}"));
        let mut said = String::new();
        for turn in *turns {
            said = talk.say(turn).await.text();
        }
        // Where nothing fits, that is said without a number.
        let found = number(&said)
            .filter(|_| !said.starts_with("I found no "))
            .unwrap_or(0);
        if found != counted {
            wrong.push(format!("{turns:?}: {counted} by SQL, but {said}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        COUNTS.len(),
        wrong.join("\n")
    );
    // A question that finds nothing proves little: most of them have to find something.
    assert!(
        nothing.len() * 8 < COUNTS.len(),
        "these find nothing: {nothing:?}"
    );
}
