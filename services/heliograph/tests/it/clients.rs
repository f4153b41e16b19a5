//! Real chat clients, as their makers publish them, hold conversations with the whole stack:
//! `tests/clients` says how.
//!
//! They need node, npm and npm's registry. What is missing is installed where that can be done;
//! where it cannot, the tests say on the terminal that they were skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use bff::accounts::DEMO_USER;
use contracts::bff::TokenResponse;
use heliograph::stack::StackConfig;
use serde_json::json;
use tools::demo::shipping;

use crate::demo_stack::{DemoStack, PASSWORD};
use crate::node_packages::{self, text};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");

/// Each client: a script and its arguments.
const CLIENTS: [&[&str]; 6] = [
    &["ai-sdk.mjs", "ai5-0"],
    &["ai-sdk.mjs", "ai5"],
    &["ai-sdk.mjs", "ai6"],
    &["ai-sdk.mjs", "ai7"],
    &["assistant-ui.mjs"],
    &["document.mjs"],
];

/// The majors of the AI SDK, as `tests/clients/package.json` calls them.
pub(crate) const AI_SDKS: [&str; 4] = ["ai5-0", "ai5", "ai6", "ai7"];

#[tokio::test(flavor = "multi_thread")]
async fn real_clients_read_every_stream() {
    let Some(folder) = installed() else { return };
    let shipments =
        |config: &mut StackConfig| config.tools.sources.push(shipping::source().unwrap());
    let stack = Box::pin(DemoStack::start_with(shipments)).await;
    let mut failed = Vec::new();
    for client in CLIENTS {
        let token = token(&stack).await;
        let mut script = Command::new("node");
        script
            .args(client)
            .current_dir(folder)
            .env("HELIOGRAPH_URL", &stack.services.bff_url)
            .env("HELIOGRAPH_TOKEN", token);
        let output = tokio::task::spawn_blocking(move || script.output())
            .await
            .unwrap()
            .unwrap();
        println!("{}", text(&output));
        if !output.status.success() {
            failed.push(client.join(" "));
        }
    }
    stack.stop().await;
    assert!(
        failed.is_empty(),
        "these clients do not get along with our streams (their reports are above): {failed:?}"
    );
}

/// The checks of these tests, on streams with one fault each: whatever the clients refuse is
/// caught, and each reported fault is one.
#[test]
fn the_clients_tests_catch_every_fault() {
    let Some(folder) = installed() else { return };
    let output = Command::new("node")
        .args(["--test", "faults.test.mjs"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// A bearer token, as an API client gets one.
async fn token(stack: &DemoStack) -> String {
    let credentials = json!({ "username": DEMO_USER, "password": PASSWORD });
    let url = format!("{}/auth/token", stack.services.bff_url);
    let response = stack
        .http
        .post(url)
        .json(&credentials)
        .send()
        .await
        .unwrap();
    let answer: TokenResponse = response.error_for_status().unwrap().json().await.unwrap();
    answer.access_token
}

/// The folder with the scripts and their packages, made once; `None` where it cannot be made.
pub(crate) fn installed() -> Option<&'static Path> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOLDER.get_or_init(|| node_packages::install(FILES, "clients")) {
        Ok(folder) => Some(folder),
        Err(why) => {
            node_packages::skipped("no real client was tried", why);
            None
        }
    }
}
