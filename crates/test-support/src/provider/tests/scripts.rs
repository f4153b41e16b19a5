//! The requests that a script sees, and the answers that it may give.

use super::*;

#[tokio::test]
async fn a_conversation_looks_the_same_in_every_dialect() {
    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::text("Two.")).await;
        let (status, body) = ask(&server, &conversation(dialect)).await;
        assert_eq!(status, 200, "{dialect:?}: {body}");
        server.assert_accepted();
        let seen = &server.seen()[0];
        assert_eq!(seen.system, "Be brief.", "{dialect:?}");
        assert_eq!(seen.last_user(), "How many?");
        assert_eq!((seen.rounds(), seen.results().len()), (0, 0));
        assert!(seen.offers("look") && !seen.wants_json());
        assert_eq!(seen.tools[0].description, "Looks.");
        let told: Vec<_> = seen.messages.iter().map(told).collect();
        let look = "calls look({\"id\":\"a\"}) look({\"id\":\"b\"})";
        let expected = [
            "Look at a and b.",
            look,
            "{\"n\":1}",
            "{\"n\":2}",
            "One and two.",
            "How many?",
        ];
        assert_eq!(told, expected, "{dialect:?}");
    }
}

fn told(message: &SeenMessage) -> String {
    match message {
        SeenMessage::System(text) | SeenMessage::User(text) => text.clone(),
        SeenMessage::Assistant { text, calls } if calls.is_empty() => text.clone(),
        SeenMessage::Assistant { calls, .. } => {
            let calls = calls
                .iter()
                .map(|call| format!(" {}({})", call.name, call.arguments));
            format!("calls{}", calls.collect::<String>())
        }
        SeenMessage::Tool { output, .. } => output.to_string(),
    }
}

#[tokio::test]
async fn rounds_and_results_are_those_since_the_last_question() {
    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::text("Two.")).await;
        let mut body = conversation(dialect);
        let member = if dialect == Dialect::Gemini {
            "contents"
        } else {
            "messages"
        };
        let messages = body[member].as_array_mut().unwrap();
        messages.truncate(messages.len() - 2);
        assert_eq!(ask(&server, &body).await.0, 200, "{dialect:?}");
        let seen = &server.seen()[0];
        assert_eq!(seen.rounds(), 1);
        assert_eq!(seen.results(), [&json!({"n": 1}), &json!({"n": 2})]);
    }
}

#[tokio::test]
async fn rules_answer_in_their_order() {
    let script = Script::new()
        .when(|seen| seen.last_user() == "never", Turn::text("never"))
        .then(Turn::text("first"))
        .once(|seen| seen.last_user() == "How many?", Turn::text("second"))
        .each(|_| true, [Turn::text("third"), Turn::text("fourth")])
        .otherwise(Turn::text("ever after"));
    let server = server(Dialect::Ollama, script).await;
    for expected in ["first", "second", "third", "fourth", "ever", "ever"] {
        let (_, body) = ask(&server, &question(Dialect::Ollama)).await;
        assert!(
            body.contains(&format!("\"content\":\"{expected}")),
            "{body}"
        );
    }
}

#[tokio::test]
async fn what_the_script_has_no_answer_for_is_refused() {
    let server = server(Dialect::OpenAi, [Turn::text("once")]).await;
    assert_eq!(ask(&server, &question(Dialect::OpenAi)).await.0, 200);
    let (status, body) = ask(&server, &question(Dialect::OpenAi)).await;
    assert_eq!(status, 400);
    assert!(
        body.contains("no turn for this request: How many?"),
        "{body}"
    );
    assert_eq!(server.refusals().len(), 1);

    server.play(Turn::text("again"));
    assert!(server.refusals().is_empty());
    assert_eq!(ask(&server, &question(Dialect::OpenAi)).await.0, 200);
}

#[tokio::test]
async fn json_comes_in_the_way_that_was_asked_for() {
    let answer = json!({"flow": "health"});
    let server = server(Dialect::Anthropic, Turn::json(answer.clone())).await;
    let mut body = conversation(Dialect::Anthropic);
    body["stream"] = false.into();
    let whole = async |body: &Value| -> Value {
        let response = post(&server, "/v1/messages", body).send().await.unwrap();
        response.json().await.unwrap()
    };
    assert_eq!(whole(&body).await["content"][0]["text"], answer.to_string());
    body["tool_choice"] = json!({"type": "tool", "name": "look"});
    assert_eq!(whole(&body).await["content"][0]["input"], answer);
    server.assert_accepted();
}

#[tokio::test]
async fn answers_in_one_piece_say_the_same() {
    let turn = Turn::calls([Call::new("look", json!({"id": "a"}))])
        .saying("I look.")
        .usage(70, 7);
    for dialect in Dialect::ALL {
        let server = server(dialect, turn.clone()).await;
        let mut body = conversation(dialect);
        if dialect != Dialect::Gemini {
            body["stream"] = false.into();
        }
        if let Some(members) = body.as_object_mut() {
            members.remove("stream_options");
        }
        let path = chat_path(dialect, model(dialect), false);
        let answer: Value = post(&server, &path, &body)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        let (text, name, input, output) = match dialect {
            Dialect::OpenAi | Dialect::OpenRouter => {
                let message = &answer["choices"][0]["message"];
                let call = &message["tool_calls"][0]["function"];
                assert_eq!(call["arguments"], "{\"id\":\"a\"}");
                let usage = &answer["usage"];
                (
                    &message["content"],
                    &call["name"],
                    &usage["prompt_tokens"],
                    &usage["completion_tokens"],
                )
            }
            Dialect::Anthropic => {
                let usage = &answer["usage"];
                assert_eq!(answer["content"][1]["input"], json!({"id": "a"}));
                (
                    &answer["content"][0]["text"],
                    &answer["content"][1]["name"],
                    &usage["input_tokens"],
                    &usage["output_tokens"],
                )
            }
            Dialect::Gemini => {
                let parts = &answer["candidates"][0]["content"]["parts"];
                let usage = &answer["usageMetadata"];
                (
                    &parts[0]["text"],
                    &parts[1]["functionCall"]["name"],
                    &usage["promptTokenCount"],
                    &usage["candidatesTokenCount"],
                )
            }
            Dialect::Ollama => {
                let message = &answer["message"];
                let name = &message["tool_calls"][0]["function"]["name"];
                (
                    &message["content"],
                    name,
                    &answer["prompt_eval_count"],
                    &answer["eval_count"],
                )
            }
        };
        assert_eq!(
            (text, name),
            (&json!("I look."), &json!("look")),
            "{dialect:?}: {answer}"
        );
        assert_eq!((input, output), (&json!(70), &json!(7)), "{dialect:?}");
    }
}

#[tokio::test]
async fn loose_ends_are_found_where_the_provider_does_not_mind() {
    let server = server(Dialect::Ollama, Turn::text("Two.")).await;
    let mut body = conversation(Dialect::Ollama);
    body["messages"].as_array_mut().unwrap().remove(3);
    assert_eq!(ask(&server, &body).await.0, 200);
    assert_eq!(
        server.seen()[0].loose_ends(),
        ["the call  of look has no answer"]
    );
}
