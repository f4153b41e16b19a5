//! The behaviour without a dependency: the SQL agent's table of error handling (see
//! docs/compatibility.md), row by row, and further cases.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use graph::{Checkpoint, Checkpointer};
use http::{Method, StatusCode};
use orchestrator::config::CheckpointStore;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use test_support::disk::SmallDisk;

use crate::bench::{ALICE, Answer, Call, Replica, World, chat, eventually, message, read};
use crate::http_rules::documented;

/// Refuses all connections to the database, or accepts them again.
async fn allow_connections(world: &World, allowed: bool) {
    let name = world.database.name();
    let server = world
        .database
        .url()
        .replace(&format!("/{name}"), "/postgres");
    let mut connection = PgConnection::connect(&server).await.unwrap();
    let statements = [
        format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS {allowed}"),
        format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND NOT {allowed}"
        ),
    ];
    for statement in statements {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
            .execute(&mut connection)
            .await
            .unwrap();
    }
    connection.close().await.unwrap();
}

fn quickly(world: &World) -> orchestrator::Config {
    let mut config = world.config();
    config.database.acquire_timeout_ms = 1_500;
    config
}

async fn stored(replica: &Replica, thread: &str) -> Vec<Value> {
    let (_, page) = replica
        .json(ALICE, Call::get(format!("/v1/threads/{thread}/messages")))
        .await;
    page["messages"].as_array().cloned().unwrap_or_default()
}

#[tokio::test]
async fn with_the_database_away_everything_is_refused_and_nothing_told() {
    let world = World::new().await;
    let mut config = quickly(&world);
    config.database.url = Some("postgres://reader@127.0.0.1:9/nothing".into());
    let replica = world.replica_with(config);
    let run = "00000000000000000000000000000001";
    for (method, path) in documented("t", run) {
        // The id of a schedule has the form of a run's.
        let path = path.replace("{schedule_id}", run);
        // Which assistants there are is not in the database. No limit is configured that would be
        // counted. No person has the scopes of erasing and of the links in mails.
        let elsewhere = ["/v1/assistants", "/v1/quotas", "/v1/schedules/stop-link"];
        let erases = path == "/v1/person" && method == Method::DELETE;
        if path.starts_with("/health") || erases || elsewhere.contains(&path.as_str()) {
            continue;
        }
        let body = match path.as_str() {
            "/ai/chat" => {
                json!({ "threadId": "t", "messages": [{ "role": "user", "content": "hi" }] })
            }
            "/internal/chat/stream" => {
                json!({ "input": { "message": "hi" }, "conversation": { "id": "t" } })
            }
            "/v1/messages" => json!({ "content": "hi" }),
            // Refused for what it lacks, which is checked before anything is stored.
            "/v1/schedules" if method == Method::POST => continue,
            _ => json!({}),
        };
        let call = Call {
            body: body.to_string(),
            ..Call::new(method.clone(), path.clone())
        };
        let token = replica.token(
            ALICE,
            &["chat", "tools:read", "schedules:write", "retention:write"],
        );
        let (status, problem) = read(replica.send(Some(&token), call).await).await;
        assert_eq!(
            status,
            StatusCode::SERVICE_UNAVAILABLE,
            "{method} {path}: {problem}"
        );
        assert!(
            !problem.to_string().contains("127.0.0.1"),
            "no address leaks: {problem}"
        );
    }
    let (_, ready) = replica.json(ALICE, Call::get("/health/ready")).await;
    assert_eq!(ready["status"], "unavailable");
}

