//! The scenarios as the document prints them, by rules alone.

use serde_json::Value;

use super::conversation::{Answer, Known};
use super::{Conversation, Person, stack};

pub(super) const QUESTION: &str = "Show shipments to Miami last week";

pub(super) const FIVE: [&str; 5] = [
    "resolve_entities",
    "map_fields",
    "build_es_query",
    "execute_es",
    "summarize",
];

pub(super) const ANALYSIS: [&str; 4] = [
    "retrieve_query_metadata",
    "run_statistical_analysis",
    "identify_delay_patterns",
    "generate_insights",
];

/// All of these tasks, complete.
pub(super) fn complete<'a>(tasks: &[&'a str]) -> Vec<(&'a str, &'static str)> {
    tasks.iter().map(|task| (*task, "complete")).collect()
}

/// The tasks of a plan, and how far each is.
fn tasks(plan: &Value) -> Vec<(&str, &str)> {
    let tasks = plan["tasks"].as_array().unwrap();
    tasks
        .iter()
        .map(|task| {
            (
                task["key"].as_str().unwrap(),
                task["status"].as_str().unwrap(),
            )
        })
        .collect()
}

/// The question of which Miami, asked.
pub(super) async fn asked_which_miami(conversation: &Conversation<'_>) {
    let asked = conversation.say(QUESTION).await;
    assert_eq!(
        asked.options(),
        ["Port of Miami", "Miami Container Terminal"],
        "{asked:?}"
    );
    let known = conversation.state().await;
    assert_eq!(known.status, "interrupted");
    assert_eq!(
        known.attempts(),
        [("resolve_entities", "clarification_needed")]
    );
    assert_eq!(known.values["current_task_key"], "resolve_entities");
}

