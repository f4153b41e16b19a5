//! Stored conversations: found by words, exported whole, and erased with their person.

use contracts::run::{Channel, FinishReason, RunEvent, Source, ToolCallKind};
use http::{Method, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row};

use crate::bench::{
    ALICE, BOB, Call, OTHER_ALICE, Person, Replica, World, eventually, message, read,
};

async fn get(replica: &Replica, person: Person, path: &str) -> (StatusCode, Value) {
    replica.json(person, Call::get(path)).await
}

#[tokio::test]
async fn ones_own_messages_are_found_by_their_words() {
    let world = World::new().await;
    let replica = world.replica();
    replica
        .whole(ALICE, message("t1", "the quokka of Alice"))
        .await;
    replica.whole(BOB, message("t1", "the quokka of Bob")).await;
    let (status, found) = get(&replica, ALICE, "/v1/messages/search?q=QUOKKA&limit=5").await;
    assert_eq!(status, StatusCode::OK, "{found}");
    let messages = found["messages"].as_array().unwrap();
    let asked = messages.iter().find(|one| one["role"] == "user").unwrap();
    assert_eq!(asked["thread_id"], "t1");
    let hit = asked["snippet"]
        .as_array()
        .unwrap()
        .iter()
        .find(|part| part["hit"] == true);
    assert_eq!(hit.unwrap()["text"], "quokka");
    assert!(!found.to_string().contains("Bob"), "{found}");
    let (_, none) = get(&replica, OTHER_ALICE, "/v1/messages/search?q=quokka").await;
    assert_eq!(none["messages"], json!([]));
    let (_, none) = get(&replica, ALICE, "/v1/messages/search?q=quokka&thread_id=t2").await;
    assert_eq!(none["messages"], json!([]));
    for query in [
        "",
        "?q=",
        "?q=%21",
        "?q=a&limit=0",
        "?q=a&limit=101",
        "?q=a&cursor=x",
        "?q=a&other=1",
        "?q=%00",
    ] {
        let (status, problem) = get(&replica, ALICE, &format!("/v1/messages/search{query}")).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{query}: {problem}"
        );
    }
}

