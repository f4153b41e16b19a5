//! The analyst: what it remembers, who sees it, and that its plan is in every stream.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::bench::{ALICE, Answer, BOB, Call, OTHER_ALICE, Replica, World, eventually};
use crate::source::Source;

const QUESTION: &str = "Show shipments to Miami last week";

const PATH: &str = "/v1/threads/t/state";

/// An orchestrator whose tools know one source.
async fn replica(world: &World) -> (Replica, Source) {
    let (source, url) = Source::start(world.gates.clone()).await;
    let mut config = world.config();
    config.tools.base_url = url;
    (world.replica_with(config), source)
}

fn chat(text: &str) -> Call {
    let message = json!({ "role": "user", "content": text });
    Call::post(
        "/ai/chat",
        &json!({ "threadId": "t", "assistant": "analyst", "messages": [message] }),
    )
}

async fn values(replica: &Replica) -> Value {
    let (status, state) = replica.json(ALICE, Call::get(PATH)).await;
    assert_eq!(status, StatusCode::OK, "{state}");
    state["values"].clone()
}

/// Task and status of each attempt.
fn attempts(values: &Value) -> Vec<(String, String)> {
    let entries = values["entries"].as_array().unwrap();
    let text = |entry: &Value, member: &str| entry[member].as_str().unwrap().to_owned();
    let attempts = entries.iter();
    attempts
        .map(|entry| (text(entry, "todo_key"), text(entry, "status")))
        .collect()
}

/// The statuses of the plans in a stream, one list of them per plan.
fn plans(answer: &Answer, plan: impl Fn(&Value) -> Option<&Value>) -> Vec<Vec<String>> {
    let frames = answer.frames();
    let plans = frames.iter().filter_map(plan);
    plans
        .map(|plan| {
            let tasks = plan["tasks"].as_array().unwrap().iter();
            tasks
                .map(|task| task["status"].as_str().unwrap().to_owned())
                .collect()
        })
        .collect()
}

fn ui_plans(answer: &Answer) -> Vec<Vec<String>> {
    plans(answer, |frame| {
        (frame["type"] == "data-plan").then_some(&frame["data"])
    })
}

