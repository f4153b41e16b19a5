//! A page of the AI SDK that is closed in the middle of an answer and opened again.

use std::path::Path;
use std::process::Stdio;

use serde_json::json;
use test_support::provider::{Dialect, Gate, ModelServer, Script, Turn};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::{is_chat, is_routing, use_model};
use crate::clients::{AI_SDKS, installed};
use crate::demo_stack::DemoStack;

#[tokio::test(flavor = "multi_thread")]
async fn a_page_comes_back_to_its_answer() {
    let Some(folder) = installed() else { return };
    let server = ModelServer::start(Dialect::OpenAi, Script::new())
        .await
        .unwrap();
    let stack = DemoStack::start_with(|config| {
        use_model(config, &server);
        // The model waits for the page.
        config.orchestrator.llm.timeouts.idle_ms = 60_000;
    })
    .await;
    for sdk in AI_SDKS {
        let gate = Gate::new();
        // A sentence is over when the next one begins.
        let answer = Turn::chunks(["Hello. Let me", " know."]).wait_after(1, &gate);
        let route = json!({
            "flow": "free_chat", "confidence": 0.95, "logger_ids": [], "start_date": null, "end_date": null,
        });
        let script = Script::new().when(is_routing, Turn::json(route));
        server.play(script.when(is_chat, answer));
        comes_back(folder, sdk, &stack, &gate).await;
    }
    stack.stop().await;
}

async fn comes_back(folder: &Path, sdk: &str, stack: &DemoStack, gate: &Gate) {
    let mut page = Command::new("node")
        .args(["resume.mjs", sdk])
        .current_dir(folder)
        .env("HELIOGRAPH_URL", &stack.services.bff_url)
        .env("HELIOGRAPH_TOKEN", stack.token().await)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut says = BufReader::new(page.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    while let Some(line) = says.next_line().await.unwrap() {
        if line == "joined" {
            gate.open();
        }
        said.push(line);
    }
    assert!(page.wait().await.unwrap().success(), "{sdk}: {said:?}");
}
