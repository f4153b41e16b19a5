//! Parameters that mean the same wherever they stand.

use serde_json::{Value, json};

use super::operations;

/// The checks of a parameter with this name.
fn checks(name: &str) -> Option<Value> {
    Some(match name {
        "thread_id" => {
            json!({ "type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[A-Za-z0-9_.:-]+$" })
        }
        "Idempotency-Key" => {
            json!({ "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$" })
        }
        "Last-Event-ID" => json!({ "type": "string", "pattern": "^[0-9]{1,19}$" }),
        _ => return None,
    })
}

pub(super) fn constrain(document: &mut Value) {
    for (_path, operation) in operations(document) {
        let parameters = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap_or_default();
            if let Some(checks) = checks(name) {
                parameter["schema"] = checks;
            } else {
                drop_null(&mut parameter["schema"]);
            }
        }
    }
}

/// A parameter that is not there is left out; there is no null in a URL.
fn drop_null(schema: &mut Value) {
    let null = Value::from("null");
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|one| *one != null);
        if let [only] = types.as_slice() {
            schema["type"] = only.clone();
        }
    }
    if let Some(choices) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        choices.retain(|choice| choice["type"] != null);
        if let [only] = choices.as_slice() {
            *schema = only.clone();
        }
    }
}
