//! What goes wrong when the script needs it to.

use std::time::Duration;

use futures::StreamExt;

use super::*;

/// The bytes that arrived before the connection broke or the body ended, and whether it ended well.
async fn read(response: reqwest::Response) -> (String, bool) {
    let mut body = response.bytes_stream();
    let mut read = Vec::new();
    while let Some(piece) = body.next().await {
        match piece {
            Ok(piece) => read.extend_from_slice(&piece),
            Err(_) => return (String::from_utf8(read).unwrap(), false),
        }
    }
    (String::from_utf8(read).unwrap(), true)
}

fn abc() -> Turn {
    Turn::chunks(["alpha ", "beta ", "gamma"])
}

fn ends(dialect: Dialect, body: &str) -> bool {
    match dialect {
        Dialect::OpenAi | Dialect::OpenRouter => body.ends_with("data: [DONE]\n\n"),
        Dialect::Anthropic => body.ends_with("data: {\"type\":\"message_stop\"}\n\n"),
        Dialect::Gemini => body.contains("\"finishReason\":\"STOP\""),
        Dialect::Ollama => body.contains("\"done\":true"),
    }
}

#[tokio::test]
async fn connections_break_after_pieces() {
    for dialect in Dialect::ALL {
        let server = server(dialect, abc().cut_after(2)).await;
        let (body, whole) = read(send(&server, &question(dialect)).await.unwrap()).await;
        assert!(
            !whole && body.contains("beta") && !body.contains("gamma"),
            "{dialect:?}: {body}"
        );
        server.until(|counts| counts.complete == 1).await;

        server.play(abc().end_after(3));
        let (body, whole) = read(send(&server, &question(dialect)).await.unwrap()).await;
        let last = dialect == Dialect::Gemini;
        assert!(whole && body.contains("gamma"), "{dialect:?}: {body}");
        assert_eq!(ends(dialect, &body), last, "{dialect:?}: {body}");
    }
}

#[tokio::test]
async fn connections_break_after_bytes() {
    for bytes in [0, 1, 20, 57] {
        let server = server(Dialect::Ollama, abc().cut_after_bytes(bytes)).await;
        let (body, whole) = read(send(&server, &question(Dialect::Ollama)).await.unwrap()).await;
        assert_eq!((body.len(), whole), (bytes, false));
    }
}

#[tokio::test]
async fn the_provider_hangs_up_without_a_word() {
    let server = server(Dialect::Anthropic, Turn::hang_up()).await;
    let error = send(&server, &question(Dialect::Anthropic))
        .await
        .unwrap_err();
    assert!(!error.is_status() && !error.is_timeout(), "{error:?}");
}

#[tokio::test]
async fn errors_come_within_the_stream() {
    for dialect in Dialect::ALL {
        let server = server(dialect, abc().error_after(1)).await;
        let (body, whole) = read(send(&server, &question(dialect)).await.unwrap()).await;
        assert!(
            whole && body.contains("alpha") && !body.contains("beta"),
            "{dialect:?}"
        );
        let last = body
            .trim_end()
            .lines()
            .rfind(|line| line.contains("error"))
            .unwrap();
        let data = last.strip_prefix("data: ").unwrap_or(last);
        assert!(
            serde_json::from_str::<Value>(data)
                .unwrap()
                .get("error")
                .is_some(),
            "{last}"
        );
    }
    let server = server(Dialect::Gemini, abc().bare_error_after(1)).await;
    let (body, _) = read(send(&server, &question(Dialect::Gemini)).await.unwrap()).await;
    assert!(
        body.ends_with("}\n}\n") && body.contains("\n  \"error\": {\n"),
        "{body}"
    );
}

