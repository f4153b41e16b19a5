//! Renders a checked structure as the body of a search.
//!
//! Conditions are in filter context: they are exact, cached, and do not affect a score. Days are
//! ranges from the start of the first day to the start of the day after the last, with the source's
//! zone. Totals are exact. Aggregations return no records (`size: 0`).

use chrono_tz::Tz;
use contracts::tools::search::{Filter, FilterOp, Interval, MeasureOp, QueryStructure, TimeRange};
use serde_json::{Map, Value, json};

use super::{LIMIT, group_name, measure_names};
use crate::columns::{Level, Order, group_levels};
use crate::value::{When, next_day};

/// The tenant that a query is restricted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tenant<'a> {
    /// The field that contains the tenant's name.
    pub field: &'a str,
    /// The tenant's name.
    pub name: &'a str,
}

/// The body of a search. If `tenant` is set, the body also filters by it; a body for display has no
/// tenant.
pub fn render(structure: &QueryStructure, zone: Tz, tenant: Option<Tenant<'_>>) -> Value {
    let query = filter_of(structure, zone, tenant);
    let aggregated = !structure.measures.is_empty();
    let mut body = Map::new();
    let size = structure.limit.filter(|_| !aggregated).unwrap_or(0);
    body.insert("size".to_owned(), size.into());
    body.insert("track_total_hits".to_owned(), true.into());
    body.insert("query".to_owned(), query);
    if aggregated {
        let names = measure_names(structure);
        let aggregations = aggregations(structure, &names, &group_levels(structure), zone);
        if !aggregations.is_empty() {
            body.insert("aggs".to_owned(), aggregations.into());
        }
    } else {
        body.insert("_source".to_owned(), json!(structure.fields));
        let sort = structure
            .sort
            .iter()
            .map(|sort| single(&sort.by, json!({"order": direction(sort.descending)})));
        body.insert("sort".to_owned(), sort.collect());
    }
    body.into()
}

/// The query part of a body. It can be used to count the records.
pub fn filter_of(structure: &QueryStructure, zone: Tz, tenant: Option<Tenant<'_>>) -> Value {
    let mut holds: Vec<Value> = Vec::new();
    let mut fails: Vec<Value> = Vec::new();
    holds.extend(tenant.map(|tenant| term(tenant.field, &tenant.name.into())));
    for filter in &structure.filters {
        match filter.op {
            FilterOp::IsNot | FilterOp::Missing => fails.push(clause(filter, zone)),
            _ => holds.push(clause(filter, zone)),
        }
    }
    holds.extend(structure.time_range.as_ref().map(|range| days(range, zone)));
    if holds.is_empty() && fails.is_empty() {
        return json!({"match_all": {}});
    }
    let mut bool_query = Map::new();
    if !holds.is_empty() {
        bool_query.insert("filter".to_owned(), holds.into());
    }
    if !fails.is_empty() {
        bool_query.insert("must_not".to_owned(), fails.into());
    }
    json!({"bool": bool_query})
}

/// A condition without its negation.
fn clause(filter: &Filter, zone: Tz) -> Value {
    if !filter.or.is_empty() {
        let all = filter.alternatives();
        let each: Vec<Value> = all.iter().map(|filter| clause(filter, zone)).collect();
        return json!({"bool": {"should": each, "minimum_should_match": 1}});
    }
    let field = filter.field.as_str();
    let first = filter.values.first().unwrap_or(&Value::Null);
    match filter.op {
        FilterOp::Is | FilterOp::IsNot => match filter.values.as_slice() {
            [one] => term(field, one),
            several => json!({"terms": single(field, json!(several))}),
        },
        FilterOp::Exists | FilterOp::Missing => json!({"exists": {"field": field}}),
        FilterOp::Gt => range(field, "gt", first, zone),
        FilterOp::Gte => range(field, "gte", first, zone),
        FilterOp::Lt => range(field, "lt", first, zone),
        FilterOp::Lte => range(field, "lte", first, zone),
        FilterOp::Matches => {
            json!({"match": single(field, json!({"query": first, "operator": "and"}))})
        }
    }
}

fn term(field: &str, value: &Value) -> Value {
    json!({"term": single(field, json!({"value": value}))})
}

