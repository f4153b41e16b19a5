//! Event streams: the schema of a stream is that of the data of its events. Where an event has a
//! name, another says which data it comes with. Calls of the tools that a page draws carry
//! arguments with schemas of their own.

use serde_json::{Map, Value, json};

use super::{operations, reference, referred};
use crate::threads::Dialect;

/// The media type of most streams.
const EVENTS: &str = "text/event-stream";

/// The data of one event of a run in any dialect, and the parameter that chooses the dialect.
const ANY: (&str, &str) = ("RunStreamEvent", "dialect");

/// The data of the events that have names, and the schema of both.
const NAMED: (&str, &str) = ("NamedEvent", "NamedEventFrame");

/// The tools that a page draws, and the schemas of their arguments.
const DRAWN: [(&str, &str); 2] = [
    ("render_ui_component", "RenderUiComponent"),
    ("request_user_selection", "RequestUserSelection"),
];

/// Says of a stream of named events which name comes with which data, in the member
/// `x-event-schema` of its media type, and of every stream what the drawn tools are given, in
/// `x-tool-inputs`.
pub(super) fn name_events(document: &mut Value) {
    for (_path, operation) in operations(document) {
        let answer = operation
            .get_mut("responses")
            .and_then(|answers| answers.pointer_mut("/200/content/text~1event-stream"));
        let Some(content) = answer else { continue };
        if referred(&content["schema"]) == Some(NAMED.0) {
            content["x-event-schema"] = json!({ "$ref": reference(NAMED.1) });
        }
        let drawn =
            DRAWN.map(|(tool, schema)| (tool.to_owned(), json!({ "$ref": reference(schema) })));
        content["x-tool-inputs"] = drawn.into_iter().collect::<Map<_, _>>().into();
    }
}

/// Adds the media types of the dialects that are not event streams to the operations that answer in
/// any dialect.
pub(super) fn add_media_types(document: &mut Value) {
    let others: Vec<&str> = Dialect::ALL
        .into_iter()
        .map(Dialect::media_type)
        .filter(|media_type| *media_type != EVENTS)
        .collect();
    for (_path, operation) in operations(document) {
        let parameters = operation.get("parameters").and_then(Value::as_array);
        let is_any = parameters
            .into_iter()
            .flatten()
            .any(|parameter| parameter["name"] == ANY.1);
        let content = operation
            .get_mut("responses")
            .and_then(|answers| answers.pointer_mut("/200/content"));
        let Some(content) = content.filter(|content| is_any && content.get(EVENTS).is_some())
        else {
            continue;
        };
        for media_type in &others {
            content[*media_type] = json!({ "schema": { "$ref": reference(ANY.0) } });
        }
    }
}
