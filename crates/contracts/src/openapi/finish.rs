//! Additions to a document beside what is declared with each operation, so that clients generated
//! from it are whole.
//!
//! The derive macros write down each type as serde sees it. Generators need more: a name for each
//! variant of a union and the member that distinguishes them, one copy of each schema, every answer
//! that the layers around a handler give. All of it follows from what is in the document already,
//! so it is added here, for each operation and type alike.

mod answers;
mod parameters;
mod references;
mod shapes;
mod streams;
mod tools;
mod unions;
mod words;

use serde_json::{Map, Value};
use utoipa::openapi::OpenApi;

/// Completes a document. `tools` is the document of the tools service, whose operations the bff
/// has, too.
pub(super) fn finish(document: OpenApi, tools: Option<OpenApi>) -> Value {
    let mut document = to_value(document);
    let passes_on = tools.is_some();
    if let Some(tools) = tools {
        let mut tools = to_value(tools);
        references::link(&mut tools);
        tools::adopt(&mut document, tools);
    }
    tools::free_bodies(&mut document);
    references::link(&mut document);
    unions::name_variants(&mut document);
    shapes::untangle(&mut document);
    shapes::bound_dates(&mut document);
    streams::name_events(&mut document);
    streams::add_media_types(&mut document);
    parameters::constrain(&mut document);
    answers::complete(&mut document, passes_on);
    words::complete(&mut document);
    references::prune(&mut document);
    document
}

fn to_value(document: OpenApi) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}

/// The schemas of a document by name.
fn schemas(document: &mut Value) -> Option<&mut Map<String, Value>> {
    document.pointer_mut("/components/schemas")?.as_object_mut()
}

/// Every operation, with its path.
fn operations(document: &mut Value) -> impl Iterator<Item = (&String, &mut Map<String, Value>)> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    paths.into_iter().flatten().flat_map(|(path, item)| {
        let operations = item.as_object_mut().into_iter().flatten();
        operations.filter_map(move |(_method, operation)| Some((path, operation.as_object_mut()?)))
    })
}

/// Changes each value of a tree, the outer before the inner. Examples are not schemas and stay as
/// they are.
fn visit(value: &mut Value, change: &mut impl FnMut(&mut Value)) {
    change(value);
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if !matches!(
                    name.as_str(),
                    "example" | "examples" | "default" | "enum" | "const"
                ) {
                    visit(member, change);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, change)),
        _ => {}
    }
}

/// `tool-input-available` as `ToolInputAvailable`.
fn pascal(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| {
                first.to_uppercase().chain(letters).collect()
            })
        })
        .collect()
}

/// The reference to a schema.
fn reference(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// The name of a schema that is referred to.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"]
        .as_str()?
        .strip_prefix("#/components/schemas/")
}
