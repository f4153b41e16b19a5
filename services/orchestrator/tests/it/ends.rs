//! Runs that end otherwise than well: stopped, failed, too long, vanished.

use http::StatusCode;
use serde_json::{Value, json};

use crate::bench::{ALICE, Call, Replica, World, chat, message};

async fn answer(replica: &Replica, thread: &str) -> Value {
    let (_, page) = replica
        .json(ALICE, Call::get(format!("/v1/threads/{thread}/messages")))
        .await;
    page["messages"].as_array().unwrap().last().unwrap().clone()
}

async fn cancel(replica: &Replica, run_id: &str) -> (StatusCode, Value) {
    let path = format!("/v1/runs/{run_id}/cancel");
    replica.json(ALICE, Call::post(path, &json!({}))).await
}

#[tokio::test]
async fn cancelling_keeps_what_there_is_and_frees_the_thread() {
    let world = World::new().await;
    let replica = world.replica();
    let mut stream = replica
        .open(ALICE, chat("t", "some words call:tool wait:gate never"))
        .await;
    stream.until("words").await;
    let (status, run) = cancel(&replica, &stream.run_id).await;
    assert_eq!(
        (status, &run["status"]),
        (StatusCode::ACCEPTED, &json!("cancelled"))
    );
    let run_id = stream.run_id.clone();
    let seen = stream.rest().await;
    assert_eq!(seen.warnings(), ["cancelled"]);
    assert_eq!(seen.finish_reason().as_deref(), Some("other"));
    assert!(
        seen.types().contains(&"tool-output-available".to_owned()),
        "the open call has its answer"
    );
    let stored = answer(&replica, "t").await;
    assert_eq!(
        (&stored["text"], &stored["status"]),
        (&json!("some words"), &json!("partial"))
    );
    assert_eq!(stored["tools_used"][0]["status"], "error");
    let (status, run) = cancel(&replica, &run_id).await;
    assert_eq!(
        (status, &run["status"]),
        (StatusCode::ACCEPTED, &json!("cancelled"))
    );
    assert!(
        replica
            .whole(ALICE, chat("t", "next"))
            .await
            .text()
            .contains("next")
    );
}

#[tokio::test]
async fn a_stopped_run_says_so_once_in_every_dialect() {
    let world = World::new().await;
    let replica = world.replica();
    let agent = json!({
        "input": { "message": "some words wait:gate" }, "conversation": { "id": "agent" },
    });
    for call in [
        message("named", "some words wait:gate"),
        Call::post("/internal/chat/stream", &agent),
    ] {
        let mut stream = replica.open(ALICE, call).await;
        stream.until("words").await;
        cancel(&replica, &stream.run_id).await;
        let thread = stream.thread_id.clone();
        let frames = stream.rest().await.frames();
        let warnings = frames.iter().filter(|frame| frame["code"] == "cancelled");
        assert_eq!(warnings.count(), 1, "{frames:?}");
        let last = frames.last().unwrap();
        let stats = last.get("stats").unwrap_or(last);
        assert_eq!(
            (&stats["partial"], &stats["warnings"]),
            (&json!(true), &json!(["cancelled"])),
            "{last}"
        );
        assert!(last.get("ok").is_none_or(|ok| *ok == false), "{last}");
        let stored = answer(&replica, &thread).await;
        assert_eq!(
            (&stored["status"], &stored["warnings"]),
            (&json!("partial"), &json!(["cancelled"]))
        );
    }
}

#[tokio::test]
async fn stopping_a_chat_stops_what_answers_in_it_and_nothing_else() {
    let world = World::new().await;
    let replica = world.replica();
    let stop = |thread: &str| Call::post(format!("/ai/chat/{thread}/stop"), &json!({}));
    let mut stream = replica.open(ALICE, chat("t", "begin wait:gate")).await;
    stream.until("begin").await;
    let stopped = replica.call(ALICE, stop("t")).await;
    assert_eq!(stopped.status(), StatusCode::NO_CONTENT);
    assert_eq!(stream.rest().await.warnings(), ["cancelled"]);
    let idle = replica.call(ALICE, stop("t")).await;
    assert_eq!(
        idle.status(),
        StatusCode::NO_CONTENT,
        "stopping what is over changes nothing"
    );
    assert_eq!(answer(&replica, "t").await["status"], "partial");
}

#[tokio::test]
async fn an_assistant_that_does_not_stop_is_stopped() {
    let world = World::new().await;
    let replica = world.replica();
    let mut stream = replica.open(ALICE, chat("t", "begin deaf wait:gate")).await;
    stream.until("begin").await;
    let run_id = stream.run_id.clone();
    let (_, run) = cancel(&replica, &run_id).await;
    assert_eq!(run["status"], "cancelled");
    let seen = stream.rest().await;
    assert!(seen.types().contains(&"text-end".to_owned()));
    assert_eq!(seen.finish_reason().as_deref(), Some("other"));
}

#[tokio::test]
async fn a_run_that_takes_too_long_fails_and_keeps_what_there_is() {
    let world = World::new().await;
    let mut config = world.config();
    config.runs.timeout_ms = 100;
    let replica = world.replica_with(config);
    let seen = replica.whole(ALICE, chat("t", "begin wait:gate")).await;
    let last = seen.frames().pop().unwrap();
    assert_eq!(last["type"], "error");
    assert!(last["errorText"].as_str().unwrap().contains("too long"));
    assert!(seen.warnings().is_empty(), "no stop was requested");
    assert_eq!(answer(&replica, "t").await["status"], "partial");
    let (_, run) = replica
        .json(ALICE, Call::get(format!("/v1/runs/{}", seen.run_id)))
        .await;
    assert_eq!(run["status"], "failed");
}

#[tokio::test]
async fn a_run_that_says_too_much_is_stopped() {
    let world = World::new().await;
    let mut config = world.config();
    config.runs.max_events = 100;
    let replica = world.replica_with(config);
    let endless = "word ".repeat(500);
    let seen = replica.whole(ALICE, chat("t", endless.trim())).await;
    assert_eq!(seen.frames().pop().unwrap()["type"], "error");
    assert!(seen.frames().len() < 300, "{}", seen.frames().len());
}

#[tokio::test]
async fn an_assistant_that_fails_vanishes_or_panics_ends_its_stream_properly() {
    let world = World::new().await;
    let replica = world.replica();
    for script in ["fail", "begin vanish", "begin call:tool vanish"] {
        let seen = replica.whole(ALICE, chat("t", script)).await;
        let types = seen.types();
        assert_eq!(
            types.last().map(String::as_str),
            Some("error"),
            "{script}: {types:?}"
        );
        assert_eq!(
            types
                .iter()
                .filter(|kind| *kind == "error" || *kind == "finish")
                .count(),
            1
        );
        assert_eq!(seen.events().last().unwrap().data, "[DONE]");
    }
    assert!(
        replica
            .whole(ALICE, chat("t", "next"))
            .await
            .text()
            .contains("next")
    );
}

#[tokio::test]
async fn a_slow_answer_whose_words_keep_coming_is_not_cut() {
    let world = World::new().await;
    let mut config = world.config();
    config.runs.timeout_ms = 700;
    let replica = world.replica_with(config);
    // Longer than the limit in all, and far shorter between two words.
    let words = format!("{} word", ["pause"; 10].join(" "));
    let words = [words.as_str(); 8].join(" ");
    let seen = replica.open(ALICE, chat("t", &words)).await.rest().await;
    assert_eq!(seen.finish_reason().as_deref(), Some("stop"));
}