#[tokio::test]
async fn a_thread_is_handed_over_whole() {
    let world = World::new().await;
    let replica = world.replica();
    // More than a page of messages.
    for number in 0..60 {
        replica
            .whole(ALICE, message("t1", &format!("question {number}")))
            .await;
    }
    let rows = json!([{ "city": "Bonn", "orders": 3 }]);
    add_answer(
        &world,
        &[
            RunEvent::ToolCall {
                id: "c1".into(),
                name: "run_sql".into(),
                input: json!({ "sql": "SELECT 1" }),
                kind: ToolCallKind::Server,
            },
            RunEvent::ToolResult {
                id: "c1".into(),
                output: json!({ "status": "ok", "result": { "rows": rows } }),
                ok: true,
            },
            RunEvent::TextStarted {
                id: "x".into(),
                channel: Channel::Final,
            },
            RunEvent::TextDelta {
                id: "x".into(),
                delta: "Bonn has 3.".into(),
            },
            RunEvent::Finished {
                reason: FinishReason::Stop,
                source: Source::Rules,
                usage: None,
            },
        ],
    )
    .await;
    let response = replica
        .call(ALICE, Call::get("/v1/threads/t1/export"))
        .await;
    let disposition = response.headers()["content-disposition"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(disposition, "attachment; filename=\"question-0.json\"");
    let (status, export) = read(response).await;
    assert_eq!(status, StatusCode::OK);
    let messages = export["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 121, "all of them, questions and answers");
    let seqs: Vec<i64> = messages
        .iter()
        .map(|one| one["seq"].as_i64().unwrap())
        .collect();
    assert!(seqs.is_sorted());
    let last = messages.last().unwrap();
    assert_eq!(last["tools_used"][0]["result"]["result"]["rows"], rows);
    assert_eq!(export["thread"]["thread_id"], "t1");
    let shown = export["ui_messages"].as_array().unwrap();
    assert!(
        shown.len() >= 120 && shown[0]["parts"][0]["type"] == "text",
        "{}",
        shown.len()
    );
    assert!(export["state"]["key"].is_string(), "{}", export["state"]);

    let response = replica
        .call(ALICE, Call::get("/v1/threads/t1/export?format=markdown"))
        .await;
    assert!(
        response.headers()["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/markdown")
    );
    let text = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(text.to_vec()).unwrap();
    for part in [
        "# question 0\n",
        "question 59",
        "Bonn has 3.",
        "| city | orders |",
        "| Bonn | 3 |",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for (person, path, expected) in [
        (BOB, "/v1/threads/t1/export", StatusCode::NOT_FOUND),
        (OTHER_ALICE, "/v1/threads/t1/export", StatusCode::NOT_FOUND),
        (
            ALICE,
            "/v1/threads/t1/export?format=pdf",
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
    ] {
        assert_eq!(get(&replica, person, path).await.0, expected, "{path}");
    }
}

/// An answer of a data assistant in the thread, as a run would store it.
async fn add_answer(world: &World, events: &[RunEvent]) {
    let mut builder = conversations::record::MessageBuilder::default();
    for event in events {
        builder.apply(event);
    }
    let made = builder.finish().message.unwrap();
    sqlx::query(
        "INSERT INTO orchestrator.messages (thread_id, seq, id, role, text, tools_used, status, source)
         SELECT id, last_seq + 1, 'added', 'assistant', $1, $2, 'complete', 'rules' FROM orchestrator.threads WHERE name = 't1'",
    )
    .bind(&made.text)
    .bind(sqlx::types::Json(&made.tools_used))
    .execute(world.database.pool())
    .await
    .unwrap();
}

/// Columns that can name a person. A column of any other name that holds one has to be added here
/// and to the erasure.
const PERSONAL: &str = "(subject|owner|user|person|account|author|username|[a-z_]*_by)";

/// The columns of any table that can name a person, each with how many of its rows have this name.
async fn rows_of(world: &World, name: &str) -> Vec<(String, i64)> {
    let pool = world.database.pool();
    let columns = sqlx::query(
        "SELECT table_name::text, column_name::text FROM information_schema.columns
         WHERE table_schema = 'orchestrator' AND column_name ~ ('^' || $1 || '(_id)?$') AND data_type IN ('text', 'uuid') ORDER BY 1, 2",
    )
    .bind(PERSONAL)
    .fetch_all(pool)
    .await
    .unwrap();
    let mut found = Vec::new();
    for column in &columns {
        let (table, column): (String, String) = (column.get(0), column.get(1));
        let count = format!("SELECT count(*) FROM orchestrator.{table} WHERE {column}::text = $1");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .bind(name)
            .fetch_one(pool)
            .await
            .unwrap();
        found.push((format!("{table}.{column}"), count));
    }
    found
}

/// Number of rows in every table that hangs on a thread, also in those of checkpoints.
pub(crate) async fn rows_of_threads(world: &World, threads: &[String]) -> i64 {
    let pool = world.database.pool();
    let tables = sqlx::query(
        "SELECT table_schema::text, table_name::text, column_name::text FROM information_schema.columns
         WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND column_name IN ('thread_id', 'thread_key', 'thread')",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    assert!(tables.len() >= 6, "{}", tables.len());
    let mut all = 0;
    for row in &tables {
        let (schema, table, column): (String, String, String) =
            (row.get(0), row.get(1), row.get(2));
        let count = format!("SELECT count(*) FROM {schema}.{table} WHERE {column}::text = ANY($1)");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .bind(threads)
            .fetch_one(pool)
            .await
            .unwrap();
        all += count;
    }
    all
}

/// Number of checkpoints of these threads.
pub(crate) async fn checkpoints(world: &World, postgres: bool, threads: &[String]) -> usize {
    let all: Vec<String> = if postgres {
        sqlx::query_scalar("SELECT thread_id::text FROM orchestrator.checkpoints")
            .fetch_all(world.database.pool())
            .await
            .unwrap()
    } else {
        let file = world.files.path().join("checkpoints.sqlite");
        let url = format!("sqlite://{}", file.display());
        let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
        sqlx::query_scalar("SELECT thread_id FROM checkpoints")
            .fetch_all(&pool)
            .await
            .unwrap()
    };
    all.iter().filter(|thread| threads.contains(thread)).count()
}

async fn erase(replica: &Replica, person: Person) -> StatusCode {
    let token = replica.token(person, &["person:erase"]);
    let call = Call::new(Method::DELETE, "/v1/person");
    replica.send(Some(&token), call).await.status()
}

async fn thread_ids(world: &World, owner: &str) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT id::text FROM orchestrator.threads WHERE owner = $1 AND tenant = 'demo'",
    )
    .bind(owner)
    .fetch_all(world.database.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn nothing_is_left_of_a_person_who_is_erased() {
    for postgres in [false, true] {
        let world = World::new().await;
        let mut config = world.config();
        if postgres {
            config.checkpoints.store = serde_json::from_value(json!("postgres")).unwrap();
        }
        let replica = world.replica_with(config);
        for name in ["t1", "t2"] {
            let body = json!({ "thread_id": name, "if_not_exists": "create", "assistant": "site", "content": "hello" });
            replica
                .whole(ALICE, Call::post("/v1/messages", &body))
                .await;
        }
        replica.whole(BOB, message("t1", "hello")).await;
        replica.whole(OTHER_ALICE, message("t1", "hello")).await;
        // A run that answers is stopped first.
        let stream = replica.open(ALICE, message("t3", "wait:me")).await;
        eventually("the run runs", async || {
            let (_, thread) = get(&replica, ALICE, "/v1/threads/t3").await;
            thread["status"] == "busy"
        })
        .await;
        let ids = thread_ids(&world, "alice").await;
        assert_eq!(ids.len(), 3);
        let before = rows_of_threads(&world, &ids).await;
        assert!(before > 0);
        assert!(
            checkpoints(&world, postgres, &ids).await > 0,
            "there is something to forget"
        );

        let refused = replica
            .call(ALICE, Call::new(Method::DELETE, "/v1/person"))
            .await;
        assert_eq!(
            refused.status(),
            StatusCode::FORBIDDEN,
            "a person's own scopes do not do"
        );
        for _ in 0..2 {
            assert_eq!(erase(&replica, ALICE).await, StatusCode::NO_CONTENT);
        }
        drop(stream);
        let counts = rows_of(&world, "alice").await;
        // The namesake of the other tenant has a thread and a run.
        let left: i64 = counts.iter().map(|(_, count)| count).sum();
        assert_eq!(left, 2, "{counts:?}");
        assert_eq!(rows_of_threads(&world, &ids).await, 0);
        assert_eq!(checkpoints(&world, postgres, &ids).await, 0);
        assert_eq!(
            thread_ids(&world, "bob").await.len(),
            1,
            "others keep theirs"
        );
    }
}
