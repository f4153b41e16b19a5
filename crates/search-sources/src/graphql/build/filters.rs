//! Places for conditions: arguments of the root field, members of a condition, operators of a
//! filter.

mod operators;
mod places;

use apollo_compiler::ast::Type;
use contracts::tools::search::{Filter, FilterOp, QueryProblem, QueryStructure};
use serde_json::Value;

pub(super) use places::Places;

use self::operators::Operator;
use self::places::Slot;
use super::values::{self, Moment};
use super::{Arguments, Target, unsupported};
use crate::graphql::schema::GraphqlSchema;
use crate::graphql::shape::ListRoot;

/// One comparison: what a filter comes down to where it is written.
#[derive(Debug, Clone, PartialEq)]
struct Comparison<'a> {
    /// The field, as the index has it.
    field: &'a str,
    compared: Compared,
    /// The position in the structure, as a JSON pointer.
    pointer: String,
}

/// How a field is compared, and with what.
#[derive(Debug, Clone, PartialEq)]
enum Compared {
    Equal(Value),
    AnyOf(Vec<Value>),
    NotEqual(Value),
    NoneOf(Vec<Value>),
    Greater(Value),
    GreaterOrEqual(Value),
    Less(Value),
    LessOrEqual(Value),
    /// It has no value, or it has one.
    Null(bool),
    /// Its text has this word.
    Has(String),
}

