//! Everything that can go wrong on the way, for each provider.

use std::time::Duration;

use futures::StreamExt;
use llm::config::LlmConfig;
use llm::{Arguments, ChatEvent, ErrorKind, FinishReason};
use serde_json::json;
use test_support::provider::{Call, Dialect, Turn};

use crate::support::{Seen, ask, chat, config, question, server};

/// The answer of most scripts; each word is one event.
const ANSWER: &str = "The roof made four kilowatt hours";

/// Short enough for a test of what never comes.
const SOON_MS: u64 = 250;

async fn outcome(dialect: Dialect, turn: Turn, change: fn(&mut LlmConfig)) -> Seen {
    let server = server(dialect, turn).await;
    let mut config = config(&server);
    change(&mut config);
    ask(&*chat(&config)).await
}

/// Fails like this, before the first token.
#[track_caller]
fn assert_refused(dialect: Dialect, what: &str, seen: &Seen, kinds: &[ErrorKind]) {
    let Some(error) = &seen.error else {
        panic!("{dialect:?}, {what}: answered {:?}", seen.text)
    };
    assert!(kinds.contains(&error.kind), "{dialect:?}, {what}: {error}");
    assert!(!error.after_first_token, "{dialect:?}, {what}: {error}");
    assert_eq!(seen.events, 0, "{dialect:?}, {what}");
}

/// Fails like this in the midst of the answer, whose beginning has been given out.
#[track_caller]
fn assert_broken(dialect: Dialect, what: &str, seen: &Seen, kinds: &[ErrorKind]) {
    let Some(error) = &seen.error else {
        panic!("{dialect:?}, {what}: answered {:?}", seen.text)
    };
    assert!(kinds.contains(&error.kind), "{dialect:?}, {what}: {error}");
    assert!(error.after_first_token, "{dialect:?}, {what}: {error}");
    assert!(!seen.text.is_empty(), "{dialect:?}, {what}");
    assert!(ANSWER.starts_with(&seen.text), "{dialect:?}, {what}");
}

#[tokio::test]
async fn no_server() {
    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::text(ANSWER)).await;
        let config = config(&server);
        server.kill().await;
        let seen = ask(&*chat(&config)).await;
        assert_refused(dialect, "refused connection", &seen, &[ErrorKind::Connect]);
    }
}

