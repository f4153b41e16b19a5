//! The bills of materials of the workspace's own programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sbom::Document;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn names(document: &Document) -> BTreeSet<&str> {
    let components = document.components.iter();
    components.map(|component| &*component.name).collect()
}

#[test]
fn a_program_s_document_has_what_is_linked_into_it_and_nothing_else() {
    let bff = sbom::of(&root(), "bff").unwrap();
    assert_eq!(bff.metadata.component.name, "heliograph-bff");
    let linked = names(&bff);
    for name in ["axum", "sqlx-postgres", "service-kit"] {
        assert!(linked.contains(name), "{name} is missing");
    }
    // Of another program, of macros, of tests, and the program itself.
    for name in ["candle-core", "sql-guard", "syn", "test-support", "bff"] {
        assert!(!linked.contains(name), "{name} is not in the program");
    }
    let tools = sbom::of(&root(), "tools").unwrap();
    assert!(names(&tools).contains("candle-core"));
}

#[test]
fn each_component_has_a_licence_and_a_checksum_and_each_reference_exists() {
    let document = sbom::of(&root(), "orchestrator").unwrap();
    let mut references: BTreeSet<&str> = document
        .components
        .iter()
        .map(|component| &*component.reference)
        .collect();
    assert_eq!(references.len(), document.components.len());
    references.insert(&document.metadata.component.reference);
    for component in &document.components {
        let own = root().join("crates").join(&component.name).is_dir()
            || component.name.starts_with("agent-");
        assert_eq!(component.hashes.len(), usize::from(!own), "{component:?}");
        assert!(!component.licenses.is_empty(), "{component:?}");
    }
    assert_eq!(document.dependencies.len(), references.len());
    for dependency in &document.dependencies {
        assert!(references.contains(&*dependency.r#ref), "{dependency:?}");
        for needed in &dependency.depends_on {
            assert!(references.contains(&**needed), "{needed}");
        }
    }
    let json = serde_json::to_value(&document).unwrap();
    assert_eq!(json["bomFormat"], "CycloneDX");
    assert_eq!(json["metadata"]["component"]["type"], "application");
}

#[test]
fn an_unknown_package_is_refused() {
    let error = sbom::of(&root(), "no-such-package").unwrap_err();
    assert!(error.to_string().contains("no-such-package"), "{error}");
}
