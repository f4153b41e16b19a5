//! The task that the pointer is on is attempted, and the result of it is recorded: the list with
//! its pointer, the entry, and the metadata of the query, all of it or nothing.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use contracts::{
    todo::{
        AskedClarification, EntryStatus, MemoryEntry, QueryStrategy, TaskStatus, TodoList,
        TodoListState,
    },
    tools::{clarification::Clarification, search::QueryType},
};
use graph::NodeResult;
use serde_json::{Value, json};

use super::{approve_plan, classify_intent};
use crate::{
    NewQuery, Record,
    plan::{self, catalogue},
    run::Context,
    state::{AnalystState, Ending, Next, Phase},
    step::Step,
    tools::{self, Failure, Job, Outcome},
    words,
};

/// An attempt that is over.
struct Attempt {
    key: String,
    status: EntryStatus,
    action: String,
    called: Vec<String>,
    queries: Vec<Value>,
    query: Option<NewQuery>,
    asked: Option<AskedClarification>,
    /// Why the sources cannot answer.
    refused: Option<String>,
    started_at: DateTime<Utc>,
    tokens: u64,
}

/// Attempts the next task.
pub(crate) async fn execute_next_todo(
    state: Arc<AnalystState>,
    context: Context,
) -> NodeResult<AnalystState> {
    let mut step = Step::new(&state, context);
    let Some(mut list) = step.work.plan.list.clone() else {
        return Ok(step.ends(Ending::NothingToContinue));
    };
    let Some(key) = list.current_task_key.clone() else {
        return Ok(step.ends(Ending::Complete));
    };
    if step.state.iteration_count >= step.settings().max_iterations {
        return Ok(step.ends(Ending::TooManySteps));
    }
    if approve_plan::before_task(&step, &list, &key) {
        return Ok(step.then(Next::Approve));
    }
    step.state.iteration_count += 1;
    if let Some(task) = list.tasks.get_mut(&key) {
        task.status = TaskStatus::InProgress;
        task.attempts += 1;
        step.state.current_phase = phase(&task.tool);
    }
    step.show_plan(&list).await;
    let attempt = attempt(&mut step, &mut list, key).await;
    let entry = entry(&step, &list, &attempt);
    let record = Record {
        lists: vec![list.clone()],
        entry: Some(entry.clone()),
        query: attempt.query,
    };
    let executed = record.query.is_some();
    let turn_id = match step.record(record).await {
        Ok(turn_id) => turn_id,
        Err(ending) => return Ok(step.ends(ending)),
    };
    step.work.recalled.entries.push(MemoryEntry {
        turn_id,
        query_metadata: executed.then_some(turn_id),
        ..entry
    });
    if let Some(metadata) = &mut step.state.execution.query_metadata
        && executed
    {
        metadata.turn_id = turn_id;
    }
    step.show_plan(&list).await;
    if let Some(why) = attempt.refused {
        step.work.plan.list = None;
        return Ok(step.ends(Ending::Answered(why)));
    }
    step.work.plan.list = Some(list.clone());
    Ok(match attempt.status {
        EntryStatus::ClarificationNeeded => {
            step.state.current_phase = Phase::Clarification;
            let question = attempt
                .asked
                .map(|asked| classify_intent::of_task(&list, &attempt.key, &asked));
            step.state.intent.requires_clarification = question
                .iter()
                .flat_map(|question| &question.parts)
                .map(|part| part.about.clone())
                .collect();
            step.work.outcome.question = question;
            step.then(Next::Ask)
        }
        EntryStatus::Error if stands(&list, &attempt.key) => {
            step.state.error = Some(attempt.action.clone());
            step.ends(Ending::TaskFailed(attempt.action))
        }
        EntryStatus::Complete | EntryStatus::Error if list.current_task_key.is_none() => {
            step.ends(Ending::Complete)
        }
        EntryStatus::Complete | EntryStatus::Error => step.then(Next::Execute),
    })
}

