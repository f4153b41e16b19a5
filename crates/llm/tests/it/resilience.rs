//! What surrounds a model, seen from the provider.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use llm::{ChatEvent, ChatRequest, ErrorKind, LlmConfig};
use test_support::provider::{Dialect, Gate, Script, Turn};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;

use crate::support::{ask, chat, config, fall_back_to, models, question, server};

/// Three attempts without a pause worth waiting for.
fn eager(mut config: LlmConfig) -> LlmConfig {
    config.retries.attempts = 3;
    config.retries.base_delay_ms = 1;
    config.retries.max_delay_ms = 1;
    config
}

#[tokio::test]
async fn what_failed_before_its_first_token_is_asked_again() {
    for dialect in Dialect::ALL {
        let script = [Turn::overloaded(), Turn::hang_up(), Turn::text("At last.")];
        let server = server(dialect, script).await;
        let seen = ask(&*chat(&eager(config(&server)))).await;
        assert_eq!(seen.text, "At last.", "{dialect:?}: {:?}", seen.error);
        assert_eq!(server.counts().requests, 3);
    }
}

#[tokio::test]
async fn nothing_is_asked_again_after_its_first_token() {
    for dialect in Dialect::ALL {
        let script = [
            Turn::text("Half an answer").cut_after(1),
            Turn::text("Another"),
        ];
        let server = server(dialect, script).await;
        let seen = ask(&*chat(&eager(config(&server)))).await;
        assert_eq!(seen.text, "Half", "{dialect:?}");
        assert!(seen.error.unwrap().after_first_token);
        assert_eq!(server.counts().requests, 1, "{dialect:?}");
    }
}

#[tokio::test]
async fn what_will_not_pass_is_asked_once() {
    for dialect in Dialect::ALL {
        for turn in [
            Turn::status(400, "{}"),
            Turn::status(401, "{}"),
            Turn::rate_limited(Some(Duration::from_hours(1))),
        ] {
            let server = server(dialect, turn).await;
            assert!(ask(&*chat(&eager(config(&server)))).await.error.is_some());
            assert_eq!(server.counts().requests, 1, "{dialect:?}");
        }
    }
}

#[tokio::test]
async fn a_delay_that_the_provider_names_is_waited_for() {
    for dialect in Dialect::ALL {
        let delay = Duration::from_millis(200);
        let script = [Turn::rate_limited(Some(delay)), Turn::text("Now.")];
        let server = server(dialect, script).await;
        let before = std::time::Instant::now();
        let seen = ask(&*chat(&eager(config(&server)))).await;
        assert_eq!(seen.text, "Now.", "{dialect:?}: {:?}", seen.error);
        assert!(before.elapsed() >= delay, "{dialect:?}");
    }
}

#[tokio::test]
async fn the_reason_is_that_of_the_last_attempt_that_was_answered() {
    for dialect in Dialect::ALL {
        let late = Turn::text("Late.").stall_before_headers();
        let server = server(dialect, [Turn::overloaded(), late]).await;
        let model = chat(&eager(config(&server)));
        let request = ChatRequest {
            begin_by: Some(Instant::now() + Duration::from_millis(400)),
            ..question()
        };
        let mut answer = model.stream(request);
        let error = answer.next().await.unwrap().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Overloaded, "{dialect:?}: {error}");
        assert_eq!(server.counts().requests, 2, "{dialect:?}");
    }
}

#[tokio::test]
async fn when_one_provider_is_gone_the_next_one_answers() {
    let gone = server(Dialect::Gemini, Turn::text("no")).await;
    let broken = server(Dialect::Anthropic, Turn::overloaded()).await;
    let there = server(Dialect::Ollama, Turn::text("Here I am.")).await;
    let mut config = config(&gone);
    fall_back_to(&mut config, &broken);
    fall_back_to(&mut config, &there);
    gone.kill().await;
    let models = models(&config);
    let seen = ask(&*models.chat()).await;
    assert_eq!(seen.text, "Here I am.", "{:?}", seen.error);
    let totals: Vec<_> = models
        .usage()
        .totals()
        .into_iter()
        .map(|(model, usage)| (model.provider, usage.answered, usage.failed))
        .collect();
    assert_eq!(
        totals,
        [
            ("anthropic".into(), 0, 1),
            ("gemini".into(), 0, 1),
            ("ollama".into(), 1, 0)
        ]
    );
}

#[tokio::test]
async fn an_answer_that_broke_off_is_not_continued_by_another_model() {
    let first = server(Dialect::OpenAi, Turn::text("Half an answer").cut_after(1)).await;
    let second = server(Dialect::Anthropic, Turn::text("Another")).await;
    let mut config = config(&first);
    fall_back_to(&mut config, &second);
    let seen = ask(&*chat(&config)).await;
    assert_eq!(seen.text, "Half");
    assert_eq!(seen.error.unwrap().kind, ErrorKind::Truncated);
    assert_eq!(second.counts().requests, 0);
}

