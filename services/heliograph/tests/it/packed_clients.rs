//! The clients of `clients/`: generated from the document as it is now, packed, installed from the
//! pack as a user installs them, and their example programs run against the stack.
//!
//! They need node, npm, Python with pip, cargo, and the registries of all. Where those cannot be
//! had, the test says on the terminal that it was skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use bff::accounts::DEMO_USER;

use crate::demo_stack::{DemoStack, PASSWORD};
use crate::node_packages::{self, text};
use crate::packed_rust;

pub(crate) const CLIENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients");

/// Debian 13 has this one.
const OLDEST_NODE: u32 = 20;

#[tokio::test(flavor = "multi_thread")]
async fn packed_clients_hold_a_chat_and_resume_it() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("packed-clients");
    let mut programs = Vec::new();
    if let Some((typescript, python)) = packs(&folder) {
        programs.push(("TypeScript", typescript_program(&folder, &typescript)));
        programs.push(("Python", python_program(&folder, &python)));
    }
    programs.extend(packed_rust::program(&folder).map(|program| ("Rust", program)));
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
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
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

/// The example, compiled against the installed pack.
fn typescript_program(folder: &Path, pack: &Path) -> Command {
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
    let npm = ["install", "--ignore-scripts", "--no-audit", "--no-fund"];
    run(Command::new("npm").args(npm).arg(pack), &user);
    let compiler = folder.join("typescript/node_modules/typescript/bin/tsc");
    let options = [
        "chat.ts",
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
    let mut program = Command::new("node");
    program.arg("chat.js").current_dir(user);
    program
}

/// The example, with the installed wheel.
fn python_program(folder: &Path, wheel: &Path) -> Command {
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
    let mut program = Command::new("python3");
    let example = Path::new(CLIENTS).join("python/examples/chat.py");
    program.arg(example).env("PYTHONPATH", packages);
    program
}

fn run(command: &mut Command, folder: &Path) {
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", text(&output));
}
