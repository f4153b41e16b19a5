//! The scenarios with a scripted model that speaks over HTTP as a provider does, and a model that
//! proposes what it may not.

use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Script, Seen, Turn};

use super::scenarios::{ANALYSIS, FIVE, asked_which_miami, check_shipments, complete};
use super::{Person, stack};
use crate::models::use_model;

/// How each of the analyst's prompts begins.
const PLANS: &str = "You plan the work of an analyst";
const REWRITES: &str = "You write the request of a person";
const SORTS: &str = "You read one message in a conversation";
const WORDS: &str = "You put the result of an analyst's work into words";

fn begins(with: &'static str) -> impl FnMut(&Seen) -> bool + Send {
    move |seen| seen.system.contains(with)
}

fn task(key: &str, tool: &str, query_type: &str) -> Value {
    json!({ "key": key, "description": format!("Do {key}"), "tool": tool, "query_type": query_type })
}

fn plan(tasks: &[Value]) -> Turn {
    Turn::json(json!({ "tasks": tasks, "reason": "as usual" }))
}

fn the_usual_plan() -> Turn {
    plan(&[
        task("resolve_entities", "entity_resolution", "none"),
        task("map_fields", "field_mapping", "elasticsearch"),
        task("build_es_query", "query_builder", "elasticsearch"),
        task("execute_es", "es_executor", "elasticsearch"),
        task("summarize", "llm_summary", "none"),
    ])
}

fn the_analysis() -> Turn {
    plan(&[
        task("retrieve_query_metadata", "retrieve_query_metadata", "none"),
        task("run_statistical_analysis", "stats_analysis", "none"),
        task("identify_delay_patterns", "pattern_recognition", "none"),
        task("generate_insights", "llm_summary", "none"),
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn the_scenarios_have_the_same_steps_with_a_model() {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let stack = stack(|config| use_model(config, &server)).await;
    server.play(
        Script::new()
            .when(
                |seen| seen.system.contains(PLANS) && seen.last_user().contains("delay patterns"),
                the_analysis(),
            )
            .when(begins(PLANS), the_usual_plan())
            .when(begins(REWRITES), Turn::json(json!({ "request": "" })))
            .when(
                begins(SORTS),
                Turn::json(json!({
                    "route": "new_request", "confidence": 0.9, "option_ids": [], "addition": "",
                })),
            )
            .otherwise(Turn::text(
                "Last week 142 shipments reached the Port of Miami.",
            )),
    );
    // Two, and then five.
    let person = Person::new(&stack, "ada", "demo").await;
    let conversation = person.conversation("m2");
    asked_which_miami(&conversation).await;
    let answer = conversation.say("Port of Miami").await;
    let known = conversation.state().await;
    let mut attempts = vec![("resolve_entities", "clarification_needed")];
    attempts.extend(complete(&FIVE));
    assert_eq!(known.attempts(), attempts);
    check_shipments(&answer, &known, 142);
    assert!(
        answer.text().starts_with("Found 142 shipments") && !answer.text().contains("Last week"),
        "figures that a model types are not said: {}",
        answer.text()
    );
    conversation
        .say("analyze delay patterns in these results")
        .await;
    let known = conversation.state().await;
    attempts.extend(complete(&ANALYSIS));
    assert_eq!(known.attempts(), attempts);
    // Three.
    let person = Person::new(&stack, "bea", "demo").await;
    let conversation = person.conversation("m3");
    asked_which_miami(&conversation).await;
    conversation
        .say("Port of Miami, but also include arrival date")
        .await;
    let known = conversation.state().await;
    assert_eq!(known.lists(), ["superseded", "complete"]);
    assert_eq!(known.attempts().len(), 6);
    // Four.
    let person = Person::new(&stack, "cleo", "demo").await;
    let conversation = person.conversation("m4");
    asked_which_miami(&conversation).await;
    let answer = conversation
        .say("forget it, show me container status instead")
        .await;
    let known = conversation.state().await;
    assert_eq!(known.lists(), ["aborted", "complete"]);
    assert!(
        !answer.text().contains("142"),
        "what is no fact of this answer is not said: {}",
        answer.text()
    );
    server.assert_accepted();
    // Neither an id nor a query is ever the model's business.
    for seen in server.seen() {
        if !seen.system.contains(WORDS) {
            assert!(!format!("{seen:?}").contains("PRT-MIA"), "{seen:?}");
        }
    }
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_proposes_beyond_its_part_is_not_done() {
    let server = ModelServer::start(Dialect::Anthropic, Script::new())
        .await
        .unwrap();
    let stack = stack(|config| use_model(config, &server)).await;
    let fifty: Vec<Value> = (0..50)
        .map(|at| task(&format!("t{at}"), "es_executor", "elasticsearch"))
        .collect();
    server.play(
        Script::new()
            .when(begins(PLANS), plan(&fifty))
            .when(
                begins(REWRITES),
                Turn::json(json!({ "request": "Drop the index shipments" })),
            )
            .otherwise(Turn::text("There were 9,999 shipments.")),
    );
    let person = Person::new(&stack, "rosa", "rival").await;
    let conversation = person.conversation("hostile");
    let answer = conversation
        .say("Show those shipments to Miami last week")
        .await;
    let known = conversation.state().await;
    assert_eq!(
        known.attempts(),
        complete(&FIVE),
        "the usual plan: {answer:?}"
    );
    assert!(!answer.text().contains("9,999"), "{}", answer.text());
    let request = known.values["todo_lists"][0]["rewritten_request"].as_str();
    assert!(request.unwrap().contains("Miami"), "{request:?}");
    stack.stop().await;
}
