//! The part of an endpoint's schema that the configuration lists: all that a request may name.
//!
//! A schema has more than what `[[sources.indices]]` lists: other lists, hidden fields, ways from
//! one record to any other, conditions and orders by fields that are never shown, aggregations,
//! global ids. A request is checked against the schema that is left when all of that is taken away,
//! so that none of it can be asked for, compared with, ordered by, or guessed from what a refusal
//! suggests. A part that is not known to be harmless is removed.

mod inputs;
mod records;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::Name;
use apollo_compiler::ast::{FieldDefinition, InputValueDefinition, Type};
use apollo_compiler::collections::IndexMap;
use apollo_compiler::executable::{Selection, SelectionSet};
use apollo_compiler::schema::{Component, ExtendedType};
use contracts::tools::search::{IndexDescription, QueryProblem};
use search::problem;

use self::inputs::Inputs;
pub(super) use self::records::shows_hidden_key;
use self::records::{Record, Records};
use super::names::folded;
use super::schema::{GraphqlSchema, SchemaError};
use super::shape;
use super::validate::CheckedQuery;
use crate::SourceConfig;

/// The names that a request to an endpoint may use.
#[derive(Debug)]
pub(super) struct Listed {
    schema: GraphqlSchema,
    records: Records,
}

impl Listed {
    /// Of the schema and the indices that the source describes.
    pub(super) fn of(
        whole: &GraphqlSchema,
        config: &SourceConfig,
        indices: &[IndexDescription],
    ) -> Result<Listed, SchemaError> {
        let records = Records::of(whole, config, indices);
        let schema = Pruned::of(whole, &records)?;
        Ok(Listed { schema, records })
    }

    /// The schema, without all that is not listed.
    pub(super) fn schema(&self) -> &GraphqlSchema {
        &self.schema
    }

    /// Whether a request that was checked against [`schema`](Self::schema) shows of records that
    /// have no index of their own only what the index on the way to them lists: `vessel.name`, not
    /// `formerVessel.name`.
    pub(super) fn check(&self, checked: &CheckedQuery) -> Result<(), Vec<QueryProblem>> {
        let mut problems = Vec::new();
        if let Some(operation) = checked.operation() {
            self.selections(checked, &operation.selection_set, None, &mut problems);
        }
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    }

    /// `way`: the record and the field of it that leads here, where the records here have no index.
    fn selections(
        &self,
        checked: &CheckedQuery,
        set: &SelectionSet,
        way: Option<(&Record, &str)>,
        problems: &mut Vec<QueryProblem>,
    ) {
        for selection in &set.selections {
            let field = match selection {
                Selection::Field(field) => field,
                Selection::InlineFragment(fragment) => {
                    self.selections(checked, &fragment.selection_set, way, problems);
                    continue;
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = checked.document().fragments.get(&spread.fragment_name)
                    {
                        self.selections(checked, &fragment.selection_set, way, problems);
                    }
                    continue;
                }
            };
            if field.name == "__typename" {
                continue;
            }
            let listed = match way {
                Some((record, relation)) => record
                    .relations
                    .get(relation)
                    .is_some_and(|leaves| leaves.contains(field.name.as_str())),
                None => true,
            };
            if !listed {
                let text = format!("'{}' has no field '{}'.", set.ty, field.name);
                problems.push(problem("/query", "unknown_field", text));
                continue;
            }
            let target = field.ty().inner_named_type().as_str();
            let leads = self.records.get(&set.ty).filter(|record| {
                record.relations.contains_key(field.name.as_str()) && !self.records.is_index(target)
            });
            let way = leads.map(|record| (record, field.name.as_str()));
            self.selections(checked, &field.selection_set, way, problems);
        }
    }
}

/// A schema that is being made smaller.
struct Pruned<'a> {
    whole: &'a GraphqlSchema,
    records: &'a Records,
    inputs: Inputs<'a>,
    /// The fields that are kept, by type.
    outputs: BTreeMap<String, Vec<FieldDefinition>>,
}

impl<'a> Pruned<'a> {
    fn of(whole: &'a GraphqlSchema, records: &'a Records) -> Result<GraphqlSchema, SchemaError> {
        let mut pruned = Pruned {
            whole,
            records,
            inputs: Inputs::of(whole, records),
            outputs: BTreeMap::new(),
        };
        pruned.roots();
        let queue: Vec<String> = records.names().map(str::to_owned).collect();
        for name in queue {
            pruned.record(&name);
        }
        pruned.without_empty();
        pruned.written()
    }

