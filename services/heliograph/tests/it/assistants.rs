//! The assistants of a person, through the bff: with data, what the data answer; without data, what
//! to connect.

use contracts::assistants::AssistantList;
use contracts::bff::SignInOptions;
use contracts::chat::UiMessageChunk;
use heliograph::stack::StackConfig;

use crate::data_assistant;
use crate::demo_stack::{DemoStack, ask};

/// Number of times that a busy source is asked again.
const CONTINUED: usize = 10;

async fn stack() -> DemoStack {
    let shipments =
        |config: &mut StackConfig| config.tools.sources.push(demo_freight::source().unwrap());
    data_assistant::stack(shipments).await
}

async fn assistants(stack: &DemoStack, token: &str) -> AssistantList {
    let url = format!("{}/api/assistants", stack.services.bff_url);
    let answer = stack.http.get(url).bearer_auth(token).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_data_is_offered_what_these_answer() {
    let stack = stack().await;
    let list = assistants(&stack, &stack.token().await).await;
    let ids: Vec<_> = list.assistants.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["site", "data", "analyst", "advisor"]);
    for assistant in &list.assistants {
        assert!(assistant.available, "{assistant:?}");
        assert_eq!(assistant.missing, None);
        assert!(assistant.starters.len() >= 2, "{assistant:?}");
        let user = stack.demo_user().await;
        let user = user.with_assistant(Some(assistant.id.clone()));
        for (place, starter) in assistant.starters.iter().enumerate() {
            let thread = format!("t-{}-{place}", assistant.id);
            let mut reply = ask(&user, &thread, &starter.message).await;
            // A source that has no connection free in time is asked again, as the answer says.
            for _ in 0..CONTINUED {
                if !reply.text().contains("Say \u{201c}continue\u{201d}") {
                    break;
                }
                reply = ask(&user, &thread, "continue").await;
            }
            let text = reply.text();
            println!("{}: {} -> {text}", assistant.id, starter.message);
            let broke = reply.chunks.iter().any(|chunk| {
                matches!(
                    chunk,
                    UiMessageChunk::Error { .. } | UiMessageChunk::DataWarning { .. }
                )
            });
            let is_none = [
                "Try fewer conditions",
                "with these conditions on any day",
                "What would you like to know",
                "No document says",
                "cannot",
                "cannot",
            ];
            let missed = is_none.iter().any(|words| text.contains(words));
            assert!(
                !broke && !missed && !text.is_empty(),
                "{}: {}: {text}",
                assistant.id,
                starter.message
            );
        }
    }
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_no_data_is_told_what_to_connect_and_nothing_of_others() {
    let stack = stack().await;
    let token = stack.token_of_new("stranger", "elsewhere").await;
    let list = assistants(&stack, &token).await;
    let told = serde_json::to_string(&list).unwrap();
    for assistant in &list.assistants {
        assert!(!assistant.available, "{assistant:?}");
        assert!(assistant.starters.is_empty(), "{assistant:?}");
        assert!(assistant.missing.is_some(), "{assistant:?}");
    }
    for of_others in ["GW-INV-001", "shipment", "technician", "overtime", "Scope"] {
        assert!(!told.contains(of_others), "{of_others}: {told}");
    }
    stack.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_demonstration_proposes_whom_to_sign_in_as() {
    let options = async |stack: &DemoStack, token: Option<String>| -> SignInOptions {
        let request = stack
            .http
            .get(format!("{}/auth/sign-in", stack.services.bff_url));
        let request = match token {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        request.send().await.unwrap().json().await.unwrap()
    };
    let stack = DemoStack::start().await;
    assert_eq!(options(&stack, None).await, SignInOptions::default());
    let token = stack.token().await;
    let known = options(&stack, Some(token)).await;
    assert_eq!(known.account.unwrap().username, "demo");
    let folder = tempfile::tempdir().unwrap();
    let restart = stack.restart_with(|config| config.demonstrate(folder.path()).unwrap());
    let stack = Box::pin(restart).await;
    let proposed = options(&stack, None).await.demonstration.unwrap();
    assert_eq!(proposed.username, "demo");
    stack.stop().await;
}
