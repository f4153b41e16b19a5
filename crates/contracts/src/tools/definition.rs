//! The definitions in `GET /api/tools`, derived from the same types as the HTTP operations.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::analysis::{
    self, PatternRecognition, PatternRecognitionArguments, StatsAnalysis, StatsAnalysisArguments,
};
use super::knowledge::{self, KnowledgeResults, KnowledgeSearchArguments};
use super::meanings::{
    self, EntityResolution, EntityResolutionArguments, FieldMapping, FieldMappingArguments,
};
use super::questions::{ForgetQuestionArguments, ForgottenQuestion};
use super::search::{
    self, EsExecutorArguments, GraphqlExecutorArguments, ListSourcesArguments, QueryBuild,
    QueryBuilderArguments, QueryExecution, SourceList,
};
use super::sql::{
    self, CheckSqlArguments, ConfirmQuestionArguments, ConfirmedQuestion, DescribeTablesArguments,
    FindJoinPathsArguments, FindPastQuestionsArguments, JoinPlan, ListTablesArguments,
    PastQuestions, RunSqlArguments, SqlCheck, SqlRun, TableDescriptions, TableList,
};
use super::vectors::{self, EmbeddingArguments, Embeddings, VectorMatches, VectorSearchArguments};
use super::{
    AnomalyReport, CompareLoggersArguments, Comparison, DiagnosticsReport, ErrorCodesArguments,
    FinancialReport, FinancialSavingsArguments, FleetOverview, FleetOverviewArguments,
    ForecastArguments, HealthCheckArguments, HealthReport, InverterHealthArguments,
    ListLoggersArguments, LoggerList, PerformanceRatioArguments, PerformanceReport, PowerCurve,
    PowerCurveArguments, ProductionForecast, ToolEnvelope, names,
};

/// `GET /api/tools`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// Every tool.
    pub tools: Vec<ToolDefinition>,
}

/// `GET /api/tools?format=…`: the tools in the form of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RenderedTools {
    /// Every tool, as the provider's own documentation describes tools.
    pub tools: Vec<serde_json::Map<String, serde_json::Value>>,
}

/// Answer of `GET /api/tools`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ToolListing {
    /// Without `format`.
    Definitions(ToolList),
    /// With `format`.
    Rendered(RenderedTools),
}

/// The form of the definitions in `GET /api/tools`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolFormat {
    /// Function tools of `OpenAI` and what is compatible.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// Gemini's function declarations, a subset of OpenAPI 3.0.
    Gemini,
    /// `tools/list` of the Model Context Protocol.
    Mcp,
}

/// One tool, as a model or a client needs to know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// Its name, also the path segment.
    #[schema(example = "get_power_curve")]
    pub name: String,
    /// The purpose of the tool, in words for a model.
    pub description: String,
    /// The group of the tool.
    pub category: ToolCategory,
    /// Whether pages show its calls.
    pub visibility: ToolVisibility,
    /// JSON Schema of the arguments.
    #[schema(value_type = Object)]
    pub input_schema: Value,
    /// JSON Schema of the whole answer.
    #[schema(value_type = Object)]
    pub output_schema: Value,
    /// The upstream that it asks, with the caller's credential there; absent of all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
}

/// The group of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ToolCategory {
    Discovery,
    Monitoring,
    Comparison,
    Financial,
    Performance,
    Forecasting,
    Diagnostics,
    Service,
    /// Target databases.
    Database,
    /// Ingested documents.
    Documents,
    /// Upstream APIs, with the user's own rights.
    Upstream,
    /// Search sources.
    Search,
    /// Statistics over what was found.
    Analysis,
}

/// Whether pages show a tool's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolVisibility {
    /// Only in a debug panel.
    Hidden,
    /// Inline.
    Visible,
}

