//! Threads: made, listed, changed, deleted.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::bench::{ALICE, BOB, Call, Replica, World, chat, eventually, message, read};

async fn create(replica: &Replica, body: &Value) -> (StatusCode, Value) {
    replica.json(ALICE, Call::post("/v1/threads", body)).await
}

fn delete(thread: &str) -> Call {
    Call::new(Method::DELETE, format!("/v1/threads/{thread}"))
}

fn patch(thread: &str, body: &Value) -> Call {
    Call {
        body: body.to_string(),
        ..Call::new(Method::PATCH, format!("/v1/threads/{thread}"))
    }
}

#[tokio::test]
async fn a_copy_of_a_thread_goes_its_own_way() {
    let world = World::new().await;
    let replica = world.replica();
    let wanted = json!({ "thread_id": "plan", "title": "Plan", "context": { "city": "Bern" }, "metadata": { "colour": "red" } });
    create(&replica, &wanted).await;
    replica
        .whole(ALICE, message("plan", "one tool:loggers"))
        .await;
    let copy = Call::post("/v1/threads/plan/copy", &Value::Null);
    let response = replica.call(ALICE, copy.clone()).await;
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    let (status, made) = read(response).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let id = made["thread_id"].as_str().unwrap().to_owned();
    assert_eq!(location, format!("/v1/threads/{id}"));
    assert_ne!(id, "plan");
    for (member, value) in wanted.as_object().unwrap() {
        if member != "thread_id" {
            assert_eq!(made[member], *value, "{member}");
        }
    }

    // The same messages, which are none of a run of the copy.
    let messages = async |thread: &str, of: &str| {
        let call = Call::get(format!("/v1/threads/{thread}/{of}"));
        replica.json(ALICE, call).await.1["messages"].clone()
    };
    let (original, copied) = (
        messages("plan", "messages").await,
        messages(&id, "messages").await,
    );
    let without_run = |messages: &Value| {
        let mut messages = messages.clone();
        for message in messages.as_array_mut().unwrap() {
            message["run_id"] = Value::Null;
        }
        messages
    };
    assert_eq!(copied, without_run(&copied));
    assert_eq!(copied, without_run(&original));
    let shown = messages(&id, "ui-messages").await;
    let answer = &shown[1];
    assert_eq!(answer["metadata"]["threadId"], id, "{answer}");
    assert_eq!(answer["metadata"]["runId"], Value::Null, "{answer}");
    let parts = messages("plan", "ui-messages").await[1]["parts"].clone();
    assert_eq!(answer["parts"], parts);

    // From here on each has its own, and the copy stays when the original goes.
    replica.whole(ALICE, message(&id, "two")).await;
    assert_eq!(messages("plan", "messages").await, original);
    assert_eq!(messages(&id, "messages").await.as_array().unwrap().len(), 4);
    let deleted = replica.call(ALICE, delete("plan")).await;
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    assert_eq!(messages(&id, "messages").await.as_array().unwrap().len(), 4);

    // Neither is a stranger's to copy, nor one that answers.
    let of_copy = Call::post(format!("{location}/copy"), &Value::Null);
    let (status, _) = replica.json(BOB, of_copy.clone()).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let answering = replica.call(ALICE, chat(&id, "wait:on")).await;
    let (status, refused) = replica.json(ALICE, of_copy.clone()).await;
    assert_eq!(status, StatusCode::CONFLICT, "{refused}");
    world.gates.open("on");
    read(answering).await;
    let (status, _) = replica.json(ALICE, of_copy).await;
    assert_eq!(status, StatusCode::CREATED);
}

