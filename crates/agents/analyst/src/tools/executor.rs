//! `es_executor` and `graphql_executor`: the query that was built in, as it was built; the rows
//! out, and what is to be remembered of it.

use agent_kit::Called;
use contracts::{
    todo::QueryMetadata,
    tools::search::{
        BuiltQuery, EsExecutorArguments, GraphqlExecutorArguments, GraphqlQuery, HowToRetrieve,
        QueryBuild, QueryBuilderArguments, QueryExecution, QueryOutcome, QueryRun, QueryType,
        names,
    },
};
use serde_json::{Value, json};

use super::{Failure, Job, Outcome, Success, group_names, with_notes};
use crate::{CachedRows, NewQuery, step::index_of, words};

pub(super) async fn run(job: &mut Job<'_>, query_type: QueryType) -> Outcome {
    let Some(mut built) = job.found::<BuiltQuery>(names::QUERY_BUILDER, Some(query_type)) else {
        return Outcome::Failure(Failure::because("There is no query to run."));
    };
    let mut called = execute(job, &how_to_retrieve(&built)).await;
    if let Some(again) = rebuilt(job, &built, &called).await {
        built = again;
        called = execute(job, &how_to_retrieve(&built)).await;
    }
    let execution = called.any_result::<QueryExecution>();
    let run = called.result::<QueryExecution>().and_then(|ran| ran.run);
    match run {
        // What was built says more than what can be read back from the query: what people call the
        // values.
        Some(run) => {
            let retrieve = how_to_retrieve(&built);
            let mut run = QueryRun {
                structure: Some(built.structure),
                summary: built.summary,
                ..run
            };
            group_names::name(job, &mut run).await;
            success(job, &retrieve, run)
        }
        None => Outcome::Failure(failure(&called, execution.as_ref())),
    }
}

/// Calls the executor of a query.
pub(super) async fn execute(job: &mut Job<'_>, retrieve: &HowToRetrieve) -> Called {
    job.queries.push(json!(retrieve));
    let (tool, arguments) = call(retrieve);
    job.call(tool, &arguments).await
}

/// The executor and its arguments.
fn call(retrieve: &HowToRetrieve) -> (&'static str, Value) {
    let source = Some(retrieve.source.clone());
    match retrieve.query_type {
        QueryType::Elasticsearch => {
            let arguments = EsExecutorArguments {
                source,
                index: retrieve.index.clone().unwrap_or_default(),
                query: retrieve.query.clone(),
            };
            (names::ES_EXECUTOR, json!(arguments))
        }
        QueryType::Graphql => {
            let query = serde_json::from_value(retrieve.query.clone()).unwrap_or(GraphqlQuery {
                query: String::new(),
                variables: serde_json::Map::new(),
            });
            let arguments = GraphqlExecutorArguments { source, query };
            (names::GRAPHQL_EXECUTOR, json!(arguments))
        }
    }
}

fn how_to_retrieve(built: &BuiltQuery) -> HowToRetrieve {
    HowToRetrieve {
        text: built.summary.clone(),
        source: built.source.clone(),
        query_type: built.query_type,
        index: Some(built.index.clone()),
        query: built.query.clone(),
    }
}

/// A query that the source does not accept any more, built once more; `None` if that is not the
/// trouble, or the result is the same.
async fn rebuilt(job: &mut Job<'_>, built: &BuiltQuery, called: &Called) -> Option<BuiltQuery> {
    let execution = called.any_result::<QueryExecution>()?;
    if execution.outcome != QueryOutcome::Refused {
        return None;
    }
    let arguments = QueryBuilderArguments {
        source: Some(built.source.clone()),
        query_type: built.query_type,
        structure: built.structure.clone(),
    };
    let called = job.call(names::QUERY_BUILDER, &arguments).await;
    let again = called.result::<QueryBuild>()?.query?;
    (again.query != built.query).then_some(again)
}

fn failure(called: &Called, execution: Option<&QueryExecution>) -> Failure {
    let mut failure = Failure::of(called);
    let Some(execution) = execution else {
        return failure;
    };
    failure.away |= matches!(
        execution.outcome,
        QueryOutcome::Unavailable | QueryOutcome::TimedOut
    );
    if execution.outcome == QueryOutcome::Refused
        && let Some(problem) = execution.problems.first()
    {
        failure.message = format!("The query was not accepted: {}", problem.message);
    }
    failure
}

fn success(job: &mut Job<'_>, retrieve: &HowToRetrieve, run: QueryRun) -> Outcome {
    let summary = summary(job, &run);
    let metadata = QueryMetadata {
        turn_id: 0,
        query_type: run.query_type,
        data_source: run.source.clone(),
        query: retrieve.query.clone(),
        query_structure: run.structure.clone(),
        request: job.list.rewritten_request.clone(),
        summary: summary.clone(),
        how_to_retrieve: retrieve.clone(),
        record_count: run.total.value,
        executed_at: run.executed_at,
    };
    note(job, &run, &metadata);
    let few = run.rows.len() <= job.step.settings().cache_rows;
    let rows = few.then(|| CachedRows {
        columns: run.columns.clone(),
        complete: is_complete(&run),
        rows: run.rows.clone(),
        fetched_at: run.executed_at,
    });
    let notes: Vec<String> = run.partial.iter().cloned().collect();
    let result = json!({
        "total": run.total, "returned": run.rows.len(), "aggregated": run.aggregated, "summary": summary,
        "asked": run.summary, "source": run.source, "served_by": run.served_by, "executed_at": run.executed_at, "how_to_retrieve": retrieve,
    });
    let key = job.key.clone();
    let runs = &mut job.step.work.plan.runs;
    runs.insert(key, std::sync::Arc::new(run));
    Outcome::Success(Box::new(Success {
        result: with_notes(&result, &notes),
        action: format!("Ran the query: {summary}."),
        query: Some(NewQuery { metadata, rows }),
    }))
}

/// Whether the rows are all that fit.
fn is_complete(run: &QueryRun) -> bool {
    let all = run.rows.len() as u64 >= run.total.value;
    run.partial.is_none() && (run.aggregated || all)
}

/// `142 shipments found`.
fn summary(job: &Job<'_>, run: &QueryRun) -> String {
    let sources = job.step.sources();
    let index = run.index.as_deref().unwrap_or_default();
    let described = index_of(&sources, &run.source, index);
    let (singular, plural) = crate::summary::nouns(described.map(|(_, index)| index), index);
    let found = words::counted(run.total, &singular, &plural);
    if run.aggregated {
        let groups = run.rows.len() as u64;
        let figures = words::whole(groups);
        let word = if groups == 1 { "group" } else { "groups" };
        return format!("{found} found, in {figures} {word}");
    }
    format!("{found} found")
}

fn note(job: &mut Job<'_>, run: &QueryRun, metadata: &QueryMetadata) {
    let context = &mut job.step.state.execution;
    context.record_count = Some(run.total.value);
    context.execution_time_ms += run.took_ms;
    if !context.data_sources_used.contains(&run.source) {
        context.data_sources_used.push(run.source.clone());
    }
    context.query_metadata = Some(metadata.clone());
}
