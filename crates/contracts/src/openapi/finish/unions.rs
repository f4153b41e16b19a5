//! Unions: each variant is a schema with a name, and the member that distinguishes them is
//! declared.

use serde_json::{Map, Value, json};

use super::{pascal, reference, referred, schemas};

/// Gives each variant of a tagged union a name, its title, and declares which member distinguishes
/// them.
pub(super) fn name_variants(document: &mut Value) {
    let Some(known) = schemas(document) else {
        return;
    };
    let names: Vec<String> = known.keys().cloned().collect();
    for name in &names {
        let Some(tag) = known.get(name).and_then(tag) else {
            continue;
        };
        let Some(variants) = known[name]["oneOf"].as_array().cloned() else {
            continue;
        };
        let mut references = Vec::new();
        let mut mapping = Map::new();
        for variant in variants {
            let Some(value) = tag_value(&variant, &tag).map(str::to_owned) else {
                continue;
            };
            let variant_name = format!("{name}{}", pascal(&value));
            let link = reference(&variant_name);
            references.push(json!({ "$ref": link }));
            mapping.insert(value.clone(), Value::from(link));
            known.insert(
                variant_name.clone(),
                named(variant, &variant_name, &tag, &value),
            );
        }
        known[name]["oneOf"] = Value::from(references);
        known[name]["discriminator"] = json!({ "propertyName": tag, "mapping": mapping });
    }
    for name in &names {
        distribute(known, name);
        admit_overlaps(known, name);
    }
    for name in &names {
        title_variants(known, name);
    }
}

/// The member that has another single value in each variant.
fn tag(union: &Value) -> Option<String> {
    let variants = union.get("oneOf")?.as_array()?;
    let first = own_properties(variants.first()?)?;
    first
        .keys()
        .find(|name| {
            variants
                .iter()
                .all(|variant| tag_value(variant, name).is_some())
        })
        .cloned()
}

/// The only value that a member of a variant may have.
fn tag_value<'a>(variant: &'a Value, tag: &str) -> Option<&'a str> {
    let member = own_properties(variant)?.get(tag)?;
    match member.get("enum")?.as_array()?.as_slice() {
        [Value::String(only)] => Some(only),
        _ => None,
    }
}

/// The members that a variant writes out: its own, or those beside the type that it holds.
fn own_properties(variant: &Value) -> Option<&Map<String, Value>> {
    let object = match variant.get("allOf").and_then(Value::as_array) {
        Some(parts) => parts.iter().find(|part| part.get("properties").is_some())?,
        None => variant,
    };
    object.get("properties")?.as_object()
}

/// A variant with its name as title and its tag first and constant.
fn named(mut variant: Value, name: &str, tag: &str, value: &str) -> Value {
    let is_own = variant.get("properties").is_some();
    let object = if is_own {
        Some(&mut variant)
    } else {
        let parts = variant.get_mut("allOf").and_then(Value::as_array_mut);
        parts.and_then(|parts| {
            parts
                .iter_mut()
                .find(|part| part.get("properties").is_some())
        })
    };
    if let Some(object) = object
        && let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut)
    {
        let mut members = std::mem::take(properties);
        members.shift_remove(tag);
        properties.insert(tag.to_owned(), json!({ "type": "string", "const": value }));
        properties.extend(members);
    }
    if let Some(members) = variant.as_object_mut() {
        members.insert("title".to_owned(), Value::from(name));
    }
    variant
}

/// Turns a union with further members, which few generators can read, into a union of variants that
/// have them each.
fn distribute(known: &mut Map<String, Value>, name: &str) {
    let Some(parts) = known[name]["allOf"].as_array().cloned() else {
        return;
    };
    let union = parts.iter().find_map(|part| {
        let union = known.get(referred(part)?)?;
        union.get("discriminator").is_some().then(|| union.clone())
    });
    let Some(union) = union else { return };
    let rest: Vec<&Value> = parts
        .iter()
        .filter(|part| part.get("properties").is_some())
        .collect();
    let Some(mapping) = union["discriminator"]["mapping"].as_object() else {
        return;
    };
    let mut references = Vec::new();
    let mut new_mapping = Map::new();
    for (value, link) in mapping {
        let variant_name = format!("{name}{}", pascal(value));
        let Some(mut variant) = referred(&json!({ "$ref": link }))
            .and_then(|name| known.get(name))
            .cloned()
        else {
            continue;
        };
        for more in &rest {
            merge(&mut variant, more);
        }
        variant["title"] = Value::from(variant_name.as_str());
        references.push(json!({ "$ref": reference(&variant_name) }));
        new_mapping.insert(value.clone(), Value::from(reference(&variant_name)));
        known.insert(variant_name, variant);
    }
    if let Some(schema) = known[name].as_object_mut() {
        schema.shift_remove("allOf");
        schema.insert("oneOf".to_owned(), Value::from(references));
        let tag = &union["discriminator"]["propertyName"];
        let discriminator = json!({ "propertyName": tag, "mapping": new_mapping });
        schema.insert("discriminator".to_owned(), discriminator);
    }
}

/// If no member distinguishes variants, one value may be of several: an `anyOf`.
fn admit_overlaps(known: &mut Map<String, Value>, name: &str) {
    let Some(schema) = known.get_mut(name).and_then(Value::as_object_mut) else {
        return;
    };
    let is_named = |variants: &Value| {
        let variants = variants.as_array().into_iter().flatten();
        variants.clone().count() > 1 && variants.clone().all(|variant| referred(variant).is_some())
    };
    if !schema.contains_key("discriminator")
        && schema.get("oneOf").is_some_and(is_named)
        && let Some(variants) = schema.shift_remove("oneOf")
    {
        schema.insert("anyOf".to_owned(), variants);
    }
}

/// Adds the members of an object's schema to another's.
fn merge(schema: &mut Value, more: &Value) {
    if let Some(members) = more["properties"].as_object() {
        for (name, member) in members {
            schema["properties"][name.as_str()] = member.clone();
        }
    }
    if let Some(required) = more["required"].as_array()
        && let Some(all) = schema["required"].as_array_mut()
    {
        all.extend(required.iter().cloned());
    }
}

/// A schema that is a variant of a union has its name as its title.
fn title_variants(known: &mut Map<String, Value>, union: &str) {
    let variants: Vec<String> = ["oneOf", "anyOf"]
        .iter()
        .filter_map(|kind| known[union][*kind].as_array())
        .flatten()
        .filter_map(|variant| referred(variant).map(str::to_owned))
        .collect();
    for name in variants {
        if let Some(schema) = known.get_mut(&name).and_then(Value::as_object_mut) {
            schema.entry("title").or_insert_with(|| Value::from(name));
        }
    }
}
