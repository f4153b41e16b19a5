//! `llm_summary`: what the tasks found in; words out. The sentences are made of the results and
//! have to be said; a model words them as far as it names their facts.

mod by_reference;

use std::sync::Arc;

use agent_kit::{
    End, Unusable,
    facts::{FactRegistry, Subject, Unit},
    model_failed, model_stopped, prose, warn_once,
};
use contracts::{
    run::Source,
    tools::search::{
        BuiltQuery, EsExecutorArguments, IndexDescription, QueryBuild, QueryBuilderArguments,
        QueryExecution, QueryRun, QueryStructure, QueryType, SortBy, names,
    },
};
use serde_json::{Value, json};

use super::{Job, Outcome, analysis, rows, told};
use crate::{
    plan::catalogue::{LLM_SUMMARY, MERGE_RESULTS},
    prompt,
    step::index_of,
    summary, words,
};

const PROMPT: &str = include_str!("../../prompts/answer.md");

/// The facts to be worded.
#[derive(Default)]
struct Facts {
    /// In sentences.
    plain: String,
    /// By reference.
    registry: FactRegistry,
    /// The same for a model.
    material: Value,
    /// Whether there is something to word.
    wordable: bool,
}

pub(super) async fn run(job: &mut Job<'_>) -> Outcome {
    let facts = match facts(job).await {
        Ok(facts) => facts,
        Err(failure) => return Outcome::Failure(failure),
    };
    let (mut text, source) = match worded(job, &facts).await {
        Some((text, source)) => (text, source),
        None => (facts.plain.clone(), Source::Rules),
    };
    let (gaps, others) = told(&job.list);
    let parts: Vec<String> = gaps.into_iter().chain([text]).chain(others).collect();
    text = parts.join("\n\n");
    let result = json!({ "text": text, "source": source });
    job.tell(
        LLM_SUMMARY,
        &json!({ "request": job.list.rewritten_request }),
        &Ok(result.clone()),
    )
    .await;
    Outcome::success(&result, text)
}

async fn facts(job: &mut Job<'_>) -> Result<Facts, super::Failure> {
    let request = job.list.rewritten_request.clone();
    if let Some((records, total)) = analysis::analysed(&job.list) {
        let findings = analysis::findings(&job.list);
        let query = job.step.state.execution.query_metadata.as_ref();
        let about = analysis::analysed_query(query);
        let mut registry = FactRegistry::default();
        let count = registry.tell(Subject::Whole, "records", Unit::Count, records as f64);
        let material = json!({ "request": request, "records": count });
        return Ok(Facts {
            plain: summary::of_findings(&findings, records, total, &about),
            registry,
            material,
            wordable: !findings.is_empty(),
        });
    }
    if let Some(run) = result(job).await? {
        let sources = job.step.sources();
        let described = index_of(
            &sources,
            &run.source,
            run.index.as_deref().unwrap_or_default(),
        );
        let index = described.map(|(_, index)| index);
        if run.total.value == 0 {
            let reach = reach(job, &run, index).await;
            return Ok(Facts {
                plain: summary::of_nothing(&run, index, reach.as_deref()),
                ..Facts::default()
            });
        }
        let mut plain = summary::of_run(&run, index);
        if let Some(tied) = tied(job, &run).await {
            plain.push_str("\n\n");
            plain.push_str(&tied);
        }
        for sentence in left_out(job, &run, index).await {
            plain.push_str("\n\n");
            plain.push_str(&sentence);
        }
        let (registry, material) = by_reference::of_run(&run, index, &request);
        return Ok(Facts {
            material,
            registry,
            plain,
            wordable: true,
        });
    }
    Ok(said(job, &request))
}

/// The results of a list without queries.
fn said(job: &Job<'_>, request: &str) -> Facts {
    let mut texts: Vec<String> = Vec::new();
    for task in job.list.tasks.values() {
        let Some(result) = &task.result else { continue };
        if let Some(text) = result.get("text").and_then(Value::as_str) {
            texts.push(text.to_owned());
        }
        let found = result.get("matches").and_then(Value::as_array);
        for one in found.into_iter().flatten().take(3) {
            let part = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
            texts.push(format!("{}: {}", part("source"), part("text")));
        }
        let listed = result.get("sources").and_then(Value::as_array);
        for one in listed.into_iter().flatten() {
            let source = one
                .get("source")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let indices = one.get("indices").and_then(Value::as_array);
            let indices = indices.into_iter().flatten().filter_map(Value::as_str);
            let indices = words::list(indices.map(words::label));
            texts.push(format!("{source} holds {indices}."));
        }
    }
    let plain = if texts.is_empty() {
        "Nothing was found.".to_owned()
    } else {
        texts.join("\n\n")
    };
    Facts {
        material: json!({ "request": request }),
        registry: FactRegistry::default(),
        wordable: !texts.is_empty(),
        plain,
    }
}