#[tokio::test]
async fn a_turn_succeeds_when_the_database_goes_away_in_the_middle_of_it() {
    let world = World::new().await;
    let mut config = quickly(&world);
    // Longer than the outage: no other worker takes the run in the meantime.
    config.runs.lease_ms = 60_000;
    let replica = world.replica_with(config);
    let mut stream = replica.open(ALICE, message("t", "one wait:gate two")).await;
    stream.until("one").await;
    allow_connections(&world, false).await;
    world.gates.open("gate");
    let seen = stream.rest().await;
    let frames = seen.frames();
    let done = frames.last().unwrap();
    assert_eq!(
        (&done["ok"], &done["history_saved"]),
        (&json!(true), &json!(false))
    );
    assert!(
        frames
            .iter()
            .any(|frame| frame["code"] == "history_not_saved")
    );
    let (status, _) = replica.json(ALICE, chat("t", "next")).await;
    assert_eq!(
        status,
        StatusCode::SERVICE_UNAVAILABLE,
        "no turn begins without the database"
    );
    allow_connections(&world, true).await;
    eventually("the answer is stored after all", async || {
        stored(&replica, "t").await.len() == 2
    })
    .await;
    let kept = stored(&replica, "t").await;
    assert_eq!(
        (&kept[1]["text"], &kept[1]["status"]),
        (&json!("one two"), &json!("complete"))
    );
    eventually("the thread is free", async || {
        replica.call(ALICE, chat("t", "next")).await.status() == StatusCode::OK
    })
    .await;
}

#[tokio::test]
async fn a_run_whose_lease_can_not_be_renewed_gives_itself_up_and_begins_again() {
    let world = World::new().await;
    let mut config = world.config_of_short_leases();
    config.database.acquire_timeout_ms = 1_500;
    world.issue_identities(&mut config).await;
    let replica = world.replica_with(config);
    let mut stream = replica.open(ALICE, chat("t", "one wait:gate two")).await;
    stream.until("one").await;
    allow_connections(&world, false).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    allow_connections(&world, true).await;
    world.gates.open("gate");
    let seen = stream.rest().await;
    assert_eq!(seen.warnings(), ["restarted"]);
    assert_eq!(seen.finish_reason().as_deref(), Some("stop"));
    assert_eq!(stored(&replica, "t").await.len(), 2);
}

// The SQL agent, "Error Handling".

#[tokio::test]
async fn async_initialization_failure_the_applications_start_fails() {
    let world = World::new().await;
    let mut config = world.config();
    config.checkpoints.path = Some(world.files.path().join("keys.json/under-a-file.sqlite"));
    let Err(refused) = world.try_replica(config) else {
        panic!("it starts")
    };
    assert!(matches!(refused, orchestrator::Error::Checkpoints(_)));
    let told = refused.to_string();
    assert!(
        told.contains("checkpoints.path") && told.contains("keys.json"),
        "{told}"
    );
}

