//! Event streams: the schema of a stream is that of the data of its events. Where an event has a name, another says which data it comes
//! with.

use serde_json::{Value, json};

use super::{operations, reference, referred};

/// The data of the events that have names, and the schema of both.
const NAMED: (&str, &str) = ("NamedEvent", "NamedEventFrame");

/// Says of a stream of named events which name comes with which data, in the member `x-event-schema` of its media type.
pub(super) fn name_events(document: &mut Value) {
    for (_path, operation) in operations(document) {
        let answer = operation
            .get_mut("responses")
            .and_then(|answers| answers.pointer_mut("/200/content/text~1event-stream"));
        if let Some(content) = answer
            && referred(&content["schema"]) == Some(NAMED.0)
        {
            content["x-event-schema"] = json!({ "$ref": reference(NAMED.1) });
        }
    }
}
