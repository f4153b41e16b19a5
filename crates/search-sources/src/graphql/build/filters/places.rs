//! The places that a list's arguments have for conditions.

use apollo_compiler::ast::{InputValueDefinition, Type};
use apollo_compiler::schema::InputObjectType;
use serde_json::{Map, Value};

use super::operators::{self, Operator};
use super::{Arguments, Comparison};
use crate::graphql::names::{folded, same};
use crate::graphql::schema::GraphqlSchema;
use crate::graphql::shape::{ListRoot, is_offset_argument, is_page_argument};

/// Arguments that hold conditions, by what is plainest.
pub(in crate::graphql) struct Places<'a> {
    /// Arguments that are compared with a field themselves.
    direct: Vec<&'a InputValueDefinition>,
    /// Arguments with members for fields: `condition`, `filter`, `where`.
    objects: Vec<(&'a InputValueDefinition, &'a InputObjectType)>,
}

/// A place: an argument, and the way through its members.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::graphql) struct Slot<'a> {
    argument: &'a str,
    path: Vec<&'a str>,
    /// The argument's member that takes several conditions which all hold.
    all: Option<&'a str>,
    value: Value,
}

impl<'a> Slot<'a> {
    pub(super) fn with(mut self, value: Value) -> Self {
        self.value = value;
        self
    }

    /// Whether records without a value are other values' too: servers that compare as SQL does
    /// leave them out.
    pub(super) fn keeps_missing(&self) -> bool {
        let operator = self.path.last().map(|name| folded(name));
        operator.is_some_and(|name| name == "noneof" || name == "distinctfrom")
    }

    pub(super) fn way(self) -> (&'a str, Vec<&'a str>) {
        (self.argument, self.path)
    }
}

impl<'a> Places<'a> {
    pub(in crate::graphql) fn of(schema: &'a GraphqlSchema, list: &ListRoot<'a>) -> Self {
        let mut direct = Vec::new();
        let mut objects = Vec::new();
        for argument in &list.field.arguments {
            let name = folded(&argument.name);
            let ordering = name.starts_with("order") || name.starts_with("sort");
            let paging = is_page_argument(&argument.name) || is_offset_argument(&argument.name);
            if ordering || paging || ["before", "after", "page"].contains(&name.as_str()) {
                continue;
            }
            let named = argument.ty.inner_named_type();
            if schema.is_leaf(&argument.ty) {
                direct.push(&**argument);
            } else if let Some(object) = schema.valid().get_input_object(named)
                && !argument.ty.is_list()
            {
                objects.push((&**argument, &**object));
            }
        }
        // A condition is plainer than a filter with operators.
        objects.sort_by_key(|(argument, _)| folded(&argument.name) != "condition");
        Self { direct, objects }
    }

    /// The place where a field is compared with one value.
    pub(super) fn equality(
        &self,
        schema: &GraphqlSchema,
        field: &str,
    ) -> Option<(Slot<'a>, &'a Type)> {
        let direct = self
            .direct
            .iter()
            .find(|argument| same(&argument.name, field));
        if let Some(argument) = direct {
            let slot = Slot {
                argument: &argument.name,
                path: Vec::new(),
                all: None,
                value: Value::Null,
            };
            return Some((slot, &argument.ty));
        }
        self.objects.iter().find_map(|(argument, object)| {
            let (name, member) = member(object, field)?;
            let slot = Slot {
                argument: &argument.name,
                path: vec![name],
                all: conjunction(object),
                value: Value::Null,
            };
            (schema.is_leaf(&member.ty) && !member.ty.is_list()).then_some((slot, &*member.ty))
        })
    }