#[tokio::test]
async fn delays_are_given_where_the_provider_gives_them() {
    for dialect in Dialect::ALL {
        let server = server(
            dialect,
            Turn::rate_limited(Some(Duration::from_millis(1500))),
        )
        .await;
        let response = send(&server, &question(dialect)).await.unwrap();
        assert_eq!(response.status(), 429);
        let header = response.headers().get("retry-after").cloned();
        let body: Value = response.json().await.unwrap();
        if dialect == Dialect::Gemini {
            assert_eq!(header, None);
            assert_eq!(body["error"]["details"][1]["retryDelay"], "1.5s");
        } else {
            assert_eq!(header.unwrap(), "2", "{dialect:?}");
        }
    }
}

#[tokio::test]
async fn failures_look_like_the_providers_own() {
    let statuses = async |turn: Turn| {
        let mut statuses = Vec::new();
        for dialect in Dialect::ALL {
            let server = server(dialect, turn.clone()).await;
            let (status, body) = ask(&server, &question(dialect)).await;
            assert!(
                serde_json::from_str::<Value>(&body)
                    .unwrap()
                    .get("error")
                    .is_some()
            );
            statuses.push(status);
        }
        statuses
    };
    assert_eq!(
        statuses(Turn::overloaded()).await,
        [503, 503, 529, 503, 503]
    );
    assert_eq!(statuses(Turn::internal_error()).await, [500; 5]);
    let server = server(Dialect::OpenAi, Turn::html(502)).await;
    let response = send(&server, &question(Dialect::OpenAi)).await.unwrap();
    assert_eq!(
        response.headers()["content-type"],
        "text/html; charset=utf-8"
    );
    assert_eq!(response.headers().get_all("content-type").iter().count(), 1);
}

#[tokio::test]
async fn gates_hold_an_answer_and_tell_of_it() {
    let (before, within) = (Gate::new(), Gate::new());
    let turn = abc().wait_before_headers(&before).wait_after(1, &within);
    let server = server(Dialect::Gemini, turn).await;
    let body = question(Dialect::Gemini);
    let asked = async {
        let response = send(&server, &body).await.unwrap();
        read(response).await
    };
    let opened = async {
        before.reached().await;
        assert_eq!(server.counts().open, 1);
        before.open();
        within.reached().await;
        within.open();
    };
    let ((body, whole), ()) = tokio::join!(asked, opened);
    assert!(whole && body.contains("gamma"));
}

#[tokio::test]
async fn who_goes_away_is_counted() {
    for turn in [
        abc().stall_after(0),
        abc().stall_after(2),
        abc().stall_before_headers(),
    ] {
        let server = server(Dialect::Anthropic, turn).await;
        let body = question(Dialect::Anthropic);
        let asked = async {
            let response = send(&server, &body).await.unwrap();
            read(response).await
        };
        tokio::select! {
            _ = asked => panic!("it never ends"),
            _ = server.until(|counts| counts.open == 1 && counts.requests == 1) => {}
        }
        let counts = server.until(|counts| counts.open == 0).await;
        assert_eq!((counts.cancelled, counts.complete), (1, 0));
    }
}

#[tokio::test]
async fn a_killed_server_breaks_what_is_under_way_and_may_come_back() {
    let gate = Gate::new();
    let server = server(Dialect::OpenAi, abc().wait_after(2, &gate)).await;
    let response = send(&server, &question(Dialect::OpenAi)).await.unwrap();
    gate.reached().await;
    server.kill().await;
    let (body, whole) = read(response).await;
    assert!(!whole && body.contains("alpha"), "{body}");
    assert_eq!(server.counts().killed, 1);
    assert!(
        send(&server, &question(Dialect::OpenAi))
            .await
            .unwrap_err()
            .is_connect()
    );

    gate.open();
    server.revive().await.unwrap();
    assert_eq!(ask(&server, &question(Dialect::OpenAi)).await.0, 200);
}

#[tokio::test]
async fn anything_else_is_sent_as_it_is() {
    let server = server(Dialect::Ollama, Turn::raw(["{\"no", "nsense"]).cut_after(1)).await;
    let (body, whole) = read(send(&server, &question(Dialect::Ollama)).await.unwrap()).await;
    assert_eq!((body.as_str(), whole), ("{\"no", false));
}