#[tokio::test]
async fn the_folder_of_the_checkpoints_is_made_and_they_are_for_our_eyes_only() {
    let world = World::new().await;
    let mut config = world.config();
    let path = world.files.path().join("not/there/yet/checkpoints.sqlite");
    config.checkpoints.path = Some(path.clone());
    let replica = world.replica_with(config);
    let answer = replica.whole(ALICE, to_site("t", "hello")).await;
    assert!(but_for_tools(&answer).is_empty());
    let mode = std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_full_disk_of_the_checkpoints_shows_in_readiness() {
    let Some(disk) = SmallDisk::mounted().unwrap() else {
        return;
    };
    let world = World::new().await;
    let mut config = world.config();
    config.checkpoints.path = Some(disk.path().join("checkpoints.sqlite"));
    let replica = world.replica_with(config);
    disk.fill().unwrap();
    let (status, ready) = replica.json(ALICE, Call::get("/health/ready")).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{ready}");
    let checks = ready["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["name"] == "checkpoints");
    assert_eq!(check.unwrap()["detail"], "the disk is full");
}

#[tokio::test]
async fn an_orchestrator_is_ready_while_the_tools_service_is_away() {
    let world = World::new().await;
    let mut config = world.config();
    "http://127.0.0.1:9".clone_into(&mut config.tools.base_url);
    let replica = world.replica_with(config);
    let (status, ready) = replica.json(ALICE, Call::get("/health/ready")).await;
    assert_eq!(status, StatusCode::OK, "{ready}");
}

#[tokio::test]
async fn a_default_assistant_that_is_not_there_stops_the_start() {
    let world = World::new().await;
    let mut config = world.config();
    config
        .runs
        .default_assistants
        .set(contracts::threads::Dialect::NamedEvents, "nobody");
    let Err(refused) = world.try_replica(config) else {
        panic!("it starts")
    };
    assert!(
        refused.to_string().contains("once, scripted, site"),
        "{refused}"
    );
}

fn to_site(thread: &str, text: &str) -> Call {
    let message = json!({ "role": "user", "content": text });
    Call::post(
        "/ai/chat",
        &json!({ "threadId": thread, "assistant": "site", "messages": [message] }),
    )
}

async fn thread_key(world: &World, thread: &str) -> String {
    sqlx::query_scalar("SELECT id::text FROM orchestrator.threads WHERE name = $1")
        .bind(thread)
        .fetch_one(world.database.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn missing_thread_id_a_new_checkpoint_is_made() {
    let world = World::new().await;
    let replica = world.replica();
    assert_eq!(
        replica
            .whole(ALICE, to_site("t", "hello"))
            .await
            .finish_reason()
            .as_deref(),
        Some("stop")
    );
    let (_, state) = replica.json(ALICE, Call::get("/v1/threads/t/state")).await;
    assert_eq!(state["values"]["activeFlow"], "greeting", "{state}");
}

#[tokio::test]
async fn corrupt_checkpoint_a_fresh_conversation_begins_and_says_so() {
    let world = World::new().await;
    let replica = world.replica();
    replica.whole(ALICE, to_site("t", "hello")).await;
    let key = thread_key(&world, "t").await;
    let path = world.files.path().join("checkpoints.sqlite");
    let store = checkpoint::SqliteSaver::open(&path).await.unwrap();
    let newest: Checkpoint = store.get(&key, None).await.unwrap().unwrap();
    store
        .put(&Checkpoint {
            state: b"{\"messages\": 7".to_vec(),
            ..newest
        })
        .await
        .unwrap();
    let again = replica.whole(ALICE, to_site("t", "hello")).await;
    assert_eq!(but_for_tools(&again), ["thread_not_loaded"]);
    assert_eq!(again.finish_reason().as_deref(), Some("stop"));
    assert_eq!(
        stored(&replica, "t").await.len(),
        4,
        "messages are not lost with a checkpoint"
    );
}

#[tokio::test]
async fn database_locked_the_turn_succeeds_without_memory_and_says_so() {
    let world = World::new().await;
    let mut config = world.config();
    config.checkpoints.retry_attempts = 1;
    config.checkpoints.retry_delay_seconds = 0.01;
    let replica = world.replica_with(config);
    replica.whole(ALICE, to_site("t", "hello")).await;
    let path = world.files.path().join("checkpoints.sqlite");
    let mut other = sqlx::SqliteConnection::connect(&format!("sqlite://{}", path.display()))
        .await
        .unwrap();
    sqlx::raw_sql("BEGIN EXCLUSIVE")
        .execute(&mut other)
        .await
        .unwrap();
    let answer = replica.whole(ALICE, to_site("t", "hello")).await;
    assert_eq!(but_for_tools(&answer), ["thread_not_stored"]);
    assert_eq!(answer.finish_reason().as_deref(), Some("stop"));
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    let healed = replica.whole(ALICE, to_site("t", "hello")).await;
    assert!(but_for_tools(&healed).is_empty());
}

#[tokio::test]
async fn full_disk_every_turn_succeeds_and_says_what_it_could_not_keep() {
    let Some(disk) = SmallDisk::mounted().unwrap() else {
        return;
    };
    let world = World::new().await;
    let mut config = world.config();
    config.checkpoints.path = Some(disk.path().join("checkpoints.sqlite"));
    let replica = world.replica_with(config);
    replica.whole(ALICE, to_site("t", "hello")).await;
    disk.fill().unwrap();
    let mut warned = 0;
    // What the file has room for already is still written; then nothing is.
    for _ in 0..60 {
        let long = format!("hello {}", "there ".repeat(2_000));
        let answer = replica.whole(ALICE, to_site("t", &long)).await;
        let finished = answer.finish_reason();
        assert_eq!(finished.as_deref(), Some("stop"), "{:?}", answer.frames());
        // A text of this length is not a greeting, so the tools are not asked.
        let mut said = answer.warnings();
        said.retain(|code| code != "tools_unavailable");
        assert!(
            said.iter().all(|code| code == "thread_not_stored"),
            "{said:?}"
        );
        warned += said.len();
        if warned > 1 {
            break;
        }
    }
    assert!(warned > 1, "the disk was never full");
    disk.clear().unwrap();
    let healed = replica.whole(ALICE, to_site("t", "hello")).await;
    assert!(
        but_for_tools(&healed).is_empty(),
        "{:?}",
        but_for_tools(&healed)
    );
}

#[tokio::test]
async fn checkpoints_in_postgresql_or_memory_work_as_in_sqlite() {
    let world = World::new().await;
    for store in [CheckpointStore::Postgres, CheckpointStore::Memory] {
        let mut config = world.config();
        config.checkpoints.store = store;
        let replica = world.replica_with(config);
        let thread = format!("{store:?}");
        let answer = replica.whole(ALICE, to_site(&thread, "hello")).await;
        assert!(
            but_for_tools(&answer).is_empty(),
            "{store:?}: {:?}",
            but_for_tools(&answer)
        );
        let (_, state) = replica
            .json(ALICE, Call::get(format!("/v1/threads/{thread}/state")))
            .await;
        assert_eq!(state["values"]["activeFlow"], "greeting");
        replica.stop().await;
    }
}

#[tokio::test]
async fn old_conversations_are_cleaned_up_at_the_start_and_no_others() {
    let world = World::new().await;
    let replica = world.replica();
    for thread in ["old", "young"] {
        replica.whole(ALICE, to_site(thread, "hello")).await;
    }
    sqlx::query("UPDATE orchestrator.threads SET last_updated = last_updated - interval '25 hours' WHERE name = 'old'")
        .execute(world.database.pool())
        .await
        .unwrap();
    let key = thread_key(&world, "old").await;
    let kept = world.replica();
    let mut config = world.config();
    config.conversation.max_age_hours = 24;
    let cleaning = world.replica_with(config);
    eventually("the old thread is gone", async || {
        cleaning
            .call(ALICE, Call::get("/v1/threads/old"))
            .await
            .status()
            == StatusCode::NOT_FOUND
    })
    .await;
    assert_eq!(
        kept.call(ALICE, Call::get("/v1/threads/young"))
            .await
            .status(),
        StatusCode::OK
    );
    let path = world.files.path().join("checkpoints.sqlite");
    let store = checkpoint::SqliteSaver::open(&path).await.unwrap();
    eventually("its checkpoints are gone", async || {
        store.get(&key, None).await.unwrap().is_none()
    })
    .await;
}

#[tokio::test]
async fn cleanup_failure_the_service_goes_on() {
    let world = World::new().await;
    let mut config = quickly(&world);
    config.conversation.max_age_hours = 24;
    allow_connections(&world, false).await;
    let replica = world.replica_with(config);
    tokio::time::sleep(Duration::from_millis(300)).await;
    allow_connections(&world, true).await;
    eventually("messages are answered", async || {
        replica.call(ALICE, chat("t", "hello")).await.status() == StatusCode::OK
    })
    .await;
}

/// An answer's warnings other than the one about the missing tools service, which every answer that
/// asks it has.
fn but_for_tools(answer: &Answer) -> Vec<String> {
    let mut warnings = answer.warnings();
    assert!(
        warnings.iter().any(|code| code == "tools_unavailable"),
        "{warnings:?}"
    );
    warnings.retain(|code| code != "tools_unavailable");
    warnings
}