/// The arguments that hold all the conditions of a structure.
pub(super) fn place<'a>(
    target: &Target<'a>,
    places: &Places<'a>,
    structure: &QueryStructure,
    notes: &mut Vec<String>,
) -> Result<Arguments, Vec<QueryProblem>> {
    let mut comparisons = Vec::new();
    let several = structure
        .filters
        .iter()
        .position(|filter| !filter.or.is_empty());
    if let Some(position) = several {
        return Err(vec![unsupported(
            format!("/filters/{position}/or"),
            "Alternatives of several fields are asked with a search, not with GraphQL.".to_owned(),
        )]);
    }
    for (position, filter) in structure.filters.iter().enumerate() {
        comparisons.extend(of_filter(target, filter, &format!("/filters/{position}")));
    }
    if let Some(range) = &structure.time_range {
        let field = range
            .field
            .as_deref()
            .or(target.index.date_field.as_deref());
        let after = range.end.succ_opt().unwrap_or(range.end);
        let bounds = [
            Compared::GreaterOrEqual(Value::from(range.start.to_string())),
            Compared::Less(Value::from(after.to_string())),
        ];
        comparisons.extend(bounds.into_iter().map(|compared| Comparison {
            field: field.unwrap_or_default(),
            compared,
            pointer: "/time_range".to_owned(),
        }));
    }
    let mut slots = Vec::new();
    let mut problems = Vec::new();
    for comparison in &comparisons {
        match slot(target, places, comparison) {
            Ok(slot) => slots.push((comparison, slot)),
            Err(fault) if problems.contains(&fault) => {}
            Err(fault) => problems.push(fault),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut arguments = places::Filled::default();
    for (comparison, slot) in slots {
        let excludes = matches!(
            comparison.compared,
            Compared::NoneOf(_) | Compared::NotEqual(_)
        );
        if excludes && !slot.keeps_missing() {
            notes.push(format!(
                "Records without a value of '{}' are left out too.",
                comparison.field
            ));
        }
        if !arguments.put(slot) {
            let text = format!("'{}' cannot be compared so twice.", comparison.field);
            problems.push(unsupported(comparison.pointer.clone(), text));
        }
    }
    if problems.is_empty() {
        Ok(arguments.into_arguments(places))
    } else {
        Err(problems)
    }
}

/// The comparisons of a filter: a day becomes a range, and the words of a text are compared one by
/// one.
fn of_filter<'a>(target: &Target<'_>, filter: &'a Filter, pointer: &str) -> Vec<Comparison<'a>> {
    let one = |compared| {
        vec![Comparison {
            field: &filter.field,
            compared,
            pointer: pointer.to_owned(),
        }]
    };
    let first = || filter.values.first().cloned().unwrap_or_default();
    let day = || match Moment::of(&first(), target.zone) {
        Some(Moment::Day(day)) if is_date(target, &filter.field) => Some(day),
        _ => None,
    };
    let next = |day: chrono::NaiveDate| Value::from(day.succ_opt().unwrap_or(day).to_string());
    match (filter.op, filter.values.as_slice()) {
        (FilterOp::Is, [value]) => match day() {
            Some(day) => {
                let mut bounds = one(Compared::GreaterOrEqual(value.clone()));
                bounds.extend(one(Compared::Less(next(day))));
                bounds
            }
            None => one(Compared::Equal(value.clone())),
        },
        (FilterOp::Is, values) => one(Compared::AnyOf(values.to_vec())),
        (FilterOp::IsNot, [value]) => one(Compared::NotEqual(value.clone())),
        (FilterOp::IsNot, values) => one(Compared::NoneOf(values.to_vec())),
        (FilterOp::Gt, _) => match day() {
            Some(day) => one(Compared::GreaterOrEqual(next(day))),
            None => one(Compared::Greater(first())),
        },
        (FilterOp::Gte, _) => one(Compared::GreaterOrEqual(first())),
        (FilterOp::Lt, _) => one(Compared::Less(first())),
        (FilterOp::Lte, _) => match day() {
            Some(day) => one(Compared::Less(next(day))),
            None => one(Compared::LessOrEqual(first())),
        },
        (FilterOp::Exists, _) => one(Compared::Null(false)),
        (FilterOp::Missing, _) => one(Compared::Null(true)),
        (FilterOp::Matches, values) => {
            let words = values
                .iter()
                .map(values::text)
                .collect::<Vec<_>>()
                .join(" ");
            let words = words.split_whitespace();
            words
                .flat_map(|word| one(Compared::Has(word.to_owned())))
                .collect()
        }
    }
}

fn is_date(target: &Target<'_>, field: &str) -> bool {
    let mut fields = target.index.fields.iter();
    let found = fields.find(|known| known.name == field);
    found.is_some_and(|known| known.field_type == contracts::tools::search::FieldType::Date)
}

/// The place of a comparison, simplest form first.
fn slot<'a>(
    target: &Target<'a>,
    places: &Places<'a>,
    comparison: &Comparison<'_>,
) -> Result<Slot<'a>, QueryProblem> {
    let pointer = &comparison.pointer;
    let value = |ty: &Type, value: &Value| values::coerced(target, ty, value, pointer);
    let equal = match &comparison.compared {
        Compared::Equal(value) => Some(value),
        _ => None,
    };
    if let Some(wanted) = equal
        && let Some((slot, ty)) = places.equality(target.schema, comparison.field)
    {
        return Ok(slot.with(value(ty, wanted)?));
    }
    if let Some((slot, operator, ty)) = places.operator(target.schema, comparison) {
        let written = operator.written(&comparison.compared, |wanted| value(ty, wanted))?;
        return Ok(slot.with(written));
    }
    Err(unsupported(
        pointer.clone(),
        format!(
            "The schema has no place for {} '{}'.",
            comparison.compared.words(),
            comparison.field
        ),
    ))
}

impl Compared {
    fn words(&self) -> &'static str {
        match self {
            Compared::Equal(_) => "a value of",
            Compared::AnyOf(_) => "several values of",
            Compared::NotEqual(_) | Compared::NoneOf(_) => "values that are not those of",
            Compared::Greater(_) | Compared::GreaterOrEqual(_) => "a lower bound of",
            Compared::Less(_) | Compared::LessOrEqual(_) => "an upper bound of",
            Compared::Null(true) => "records without",
            Compared::Null(false) => "records with any",
            Compared::Has(_) => "words of",
        }
    }
}

/// The way to where a list compares a field with a text: an argument, and members of it.
pub(in crate::graphql) fn equality<'a>(
    schema: &'a GraphqlSchema,
    list: &ListRoot<'a>,
    field: &str,
) -> Option<(&'a str, Vec<&'a str>)> {
    let places = Places::of(schema, list);
    let plain = places.equality(schema, field).map(|(slot, _)| slot);
    let slot = plain.or_else(|| {
        let comparison = Comparison {
            field,
            compared: Compared::Equal(Value::Null),
            pointer: String::new(),
        };
        let (slot, operator, _) = places.operator(schema, &comparison)?;
        (operator == Operator::Plain).then_some(slot)
    });
    slot.map(Slot::way)
}