fn range(field: &str, bound: &str, value: &Value, zone: Tz) -> Value {
    let mut bounds = single(bound, value.clone());
    if let (Value::Object(bounds), Some(When::Day(_))) =
        (&mut bounds, value.as_str().and_then(When::read))
    {
        bounds.insert("time_zone".to_owned(), zone.name().into());
    }
    json!({"range": single(field, bounds)})
}

fn days(range: &TimeRange, zone: Tz) -> Value {
    let bounds = json!({
        "gte": When::Day(range.start).value(),
        "lt": When::Day(next_day(range.end)).value(),
        "time_zone": zone.name(),
    });
    let field = range.field.as_deref().unwrap_or_default();
    json!({"range": single(field, bounds)})
}

/// The aggregations of a level: its groups with their nested aggregations, or the measures at the
/// innermost level. Outer groups contain only the measures that they are ordered by.
fn aggregations(
    structure: &QueryStructure,
    names: &[Option<String>],
    levels: &[Level<'_>],
    zone: Tz,
) -> Map<String, Value> {
    let Some((level, inner)) = levels.split_first() else {
        return measures(structure, names, |_| true);
    };
    let mut within = aggregations(structure, names, inner, zone);
    if let (Order::Measure(by), false) = (level.order, inner.is_empty()) {
        within.extend(measures(structure, names, |measure| measure == by));
    }
    if let (Some(_), Some(size)) = (level.grouping.interval, level.size) {
        within.insert(LIMIT.to_owned(), json!({"bucket_sort": {"size": size}}));
    }
    let (kind, options) = groups(structure, names, level, zone);
    let mut aggregation = Map::new();
    aggregation.insert(kind.to_owned(), options.into());
    if !within.is_empty() {
        aggregation.insert("aggs".to_owned(), within.into());
    }
    let mut made = Map::new();
    made.insert(group_name(level.grouping), aggregation.into());
    made
}

fn groups(
    structure: &QueryStructure,
    names: &[Option<String>],
    level: &Level<'_>,
    zone: Tz,
) -> (&'static str, Map<String, Value>) {
    let mut options = Map::new();
    options.insert("field".to_owned(), level.grouping.field.clone().into());
    let kind = if let Some(interval) = level.grouping.interval {
        options.insert("calendar_interval".to_owned(), calendar(interval).into());
        options.insert("time_zone".to_owned(), zone.name().into());
        // Groups without records are left out, as in SQL.
        options.insert("min_doc_count".to_owned(), 1.into());
        "date_histogram"
    } else {
        options.extend(level.size.map(|size| ("size".to_owned(), size.into())));
        "terms"
    };
    let way = direction(level.descending);
    let order = match level.order {
        Order::Key => single("_key", way.into()),
        Order::Measure(by) => {
            let position = structure.measures.iter().position(|measure| measure == by);
            let name = position.and_then(|position| names.get(position).cloned().flatten());
            let first = single(name.as_deref().unwrap_or("_count"), way.into());
            json!([first, {"_key": "asc"}])
        }
    };
    options.insert("order".to_owned(), order);
    (kind, options)
}

fn measures(
    structure: &QueryStructure,
    names: &[Option<String>],
    wanted: impl Fn(&contracts::tools::search::Measure) -> bool,
) -> Map<String, Value> {
    let measures = structure.measures.iter().zip(names);
    measures
        .filter(|(measure, _)| wanted(measure))
        .filter_map(|(measure, name)| {
            let kind = metric(measure.op);
            let of = json!({"field": measure.field.as_deref()?});
            Some((name.clone()?, single(kind, of)))
        })
        .collect()
}

/// The name of the aggregation that computes a measure.
pub(super) fn metric(op: MeasureOp) -> &'static str {
    match op {
        MeasureOp::Count => "value_count",
        MeasureOp::Sum => "sum",
        MeasureOp::Average => "avg",
        MeasureOp::Minimum => "min",
        MeasureOp::Maximum => "max",
        MeasureOp::Distinct => "cardinality",
    }
}

fn calendar(interval: Interval) -> &'static str {
    match interval {
        Interval::Hour => "hour",
        Interval::Day => "day",
        Interval::Week => "week",
        Interval::Month => "month",
        Interval::Quarter => "quarter",
        Interval::Year => "year",
    }
}

fn direction(descending: bool) -> &'static str {
    if descending { "desc" } else { "asc" }
}

/// An object with one member.
fn single(name: &str, value: Value) -> Value {
    let mut object = Map::new();
    object.insert(name.to_owned(), value);
    object.into()
}
