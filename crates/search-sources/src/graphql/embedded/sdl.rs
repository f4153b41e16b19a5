//! Indices as a schema, named as `PostGraphile` would name their tables.

use std::collections::HashSet;
use std::fmt::Write as _;

use contracts::tools::search::{FieldDescription, FieldType, IndexDescription};

use super::{RecordType, Relation};
use crate::graphql::names::{camel, folded, pascal, same, shouted};

/// What all indices share.
const COMMON: &str = "\
scalar Long
scalar Datetime

input StringFilter {
  isNull: Boolean
  equalTo: String
  distinctFrom: String
  in: [String!]
  noneOf: [String!]
  lessThan: String
  lessThanOrEqualTo: String
  greaterThan: String
  greaterThanOrEqualTo: String
  includesInsensitive: String
}

input BooleanFilter {
  isNull: Boolean
  equalTo: Boolean
  distinctFrom: Boolean
}
";

/// The schema's text, and what its names represent.
pub(super) fn of(indices: &[IndexDescription]) -> (String, Vec<RecordType>) {
    let records = record_types(indices);
    let mut text = COMMON.to_owned();
    for scalar in ["Long", "Float", "Datetime"] {
        ordered_filter(&mut text, scalar);
    }
    text.push_str("\ntype Query {\n");
    for (record, index) in records.iter().zip(indices) {
        root_fields(&mut text, record, index);
    }
    text.push_str("}\n");
    for (record, index) in records.iter().zip(indices) {
        types(&mut text, record, index, &records);
    }
    (text, records)
}

/// The comparisons of values that have an order.
fn ordered_filter(text: &mut String, scalar: &str) {
    let _ = write!(text, "\ninput {scalar}Filter {{\n  isNull: Boolean\n");
    for operator in [
        "equalTo",
        "distinctFrom",
        "lessThan",
        "lessThanOrEqualTo",
        "greaterThan",
        "greaterThanOrEqualTo",
    ] {
        let _ = writeln!(text, "  {operator}: {scalar}");
    }
    let _ = write!(text, "  in: [{scalar}!]\n  noneOf: [{scalar}!]\n}}\n");
}

fn root_fields(text: &mut String, record: &RecordType, index: &IndexDescription) {
    let RecordType {
        name, list, single, ..
    } = record;
    let id = index.id_field.as_deref();
    let id = id.and_then(|id| record.fields.iter().find(|(_, field)| field == id));
    let id_type = id.and_then(|(_, field)| index.fields.iter().find(|known| known.name == *field));
    if let (Some(single), Some((argument, _)), Some(field)) = (single, id, id_type) {
        let scalar = scalar(field);
        let _ = writeln!(text, "  {single}({argument}: {scalar}!): {name}");
    }
    let _ = writeln!(
        text,
        "  {list}({}): {name}Connection!",
        list_arguments(name)
    );
}

fn list_arguments(name: &str) -> String {
    format!(
        "condition: {name}Condition, filter: {name}Filter, orderBy: [{name}OrderBy!], first: Int, offset: Int"
    )
}

fn types(text: &mut String, record: &RecordType, index: &IndexDescription, all: &[RecordType]) {
    let name = &record.name;
    let fields: Vec<(&str, &FieldDescription)> = record
        .fields
        .iter()
        .filter_map(|(name, field)| {
            let described = index.fields.iter().find(|known| known.name == *field)?;
            Some((name.as_str(), described))
        })
        .collect();
    let _ = write!(text, "\ntype {name} {{\n");
    for (field, described) in &fields {
        let _ = writeln!(text, "  {field}: {}", scalar(described));
    }
    for relation in &record.relations {
        let other = all.iter().find(|other| other.index == relation.index);
        let Some(other) = other.map(|other| &other.name) else {
            continue;
        };
        let Relation { name, many, .. } = relation;
        let _ = if *many {
            writeln!(
                text,
                "  {name}({}): {other}Connection!",
                list_arguments(other)
            )
        } else {
            writeln!(text, "  {name}: {other}")
        };
    }
    let _ = write!(
        text,
        "}}\n\ntype {name}Connection {{\n  nodes: [{name}!]!\n  totalCount: Int!\n}}\n"
    );
    let _ = write!(text, "\ninput {name}Condition {{\n");
    for (field, described) in &fields {
        let _ = writeln!(text, "  {field}: {}", scalar(described));
    }
    let _ = write!(
        text,
        "}}\n\ninput {name}Filter {{\n  and: [{name}Filter!]\n"
    );
    for (field, described) in fields.iter().filter(|(field, _)| *field != "and") {
        let _ = writeln!(text, "  {field}: {}Filter", scalar(described));
    }
    let _ = write!(text, "}}\n\nenum {name}OrderBy {{\n");
    for (field, _) in &fields {
        let shouted = shouted(field);
        let _ = write!(text, "  {shouted}_ASC\n  {shouted}_DESC\n");
    }
    text.push_str("}\n");
}