#[tokio::test]
async fn a_question_survives_the_turn_and_its_answer_completes_the_plan() {
    let world = World::new().await;
    let (replica, source) = replica(&world).await;
    world.gates.open("query");
    let asked = replica.whole(ALICE, chat(QUESTION)).await;
    assert_eq!(asked.finish_reason().as_deref(), Some("tool-calls"));
    let told = ui_plans(&asked);
    assert_eq!(told[0], ["pending"; 5], "shown before it runs");
    assert_eq!(told.last().unwrap()[0], "clarification_needed");

    let (_, thread) = replica.json(ALICE, Call::get("/v1/threads/t")).await;
    assert_eq!(thread["status"], "interrupted");
    let (_, state) = replica.json(ALICE, Call::get(PATH)).await;
    assert_eq!(state["status"], "interrupted");
    let open = &state["values"];
    assert_eq!(open["current_task_key"], "resolve_entities");
    assert_eq!(open["active_todo_list"]["state"], "active");
    assert_eq!(open["active_todo_list"], open["todo_lists"][0]);
    let options = &open["pending_clarification"]["parts"][0]["options"];
    assert_eq!(options[0]["label"], "Port of Miami");
    let first = (
        "resolve_entities".to_owned(),
        "clarification_needed".to_owned(),
    );
    assert_eq!(attempts(open), std::slice::from_ref(&first));

    let answered = replica.whole(ALICE, chat("Port of Miami")).await;
    assert_eq!(ui_plans(&answered).last().unwrap(), &["complete"; 5]);
    let state = values(&replica).await;
    let keys = [
        "resolve_entities",
        "map_fields",
        "build_es_query",
        "execute_es",
        "summarize",
    ];
    let completed = keys.map(|key| (key.to_owned(), "complete".to_owned()));
    let expected: Vec<_> = [first].into_iter().chain(completed).collect();
    assert_eq!(attempts(&state), expected);
    let ids = state["entries"].as_array().unwrap().iter();
    let ids: Vec<_> = ids
        .map(|entry| entry["turn_id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
    assert_eq!(state["active_todo_list"], Value::Null);
    assert_eq!(state["pending_clarification"], Value::Null);
    assert_eq!(state["todo_lists"][0]["state"], "complete");
    assert_eq!(state["query_metadata"][0]["turn_id"], 5);
    assert_eq!(state["entries"][4]["query_metadata"], 5);
    assert_eq!(source.called("es_executor"), 1);
}

#[tokio::test]
async fn nobody_else_sees_or_answers_a_question() {
    let world = World::new().await;
    let (replica, _) = replica(&world).await;
    replica.whole(ALICE, chat(QUESTION)).await;
    let before = values(&replica).await;
    for stranger in [BOB, OTHER_ALICE] {
        let seen = replica.call(stranger, Call::get(PATH)).await;
        assert_eq!(seen.status(), StatusCode::NOT_FOUND);
        let answer = json!({ "thread_id": "t", "content": "Port of Miami" });
        let answered = replica.call(stranger, Call::post("/v1/messages", &answer));
        assert_eq!(answered.await.status(), StatusCode::NOT_FOUND);
        // The same name is another thread, where nothing is asked.
        replica.whole(stranger, chat("continue")).await;
    }
    assert_eq!(values(&replica).await, before);
}

#[tokio::test]
async fn of_two_answers_at_once_one_is_taken() {
    let world = World::new().await;
    let (replica, source) = replica(&world).await;
    replica.whole(ALICE, chat(QUESTION)).await;
    let mut first = replica.open(ALICE, chat("Port of Miami")).await;
    first.until("data-plan").await;
    let second = replica.call(ALICE, chat("Miami Container Terminal")).await;
    assert_eq!(second.status(), StatusCode::CONFLICT);
    world.gates.open("query");
    first.rest().await;
    assert_eq!(
        values(&replica).await["entries"].as_array().unwrap().len(),
        6
    );
    assert_eq!(source.called("es_executor"), 1);
}

#[tokio::test]
async fn a_deleted_thread_takes_what_is_remembered_along() {
    let world = World::new().await;
    let (replica, _) = replica(&world).await;
    world.gates.open("query");
    replica.whole(ALICE, chat(QUESTION)).await;
    replica.whole(ALICE, chat("1")).await;
    let rows = async || -> i64 {
        sqlx::query_scalar(
            "SELECT (SELECT count(*) FROM orchestrator.todo_lists) \
                  + (SELECT count(*) FROM orchestrator.memory_entries) \
                  + (SELECT count(*) FROM orchestrator.query_metadata)",
        )
        .fetch_one(world.database.pool())
        .await
        .unwrap()
    };
    assert_eq!(rows().await, 1 + 6 + 1);
    let delete = Call::new(Method::DELETE, "/v1/threads/t");
    let deleted = replica.call(ALICE, delete).await;
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    assert_eq!(rows().await, 0);
    replica.whole(ALICE, chat("continue")).await;
    assert_eq!(
        source_lists(&replica).await,
        0,
        "nothing is left to continue"
    );
}

async fn source_lists(replica: &Replica) -> usize {
    let values = values(replica).await;
    values["todo_lists"].as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn every_dialect_tells_the_plan_and_tells_it_again_from_the_log() {
    let world = World::new().await;
    let (replica, _) = replica(&world).await;
    let elsewhere = world.replica();
    let agent = json!({
        "input": { "message": QUESTION }, "conversation": { "id": "a" }, "assistant": "analyst",
    });
    let named = json!({
        "thread_id": "n", "content": QUESTION, "if_not_exists": "create", "assistant": "analyst",
    });
    let ui = replica.whole(ALICE, chat(QUESTION)).await;
    let agent = Call::post("/internal/chat/stream", &agent);
    let agent = replica.whole(ALICE, agent).await;
    let named = Call::post("/v1/messages", &named);
    let named = replica.whole(ALICE, named).await;
    let expected = ui_plans(&ui);
    assert!(expected.len() > 1, "{expected:?}");
    let of_agent = plans(&agent, |frame| {
        (frame["event"] == "plan").then_some(&frame["plan"])
    });
    let of_named = plans(&named, |frame| frame.get("tasks").map(|_| frame));
    assert_eq!(of_agent, expected);
    assert_eq!(of_named, expected);
    let names: Vec<_> = named
        .events()
        .into_iter()
        .filter_map(|event| event.event)
        .collect();
    assert!(names.iter().any(|name| name == "plan"), "{names:?}");

    for whole in [ui, agent, named] {
        let path = format!("/v1/runs/{}/events", whole.run_id);
        let again = elsewhere.whole(ALICE, Call::get(&path)).await;
        assert_eq!(again.events(), whole.events());
    }
}

#[tokio::test]
async fn a_process_that_dies_in_mid_plan_leaves_what_was_done_done() {
    let world = World::new().await;
    let (source, url) = Source::start(world.gates.clone()).await;
    let mut config = world.config_of_short_leases();
    config.tools.base_url = url;
    config.checkpoints.store = orchestrator::config::CheckpointStore::Postgres;
    world.issue_identities(&mut config).await;
    let here = world.replica_with(config.clone());
    here.whole(ALICE, chat(QUESTION)).await;
    let mut first = here.open(ALICE, chat("Port of Miami")).await;
    first.until("data-plan").await;
    eventually("the query is active", async || {
        source.called("es_executor") == 1
    })
    .await;
    here.kill();
    world.gates.open("query");
    let elsewhere = world.replica_with(config);
    eventually("the plan is complete", async || {
        values(&elsewhere).await["todo_lists"][0]["state"] == "complete"
    })
    .await;
    let state = values(&elsewhere).await;
    assert_eq!(attempts(&state).len(), 6, "{state}");
    assert_eq!(source.called("query_builder"), 1, "not done twice");
    assert_eq!(state["query_metadata"].as_array().unwrap().len(), 1);
}
