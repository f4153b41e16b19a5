//! Everything that a search engine can do wrong.

use std::net::TcpListener;

use contracts::tools::search::{QueryExecution, QueryOutcome, QueryType};
use serde_json::json;
use test_support::upstream::Reply;

use crate::elastic::{Peer, found, mapping, peer_with};
use crate::fixture::{ran, structure};

/// Internals that a message must not reveal.
const INSIDES: &str = "node-7.internal";

async fn searched(reply: Reply) -> QueryExecution {
    let peer = Peer::replying([reply]).await;
    peer.source.search("demo", "shipments", &json!({})).await
}

#[tokio::test]
async fn failures_are_told_apart_without_insides() {
    let error = |status: u16, kind: &str| {
        let cause = json!({"type": kind, "reason": format!("{INSIDES} said no")});
        Reply::Json(status, json!({"error": cause, "status": status}))
    };
    for (reply, outcome, words) in [
        (
            error(401, "security_exception"),
            QueryOutcome::Unavailable,
            "refuses our login",
        ),
        (
            error(403, "security_exception"),
            QueryOutcome::Unavailable,
            "refuses our login",
        ),
        (
            error(429, "circuit_breaking_exception"),
            QueryOutcome::Unavailable,
            "no more queries",
        ),
        (
            error(503, "search_phase_execution_exception"),
            QueryOutcome::Unavailable,
            "cannot answer",
        ),
        (
            error(502, "bad_gateway"),
            QueryOutcome::Unavailable,
            "cannot answer",
        ),
        (
            error(504, "gateway_timeout"),
            QueryOutcome::TimedOut,
            "did not answer within",
        ),
        (
            error(404, "index_not_found_exception"),
            QueryOutcome::Failed,
            "does not have the index",
        ),
        (
            error(400, "parsing_exception"),
            QueryOutcome::Failed,
            "did not accept",
        ),
        (
            error(500, "null_pointer_exception"),
            QueryOutcome::Failed,
            "could not answer",
        ),
        (
            Reply::Redirect(302, "http://127.0.0.1:1/_search".to_owned()),
            QueryOutcome::Failed,
            "sends us elsewhere",
        ),
        (
            Reply::BrokenOff,
            QueryOutcome::Unavailable,
            "closed the connection",
        ),
        (
            Reply::Raw(200, "text/html", b"<html>".to_vec()),
            QueryOutcome::Failed,
            "cannot be read",
        ),
        (
            Reply::Json(200, json!({"took": 1})),
            QueryOutcome::Failed,
            "cannot be read",
        ),
        (
            Reply::Json(200, json!([])),
            QueryOutcome::Failed,
            "cannot be read",
        ),
        (
            Reply::Raw(200, "application/json", vec![b' '; 17 * 1024 * 1024]),
            QueryOutcome::Failed,
            "more than is read",
        ),
    ] {
        let shown = format!("{reply:.60?}");
        let execution = searched(reply).await;
        assert_eq!(execution.outcome, outcome, "{shown}");
        let told = &execution.problems[0].message;
        assert!(
            told.contains(words) && !told.contains(INSIDES),
            "{shown}: {told}"
        );
        assert_eq!(told.matches("'cluster'").count(), 1, "{shown}: {told}");
        assert!(execution.run.is_none());
    }
}

#[tokio::test]
async fn a_source_that_does_not_answer_is_given_up() {
    let peer = peer_with(|config| config.limits.timeout_ms = 1).await;
    peer.server
        .reads([Reply::Json(200, mapping()), Reply::Hang]);
    let execution = peer.source.search("demo", "shipments", &json!({})).await;
    assert_eq!(execution.outcome, QueryOutcome::TimedOut);
    assert_eq!(peer.asked()[0].0, "/es/shipments/_search?timeout=1ms");
}

#[tokio::test]
async fn a_source_that_is_not_there_is_unavailable_and_comes_back() {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let away =
        peer_with(|config| config.url = Some(format!("http://127.0.0.1:{port}").into())).await;
    let overview = away.source.overview("demo").await;
    assert!(
        overview
            .unavailable
            .as_deref()
            .unwrap()
            .contains("cannot be reached")
    );

    let peer = peer_with(|_| {}).await;
    let down = Reply::Json(503, json!({}));
    let up = [mapping(), found(&["S1"], 1)].map(|body| Reply::Json(200, body));
    peer.server.reads(std::iter::once(down).chain(up));
    let first = peer.source.search("demo", "shipments", &json!({})).await;
    assert_eq!(first.outcome, QueryOutcome::Unavailable);
    let second = ran(peer.source.search("demo", "shipments", &json!({})).await);
    assert_eq!(second.rows.len(), 1);
}

#[tokio::test]
async fn what_not_all_parts_answered_is_partial() {
    let mut answer = found(&["S1"], 1);
    answer["_shards"] =
        json!({"total": 3, "successful": 2, "failed": 1, "failures": [{"reason": INSIDES}]});
    answer["timed_out"] = json!(true);
    let run = ran(searched(Reply::Json(200, answer)).await);
    let told = run.partial.unwrap();
    assert!(
        told.contains("1 of 3 parts") && told.contains("time limit"),
        "{told}"
    );
    assert!(!told.contains(INSIDES));
}

#[tokio::test]
async fn an_invalid_query_is_not_built_and_a_missing_validator_is_no_fault() {
    let asked = structure(json!({"index": "shipments"}));
    let invalid = json!({"valid": false, "error": INSIDES});
    let peer = Peer::answering([invalid]).await;
    let built = peer
        .source
        .build("demo", QueryType::Elasticsearch, &asked)
        .await
        .unwrap();
    assert_eq!(built.problems[0].code, "invalid");
    assert!(!built.problems[0].message.contains(INSIDES));
    let peer = Peer::replying([
        Reply::Json(405, json!({})),
        Reply::Json(200, json!({"count": 7})),
    ])
    .await;
    let built = peer
        .source
        .build("demo", QueryType::Elasticsearch, &asked)
        .await
        .unwrap();
    assert_eq!(built.query.unwrap().estimated_records, Some(7));
}

#[tokio::test]
async fn an_index_that_is_missing_leaves_the_others() {
    let peer = peer_with(|config| {
        let mut ports = config.indices[0].clone();
        ports.name = "ports".to_owned();
        config.indices.insert(0, ports);
    })
    .await;
    peer.server
        .reads([Reply::Json(404, json!({})), Reply::Json(200, mapping())]);
    let described = peer.source.describe("demo").await.unwrap();
    assert_eq!(described.indices.len(), 1);
    assert_eq!(described.indices[0].name, "shipments");
}
