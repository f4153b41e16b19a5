//! A typed query as GraphQL, from the schema alone.
//!
//! Each argument of the root field is one variable of the argument's own type; no value ever is in
//! the document. What the schema has no place for is a problem of the query, never left out.

mod filters;
mod order;
mod values;

use std::fmt::Write as _;

use apollo_compiler::ast::{FieldDefinition, Type};
use chrono_tz::Tz;
use contracts::tools::search::{
    FilterOp, GraphqlQuery, IndexDescription, MeasureOp, QueryProblem, QueryStructure,
};
use search::{nearest, problem};
use serde_json::{Map, Value};

pub(super) use self::filters::equality;
pub(super) use self::values::Moment;
use super::schema::GraphqlSchema;
use super::shape::{self, ListRoot, SingleRoot, Within};

/// The source, schema and index that a structure is written for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target<'a> {
    /// The schema.
    pub(super) schema: &'a GraphqlSchema,
    /// The index.
    pub(super) index: &'a IndexDescription,
    /// The root field that lists it. Default: by its name.
    pub(super) root_field: Option<&'a str>,
    /// The zone of its days.
    pub(super) zone: Tz,
}

/// A structure as GraphQL.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Built {
    /// The request.
    pub(super) query: GraphqlQuery,
    /// What could not be written as it was meant.
    pub(super) notes: Vec<String>,
}

/// Writes a checked structure, and changes it to match the text. The default order (`ordered` is
/// false) falls back to the source's own order if the schema has no argument for it.
pub(super) fn build_usual(
    target: &Target<'_>,
    structure: &mut QueryStructure,
    ordered: bool,
) -> Result<Built, Vec<QueryProblem>> {
    match build(target, structure) {
        Err(problems) if !ordered && problems.iter().all(|it| it.pointer.starts_with("/sort")) => {
            structure.sort.clear();
            let mut built = build(target, structure)?;
            let note = "The order is the source's own.";
            built.notes.push(note.to_owned());
            Ok(built)
        }
        other => other,
    }
}

/// Writes a checked structure.
pub(super) fn build(
    target: &Target<'_>,
    structure: &QueryStructure,
) -> Result<Built, Vec<QueryProblem>> {
    let schema = target.schema;
    let list = shape::list_of(
        schema,
        target.root_field,
        &target.index.name,
        &target.index.nouns,
    );
    let Some(list) = list else {
        return Err(vec![no_root(target)]);
    };
    if is_aggregation(structure) {
        return count(target, &list, structure);
    }
    if let Some((single, id)) = by_id(target, &list, structure) {
        return one(target, &list, &single, id, structure);
    }
    let mut arguments = Arguments::default();
    let mut problems = Vec::new();
    let mut notes = Vec::new();
    let at = filters::Places::of(schema, &list);
    let placed = filters::place(target, &at, structure, &mut notes);
    collect(placed, &mut arguments, &mut problems);
    collect(
        order::place(target, &list, structure),
        &mut arguments,
        &mut problems,
    );
    page(&list, structure, &mut arguments, &mut notes);
    let fields = chosen(target, structure, false);
    let selection = selection(target, list.item, &fields, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let body = within(&list.within, &selection);
    let body = match list.total {
        Some(total) => format!("{body}\n    {total}"),
        None => body,
    };
    Ok(Built {
        query: document(list.field, arguments, &body),
        notes,
    })
}

fn no_root(target: &Target<'_>) -> QueryProblem {
    let index = &target.index.name;
    let text = format!("The schema has no list of '{index}'.");
    let mut found = problem("/index", "unknown_index", text);
    let lists = target.schema.root_fields();
    let lists = lists
        .into_iter()
        .filter(|field| shape::list_root(target.schema, field).is_some());
    found.suggestions = nearest(index, lists.map(|field| field.name.as_str()));
    found
}

fn is_aggregation(structure: &QueryStructure) -> bool {
    !structure.measures.is_empty() || !structure.group_by.is_empty()
}

/// The arguments of a root field: name, type, value.
#[derive(Debug, Default)]
struct Arguments(Vec<(String, Type, Value)>);

impl Arguments {
    fn add(&mut self, definition: &apollo_compiler::ast::InputValueDefinition, value: Value) {
        let ty = (*definition.ty).clone();
        self.0.push((definition.name.to_string(), ty, value));
    }

    fn extend(&mut self, other: Arguments) {
        self.0.extend(other.0);
    }
}

fn collect(
    placed: Result<Arguments, Vec<QueryProblem>>,
    arguments: &mut Arguments,
    problems: &mut Vec<QueryProblem>,
) {
    match placed {
        Ok(more) => arguments.extend(more),
        Err(more) => problems.extend(more),
    }
}

/// Number of records.
fn page(
    list: &ListRoot<'_>,
    structure: &QueryStructure,
    arguments: &mut Arguments,
    notes: &mut Vec<String>,
) {
    match (shape::page_argument(list.field), structure.limit) {
        (Some(argument), Some(limit)) => arguments.add(argument, Value::from(limit)),
        (None, Some(limit)) => notes.push(format!(
            "The source has no place for a limit: it brings more than {limit} records if it has them."
        )),
        (_, None) => {}
    }
}

/// The single-record root and the id of a query for one record by its id.
fn by_id<'a>(
    target: &Target<'a>,
    list: &ListRoot<'a>,
    structure: &'a QueryStructure,
) -> Option<(SingleRoot<'a>, &'a Value)> {
    let id_field = target.index.id_field.as_deref()?;
    let [filter] = structure.filters.as_slice() else {
        return None;
    };
    let [id] = filter.values.as_slice() else {
        return None;
    };
    let asked = filter.field == id_field && filter.op == FilterOp::Is;
    if !asked || !filter.or.is_empty() || structure.time_range.is_some() {
        return None;
    }
    Some((shape::single_of(target.schema, list.item, id_field)?, id))
}

