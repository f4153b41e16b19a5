//! A model that helps, and models that do not: inventing, forgetting, overdoing, babbling, hanging.

use std::time::Duration;

use agent_kit::testing::{Answer, BABBLE, Model, fails, says};
use contracts::run::Source;
use llm::ErrorKind;
use serde_json::{Value, json};

use crate::{chat::Chat, double::Double};

const QUESTION: &str = "Show shipments to Miami last week";

fn task(key: &str, tool: &str, kind: &str) -> Value {
    json!({ "key": key, "description": format!("Do {key}"), "tool": tool, "query_type": kind })
}

fn plan(tasks: &[Value]) -> Answer {
    says(&json!({ "tasks": tasks, "reason": "" }).to_string())
}

fn planned(answer: Answer) -> Chat {
    let model = Model::new([answer]);
    Chat::with_model(Double::new(), &model).with(|options| options.model_planning = true)
}

fn keys(chat: &Chat) -> Vec<String> {
    chat.lists()[0].tasks.keys().cloned().collect()
}

#[tokio::test]
async fn a_plan_that_can_work_is_followed() {
    let mut chat = planned(plan(&[
        task("who", "entity_resolution", "none"),
        task("manual", "vector_search", "none"),
        task("fields", "field_mapping", "graphql"),
        task("query", "graphql_query_builder", "graphql"),
        task("run", "graphql_executor", "graphql"),
        task("tell", "llm_summary", "none"),
    ]));
    let turn = chat.say(QUESTION).await;
    assert_eq!(
        keys(&chat),
        ["who", "manual", "fields", "query", "run", "tell"]
    );
    assert_eq!(chat.attempts().len(), 6);
    assert!(turn.text().contains("142 shipments"), "{}", turn.text());
    assert!(chat.tools.called().contains(&"vectordb_tool".to_owned()));
}

#[tokio::test]
async fn a_plan_that_can_not_work_gives_way_to_the_usual_one() {
    let fifty: Vec<_> = (0..50)
        .map(|at| task(&format!("t{at}"), "entity_resolution", "none"))
        .collect();
    for tasks in [
        fifty,
        vec![task("hack", "shell", "none")],
        vec![task("run", "es_executor", "elasticsearch")],
        vec![
            task("who", "entity_resolution", "none"),
            task("who", "llm_summary", "none"),
        ],
        vec![
            task("past", "retrieve_query_metadata", "none"),
            task("stats", "stats_analysis", "none"),
        ],
        vec![],
    ] {
        let mut chat = planned(plan(&tasks));
        let turn = chat.say(QUESTION).await;
        assert_eq!(turn.warnings(), ["plan_refused"], "{tasks:?}");
        assert_eq!(
            keys(&chat),
            [
                "resolve_entities",
                "map_fields",
                "build_es_query",
                "execute_es",
                "summarize"
            ]
        );
        assert_eq!(chat.attempts().len(), 5);
    }
}

#[tokio::test]
async fn garbage_silence_and_failure_leave_the_rules() {
    for answer in [
        says("I would first look at the ships, then {maybe} at the ports."),
        fails(ErrorKind::Overloaded),
        says("{\"tasks\": [").hangs(),
    ] {
        let mut chat =
            planned(answer).with(|options| options.planning_timeout = Duration::from_millis(50));
        let turn = chat.say(QUESTION).await;
        assert_eq!(turn.warnings(), ["model_unavailable"]);
        assert_eq!(chat.attempts().len(), 5);
        assert_eq!(turn.source(), Source::Rules);
    }
}

#[tokio::test]
async fn a_rewrite_keeps_days_numbers_and_what_is_excluded() {
    let days = "from 2025-01-08 to 2025-01-15";
    for (answer, taken) in [
        (
            format!("Retrieve the top 5 of those shipments to Miami {days}"),
            true,
        ),
        (format!("Retrieve those shipments to Miami {days}"), false),
        (
            "Retrieve the top 5 of those shipments to Miami".to_owned(),
            false,
        ),
        (
            format!("Retrieve the top 5 of those shipments not to Miami {days}"),
            false,
        ),
    ] {
        let rewrite = says(&json!({ "request": answer }).to_string());
        let model = Model::new([rewrite]);
        let mut chat =
            Chat::with_model(Double::new(), &model).with(|options| options.model_rewriting = true);
        chat.say("Show the top 5 of those shipments to Miami last week")
            .await;
        let request = chat.lists()[0].rewritten_request.clone();
        assert_eq!(request == answer, taken, "{answer}: {request}");
    }
}

#[tokio::test]
async fn a_rewrite_that_loses_or_adds_something_is_not_taken() {
    let rewrite = |text: &str| says(&json!({ "request": text }).to_string());
    for (answer, taken) in [
        (
            "Retrieve shipments to Miami from 2025-01-08 to 2025-01-15 that are those",
            true,
        ),
        ("Retrieve all shipments", false),
        (
            "Retrieve shipments to Miami from 2025-01-08 to 2025-01-15 with a value above 99999",
            false,
        ),
        ("", false),
    ] {
        let model = Model::new([rewrite(answer)]);
        let mut chat =
            Chat::with_model(Double::new(), &model).with(|options| options.model_rewriting = true);
        chat.say("Show those shipments to Miami last week").await;
        let request = chat.lists()[0].rewritten_request.clone();
        assert_eq!(request == answer, taken, "{answer}: {request}");
        assert!(
            request.contains("Miami") && request.contains("2025-01-08"),
            "{request}"
        );
    }
}

