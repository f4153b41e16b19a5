//! The indices of a GraphQL endpoint: types from its schema, words from the configuration.

use apollo_compiler::ast::FieldDefinition;
use contracts::tools::search::{FieldDescription, FieldType, IndexDescription};

use super::listed;
use super::names::{folded, same};
use super::schema::GraphqlSchema;
use super::shape::{self, ListRoot};
use crate::glossary::{self, FoundField};
use crate::{FieldConfig, IndexConfig, SourceConfig};

/// Number of fields that an index shows when the configuration lists none.
const SHOWN: usize = 10;

/// The configured indices, or every list of the schema. A configured index that the schema does not
/// have is reported by name.
pub(super) fn indices(
    schema: &GraphqlSchema,
    config: &SourceConfig,
) -> Result<Vec<IndexDescription>, String> {
    if config.indices.is_empty() {
        return Ok(all(schema, config));
    }
    let indices = config.indices.iter();
    indices
        .map(|index| {
            let root = index.root_field.as_deref();
            let list = shape::list_of(schema, root, &index.name, &index.nouns);
            let list = list.ok_or_else(|| match root {
                Some(root) => format!("has no list '{root}' in its schema"),
                None => format!("has no list of '{}' in its schema", index.name),
            })?;
            Ok(described(schema, &list, config, index))
        })
        .collect()
}

/// The root field that is configured for an index.
pub(super) fn root_field<'a>(config: &'a SourceConfig, index: &str) -> Option<&'a str> {
    config.index(index)?.root_field.as_deref()
}

/// Every list whose records have fields, under the name of its root field. Of several lists of the
/// same records the first.
fn all(schema: &GraphqlSchema, source: &SourceConfig) -> Vec<IndexDescription> {
    let mut found: Vec<IndexDescription> = Vec::new();
    let mut items = Vec::new();
    for field in schema.root_fields() {
        let Some(list) = shape::list_root(schema, field) else {
            continue;
        };
        if items.contains(&list.item) || schema.valid().get_object(list.item).is_none() {
            continue;
        }
        items.push(list.item);
        let config = IndexConfig {
            name: field.name.to_string(),
            root_field: Some(field.name.to_string()),
            nouns: vec![lower_first(list.item), field.name.to_string()],
            id_field: usual_id(schema, &list),
            ..IndexConfig::default()
        };
        let index = described(schema, &list, source, &config);
        if !index.fields.is_empty() {
            found.push(index);
        }
    }
    found
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// `shipmentId` of a `Shipment`, or `id`.
fn usual_id(schema: &GraphqlSchema, list: &ListRoot<'_>) -> Option<String> {
    let own = shape::leaf(schema, list.item, &format!("{}_id", list.item));
    let id = own.or_else(|| shape::leaf(schema, list.item, "id"));
    id.map(|field| field.name.to_string())
}

fn described(
    schema: &GraphqlSchema,
    list: &ListRoot<'_>,
    source: &SourceConfig,
    config: &IndexConfig,
) -> IndexDescription {
    let hidden = Hidden { schema, source };
    let own = schema.fields_of(list.item).into_iter();
    let own = own.filter(|definition| !hidden.is(list.item, &definition.name));
    let own = own.filter_map(|definition| field(schema, definition, &definition.name));
    // Fields of related records are those that a user named.
    let related = config.fields.iter().filter_map(|words| {
        let (relation, rest) = words.name.split_once('.')?;
        let relation = shape::relation(schema, list.item, relation)?;
        let related = relation.ty.inner_named_type();
        let leaf = shape::leaf(schema, related, rest)?;
        let shown = !words.hidden && !hidden.is(related, &leaf.name);
        shown.then(|| field(schema, leaf, &words.name))?
    });
    let mut index = glossary::describe(source, config, own.chain(related).collect());
    if index.date_field.is_none() {
        let dates = |field: &&FieldDescription| field.field_type == FieldType::Date;
        index.date_field = index
            .fields
            .iter()
            .find(dates)
            .map(|field| field.name.clone());
    }
    if index.shown.is_empty() {
        let fields = index.fields.iter();
        let plain = fields.filter(|field| !is_global_id(schema, list, field));
        index.shown = plain.take(SHOWN).map(|field| field.name.clone()).collect();
    }
    index
}

/// Fields that are never shown, on any path to a record: the tenant's field, fields that any index
/// of such records hides, and ids derived from hidden fields. Names are compared without case and
/// separators, because GraphQL names are spelled differently from the tables behind them.
struct Hidden<'a> {
    schema: &'a GraphqlSchema,
    source: &'a SourceConfig,
}

impl Hidden<'_> {
    fn is(&self, item: &str, name: &str) -> bool {
        let tenant = self.source.tenant_field.as_deref();
        tenant.is_some_and(|tenant| same(tenant, name))
            || self.by_words(item, name)
            || listed::shows_hidden_key(self.schema, item, name, |key| self.by_words(item, key))
    }

    fn by_words(&self, item: &str, name: &str) -> bool {
        self.source.indices.iter().any(|index| {
            let hides = |words: &FieldConfig| words.hidden && same(&words.name, name);
            index.fields.iter().any(hides)
                && shape::list_of(
                    self.schema,
                    index.root_field.as_deref(),
                    &index.name,
                    &index.nouns,
                )
                .is_some_and(|list| list.item == item)
        })
    }
}

/// Relay's global id means nothing to people. It is described, because queries can use it, but it
/// is not among the fields shown by default.
fn is_global_id(schema: &GraphqlSchema, list: &ListRoot<'_>, field: &FieldDescription) -> bool {
    let object = schema.valid().get_object(list.item);
    let of_node = object.is_some_and(|object| object.implements_interfaces.contains("Node"));
    of_node && ["id", "nodeid"].contains(&folded(&field.name).as_str())
}

fn field(schema: &GraphqlSchema, definition: &FieldDefinition, name: &str) -> Option<FoundField> {
    let mut arguments = definition.arguments.iter();
    if definition.ty.is_list() || arguments.any(|argument| argument.is_required()) {
        return None;
    }
    let mut found = FoundField::new(name, shape::field_type(schema, &definition.ty)?);
    let values = schema.enum_values(definition.ty.inner_named_type());
    found.values = values
        .unwrap_or_default()
        .into_iter()
        .map(str::to_owned)
        .collect();
    Some(found)
}

#[cfg(test)]
mod tests;
