//! A strict parser from the body of a search to a structure.
//!
//! The parser accepts what [`super::render`] writes, and other common spellings: short and long
//! forms, one clause or a list, `must` for `filter`, several `should` clauses on one field,
//! `aggregations` for `aggs`. Days are those of the source's zone. Everything else is a problem
//! with a pointer: `not_allowed` if it runs code, searches by patterns or accesses other indices,
//! `unsupported` otherwise.

mod aggregations;
mod clauses;

use chrono_tz::Tz;
use contracts::tools::search::{FieldType, IndexDescription, QueryProblem, QueryStructure, SortBy};
use serde_json::{Map, Value};

use crate::fields::{Field, Fields};
use crate::problem::{problem, segment};

/// A parsed body. It is not checked yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The query as a structure.
    pub structure: QueryStructure,
    /// The pointer into the body for each part of the structure.
    origins: Vec<(String, String)>,
}

impl Parsed {
    /// Translates the pointer of a problem from the structure to the body.
    pub fn locate(&self, mut problem: QueryProblem) -> QueryProblem {
        let inside = |part: &str| {
            problem
                .pointer
                .strip_prefix(part)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let origins = self.origins.iter().filter(|(part, _)| inside(part));
        if let Some((_, place)) = origins.max_by_key(|(part, _)| part.len()) {
            problem.pointer.clone_from(place);
        }
        problem
    }
}

/// Parses the body of a search of an index.
pub fn parse(
    body: &Value,
    index: &IndexDescription,
    zone: Tz,
) -> Result<Parsed, Vec<QueryProblem>> {
    let mut reader = Reader {
        fields: Fields::of(index),
        index,
        zone,
        structure: QueryStructure {
            index: index.name.clone(),
            ..QueryStructure::default()
        },
        origins: Vec::new(),
        problems: Vec::new(),
    };
    reader.body(body);
    if reader.problems.is_empty() {
        Ok(Parsed {
            structure: reader.structure,
            origins: reader.origins,
        })
    } else {
        Err(reader.problems)
    }
}

/// Members that run code, search by patterns, or access other indices. They are rejected
/// everywhere.
const NOT_ALLOWED: [&str; 42] = [
    "_script",
    "bucket_script",
    "bucket_selector",
    "combined_fields",
    "distance_feature",
    "docvalue_fields",
    "ext",
    "fields",
    "function_score",
    "fuzzy",
    "has_child",
    "has_parent",
    "indices_boost",
    "intervals",
    "knn",
    "more_like_this",
    "moving_fn",
    "nested",
    "parent_id",
    "percolate",
    "pinned",
    "pit",
    "post_filter",
    "prefix",
    "query_string",
    "rank_feature",
    "regexp",
    "rescore",
    "runtime_mappings",
    "script",
    "script_fields",
    "script_score",
    "scripted_metric",
    "semantic",
    "significant_text",
    "simple_query_string",
    "sparse_vector",
    "stored_fields",
    "suggest",
    "top_hits",
    "wildcard",
    "wrapper",
];

struct Reader<'a> {
    index: &'a IndexDescription,
    fields: Fields<'a>,
    zone: Tz,
    structure: QueryStructure,
    origins: Vec<(String, String)>,
    problems: Vec<QueryProblem>,
}

impl<'a> Reader<'a> {
    fn body(&mut self, body: &Value) {
        let Some(body) = self.object(body, "") else {
            return;
        };
        let aggregations = body.get("aggs").or_else(|| body.get("aggregations"));
        let size = body.get("size");
        let aggregated = aggregations.is_some() || size.and_then(Value::as_u64) == Some(0);
        for (key, value) in body {
            let at = format!("/{}", segment(key));
            match key.as_str() {
                "query" => self.query(value, &at),
                "aggs" | "aggregations" => {}
                "size" => self.size(value, aggregations.is_some(), &at),
                "from" if value.as_u64() == Some(0) => {}
                "track_total_hits" if value.is_boolean() || value.is_u64() => {}
                "_source" if aggregated && value == &Value::Bool(false) => {}
                "_source" if !aggregated => self.source(value, &at),
                "sort" if !aggregated => self.sort(value, &at),
                _ => self.unknown(key, &at),
            }
        }
        if let Some(aggregations) = aggregations {
            if body.contains_key("aggs") && body.contains_key("aggregations") {
                self.report(
                    "/aggregations",
                    "invalid",
                    "The body has both 'aggs' and 'aggregations'.",
                );
            }
            let at = if body.contains_key("aggs") {
                "/aggs"
            } else {
                "/aggregations"
            };
            self.aggregations(aggregations, at);
        } else if aggregated {
            // Without records and aggregations, the query asks for the number of records.
            self.structure.measures = vec![aggregations::count()];
        }
    }

    fn size(&mut self, value: &Value, aggregates: bool, at: &str) {
        let size = value.as_u64().and_then(|size| u32::try_from(size).ok());
        match size {
            Some(0) => {}
            Some(_) if aggregates => self.report(
                at,
                "unsupported",
                "An aggregation returns no records: set 'size' to 0.",
            ),
            Some(size) => {
                self.structure.limit = Some(size);
                self.origin("/limit", at);
            }
            None => self.report(at, "invalid", "The size must be a whole number."),
        }
    }