/// The ten tools in the documents' order.
pub fn solar_definitions() -> Vec<ToolDefinition> {
    use ToolCategory as C;
    vec![
        define::<ListLoggersArguments, LoggerList>(
            names::LIST_LOGGERS,
            C::Discovery,
            "Lists every data logger (inverter, meter, weather station) with its site, type, capacity and the range of its data. \
             Call it first when it is not known which loggers exist.",
        ),
        define::<FleetOverviewArguments, FleetOverview>(
            names::GET_FLEET_OVERVIEW,
            C::Discovery,
            "Site-wide status: current power, today's energy, how many devices are online, which are offline.",
        ),
        define::<InverterHealthArguments, AnomalyReport>(
            names::ANALYZE_INVERTER_HEALTH,
            C::Monitoring,
            "Finds outages, communication gaps, dead and missing days, underperformance against peers and itself, stuck values and clipping \
             of a logger, a list, a site or all (name none), with lost energy and its cost, availability, a health score, and for several \
             loggers every event in time order: who was out, when and for how long.",
        ),
        define::<PowerCurveArguments, PowerCurve>(
            names::GET_POWER_CURVE,
            C::Monitoring,
            "One logger's power over one local day, with peak, mean, energy and trend.",
        ),
        define::<CompareLoggersArguments, Comparison>(
            names::COMPARE_LOGGERS,
            C::Comparison,
            "Compares loggers, or every inverter of a site or of all sites, on power, energy or irradiance, normalised by capacity: ranks and sums them.",
        ),
        define::<FinancialSavingsArguments, FinancialReport>(
            names::CALCULATE_FINANCIAL_SAVINGS,
            C::Financial,
            "Energy of a period in money and avoided CO2, of a logger, a list, a site or all (name none): one call gives the total and \
             each logger's part.",
        ),
        define::<PerformanceRatioArguments, PerformanceReport>(
            names::CALCULATE_PERFORMANCE_RATIO,
            C::Performance,
            "Performance ratio (IEC 61724-1) of a logger, a list, a site or all (name none) on one local day or over a period, also \
             corrected to 25 °C where module temperature is known.",
        ),
        define::<ForecastArguments, ProductionForecast>(
            names::FORECAST_PRODUCTION,
            C::Forecasting,
            "Expected production of the next one to seven days with an 80 % interval and the method's backtested error.",
        ),
        define::<ErrorCodesArguments, DiagnosticsReport>(
            names::DIAGNOSE_ERROR_CODES,
            C::Diagnostics,
            "The error codes that a logger, a list, a site or all (name none) reported, explained, with how often and how long they stood.",
        ),
        define::<HealthCheckArguments, HealthReport>(
            names::HEALTH_CHECK,
            C::Service,
            "Whether the tools service and its database work.",
        ),
    ]
}

/// The tools over target databases.
pub fn sql_definitions() -> Vec<ToolDefinition> {
    use ToolCategory::Database;
    vec![
        define::<ListTablesArguments, TableList>(
            sql::names::LIST_TABLES,
            Database,
            "Lists the tables of the business database; with a question, those that fit it best come first.",
        ),
        define::<DescribeTablesArguments, TableDescriptions>(
            sql::names::DESCRIBE_TABLES,
            Database,
            "Columns, types, keys and relationships of some tables, with sample rows on request.",
        ),
        define::<FindJoinPathsArguments, JoinPlan>(
            sql::names::FIND_JOIN_PATHS,
            Database,
            "How some tables join: the smallest tree of joins over them, the tables in between, and the shortest path of each pair.",
        ),
        define::<CheckSqlArguments, SqlCheck>(
            sql::names::CHECK_SQL,
            Database,
            "Whether a query may run, and everything that is wrong with it, with what was probably meant.",
        ),
        define::<RunSqlArguments, SqlRun>(
            sql::names::RUN_SQL,
            Database,
            "Checks one read-only query and runs it within limits; answers with rows.",
        ),
        define::<FindPastQuestionsArguments, PastQuestions>(
            sql::names::FIND_PAST_QUESTIONS,
            Database,
            "Questions like this one whose queries a person has confirmed.",
        ),
        define::<ConfirmQuestionArguments, ConfirmedQuestion>(
            sql::names::CONFIRM_QUESTION,
            Database,
            "Keeps a question with the query that answers it, for the caller until someone releases it for the tenant.",
        ),
        define::<ForgetQuestionArguments, ForgottenQuestion>(
            sql::names::FORGET_QUESTION,
            Database,
            "Withdraws a confirmed question: the caller's own, or, with the scope questions:approve, anyone's.",
        ),
    ]
}

