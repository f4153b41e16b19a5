//! The drawing in the documentation is the graph's own.

use std::{fs, path::Path};

#[test]
fn the_document_shows_the_graph_as_it_is() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/graph.md");
    let drawn = agent_analyst::build_graph().unwrap().to_mermaid();
    let expected = format!("```mermaid\n{}\n```", drawn.trim_end());
    let document = fs::read_to_string(&path).unwrap();
    assert!(
        document.contains(&expected),
        "docs/graph.md should contain:\n{expected}"
    );
}