#[tokio::test]
async fn a_thread_is_made_read_renamed_and_deleted() {
    let world = World::new().await;
    let replica = world.replica();
    let wanted = json!({ "user_id": "alice", "inventory_id": "i-1", "context": { "city": "Bern" }, "metadata": { "colour": "red" } });
    let response = replica
        .call(ALICE, Call::post("/v1/threads", &wanted))
        .await;
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    let (status, made) = read(response).await;
    assert_eq!(status, StatusCode::CREATED);
    let id = made["thread_id"].as_str().unwrap();
    assert_eq!(location, format!("/v1/threads/{id}"));
    assert_eq!(
        (&made["status"], &made["title"], &made["inventory_id"]),
        (&json!("idle"), &Value::Null, &json!("i-1"))
    );

    let change =
        json!({ "title": "Heat", "inventory_id": null, "context": { "city": null, "year": 2026 } });
    let (status, changed) = replica.json(ALICE, patch(id, &change)).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    assert_eq!(
        (&changed["title"], &changed["inventory_id"]),
        (&json!("Heat"), &Value::Null)
    );
    assert_eq!(
        (&changed["context"], &changed["metadata"]),
        (&json!({ "year": 2026 }), &json!({ "colour": "red" }))
    );

    replica.whole(ALICE, message(id, "hello")).await;
    let (_, kept) = replica.json(ALICE, Call::get(&location)).await;
    assert_eq!(kept["title"], "Heat", "a title that was given stays");
    let (_, state) = replica
        .json(ALICE, Call::get(format!("{location}/state")))
        .await;
    assert_eq!(
        (&state["status"], &state["assistant"]),
        (&json!("idle"), &json!("scripted"))
    );
    assert!(state["values"]["key"].is_string());

    assert_eq!(
        replica.call(ALICE, delete(id)).await.status(),
        StatusCode::NO_CONTENT
    );
    for path in [
        location.clone(),
        format!("{location}/messages"),
        format!("{location}/state"),
    ] {
        assert_eq!(
            replica.call(ALICE, Call::get(path)).await.status(),
            StatusCode::NOT_FOUND
        );
    }
    assert_eq!(
        replica.call(ALICE, delete(id)).await.status(),
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_name_is_taken_once_unless_the_thread_is_wanted_as_it_is() {
    let world = World::new().await;
    let replica = world.replica();
    let named = json!({ "thread_id": "mine", "title": "First" });
    assert_eq!(create(&replica, &named).await.0, StatusCode::CREATED);
    assert_eq!(create(&replica, &named).await.0, StatusCode::CONFLICT);
    let again = json!({ "thread_id": "mine", "title": "Second", "if_exists": "do_nothing" });
    let (status, kept) = create(&replica, &again).await;
    assert_eq!((status, &kept["title"]), (StatusCode::OK, &json!("First")));
}

#[tokio::test]
async fn credentials_at_any_depth_are_neither_stored_nor_told_and_older_ones_are_taken_out() {
    let world = World::new().await;
    let replica = world.replica();
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VzYW1l";
    let attached = json!({
        "city": "Bern", "accessToken": "sesame", "headers": [{ "Authorization": "sesame" }, { "note": jwt }, "ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
    });
    let clean = json!({ "city": "Bern", "headers": [{}, {}] });
    let body = json!({ "thread_id": "t", "context": attached, "metadata": attached });
    let (_, made) = create(&replica, &body).await;
    assert_eq!((&made["context"], &made["metadata"]), (&clean, &clean));
    let body = json!({ "metadata": { "deep": { "er": [{ "api_key": "sesame" }] } }, "context": { "x": jwt } });
    let (_, changed) = replica.json(ALICE, patch("t", &body)).await;
    assert_eq!(changed["metadata"]["deep"], json!({ "er": [{}] }));
    let stored = || async {
        let rows: Vec<(String,)> =
            sqlx::query_as("SELECT context::text || metadata::text FROM orchestrator.threads")
                .fetch_all(world.database.pool())
                .await
                .unwrap();
        rows.into_iter().map(|(row,)| row).collect::<String>()
    };
    let all = stored().await;
    assert!(!all.contains("sesame") && !all.contains("eyJ"), "{all}");

    sqlx::query("UPDATE orchestrator.threads SET metadata = '{\"a\": 1, \"b\": [{\"refreshToken\": \"sesame\"}]}'")
        .execute(world.database.pool())
        .await
        .unwrap();
    let (_, told) = replica.json(ALICE, Call::get("/v1/threads/t")).await;
    assert_eq!(told["metadata"], json!({ "a": 1, "b": [{}] }));
    let _later = world.replica();
    eventually("what was stored before is taken out", async || {
        !stored().await.contains("sesame")
    })
    .await;
}

#[tokio::test]
async fn credentials_in_a_context_are_neither_stored_nor_told() {
    let world = World::new().await;
    let replica = world.replica();
    let context = json!({ "city": "Bern", "access_token": "sesame-1", "cc_access_token": "sesame-2", "nested": { "refresh_token": "sesame-3" } });
    let (_, made) = create(&replica, &json!({ "thread_id": "t", "context": context })).await;
    assert_eq!(made["context"], json!({ "city": "Bern", "nested": {} }));
    let body = json!({ "thread_id": "t", "content": "hello", "context": { "access_token": "sesame-4", "year": 1 } });
    let said = replica
        .whole(ALICE, Call::post("/v1/messages", &body))
        .await;
    let (_, changed) = replica
        .json(
            ALICE,
            patch(
                "t",
                &json!({ "context": { "cc_access_token": "sesame-5" } }),
            ),
        )
        .await;
    assert_eq!(
        changed["context"],
        json!({ "city": "Bern", "nested": {}, "year": 1 })
    );
    let stored: String = sqlx::query_scalar(
        "SELECT (SELECT coalesce(string_agg(t::text, ''), '') FROM orchestrator.threads t) \
             || (SELECT coalesce(string_agg(r::text, ''), '') FROM orchestrator.runs r)",
    )
    .fetch_one(world.database.pool())
    .await
    .unwrap();
    assert!(!stored.contains("sesame"), "{stored}");
    assert!(!format!("{changed}{:?}", said.frames()).contains("sesame"));
}

#[tokio::test]
async fn threads_are_listed_page_by_page_and_found_by_title() {
    let world = World::new().await;
    let replica = world.replica();
    for number in 0..5 {
        let body =
            json!({ "thread_id": format!("t{number}"), "title": format!("Number {number}") });
        create(&replica, &body).await;
    }
    let mut names = Vec::new();
    let mut path = "/v1/threads?limit=2".to_owned();
    loop {
        let (_, page) = replica.json(ALICE, Call::get(&path)).await;
        let threads = page["threads"].as_array().unwrap();
        names.extend(
            threads
                .iter()
                .map(|thread| thread["thread_id"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = page["next_cursor"].as_str() else {
            break;
        };
        path = format!("/v1/threads?limit=2&cursor={cursor}");
    }
    assert_eq!(names, ["t4", "t3", "t2", "t1", "t0"]);
    let (_, found) = replica
        .json(
            ALICE,
            Call::get("/v1/threads?title=NUMBER%203&assistant=scripted"),
        )
        .await;
    assert_eq!(found["threads"].as_array().unwrap().len(), 1);
    let (_, none) = replica.json(BOB, Call::get("/v1/threads")).await;
    assert_eq!(none, json!({ "threads": [], "next_cursor": null }));
    for bad in ["limit=0", "limit=101", "cursor=zzz", "limit=x"] {
        let (status, problem) = replica
            .json(ALICE, Call::get(format!("/v1/threads?{bad}")))
            .await;
        assert!(matches!(status.as_u16(), 400 | 422), "{bad}: {problem}");
    }
    let (status, _) = replica
        .json(ALICE, Call::get("/v1/threads?user_id=bob"))
        .await;
    assert_eq!(status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn messages_are_read_page_by_page_in_both_directions() {
    let world = World::new().await;
    let replica = world.replica();
    for number in 0..4 {
        replica.whole(ALICE, chat("t", &format!("m{number}"))).await;
    }
    let page = async |query: &str| {
        let path = format!("/v1/threads/t/messages?limit=3{query}");
        let (status, page) = replica.json(ALICE, Call::get(path)).await;
        assert_eq!(status, StatusCode::OK, "{page}");
        let messages = page["messages"].as_array().unwrap().clone();
        let seqs: Vec<i64> = messages
            .iter()
            .map(|message| message["seq"].as_i64().unwrap())
            .collect();
        (seqs, page["has_more"].as_bool().unwrap())
    };
    let (newest, more) = page("").await;
    assert_eq!((newest.len(), more), (3, true));
    let (older, more) = page(&format!("&before={}", newest[0])).await;
    assert_eq!((older.len(), more), (3, true));
    let (oldest, more) = page(&format!("&before={}", older[0])).await;
    assert_eq!((oldest.len(), more), (2, false));
    let (after, more) = page(&format!("&after={}", oldest[1])).await;
    assert_eq!((after, more), (older.clone(), true));
    let (last, more) = page(&format!("&after={}", older[2])).await;
    assert_eq!((last, more), (newest, false));
    let both = Call::get("/v1/threads/t/messages?before=3&after=1");
    assert_eq!(
        replica.call(ALICE, both).await.status(),
        StatusCode::UNPROCESSABLE_ENTITY
    );
}

#[tokio::test]
async fn deleting_a_thread_stops_what_answers_in_it() {
    let world = World::new().await;
    let (here, elsewhere) = (world.replica(), world.replica());
    let mut stream = here.open(ALICE, chat("t", "begin wait:gate")).await;
    stream.until("begin").await;
    let run = stream.run_id.clone();
    let deleted = elsewhere.call(ALICE, delete("t")).await;
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    let seen = stream.rest().await;
    assert_eq!(seen.warnings(), ["cancelled"]);
    let gone = here.call(ALICE, Call::get(format!("/v1/runs/{run}"))).await;
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    let again = here.whole(ALICE, chat("t", "history anew")).await;
    assert!(
        again.text().starts_with("[]"),
        "a thread of that name begins from nothing"
    );
}

#[tokio::test]
async fn a_thread_keeps_its_assistant() {
    let world = World::new().await;
    let replica = world.replica();
    let to = |assistant: &str| {
        let message = json!({ "role": "user", "content": "hi" });
        Call::post(
            "/ai/chat",
            &json!({ "threadId": "t", "assistant": assistant, "messages": [message] }),
        )
    };
    replica.whole(ALICE, to("once")).await;
    let (_, thread) = replica.json(ALICE, Call::get("/v1/threads/t")).await;
    assert_eq!(thread["assistant"], "once");
    let (status, problem) = replica.json(ALICE, to("scripted")).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert!(problem["detail"].as_str().unwrap().contains("`once`"));
    replica.whole(ALICE, to("once")).await;
    let plain = replica.whole(ALICE, chat("t", "plain")).await;
    let (_, run) = replica
        .json(ALICE, Call::get(format!("/v1/runs/{}", plain.run_id)))
        .await;
    assert_eq!(run["assistant"], "once");
}
