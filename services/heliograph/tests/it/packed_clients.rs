//! The clients of `clients/`: generated from the document as it is now, packed, installed from the
//! pack as a user installs them, and their example programs run against the stack.
//!
//! They need node, npm, Python with pip, cargo, and the registries of all. Where those cannot be
//! had, the test says on the terminal that it was skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use bff::accounts::DEMO_USER;
use contracts::chat::UiMessageChunk;
use serde_json::Value;

use crate::breaking_proxy::BreakingProxy;
use crate::demo_stack::{DemoStack, PASSWORD};
use crate::node_packages::{self, text};
use crate::packed_rust;
use crate::rejoined::{CUTS, whole};

pub(crate) const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients");

/// The programs whose connections break.
pub(crate) const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");

/// Debian 13 has this one.
const OLDEST_NODE: u32 = 20;

#[tokio::test(flavor = "multi_thread")]
async fn packed_clients_hold_a_chat_and_resume_it() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("packed-clients");
    let (mut programs, mut cut_off) = (Vec::new(), Vec::new());
    if let Some((typescript, python)) = packs(&folder) {
        let [example, broken] = typescript_programs(&folder, &typescript);
        programs.push(("TypeScript", example));
        cut_off.push(("TypeScript", broken));
        let [example, broken] = python_programs(&folder, &python);
        programs.push(("Python", example));
        cut_off.push(("Python", broken));
    }
    if let Some([example, broken]) = packed_rust::programs(&folder) {
        programs.push(("Rust", example));
        cut_off.push(("Rust", broken));
    }
    let stack = Box::pin(DemoStack::start()).await;
    let older = format!("{}/openapi-3.0.json", stack.services.bff_url);
    let older = stack.http.get(older).send().await.unwrap();
    let older: serde_json::Value = older.json().await.unwrap();
    assert_eq!(older, packed_rust::document());
    let mut failed = Vec::new();
    for (language, mut program) in programs {
        program
            .env("HELIOGRAPH_URL", &stack.services.bff_url)
            .env("HELIOGRAPH_USER", DEMO_USER)
            .env("HELIOGRAPH_PASSWORD", PASSWORD);
        let output = tokio::task::spawn_blocking(move || program.output());
        let output = output.await.unwrap().unwrap();
        println!("{language}: {}", text(&output));
        if !output.status.success() {
            failed.push(format!("{language}: {}", text(&output)));
        }
    }
    for (language, program) in cut_off {
        whole_though_cut_off(&stack, language, program).await;
    }
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Runs a program whose connections break: its answer is whole, its message was sent once, and what
/// is refused ends at once.
async fn whole_though_cut_off(stack: &DemoStack, language: &str, mut program: Command) {
    let proxy = BreakingProxy::start(&stack.services.bff_url, &CUTS).await;
    let thread = format!("cut-off-{language}");
    program
        .env("HELIOGRAPH_URL", &proxy.url)
        .env("HELIOGRAPH_USER", DEMO_USER)
        .env("HELIOGRAPH_PASSWORD", PASSWORD)
        .env("HELIOGRAPH_THREAD", &thread);
    let output = tokio::task::spawn_blocking(move || program.output());
    let output = output.await.unwrap().unwrap();
    assert!(output.status.success(), "{language}: {}", text(&output));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(proxy.broken(), CUTS.len(), "{language}");
    let whole = whole(&stack.demo_user().await, &thread).await;
    let whole: String = whole
        .iter()
        .filter_map(|chunk| match chunk {
            UiMessageChunk::TextDelta { delta, .. } => Some(delta.as_ref()),
            _ => None,
        })
        .collect();
    assert_eq!(said["text"], whole, "{language}");
    let refused = said["refused"].as_str().unwrap();
    assert!(refused.contains("assistant"), "{language}: {refused}");
}

/// The packs of both clients; `None` where they cannot be made.
fn packs(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let skipped = |why: &str| {
        node_packages::skipped("no client was packed", why);
        None
    };
    if node_packages::node_major() < Some(OLDEST_NODE) || !node_packages::answers("python3") {
        return skipped("node 20 or later and Python are needed");
    }
    std::fs::create_dir_all(folder).unwrap();
    let document = folder.join("bff.json");
    let current = contracts::openapi::bff_document();
    std::fs::write(&document, current.to_string()).unwrap();
    let made = Command::new("python3")
        .arg(Path::new(CLIENTS).join("generate.py"))
        .arg("--document")
        .arg(&document)
        .arg("--into")
        .arg(folder)
        .output()
        .unwrap();
    let said = text(&made);
    if !made.status.success() {
        let away = [
            "ENOTFOUND",
            "EAI_AGAIN",
            "ETIMEDOUT",
            "NewConnectionError",
            "No module named pip",
        ];
        assert!(away.iter().any(|sign| said.contains(sign)), "{said}");
        return skipped(&said);
    }
    let mut packs = said.lines().map(PathBuf::from);
    Some((packs.next().unwrap(), packs.next().unwrap()))
}

/// The example and the program that is cut off, compiled against the installed pack.
fn typescript_programs(folder: &Path, pack: &Path) -> [Command; 2] {
    let user = folder.join("typescript-user");
    let _ = std::fs::remove_dir_all(&user);
    std::fs::create_dir_all(&user).unwrap();
    std::fs::write(
        user.join("package.json"),
        r#"{ "private": true, "type": "module" }"#,
    )
    .unwrap();
    let example = Path::new(CLIENTS).join("typescript/examples/chat.ts");
    std::fs::copy(example, user.join("chat.ts")).unwrap();
    let broken = Path::new(PROGRAMS).join("cut-off.ts");
    std::fs::copy(broken, user.join("cut-off.ts")).unwrap();
    let npm = ["install", "--ignore-scripts", "--no-audit", "--no-fund"];
    run(Command::new("npm").args(npm).arg(pack), &user);
    let compiler = folder.join("typescript/node_modules/typescript/bin/tsc");
    let options = [
        "chat.ts",
        "cut-off.ts",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "--strict",
        "--skipLibCheck",
        "--lib",
        "es2022,dom,dom.iterable",
    ];
    run(Command::new("node").arg(compiler).args(options), &user);
    ["chat.js", "cut-off.js"].map(|name| {
        let mut program = Command::new("node");
        program.arg(name).current_dir(&user);
        program
    })
}

/// The example and the program that is cut off, with the installed wheel.
fn python_programs(folder: &Path, wheel: &Path) -> [Command; 2] {
    let packages = folder.join("python-user");
    let _ = std::fs::remove_dir_all(&packages);
    let pip = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--target",
    ];
    run(
        Command::new("python3").args(pip).arg(&packages).arg(wheel),
        folder,
    );
    let example = Path::new(CLIENTS).join("python/examples/chat.py");
    [example, Path::new(PROGRAMS).join("cut_off.py")].map(|path| {
        let mut program = Command::new("python3");
        program.arg(path).env("PYTHONPATH", &packages);
        program
    })
}

fn run(command: &mut Command, folder: &Path) {
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", text(&output));
}