/// The results of the list's queries, merged where there were two.
async fn result(job: &mut Job<'_>) -> Result<Option<Arc<QueryRun>>, super::Failure> {
    if let Some((key, _)) = job.earlier(MERGE_RESULTS, None)
        && let Some(run) = job.step.work.plan.runs.get(key)
    {
        return Ok(Some(Arc::clone(run)));
    }
    for tool in [names::ES_EXECUTOR, names::GRAPHQL_EXECUTOR] {
        if let Some((key, _)) = job.earlier(tool, None) {
            let key = key.to_owned();
            return rows::of_task(job, &key).await.map(Some);
        }
    }
    Ok(None)
}

/// The model's words behind what has to be said; `None` where it says nothing of use.
async fn worded(job: &Job<'_>, facts: &Facts) -> Option<(String, Source)> {
    if !job.step.settings().model_wording || !facts.wordable || !job.step.node.has_model() {
        return None;
    }
    let mut registry = facts.registry.clone();
    registry.must_say(&facts.plain);
    let mut material = facts.material.clone();
    material["sentences"] = registry.new_sentences();
    let patience = job.step.settings().wording_timeout;
    let request = prompt::text(PROMPT, &material);
    let node = &job.step.node;
    let heard = node.ask_as_far(request, patience).await?;
    let answer = &heard.message.text;
    let worded = match heard.end {
        End::Finished(_) => registry.word(answer),
        // A sentence that stands is said, also where the model stops behind it.
        End::Failed(_) => registry.word(prose::finished(answer)),
    };
    if worded.sentences == 0 {
        match &heard.end {
            End::Finished(ended) => warn_once(node, Unusable::words(answer, *ended)).await,
            End::Failed(error) => model_failed(node, error).await,
        }
        return None;
    }
    let is_whole = matches!(heard.end, End::Finished(_));
    if is_whole && worded.left_out == 0 {
        return Some((worded.text, Source::Model));
    }
    let rest = prose::remainder(&facts.plain, &worded.text);
    if !is_whole && !rest.is_empty() {
        model_stopped(node, &heard).await;
    }
    let text = format!("{}\n\n{rest}", worded.text);
    // Some of it is the model's.
    Some((text.trim().to_owned(), Source::Model))
}

/// Which days there are records of at all, where none fit the days asked for.
async fn reach(
    job: &mut Job<'_>,
    run: &QueryRun,
    index: Option<&IndexDescription>,
) -> Option<String> {
    let asked = run.structure.clone()?;
    let range = asked.time_range.as_ref()?;
    let index = index?;
    let field = range.field.clone().or_else(|| index.date_field.clone())?;
    let (_, plural) = summary::nouns(Some(index), &index.name);
    let mut ends = Vec::new();
    for descending in [false, true] {
        let structure = QueryStructure {
            index: asked.index.clone(),
            filters: asked.filters.clone(),
            fields: vec![field.clone()],
            sort: vec![SortBy {
                by: field.clone(),
                descending,
            }],
            limit: Some(1),
            ..QueryStructure::default()
        };
        let end = first(job, &run.source, structure).await?;
        match end.rows.first().and_then(|row| row.get(&field)) {
            Some(Value::String(at)) => ends.push(at.chars().take(10).collect::<String>()),
            Some(_) => {}
            None => {
                return Some(format!(
                    "There are no {plural} with these conditions on any day."
                ));
            }
        }
    }
    let [first, last] = ends.as_slice() else {
        return None;
    };
    Some(format!(
        "With the same conditions there are {plural} from {first} to {last}."
    ))
}

/// Which others share the last place of those that a number was asked of.
async fn tied(job: &mut Job<'_>, run: &QueryRun) -> Option<String> {
    let longer = first(job, &run.source, summary::ties::behind(run)?).await?;
    summary::ties::told(run, &longer)
}

/// Number of records that are left out because a value is missing.
async fn left_out(
    job: &mut Job<'_>,
    run: &QueryRun,
    index: Option<&IndexDescription>,
) -> Vec<String> {
    let nouns = summary::nouns(index, run.index.as_deref().unwrap_or_default());
    let mut said = Vec::new();
    for question in summary::left_out::of(run) {
        let Some(found) = first(job, &run.source, question.query.clone()).await else {
            continue;
        };
        said.extend(question.told(found.total.value, &nouns));
    }
    said
}

/// Runs a small query without an event for the client.
pub(super) async fn first(
    job: &mut Job<'_>,
    source: &str,
    structure: QueryStructure,
) -> Option<QueryRun> {
    let arguments = QueryBuilderArguments {
        source: Some(source.to_owned()),
        query_type: QueryType::Elasticsearch,
        structure,
    };
    job.called.push(names::QUERY_BUILDER.to_owned());
    let build: QueryBuild = job.step.look_up(names::QUERY_BUILDER, &arguments).await?;
    let built: BuiltQuery = build.query?;
    let arguments = EsExecutorArguments {
        source: Some(built.source),
        index: built.index,
        query: built.query,
    };
    job.called.push(names::ES_EXECUTOR.to_owned());
    let execution: QueryExecution = job.step.look_up(names::ES_EXECUTOR, &arguments).await?;
    execution.run
}
