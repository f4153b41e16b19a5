//! The configurations in `deploy/config` are complete and say what the defaults are.

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use service_kit::config::{Loader, Validate};

fn file(service: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/config"))
        .join(format!("{service}.toml"))
}

fn check<T: Serialize + DeserializeOwned + Default + Validate>(service: &str) {
    let path = file(service);
    let no_environment: [(String, String); 0] = [];
    let loaded: T = Loader::new(service)
        .file(Some(&path))
        .environment(no_environment)
        .load(&T::default())
        .unwrap();
    let (loaded, default) = (
        serde_json::to_value(loaded).unwrap(),
        serde_json::to_value(T::default()).unwrap(),
    );
    assert_eq!(loaded, default, "{service}.toml says what the defaults are");

    let text = std::fs::read_to_string(&path).unwrap();
    let documented = |key: &str| {
        text.lines().any(|line| {
            let line = line.trim_start_matches("# ");
            line.starts_with(&format!("{key} =")) || line == format!("[[{key}]]")
        })
    };
    let lacking = |section: &str| !text.contains(&format!("[{section}]"));
    let missing = missing("", &default, &documented, &lacking);
    assert!(missing.is_empty(), "{service}.toml lacks {missing:?}");
}

/// The keys and sections that a file does not have, by their full names.
fn missing(
    within: &str,
    value: &Value,
    documented: &impl Fn(&str) -> bool,
    lacking: &impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut all = Vec::new();
    for (key, value) in value.as_object().unwrap() {
        let name = format!("{within}{key}");
        if value.is_object() {
            if lacking(&name) {
                all.push(format!("[{name}]"));
            }
            all.extend(missing(&format!("{name}."), value, documented, lacking));
        } else if !documented(key) {
            all.push(name);
        }
    }
    all
}

#[test]
fn the_tools_services_is_complete() {
    check::<tools::Config>("tools");
}

#[test]
fn the_orchestrators_is_complete() {
    check::<orchestrator::Config>("orchestrator");
}

#[test]
fn the_bffs_is_complete() {
    check::<bff::Config>("bff");
}

#[test]
fn that_of_heliograph_itself_is_complete() {
    check::<heliograph::config::Config>("heliograph");
}
