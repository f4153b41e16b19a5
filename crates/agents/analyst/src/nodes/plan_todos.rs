//! The list of tasks: the usual one, or a model's where that can work. It is recorded with the list
//! that it takes the place of, and shown.

pub(super) mod address;

use std::sync::Arc;

use agent_kit::{Unusable, warn_once};
use contracts::{
    run::RunEvent,
    todo::{QueryStrategy, TodoList, TodoListState},
    tools::{
        clarification::Clarification,
        search::{QueryType, SourceList},
    },
};
use graph::{Command, NodeResult};
use serde_json::{Value, json};

use crate::{
    KeptQuery, Record,
    language::{self, Retrieval},
    plan::{self, Tasks, catalogue, check, proposal},
    prompt,
    run::Context,
    state::{
        AnalystState, Ending, ExecutionContext, IntentKind, Next, Phase, QueryContext, QueryMode,
        ResolutionContext, RetrievalKind,
    },
    step::Step,
    summary,
    tools::{Previous, why_not_analysed},
};

use super::approve_plan;

const PROMPT: &str = include_str!("../../prompts/plan.md");

/// The tasks to be done.
struct Plan {
    tasks: Tasks,
    strategy: QueryStrategy,
    reason: String,
}

/// Plans.
pub(crate) async fn plan_todos(
    state: Arc<AnalystState>,
    context: Context,
) -> NodeResult<AnalystState> {
    let mut step = Step::new(&state, context);
    step.state.current_phase = Phase::Planning;
    if step.state.intent.kind != IntentKind::Analysis {
        step.state.resolution = ResolutionContext::default();
    }
    step.state.query = QueryContext::default();
    step.state.execution = ExecutionContext::default();
    let planned = match step.state.intent.kind {
        IntentKind::DataRetrieval => retrieval(&mut step).await,
        IntentKind::Analysis => analysis(&mut step).await,
        IntentKind::EditQuery => edit(&mut step).await,
    };
    let mut plan = match planned {
        Ok(plan) => plan,
        Err(ending) => return Ok(step.ends(ending)),
    };
    leave_out(&mut step, &mut plan).await;
    carry_answers(&step, &mut plan.tasks);
    Ok(begin(step, plan).await)
}

/// Records and shows the list.
async fn begin(mut step: Step, plan: Plan) -> Command<AnalystState> {
    let request = &step.work.request;
    let mut list = TodoList {
        id: step.run().new_list_id(),
        state: TodoListState::Active,
        tasks: plan.tasks,
        current_task_key: None,
        completed_tasks: 0,
        total_tasks: 0,
        created_at_turn: step.state.current_turn_id,
        run_id: step.run().run_id.clone(),
        query_strategy: plan.strategy,
        strategy_reason: plan.reason,
        original_request: request.original.clone(),
        rewritten_request: request.rewritten.clone(),
        approved: None,
    };
    plan::settle(&mut list);
    let waits = approve_plan::before_anything_runs(&step);
    if waits {
        list.approved = Some(false);
    }
    let gives_way = step.work.plan.gives_way.take();
    let lists = gives_way.iter().cloned().chain([list.clone()]).collect();
    let record = Record {
        lists,
        ..Record::default()
    };
    if let Err(ending) = step.record(record).await {
        return step.ends(ending);
    }
    if let Some(gives_way) = gives_way {
        step.show_plan(&gives_way).await;
    }
    step.show_plan(&list).await;
    step.work.plan.list = Some(list);
    step.then(if waits { Next::Approve } else { Next::Execute })
}

async fn retrieval(step: &mut Step) -> Result<Plan, Ending> {
    // Without them the days would be counted from another today than theirs.
    match &step.work.sources {
        None => return Err(Ending::SourcesAway),
        Some(known) if known.sources.is_empty() => return Err(Ending::NoSources),
        Some(_) => {}
    }
    let text = step.work.request.rewritten.clone();
    let sources = step.sources();
    let read = language::read_request(&text, &sources, step.today(&text));
    let known = sources
        .sources
        .iter()
        .all(|source| source.unavailable.is_none());
    if let Some(asked) = language::asks_back(&text, &read) {
        let held = crate::words::either(held(&sources));
        return Err(Ending::Answered(format!("{asked} I know {held}.")));
    }
    if let Some(refusal) = read.refusal.clone() {
        return Err(Ending::Answered(refusal));
    }
    if let Some(problem) = &read.time_problem {
        return Err(Ending::Answered(no_such_days(problem)));
    }
    if known && asks_for_nothing(&read) {
        return Err(Ending::NothingAsked(held(&sources)));
    }
    let intent = &mut step.state.intent;
    intent.retrieval = Some(match read.retrieval {
        Retrieval::SingleEntity => RetrievalKind::SingleEntity,
        Retrieval::MultiEntity => RetrievalKind::MultiEntity,
        Retrieval::Aggregation => RetrievalKind::Aggregation,
    });
    intent
        .aggregation_keywords
        .clone_from(&read.aggregation_keywords);
    intent.time_range.clone_from(&read.time_range);
    intent.entities.clear();
    for mention in &read.entity_hints {
        let kind = mention.entity_type.clone().unwrap_or_default();
        let of_kind = intent.entities.entry(kind).or_default();
        of_kind.push(mention.text.clone());
    }
    let (strategy, reason) = language::strategy(&read, &sources);
    let usual = plan::retrieval(strategy, &named(&read));
    match by_model(step, &text, "data_retrieval", &usual).await {
        Some(tasks) => Ok(Plan {
            strategy: plan::strategy_of(&tasks),
            tasks,
            reason,
        }),
        None => Ok(Plan {
            tasks: usual,
            strategy,
            reason,
        }),
    }
}

