//! Clients that generators make of the OpenAPI documents compile, can be imported and call the
//! stack; linters find nothing to say.
//!
//! They need node, npm, Python with pip, and the registries of both. Where those cannot be had, the
//! tests say on the terminal that they were skipped.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use bff::accounts::DEMO_USER;

use crate::demo_stack::{DemoStack, PASSWORD};
use crate::node_packages::{self, text};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/generators");

/// Debian 13 has this one.
const OLDEST_NODE: u32 = 20;

#[tokio::test(flavor = "multi_thread")]
async fn generated_clients_compile_and_call_the_stack() {
    let Some(folder) = installed() else { return };
    let documents = documents(folder);
    run(
        Command::new("node").arg("generate.mjs").arg(&documents),
        folder,
    );
    // What `tsc` leaves behind is run as it is, without a bundler.
    let compiled = folder.join("out/run");
    run(
        Command::new("node")
            .args(["node_modules/typescript/bin/tsc", "calls.ts", "--outDir"])
            .arg(&compiled)
            .args([
                "--module",
                "commonjs",
                "--target",
                "es2022",
                "--skipLibCheck",
                "--strict",
            ])
            .args(["--lib", "es2022,dom,dom.iterable"]),
        folder,
    );
    std::fs::write(compiled.join("package.json"), r#"{ "type": "commonjs" }"#).unwrap();
    let python = python_clients(folder, &documents);

    let stack = DemoStack::start().await;
    let mut typescript = Command::new("node");
    typescript
        .args(["-e", "require(process.argv[1]).main()"])
        .arg(compiled.join("calls.js"));
    let mut failed = Vec::new();
    for (language, mut calls) in [("TypeScript", typescript), ("Python", python)] {
        calls
            .current_dir(folder)
            .env("HELIOGRAPH_URL", &stack.services.bff_url)
            .env("HELIOGRAPH_USER", DEMO_USER)
            .env("HELIOGRAPH_PASSWORD", PASSWORD);
        let output = tokio::task::spawn_blocking(move || calls.output());
        let output = output.await.unwrap().unwrap();
        if !output.status.success() {
            failed.push(format!("{language}: {}", text(&output)));
        }
    }
    stack.stop().await;
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn linters_find_nothing_in_the_documents() {
    let Some(folder) = installed() else { return };
    let documents = documents(folder);
    run(Command::new("node").arg("lint.mjs").arg(&documents), folder);
}

/// The Python clients, and the command that imports and calls them.
fn python_clients(folder: &Path, documents: &Path) -> Command {
    let packages = folder.join("python");
    let complete = packages.join(".complete");
    if !complete.exists() {
        run(
            Command::new("python3")
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                    "--target",
                ])
                .arg(&packages)
                .args(["-r", "requirements.txt"]),
            folder,
        );
        std::fs::write(complete, "").unwrap();
    }
    let out = folder.join("out/python");
    std::fs::create_dir_all(&out).unwrap();
    for service in ["bff", "orchestrator", "tools"] {
        let output = Command::new("python3")
            .args([
                "-m",
                "openapi_python_client",
                "generate",
                "--meta",
                "none",
                "--overwrite",
                "--fail-on-warning",
            ])
            .arg("--config")
            .arg(folder.join("python.yaml"))
            .arg("--path")
            .arg(documents.join(format!("{service}.json")))
            .arg("--output-path")
            .arg(out.join(format!("{service}_client")))
            .env("PYTHONPATH", &packages)
            .current_dir(folder)
            .output()
            .unwrap();
        let said = text(&output);
        assert!(
            output.status.success() && !said.contains("arning"),
            "{service}: {said}"
        );
    }
    let mut calls = Command::new("python3");
    calls.arg("calls.py").arg(out).env("PYTHONPATH", packages);
    calls
}

/// The folder with the documents as they are now.
fn documents(folder: &Path) -> PathBuf {
    let documents = folder.join("documents");
    std::fs::create_dir_all(&documents).unwrap();
    for (name, document) in contracts::openapi::documents() {
        let path = documents.join(format!("{name}.json"));
        if std::fs::read_to_string(&path).is_ok_and(|written| written == document) {
            continue;
        }
        let half_written = documents.join(format!("{name}.{:?}", std::thread::current().id()));
        std::fs::write(&half_written, document).unwrap();
        std::fs::rename(half_written, path).unwrap();
    }
    documents
}

fn run(command: &mut Command, folder: &Path) {
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", text(&output));
}

fn installed() -> Option<&'static Path> {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let installed = FOLDER.get_or_init(|| {
        let folder = node_packages::install(FILES, "generators")?;
        match node_packages::node_major() {
            Some(major) if major >= OLDEST_NODE => Ok(folder),
            found => Err(format!(
                "the generators need node {OLDEST_NODE} or later, and here is {found:?}"
            )),
        }
    });
    match installed {
        Ok(folder) => Some(folder),
        Err(why) => {
            node_packages::skipped("no client was generated", why);
            None
        }
    }
}
