//! The arguments of a list as the typed query that they mean: what [`build`](super::build) writes,
//! read back.

use std::collections::HashMap;

use chrono::NaiveDate;
use chrono_tz::Tz;
use contracts::tools::search::{
    FieldType, Filter, FilterOp, IndexDescription, QueryProblem, QueryStructure, SortBy, TimeRange,
};
use search::{nearest, problem};
use serde_json::{Map, Value};

use super::build::Moment;
use super::names::{folded, same};
use super::shape::{is_offset_argument, is_page_argument};

/// The request that a list's arguments express.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asked {
    /// The query, without its fields.
    pub(super) structure: QueryStructure,
    /// Number of records that are passed over.
    pub(super) offset: u32,
}

/// Reads the arguments of a list, or of one record by its id. What is not known is refused.
pub(super) fn arguments(
    index: &IndexDescription,
    zone: Tz,
    given: &Map<String, Value>,
) -> Result<Asked, QueryProblem> {
    let mut reader = Reader {
        index,
        structure: QueryStructure {
            index: index.name.clone(),
            ..QueryStructure::default()
        },
    };
    let mut offset = 0;
    for (name, value) in given {
        let plain = folded(name);
        if is_page_argument(name) && plain != "last" {
            reader.structure.limit = optional(value, name)?;
        } else if is_offset_argument(name) {
            offset = optional(value, name)?.unwrap_or_default();
        } else if plain.starts_with("order") || plain.starts_with("sort") {
            reader.orders(value)?;
        } else {
            reader.member(name, value)?;
        }
    }
    let mut structure = reader.structure;
    time_range(&mut structure, index, zone);
    Ok(Asked { structure, offset })
}

fn optional(value: &Value, name: &str) -> Result<Option<u32>, QueryProblem> {
    if value.is_null() {
        return Ok(None);
    }
    let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
    let wrong = || unreadable(format!("'{name}' must be a number of records."));
    count.map(Some).ok_or_else(wrong)
}

struct Reader<'a> {
    index: &'a IndexDescription,
    structure: QueryStructure,
}

impl Reader<'_> {
    /// A member of a condition or a filter, or such an argument.
    fn member(&mut self, name: &str, value: &Value) -> Result<(), QueryProblem> {
        let field = self.field(name);
        match (field, value) {
            (Some(field), Value::Object(operators)) => {
                for (operator, value) in operators {
                    if !value.is_null() {
                        let (op, values) = read_operator(operator, value)?;
                        self.filter(&field, op, values);
                    }
                }
                Ok(())
            }
            (Some(field), Value::Null) => {
                self.filter(&field, FilterOp::Missing, Vec::new());
                Ok(())
            }
            (Some(field), value) if !value.is_array() => {
                self.filter(&field, FilterOp::Is, vec![value.clone()]);
                Ok(())
            }
            (None, Value::Null) => Ok(()),
            (None, Value::Object(members)) if is_condition(name) => members
                .iter()
                .try_for_each(|(name, value)| self.member(name, value)),
            (None, Value::Array(all)) if folded(name) == "and" => {
                let objects = all.iter().filter_map(Value::as_object);
                let mut members = objects.flatten();
                members.try_for_each(|(name, value)| self.member(name, value))
            }
            _ => {
                let text = format!("'{name}' cannot be compared so.");
                let mut unknown = unreadable(text);
                let names = self.index.fields.iter().map(|field| field.name.as_str());
                unknown.suggestions = nearest(name, names);
                Err(unknown)
            }
        }
    }

    fn field(&self, name: &str) -> Option<String> {
        let mut fields = self.index.fields.iter();
        let found = fields.find(|field| same(&field.name, name));
        found.map(|field| field.name.clone())
    }

    fn filter(&mut self, field: &str, op: FilterOp, values: Vec<Value>) {
        self.structure.filters.push(Filter {
            field: field.to_owned(),
            op,
            values,
            label: None,
            or: Vec::new(),
        });
    }

    fn orders(&mut self, value: &Value) -> Result<(), QueryProblem> {
        let orders = match value {
            Value::Array(orders) => orders.as_slice(),
            Value::Null => &[],
            order => std::slice::from_ref(order),
        };
        for order in orders {
            let (by, direction) = match order {
                Value::String(order) => order.rsplit_once('_').unwrap_or((order, "")),
                Value::Object(order) if order.len() == 1 => {
                    let only = order.iter().next();
                    let only = only.and_then(|(by, way)| Some((by.as_str(), way.as_str()?)));
                    only.unwrap_or_default()
                }
                _ => ("", ""),
            };
            let direction = folded(direction);
            let by = self
                .field(by)
                .filter(|_| direction == "asc" || direction == "desc");
            let by = by.ok_or_else(|| unreadable(format!("{order} is no order of this index.")))?;
            self.structure.sort.push(SortBy {
                by,
                descending: direction == "desc",
            });
        }
        Ok(())
    }
}

