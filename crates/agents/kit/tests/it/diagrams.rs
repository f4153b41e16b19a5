//! The page with the graphs of all assistants shows those of their own pages, which tests of each
//! assistant hold to its graph.

use std::fs;
use std::path::Path;

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
    let folders = fs::read_dir(&agents).unwrap().map(|entry| entry.unwrap());
    let own: Vec<String> = folders
        .filter_map(|folder| fs::read_to_string(folder.path().join("docs/graph.md")).ok())
        .collect();
    let mut expected: Vec<&str> = own.iter().flat_map(|document| drawings(document)).collect();
    assert!(expected.len() >= own.len() && own.len() >= 4);
    let mut shown = drawings(&page);
    expected.sort_unstable();
    shown.sort_unstable();
    assert_eq!(shown, expected, "run `cargo xtask diagrams`");
}
