//! The time for which a tenant keeps its conversations, set by its administrators while replicas
//! run.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::bench::{ALICE, Call, OTHER_ALICE, Person, Replica, World, eventually, message, read};
use crate::kept::{checkpoints, rows_of_threads};

async fn get(replica: &Replica, person: Person) -> Value {
    let (status, kept) = replica.json(person, Call::get("/v1/retention")).await;
    assert_eq!(status, StatusCode::OK, "{kept}");
    kept
}

/// Sets it as an administrator of the person's tenant.
async fn set(replica: &Replica, person: Person, body: &Value) -> (StatusCode, Value) {
    let token = replica.token(person, &["chat", "retention:write"]);
    let mut call = Call::new(Method::PUT, "/v1/retention");
    call.body = body.to_string();
    read(replica.send(Some(&token), call).await).await
}

/// The ids of the threads of a tenant with this name.
async fn thread_ids(world: &World, tenant: &str, name: &str) -> Vec<String> {
    sqlx::query_scalar("SELECT id::text FROM orchestrator.threads WHERE tenant = $1 AND name = $2")
        .bind(tenant)
        .bind(name)
        .fetch_all(world.database.pool())
        .await
        .unwrap()
}

/// Batches of events of a tenant's thread.
async fn events(world: &World, tenant: &str, name: &str) -> i64 {
    sqlx::query_scalar(
        "SELECT count(*) FROM orchestrator.run_events e
         JOIN orchestrator.runs r ON r.id = e.run_id
         JOIN orchestrator.threads t ON t.id = r.thread_id
         WHERE t.tenant = $1 AND t.name = $2",
    )
    .bind(tenant)
    .bind(name)
    .fetch_one(world.database.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn how_long_things_are_kept_is_answered_as_configured() {
    let world = World::new().await;
    let kept = get(&world.replica(), ALICE).await;
    assert_eq!(kept["threads_hours"], Value::Null);
    let mut config = world.config();
    config.conversation.max_age_hours = 48;
    config.runs.keep_events_hours = 7;
    let kept = get(&world.replica_with(config), ALICE).await;
    assert_eq!(
        kept,
        json!({
            "threads_hours": 48, "run_events_hours": 7, "cleanup_interval_hours": 1.0,
            "threads": {
                "hours": 48, "own_days": null, "default_hours": 48,
                "least_days": 1, "most_days": 36500, "fixed": false,
            },
            "runs": {
                "hours": 7, "own_days": null, "default_hours": 7,
                "least_days": 1, "most_days": 400, "fixed": false,
            },
        })
    );
}

#[tokio::test]
async fn each_tenant_keeps_its_conversations_as_long_as_its_administrator_says() {
    let world = World::new().await;
    let mut config = world.config();
    config.checkpoints.store = serde_json::from_value(json!("postgres")).unwrap();
    config.conversation.cleanup_interval_hours = 0.000_1;
    config.runs.keep_events_hours = 24 * 30;
    let (cleaning, other) = (
        world.replica_with(config.clone()),
        world.replica_with(config),
    );
    for person in [ALICE, OTHER_ALICE] {
        for thread in ["old", "young"] {
            let body = json!({ "thread_id": thread, "if_not_exists": "create", "assistant": "site", "content": "hello" });
            cleaning
                .whole(person, Call::post("/v1/messages", &body))
                .await;
        }
    }
    for statement in [
        "UPDATE orchestrator.threads SET last_updated = last_updated - interval '25 hours' WHERE name = 'old'",
        "UPDATE orchestrator.runs SET ended_at = ended_at - interval '25 hours'",
    ] {
        sqlx::query(statement)
            .execute(world.database.pool())
            .await
            .unwrap();
    }
    let old = thread_ids(&world, "demo", "old").await;
    let stays = thread_ids(&world, "elsewhere", "old").await;
    assert!(checkpoints(&world, true, &old).await > 0);
    let before = rows_of_threads(&world, &stays).await;
    assert!(events(&world, "demo", "young").await > 0);

    // Set at one replica, in force in the other, which runs since before.
    let days = json!({ "threads_days": 1, "runs_days": 1 });
    let (status, kept) = set(&other, ALICE, &days).await;
    assert_eq!(status, StatusCode::OK, "{kept}");
    assert_eq!(
        (&kept["threads_hours"], &kept["run_events_hours"]),
        (&json!(24), &json!(24))
    );
    assert_eq!(get(&cleaning, ALICE).await["threads"]["own_days"], 1);
    assert_eq!(
        get(&cleaning, OTHER_ALICE).await["threads"]["own_days"],
        Value::Null
    );
    other.stop().await;
    eventually(
        "the old thread of the tenant is gone from every table",
        async || {
            rows_of_threads(&world, &old).await == 0 && checkpoints(&world, true, &old).await == 0
        },
    )
    .await;
    eventually("the events of its old runs are gone", async || {
        events(&world, "demo", "young").await == 0
    })
    .await;
    let young = thread_ids(&world, "demo", "young").await;
    assert_eq!(young.len(), 1, "a thread with activity stays");
    assert_eq!(rows_of_threads(&world, &stays).await, before);
    assert!(events(&world, "elsewhere", "young").await > 0);

    // Set back to the installation's.
    let (_, kept) = set(&cleaning, ALICE, &json!({})).await;
    assert_eq!(kept["threads_hours"], Value::Null);
    assert_eq!(kept["run_events_hours"], 24 * 30);
}

#[tokio::test]
async fn what_the_installation_does_not_allow_is_refused() {
    let world = World::new().await;
    let mut config = world.config();
    config.conversation.tenant_days.threads_least = 7;
    config.conversation.tenant_days.threads_most = 90;
    config.conversation.max_age_hours_of = [("elsewhere".to_owned(), 48)].into();
    let replica = world.replica_with(config);
    replica.whole(ALICE, message("t", "hello")).await;
    for days in [0, 6, 91] {
        let (status, problem) = set(&replica, ALICE, &json!({ "threads_days": days })).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        assert_eq!(problem["errors"][0]["pointer"], "/threads_days");
        let detail = problem["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.contains("7 to 90 days"), "{detail}");
    }
    let (status, problem) = set(&replica, OTHER_ALICE, &json!({ "threads_days": 9 })).await;
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    assert_eq!(get(&replica, OTHER_ALICE).await["threads_hours"], 48);
    let mut call = Call::new(Method::PUT, "/v1/retention");
    call.body = "{}".to_owned();
    assert_eq!(
        replica.call(ALICE, call).await.status(),
        StatusCode::FORBIDDEN
    );
    assert_eq!(
        get(&replica, ALICE).await["threads"]["own_days"],
        Value::Null
    );
}
