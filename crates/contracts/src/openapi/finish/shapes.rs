//! Shapes that are right and that generators stumble over, said another way.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{pascal, reference, schemas, visit};

pub(super) fn untangle(document: &mut Value) {
    let Some(known) = schemas(document) else {
        return;
    };
    for schema in known.values_mut() {
        visit(schema, &mut drop_open_choice);
        visit(schema, &mut widen_other_members);
    }
    name_colliding_maps(known);
}

/// Dates in the arguments of tools are of the years 1970 to 2200. JSON Schema compares no dates, so
/// a pattern says it.
pub(super) fn bound_dates(document: &mut Value) {
    let known = schemas(document).into_iter().flatten();
    for (_name, schema) in known.filter(|(name, _)| name.ends_with("Arguments")) {
        visit(schema, &mut |schema| {
            if schema["format"] == "date" {
                schema["pattern"] = json!("^(19[7-9][0-9]|2[01][0-9]{2}|2200)-");
            }
        });
    }
}

/// A choice between anything and null is anything.
fn drop_open_choice(schema: &mut Value) {
    let is_open = schema["oneOf"]
        .as_array()
        .is_some_and(|choices| choices.contains(&json!({})));
    if is_open && let Some(members) = schema.as_object_mut() {
        members.shift_remove("oneOf");
    }
}

/// The type of members without a name of their own has to admit those with one: in TypeScript both
/// are of one index signature.
fn widen_other_members(schema: &mut Value) {
    let types = |schema: &Value| -> Option<Vec<String>> {
        match &schema["type"] {
            Value::String(name) => Some(vec![name.clone()]),
            Value::Array(names) => names
                .iter()
                .map(|name| name.as_str().map(str::to_owned))
                .collect(),
            _ => None,
        }
    };
    let (Some(named), Some(others)) = (
        schema.get("properties").and_then(Value::as_object),
        schema
            .get("additionalProperties")
            .filter(|others| others.is_object()),
    ) else {
        return;
    };
    let all = named
        .values()
        .chain([others])
        .map(types)
        .collect::<Option<Vec<_>>>();
    let Some(all) = all else { return };
    let all: BTreeSet<String> = all.into_iter().flatten().collect();
    let mut widened = Map::new();
    widened.insert("type".to_owned(), json!(all));
    if let Some(description) = others.get("description") {
        widened.insert("description".to_owned(), description.clone());
    }
    schema["additionalProperties"] = Value::Object(widened);
}

/// Generators name a map after the type and the member that it is of. Where another schema has that
/// name, the map gets one.
fn name_colliding_maps(known: &mut Map<String, Value>) {
    let names: BTreeSet<String> = known.keys().cloned().collect();
    let mut maps = Map::new();
    for (name, schema) in known.iter_mut() {
        let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
            continue;
        };
        for (member, schema) in members {
            let implied = format!("{name}{}", pascal(member));
            if schema.get("additionalProperties").is_some() && names.contains(&implied) {
                let map_name = format!("{implied}Map");
                let description = schema["description"].clone();
                let map = std::mem::replace(
                    schema,
                    json!({ "$ref": reference(&map_name), "description": description }),
                );
                maps.insert(map_name, map);
            }
        }
    }
    known.extend(maps);
}
