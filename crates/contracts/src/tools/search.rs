//! The tools over search sources: what can be asked, building a query, running it.
//!
//! A source is an Elasticsearch or OpenSearch cluster, a GraphQL endpoint, or a schema of a
//! PostgreSQL database that answers both kinds of query. Its *indices* hold records with typed
//! *fields*; nothing else of it can be named. Queries are typed ([`QueryStructure`]) and rendered
//! by `query_builder`; `es_executor` and `graphql_executor` take the rendered form, read it back,
//! and check it again before anything is sent: scripts, runtime fields, regular expressions,
//! leading wildcards, indices and fields that are not the source's, and mutations are refused.
//!
//! Days are those of the source's zone and inclusive at both ends; a query has them as `gte` and
//! `lt` with the zone.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The names of these tools.
pub mod names {
    /// The sources, their indices and fields.
    pub const LIST_SOURCES: &str = "list_sources";
    /// Creates a query of what is wanted.
    pub const QUERY_BUILDER: &str = "query_builder";
    /// Checks a search query and runs it.
    pub const ES_EXECUTOR: &str = "es_executor";
    /// Checks a GraphQL query and runs it.
    pub const GRAPHQL_EXECUTOR: &str = "graphql_executor";
}

/// How a source is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryType {
    /// The query DSL of Elasticsearch and OpenSearch, the part of it that is allowed.
    Elasticsearch,
    /// A GraphQL query.
    Graphql,
}

/// The kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A schema of a PostgreSQL database.
    Postgresql,
    /// Elasticsearch or OpenSearch.
    Elasticsearch,
    /// A GraphQL endpoint.
    Graphql,
}

/// Arguments of `list_sources`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSourcesArguments {
    /// Only this source. Default: every source of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
}

/// Result of `list_sources`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceList {
    /// The sources of the tenant, in the order of the configuration.
    pub sources: Vec<SourceDescription>,
}

/// A source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SourceDescription {
    /// The name of the source.
    pub name: String,
    /// The operator's description of its contents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kind of the source.
    pub kind: SourceKind,
    /// How it can be asked.
    pub query_types: Vec<QueryType>,
    /// Its IANA zone.
    pub time_zone: String,
    /// The day that relative dates count from: today, or the newest day of data that end in the
    /// past.
    pub today: NaiveDate,
    /// The source of that day.
    pub today_from: TodayFrom,
    /// Why its indices are not known at the moment: it is away. Then there are none here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// What can be asked.
    pub indices: Vec<IndexDescription>,
}

/// The source of a source's day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodayFrom {
    /// It is today.
    Clock,
    /// The data end then.
    Data,
    /// The operator fixed it.
    Configuration,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IndexDescription {
    /// Its name: `shipments`.
    pub name: String,
    /// A description of the records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What people call its records, singular before plural: `shipment`, `shipments`.
    pub nouns: Vec<String>,
    /// The type of entity that a record of it is: `vessel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// The field that identifies a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id_field: Option<String>,
    /// The date field that is intended when none is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_field: Option<String>,
    /// Fields that a list of records shows when none are asked for, in order.
    pub shown: Vec<String>,
    /// The fields of the index.
    pub fields: Vec<FieldDescription>,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FieldDescription {
    /// Its name in the source, with dots for members: `actual_arrival`, `port.name`.
    pub name: String,
    /// The type of the field.
    pub field_type: FieldType,
    /// A description of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Other words for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synonyms: Vec<String>,
    /// Its unit: `h`, `kg`, `TEU`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The type of the entity that it names by its id or its name: `port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// The subfield with the whole value, of a text field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact_field: Option<String>,
    /// Its values, where there are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldType {
    /// A text that is compared as a whole.
    Keyword,
    /// A text that is searched by its words.
    Text,
    /// A whole number.
    Long,
    /// A number.
    Double,
    /// A day or a time.
    Date,
    /// Yes or no.
    Boolean,
}

impl FieldType {
    /// Whether it can be added up.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Long | Self::Double)
    }
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

/// Something that is wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueryProblem {
    /// The place, as a JSON pointer into the query or the structure.
    pub pointer: String,
    /// For programs: `unknown_index`, `unknown_field`, `wrong_type`, `not_allowed` (scripts,
    /// runtime fields, patterns), `unsupported`, `too_large`, `invalid`, `mutation`, `too_deep`,
    /// `too_expensive`.
    pub code: String,
    /// For people and models.
    pub message: String,
    /// Probably intended names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

/// Arguments of `es_executor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EsExecutorArguments {
    /// The source. Default: the tenant's first that is asked this way and has the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
    /// The index, one that the source lists; no pattern.
    #[schema(min_length = 1, max_length = 255)]
    pub index: String,
    /// The body of the search. What the source has no use for is refused, not ignored.
    #[schema(value_type = Object)]
    pub query: Value,
}

/// Arguments of `graphql_executor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphqlExecutorArguments {
    /// The source. Default: the tenant's first that is asked this way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
    /// A document with one operation, a query.
    pub query: GraphqlQuery,
}

/// A GraphQL request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphqlQuery {
    /// The document.
    #[schema(min_length = 1, max_length = 65536)]
    pub query: String,
    /// The variables of the query.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub variables: Map<String, Value>,
}

/// Result of `es_executor` and `graphql_executor`. Unless the outcome is `ok` the status is `error`
/// and there is no run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryExecution {
    /// How it went.
    pub outcome: QueryOutcome,
    /// The result of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<QueryRun>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<QueryProblem>,
}

/// How a query went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueryOutcome {
    /// It ran. That nothing fits is an answer too.
    Ok,
    /// It may not be run; the source was not asked.
    Refused,
    /// The source is away.
    Unavailable,
    /// It took too long.
    TimedOut,
    /// The source did not accept it, or answered something that cannot be read.
    Failed,
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QueryRun {
    /// The source asked.
    pub source: String,
    /// The kind of the source.
    pub served_by: SourceKind,
    /// How it was asked.
    pub query_type: QueryType,
    /// The index; of GraphQL where one root field was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The columns of the rows, in order.
    pub columns: Vec<ResultColumn>,
    /// The records, or the groups of an aggregation, as flat objects.
    #[schema(value_type = Vec<Object>)]
    pub rows: Vec<Map<String, Value>>,
    /// Number of records that fit, whatever the limit.
    pub total: Total,
    /// Whether the rows are groups.
    pub aggregated: bool,
    /// Time that the source took, ms.
    pub took_ms: u64,
    /// Not everything was looked at, or not every group is here; the sentence says what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial: Option<String>,
    /// When it was run.
    pub executed_at: DateTime<Utc>,
    /// The query, in a sentence.
    pub summary: String,
    /// The typed query; absent for GraphQL that `query_builder` would not write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<QueryStructure>,
}

/// Number of records that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Total {
    /// The number.
    pub value: u64,
    /// Whether it is that or more.
    pub relation: TotalRelation,
}

/// Whether a total is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TotalRelation {
    /// Exact.
    Eq,
    /// The value or more.
    Gte,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResultColumn {
    /// The member of each row.
    pub name: String,
    /// What people call it.
    pub label: String,
    /// The type of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field_type: Option<FieldType>,
    /// The unit of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// How the rows of a query are had again: what an executor was given, and a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HowToRetrieve {
    /// In words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The source.
    pub source: String,
    /// How it is asked.
    pub query_type: QueryType,
    /// The index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub index: Option<String>,
    /// The query, as the executor accepts it.
    #[schema(value_type = Object)]
    pub query: Value,
}
