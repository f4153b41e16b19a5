//! `stats_analysis` and `pattern_recognition`: the rows of an earlier query in, or the query
//! itself; sentences with figures out.
//!
//! Rows that are kept are used while they are fresh and all there are; otherwise the same query is
//! run again, verbatim.

use agent_kit::Called;
use contracts::{
    todo::QueryMetadata,
    tools::{
        analysis::{
            Analysis, AnalysisData, PatternRecognition, PatternRecognitionArguments, StatsAnalysis,
            StatsAnalysisArguments, names,
        },
        search::{HowToRetrieve, QueryStructure},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Failure, Job, Outcome, with_notes};
use crate::{
    KeptQuery,
    language::{AnalysisKind, AnalysisRequest, read_analysis},
    plan::catalogue::RETRIEVE_QUERY_METADATA,
    step::index_of,
    words,
};

/// The longest question that the tools take, in characters.
const LONGEST_QUESTION: usize = 2_000;

/// What `retrieve_query_metadata` left.
#[derive(Deserialize)]
struct Retrieved {
    turn_id: u32,
    how_to_retrieve: HowToRetrieve,
    #[serde(default)]
    query_structure: Option<QueryStructure>,
}

/// The data and the request of an analysis.
struct Material {
    data: AnalysisData,
    request: AnalysisRequest,
    /// The topic, where it names a field.
    measure: Option<String>,
    /// The fields to compare by, where the words name one.
    by: Vec<String>,
    question: String,
}

pub(super) async fn statistics(job: &mut Job<'_>) -> Outcome {
    let Some(material) = material(job).await else {
        return Outcome::Failure(Failure::because("It is not known what to analyse."));
    };
    let arguments = StatsAnalysisArguments {
        data: material.data,
        measures: material.measure.into_iter().collect(),
        group_by: material.by,
        time_field: None,
        interval: None,
        time_zone: None,
        question: Some(material.question),
        analyses: analyses(&material.request.kinds),
    };
    let called = call(job, names::STATS_ANALYSIS, &arguments).await;
    let Some(analysis) = called.result::<StatsAnalysis>() else {
        return Outcome::Failure(Failure::of(&called));
    };
    let records = analysis.data.records;
    told(
        &analysis.findings,
        &analysis.notes,
        records,
        analysis.data.total,
        "statistics",
    )
}

pub(super) async fn patterns(job: &mut Job<'_>) -> Outcome {
    let Some(material) = material(job).await else {
        return Outcome::Failure(Failure::because("It is not known what to analyse."));
    };
    let arguments = PatternRecognitionArguments {
        data: material.data,
        measure: material.measure,
        time_field: None,
        interval: None,
        group_by: material.by,
        time_zone: None,
        question: Some(material.question),
    };
    let called = call(job, names::PATTERN_RECOGNITION, &arguments).await;
    let Some(analysis) = called.result::<PatternRecognition>() else {
        return Outcome::Failure(Failure::of(&called));
    };
    let records = analysis.data.records;
    told(
        &analysis.findings,
        &analysis.notes,
        records,
        analysis.data.total,
        "patterns",
    )
}

fn told(findings: &[String], notes: &[String], records: u64, total: u64, what: &str) -> Outcome {
    let result = json!({ "findings": findings, "records": records, "total": total });
    let action = format!(
        "Computed {what} of {} records: {} findings.",
        words::whole(records),
        findings.len()
    );
    Outcome::success(&with_notes(&result, notes), action)
}

async fn material(job: &Job<'_>) -> Option<Material> {
    let retrieved: Retrieved = job.found(RETRIEVE_QUERY_METADATA, None)?;
    let kept = job.step.run().query(Some(retrieved.turn_id)).await;
    let kept = kept.ok().flatten();
    let question = job.list.original_request.clone();
    let request = read_analysis(&question);
    let names_field = |words: &String| names_field(job, &retrieved, words);
    Some(Material {
        data: data(job, &retrieved.how_to_retrieve, kept),
        measure: request.topic.clone().filter(names_field),
        by: request
            .by
            .iter()
            .filter(|by| names_field(by))
            .cloned()
            .collect(),
        request,
        question: question.chars().take(LONGEST_QUESTION).collect(),
    })
}

/// The rows that are kept while they are fresh and complete, otherwise the query.
fn data(job: &Job<'_>, retrieve: &HowToRetrieve, kept: Option<KeptQuery>) -> AnalysisData {
    let fresh = |at| {
        let age = job.step.run().now().signed_duration_since(at);
        age.to_std()
            .map_or(true, |age| age <= job.step.settings().cache_ttl)
    };
    match kept.and_then(|kept| kept.rows) {
        Some(kept) if kept.complete && fresh(kept.fetched_at) => AnalysisData::Rows {
            rows: kept.rows,
            columns: kept.columns,
        },
        _ => AnalysisData::Query {
            retrieve: retrieve.clone(),
        },
    }
}

/// Whether words name a field of the query's index.
fn names_field(job: &Job<'_>, retrieved: &Retrieved, words: &str) -> bool {
    let sources = job.step.sources();
    let retrieve = &retrieved.how_to_retrieve;
    let index = retrieved.query_structure.as_ref().map(|query| &query.index);
    let described = index.and_then(|index| index_of(&sources, &retrieve.source, index));
    let Some((_, index)) = described else {
        return false;
    };
    let words = words.to_lowercase();
    index.fields.iter().any(|field| {
        let name = words::label(&field.name).to_lowercase();
        let mut others = field.synonyms.iter().map(|synonym| synonym.to_lowercase());
        name.contains(&words) || others.any(|synonym| synonym == words)
    })
}

/// Calls the tool; the event has the number of rows in place of the rows.
async fn call(job: &mut Job<'_>, tool: &str, arguments: &impl Serialize) -> Called {
    let arguments = serde_json::to_value(arguments).unwrap_or_default();
    let mut shown = arguments.clone();
    if let Some(rows) = shown.pointer_mut("/data/rows") {
        let count = rows.as_array().map_or(0, Vec::len);
        *rows = json!(format!("{count} rows"));
    }
    job.called.push(tool.to_owned());
    let announced = job.step.node.announce(tool, &shown).await;
    let answer = job.step.node.services().tools().call(tool, arguments).await;
    job.step.node.settle(announced, answer).await
}

fn analyses(kinds: &[AnalysisKind]) -> Vec<Analysis> {
    let analysis = |kind: &AnalysisKind| match kind {
        AnalysisKind::Summary => Some(Analysis::Summary),
        AnalysisKind::Distribution => Some(Analysis::Distribution),
        AnalysisKind::Trend => Some(Analysis::Trend),
        AnalysisKind::Correlation => Some(Analysis::Correlation),
        AnalysisKind::Comparison => Some(Analysis::GroupComparison),
        AnalysisKind::Anomalies | AnalysisKind::Seasonality | AnalysisKind::ChangePoints => None,
    };
    kinds.iter().filter_map(analysis).collect()
}

/// The findings of every analysis of the list, in order, and what they rest on.
pub(crate) fn findings(list: &contracts::todo::TodoList) -> Vec<String> {
    let mut findings: Vec<String> = Vec::new();
    for task in list.tasks.values() {
        let told = task
            .result
            .as_ref()
            .and_then(|result| result.get("findings"));
        let told: Vec<String> = told
            .and_then(|told| Vec::deserialize(told).ok())
            .unwrap_or_default();
        for finding in told {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    findings
}

/// Number of records that were analysed, and how many there are.
pub(crate) fn analysed(list: &contracts::todo::TodoList) -> Option<(u64, u64)> {
    let mut results = list.tasks.values().filter_map(|task| task.result.as_ref());
    results.find_map(|result| {
        let figure = |name: &str| result.get(name).and_then(Value::as_u64);
        result.get("findings")?;
        Some((figure("records")?, figure("total")?))
    })
}

/// The request of the query whose results a list analyses.
pub(crate) fn analysed_query(metadata: Option<&QueryMetadata>) -> String {
    metadata.map_or_else(String::new, |metadata| metadata.request.clone())
}
