//! `query_builder`.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{QueryProblem, QueryType};
use crate::tools::{Tool, ToolCategory};

/// The tool `query_builder`.
#[derive(Debug, Clone, Copy)]
pub struct QueryBuilder;

impl Tool for QueryBuilder {
    const NAME: &'static str = "query_builder";
    const CATEGORY: ToolCategory = ToolCategory::Search;
    const SUMMARY: &'static str = "Creates a checked query of what is wanted. With status `error` the result has the problems.";
    const DESCRIPTION: &'static str =
        "Makes a checked Elasticsearch or GraphQL query of typed conditions, groups and measures.";

    type Arguments = QueryBuilderArguments;
    type Result = QueryBuild;
}

/// A typed query. With measures it is an aggregation: groups, no records.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryStructure {
    /// The index.
    #[schema(min_length = 1, max_length = 255)]
    pub index: String,
    /// All of them hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 32)]
    pub filters: Vec<Filter>,
    /// The days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub time_range: Option<TimeRange>,
    /// The fields of each record, in order. Default: those that the index shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 64)]
    pub fields: Vec<String>,
    /// The keys of the groups, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 3)]
    pub group_by: Vec<Grouping>,
    /// The measures, of each group or of everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    pub measures: Vec<Measure>,
    /// The order; the index's id breaks ties.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 4)]
    pub sort: Vec<SortBy>,
    /// Maximum number of records, or groups. Default: the service's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 10000)]
    pub limit: Option<u32>,
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// The field.
    #[schema(min_length = 1, max_length = 255)]
    pub field: String,
    /// How it is compared.
    pub op: FilterOp,
    /// With what: one value, several for `is` and `is_not` (any of them), none for `exists` and
    /// `missing`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 100, value_type = Vec<Value>)]
    pub values: Vec<Value>,
    /// What people call the values, for sentences: the name of an entity whose id is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 512)]
    pub label: Option<String>,
    /// Other conditions that are enough as well: a record fits that meets this one or one of them.
    /// None of them, nor this one, excludes something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    pub or: Vec<Alternative>,
}

/// A condition that is enough in the place of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// The field.
    #[schema(min_length = 1, max_length = 255)]
    pub field: String,
    /// How it is compared.
    pub op: FilterOp,
    /// With what, as in a condition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 100, value_type = Vec<Value>)]
    pub values: Vec<Value>,
    /// What people call the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 512)]
    pub label: Option<String>,
}

impl Filter {
    /// The condition and its alternatives, each as a condition of its own.
    pub fn alternatives(&self) -> Vec<Filter> {
        let mut all = vec![Filter {
            or: Vec::new(),
            ..self.clone()
        }];
        all.extend(self.or.iter().cloned().map(Filter::from));
        all
    }

    /// One condition that is met where one of these is; `None` of none.
    pub fn any_of(all: impl IntoIterator<Item = Filter>) -> Option<Filter> {
        let mut all = all.into_iter();
        let mut first = all.next()?;
        for other in all {
            first
                .or
                .extend(other.alternatives().into_iter().map(Alternative::from));
        }
        Some(first)
    }
}

impl From<Alternative> for Filter {
    fn from(alternative: Alternative) -> Self {
        let Alternative {
            field,
            op,
            values,
            label,
        } = alternative;
        Self {
            field,
            op,
            values,
            label,
            or: Vec::new(),
        }
    }
}

impl From<Filter> for Alternative {
    fn from(filter: Filter) -> Self {
        let Filter {
            field,
            op,
            values,
            label,
            ..
        } = filter;
        Self {
            field,
            op,
            values,
            label,
        }
    }
}

/// How a field is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FilterOp {
    /// It is one of the values.
    Is,
    /// It is none of the values.
    IsNot,
    /// It is greater.
    Gt,
    /// It is greater or the same.
    Gte,
    /// It is less.
    Lt,
    /// It is less or the same.
    Lte,
    /// It has a value.
    Exists,
    /// It has none.
    Missing,
    /// Its text has all of these words.
    Matches,
}

/// Days, inclusive at both ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeRange {
    /// The date field. Default: the index's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 255)]
    pub field: Option<String>,
    /// The first day.
    pub start: NaiveDate,
    /// The last day.
    pub end: NaiveDate,
    /// The words that it was made of: `last week`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 256)]
    pub kind: Option<String>,
}

/// What groups are made by.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Grouping {
    /// The field.
    #[schema(min_length = 1, max_length = 255)]
    pub field: String,
    /// Of a date field: how long each group is. Default: a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub interval: Option<Interval>,
}

/// A calendar interval, in the source's zone; weeks begin on Monday.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Interval {
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

/// A computed measure.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The operation.
    pub op: MeasureOp,
    /// Of which field; none for `count`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 255)]
    pub field: Option<String>,
}

/// How something is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeasureOp {
    /// Number of records.
    Count,
    /// The sum.
    Sum,
    /// The mean.
    Average,
    /// Minimum of the values.
    Minimum,
    /// The greatest.
    Maximum,
    /// Number of different values; exact up to a few thousand, estimated beyond in Elasticsearch.
    Distinct,
}

impl Measure {
    /// The name of its column: `count`, `average_delay_hours`.
    pub fn name(&self) -> String {
        let op = match self.op {
            MeasureOp::Count => "count",
            MeasureOp::Sum => "sum",
            MeasureOp::Average => "average",
            MeasureOp::Minimum => "minimum",
            MeasureOp::Maximum => "maximum",
            MeasureOp::Distinct => "distinct",
        };
        match &self.field {
            Some(field) => format!("{op}_{field}"),
            None => op.to_owned(),
        }
    }
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortBy {
    /// A field, or of an aggregation the name of a measure or the field of a grouping.
    #[schema(min_length = 1, max_length = 255)]
    pub by: String,
    /// The greatest first.
    #[serde(default)]
    pub descending: bool,
}

/// Arguments of `query_builder`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QueryBuilderArguments {
    /// The source. Default: the tenant's first that is asked this way and has the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
    /// How it is asked.
    pub query_type: QueryType,
    /// The query to write.
    pub structure: QueryStructure,
}

/// Result of `query_builder`. With status `error` it has `problems` and no query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryBuild {
    /// The query, checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<BuiltQuery>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<QueryProblem>,
}

/// A query that may be run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BuiltQuery {
    /// The source.
    pub source: String,
    /// How it is asked.
    pub query_type: QueryType,
    /// The index.
    pub index: String,
    /// What its executor takes: the body of a search, or `{query, variables}`.
    #[schema(value_type = Object)]
    pub query: Value,
    /// The query, with all defaults filled in.
    pub structure: QueryStructure,
    /// The query, in a sentence.
    pub summary: String,
    /// Number of records that match it, at the moment; absent where the source does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_records: Option<u64>,
    /// It reads so much that a person should be asked first.
    pub needs_approval: bool,
    /// Changes of the request: a limit that was lowered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
