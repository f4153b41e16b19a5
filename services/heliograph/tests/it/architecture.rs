//! ARCHITECTURE.md names every crate of the workspace, and only files that exist.

use std::path::{Path, PathBuf};

use regex::Regex;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The names in backticks of a text.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The rows of the code map: the crates, and the files to open first.
fn code_map(page: &str) -> Vec<(Vec<&str>, Vec<&str>)> {
    let (_, map) = page.split_once("## Code map").unwrap();
    let (map, _) = map.split_once("\n## ").unwrap();
    let rows = map.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "{row}");
        (quoted(cells[0]), quoted(cells[2]))
    })
    .collect()
}

#[test]
fn the_code_map_has_every_crate_and_the_files_to_open_first() {
    let (root, page) = (root(), page());
    let map = code_map(&page);
    for (crates, files) in &map {
        for file in files {
            let exists = |of: &&str| root.join(of.trim_end_matches('…')).join(file).exists();
            let demo = crates.iter().any(|of| of.ends_with('…'));
            assert!(demo || crates.iter().any(exists), "{crates:?}: {file}");
        }
    }
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (_, members) = manifest.split_once("members = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    for member in members.split('"').skip(1).step_by(2) {
        let covers = |of: &str| {
            member == of
                || of
                    .strip_suffix('…')
                    .is_some_and(|of| member.starts_with(of))
        };
        let named = map
            .iter()
            .flat_map(|(crates, _)| crates)
            .any(|of| covers(of));
        assert!(
            named,
            "the code map of ARCHITECTURE.md has no row for {member}"
        );
    }
}

#[test]
fn every_path_of_the_page_exists() {
    let path = Regex::new(r"^(crates|services|docs|deploy)/[\w./-]+$").unwrap();
    let (root, page) = (root(), page());
    let missing: Vec<&str> = quoted(&page)
        .into_iter()
        .filter(|name| path.is_match(name) && !root.join(name).exists())
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
