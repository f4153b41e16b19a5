//! What cargo knows about a workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use figment::Figment;
use figment::providers::{Format, Toml};
use serde::Deserialize;

/// Name and version of a crate.
pub(crate) type Key = (String, String);

/// The part of `cargo metadata` that is read.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) resolve: Resolve,
}

/// A crate.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) repository: Option<String>,
    /// The registry; none for the workspace's own.
    pub(crate) source: Option<String>,
    pub(crate) targets: Vec<Target>,
}

/// Something that a crate is built into.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
}

/// The graph of dependencies.
#[derive(Debug, Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

/// The dependencies of a crate.
#[derive(Debug, Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) dependencies: Vec<String>,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// The crates that are linked into a package's program.
pub(crate) fn linked(folder: &Path, package: &str) -> anyhow::Result<BTreeSet<Key>> {
    let tree = cargo(
        folder,
        &[
            "tree",
            "--locked",
            "--package",
            package,
            "--edges",
            "normal,no-proc-macro",
            "--prefix",
            "none",
        ],
    )?;
    Ok(tree.lines().filter_map(key_of).collect())
}

/// Name and version in a line as `axum v0.8.9 (*)`.
fn key_of(line: &str) -> Option<Key> {
    let (name, rest) = line.split_once(" v")?;
    let version = rest.split_whitespace().next()?;
    Some((name.to_owned(), version.to_owned()))
}

/// The checksums in `Cargo.lock`.
pub(crate) fn checksums(folder: &Path) -> anyhow::Result<BTreeMap<Key, String>> {
    let file = folder.join("Cargo.lock");
    let lock: Lock = Figment::from(Toml::file_exact(&file))
        .extract()
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let packages = lock.package.into_iter();
    Ok(packages
        .filter_map(|package| Some(((package.name, package.version), package.checksum?)))
        .collect())
}

/// What cargo knows of all crates, of each platform.
pub(crate) fn metadata(folder: &Path) -> anyhow::Result<Metadata> {
    let text = cargo(folder, &["metadata", "--locked", "--format-version", "1"])?;
    serde_json::from_str(&text).context("the output of cargo metadata cannot be read")
}

fn cargo(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("cargo")
        .args(arguments)
        .current_dir(folder)
        .output()
        .context("cannot start cargo; it must be on the PATH")?;
    if !output.status.success() {
        bail!(
            "`cargo {}` failed: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    String::from_utf8(output.stdout).context("the output of cargo is not UTF-8")
}
