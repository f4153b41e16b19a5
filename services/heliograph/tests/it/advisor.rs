//! The advisor over the demo's documents and the demonstration upstream, with the signed-in user's
//! own rights, in the climate advisor's dialect.

use heliograph::stack::StackConfig;
use serde_json::{Value, json};
use test_support::provider::{Call, Dialect, ModelServer, Script, Turn};
use test_support::sse::Capture;

use crate::demo_stack::DemoStack;
use crate::models::use_model;

/// Services with the demonstration upstream and the demo's documents.
async fn stack(adjust: impl FnOnce(&mut StackConfig)) -> DemoStack {
    let folder = tempfile::tempdir().unwrap();
    Box::pin(DemoStack::start_with(|config| {
        config.demonstrate(folder.path()).unwrap();
        adjust(config);
    }))
    .await
}

/// The events of an answer in named events: name and data.
pub(crate) async fn named_events(stack: &DemoStack, body: &Value) -> Vec<(String, Value)> {
    let response = stack
        .http
        .post(format!("{}/api/messages", stack.services.bff_url))
        .bearer_auth(stack.token().await)
        .json(body)
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    let text = response.text().await.unwrap();
    let capture = Capture::parse_run(text).unwrap();
    capture
        .events()
        .map(|event| {
            (
                event.event.clone().unwrap_or_default(),
                event.json().unwrap(),
            )
        })
        .collect()
}

pub(crate) fn text(events: &[(String, Value)]) -> String {
    let messages = events.iter().filter(|(name, _)| name == "message");
    messages
        .map(|(_, data)| data["content"].as_str().unwrap())
        .collect()
}

pub(crate) fn tools_called(events: &[(String, Value)]) -> Vec<(&str, &str)> {
    let uses = events
        .iter()
        .filter(|(name, data)| name == "tool_result" && data["status"] != "executing");
    uses.map(|(_, data)| {
        (
            data["name"].as_str().unwrap(),
            data["status"].as_str().unwrap(),
        )
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_and_inventories_are_read_without_a_model() {
    let stack = stack(|_| {}).await;
    let events = named_events(
        &stack,
        &json!({ "content": "What is the difference between scope 1 and scope 2 emissions?" }),
    )
    .await;
    assert_eq!(
        tools_called(&events),
        [("climate_vector_search", "success")]
    );
    let said = text(&events);
    assert!(
        said.contains("Sources:") && said.contains("emissions-inventory-basics.md"),
        "{said}"
    );
    let (last, done) = events.last().unwrap();
    assert_eq!(
        (last.as_str(), &done["ok"], &done["history_saved"]),
        ("done", &json!(true), &json!(true))
    );

    let events = named_events(
        &stack,
        &json!({ "content": "Which inventories do I have?" }),
    )
    .await;
    assert_eq!(tools_called(&events), [("get_user_inventories", "success")]);
    assert!(text(&events).contains("Port Meridian"), "{}", text(&events));
    assert!(
        !text(&events).contains("Monte Claro"),
        "the demo user may not see it"
    );

    let events = named_events(
        &stack,
        &json!({ "content": "Show the emissions of Port Meridian by sector" }),
    )
    .await;
    assert_eq!(
        tools_called(&events),
        [
            ("get_user_inventories", "success"),
            ("cc_inventory_query", "success")
        ]
    );
    assert!(
        text(&events).contains("Transportation"),
        "{}",
        text(&events)
    );
    // What was said and looked up is kept before `done`.
    let thread = events.last().unwrap().1["thread_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let url = format!("{}/api/threads/{thread}/messages", stack.services.bff_url);
    let kept = stack
        .http
        .get(url)
        .bearer_auth(stack.token().await)
        .send()
        .await
        .unwrap();
    let kept: Value = kept.json().await.unwrap();
    let answer = &kept["messages"][1];
    assert_eq!(answer["tools_used"].as_array().unwrap().len(), 2, "{kept}");
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_calls_in_parallel_and_cites() {
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let stack = stack(|config| use_model(config, &server)).await;
    server.play(
        Script::new()
            .when(
                |seen| seen.rounds() == 0,
                Turn::calls([
                    Call::new(
                        "climate_vector_search",
                        json!({ "query": "transport measures" }),
                    ),
                    Call::new("city_inventory_search", json!({ "city_name": "Port" })),
                ]),
            )
            .otherwise(Turn::text(
                "A bus every five minutes needs no timetable [1].",
            )),
    );
    let events = named_events(
        &stack,
        &json!({ "content": "How do we cut transport emissions?" }),
    )
    .await;
    assert_eq!(
        tools_called(&events),
        [
            ("climate_vector_search", "success"),
            ("city_inventory_search", "success")
        ]
    );
    let said = text(&events);
    assert!(
        said.starts_with("A bus every five minutes needs no timetable [1].")
            && said.contains("Sources:\n[1] "),
        "{said}"
    );
    let used = events.last().unwrap().1["tools_used"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(used, 2);
    server.assert_accepted();
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_somebody_else_is_refused_and_the_run_goes_on() {
    let stack = stack(|_| {}).await;
    let payload = json!({ "sub": "another-user", "exp": 4_102_444_800_u64 });
    let token = test_support::upstream::jwt(&payload);
    let body = json!({ "content": "Which inventories do I have?", "context": { "cc_access_token": token, "city": "Zürich" } });
    let events = named_events(&stack, &body).await;
    let warnings: Vec<&str> = events
        .iter()
        .filter(|(name, _)| name == "warning")
        .map(|(_, data)| data["code"].as_str().unwrap())
        .collect();
    assert_eq!(warnings, ["credential_refused"], "{events:?}");
    assert!(text(&events).contains("Port Meridian"), "{}", text(&events));
    let thread = events.last().unwrap().1["thread_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let url = format!("{}/api/threads/{thread}", stack.services.bff_url);
    let kept = stack
        .http
        .get(url)
        .bearer_auth(stack.token().await)
        .send()
        .await
        .unwrap();
    let kept = kept.text().await.unwrap();
    assert!(kept.contains("Zürich") && !kept.contains(&token), "{kept}");
    for (_, data) in &events {
        assert!(!data.to_string().contains(&token));
    }
    stack.stop().await;
}
