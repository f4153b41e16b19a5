//! Holds the frames of runs' streams against the schemas that clients are generated from.

use std::sync::LazyLock;

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use super::{Error, Event};

/// The schemas of the dialects' events and of what two tools carry that pages draw, each closed: a
/// member that no schema names is a fault.
static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| Schemas {
    ui_messages: validator("UiMessageStreamEvent"),
    agent_events: validator("AgentEvent"),
    named_events: validator("NamedEventFrame"),
    run_events: validator("RunEvent"),
    drawing: validator("RenderUiComponent"),
    selection: validator("RequestUserSelection"),
});

struct Schemas {
    ui_messages: Validator,
    agent_events: Validator,
    named_events: Validator,
    run_events: Validator,
    drawing: Validator,
    selection: Validator,
}

/// Checks one event of a run's stream, of whichever dialect it is.
pub(super) fn check(event: &Event) -> Result<(), Error> {
    let refused = |fault: String| Error::Contract {
        fault,
        event: event.event.clone(),
        data: event.data.clone(),
    };
    if event.data == "[DONE]" {
        return first_fault(&SCHEMAS.ui_messages, &json!("[DONE]")).map_err(refused);
    }
    let data = event.json().map_err(|error| refused(error.to_string()))?;
    if let Some(name) = &event.event {
        let frame = json!({ "event": name, "data": data });
        first_fault(&SCHEMAS.named_events, &frame).map_err(refused)?;
        return carried(&data["name"], &data["arguments"]).map_err(refused);
    }
    if data.get("event").is_some() {
        if SCHEMAS.run_events.is_valid(&data) {
            return Ok(());
        }
        return first_fault(&SCHEMAS.agent_events, &data).map_err(refused);
    }
    first_fault(&SCHEMAS.ui_messages, &data).map_err(refused)?;
    carried(&data["toolName"], &data["input"]).map_err(refused)
}

/// Checks what is drawn or asked.
fn carried(tool: &Value, arguments: &Value) -> Result<(), String> {
    match tool.as_str() {
        _ if arguments.is_null() => Ok(()),
        Some("render_ui_component") => first_fault(&SCHEMAS.drawing, arguments),
        Some("request_user_selection") => first_fault(&SCHEMAS.selection, arguments),
        _ => Ok(()),
    }
}

fn first_fault(validator: &Validator, value: &Value) -> Result<(), String> {
    let fault = |error: jsonschema::ValidationError<'_>| {
        let mut detail = error.to_string();
        if let jsonschema::error::ValidationErrorKind::OneOfNotValid { context } = error.kind() {
            let reasons = context.iter().flatten();
            let reasons: Vec<String> = reasons
                .map(|reason| format!("{} at {}", reason, reason.instance_path()))
                .collect();
            detail = format!("{detail}: {}", reasons.join("; "));
        }
        format!("{detail} at {:?}", error.instance_path().to_string())
    };
    validator.validate(value).map_err(fault)
}

#[expect(clippy::panic, reason = "a document without the schema is the fault")]
fn validator(name: &str) -> Validator {
    let Some(mut schema) = contracts::openapi::schema(name) else {
        panic!("no document has the schema {name}");
    };
    close(&mut schema["components"]["schemas"]);
    let built = jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(&schema);
    match built {
        Ok(validator) => validator,
        Err(error) => panic!("the schema {name} is broken: {error}"),
    }
}

/// Closes the objects that are not part of another.
fn close(schemas: &mut Value) {
    let mut parts = Vec::new();
    collect_parts(schemas, &mut parts);
    for (name, schema) in schemas.as_object_mut().into_iter().flatten() {
        if parts.contains(name) {
            continue;
        }
        if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
            schema["additionalProperties"] = Value::Bool(false);
        } else if schema.get("allOf").is_some() {
            schema["unevaluatedProperties"] = Value::Bool(false);
        }
    }
}

/// The schemas that others are made of.
fn collect_parts(value: &Value, parts: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let wholes = members.get("allOf").and_then(Value::as_array);
            for part in wholes.into_iter().flatten() {
                let name = part["$ref"]
                    .as_str()
                    .and_then(|link| link.rsplit('/').next());
                parts.extend(name.map(str::to_owned));
            }
            members
                .values()
                .for_each(|member| collect_parts(member, parts));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_parts(item, parts)),
        _ => {}
    }
}
