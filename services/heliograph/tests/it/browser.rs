//! The page in a real browser, over the whole product: `tests/browser` says what is tried. Debian's
//! Chromium is driven by Playwright, axe judges what it shows, and TypeScript checks the types of
//! the page's modules. The example in React is led over the same stacks.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::post;
use bff::accounts::DEMO_USER;
use heliograph::stack::StackConfig;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Script, Turn};
use tools::credentials::config::{KeyConfig, generate_key};

use crate::data_assistant;
use crate::demo_stack::{DemoStack, PASSWORD};
use crate::issuers;
use crate::models::{classified, is_routing, use_model};
use crate::node_packages::{self, answers, text};
use crate::react_example;
use crate::targets;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser");

/// The page's modules, with their settings for TypeScript.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../bff/web");

/// A file of tables.
const PARQUET: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tools/tests/samples/parquet/types.parquet"
);

/// The names of Chromium's program on Debian and others.
const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Who uses the phone, in the tenant of the demo's data.
const PHONE_USER: &str = "ada";
const DEMO_TENANT: &str = "demo";

/// A model that stops in the middle is waited for this long, so that a person can stop it.
const PATIENCE_MS: u64 = 120_000;

#[tokio::test(flavor = "multi_thread")]
async fn every_view_of_the_page_and_the_example_in_react_do_what_they_are_there_for() {
    let chromium = match chromium() {
        Ok(chromium) => chromium,
        Err(why) => return node_packages::skipped("no browser opened the page", &why),
    };
    let (_shop, shop_url) = targets::shop().await;
    let (tracker_url, issuer_url) = (tracker().await, issuers::issuer().await);
    let adjust = |config: &mut StackConfig| {
        config.tools.sources.push(demo_freight::source().unwrap());
        let key = KeyConfig::new("test", generate_key());
        config.tools.credentials.keys.push(key);
        config.bff.oidc.encryption_key = Some(generate_key());
        config.bff.oidc.allow_loopback = true;
        let email = &mut config.orchestrator.delivery.email;
        email.host = Some("127.0.0.1".to_owned());
        email.from = Some("Heliograph <helio@example.com>".to_owned());
    };
    let stack = data_assistant::stack(adjust).await;
    let model = ModelServer::start(Dialect::OpenAi, never_ending())
        .await
        .unwrap();
    let slow = DemoStack::start_with(|config| {
        use_model(config, &model);
        config.orchestrator.llm.timeouts.first_token_ms = PATIENCE_MS;
        config.orchestrator.llm.timeouts.idle_ms = PATIENCE_MS;
    })
    .await;
    for stack in [&stack, &slow] {
        stack.token_of_new(PHONE_USER, DEMO_TENANT).await;
        stack.token_of_new(react_example::USER, DEMO_TENANT).await;
    }
    let (url, slow_url) = (&stack.services.bff_url, &slow.services.bff_url);
    let scripts = [
        page(&chromium, url, slow_url).map(|mut page| {
            page.env("SHOP_URL", shop_url)
                .env("TRACKER_URL", tracker_url)
                .env("ISSUER_URL", issuer_url)
                .env("ISSUER_SECRET", issuers::SECRET)
                .env("PARQUET_FILE", PARQUET);
            page
        }),
        react_example::drive(&chromium, url, slow_url),
    ];
    let mut failed = Vec::new();
    for mut script in scripts.into_iter().flatten() {
        let output = tokio::task::spawn_blocking(move || script.output());
        let output = output.await.unwrap().unwrap();
        println!("{}", text(&output));
        if !output.status.success() {
            failed.push(text(&output));
        }
    }
    slow.stop().await;
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The command that leads the page; `None` where its packages cannot be had.
fn page(chromium: &Path, url: &str, slow: &str) -> Option<Command> {
    let mut script = Command::new("node");
    script
        .arg("page.mjs")
        .current_dir(installed()?)
        .env("HELIOGRAPH_URL", url)
        .env("SLOW_URL", slow)
        .env("DESKTOP_USER", DEMO_USER)
        .env("PHONE_USER", PHONE_USER)
        .env("PASSWORD_OF_TEST", PASSWORD)
        .env("CHROMIUM", chromium);
    Some(script)
}

/// An MCP server with two tools, for those with its key.
async fn tracker() -> String {
    let answer = async |headers: HeaderMap, axum::Json(message): axum::Json<Value>| {
        let sent = headers.get("authorization");
        if sent.is_none_or(|sent| sent != "Bearer key-of-the-tracker") {
            return StatusCode::UNAUTHORIZED.into_response();
        }
        let tool = |name: &str, reads: bool| {
            let schema = json!({ "type": "object", "properties": {} });
            json!({ "name": name, "description": "Of the tracker.", "inputSchema": schema, "annotations": { "readOnlyHint": reads } })
        };
        let result = match message["method"].as_str() {
            Some("initialize") => {
                json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "tracker", "version": "1" } })
            }
            Some("tools/list") => {
                json!({ "tools": [tool("find-tickets", true), tool("close_ticket", false)] })
            }
            _ => return StatusCode::ACCEPTED.into_response(),
        };
        axum::Json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
            .into_response()
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = Router::new().route("/mcp", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

#[test]
fn the_pages_modules_have_sound_types() {
    let Some(folder) = installed() else { return };
    let output = Command::new("node")
        .arg(folder.join("node_modules/typescript/bin/tsc"))
        .args(["--noEmit", "-p", PAGE])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// A model that begins an answer and never ends it.
fn never_ending() -> Script {
    let begun = ["The garage was looked at. ", "Nothing was found. ", "And "];
    Script::new()
        .when(is_routing, classified("free_chat", 0.9, &[]))
        .otherwise(Turn::chunks(begun).stall_after(begun.len()))
}

/// The folder with the scripts and their packages, made once; `None` where it cannot be made.
fn installed() -> Option<&'static Path> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOLDER.get_or_init(|| node_packages::install(FILES, "browser")) {
        Ok(folder) => Some(folder),
        Err(why) => {
            node_packages::skipped("the page was not tried", why);
            None
        }
    }
}

/// Chromium: the one that is named, one that is here, or Debian's.
fn chromium() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("HELIOGRAPH_CHROMIUM") {
        return Ok(named.into());
    }
    let found = || CHROMIUM.iter().find(|program| answers(program));
    if found().is_none() {
        node_packages::apt_install("Chromium", &["chromium"])?;
    }
    let program = found().ok_or("Chromium was installed and cannot be run")?;
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&paths)
        .map(|folder| folder.join(program))
        .find(|path| path.exists());
    path.ok_or_else(|| format!("{program} is nowhere in PATH"))
}