    /// The configured lists, and their single records by fields that are listed.
    fn roots(&mut self) {
        let mut kept = Vec::new();
        for field in self.whole.root_fields() {
            let definition = match shape::list_within(self.whole, &field.ty) {
                Some((_, item)) if self.records.lists.contains(field.name.as_str()) => {
                    self.list(field, item)
                }
                Some(_) => None,
                None => self.single(field),
            };
            kept.extend(definition);
        }
        self.outputs
            .insert(self.whole.query_type().to_owned(), kept);
    }

    /// One record, by the values of fields that are listed.
    fn single(&mut self, field: &FieldDefinition) -> Option<FieldDefinition> {
        let named = field.ty.inner_named_type().as_str();
        let record = self.records.get(named)?;
        let by_fields = !field.arguments.is_empty()
            && field.arguments.iter().all(|argument| {
                record.leaf(&argument.name).is_some() && self.whole.is_leaf(&argument.ty)
            });
        (self.records.is_index(named) && by_fields).then(|| field.clone())
    }

    /// A list of records, with what is harmless of its arguments and of what stands around the
    /// records.
    fn list(&mut self, field: &FieldDefinition, item: &str) -> Option<FieldDefinition> {
        if !self.records.is_index(item) {
            return None;
        }
        let definition = self.with_arguments(field, item)?;
        if !field.ty.is_list() {
            self.around(field.ty.inner_named_type(), item);
        }
        Some(definition)
    }

    fn with_arguments(&mut self, field: &FieldDefinition, item: &str) -> Option<FieldDefinition> {
        let mut definition = field.clone();
        definition.arguments.clear();
        for argument in &field.arguments {
            match self.inputs.argument(argument, item) {
                Some(kept) => definition.arguments.push(kept.into()),
                None if argument.is_required() => return None,
                None => {}
            }
        }
        Some(definition)
    }

    /// The fields around the records of a list: the path to them, their number, whether there are
    /// more.
    fn around(&mut self, named: &str, item: &str) {
        if self.outputs.contains_key(named) {
            return;
        }
        let mut kept = Vec::new();
        for field in self.whole.fields_of(named) {
            if field
                .arguments
                .iter()
                .any(|argument| argument.is_required())
            {
                continue;
            }
            let inner = field.ty.inner_named_type().as_str();
            let plain = FieldDefinition {
                arguments: Vec::new(),
                ..field.clone()
            };
            if field.ty.is_list() && inner == item {
                kept.push(plain);
            } else if field.name == "edges" && field.ty.is_list() {
                self.edge(inner, item);
                kept.push(plain);
            } else if shape::total_member(self.whole, named) == Some(field.name.as_str()) {
                kept.push(plain);
            } else if folded(&field.name) == "pageinfo" {
                self.page_info(inner);
                kept.push(plain);
            }
        }
        self.outputs.insert(named.to_owned(), kept);
    }

    fn edge(&mut self, named: &str, item: &str) {
        let fields = self.whole.fields_of(named).into_iter();
        let cursors = self.records.shows_cursors(item);
        let kept = fields.filter(|field| {
            field.name == "node" && field.ty.inner_named_type() == item
                || field.name == "cursor" && cursors && self.whole.is_leaf(&field.ty)
        });
        self.outputs
            .insert(named.to_owned(), kept.cloned().collect());
    }

    /// Whether there are more pages; and where they begin, if no list of the source has anything to
    /// hide: a cursor has values in it.
    fn page_info(&mut self, named: &str) {
        let cursors = self.records.show_cursors();
        let fields = self.whole.fields_of(named).into_iter();
        let kept = fields.filter(|field| {
            let name = folded(&field.name);
            let flag = ["hasnextpage", "haspreviouspage", "hasmore"].contains(&name.as_str());
            let cursor = ["startcursor", "endcursor"].contains(&name.as_str());
            !field.ty.is_list() && self.whole.is_leaf(&field.ty) && (flag || cursor && cursors)
        });
        self.outputs
            .insert(named.to_owned(), kept.cloned().collect());
    }

