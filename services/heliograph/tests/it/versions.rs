//! The version of the workspace, in the files that cannot read it from `Cargo.toml`.

use std::path::Path;

/// The files, and what precedes the version in each.
const NAMED: [(&str, &str); 11] = [
    ("clients/python/pyproject.toml", "\nversion = \""),
    ("clients/rust/Cargo.toml", "\nversion = \""),
    ("clients/typescript/package.json", "\n  \"version\": \""),
    ("deploy/.env.example", "\nVERSION="),
    ("deploy/images/Dockerfile", "\nARG VERSION="),
    ("deploy/k8s/base/kustomization.yaml", "newTag: "),
    (
        "deploy/k8s/first-administrator/kustomization.yaml",
        "newTag: ",
    ),
    ("docs/operating.md", "localhost/heliograph-tools:"),
    ("openapi/bff.json", "\n    \"version\": \""),
    ("openapi/orchestrator.json", "\n    \"version\": \""),
    ("openapi/tools.json", "\n    \"version\": \""),
];

#[test]
fn each_file_with_the_version_has_that_of_the_workspace() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (file, before) in NAMED {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        let found: Vec<&str> = text
            .split(before)
            .skip(1)
            .map(|rest| {
                let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.');
                &rest[..end.unwrap_or(rest.len())]
            })
            .collect();
        assert!(!found.is_empty(), "{file} names no version");
        for version in found {
            assert_eq!(version, env!("CARGO_PKG_VERSION"), "{file}");
        }
    }
}
