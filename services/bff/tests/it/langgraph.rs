//! The protocol of `LangGraph` over an orchestrator that answers by a script.

use http::StatusCode;
use serde_json::{Value, json};

use crate::bench::{Bench, With, post};
use crate::scripted::{Script, Scripted};

async fn bench() -> (Bench, String) {
    let scripted = Scripted::start(Script::Says(Vec::new())).await;
    let bench = Bench::configured(|config| config.upstream.orchestrator_url = scripted.url).await;
    let token = bench.tokens().await["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    (bench, token)
}

#[tokio::test]
async fn threads_are_sorted_as_asked() {
    let (bench, token) = bench().await;
    for (wanted, order) in [
        (json!({}), ["b", "c", "a"]),
        (
            json!({ "sort_by": null, "sort_order": null }),
            ["b", "c", "a"],
        ),
        (json!({ "sort_order": "asc" }), ["a", "c", "b"]),
        (json!({ "sort_by": "thread_id" }), ["c", "b", "a"]),
        (
            json!({ "sort_by": "thread_id", "sort_order": "asc" }),
            ["a", "b", "c"],
        ),
        (json!({ "sort_by": "created_at" }), ["c", "a", "b"]),
        (
            json!({ "sort_by": "state_updated_at", "sort_order": "asc" }),
            ["a", "c", "b"],
        ),
        (
            json!({ "sort_by": "status", "sort_order": "asc" }),
            ["b", "a", "c"],
        ),
    ] {
        let mut body = wanted.clone();
        body["select"] = json!(["thread_id"]);
        let answer = bench
            .send(post("/lg/threads/search", &body).bearer(&token))
            .await;
        assert_eq!(answer.status, StatusCode::OK, "{wanted} {}", answer.body);
        let found = answer.body.as_array().unwrap();
        let ids: Vec<&Value> = found.iter().map(|thread| &thread["thread_id"]).collect();
        assert_eq!(ids, order, "{wanted}");
        // A page is a part of the same order.
        body["offset"] = json!(1);
        body["limit"] = json!(1);
        let page = bench
            .send(post("/lg/threads/search", &body).bearer(&token))
            .await;
        assert_eq!(page.body, json!([{ "thread_id": order[1] }]), "{wanted}");
    }
}

#[tokio::test]
async fn what_a_search_does_not_know_is_refused_by_name() {
    let (bench, token) = bench().await;
    for (wanted, named) in [
        (json!({ "sort_by": "title" }), "title"),
        (json!({ "sort_order": "down" }), "down"),
        (json!({ "sortBy": "created_at" }), "sortBy"),
        (json!({ "query": "x" }), "query"),
        (
            json!({ "extract": { "x": "values.messages[0]" } }),
            "extract",
        ),
        (json!({ "values": { "x": 1 } }), "values"),
    ] {
        let request = post("/lg/threads/search", &wanted).bearer(&token);
        let answer = bench.send(request).await;
        assert!(answer.status.is_client_error(), "{wanted}");
        assert!(answer.body.to_string().contains(named), "{}", answer.body);
    }
}
