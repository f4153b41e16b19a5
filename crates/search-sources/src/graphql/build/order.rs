//! The order of the records, where the schema has a place for it.

use apollo_compiler::ast::InputValueDefinition;
use contracts::tools::search::{QueryProblem, QueryStructure, SortBy};
use search::nearest;
use serde_json::{Map, Value};

use super::{Arguments, Target, unsupported};
use crate::graphql::names::{folded, same};
use crate::graphql::shape::ListRoot;

pub(super) fn place(
    target: &Target<'_>,
    list: &ListRoot<'_>,
    structure: &QueryStructure,
) -> Result<Arguments, Vec<QueryProblem>> {
    let mut arguments = Arguments::default();
    let mut all = list.field.arguments.iter();
    let names = ["orderby", "order", "sort", "sortby"];
    let argument = all.find(|argument| names.contains(&folded(&argument.name).as_str()));
    let mut problems = Vec::new();
    let mut orders = Vec::new();
    for (position, sort) in structure.sort.iter().enumerate() {
        let written = argument.and_then(|argument| order(target, argument, sort));
        match written {
            Some(written) => orders.push(written),
            // It is there so that the order has no ties.
            None if is_id(target, sort) && !sort.descending => {}
            None => problems.push(no_place(target, argument, position, sort)),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    if let Some(argument) = argument
        && !orders.is_empty()
    {
        let value = if argument.ty.is_list() {
            Some(Value::Array(orders))
        } else {
            orders.into_iter().next()
        };
        if let Some(value) = value {
            arguments.add(argument, value);
        }
    }
    Ok(arguments)
}

fn is_id(target: &Target<'_>, sort: &SortBy) -> bool {
    target.index.id_field.as_deref() == Some(sort.by.as_str())
}

/// One order as the argument's type has it: a value of an enum, or `{field: direction}`.
fn order(target: &Target<'_>, argument: &InputValueDefinition, sort: &SortBy) -> Option<Value> {
    let named = argument.ty.inner_named_type();
    let direction = if sort.descending { "desc" } else { "asc" };
    if let Some(values) = target.schema.enum_values(named) {
        let asked = format!("{}_{direction}", sort.by);
        let found = values.into_iter().find(|value| same(value, &asked))?;
        return Some(Value::from(found));
    }
    let object = target.schema.valid().get_input_object(named)?;
    let (name, field) = object
        .fields
        .iter()
        .find(|(name, _)| same(name, &sort.by))?;
    let values = target.schema.enum_values(field.ty.inner_named_type())?;
    let found = values.into_iter().find(|value| same(value, direction))?;
    let mut order = Map::new();
    order.insert(name.to_string(), Value::from(found));
    Some(Value::Object(order))
}

fn no_place(
    target: &Target<'_>,
    argument: Option<&apollo_compiler::Node<InputValueDefinition>>,
    position: usize,
    sort: &SortBy,
) -> QueryProblem {
    let text = format!("The schema cannot order by '{}'.", sort.by);
    let mut found = unsupported(format!("/sort/{position}"), text);
    let named = argument.map(|argument| argument.ty.inner_named_type().as_str());
    let orders = named.and_then(|named| target.schema.enum_values(named));
    let orders = orders.unwrap_or_default();
    let fields = target.index.fields.iter().map(|field| field.name.as_str());
    let fields = fields.filter(|field| {
        orders
            .iter()
            .any(|order| same(order, &format!("{field}_asc")))
    });
    found.suggestions = nearest(&sort.by, fields);
    found
}