#[tokio::test]
async fn a_model_words_the_answer_as_far_as_it_names_facts() {
    for (words, source, contains, lacks) in [
        (
            "«must» There were «\"total\":\"142» shipments.",
            Source::Model,
            "There were 142 shipments.",
            "| Shipment |",
        ),
        (
            "There were «\"total\":\"142» shipments. In fact 9,999 of them were late.",
            Source::Model,
            "There were 142 shipments.",
            "9,999",
        ),
        (
            "There were 777 shipments.",
            Source::Rules,
            "142 shipments",
            "777",
        ),
        (
            "No shipments went to Miami.",
            Source::Rules,
            "142 shipments",
            "No shipments",
        ),
        ("", Source::Rules, "142 shipments", "777"),
    ] {
        let model = Model::new([says(words)]);
        let mut chat =
            Chat::with_model(Double::new(), &model).with(|options| options.model_wording = true);
        let turn = chat.say(QUESTION).await;
        let text = turn.text();
        assert_eq!(turn.source(), source, "{words}: {text}");
        assert!(
            text.contains(contains) && !text.contains(lacks),
            "{words}: {text}"
        );
        assert_eq!(chat.entries()[4].tokens_used, 110);
        assert_eq!(chat.entries()[4].agent_action, text);
    }
}

#[tokio::test]
async fn babble_leaves_the_rules_answer_as_it_is() {
    let without = Chat::new(Double::new()).say(QUESTION).await.text();
    for words in BABBLE {
        let model = Model::new([says(words)]);
        let mut chat =
            Chat::with_model(Double::new(), &model).with(|options| options.model_wording = true);
        let turn = chat.say(QUESTION).await;
        assert_eq!(
            (turn.text(), turn.source()),
            (without.clone(), Source::Rules),
            "{words}"
        );
    }
}

#[tokio::test]
async fn insights_cite_the_findings_and_nothing_else() {
    let model = Model::new([says("«must» Mondays are worst, with 55 % more.")]);
    let mut chat = Chat::with_model(Double::new(), &model);
    chat.say(QUESTION).await;
    let mut chat = chat.with(|options| options.model_wording = true);
    let turn = chat.say("analyze delay patterns in these results").await;
    let text = turn.text();
    assert!(text.contains("7.25 h") && !text.contains("55"), "{text}");
    assert!(text.contains("Two values are missing."), "{text}");
}

#[tokio::test]
async fn a_task_for_the_model_needs_one_and_is_held_to_the_facts() {
    let tasks = [
        task("who", "entity_resolution", "none"),
        task("fields", "field_mapping", "elasticsearch"),
        task("query", "query_builder", "elasticsearch"),
        task("run", "es_executor", "elasticsearch"),
        task("explain", "llm", "none"),
        task("tell", "llm_summary", "none"),
    ];
    let model = Model::new([
        plan(&tasks),
        says("«\"value\":\"142» in total were found. That is 12 % more."),
    ]);
    let mut chat =
        Chat::with_model(Double::new(), &model).with(|options| options.model_planning = true);
    chat.say(QUESTION).await;
    let explained = chat.lists()[0].tasks["explain"].result.clone().unwrap();
    assert_eq!(explained["text"], "142 in total were found.");

    let model = Model::new([plan(&tasks), fails(ErrorKind::Overloaded)]);
    let mut chat =
        Chat::with_model(Double::new(), &model).with(|options| options.model_planning = true);
    let turn = chat.say(QUESTION).await;
    assert!(turn.text().contains("no language model"), "{}", turn.text());
}

#[tokio::test]
async fn an_impossible_reading_is_a_new_request_and_an_unsure_one_is_told() {
    let reading = |route: &str, confidence: f64| {
        says(
            &json!({ "route": route, "confidence": confidence, "option_ids": [], "addition": "" })
                .to_string(),
        )
    };
    let unclear = "hmm, I guess the bigger one of the two maybe";
    for (route, confidence, flow, warned) in [
        ("analysis", 0.9, "data_retrieval", false),
        ("cancel", 0.4, "cancel", true),
        ("lookup", 0.9, "data_retrieval", true),
    ] {
        let model = Model::new([reading(route, confidence)]);
        let mut chat = Chat::with_model(Double::ambiguous(), &model);
        chat.say(QUESTION).await;
        let turn = chat.say(unclear).await;
        assert_eq!(turn.flow().0, flow, "{route}");
        assert_eq!(
            turn.warnings().contains(&"low_confidence"),
            warned,
            "{route}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_comes_in_eight_seconds_if_the_model_stalls() {
    let without = Chat::new(Double::new()).say(QUESTION).await.text();
    // From its first question on, or after an answer of no use.
    let scripts = agent_kit::testing::stalls()
        .into_iter()
        .flat_map(|stall| [vec![stall.clone()], vec![says("{}"), stall]]);
    for mut script in scripts {
        let last = script.pop();
        let model = Model::always_after(script, last.unwrap());
        let mut chat =
            Chat::with_model(Double::new(), &model).with(|options| options.model_wording = true);
        let begun = tokio::time::Instant::now();
        let turn = chat.say(QUESTION).await;
        let waited = begun.elapsed().as_secs();
        assert!(waited < 8, "{waited} s");
        assert_eq!(turn.text(), without);
    }
}
