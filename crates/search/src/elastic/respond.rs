//! Reads the response to a search, guided by the structure that the search was rendered from.

use chrono::{DateTime, SecondsFormat};
use chrono_tz::Tz;
use contracts::tools::search::{
    FieldType, Grouping, IndexDescription, Measure, MeasureOp, QueryStructure, Total, TotalRelation,
};
use serde_json::{Map, Number, Value};

use super::{group_name, measure_names};
use crate::columns::bucket_day;
use crate::fields::Fields;

/// The response to a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Records or groups.
    pub rows: Vec<Map<String, Value>>,
    /// Number of matching records; `None` if the search did not count them.
    pub total: Option<Total>,
    /// The duration of the search in milliseconds.
    pub took_ms: u64,
    /// Why rows are missing, as a sentence.
    pub partial: Option<String>,
    /// The sort values of the last record. The next page starts after them.
    pub last_sort: Option<Vec<Value>>,
}

/// Reads the response to [`super::render`] of this structure. Returns `None` if the response has
/// another form. Takes at most `max_groups` groups.
pub fn read_response(
    body: &Value,
    structure: &QueryStructure,
    index: &IndexDescription,
    zone: Tz,
    max_groups: u32,
) -> Option<Response> {
    let hits = body.get("hits")?;
    let total = total(hits);
    let mut partial: Vec<String> = Vec::new();
    if body.get("timed_out") == Some(&Value::Bool(true)) {
        partial
            .push("The source stopped at its time limit, so the result is incomplete.".to_owned());
    }
    let shards = |name: &str| body.pointer(&format!("/_shards/{name}"))?.as_u64();
    if let Some(failed) = shards("failed").filter(|&failed| failed > 0) {
        let all = shards("total").unwrap_or(failed);
        partial.push(format!(
            "{failed} of {all} parts of the index did not answer."
        ));
    }
    let mut last_sort = None;
    let rows = if structure.measures.is_empty() {
        let hits = hits.get("hits")?.as_array()?;
        last_sort = hits
            .last()
            .and_then(|hit| hit.get("sort")?.as_array().cloned());
        hits.iter()
            .map(|hit| {
                let source = hit.get("_source").unwrap_or(&Value::Null);
                record(source, &structure.fields)
            })
            .collect()
    } else {
        let mut reader = Groups {
            structure,
            names: measure_names(structure),
            fields: Fields::of(index),
            zone,
            rows: Vec::new(),
            further: 0,
        };
        reader.read(body, total)?;
        if reader.further > 0 {
            partial.push(format!(
                "Groups beyond the limit, with {} records, are left out.",
                reader.further
            ));
        }
        if reader.rows.len() > max_groups as usize {
            reader.rows.truncate(max_groups as usize);
            partial.push(format!("Only the first {max_groups} groups are shown."));
        }
        reader.rows
    };
    Some(Response {
        rows,
        total,
        took_ms: body.get("took").and_then(Value::as_u64).unwrap_or(0),
        partial: (!partial.is_empty()).then(|| partial.join(" ")),
        last_sort,
    })
}

/// An object, or a bare number as in older versions and with `rest_total_hits_as_int`.
fn total(hits: &Value) -> Option<Total> {
    let total = hits.get("total")?;
    let value = total.as_u64().or_else(|| total.get("value")?.as_u64())?;
    let relation = match total.get("relation").and_then(Value::as_str) {
        Some("gte") => TotalRelation::Gte,
        _ => TotalRelation::Eq,
    };
    Some(Total { value, relation })
}

fn record(source: &Value, fields: &[String]) -> Map<String, Value> {
    let value = |name: &String| (name.clone(), at_path(source, name).unwrap_or(Value::Null));
    fields.iter().map(value).collect()
}

/// The value at a dotted path: through objects, through each object of a list, or with the whole
/// path as one name.
fn at_path(source: &Value, path: &str) -> Option<Value> {
    match source {
        Value::Object(object) => {
            if let Some(value) = object.get(path) {
                return Some(value.clone());
            }
            path.match_indices('.').find_map(|(dot, _)| {
                let (first, rest) = (&path[..dot], &path[dot + 1..]);
                at_path(object.get(first)?, rest)
            })
        }
        Value::Array(items) => {
            let values: Vec<Value> = items
                .iter()
                .filter_map(|item| at_path(item, path))
                .collect();
            (!values.is_empty()).then_some(Value::Array(values))
        }
        _ => None,
    }
}