#[tokio::test]
async fn refusals_have_a_kind_and_say_when_to_come_back() {
    let cases = [
        (
            "400",
            Turn::status(400, r#"{"error":{"message":"bad"}}"#),
            ErrorKind::BadRequest,
        ),
        (
            "401",
            Turn::status(401, r#"{"error":{"message":"no"}}"#),
            ErrorKind::Unauthorized,
        ),
        ("403", Turn::status(403, ""), ErrorKind::Unauthorized),
        (
            "404",
            Turn::status(404, r#"{"error":"no such model"}"#),
            ErrorKind::UnknownModel,
        ),
        ("429", Turn::rate_limited(None), ErrorKind::RateLimited),
        (
            "429 in 7 s",
            Turn::rate_limited(Some(Duration::from_secs(7))),
            ErrorKind::RateLimited,
        ),
        ("500", Turn::internal_error(), ErrorKind::Provider),
        ("529", Turn::status(529, "busy"), ErrorKind::Overloaded),
        ("overloaded", Turn::overloaded(), ErrorKind::Overloaded),
        ("page, 200", Turn::html(200), ErrorKind::Unreadable),
        ("page, 502", Turn::html(502), ErrorKind::Provider),
        ("moved", Turn::status(302, ""), ErrorKind::BadRequest),
    ];
    for dialect in Dialect::ALL {
        for (what, turn, kind) in cases.clone() {
            let seen = outcome(dialect, turn, |_| {}).await;
            assert_refused(dialect, what, &seen, &[kind]);
            let retry_after = seen.error.unwrap().retry_after;
            match what {
                "429 in 7 s" => assert_eq!(retry_after, Some(Duration::from_secs(7))),
                _ => assert_eq!(retry_after, None, "{dialect:?}, {what}"),
            }
        }
    }
}

#[tokio::test]
async fn an_answer_that_does_not_begin_in_time() {
    for dialect in Dialect::ALL {
        for (what, turn) in [
            ("no headers", Turn::text(ANSWER).stall_before_headers()),
            ("no first token", Turn::text(ANSWER).stall_after(0)),
        ] {
            let seen = outcome(dialect, turn, |config| {
                config.timeouts.first_token_ms = SOON_MS;
                config.providers.get_mut("ollama").first_token_ms = Some(SOON_MS);
            })
            .await;
            assert_refused(dialect, what, &seen, &[ErrorKind::Timeout]);
        }
    }
}

#[tokio::test]
async fn an_answer_that_stalls() {
    for dialect in Dialect::ALL {
        let turn = Turn::text(ANSWER).stall_after(2);
        let seen = outcome(dialect, turn, |config| config.timeouts.idle_ms = SOON_MS).await;
        assert_broken(dialect, "stall", &seen, &[ErrorKind::Timeout]);
        assert_eq!(seen.text, "The roof", "{dialect:?}");
    }
}

#[tokio::test]
async fn an_answer_that_takes_for_ever() {
    for dialect in Dialect::ALL {
        let turn = Turn::text(ANSWER).stall_after(2);
        let seen = outcome(dialect, turn, |config| config.timeouts.answer_ms = 2_000).await;
        assert_broken(dialect, "endless", &seen, &[ErrorKind::Timeout]);
    }
}

#[tokio::test]
async fn a_connection_that_breaks() {
    for dialect in Dialect::ALL {
        let kinds = [ErrorKind::Truncated];
        let seen = outcome(dialect, Turn::hang_up(), |_| {}).await;
        assert_refused(dialect, "hangs up", &seen, &kinds);
        let seen = outcome(dialect, Turn::text(ANSWER).cut_after(0), |_| {}).await;
        assert_refused(dialect, "cut before the first token", &seen, &kinds);
        let seen = outcome(dialect, Turn::text(ANSWER).cut_after(3), |_| {}).await;
        assert_broken(dialect, "cut", &seen, &kinds);
        let seen = outcome(dialect, Turn::text(ANSWER).end_after(3), |_| {}).await;
        assert_broken(dialect, "ends early", &seen, &kinds);
    }
}

/// Wherever a stream breaks: received text is kept, none is invented, and an answer is complete or
/// an error.
#[tokio::test]
async fn a_connection_that_breaks_anywhere() {
    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::text(ANSWER)).await;
        let model = chat(&config(&server));
        let mut behind_the_text = 0;
        for bytes in (0..).step_by(61) {
            server.play(Turn::text(ANSWER).cut_after_bytes(bytes));
            let seen = ask(&*model).await;
            assert!(ANSWER.starts_with(&seen.text), "{dialect:?}, {bytes}");
            let Some(error) = &seen.error else {
                assert_eq!(seen.text, ANSWER, "{dialect:?}, {bytes}");
                break;
            };
            assert_eq!(error.kind, ErrorKind::Truncated, "{dialect:?}, {bytes}");
            behind_the_text += usize::from(seen.text == ANSWER);
            // What ends Gemini's stream is the end of the body, which never comes here.
            if behind_the_text == 20 {
                assert_eq!(dialect, Dialect::Gemini);
                break;
            }
        }
    }
}

#[tokio::test]
async fn an_error_in_the_midst_of_a_stream() {
    for dialect in Dialect::ALL {
        let kinds = [
            ErrorKind::Overloaded,
            ErrorKind::Provider,
            ErrorKind::RateLimited,
        ];
        let seen = outcome(dialect, Turn::text(ANSWER).error_after(0), |_| {}).await;
        assert_refused(dialect, "error", &seen, &kinds);
        let seen = outcome(dialect, Turn::text(ANSWER).error_after(2), |_| {}).await;
        assert_broken(dialect, "error", &seen, &kinds);
    }
}

#[tokio::test]
async fn nonsense_for_a_stream() {
    for dialect in Dialect::ALL {
        for nonsense in [
            "",
            "\n\n",
            "nonsense",
            "data: nonsense\n\n",
            "[1, 2",
            "{\"a\": 1}\n",
        ] {
            let seen = outcome(dialect, Turn::raw([nonsense]), |_| {}).await;
            let kinds = [ErrorKind::Unreadable, ErrorKind::Truncated];
            assert_refused(dialect, nonsense, &seen, &kinds);
        }
    }
}

#[tokio::test]
async fn fifty_megabytes_are_not_taken() {
    let megabyte = "x".repeat(1024 * 1024);
    for dialect in Dialect::ALL {
        // As text, piece by piece: the limit is passed long before the end, and what the sockets
        // hold is not the rest …
        let server = server(dialect, Turn::chunks(vec![megabyte.clone(); 40])).await;
        let config = config(&server);
        let seen = ask(&*chat(&config)).await;
        let error = seen.error.unwrap();
        assert_eq!(error.kind, ErrorKind::TooLarge, "{dialect:?}: {error}");
        assert!(seen.text.len() <= config.limits.max_answer_bytes);
        server.until(|counts| counts.open == 0).await;
        assert_eq!(server.counts().complete, 0, "{dialect:?} sent all of it");
        // … and as one line without an end.
        server.play(Turn::raw(vec![megabyte.clone(); 50]));
        let seen = ask(&*chat(&config)).await;
        assert_refused(dialect, "one line", &seen, &[ErrorKind::TooLarge]);
    }
}

#[tokio::test]
async fn arguments_that_are_no_json() {
    for dialect in Dialect::ALL {
        let turn = Turn::calls([Call::broken("get_power", "{\"logger\": ")]);
        let server = server(dialect, turn).await;
        let answer = chat(&config(&server)).complete(question()).await.unwrap();
        let [call] = &answer.message.calls[..] else {
            panic!("{dialect:?}: {answer:?}")
        };
        assert_eq!(call.name, "get_power");
        match (dialect, &call.arguments) {
            // These interfaces have objects only.
            (Dialect::Gemini | Dialect::Ollama, Arguments::Object(_)) => {}
            (_, Arguments::Broken(text)) => assert_eq!(text, "{\"logger\": ", "{dialect:?}"),
            (_, arguments) => panic!("{dialect:?}: {arguments:?}"),
        }
    }
}

#[tokio::test]
async fn fifty_calls_at_once() {
    for dialect in Dialect::ALL {
        let calls = (0..50).map(|n| Call::new("get_power", json!({"logger": format!("l{n}")})));
        let server = server(dialect, Turn::calls(calls)).await;
        let mut config = config(&server);
        let answer = chat(&config).complete(question()).await.unwrap();
        let calls = &answer.message.calls;
        assert_eq!(calls.len(), 50, "{dialect:?}");
        let ids: std::collections::HashSet<&str> = calls.iter().map(|call| &*call.id).collect();
        assert_eq!(ids.len(), 50, "{dialect:?}");
        for (n, call) in calls.iter().enumerate() {
            let Arguments::Object(arguments) = &call.arguments else {
                panic!("{dialect:?}: {call:?}")
            };
            assert_eq!(arguments["logger"], format!("l{n}"), "{dialect:?}");
        }
        config.limits.max_calls = 49;
        let error = chat(&config).complete(question()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooLarge, "{dialect:?}");
    }
}

#[tokio::test]
async fn arguments_without_end() {
    for dialect in Dialect::ALL {
        let long = "x".repeat(2_000);
        let server = server(dialect, Turn::call("get_power", json!({"logger": long}))).await;
        let mut config = config(&server);
        chat(&config).complete(question()).await.unwrap();
        config.limits.max_arguments_bytes = 2_000;
        let error = chat(&config).complete(question()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::TooLarge, "{dialect:?}");
    }
}

#[tokio::test]
async fn thoughts_and_calls_written_as_text_are_taken_out_for_every_provider() {
    for dialect in Dialect::ALL {
        let written = "<think>The roof is on the house.</think>Four.<tool_call>{\"name\": \"get_power\", \"arguments\": {}}</tool_call>";
        let server = server(dialect, Turn::text(written)).await;
        let events = chat(&config(&server)).stream(question());
        let events: Vec<_> = events.map(Result::unwrap).collect().await;
        let (mut text, mut thoughts, mut calls) = (String::new(), String::new(), Vec::new());
        for event in events {
            match event {
                ChatEvent::Text(more) => text.push_str(&more),
                ChatEvent::Reasoning(more) => thoughts.push_str(&more),
                ChatEvent::Call(call) => calls.push((call.name, call.arguments)),
                ChatEvent::Finished(end) => {
                    assert_eq!(end.reason, FinishReason::ToolCalls, "{dialect:?}");
                }
            }
        }
        assert_eq!(text.trim(), "Four.", "{dialect:?}");
        assert_eq!(thoughts.trim(), "The roof is on the house.", "{dialect:?}");
        // It is answered with an error, so that the model makes a proper call.
        let [(name, Arguments::Broken(_))] = &calls[..] else {
            panic!("{dialect:?}: {calls:?}")
        };
        assert_eq!(name, "get_power", "{dialect:?}");
    }
}