/// Checks the answer to the original question: a plan that was shown before it ran, the figure, the
/// metadata.
pub(super) fn check_shipments(answer: &Answer, known: &Known, count: u64) {
    let (first, last) = answer.plans();
    assert_eq!(
        tasks(last),
        complete(&FIVE),
        "the plan was followed to its end"
    );
    assert_eq!(tasks(first).len(), 5);
    assert!(
        answer.text().contains(&count.to_string()),
        "{}",
        answer.text()
    );
    let query = known.queries().last().unwrap();
    assert_eq!(query["record_count"], count);
    assert_eq!(query["query_type"], "elasticsearch");
    assert_eq!(
        query["query"]["query"]["bool"]["filter"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(
        query["query_structure"]["time_range"]["start"],
        "2025-01-08"
    );
    assert_eq!(query["query_structure"]["time_range"]["end"], "2025-01-15");
    let way = query["how_to_retrieve"]["text"].as_str().unwrap();
    assert!(
        way.contains("Port of Miami") && way.contains("2025-01-08"),
        "{way}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_1_a_simple_query_needs_no_clarification() {
    let stack = stack(|_| {}).await;
    // Of the two tenants this one knows one Miami.
    let person = Person::new(&stack, "rosa", "rival").await;
    let conversation = person.conversation("s1");
    let answer = conversation.say(QUESTION).await;
    assert!(answer.options().is_empty(), "{answer:?}");
    let plan = answer.plans().0;
    assert!(
        tasks(plan).iter().all(|(_, status)| *status == "pending"),
        "it was shown before it ran: {plan}"
    );
    assert_eq!(
        answer.tools(),
        [
            "entity_resolution",
            "field_mapping",
            "query_builder",
            "es_executor",
            "llm_summary"
        ]
    );
    let known = conversation.state().await;
    assert_eq!(known.attempts(), complete(&FIVE));
    assert_eq!(known.lists(), ["complete"]);
    let arrived: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM tools.demo_shipments
         WHERE tenant = 'rival' AND destination_port = 'Port of Miami'
           AND actual_arrival >= '2025-01-08Z' AND actual_arrival < '2025-01-16Z'",
    )
    .fetch_one(stack.pool())
    .await
    .unwrap();
    check_shipments(&answer, &known, u64::try_from(arrived).unwrap());
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenarios_2_and_5_an_answer_goes_on_and_results_are_analysed() {
    let stack = stack(|_| {}).await;
    let person = Person::demo(&stack).await;
    let conversation = person.conversation("s2");
    asked_which_miami(&conversation).await;

    let answer = conversation.say("Port of Miami").await;
    let known = conversation.state().await;
    let mut attempts = vec![("resolve_entities", "clarification_needed")];
    attempts.extend(complete(&FIVE));
    assert_eq!(known.attempts(), attempts);
    assert_eq!(known.lists(), ["complete"], "the same list went on");
    assert_eq!(known.status, "idle");
    check_shipments(&answer, &known, 142);

    let answer = conversation
        .say("analyze delay patterns in these results")
        .await;
    let known = conversation.state().await;
    attempts.extend(complete(&ANALYSIS));
    assert_eq!(known.attempts(), attempts);
    assert_eq!(known.lists(), ["complete", "complete"]);
    assert_eq!(known.queries().len(), 1, "nothing new was queried");
    let mean: f64 = sqlx::query_scalar(
        "SELECT avg(delay_hours) FROM tools.demo_shipments
         WHERE tenant = 'demo' AND destination_port = 'Port of Miami'
           AND actual_arrival >= '2025-01-08Z' AND actual_arrival < '2025-01-16Z'",
    )
    .fetch_one(stack.pool())
    .await
    .unwrap();
    let text = answer.text();
    assert!(text.contains(&format!("{mean:.1}")), "{mean}: {text}");
    assert!(
        text.contains("Blue Meridian"),
        "the slow carrier is found: {text}"
    );

    // Something is asked of the same query, changed in one place.
    let answer = conversation.say("add filter for delivered status").await;
    let known = conversation.state().await;
    attempts.extend(complete(&FIVE));
    assert_eq!(known.attempts(), attempts);
    let delivered: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM tools.demo_shipments
         WHERE tenant = 'demo' AND destination_port = 'Port of Miami' AND status = 'delivered'
           AND actual_arrival >= '2025-01-08Z' AND actual_arrival < '2025-01-16Z'",
    )
    .fetch_one(stack.pool())
    .await
    .unwrap();
    assert_eq!(known.queries().last().unwrap()["record_count"], delivered);
    assert!(
        answer.text().contains(&delivered.to_string()),
        "{}",
        answer.text()
    );

    // What was chosen once is not asked again.
    let again = person.conversation("s2-again");
    let answer = again.say(QUESTION).await;
    assert!(answer.options().is_empty(), "{answer:?}");
    assert_eq!(again.state().await.attempts(), complete(&FIVE));
    assert!(answer.text().contains("142"), "{}", answer.text());
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_3_a_modification_takes_the_answer_and_the_addition() {
    let stack = stack(|_| {}).await;
    let person = Person::demo(&stack).await;
    let conversation = person.conversation("s3");
    asked_which_miami(&conversation).await;
    let answer = conversation
        .say("Port of Miami, but also include arrival date")
        .await;
    assert!(
        answer.options().is_empty(),
        "nothing is asked again: {answer:?}"
    );
    let known = conversation.state().await;
    let mut attempts = vec![("resolve_entities", "clarification_needed")];
    attempts.extend(complete(&FIVE));
    assert_eq!(known.attempts(), attempts);
    assert_eq!(known.lists(), ["superseded", "complete"]);
    check_shipments(&answer, &known, 142);
    let fields = &known.queries()[0]["query_structure"]["fields"];
    assert!(
        fields
            .as_array()
            .unwrap()
            .contains(&"actual_arrival".into()),
        "{fields}"
    );
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scenario_4_an_aborted_request_leaves_nothing_behind() {
    let stack = stack(|_| {}).await;
    let person = Person::demo(&stack).await;
    let conversation = person.conversation("s4");
    asked_which_miami(&conversation).await;
    let answer = conversation
        .say("forget it, show me container status instead")
        .await;
    let known = conversation.state().await;
    assert_eq!(known.lists(), ["aborted", "complete"], "{answer:?}");
    assert_eq!(known.attempts().len(), 1 + 5, "{known:?}");
    let query = known.queries().last().unwrap();
    assert_eq!(query["query_structure"]["index"], "containers");
    assert!(!query.to_string().contains("Miami"), "{query}");
    assert!(!answer.text().contains("last week"), "{}", answer.text());
    stack.stop().await;
}