fn is_condition(name: &str) -> bool {
    ["condition", "filter", "where"].contains(&folded(name).as_str())
}

fn read_operator(name: &str, value: &Value) -> Result<(FilterOp, Vec<Value>), QueryProblem> {
    let one = |op| Ok((op, vec![value.clone()]));
    let several = |op| match value {
        Value::Array(values) if !values.is_empty() => Ok((op, values.clone())),
        _ => Err(unreadable(format!("'{name}' needs a list of values."))),
    };
    match folded(name).as_str() {
        "equalto" | "eq" | "equals" | "equal" | "is" => one(FilterOp::Is),
        "distinctfrom" | "notequalto" | "neq" | "ne" | "notequals" => one(FilterOp::IsNot),
        "in" | "anyof" | "oneof" => several(FilterOp::Is),
        "noneof" | "notin" | "nin" => several(FilterOp::IsNot),
        "greaterthan" | "gt" => one(FilterOp::Gt),
        "greaterthanorequalto" | "gte" => one(FilterOp::Gte),
        "lessthan" | "lt" => one(FilterOp::Lt),
        "lessthanorequalto" | "lte" => one(FilterOp::Lte),
        "includesinsensitive" | "matches" | "icontains" | "contains" => one(FilterOp::Matches),
        "isnull" => Ok(match value.as_bool() {
            Some(true) => (FilterOp::Missing, Vec::new()),
            _ => (FilterOp::Exists, Vec::new()),
        }),
        _ => Err(unreadable(format!("'{name}' is no comparison."))),
    }
}

fn unreadable(text: String) -> QueryProblem {
    problem("/query", "unsupported", text)
}

/// Bounds at the beginnings of days are days: those of the usual date field, or of the first that
/// has such bounds.
fn time_range(structure: &mut QueryStructure, index: &IndexDescription, zone: Tz) {
    let mut bounds: HashMap<&str, (Option<usize>, Option<usize>)> = HashMap::new();
    let mut order = Vec::new();
    for (position, filter) in structure.filters.iter().enumerate() {
        let is_date = index
            .fields
            .iter()
            .any(|field| field.name == filter.field && field.field_type == FieldType::Date);
        if !is_date {
            continue;
        }
        let (from, until) = bounds.entry(&filter.field).or_insert_with(|| {
            order.push(filter.field.as_str());
            (None, None)
        });
        match filter.op {
            FilterOp::Gte if from.is_none() => *from = Some(position),
            FilterOp::Lt if until.is_none() => *until = Some(position),
            _ => {}
        }
    }
    let usual = index.date_field.as_deref();
    order.sort_by_key(|field| usual != Some(*field));
    let found = order.into_iter().find_map(|field| {
        let (Some(from), Some(until)) = bounds.get(field).copied()? else {
            return None;
        };
        let day = |position: usize| first_day(structure.filters.get(position)?, zone);
        let (start, end) = (day(from)?, day(until)?.pred_opt()?);
        (start <= end).then(|| (from, until, field.to_owned(), start, end))
    });
    let Some((from, until, field, start, end)) = found else {
        return;
    };
    structure.time_range = Some(TimeRange {
        field: Some(field),
        start,
        end,
        kind: None,
    });
    let mut position = 0;
    structure.filters.retain(|_| {
        let kept = position != from && position != until;
        position += 1;
        kept
    });
}

/// The day that a bound begins, if it does so when the day begins in the zone.
fn first_day(bound: &Filter, zone: Tz) -> Option<NaiveDate> {
    Moment::of(bound.values.first()?, zone)?.as_first_of_day(zone)
}
