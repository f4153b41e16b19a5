//! A re-ranker over HTTP.

use std::sync::Arc;
use std::time::Duration;

use knowledge::{HttpReranker, Library, Query, Reader, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{database, names, put, query, settings};

/// A server that answers every request with this body, or never.
async fn server(answer: Option<&'static str>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut seen = Vec::new();
            while !seen.ends_with(b"}") {
                let mut bytes = [0; 4096];
                let count = stream.read(&mut bytes).await.unwrap();
                if count == 0 {
                    break;
                }
                seen.extend_from_slice(&bytes[..count]);
            }
            match answer {
                Some(body) => {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    stream.write_all(head.as_bytes()).await.unwrap();
                }
                None => std::future::pending().await,
            }
        }
    });
    format!("http://{address}/v1/")
}

async fn order(answer: Option<&'static str>) -> Vec<String> {
    let database = database().await;
    let mut settings: Settings = settings();
    settings.search.rerank_timeout = Duration::from_millis(200);
    let client = http_client::http_client().unwrap();
    let url = server(answer).await;
    let reranker = HttpReranker::new(client, &url, Some("some-model".to_owned()), None);
    let library =
        Library::new(database.pool().clone(), settings, None).with_reranker(Arc::new(reranker));
    put(
        &library,
        "first.md",
        "alpha alpha alpha is what this is about",
    )
    .await;
    put(
        &library,
        "second.md",
        "alpha is one of the many words that stand in this longer text here",
    )
    .await;
    let asked = Query {
        top_k: Some(2),
        ..query("alpha")
    };
    let found = library
        .search(&Reader::of_all("acme"), &asked)
        .await
        .unwrap();
    names(&found).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn its_order_is_taken() {
    let answer =
        r#"{"results":[{"index":1,"relevance_score":0.9},{"index":0,"relevance_score":0.1}]}"#;
    assert_eq!(order(Some(answer)).await, ["second.md", "first.md"]);
}

#[tokio::test]
async fn one_that_fails_or_takes_too_long_changes_nothing() {
    for answer in [
        Some("{}"),
        Some(r#"{"results":[{"index":7,"relevance_score":1}]}"#),
        None,
    ] {
        assert_eq!(order(answer).await, ["first.md", "second.md"], "{answer:?}");
    }
}
