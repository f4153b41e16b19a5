//! Real chat clients, as their makers publish them, hold conversations with the whole stack: `tests/clients` says how.
//!
//! They need node, npm and npm's registry. What is missing is installed where that can be done; where it can not, the tests say on the
//! terminal that they were skipped.

use std::hash::{DefaultHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use bff::accounts::DEMO_USER;
use contracts::bff::TokenResponse;
use heliograph::stack::StackConfig;
use serde_json::json;
use tools::demo::shipping;

use crate::demo_stack::{DemoStack, PASSWORD};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");

/// Each client: a script and what it is told.
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

/// Debian 12 has this one.
const OLDEST_NODE: u32 = 18;

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

/// The checks of these tests, on streams with one fault each: whatever the clients refuse is caught, and what we take for a fault is one.
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

/// The folder with the scripts and their packages, made once; `None` where it can not be made.
pub(crate) fn installed() -> Option<&'static Path> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOLDER.get_or_init(install) {
        Ok(folder) => Some(folder),
        Err(why) => {
            // Not by `eprintln!`, which a test that passes keeps to itself.
            let told = format!("skipped, no real client was tried: {why}\n");
            std::io::stderr().write_all(told.as_bytes()).unwrap();
            None
        }
    }
}

fn install() -> Result<PathBuf, String> {
    require_node()?;
    let lock = std::fs::read(Path::new(FILES).join("package-lock.json")).unwrap();
    let mut hasher = DefaultHasher::new();
    hasher.write(&lock);
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("clients-{:016x}", hasher.finish()));
    std::fs::create_dir_all(&folder).unwrap();
    for file in std::fs::read_dir(FILES).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_file() {
            std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
    }
    let complete = folder.join("node_modules/.complete");
    if !complete.exists() {
        fetch_packages(&folder)?;
        std::fs::write(complete, "").unwrap();
    }
    Ok(folder)
}

fn fetch_packages(folder: &Path) -> Result<(), String> {
    let output = Command::new("npm")
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--fetch-retry-mintimeout=1000",
            "--fetch-retry-maxtimeout=5000",
        ])
        .current_dir(folder)
        .output()
        .unwrap();
    if output.status.success() {
        return Ok(());
    }
    let said = text(&output);
    let away = [
        "ENOTFOUND",
        "EAI_AGAIN",
        "ECONNREFUSED",
        "ECONNRESET",
        "ETIMEDOUT",
        "ENETUNREACH",
        "ERR_SOCKET_TIMEOUT",
    ];
    assert!(
        away.iter().any(|code| said.contains(code)),
        "npm ci failed:\n{said}"
    );
    Err("npm's registry can not be reached".to_owned())
}

fn require_node() -> Result<(), String> {
    if node_major().is_none() || !answers("npm") {
        if !(is_root() && answers("apt-get")) {
            return Err("node and npm are not here".to_owned());
        }
        let install = |arguments: &[&str]| {
            Command::new("apt-get")
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive")
                .output()
                .unwrap()
        };
        // Without the package lists, which images leave out, nothing can be found.
        install(&["update", "-q"]);
        let output = install(&[
            "install",
            "-y",
            "-q",
            "--no-install-recommends",
            "nodejs",
            "npm",
        ]);
        if !output.status.success() {
            return Err(format!(
                "node and npm are not here, and apt-get could not install them:\n{}",
                text(&output)
            ));
        }
    }
    match node_major() {
        Some(major) if major >= OLDEST_NODE => Ok(()),
        found => Err(format!(
            "the clients need node {OLDEST_NODE} or later, and here is {found:?}"
        )),
    }
}

fn node_major() -> Option<u32> {
    let output = Command::new("node").arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version
        .trim()
        .strip_prefix('v')?
        .split('.')
        .next()?
        .parse()
        .ok()
}

fn answers(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
