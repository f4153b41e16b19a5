//! The client for Rust: generated from the document of OpenAPI 3.0, packed by `cargo package`, and
//! used from the pack by a program outside the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::node_packages::{self, text};
use crate::packed_clients::{CLIENTS, PROGRAMS};

/// Messages of a build that cannot reach the registry.
const AWAY: [&str; 4] = [
    "Could not resolve host",
    "Couldn't resolve host",
    "failed to download",
    "network failure",
];

/// The document that the client is made of.
pub(crate) fn document() -> Value {
    contracts::openapi::to_3_0(contracts::openapi::bff_document())
}

/// The example and the program that is cut off, with the unpacked client; `None` where they cannot
/// be made.
pub(crate) fn programs(folder: &Path) -> Option<[Command; 2]> {
    match built(folder) {
        Ok(programs) => Some(programs.map(Command::new)),
        Err(said) => {
            assert!(AWAY.iter().any(|sign| said.contains(sign)), "{said}");
            node_packages::skipped("the client for Rust was not packed", &said);
            None
        }
    }
}

fn built(folder: &Path) -> Result<[PathBuf; 2], String> {
    std::fs::create_dir_all(folder).unwrap();
    let target = folder.join("rust-target");
    let older = folder.join("bff-3.0.json");
    std::fs::write(&older, document().to_string()).unwrap();
    let mut generate = Command::new("python3");
    generate
        .arg(Path::new(CLIENTS).join("generate.py"))
        .args(["rust", "--older"])
        .arg(&older)
        .arg("--into")
        .arg(folder);
    let pack = run(&mut generate, &target)?;
    let user = folder.join("rust-user");
    let _ = std::fs::remove_dir_all(&user);
    std::fs::create_dir_all(user.join("src/bin")).unwrap();
    run(
        Command::new("tar")
            .arg("-xzf")
            .arg(pack.trim())
            .arg("-C")
            .arg(&user),
        &target,
    )?;
    let unpacked = Path::new(pack.trim()).file_stem().unwrap();
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         futures-util = \"0.3\"\nheliograph-client = {{ path = \"{}\" }}\nserde_json = \"1\"\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\n",
        unpacked.display()
    );
    std::fs::write(user.join("Cargo.toml"), manifest).unwrap();
    let example = user.join(unpacked).join("examples/chat.rs");
    std::fs::copy(example, user.join("src/main.rs")).unwrap();
    let broken = Path::new(PROGRAMS).join("cut_off.rs");
    std::fs::copy(broken, user.join("src/bin/cut_off.rs")).unwrap();
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet"]).current_dir(&user);
    run(&mut build, &target)?;
    Ok(["user", "cut_off"].map(|name| target.join("debug").join(name)))
}

/// Runs a command beside this build, with a target of its own; returns what it says, or its report.
fn run(command: &mut Command, target: &Path) -> Result<String, String> {
    let output = command
        .env("CARGO", env!("CARGO"))
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .env_remove("__CARGO_TEST_CHANNEL_OVERRIDE_DO_NOT_USE_THIS")
        .env_remove("SQLX_OFFLINE")
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{command:?}: {}", text(&output)))
}