struct Groups<'a> {
    structure: &'a QueryStructure,
    names: Vec<Option<String>>,
    fields: Fields<'a>,
    zone: Tz,
    rows: Vec<Map<String, Value>>,
    /// Number of records in groups that are not in the response.
    further: u64,
}

impl Groups<'_> {
    fn read(&mut self, body: &Value, total: Option<Total>) -> Option<()> {
        let empty = Value::Object(Map::new());
        let aggregations = body.get("aggregations").unwrap_or(&empty);
        let all = self.structure.group_by.as_slice();
        if all.is_empty() {
            let row = self.measures(aggregations, total?.value, Map::new());
            self.rows.push(row);
            return Some(());
        }
        self.level(aggregations, all, &Map::new())
    }

    fn level(
        &mut self,
        aggregations: &Value,
        groups: &[Grouping],
        outer: &Map<String, Value>,
    ) -> Option<()> {
        let (grouping, inner) = groups.split_first()?;
        let made = aggregations.get(group_name(grouping))?;
        self.further += made
            .get("sum_other_doc_count")
            .and_then(Value::as_u64)
            .unwrap_or(0);
        for bucket in made.get("buckets")?.as_array()? {
            let mut row = outer.clone();
            row.insert(grouping.field.clone(), self.key(bucket, grouping)?);
            if inner.is_empty() {
                let count = bucket.get("doc_count")?.as_u64()?;
                let row = self.measures(bucket, count, row);
                self.rows.push(row);
            } else {
                self.level(bucket, inner, &row)?;
            }
        }
        Some(())
    }

    fn key(&self, bucket: &Value, grouping: &Grouping) -> Option<Value> {
        let key = bucket.get("key")?;
        if let Some(interval) = grouping.interval {
            let begins = DateTime::from_timestamp_millis(millis(key)?)?;
            return Some(bucket_day(begins, interval, self.zone));
        }
        let field = self.fields.find(&grouping.field);
        let is_boolean = field.is_some_and(|field| field.field_type == FieldType::Boolean);
        Some(match key.as_i64() {
            Some(number) if is_boolean => (number != 0).into(),
            _ => key.clone(),
        })
    }

    fn measures(
        &self,
        bucket: &Value,
        count: u64,
        mut row: Map<String, Value>,
    ) -> Map<String, Value> {
        for (measure, name) in self.structure.measures.iter().zip(&self.names) {
            let value = match name {
                None => count.into(),
                Some(name) => {
                    let value = bucket.get(name).and_then(|made| made.get("value"));
                    self.measured(measure, value.unwrap_or(&Value::Null))
                }
            };
            row.insert(measure.name(), value);
        }
        row
    }

    /// Elasticsearch computes in doubles. Whole numbers are converted to integers, and dates to
    /// dates.
    fn measured(&self, measure: &Measure, value: &Value) -> Value {
        let field = measure.field.as_deref();
        let field_type = field.and_then(|name| Some(self.fields.find(name)?.field_type));
        let counts = matches!(measure.op, MeasureOp::Count | MeasureOp::Distinct);
        let whole =
            counts || (field_type == Some(FieldType::Long) && measure.op != MeasureOp::Average);
        if field_type == Some(FieldType::Date) && !counts {
            let moment = millis(value).and_then(DateTime::from_timestamp_millis);
            return moment.map_or(Value::Null, |moment| {
                moment.to_rfc3339_opts(SecondsFormat::AutoSi, true).into()
            });
        }
        match millis(value) {
            Some(number) if whole => number.into(),
            _ => value
                .as_f64()
                .and_then(Number::from_f64)
                .map_or(Value::Null, Value::Number),
        }
    }
}

/// A whole number that may be written as a double.
fn millis(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() < 9e15)
            .map(|number| number as i64)
    })
}