    /// A record: its listed fields, and the ways to records that are listed too.
    fn record(&mut self, name: &str) {
        let Some(record) = self.records.get(name) else {
            return;
        };
        let mut kept = Vec::new();
        for field in self.whole.fields_of(name) {
            let inner = field.ty.inner_named_type().as_str();
            if self.whole.is_leaf(&field.ty) {
                if record.shown.contains(field.name.as_str()) {
                    kept.extend(without_arguments(field));
                }
            } else if let Some((_, item)) = shape::list_within(self.whole, &field.ty) {
                if self.records.is_index(name) {
                    kept.extend(self.list(field, item));
                }
            } else if record.relations.contains_key(field.name.as_str())
                || self.records.is_index(name) && self.records.is_index(inner)
            {
                kept.extend(without_arguments(field));
            }
        }
        self.outputs.insert(name.to_owned(), kept);
    }

    /// Takes away what leads to types without fields, until there are none.
    fn without_empty(&mut self) {
        loop {
            let empty: BTreeSet<String> = self
                .outputs
                .iter()
                .filter(|(_, fields)| fields.is_empty())
                .map(|(name, _)| name.clone())
                .collect();
            let outputs = &self.outputs;
            let usable = |ty: &Type| {
                let named = ty.inner_named_type().as_str();
                self.whole.is_leaf(ty) || outputs.contains_key(named) && !empty.contains(named)
            };
            let kept: BTreeMap<String, Vec<FieldDefinition>> = outputs
                .iter()
                .map(|(name, fields)| {
                    let fields = fields.iter().filter(|field| usable(&field.ty));
                    (name.clone(), fields.cloned().collect())
                })
                .collect();
            if kept == self.outputs {
                self.outputs.retain(|_, fields| !fields.is_empty());
                return;
            }
            self.outputs = kept;
        }
    }

    fn written(self) -> Result<GraphqlSchema, SchemaError> {
        let mut schema = self.whole.valid().clone().into_inner();
        let definition = schema.schema_definition.make_mut();
        definition.mutation = None;
        definition.subscription = None;
        let Pruned {
            inputs, outputs, ..
        } = self;
        let (objects, enums) = inputs.kept();
        schema.types.retain(|name, ty| {
            ty.is_built_in()
                || ty.is_scalar()
                || outputs.contains_key(name.as_str())
                || objects.contains_key(name.as_str())
                || ty.is_enum() && enums.get(name.as_str()).is_none_or(|kept| !kept.is_empty())
        });
        for (name, ty) in &mut schema.types {
            match ty {
                ExtendedType::Object(object) if !object.is_built_in() => {
                    let object = object.make_mut();
                    object.implements_interfaces.clear();
                    object.fields = fields(&outputs, name);
                }
                ExtendedType::Interface(interface) if !interface.is_built_in() => {
                    let interface = interface.make_mut();
                    interface.implements_interfaces.clear();
                    interface.fields = fields(&outputs, name);
                }
                ExtendedType::InputObject(object) => {
                    if let Some(kept) = objects.get(name.as_str()) {
                        let object = object.make_mut();
                        object.fields.retain(|name, _| kept.contains(name.as_str()));
                        for member in object.fields.values_mut() {
                            without_default(member.make_mut());
                        }
                    }
                }
                ExtendedType::Enum(values) => {
                    if let Some(kept) = enums.get(name.as_str()) {
                        let values = values.make_mut();
                        values.values.retain(|name, _| kept.contains(name.as_str()));
                    }
                }
                _ => {}
            }
        }
        GraphqlSchema::pruned(schema)
    }
}

fn fields(
    outputs: &BTreeMap<String, Vec<FieldDefinition>>,
    name: &str,
) -> IndexMap<Name, Component<FieldDefinition>> {
    let fields = outputs.get(name).into_iter().flatten();
    fields
        .map(|field| (field.name.clone(), Component::new(field.clone())))
        .collect()
}

/// A value or a record that is asked for without arguments.
fn without_arguments(field: &FieldDefinition) -> Option<FieldDefinition> {
    let mut arguments = field.arguments.iter();
    let needs = arguments.any(|argument| argument.is_required());
    (!needs).then(|| FieldDefinition {
        arguments: Vec::new(),
        ..field.clone()
    })
}

/// The source fills in its own default; here it may name what is not listed.
fn without_default(value: &mut InputValueDefinition) {
    if value.default_value.take().is_some() && value.ty.is_non_null() {
        value.ty = value.ty.as_ref().clone().nullable().into();
    }
}