    /// The place where a comparison is written with an operator: `field: {operator: …}`, or
    /// `field_operator: …`.
    pub(super) fn operator(
        &self,
        schema: &'a GraphqlSchema,
        comparison: &Comparison<'_>,
    ) -> Option<(Slot<'a>, Operator, &'a Type)> {
        self.objects.iter().find_map(|(argument, object)| {
            let slot = |path| Slot {
                argument: &argument.name,
                path,
                all: conjunction(object),
                value: Value::Null,
            };
            let nested = member(object, comparison.field).and_then(|(name, found)| {
                let operators = schema
                    .valid()
                    .get_input_object(found.ty.inner_named_type())?;
                let (operator, how, ty) = best(operators, comparison, str::to_owned)?;
                Some((slot(vec![name, operator]), how, ty))
            });
            nested.or_else(|| {
                let prefix = folded(comparison.field);
                let suffix = |name: &str| {
                    let name = folded(name);
                    name.strip_prefix(&prefix).unwrap_or_default().to_owned()
                };
                let (name, how, ty) = best(object, comparison, suffix)?;
                Some((slot(vec![name]), how, ty))
            })
        })
    }
}

fn member<'a>(
    object: &'a InputObjectType,
    field: &str,
) -> Option<(&'a str, &'a InputValueDefinition)> {
    let exact = object.fields.iter().find(|(name, _)| *name == field);
    let found = exact.or_else(|| object.fields.iter().find(|(name, _)| same(name, field)));
    found.map(|(name, member)| (name.as_str(), &***member))
}

/// The member whose name, or a part of it, is the best operator for a comparison.
fn best<'a>(
    object: &'a InputObjectType,
    comparison: &Comparison<'_>,
    part: impl Fn(&str) -> String,
) -> Option<(&'a str, Operator, &'a Type)> {
    let known = object.fields.iter().filter_map(|(name, member)| {
        let (rank, how) = operators::named(&comparison.compared, &part(name))?;
        // A list where one value is wanted, or the other way round, is another operator of the
        // name.
        let fits = member.ty.is_list() == (how == Operator::List);
        fits.then_some((rank, name.as_str(), how, &*member.ty))
    });
    let (_, name, how, ty) = known.min_by_key(|(rank, ..)| *rank)?;
    Some((name, how, ty))
}

/// The member that takes a list of the same type, all of which hold.
fn conjunction(object: &InputObjectType) -> Option<&str> {
    let mut fields = object.fields.iter();
    let found = fields.find(|(name, member)| {
        folded(name) == "and" && member.ty.is_list() && *member.ty.inner_named_type() == object.name
    });
    found.map(|(name, _)| name.as_str())
}

/// Arguments that are being filled.
#[derive(Debug, Default)]
pub(super) struct Filled(Map<String, Value>);

impl Filled {
    /// Puts a value into its place; whether there was room.
    pub(super) fn put(&mut self, slot: Slot<'_>) -> bool {
        if slot.path.is_empty() {
            let known = self.0.insert(slot.argument.to_owned(), slot.value);
            return known.is_none();
        }
        let object = self
            .0
            .entry(slot.argument)
            .or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(object) = object else {
            return false;
        };
        if insert(object, &slot.path, slot.value.clone()) {
            return true;
        }
        let Some(all) = slot.all else {
            return false;
        };
        let mut another = Map::new();
        insert(&mut another, &slot.path, slot.value);
        let more = object
            .entry(all)
            .or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(more) = more {
            more.push(Value::Object(another));
        }
        true
    }

    /// In the order of the schema.
    pub(super) fn into_arguments(mut self, places: &Places<'_>) -> Arguments {
        let mut arguments = Arguments::default();
        let objects = places.objects.iter().map(|(argument, _)| *argument);
        for argument in places.direct.iter().copied().chain(objects) {
            if let Some(value) = self.0.remove(argument.name.as_str()) {
                arguments.add(argument, value);
            }
        }
        arguments
    }
}

/// Inserts at a path where nothing is yet.
fn insert(object: &mut Map<String, Value>, path: &[&str], value: Value) -> bool {
    match path {
        [] => false,
        [name] => {
            let free = !object.contains_key(*name);
            if free {
                object.insert((*name).to_owned(), value);
            }
            free
        }
        [name, rest @ ..] => {
            let inner = object
                .entry(*name)
                .or_insert_with(|| Value::Object(Map::new()));
            match inner {
                Value::Object(inner) => insert(inner, rest, value),
                _ => false,
            }
        }
    }
}
