//! Words: a short summary and the whole description of each operation, which credentials it takes,
//! who answers for the document.

use serde_json::{Map, Value, json};

use super::operations;

/// The length of a summary, in bytes, where its sentence can be cut.
const LONGEST_SUMMARY: usize = 120;

pub(super) fn complete(document: &mut Value) {
    document["info"]["contact"] = json!({ "name": "Heliograph", "url": "https://heliograph.dev" });
    if document.get("servers").is_none()
        && let Some(members) = document.as_object_mut()
    {
        let servers =
            json!([{ "url": "/", "description": "The service that this document is of" }]);
        members.insert("servers".to_owned(), servers);
    }
    for (_path, operation) in operations(document) {
        let scopes = credentials(operation);
        describe(operation, &scopes);
    }
}

/// Says of an open operation that it is, and takes scopes out of the schemes that know none;
/// returns them.
fn credentials(operation: &mut Map<String, Value>) -> Vec<String> {
    let mut scopes = Vec::new();
    let security = operation.entry("security").or_insert_with(|| json!([]));
    if let Some(ways) = security.as_array_mut() {
        ways.retain(|way| way.as_object().is_some_and(|way| !way.is_empty()));
        for way in ways {
            for needed in way.as_object_mut().into_iter().flat_map(Map::values_mut) {
                let needed = std::mem::replace(needed, json!([]));
                let names = needed.as_array().into_iter().flatten();
                scopes.extend(names.filter_map(|name| name.as_str().map(str::to_owned)));
            }
        }
    }
    scopes
}

/// The first sentence is the summary; the description is all of it.
fn describe(operation: &mut Map<String, Value>, scopes: &[String]) {
    let summary = operation
        .get("summary")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let more = operation
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut whole = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    if !more.is_empty() {
        whole = format!("{whole}\n\n{more}");
    }
    let short = first_words(&whole);
    for scope in scopes {
        whole = format!("{whole}\n\nNeeds the scope `{scope}`.");
    }
    operation.insert("summary".to_owned(), Value::from(short));
    operation.insert("description".to_owned(), Value::from(whole));
    if !scopes.is_empty() {
        operation.insert("x-required-scopes".to_owned(), json!(scopes));
    }
}

/// The first sentence, or as much of it as makes a line.
fn first_words(text: &str) -> String {
    let end = text.find(". ").or(text.find("\n\n")).unwrap_or(text.len());
    let mut short = &text[..end];
    while short.len() > LONGEST_SUMMARY
        && let Some(end) = short.rfind([',', ':', ';'])
    {
        short = &short[..end];
    }
    short.trim_end_matches('.').to_owned()
}