/// The refusal of days that do not exist: without them the answer would be of all days.
fn no_such_days(problem: &str) -> String {
    format!("{problem} I did not look: name the days otherwise.")
}

/// Whether no word of the request is one that a source could answer.
fn asks_for_nothing(read: &language::Request) -> bool {
    read.indices.is_empty()
        && read.terms.is_empty()
        && read.measures.is_empty()
        && read.time_range.is_none()
        && read.entity_hints.is_empty()
        && !read.leftover.iter().any(|left| left.name_like)
}

/// What people call the records that there are.
fn held(sources: &SourceList) -> Vec<String> {
    let indices = sources.sources.iter().flat_map(|source| &source.indices);
    let mut nouns: Vec<String> = indices
        .map(|index| summary::nouns(Some(index), &index.name).1)
        .collect();
    nouns.dedup();
    nouns
}

/// The names to be resolved, for the description of the first task.
fn named(read: &language::Request) -> String {
    let hints = read.entity_hints.iter().map(|mention| mention.text.clone());
    let likely = read.leftover.iter().filter(|left| left.name_like);
    let mut names: Vec<String> = hints.collect();
    for left in likely {
        if !names
            .iter()
            .any(|name| name.eq_ignore_ascii_case(&left.words))
        {
            names.push(left.words.clone());
        }
    }
    let range = read
        .time_range
        .as_ref()
        .and_then(|range| range.kind.clone());
    let each = names.into_iter().chain(range);
    crate::words::list(each.map(|words| format!("\u{2018}{words}\u{2019}")))
}

async fn analysis(step: &mut Step) -> Result<Plan, Ending> {
    let text = step.work.request.original.clone();
    let kept = addressed(step, &text, address::By::Names).await?;
    if let Some(why) = why_not_analysed(&kept) {
        return Err(Ending::NoResults(why));
    }
    let read = language::read_analysis(&text);
    let usual = plan::analysis(kept.metadata.turn_id, &read.pattern_task());
    let reason = format!(
        "It is about the results of \u{201c}{}\u{201d} ({}).",
        kept.metadata.request, kept.metadata.summary
    );
    let tasks = match by_model(step, &text, "analysis", &usual).await {
        Some(mut tasks) => {
            for task in tasks.values_mut() {
                if task.tool == catalogue::RETRIEVE_QUERY_METADATA {
                    task.params = json!({ "turn_id": kept.metadata.turn_id });
                }
            }
            tasks
        }
        None => usual,
    };
    Ok(Plan {
        strategy: plan::strategy_of(&tasks),
        tasks,
        reason,
    })
}

async fn edit(step: &mut Step) -> Result<Plan, Ending> {
    if step.work.sources.is_none() {
        return Err(Ending::SourcesAway);
    }
    let text = step.work.request.original.clone();
    let back = step.work.request.back;
    step.work.request.returns = address::returns(step, &text);
    let kept = if back {
        query_before(step).await?
    } else {
        addressed(step, &text, address::By::Records).await?
    };
    let metadata = kept.metadata;
    let Some(structure) = metadata.query_structure else {
        return Err(Ending::NoResults(
            "What the earlier query asked is not known well enough to change it.".to_owned(),
        ));
    };
    let today = step.today(&text);
    let text = if step.work.request.returns {
        let text = address::without_its_days(&text, &structure, today);
        step.work.request.original.clone_from(&text);
        text
    } else {
        text
    };
    let sources = step.sources();
    let change = language::read_edit(&text, &structure, &sources, &[], today);
    if let Some(problem) = change.request.time_problem.as_ref().filter(|_| !back) {
        return Err(Ending::Answered(no_such_days(problem)));
    }
    if let Some(refusal) = change.request.refusal.clone()
        && !back
    {
        return Err(Ending::Answered(refusal));
    }
    let query = &mut step.state.query;
    query.query_mode = QueryMode::EditExisting;
    query.previous_query = Some(metadata.query);
    let nothing_open = Clarification {
        question: String::new(),
        parts: Vec::new(),
    };
    step.work.request.rewritten = if back {
        metadata.request.clone()
    } else {
        language::rewrite_modification(&metadata.request, &nothing_open, &[], &text, today)
    };
    let strategy = match metadata.query_type {
        QueryType::Elasticsearch => QueryStrategy::Elasticsearch,
        QueryType::Graphql => QueryStrategy::Graphql,
    };
    let previous = Previous {
        turn_id: metadata.turn_id,
        source: metadata.data_source,
        query_type: metadata.query_type,
        structure,
        back,
    };
    let mut tasks = plan::retrieval(strategy, "what the change names");
    if let Some(first) = tasks.first_entry() {
        first.into_mut().params = json!({ "previous": previous });
    }
    Ok(Plan {
        tasks,
        strategy,
        reason: format!(
            "It changes the query of \u{201c}{}\u{201d}, of the same source.",
            metadata.request
        ),
    })
}

