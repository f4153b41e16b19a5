//! Groups over the key of another index are called by the names of its records.

use std::collections::HashMap;

use contracts::tools::search::{
    FieldDescription, Filter, FilterOp, IndexDescription, QueryRun, QueryStructure,
};
use serde_json::{Map, Value};

use super::{Job, summary};
use crate::step::index_of;

/// Fields that name a record, the likeliest first.
const NAMES: [&str; 4] = ["name", "title", "label", "full_name"];
/// Maximum number of groups that are named.
const MOST: usize = 100;

/// Puts names in the place of keys, where the source has an index of what the keys are of.
pub(super) async fn name(job: &mut Job<'_>, run: &mut QueryRun) {
    for (field, query, key, called) in lookups(job, run) {
        let Some(found) = summary::first(job, &run.source, query).await else {
            continue;
        };
        let names: HashMap<String, String> = found
            .rows
            .iter()
            .filter_map(|row| Some((text(row, &key)?, text(row, &called)?)))
            .collect();
        if names.is_empty() {
            continue;
        }
        for row in &mut run.rows {
            rename(row, &field, &names);
        }
        let mut columns = run.columns.iter_mut();
        if let Some(column) = columns.find(|column| column.name == field) {
            column.label = without_key(&column.label).to_owned();
        }
    }
}

/// The fields of groups, the query for the names of each, and the fields of its rows with the key
/// and the name.
fn lookups(job: &Job<'_>, run: &QueryRun) -> Vec<(String, QueryStructure, String, String)> {
    let sources = job.step.sources();
    let asked = run.structure.as_ref();
    let of_index = run.index.as_deref().unwrap_or_default();
    let described = index_of(&sources, &run.source, of_index);
    let (Some(asked), Some((source, index))) = (asked, described) else {
        return Vec::new();
    };
    let groups = asked
        .group_by
        .iter()
        .filter(|group| group.interval.is_none());
    let found = groups.filter_map(|group| {
        let mut fields = index.fields.iter();
        let field = fields.find(|field| field.name == group.field)?;
        let kind = field
            .entity_type
            .as_ref()
            .filter(|_| is_key(field, index))?;
        let mut others = source.indices.iter();
        let other = others.find(|other| other.entity_type.as_ref() == Some(kind))?;
        let key = other
            .id_field
            .clone()
            .filter(|_| other.name != index.name)?;
        let has = |name: &&str| other.fields.iter().any(|field| field.name == **name);
        let called = NAMES.iter().copied().find(has)?.to_owned();
        let mut values: Vec<Value> = Vec::new();
        for row in run.rows.iter().take(MOST) {
            let value = row.get(&group.field).filter(|value| !value.is_null());
            values.extend(value.filter(|value| !values.contains(value)).cloned());
        }
        if values.is_empty() {
            return None;
        }
        let query = names_of(other, &key, &called, values);
        Some((group.field.clone(), query, key, called))
    });
    found.collect()
}

/// Whether a field has keys, and not the names beside a field with the keys.
fn is_key(field: &FieldDescription, index: &IndexDescription) -> bool {
    let base = field.name.strip_suffix("_name").unwrap_or(&field.name);
    let beside = format!("{base}_id");
    let is_called = base.len() < field.name.len();
    !is_called && !index.fields.iter().any(|other| other.name == beside)
}

/// The label of a column that has names in the place of keys.
fn without_key(label: &str) -> &str {
    let ends = [" id", " code", " key", " no"];
    ends.iter()
        .find_map(|end| label.strip_suffix(end))
        .unwrap_or(label)
}

fn names_of(
    index: &IndexDescription,
    key: &str,
    called: &str,
    values: Vec<Value>,
) -> QueryStructure {
    let limit = u32::try_from(values.len()).ok();
    QueryStructure {
        index: index.name.clone(),
        filters: vec![Filter {
            field: key.to_owned(),
            op: FilterOp::Is,
            values,
            label: None,
            or: Vec::new(),
        }],
        fields: vec![key.to_owned(), called.to_owned()],
        limit,
        ..QueryStructure::default()
    }
}

fn text(row: &Map<String, Value>, field: &str) -> Option<String> {
    match row.get(field)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Two records of one name are distinguished by their keys.
fn rename(row: &mut Map<String, Value>, field: &str, names: &HashMap<String, String>) {
    let Some(key) = text(row, field) else { return };
    let Some(name) = names.get(&key) else { return };
    let is_shared = names.values().filter(|other| *other == name).count() > 1;
    let called = if is_shared {
        format!("{name} ({key})")
    } else {
        name.clone()
    };
    row.insert(field.to_owned(), Value::String(called));
}