    /// The fields of the records: a name, a list, or an object with `includes`.
    fn source(&mut self, value: &Value, at: &str) {
        let names = match value {
            Value::Bool(true) => return,
            Value::Object(object) if object.len() == 1 && object.contains_key("includes") => {
                object.get("includes").unwrap_or(value)
            }
            other => other,
        };
        let names = match names {
            Value::Array(names) => names.as_slice(),
            Value::String(_) => std::slice::from_ref(names),
            _ => return self.report(at, "unsupported", "Give a list of fields."),
        };
        for (position, name) in names.iter().enumerate() {
            let at = format!("{at}/{position}");
            match name.as_str() {
                Some("*") => {
                    let all = self.index.fields.iter().map(|field| field.name.clone());
                    self.structure.fields.extend(all.take(64));
                }
                Some(name) if name.contains('*') => {
                    self.report(
                        at,
                        "not_allowed",
                        "Name the fields. Patterns are not supported.",
                    );
                }
                Some(name) => {
                    self.origin(format!("/fields/{}", self.structure.fields.len()), at);
                    self.structure.fields.push(name.to_owned());
                }
                None => self.report(at, "invalid", "The name of a field must be a string."),
            }
        }
    }

    /// The order: a name, an object, or a list of either.
    fn sort(&mut self, value: &Value, at: &str) {
        let single = std::slice::from_ref(value);
        let items = value.as_array().map_or(single, Vec::as_slice);
        for (position, item) in items.iter().enumerate() {
            let at = format!("{at}/{position}");
            match item {
                Value::String(name) => self.sort_by(name, None, &at),
                Value::Object(object) => {
                    for (name, options) in object {
                        self.sort_by(name, Some(options), &format!("{at}/{}", segment(name)));
                    }
                }
                _ => self.report(at, "invalid", "An order must be a field name or an object."),
            }
        }
    }

    fn sort_by(&mut self, name: &str, options: Option<&Value>, at: &str) {
        if name.starts_with('_') && self.fields.find(name).is_none() {
            return self.unknown(name, at);
        }
        let mut way = None;
        match options {
            None => {}
            Some(Value::String(text)) => way = Some(text.as_str()),
            Some(Value::Object(options)) => {
                for (key, value) in options {
                    match (key.as_str(), value.as_str()) {
                        ("order", text) => way = text.or(Some("")),
                        // `_last` is the default for records without the field.
                        ("missing", Some("_last")) => {}
                        _ => self.unknown(key, &format!("{at}/{}", segment(key))),
                    }
                }
            }
            Some(_) => way = Some(""),
        }
        let Some(descending) = self.direction(way.unwrap_or("asc"), at) else {
            return;
        };
        self.origin(format!("/sort/{}", self.structure.sort.len()), at);
        self.structure.sort.push(SortBy {
            by: name.to_owned(),
            descending,
        });
    }

    fn direction(&mut self, way: &str, at: &str) -> Option<bool> {
        match way {
            "asc" => Some(false),
            "desc" => Some(true),
            _ => {
                self.report(at, "invalid", "The order is 'asc' or 'desc'.");
                None
            }
        }
    }

    fn object<'v>(&mut self, value: &'v Value, at: &str) -> Option<&'v Map<String, Value>> {
        let object = value.as_object();
        if object.is_none() {
            self.report(at, "invalid", "An object is expected here.");
        }
        object
    }

    /// The only member of an object.
    fn single<'v>(&mut self, value: &'v Value, at: &str) -> Option<(&'v String, &'v Value)> {
        let object = self.object(value, at)?;
        let mut members = object.iter();
        if let (Some(member), None) = (members.next(), members.next()) {
            Some(member)
        } else {
            self.report(at, "invalid", "Exactly one member is expected here.");
            None
        }
    }

    /// Reports an unknown member. Scripts and the like have their own code.
    fn unknown(&mut self, key: &str, at: &str) {
        if NOT_ALLOWED.contains(&key) || key.starts_with("span_") || key.starts_with("geo_") {
            self.report(at, "not_allowed", format!("'{key}' is not allowed."));
        } else {
            self.report(at, "unsupported", format!("'{key}' is not supported here."));
        }
    }

    /// Checks that a zone is the source's. A missing zone means the source's.
    fn zone(&mut self, value: Option<&Value>, at: &str) {
        let Some(value) = value else { return };
        let utc = ["UTC", "Z", "+00:00", "Etc/UTC", "GMT"];
        let same = value.as_str().is_some_and(|name| {
            name == self.zone.name() || (utc.contains(&name) && utc.contains(&self.zone.name()))
        });
        if !same {
            let mut other = problem(
                at,
                "unsupported",
                format!(
                    "Another time zone is not supported: days are those of the source's zone, {}.",
                    self.zone.name()
                ),
            );
            other.suggestions = vec![self.zone.name().to_owned()];
            self.problems.push(other);
        }
    }

    fn field_type(&self, name: &str) -> Option<FieldType> {
        self.fields
            .find(name)
            .map(|field: Field<'a>| field.field_type)
    }

    fn report(&mut self, at: impl Into<String>, code: &str, message: impl Into<String>) {
        self.problems.push(problem(at, code, message));
    }

    fn origin(&mut self, part: impl Into<String>, at: impl Into<String>) {
        self.origins.push((part.into(), at.into()));
    }
}