fn scalar(field: &FieldDescription) -> &'static str {
    match field.field_type {
        FieldType::Keyword | FieldType::Text => "String",
        FieldType::Long => "Long",
        FieldType::Double => "Float",
        FieldType::Date => "Datetime",
        FieldType::Boolean => "Boolean",
    }
}

fn record_types(indices: &[IndexDescription]) -> Vec<RecordType> {
    let mut roots = HashSet::new();
    let mut types = HashSet::from(
        [
            "Query", "String", "Boolean", "Long", "Float", "Datetime", "Int", "ID",
        ]
        .map(str::to_owned),
    );
    let mut records: Vec<RecordType> = indices
        .iter()
        .map(|index| {
            let singular = index.nouns.first().unwrap_or(&index.name);
            let name = fresh(&mut types, pascal(singular));
            let list = fresh(&mut roots, camel(&index.name));
            RecordType {
                index: index.name.clone(),
                single: None,
                list,
                fields: fields(index),
                relations: Vec::new(),
                name,
            }
        })
        .collect();
    for (record, index) in records.iter_mut().zip(indices) {
        if index.id_field.is_some() {
            let singular = index.nouns.first().unwrap_or(&index.name);
            record.single = Some(fresh(&mut roots, camel(singular)));
        }
    }
    for (own, index) in indices.iter().enumerate() {
        for field in &index.fields {
            relate(&mut records, indices, own, field);
        }
    }
    records
}

/// A name that is not taken yet.
fn fresh(taken: &mut HashSet<String>, wanted: String) -> String {
    let mut name = wanted;
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// The fields of an index by their names in the schema; of two that would have the same name the
/// first.
fn fields(index: &IndexDescription) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for field in &index.fields {
        let name = camel(&field.name);
        if !fields.iter().any(|(known, _)| same(known, &name)) {
            fields.push((name, field.name.clone()));
        }
    }
    fields
}

/// A field that has the id of an entity leads to the index of such entities, and back.
fn relate(
    records: &mut [RecordType],
    indices: &[IndexDescription],
    own: usize,
    field: &FieldDescription,
) {
    let is_id = folded(&field.name).ends_with("id");
    let Some(entity) = field.entity_type.as_deref().filter(|_| is_id) else {
        return;
    };
    let found = indices.iter().enumerate().find(|(_, other)| {
        other.entity_type.as_deref() == Some(entity) && other.id_field.is_some()
    });
    let Some((other, target)) = found else {
        return;
    };
    let (Some(index), Some(id)) = (indices.get(own), target.id_field.as_deref()) else {
        return;
    };
    if own == other && field.name == id {
        return;
    }
    let short = field.name.trim_end_matches("id").trim_end_matches("Id");
    let short = camel(short.trim_end_matches(['_', '-', '.']));
    let long = format!("{}By{}", camel(entity), pascal(&field.name));
    let back = format!("{}By{}", camel(&index.name), pascal(&field.name));
    if let Some(record) = records.get_mut(own) {
        let name = if is_free(record, &short) { short } else { long };
        if is_free(record, &name) {
            record.relations.push(Relation {
                name,
                index: target.name.clone(),
                own: field.name.clone(),
                other: id.to_owned(),
                many: false,
            });
        }
    }
    if let Some(record) = records.get_mut(other)
        && is_free(record, &back)
    {
        record.relations.push(Relation {
            name: back,
            index: index.name.clone(),
            own: id.to_owned(),
            other: field.name.clone(),
            many: true,
        });
    }
}

fn is_free(record: &RecordType, name: &str) -> bool {
    let fields = record.fields.iter().map(|(known, _)| known);
    let relations = record.relations.iter().map(|relation| &relation.name);
    name != "_" && !fields.chain(relations).any(|known| same(known, name))
}