/// Whether the list waits at the task.
fn stands(list: &TodoList, key: &str) -> bool {
    list.current_task_key.as_deref() == Some(key)
}

/// Runs the task, and changes the list by the result of it.
async fn attempt(step: &mut Step, list: &mut TodoList, key: String) -> Attempt {
    let started_at = step.run().now();
    let before = step.tokens();
    let task = &list.tasks[&key];
    let may_ask =
        task.can_clarify && catalogue::find(&task.tool).is_some_and(|(tool, _)| tool.can_clarify);
    let once = std::mem::take(&mut step.work.plan.best_guess);
    let best_guess = step.settings().yolo || once || !may_ask;
    step.node.begin_step().await;
    let mut job = Job {
        step,
        list: list.clone(),
        key: key.clone(),
        best_guess,
        called: Vec::new(),
        queries: Vec::new(),
    };
    let outcome = tools::run(&mut job).await;
    let (called, queries) = (job.called, job.queries);
    step.node.end_step().await;
    let mut attempt = Attempt {
        key,
        status: EntryStatus::Complete,
        action: String::new(),
        called,
        queries,
        query: None,
        asked: None,
        refused: None,
        started_at,
        tokens: step.tokens().saturating_sub(before),
    };
    match outcome {
        Outcome::Success(success) => {
            attempt.action = success.action;
            attempt.query = success.query;
            if let Some(task) = list.tasks.get_mut(&attempt.key) {
                task.status = TaskStatus::Complete;
                task.result = Some(success.result);
            }
            plan::settle(list);
        }
        Outcome::Question(clarification) => {
            ask(step, list, &mut attempt, clarification, best_guess);
        }
        Outcome::Failure(failure) => fail(list, &mut attempt, &failure),
        Outcome::Refusal(why) => {
            plan::close(list, TodoListState::Aborted);
            attempt.action.clone_from(&why);
            attempt.refused = Some(why);
        }
        Outcome::NotNeeded(why) => {
            why.clone_into(&mut attempt.action);
            if let Some(kind) = list.tasks.get(&attempt.key).and_then(plan::query_type) {
                cancel(list, kind);
            }
            plan::settle(list);
        }
    }
    attempt
}

/// The task waits for the person; or it is given up, when they have answered often enough and it
/// did not help.
fn ask(
    step: &Step,
    list: &mut TodoList,
    attempt: &mut Attempt,
    clarification: Clarification,
    best_guess: bool,
) {
    let most = step.settings().max_fruitless_answers;
    let id = list.id.clone();
    let Some(task) = list.tasks.get_mut(&attempt.key) else {
        return;
    };
    let fruitless = fruitless(&task.clarifications, &clarification);
    if best_guess || fruitless >= most {
        let options = options(&clarification);
        let message = if best_guess {
            format!(
                "It could not be decided without asking: {}{options}",
                clarification.question
            )
        } else {
            format!(
                "I still don't know what is meant: {}{options}",
                clarification.question
            )
        };
        return fail(list, attempt, &Failure::because(message));
    }
    attempt.status = EntryStatus::ClarificationNeeded;
    attempt.action = format!("Asked: {}", clarification.question);
    let asked = AskedClarification {
        id: format!("call_{id}_{}_{}", attempt.key, task.attempts),
        clarification,
        answers: Vec::new(),
        answered_at: None,
    };
    task.status = TaskStatus::ClarificationNeeded;
    task.clarifications.push(asked.clone());
    attempt.asked = Some(asked);
}

/// Number of times that one of the questions was answered already, in vain.
fn fruitless(asked: &[AskedClarification], now: &Clarification) -> usize {
    let of_part = |about: &str| {
        let in_vain = asked
            .iter()
            .filter(|asked| asked.answers.iter().any(|answer| answer.about == about));
        in_vain.count()
    };
    now.parts
        .iter()
        .map(|part| of_part(&part.about))
        .max()
        .unwrap_or(0)
}

