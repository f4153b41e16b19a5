//! What servers call comparisons.

use contracts::tools::search::QueryProblem;
use serde_json::Value;

use super::Compared;
use super::values;
use crate::graphql::names::folded;

/// An operator of a schema, and how its value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// With the value itself.
    Plain,
    /// With a list.
    List,
    /// With yes or no.
    Flag(bool),
    /// With a pattern that has `%` around the word.
    Pattern,
}

impl Compared {
    /// The names of operators that say this, folded, the exactest first. `PostGraphile`'s,
    /// Hasura's, Prisma's and Hot Chocolate's, without their underscores and spellings.
    pub(super) fn operators(&self) -> &'static [(&'static str, Operator)] {
        use Operator::{Flag, List, Pattern, Plain};
        match self {
            Compared::Equal(_) => &[
                ("equalto", Plain),
                ("eq", Plain),
                ("equals", Plain),
                ("equal", Plain),
                ("is", Plain),
                ("in", List),
            ],
            Compared::AnyOf(_) => &[("in", List), ("anyof", List), ("oneof", List)],
            // What has no value is not the value either: the operators that know that come first.
            Compared::NotEqual(_) => &[
                ("distinctfrom", Plain),
                ("notequalto", Plain),
                ("neq", Plain),
                ("ne", Plain),
                ("notequals", Plain),
                ("not", Plain),
            ],
            Compared::NoneOf(_) => &[("noneof", List), ("notin", List), ("nin", List)],
            Compared::Greater(_) => &[("greaterthan", Plain), ("gt", Plain), ("after", Plain)],
            Compared::GreaterOrEqual(_) => &[
                ("greaterthanorequalto", Plain),
                ("gte", Plain),
                ("ge", Plain),
                ("greaterthanorequal", Plain),
            ],
            Compared::Less(_) => &[("lessthan", Plain), ("lt", Plain), ("before", Plain)],
            Compared::LessOrEqual(_) => &[
                ("lessthanorequalto", Plain),
                ("lte", Plain),
                ("le", Plain),
                ("lessthanorequal", Plain),
            ],
            Compared::Null(true) => &[("isnull", Flag(true)), ("exists", Flag(false))],
            Compared::Null(false) => &[
                ("isnull", Flag(false)),
                ("exists", Flag(true)),
                ("isnotnull", Flag(true)),
            ],
            Compared::Has(_) => &[
                ("includesinsensitive", Plain),
                ("icontains", Plain),
                ("containsinsensitive", Plain),
                ("containsnocase", Plain),
                ("ilike", Pattern),
                ("contains", Plain),
                ("includes", Plain),
            ],
        }
    }
}

/// The operator that a name is, for a comparison: the name as a whole, or behind the field's.
pub(super) fn named(compared: &Compared, name: &str) -> Option<(usize, Operator)> {
    let name = folded(name);
    let all = compared.operators();
    let position = all.iter().position(|(known, _)| *known == name)?;
    all.get(position).map(|(_, operator)| (position, *operator))
}

impl Operator {
    /// A comparison's value; `single` writes one value of the operator's type.
    pub(super) fn written(
        self,
        compared: &Compared,
        single: impl Fn(&Value) -> Result<Value, QueryProblem>,
    ) -> Result<Value, QueryProblem> {
        if let Operator::Flag(flag) = self {
            return Ok(Value::Bool(flag));
        }
        match compared {
            Compared::AnyOf(values) | Compared::NoneOf(values) => {
                let values = values.iter().map(|value| single(value).map(first_of));
                Ok(Value::Array(values.collect::<Result<_, _>>()?))
            }
            Compared::Equal(value)
            | Compared::NotEqual(value)
            | Compared::Greater(value)
            | Compared::GreaterOrEqual(value)
            | Compared::Less(value)
            | Compared::LessOrEqual(value) => single(value),
            Compared::Has(word) => {
                let word = Value::from(word.as_str());
                let text = match self {
                    Operator::Pattern => {
                        Value::from(format!("%{}%", escaped(&values::text(&word))))
                    }
                    _ => word,
                };
                single(&text)
            }
            Compared::Null(_) => Ok(Value::Null),
        }
    }
}

/// A value written for a list's type comes as a list of one.
fn first_of(value: Value) -> Value {
    match value {
        Value::Array(mut values) if values.len() == 1 => values.pop().unwrap_or_default(),
        other => other,
    }
}

/// A word as a pattern that means itself.
fn escaped(word: &str) -> String {
    word.replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}
