//! The depth of a query and the number of values it may return. A list counts with its limit, or
//! with the usual length of lists.

use std::collections::HashMap;

use apollo_compiler::ExecutableDocument;
use apollo_compiler::executable::{Field, Selection, SelectionSet, Value};
use apollo_compiler::response::JsonMap;
use contracts::tools::search::QueryProblem;
use search::problem;

use super::limits::GraphqlLimits;
use super::schema::GraphqlSchema;
use super::shape::{self, is_page_argument};

/// Refuses a query that exceeds the limits for depth or number of values.
pub(super) fn check(
    schema: &GraphqlSchema,
    document: &ExecutableDocument,
    variables: &JsonMap,
    limits: &GraphqlLimits,
) -> Result<(), Vec<QueryProblem>> {
    let mut walk = Walk {
        schema,
        document,
        variables,
        limits,
        known: HashMap::new(),
        problems: Vec::new(),
    };
    let operation = document.operations.iter().next();
    let root = operation.map(|operation| walk.selections(&operation.selection_set, None));
    let Weight { depth, cost } = root.unwrap_or_default();
    if depth > limits.max_depth {
        let text = format!(
            "The query is {depth} fields deep; {} is the most.",
            limits.max_depth
        );
        walk.problems.push(problem("/query", "too_deep", text));
    }
    if cost > limits.max_cost {
        let text = format!(
            "The query may bring {cost} values; {} is the most. Ask for fewer records, or fewer fields of each.",
            limits.max_cost
        );
        walk.problems.push(problem("/query", "too_expensive", text));
    }
    if walk.problems.is_empty() {
        Ok(())
    } else {
        Err(walk.problems)
    }
}

/// The depth and number of values of a selection.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    depth: u32,
    cost: u64,
}

impl Weight {
    fn and(self, other: Weight) -> Weight {
        Weight {
            depth: self.depth.max(other.depth),
            cost: self.cost.saturating_add(other.cost),
        }
    }
}

struct Walk<'a> {
    schema: &'a GraphqlSchema,
    document: &'a ExecutableDocument,
    variables: &'a JsonMap,
    limits: &'a GraphqlLimits,
    /// Of each fragment, by how long the lists around it are.
    known: HashMap<(&'a str, Option<u64>), Weight>,
    problems: Vec<QueryProblem>,
}

impl<'a> Walk<'a> {
    /// `page`: how many records the list has that these are the insides of.
    fn selections(&mut self, set: &'a SelectionSet, page: Option<u64>) -> Weight {
        let mut weight = Weight::default();
        for selection in &set.selections {
            let found = match selection {
                Selection::Field(field) => self.field(field, page),
                Selection::InlineFragment(fragment) => {
                    self.selections(&fragment.selection_set, page)
                }
                Selection::FragmentSpread(spread) => self.fragment(&spread.fragment_name, page),
            };
            weight = weight.and(found);
        }
        weight
    }

    fn fragment(&mut self, name: &'a str, page: Option<u64>) -> Weight {
        if let Some(known) = self.known.get(&(name, page)) {
            return *known;
        }
        // The document is valid: the fragment is there and does not contain itself.
        let fragment = self.document.fragments.get(name);
        let weight = fragment.map(|fragment| self.selections(&fragment.selection_set, page));
        let weight = weight.unwrap_or_default();
        self.known.insert((name, page), weight);
        weight
    }

    fn field(&mut self, field: &'a Field, page: Option<u64>) -> Weight {
        let own = self.page(field);
        let connection = shape::list_within(self.schema, field.ty()).is_some();
        let usual = u64::from(self.limits.default_rows);
        let (times, inner) = if field.ty().is_list() && !field.selection_set.is_empty() {
            (own.or(page).unwrap_or(usual), None)
        } else if connection {
            (1, Some(own.unwrap_or(usual)))
        } else {
            (1, None)
        };
        let within = self.selections(&field.selection_set, inner);
        Weight {
            depth: within.depth.saturating_add(1),
            cost: within.cost.saturating_add(1).saturating_mul(times),
        }
    }

    /// Number of records that a list is asked for.
    fn page(&mut self, field: &Field) -> Option<u64> {
        let defined = field.definition.arguments.iter();
        let mut asked = None;
        for definition in defined.filter(|argument| is_page_argument(&argument.name)) {
            let given = field.specified_argument_by_name(&definition.name);
            let given = given.or(definition.default_value.as_ref());
            let Some(count) = given.and_then(|value| self.number(value)) else {
                continue;
            };
            let most = u64::from(self.limits.max_rows);
            if count > most {
                let text = format!(
                    "'{}' asks for {count} records; {most} is the most.",
                    field.name
                );
                self.problems.push(problem("/query", "too_expensive", text));
            }
            asked = Some(asked.unwrap_or(0).max(count));
        }
        asked
    }

    fn number(&self, value: &Value) -> Option<u64> {
        match value {
            Value::Int(number) => number.as_str().parse().ok(),
            Value::String(text) => text.parse().ok(),
            Value::Variable(name) => {
                let value = self.variables.get(name.as_str())?;
                value.as_u64().or_else(|| value.as_str()?.parse().ok())
            }
            _ => None,
        }
    }
}