fn one(
    target: &Target<'_>,
    list: &ListRoot<'_>,
    single: &SingleRoot<'_>,
    id: &Value,
    structure: &QueryStructure,
) -> Result<Built, Vec<QueryProblem>> {
    let mut arguments = Arguments::default();
    let mut problems = Vec::new();
    let taking = single.field.arguments.iter();
    for argument in taking.filter(|argument| argument.name == single.argument) {
        match values::coerced(target, &argument.ty, id, "/filters/0/values/0") {
            Ok(value) => arguments.add(argument, value),
            Err(fault) => problems.push(fault),
        }
    }
    let fields = chosen(target, structure, true);
    let selection = selection(target, list.item, &fields, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Built {
        query: document(single.field, arguments, &selection),
        notes: Vec::new(),
    })
}

/// The only aggregation that lists answer: how many there are.
fn count(
    target: &Target<'_>,
    list: &ListRoot<'_>,
    structure: &QueryStructure,
) -> Result<Built, Vec<QueryProblem>> {
    let mut problems = Vec::new();
    if !structure.group_by.is_empty() {
        problems.push(unsupported(
            "/group_by",
            "GraphQL makes no groups here, a search does. Ask for the records instead.",
        ));
    }
    for (position, measure) in structure.measures.iter().enumerate() {
        if measure.op != MeasureOp::Count {
            problems.push(unsupported(
                format!("/measures/{position}"),
                "GraphQL computes nothing here but how many records there are, a search does. Ask for the records instead.",
            ));
        }
    }
    let Some(total) = list.total else {
        problems.push(unsupported(
            "/measures",
            format!(
                "'{}' does not tell how many records there are.",
                list.field.name
            ),
        ));
        return Err(problems);
    };
    let mut notes = Vec::new();
    let mut arguments = Arguments::default();
    let at = filters::Places::of(target.schema, list);
    let placed = filters::place(target, &at, structure, &mut notes);
    collect(placed, &mut arguments, &mut problems);
    if problems.is_empty() {
        let query = document(list.field, arguments, total);
        Ok(Built { query, notes })
    } else {
        Err(problems)
    }
}