#[tokio::test]
async fn a_provider_that_keeps_failing_is_not_asked() {
    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::overloaded()).await;
        let mut config = config(&server);
        config.circuit.failures = 2;
        let model = chat(&config);
        for _ in 0..2 {
            assert_eq!(
                ask(&*model).await.error.unwrap().kind,
                ErrorKind::Overloaded
            );
        }
        assert_eq!(
            ask(&*model).await.error.unwrap().kind,
            ErrorKind::CircuitOpen
        );
        assert_eq!(server.counts().requests, 2, "{dialect:?}");
    }
}

#[tokio::test]
async fn calls_beyond_the_limit_wait_and_then_are_too_many() {
    let gate = Gate::new();
    let script = Script::new()
        .then(Turn::text("Long answer").wait_after(1, &gate))
        .otherwise(Turn::text("Short."));
    let server = server(Dialect::OpenAi, script).await;
    let mut config = config(&server);
    config.limits.max_in_flight = 1;
    config.limits.queue_ms = 100;
    let model = chat(&config);
    let mut long = model.stream(question());
    long.next().await.unwrap().unwrap();
    assert_eq!(ask(&*model).await.error.unwrap().kind, ErrorKind::Busy);
    assert_eq!(server.counts().requests, 1);
    gate.open();
    assert!(long.all(|event| async move { event.is_ok() }).await);
    assert_eq!(ask(&*model).await.text, "Short.");
}

#[tokio::test]
async fn dropping_an_answer_closes_its_connection() {
    for dialect in Dialect::ALL {
        for pieces in [0, 2] {
            let gate = Gate::new();
            let turn = Turn::text("An answer in pieces").wait_after(pieces, &gate);
            let server = server(dialect, turn).await;
            let model = chat(&config(&server));
            let mut answer = model.stream(question());
            if pieces == 0 {
                // Dropped while it waits for its first token.
                tokio::select! {
                    biased;
                    event = answer.next() => panic!("{dialect:?}: {event:?}"),
                    () = gate.reached() => {}
                }
            } else {
                let event = answer.next().await.unwrap().unwrap();
                assert!(matches!(event, ChatEvent::Text(_)), "{dialect:?}");
            }
            drop(answer);
            let counts = server.until(|counts| counts.open == 0).await;
            assert_eq!(counts.cancelled, 1, "{dialect:?}: {counts:?}");
        }
    }
}

/// What follows an answer's last token is read, too.
#[tokio::test]
async fn an_answer_is_read_to_its_end() {
    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::text("Yes.")).await;
        let model = chat(&config(&server));
        for _ in 0..5 {
            assert_eq!(ask(&*model).await.text, "Yes.", "{dialect:?}");
        }
        let counts = server.until(|counts| counts.open == 0).await;
        assert_eq!(counts.cancelled, 0, "{dialect:?}: {counts:?}");
        assert_eq!(counts.complete, 5, "{dialect:?}: {counts:?}");
    }
}

/// Else every call would shake hands again.
#[tokio::test]
async fn a_connection_is_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = LlmConfig {
        provider: Some("openai_compatible".into()),
        model: Some("m".to_owned()),
        ..LlmConfig::default()
    };
    let address = listener.local_addr().unwrap();
    config.providers.get_mut("openai_compatible").base_url = Some(format!("http://{address}/v1"));
    let model = chat(&config);
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(answer_forever(stream));
        }
    });
    for _ in 0..5 {
        assert_eq!(ask(&*model).await.text, "Yes.");
    }
    // A second one is opened when the first is not back in its place yet.
    assert!(connections.load(Ordering::SeqCst) <= 2);
}

/// Answers one request after the other; the end of the body comes a moment after the end of the
/// answer.
async fn answer_forever(mut stream: TcpStream) {
    const HEAD: &str =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let delta =
        r#"data: {"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}"#;
    let body = format!("{delta}\n\ndata: [DONE]\n\n");
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        request.extend_from_slice(&buffer[..read]);
        if !is_whole(&request) {
            continue;
        }
        request.clear();
        let chunk = format!("{HEAD}{:x}\r\n{body}\r\n", body.len());
        stream.write_all(chunk.as_bytes()).await.unwrap();
        tokio::task::yield_now().await;
        stream.write_all(b"0\r\n\r\n").await.unwrap();
    }
}

/// Whether a request's body is there.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.lines().next()?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

#[tokio::test]
async fn a_server_that_comes_back_is_asked_again() {
    let server = server(Dialect::Gemini, Turn::text("Back.")).await;
    let model = chat(&config(&server));
    server.kill().await;
    assert_eq!(ask(&*model).await.error.unwrap().kind, ErrorKind::Connect);
    server.revive().await.unwrap();
    assert_eq!(ask(&*model).await.text, "Back.");
}