/// The query before the newest.
async fn query_before(step: &Step) -> Result<KeptQuery, Ending> {
    let kept = match address::before_last(step).await {
        Ok(kept) => kept,
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "an earlier query cannot be read"
            );
            return Err(Ending::MemoryAway);
        }
    };
    kept.ok_or_else(|| {
        Ending::NoResults("There is no query before the last one in this conversation.".to_owned())
    })
}

/// The query that the text points at, or the newest.
async fn addressed(step: &Step, text: &str, by: address::By) -> Result<KeptQuery, Ending> {
    match address::find(step, text, by).await {
        Ok(Some(kept)) => Ok(kept),
        Ok(None) => Err(Ending::NoResults(
            "There are no results of an earlier query in this conversation. Ask for some first."
                .to_owned(),
        )),
        Err(error) => {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "an earlier query cannot be read"
            );
            Err(Ending::MemoryAway)
        }
    }
}

/// The model's list, if it can work; otherwise the model gets the faults.
async fn by_model(step: &mut Step, text: &str, kind: &str, usual: &Tasks) -> Option<Tasks> {
    if !step.settings().model_planning || !step.node.has_model() {
        return None;
    }
    step.node.hint("Planning").await;
    let tools: Vec<_> = catalogue::TOOLS
        .iter()
        .map(|tool| json!({ "tool": tool.name, "does": tool.about }))
        .collect();
    let told = |tasks: &Tasks| -> Vec<Value> {
        let each = tasks.iter().map(|(key, task)| {
            let kind = plan::query_type(task);
            json!({ "key": key, "description": task.description, "tool": task.tool, "query_type": kind })
        });
        each.collect()
    };
    let sources = step.sources();
    let held: Vec<_> = sources
        .sources
        .iter()
        .map(|source| {
            let indices: Vec<_> = source.indices.iter().map(|index| &index.name).collect();
            json!({ "source": source.name, "query_types": source.query_types, "holds": indices })
        })
        .collect();
    let max_tasks = step.settings().max_tasks;
    let system = PROMPT.replace("{{max_tasks}}", &max_tasks.to_string());
    let material = json!({
        "request": text, "kind": kind, "tools": tools, "usual_list": told(usual), "sources": held,
    });
    let asked = prompt::object(&system, "plan", &proposal::schema(), &material);
    let patience = step.settings().planning_timeout;
    let answer = step.node.ask(asked, patience).await?;
    let Some(answer) = prompt::object_in(&answer) else {
        warn_once(&step.node, Unusable::Plan).await;
        return None;
    };
    let fits = |tasks: &Tasks| {
        let analysis = plan::strategy_of(tasks) == QueryStrategy::Analysis;
        analysis == (kind == "analysis")
    };
    match proposal::read(&answer, max_tasks, &sources) {
        Ok(tasks) if fits(&tasks) => Some(tasks),
        refused => {
            let why = refused.err().map_or_else(
                || "it is for something else".to_owned(),
                |fault| fault.to_string(),
            );
            tracing::warn!(why, "the model's plan is not taken");
            step
                .node
                .warn(
                    "plan_refused",
                    &format!("The language model's plan can't be used ({why}), so I follow the usual one."),
                )
                .await;
            None
        }
    }
}

/// Takes out what the person needs left out, as far as the rest can work without it.
async fn leave_out(step: &mut Step, plan: &mut Plan) {
    for key in std::mem::take(&mut step.work.request.without) {
        let mut tasks = plan.tasks.clone();
        tasks.shift_remove(&key);
        match check::check(&tasks, step.settings().max_tasks) {
            Ok(()) => plan.tasks = tasks,
            Err(fault) => {
                let text = format!("I can't leave out {}: {fault}.", crate::words::label(&key));
                step.node
                    .emit(RunEvent::Warning {
                        code: "task_needed".to_owned(),
                        text,
                    })
                    .await;
            }
        }
    }
    plan.strategy = plan::strategy_of(&plan.tasks);
}

/// Answers given before the request changed are not asked for again.
fn carry_answers(step: &Step, tasks: &mut Tasks) {
    let answers = &step.work.request.answers;
    for task in tasks.values_mut().filter(|task| task.can_clarify) {
        let of_entities = task.tool == contracts::tools::meanings::names::ENTITY_RESOLUTION;
        let own: Vec<_> = answers
            .iter()
            .filter(|answer| answer.about.starts_with("entity:") == of_entities)
            .collect();
        if own.is_empty() {
            continue;
        }
        if !task.params.is_object() {
            task.params = json!({});
        }
        task.params["answers"] = json!(own);
    }
}