/// The fields of each record: those asked for, or those that the index shows. Of a single record
/// also those of related records that the index knows.
fn chosen(target: &Target<'_>, structure: &QueryStructure, single: bool) -> Vec<String> {
    let index = target.index;
    let mut fields = if !structure.fields.is_empty() {
        structure.fields.clone()
    } else if !index.shown.is_empty() {
        index.shown.clone()
    } else {
        index
            .fields
            .iter()
            .map(|field| field.name.clone())
            .collect()
    };
    if single {
        let related = index.fields.iter().map(|field| &field.name);
        for name in related.filter(|name| name.contains('.')) {
            if !fields.contains(name) {
                fields.push(name.clone());
            }
        }
    }
    fields
}

/// The selected fields of each record, with related records in braces.
fn selection(
    target: &Target<'_>,
    item: &str,
    fields: &[String],
    problems: &mut Vec<QueryProblem>,
) -> String {
    let mut own: Vec<&str> = Vec::new();
    let mut related: Vec<(&str, Vec<&str>)> = Vec::new();
    for (position, name) in fields.iter().enumerate() {
        match path(target.schema, item, name) {
            Some((None, leaf)) if !own.contains(&leaf) => own.push(leaf),
            Some((None, _)) => {}
            Some((Some(relation), leaf)) => {
                match related.iter_mut().find(|(known, _)| *known == relation) {
                    Some((_, leaves)) if leaves.contains(&leaf) => {}
                    Some((_, leaves)) => leaves.push(leaf),
                    None => related.push((relation, vec![leaf])),
                }
            }
            None => problems.push(unsupported(
                format!("/fields/{position}"),
                format!("The schema does not tell '{name}' of a record."),
            )),
        }
    }
    let related = related
        .into_iter()
        .map(|(relation, leaves)| format!("{relation} {{ {} }}", leaves.join(" ")));
    let own = own.into_iter().map(str::to_owned);
    let all: Vec<String> = own.chain(related).collect();
    if all.is_empty() {
        "__typename".to_owned()
    } else {
        all.join(" ")
    }
}

/// A field of a record, and the related record that it is of.
fn path<'a>(
    schema: &'a GraphqlSchema,
    item: &str,
    name: &str,
) -> Option<(Option<&'a str>, &'a str)> {
    if let Some(leaf) = shape::leaf(schema, item, name) {
        return Some((None, leaf.name.as_str()));
    }
    let (relation, rest) = name.split_once('.')?;
    let relation = shape::relation(schema, item, relation)?;
    let leaf = shape::leaf(schema, relation.ty.inner_named_type(), rest)?;
    Some((Some(relation.name.as_str()), leaf.name.as_str()))
}

fn within(within: &Within, selection: &str) -> String {
    match within {
        Within::Plain => selection.to_owned(),
        Within::Member(member) => format!("{member} {{ {selection} }}"),
        Within::Edges => format!("edges {{ node {{ {selection} }} }}"),
    }
}

fn document(field: &FieldDefinition, arguments: Arguments, body: &str) -> GraphqlQuery {
    let mut declared = String::new();
    let mut passed = String::new();
    let mut variables = Map::new();
    for (name, ty, value) in arguments.0 {
        let comma = if declared.is_empty() { "" } else { ", " };
        let _ = write!(declared, "{comma}${name}: {ty}");
        let _ = write!(passed, "{comma}{name}: ${name}");
        variables.insert(name, value);
    }
    let (declared, passed) = if variables.is_empty() {
        (declared, passed)
    } else {
        (format!(" ({declared})"), format!("({passed})"))
    };
    let name = &field.name;
    GraphqlQuery {
        query: format!("query{declared} {{\n  {name}{passed} {{\n    {body}\n  }}\n}}\n"),
        variables,
    }
}

fn unsupported(pointer: impl Into<String>, text: impl Into<String>) -> QueryProblem {
    problem(pointer, "unsupported", text)
}

#[cfg(test)]
mod tests;
