//! Answers whose connections break: they are joined again, and each chunk is there once.

use bff::accounts::DEMO_USER;
use contracts::chat::UiMessageChunk;
use futures::StreamExt;
use heliograph::chat::{ChatClient, ChatError, Renderer};
use reqwest::Method;
use serde_json::{Value, json};

use crate::breaking_proxy::BreakingProxy;
use crate::command_line::{heliograph, with_input};
use crate::demo_stack::{DemoStack, PASSWORD};

/// Before the answer begins, in its head, and twice within it.
pub(crate) const CUTS: [usize; 4] = [0, 300, 1_500, 1_500];

/// The only run of a thread, as one that was never cut off reads it; the thread holds one question
/// and one answer.
pub(crate) async fn whole(user: &ChatClient, thread: &str) -> Vec<UiMessageChunk<'static>> {
    let path = format!("/api/threads/{thread}/messages");
    let page = user.request(Method::GET, &path, None).await.unwrap();
    let page: Value = page.json().await.unwrap();
    let messages = page["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2, "the message was sent twice: {page}");
    let run = messages[1]["run_id"].as_str().unwrap();
    let path = format!("/api/runs/{run}/events?dialect=ui_messages");
    let events = user.request(Method::GET, &path, None).await.unwrap();
    let events = events.text().await.unwrap();
    let data = events
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]")
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_whose_connection_breaks_shows_the_whole_answer_once() {
    let stack = Box::pin(DemoStack::start()).await;
    let proxy = BreakingProxy::start(&stack.services.bff_url, &CUTS).await;
    let (http, password) = (stack.http.clone(), PASSWORD.into());
    let (user, _) = ChatClient::sign_in(http, &proxy.url, DEMO_USER, &password)
        .await
        .unwrap();
    let answer = user.ask_to_end("Morning briefing", "broken").await.unwrap();
    let chunks: Vec<Value> = answer
        .chunks()
        .map(|chunk| json!(chunk.unwrap()))
        .collect()
        .await;
    assert_eq!(proxy.broken(), CUTS.len());
    let direct = stack.demo_user().await;
    let expected: Vec<Value> = whole(&direct, "broken")
        .await
        .iter()
        .map(|chunk| json!(chunk))
        .collect();
    assert_eq!(chunks, expected);

    // What is refused is not sent again.
    let user = user.with_assistant(Some("nobody".to_owned()));
    let refused = user.ask_to_end("Hello", "refused").await;
    assert!(matches!(refused, Err(ChatError::Refused(_))));

    // The same at the command line.
    let proxy = BreakingProxy::start(&stack.services.bff_url, &CUTS).await;
    let (url, folder) = (proxy.url.clone(), tempfile::tempdir().unwrap());
    let output = tokio::task::spawn_blocking(move || {
        let chat = ["chat", "Morning briefing", "--thread", "terminal"];
        let arguments = [&chat[..], &["--server", &url, "--user", DEMO_USER]].concat();
        with_input(&mut heliograph(folder.path(), &arguments, &[]), PASSWORD)
    });
    let output = output.await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!(proxy.broken(), CUTS.len());
    let mut renderer = Renderer::default();
    let rendered: String = whole(&direct, "terminal")
        .await
        .iter()
        .map(|chunk| renderer.show(chunk))
        .collect();
    assert_eq!(said.trim(), rendered.trim());
    stack.stop().await;
}
