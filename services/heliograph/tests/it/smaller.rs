//! Answers of the inner tiers on their way through the bff: compressed once, and streams not at
//! all.

use std::io::Read;

use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use serde_json::{Value, json};

use crate::demo_stack::{DemoStack, PASSWORD};

#[tokio::test(flavor = "multi_thread")]
async fn what_the_tiers_answer_is_compressed_once_and_streams_are_not() {
    let stack = DemoStack::start().await;
    let bff = &stack.services.bff_url;
    let tokens = stack
        .http
        .post(format!("{bff}/auth/token"))
        .json(&json!({ "username": "demo", "password": PASSWORD }))
        .send()
        .await
        .unwrap();
    let tokens: Value = tokens.json().await.unwrap();
    let token = tokens["access_token"].as_str().unwrap();

    let plain = stack
        .http
        .get(format!("{bff}/api/tools"))
        .bearer_auth(token);
    let plain = plain.send().await.unwrap();
    assert!(!plain.headers().contains_key(CONTENT_ENCODING));
    let plain = plain.bytes().await.unwrap();
    let small = stack
        .http
        .get(format!("{bff}/api/tools"))
        .bearer_auth(token)
        .header(ACCEPT_ENCODING, "gzip");
    let small = small.send().await.unwrap();
    assert_eq!(small.headers()[CONTENT_ENCODING], "gzip");
    let small = small.bytes().await.unwrap();
    assert!(
        small.len() * 4 < plain.len(),
        "{} {}",
        small.len(),
        plain.len()
    );
    let mut read = Vec::new();
    flate2::read::GzDecoder::new(small.as_ref())
        .read_to_end(&mut read)
        .unwrap();
    assert_eq!(read, plain, "it was compressed once");

    let stream = stack
        .http
        .post(format!("{bff}/api/chat"))
        .bearer_auth(token)
        .header(ACCEPT_ENCODING, "gzip, br")
        .json(&json!({ "threadId": "t", "messages": [{ "role": "user", "content": "Morning briefing" }] }));
    let stream = stream.send().await.unwrap();
    assert_eq!(stream.headers()[CONTENT_TYPE], "text/event-stream");
    assert!(!stream.headers().contains_key(CONTENT_ENCODING));
    assert!(stream.text().await.unwrap().ends_with("data: [DONE]\n\n"));
    stack.stop().await;
}
