//! The arrows between our crates, as deny.toml draws them. `cargo deny` checks the same and more; this runs wherever cargo does.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde::Deserialize;

#[derive(Deserialize)]
struct Deny {
    bans: Bans,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    name: String,
    #[serde(default)]
    wrappers: BTreeSet<String>,
    reason: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
}

fn metadata() -> Metadata {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn crates_use_only_what_is_below_them() {
    use figment::providers::{Format, Toml};
    let rules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deny.toml");
    let rules: Deny = figment::Figment::from(Toml::file_exact(rules))
        .extract()
        .unwrap();
    let rules: BTreeMap<_, _> = rules
        .bans
        .deny
        .into_iter()
        .map(|ban| (ban.name.clone(), ban))
        .collect();
    let metadata = metadata();
    assert!(
        metadata.packages.len() >= 13,
        "every crate of the workspace is looked at"
    );
    let mut faults = Vec::new();
    for package in &metadata.packages {
        for dependency in &package.dependencies {
            if let Some(ban) = rules.get(&dependency.name)
                && !ban.wrappers.contains(&package.name)
            {
                faults.push(format!(
                    "{} uses {}: {}",
                    package.name, ban.name, ban.reason
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Engines and contracts build without servers, databases and clients.
#[test]
fn engines_and_contracts_stay_light() {
    let light = ["contracts", "graph", "solar"];
    let heavy = ["axum", "sqlx", "reqwest", "service-kit", "hyper"];
    let found: Vec<String> = metadata()
        .packages
        .iter()
        .filter(|package| light.contains(&package.name.as_str()))
        .flat_map(|package| {
            package
                .dependencies
                .iter()
                .map(move |dependency| (&package.name, &dependency.name))
        })
        .filter(|(_, dependency)| heavy.contains(&dependency.as_str()))
        .map(|(package, dependency)| format!("{package} uses {dependency}"))
        .collect();
    assert!(found.is_empty(), "{found:?}");
}
