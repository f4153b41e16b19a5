//! The committed documents are those that the contracts make.

use std::path::Path;

use serde_json::Value;

#[test]
fn committed_documents_are_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi");
    let documents = contracts::openapi::documents();
    assert_eq!(documents.len(), 3);
    for (name, text) in documents {
        let committed = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        assert!(
            committed == text,
            "openapi/{name}.json is not up to date; run `cargo xtask openapi`"
        );
    }
}

/// Clients are generated from the documents: each response needs a description, each reference a
/// target.
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

/// Generators need a name for each variant, and know which it is by a member that all have.
#[test]
fn variants_of_unions_have_names_titles_and_a_member_that_tells_them_apart() {
    for (name, text) in contracts::openapi::documents() {
        let document: Value = serde_json::from_str(&text).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        for (schema_name, schema) in schemas {
            let place = format!("{name}: {schema_name}");
            for kind in ["oneOf", "anyOf"] {
                for variant in schema[kind].as_array().into_iter().flatten() {
                    let link = variant["$ref"].as_str().expect(&place);
                    let variant = document.pointer(&link[1..]).unwrap();
                    assert_eq!(
                        variant["title"].as_str(),
                        link.rsplit('/').next(),
                        "{place}"
                    );
                }
            }
            if schema.get("oneOf").is_some() {
                let tag = schema["discriminator"]["propertyName"]
                    .as_str()
                    .expect(&place);
                for link in schema["discriminator"]["mapping"]
                    .as_object()
                    .unwrap()
                    .values()
                {
                    let variant = document.pointer(&link.as_str().unwrap()[1..]).unwrap();
                    assert!(variant["properties"][tag]["const"].is_string(), "{place}");
                }
            }
        }
    }
}

#[test]
fn the_ui_stream_is_spelled_as_on_the_wire() {
    let document = contracts::openapi::bff_document();
    let schemas = &document["components"]["schemas"];
    let chunks = schemas["UiMessageChunk"]["discriminator"]["mapping"]
        .as_object()
        .unwrap();
    for link in chunks.values() {
        let chunk = document.pointer(&link.as_str().unwrap()[1..]).unwrap();
        for member in chunk["properties"].as_object().unwrap().keys() {
            assert!(!member.contains('_'), "{link}: {member}");
        }
    }
}

#[test]
fn named_events_and_their_data_belong_together() {
    let document = contracts::openapi::bff_document();
    let content = &document["paths"]["/api/messages"]["post"]["responses"]["200"]["content"];
    assert_eq!(
        content["text/event-stream"]["x-event-schema"]["$ref"],
        "#/components/schemas/NamedEventFrame"
    );
    let names = document["components"]["schemas"]["NamedEventFrame"]["discriminator"]["mapping"]
        .as_object();
    let names: Vec<&str> = names.unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "message",
            "tool_use",
            "tool_result",
            "warning",
            "plan",
            "error",
            "done"
        ]
    );
}

#[test]
fn every_schema_is_used_and_every_operation_is_described() {
    for (name, text) in contracts::openapi::documents() {
        let document: Value = serde_json::from_str(&text).unwrap();
        let mut references = Vec::new();
        collect(&document, &mut references);
        for schema in document["components"]["schemas"]
            .as_object()
            .unwrap()
            .keys()
        {
            let link = format!("#/components/schemas/{schema}");
            assert!(
                references.contains(&link.as_str()),
                "{name}: {schema} is not used"
            );
        }
        for (path, item) in document["paths"].as_object().unwrap() {
            for operation in item.as_object().unwrap().values() {
                let place = format!("{name}: {path}");
                assert!(
                    !operation["description"].as_str().unwrap().is_empty(),
                    "{place}"
                );
                assert!(
                    operation["summary"].as_str().unwrap().len() < 160,
                    "{place}"
                );
                assert!(operation["security"].is_array(), "{place}");
                assert!(operation["responses"].get("400").is_some(), "{place}");
                if operation.get("requestBody").is_some() {
                    for status in ["400", "413", "422", "503"] {
                        assert!(
                            operation["responses"].get(status).is_some(),
                            "{place}: {status}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn each_tool_is_an_operation_of_the_bff_too() {
    let tools = contracts::openapi::tools_document();
    let bff = contracts::openapi::bff_document();
    let calls: Vec<&String> = tools["paths"]
        .as_object()
        .unwrap()
        .keys()
        .filter(|path| path.starts_with("/api/tools/"))
        .collect();
    assert!(calls.len() > 25, "{}", calls.len());
    for path in calls {
        let here = &bff["paths"][path]["post"];
        let there = &tools["paths"][path]["post"];
        assert_eq!(here["requestBody"], there["requestBody"], "{path}");
        assert_eq!(
            here["responses"]["200"], there["responses"]["200"],
            "{path}"
        );
        assert_eq!(here["security"].as_array().unwrap().len(), 2, "{path}");
        assert!(here["responses"].get("429").is_some(), "{path}");
    }
}
