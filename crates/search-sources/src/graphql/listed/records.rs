//! Which fields of which records are listed.

use std::collections::{BTreeMap, BTreeSet};

use contracts::tools::search::IndexDescription;

use super::super::describe;
use super::super::names::{folded, same};
use super::super::schema::GraphqlSchema;
use super::super::shape;
use crate::SourceConfig;

/// The types of records, and what is listed of each.
#[derive(Debug, Default)]
pub(super) struct Records {
    types: BTreeMap<String, Record>,
    /// The root fields that list them.
    pub(super) lists: BTreeSet<String>,
}

/// The listed fields of a type of records.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// Whether it is that of an index.
    index: bool,
    /// Its fields that are shown.
    pub(super) shown: BTreeSet<String>,
    /// Related records without an index of their own, and what is shown of them.
    pub(super) relations: BTreeMap<String, BTreeSet<String>>,
    /// Values that it has and does not show.
    withheld: BTreeSet<String>,
    /// One of these identifies a record, so that ids made of it would show it.
    hides_key: bool,
}

impl Record {
    /// Its field of this name, in any spelling, if it is shown and no other has the name.
    pub(super) fn leaf(&self, name: &str) -> Option<&str> {
        if self.withholds(name) {
            return None;
        }
        let mut shown = self.shown.iter();
        shown.find(|shown| same(shown, name)).map(String::as_str)
    }

    /// Whether a field of this name, in any spelling, is not shown.
    pub(super) fn withholds(&self, name: &str) -> bool {
        let exact = self.shown.contains(name);
        !exact && self.withheld.iter().any(|withheld| same(withheld, name))
    }

    /// Whether the order of its keys may be asked for.
    pub(super) fn shows_key(&self) -> bool {
        !self.hides_key
    }
}

impl Records {
    pub(super) fn of(
        schema: &GraphqlSchema,
        config: &SourceConfig,
        indices: &[IndexDescription],
    ) -> Records {
        let mut records = Records::default();
        for index in indices {
            let root = describe::root_field(config, &index.name);
            let Some(list) = shape::list_of(schema, root, &index.name, &index.nouns) else {
                continue;
            };
            records.lists.insert(list.field.name.to_string());
            let record = records.types.entry(list.item.to_owned()).or_default();
            record.index = true;
            let mut related = Vec::new();
            for field in &index.fields {
                if let Some(leaf) = shape::leaf(schema, list.item, &field.name) {
                    record.shown.insert(leaf.name.to_string());
                } else if let Some((relation, rest)) = field.name.split_once('.')
                    && let Some(relation) = shape::relation(schema, list.item, relation)
                    && let Some(leaf) = shape::leaf(schema, relation.ty.inner_named_type(), rest)
                {
                    let shown = record.relations.entry(relation.name.to_string());
                    shown.or_default().insert(leaf.name.to_string());
                    related.push((
                        relation.ty.inner_named_type().to_string(),
                        leaf.name.clone(),
                    ));
                }
            }
            for (named, leaf) in related {
                let record = records.types.entry(named).or_default();
                record.shown.insert(leaf.to_string());
            }
        }
        records.other_lists(schema, config);
        records.withhold(schema);
        records
    }

    /// Without configured indices every list is listed, also the second one of the same records.
    fn other_lists(&mut self, schema: &GraphqlSchema, config: &SourceConfig) {
        if !config.indices.is_empty() {
            return;
        }
        for field in schema.root_fields() {
            let list = shape::list_root(schema, field);
            if list.is_some_and(|list| self.is_index(list.item)) {
                self.lists.insert(field.name.to_string());
            }
        }
    }

    fn withhold(&mut self, schema: &GraphqlSchema) {
        for (name, record) in &mut self.types {
            for field in schema.fields_of(name) {
                if schema.is_leaf(&field.ty) && !record.shown.contains(field.name.as_str()) {
                    record.withheld.insert(field.name.to_string());
                }
            }
            record.hides_key = is_key(schema, name, |argument| record.withholds(argument));
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Record> {
        self.types.get(name)
    }

    /// Whether these are the records of an index.
    pub(super) fn is_index(&self, name: &str) -> bool {
        self.types.get(name).is_some_and(|record| record.index)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.types.keys().map(String::as_str)
    }

    /// Whether the cursors of a list may be shown: they are made of values of its records.
    pub(super) fn shows_cursors(&self, item: &str) -> bool {
        self.types
            .get(item)
            .is_some_and(|record| record.withheld.is_empty())
    }

    /// Whether those of every list may.
    pub(super) fn show_cursors(&self) -> bool {
        self.types.values().all(|record| record.withheld.is_empty())
    }
}

/// Whether a record can be asked for by a field of which `hidden` holds.
fn is_key(schema: &GraphqlSchema, item: &str, hidden: impl Fn(&str) -> bool) -> bool {
    schema.root_fields().into_iter().any(|field| {
        !field.ty.is_list()
            && field.ty.inner_named_type() == item
            && field
                .arguments
                .iter()
                .any(|argument| hidden(&argument.name))
    })
}

/// Whether a field is the global id of a record whose key is hidden: such ids are made of the key.
pub(in crate::graphql) fn shows_hidden_key(
    schema: &GraphqlSchema,
    item: &str,
    field: &str,
    hidden: impl Fn(&str) -> bool,
) -> bool {
    let object = schema.valid().get_object(item);
    let of_node = object.is_some_and(|object| object.implements_interfaces.contains("Node"));
    of_node && ["id", "nodeid"].contains(&folded(field).as_str()) && is_key(schema, item, hidden)
}