/// The tool over ingested documents, under both of its names.
pub fn knowledge_definitions() -> Vec<ToolDefinition> {
    [knowledge::names::KNOWLEDGE_SEARCH, knowledge::names::CLIMATE_VECTOR_SEARCH]
        .map(|name| {
            define::<KnowledgeSearchArguments, KnowledgeResults>(
                name,
                ToolCategory::Documents,
                "Searches the ingested documents (manuals, guides, standards) and answers with the best passages, each with its source.",
            )
        })
        .into()
}

/// The tools over search sources.
pub fn search_definitions() -> Vec<ToolDefinition> {
    use ToolCategory::Search;
    vec![
        define::<ListSourcesArguments, SourceList>(
            search::names::LIST_SOURCES,
            Search,
            "Lists the search sources with their indices and fields, and the day that relative dates count from.",
        ),
        define::<EntityResolutionArguments, EntityResolution>(
            meanings::names::ENTITY_RESOLUTION,
            Search,
            "Finds which ports, vessels and other things a request names, or the question that has to be asked first.",
        ),
        define::<FieldMappingArguments, FieldMapping>(
            meanings::names::FIELD_MAPPING,
            Search,
            "Finds which fields of an index hold what a request names, or the question that has to be asked first.",
        ),
        define::<QueryBuilderArguments, QueryBuild>(
            search::names::QUERY_BUILDER,
            Search,
            "Makes a checked Elasticsearch or GraphQL query of typed conditions, groups and measures.",
        ),
        define::<EsExecutorArguments, QueryExecution>(
            search::names::ES_EXECUTOR,
            Search,
            "Checks an Elasticsearch query and runs it within limits; answers with rows and their total.",
        ),
        define::<GraphqlExecutorArguments, QueryExecution>(
            search::names::GRAPHQL_EXECUTOR,
            Search,
            "Checks a GraphQL query (no mutations) and runs it within limits; answers with rows.",
        ),
    ]
}

/// The tools that analyse rows, and those over vectors.
pub fn analysis_definitions() -> Vec<ToolDefinition> {
    use ToolCategory::Analysis;
    vec![
        define::<StatsAnalysisArguments, StatsAnalysis>(
            analysis::names::STATS_ANALYSIS,
            Analysis,
            "Statistics over rows or over what a query finds: summary, distribution, trend, correlation, comparison of groups with effect sizes.",
        ),
        define::<PatternRecognitionArguments, PatternRecognition>(
            analysis::names::PATTERN_RECOGNITION,
            Analysis,
            "Patterns in rows or in what a query finds: anomalies, seasons, change points, and where high or late records are concentrated.",
        ),
        define::<EmbeddingArguments, Embeddings>(
            vectors::names::EMBEDDING_TOOL,
            Analysis,
            "Makes vectors of texts, whose cosine tells how alike they are.",
        ),
        define::<VectorSearchArguments, VectorMatches>(
            vectors::names::VECTORDB_TOOL,
            Analysis,
            "Finds the passages of documents, or the fields of search sources, that are most like a text.",
        ),
    ]
}

fn define<A: ToSchema, R: ToSchema>(
    name: &str,
    category: ToolCategory,
    description: &str,
) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        category,
        visibility: ToolVisibility::Hidden,
        input_schema: json_schema::<A>(),
        output_schema: json_schema::<ToolEnvelope<R>>(),
        upstream: None,
    }
}

/// The JSON Schema (2020-12) of a contract type, complete in itself: what OpenAPI keeps under
/// `components` stands under `$defs`.
pub fn json_schema<T: ToSchema>() -> Value {
    let mut collected: Vec<(String, RefOr<Schema>)> = Vec::new();
    T::schemas(&mut collected);
    let mut root = to_value(&T::schema());
    let definitions: Map<String, Value> = collected
        .iter()
        .map(|(name, schema)| (name.clone(), to_value(schema)))
        .collect();
    if let Some(object) = root.as_object_mut()
        && !definitions.is_empty()
    {
        object.insert("$defs".to_owned(), Value::Object(definitions));
    }
    rewrite_references(&mut root);
    root
}

fn to_value(schema: &RefOr<Schema>) -> Value {
    serde_json::to_value(schema).unwrap_or_else(|_| json!({}))
}

fn rewrite_references(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get_mut("$ref") {
                *reference = reference.replace("#/components/schemas/", "#/$defs/");
            }
            object.values_mut().for_each(rewrite_references);
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite_references),
        _ => {}
    }
}
