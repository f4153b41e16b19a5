//! Event streams: the schema of a stream is that of the data of its events. Where an event has a
//! name, another says which data it comes with. Calls of the tools that a page draws carry
//! arguments with schemas of their own.

use serde_json::{Map, Value, json};

use super::{operations, reference, referred};

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
