//! The fields of an index, from its mapping.
//!
//! An alias may represent several indices: a field is one of it if they agree on its type. What a
//! query cannot use is left out: fields that are not indexed, lists of objects that are searched as
//! a whole (`nested`), shapes, vectors. An alias of a field is a synonym of it, as records do not
//! have it.

use std::collections::BTreeMap;

use contracts::tools::search::{FieldType, IndexDescription};
use serde_json::{Map, Value};

use crate::glossary::{FoundField, describe};
use crate::{IndexConfig, SourceConfig};

/// How deep objects may are in each other.
const MAX_DEPTH: usize = 8;

/// Maximum number of fields in an index.
const MAX_FIELDS: usize = 1_000;

/// The description of an index from the answer to `GET /{index}/_mapping`; `None` if the answer is
/// not a mapping.
pub(super) fn index_of(
    config: &SourceConfig,
    index: &IndexConfig,
    body: &Value,
) -> Option<IndexDescription> {
    let mut fields: BTreeMap<String, Option<FoundField>> = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    for of_one in body.as_object()?.values() {
        let mut reader = Reader::default();
        let properties = of_one.pointer("/mappings/properties");
        if let Some(properties) = properties.and_then(Value::as_object) {
            reader.properties(properties, "", 0);
        }
        for field in reader.with_synonyms() {
            match fields.get_mut(&field.name) {
                None => {
                    names.push(field.name.clone());
                    fields.insert(field.name.clone(), Some(field));
                }
                Some(known) => {
                    let agrees = known.as_ref().is_some_and(|known| {
                        known.field_type == field.field_type
                            && known.exact_field == field.exact_field
                    });
                    if !agrees {
                        *known = None;
                    }
                }
            }
        }
    }
    let found = names
        .iter()
        .filter_map(|name| fields.remove(name).flatten())
        .take(MAX_FIELDS)
        .collect();
    Some(describe(config, index, found))
}

#[derive(Default)]
struct Reader {
    fields: Vec<FoundField>,
    /// Other names, and the fields they represent.
    aliases: Vec<(String, String)>,
}

impl Reader {
    fn properties(&mut self, properties: &Map<String, Value>, prefix: &str, depth: usize) {
        for (name, property) in properties {
            let name = format!("{prefix}{name}");
            let kind = property.get("type").and_then(Value::as_str);
            let members = property.get("properties").and_then(Value::as_object);
            match (kind, members) {
                (None | Some("object"), Some(members)) if depth < MAX_DEPTH => {
                    if property.get("enabled") != Some(&Value::Bool(false)) {
                        self.properties(members, &format!("{name}."), depth + 1);
                    }
                }
                (Some("alias"), _) => {
                    if let Some(path) = property.get("path").and_then(Value::as_str) {
                        self.aliases.push((name, path.to_owned()));
                    }
                }
                (Some(kind), _) => self.fields.extend(field(&name, kind, property)),
                (None, _) => {}
            }
        }
    }

    fn with_synonyms(mut self) -> Vec<FoundField> {
        for (alias, path) in &self.aliases {
            if let Some(field) = self.fields.iter_mut().find(|field| &field.name == path) {
                field.synonyms.push(alias.clone());
            }
        }
        self.fields
    }
}

fn field(name: &str, kind: &str, property: &Value) -> Option<FoundField> {
    if property.get("index") == Some(&Value::Bool(false)) {
        return None;
    }
    let field_type = field_type(kind)?;
    let mut field = FoundField::new(name, field_type);
    if field_type == FieldType::Text {
        let subfields = property.get("fields").and_then(Value::as_object);
        let exact = subfields.into_iter().flatten().find(|(_, subfield)| {
            let kind = subfield.get("type").and_then(Value::as_str);
            kind.and_then(self::field_type) == Some(FieldType::Keyword)
                && subfield.get("index") != Some(&Value::Bool(false))
        });
        field.exact_field = exact.map(|(subfield, _)| format!("{name}.{subfield}"));
    }
    Some(field)
}

fn field_type(kind: &str) -> Option<FieldType> {
    Some(match kind {
        "keyword" | "constant_keyword" | "wildcard" | "ip" | "version" => FieldType::Keyword,
        "text" | "match_only_text" | "search_as_you_type" => FieldType::Text,
        "long" | "integer" | "short" | "byte" | "unsigned_long" => FieldType::Long,
        "double" | "float" | "half_float" | "scaled_float" => FieldType::Double,
        "date" | "date_nanos" => FieldType::Date,
        "boolean" => FieldType::Boolean,
        _ => return None,
    })
}
