//! The fields and arguments that a checked query selects, with its fragments and variables filled
//! in.

use std::collections::HashSet;

use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Field, Selection, SelectionSet, Value as Literal};
use apollo_compiler::response::{JsonMap, JsonValue};
use serde_json::{Map, Value};

use super::tenancy;
use super::validate::CheckedQuery;

/// The fields of a selection that are asked for, by the names that they are answered under, `@skip`
/// and `@include` obeyed. Fields that are there twice come once, with the selections of both.
pub(super) fn fields<'a>(
    document: &'a ExecutableDocument,
    variables: &JsonMap,
    sets: &[&'a SelectionSet],
) -> Vec<Selected<'a>> {
    let mut found = Vec::new();
    for set in sets {
        collect(document, variables, set, &mut found);
    }
    found
}

/// A field that is asked for.
#[derive(Debug, Clone)]
pub(super) struct Selected<'a> {
    /// The field.
    pub(super) field: &'a Field,
    /// The selections of its value, one for each occurrence.
    pub(super) sets: Vec<&'a SelectionSet>,
}

impl Selected<'_> {
    /// The name that it is answered under.
    pub(super) fn key(&self) -> &str {
        self.field.response_key()
    }

    /// The name that the schema has for it.
    pub(super) fn name(&self) -> &str {
        &self.field.name
    }
}

fn collect<'a>(
    document: &'a ExecutableDocument,
    variables: &JsonMap,
    set: &'a SelectionSet,
    found: &mut Vec<Selected<'a>>,
) {
    for selection in &set.selections {
        if !is_included(selection, variables) {
            continue;
        }
        match selection {
            Selection::Field(field) => {
                let known = found
                    .iter_mut()
                    .find(|known| known.key() == field.response_key().as_str());
                match known {
                    Some(known) => known.sets.push(&field.selection_set),
                    None => found.push(Selected {
                        field,
                        sets: vec![&field.selection_set],
                    }),
                }
            }
            Selection::InlineFragment(fragment) => {
                collect(document, variables, &fragment.selection_set, found);
            }
            Selection::FragmentSpread(spread) => {
                if let Some(fragment) = document.fragments.get(&spread.fragment_name) {
                    collect(document, variables, &fragment.selection_set, found);
                }
            }
        }
    }
}

/// The names that anything of a query is answered under.
pub(super) fn keys(checked: &CheckedQuery) -> HashSet<&str> {
    fn within<'a>(set: &'a SelectionSet, keys: &mut HashSet<&'a str>) {
        for selection in &set.selections {
            match selection {
                Selection::Field(field) => {
                    keys.insert(field.response_key().as_str());
                    within(&field.selection_set, keys);
                }
                Selection::InlineFragment(fragment) => within(&fragment.selection_set, keys),
                Selection::FragmentSpread(_) => {}
            }
        }
    }
    let mut keys = HashSet::new();
    let fragments = checked.document().fragments.values();
    let operation = checked
        .operation()
        .map(|operation| &operation.selection_set);
    let sets = fragments.map(|fragment| &fragment.selection_set);
    for set in sets.chain(operation) {
        within(set, &mut keys);
    }
    keys
}

/// The data of an answer without what was not asked for; only servers that are out of order send
/// such.
pub(super) fn only(checked: &CheckedQuery, data: Map<String, Value>) -> Map<String, Value> {
    let sets: Vec<_> = checked
        .operation()
        .map(|operation| &operation.selection_set)
        .into_iter()
        .collect();
    match only_of(checked, &sets, Value::Object(data)) {
        Value::Object(data) => data,
        _ => Map::new(),
    }
}

fn only_of(checked: &CheckedQuery, sets: &[&SelectionSet], value: Value) -> Value {
    match value {
        Value::Array(values) => {
            let values = values.into_iter();
            Value::Array(values.map(|value| only_of(checked, sets, value)).collect())
        }
        Value::Object(mut members) => {
            let own = members.remove(tenancy::KEY);
            let selected = fields(checked.document(), checked.variables(), sets);
            let kept = selected.into_iter().filter_map(|selected| {
                let value = members.remove(selected.key())?;
                let is_leaf = selected.sets.iter().all(|set| set.selections.is_empty());
                let value = if is_leaf {
                    value
                } else {
                    only_of(checked, &selected.sets, value)
                };
                Some((selected.key().to_owned(), value))
            });
            let mut kept: Map<_, _> = kept.collect();
            kept.extend(own.map(|own| (tenancy::KEY.to_owned(), own)));
            Value::Object(kept)
        }
        value => value,
    }
}

fn is_included(selection: &Selection, variables: &JsonMap) -> bool {
    let says = |name: &str| {
        let directive = selection.directives().get(name)?;
        let condition = directive.specified_argument_by_name("if")?;
        json(condition, variables)?.as_bool()
    };
    says("skip") != Some(true) && says("include") != Some(false)
}

/// The arguments that a field is given. Those whose variable has no value are not given.
pub(super) fn arguments(field: &Field, variables: &JsonMap) -> Map<String, Value> {
    let given = field.arguments.iter();
    given
        .filter_map(|argument| {
            let value = json(&argument.value, variables)?;
            Some((argument.name.to_string(), value))
        })
        .collect()
}

/// A literal as JSON; `None` for a variable without a value.
fn json(literal: &Literal, variables: &JsonMap) -> Option<Value> {
    Some(match literal {
        Literal::Null => Value::Null,
        Literal::Enum(name) => Value::from(name.as_str()),
        Literal::Variable(name) => plain(variables.get(name.as_str())?),
        Literal::String(text) => Value::from(text.as_str()),
        Literal::Float(number) => serde_json::from_str(number.as_str()).unwrap_or_default(),
        Literal::Int(number) => serde_json::from_str(number.as_str()).unwrap_or_default(),
        Literal::Boolean(yes) => Value::Bool(*yes),
        Literal::List(values) => {
            let values = values.iter();
            let values = values.map(|value| json(value, variables).unwrap_or_default());
            Value::Array(values.collect())
        }
        Literal::Object(members) => {
            let members = members.iter();
            let members = members.filter_map(|(name, value)| {
                let value = json(value, variables)?;
                Some((name.to_string(), value))
            });
            Value::Object(members.collect())
        }
    })
}

/// The same value in the usual type of JSON.
pub(super) fn plain(value: &JsonValue) -> Value {
    match value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(yes) => Value::Bool(*yes),
        JsonValue::Number(number) => Value::Number(number.clone()),
        JsonValue::String(text) => Value::from(text.as_str()),
        JsonValue::Array(values) => Value::Array(values.iter().map(plain).collect()),
        JsonValue::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, member)| (name.as_str().to_owned(), plain(member)));
            Value::Object(members.collect())
        }
    }
}
