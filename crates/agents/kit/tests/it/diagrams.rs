//! The page with the graphs of all assistants shows those of their own pages, which tests of each
//! assistant hold to its graph.

use std::fs;
use std::path::Path;

const ASSISTANTS: [&str; 4] = ["site", "data", "advisor", "analyst"];

/// The drawings of a document.
fn drawings(document: &str) -> Vec<&str> {
    let parts = document.split("```mermaid\n").skip(1);
    parts
        .filter_map(|part| part.split_once("\n```").map(|(drawing, _)| drawing))
        .collect()
}

#[test]
fn the_page_of_graphs_shows_every_assistant_as_it_is() {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(agents.join("../../docs/assistants.md")).unwrap();
    let own: Vec<String> = ASSISTANTS
        .iter()
        .map(|name| fs::read_to_string(agents.join(name).join("docs/graph.md")).unwrap())
        .collect();
    let expected: Vec<&str> = own.iter().flat_map(|document| drawings(document)).collect();
    assert!(expected.len() >= ASSISTANTS.len());
    assert_eq!(
        drawings(&page),
        expected,
        "docs/assistants.md should have these drawings"
    );
}
