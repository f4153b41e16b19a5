//! Another user's things are not returned, changed or even said to exist.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::bench::{ALICE, BOB, Call, OTHER_ALICE, Person, Replica, World, chat, message, read};
use crate::http_rules::documented;

const SECRET: &str = "the-secret-of-alice";

/// What Alice's threads and runs look like to her.
async fn snapshot(replica: &Replica, thread: &str, run: &str) -> Vec<Value> {
    let mut seen = Vec::new();
    for path in [
        format!("/v1/threads/{thread}"),
        format!("/v1/threads/{thread}/messages"),
        format!("/v1/runs/{run}"),
    ] {
        seen.push(replica.json(ALICE, Call::get(path)).await.1);
    }
    seen
}

/// Bodies that would work for the owner.
fn body(method: &Method, path: &str, thread: &str) -> Value {
    match (method.as_str(), path) {
        ("POST", "/v1/messages") => json!({ "content": "hello", "thread_id": thread }),
        ("PATCH", _) => json!({ "title": "stolen" }),
        _ => json!({}),
    }
}

#[tokio::test]
async fn another_user_and_another_tenant_get_no_byte_of_a_thread_or_run() {
    let world = World::new().await;
    let replica = world.replica();
    let done = replica.whole(ALICE, message("alices", SECRET)).await.run_id;
    let mut stream = replica
        .open(ALICE, message("busy", &format!("{SECRET} wait:gate")))
        .await;
    stream.until(SECRET).await;
    let running = stream.run_id.clone();
    let before = snapshot(&replica, "alices", &done).await;
    let mut asked = 0;
    for (thread, run) in [("alices", &done), ("busy", &running)] {
        for (method, path) in documented(thread, run) {
            let named =
                path.contains(thread) || path.contains(run.as_str()) || path == "/v1/messages";
            if !named {
                continue;
            }
            for person in [BOB, OTHER_ALICE] {
                asked += 1;
                refused(&replica, person, &method, &path, thread).await;
            }
        }
    }
    assert_eq!(
        asked,
        2 * 2 * 14,
        "every operation that names a thread or a run"
    );
    assert_eq!(
        snapshot(&replica, "alices", &done).await,
        before,
        "and nothing changed"
    );
    let (_, run) = replica
        .json(ALICE, Call::get(format!("/v1/runs/{running}")))
        .await;
    assert_eq!(run["status"], "running", "no user stopped it");
    world.gates.open("gate");
    stream.rest().await;
}

async fn refused(replica: &Replica, person: Person, method: &Method, path: &str, thread: &str) {
    let call = Call {
        body: body(method, path, thread).to_string(),
        ..Call::new(method.clone(), path)
    };
    let (status, answer) = read(replica.call(person, call).await).await;
    let joins = path.starts_with("/ai/chat/") && path.ends_with("/stream");
    if joins {
        // AI SDK clients take a refusal for a broken chat, so a chat that is not theirs is like one
        // that was never used.
        assert_eq!(status, StatusCode::NO_CONTENT, "{person:?} {method} {path}");
    } else {
        assert_eq!(
            status,
            StatusCode::NOT_FOUND,
            "{person:?} {method} {path}: {answer}"
        );
    }
    assert!(
        !answer.to_string().contains(SECRET),
        "{person:?} {method} {path}: {answer}"
    );
}

#[tokio::test]
async fn the_same_name_is_another_thread_for_each_owner() {
    let world = World::new().await;
    let replica = world.replica();
    for person in [ALICE, BOB, OTHER_ALICE] {
        let said = replica.whole(person, chat("shared", "history mine")).await;
        assert!(
            said.text().starts_with("[]"),
            "{person:?} sees only their own past"
        );
        let (_, page) = replica.json(person, Call::get("/v1/threads")).await;
        assert_eq!(page["threads"].as_array().unwrap().len(), 1);
        let (_, page) = replica
            .json(person, Call::get("/v1/threads/shared/messages"))
            .await;
        assert_eq!(page["messages"].as_array().unwrap().len(), 2);
    }
}
