//! The committed documents are those that the contracts make.

use std::path::Path;

#[test]
fn committed_documents_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi");
    let documents = contracts::openapi::documents();
    assert_eq!(documents.len(), 3);
    for (name, text) in documents {
        let committed = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        assert!(
            committed == text,
            "openapi/{name}.json is not up to date; run `cargo run -- openapi`"
        );
    }
}

/// Clients are generated from the documents: each response needs a description, each reference a target.
#[test]
fn documents_are_complete_in_themselves() {
    for (name, text) in contracts::openapi::documents() {
        let document: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["openapi"], "3.1.0", "{name}");
        let mut references = Vec::new();
        collect(&document, &mut references);
        assert!(!references.is_empty(), "{name}");
        for reference in references {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(
                document.pointer(pointer).is_some(),
                "{name}: {reference} leads nowhere"
            );
        }
    }
}

fn collect<'a>(value: &'a serde_json::Value, references: &mut Vec<&'a str>) {
    match value {
        serde_json::Value::Object(object) => {
            references.extend(object.get("$ref").and_then(|reference| reference.as_str()));
            object.values().for_each(|value| collect(value, references));
        }
        serde_json::Value::Array(items) => {
            for item in items {
                collect(item, references);
            }
        }
        _ => {}
    }
}