/// What can be meant, in words.
fn options(clarification: &Clarification) -> String {
    let each = clarification.parts.iter().filter_map(|part| {
        let labels = part.options.iter().map(|option| option.label.clone());
        let labels = words::either(labels);
        let mention = &part.mention;
        (!labels.is_empty()).then(|| format!(" \u{201c}{mention}\u{201d} can be {labels}."))
    });
    each.collect()
}

/// The list waits at the task; or continues without it, where the other of two sources can answer.
fn fail(list: &mut TodoList, attempt: &mut Attempt, failure: &Failure) {
    attempt.status = EntryStatus::Error;
    attempt.action.clone_from(&failure.message);
    if !goes_on_without(list, &attempt.key, failure)
        && let Some(task) = list.tasks.get_mut(&attempt.key)
    {
        task.status = TaskStatus::Error;
    }
    plan::settle(list);
}

/// Cancels what is left to do with one kind of query.
fn cancel(list: &mut TodoList, kind: QueryType) {
    for task in list.tasks.values_mut() {
        if plan::query_type(task) == Some(kind) && task.status != TaskStatus::Complete {
            task.status = TaskStatus::Cancelled;
        }
    }
}

/// Of a plan that asks two sources, the tasks of the one that is away are cancelled: once, while
/// the other can still answer.
fn goes_on_without(list: &mut TodoList, key: &str, failure: &Failure) -> bool {
    if list.query_strategy != QueryStrategy::Hybrid || !failure.away {
        return false;
    }
    let kind = list.tasks.get(key).and_then(plan::query_type);
    let other_answers = list.tasks.values().any(|task| {
        let own = plan::query_type(task);
        own.is_some() && own != kind && task.status != TaskStatus::Cancelled
    });
    let Some(kind) = kind.filter(|_| other_answers) else {
        return false;
    };
    cancel(list, kind);
    let message = failure.message.trim_end_matches('.');
    if let Some(task) = list.tasks.get_mut(key) {
        task.result = Some(json!({
            "notes": [format!("One of two sources could not be asked ({message}), so this is what the other knows.")],
        }));
    }
    true
}

fn entry(step: &Step, list: &TodoList, attempt: &Attempt) -> MemoryEntry {
    let description = list
        .tasks
        .get(&attempt.key)
        .map(|task| task.description.clone())
        .unwrap_or_default();
    MemoryEntry {
        turn_id: 0,
        turn: step.state.current_turn_id,
        list_id: list.id.clone(),
        todo_key: attempt.key.clone(),
        todo_description: description,
        status: attempt.status,
        user_input: step.state.user_input.clone(),
        agent_action: attempt.action.clone(),
        tools_called: attempt.called.clone(),
        queries_executed: attempt.queries.clone(),
        query_metadata: None,
        clarification_asked: attempt
            .asked
            .as_ref()
            .map(|asked| asked.clarification.question.clone()),
        active_todo_list_snapshot: snapshot(list),
        intent_detected: step.work.outcome.flow.clone(),
        rewritten_question: Some(list.rewritten_request.clone()),
        run_id: step.run().run_id.clone(),
        started_at: attempt.started_at,
        completed_at: step.run().now(),
        tokens_used: attempt.tokens,
    }
}

/// The list without what its tasks found.
fn snapshot(list: &TodoList) -> Value {
    let mut list = list.clone();
    for task in list.tasks.values_mut() {
        task.result = None;
    }
    serde_json::to_value(list).unwrap_or_default()
}

fn phase(tool: &str) -> Phase {
    use contracts::tools::{
        analysis::names as analysis, meanings::names as meanings, search::names as search,
    };
    match tool {
        meanings::ENTITY_RESOLUTION | meanings::FIELD_MAPPING => Phase::Resolution,
        search::QUERY_BUILDER => Phase::Query,
        analysis::STATS_ANALYSIS
        | analysis::PATTERN_RECOGNITION
        | catalogue::RETRIEVE_QUERY_METADATA => Phase::Analysis,
        catalogue::LLM_SUMMARY => Phase::Response,
        _ => Phase::Execution,
    }
}
