//! The answer: rows and a picture beside the words, or why there are none and what to do.

use std::sync::Arc;

use contracts::{
    run::{Channel, RunEvent, Source},
    todo::TodoList,
    tools::search::{QueryRun, names},
    ui::{DynamicChart, RenderUiComponent, UiComponent},
};
use graph::NodeResult;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    plan::catalogue::{LLM_SUMMARY, MERGE_RESULTS},
    run::Context,
    sentences,
    state::{AnalystState, Ending, Phase},
    step::Step,
    summary::chart,
    tools,
};

/// What `llm_summary` left.
#[derive(Deserialize)]
struct Told {
    text: String,
    source: Source,
}

/// Writes the answer.
pub(crate) async fn respond(
    state: Arc<AnalystState>,
    context: Context,
) -> NodeResult<AnalystState> {
    let mut step = Step::new(&state, context);
    let ending = step.work.outcome.ending.take();
    let list = step.work.plan.list.take();
    let text = match (ending, list) {
        (Some(Ending::Complete), Some(list)) => complete(&step, &list).await,
        (Some(Ending::Answered(text)), _) => again(&step, text).await,
        (Some(ending), list) => {
            let text = sentences::ending(&ending, list.as_ref());
            step.node.account().worded_by(Source::Rules);
            step.node.say_in_step(&text).await;
            text
        }
        (None, _) => {
            step.node.say_in_step(sentences::NOTHING_CAME).await;
            sentences::NOTHING_CAME.to_owned()
        }
    };
    if step.state.current_phase != Phase::Error {
        step.state.current_phase = Phase::Response;
    }
    step.state.agent_response = Some(text);
    Ok(step.done())
}

/// The results of a complete list.
async fn complete(step: &Step, list: &TodoList) -> String {
    let summed_up = list
        .tasks
        .values()
        .rev()
        .filter(|task| task.tool == LLM_SUMMARY)
        .find_map(|task| Told::deserialize(task.result.as_ref()?).ok());
    let told = summed_up.unwrap_or_else(|| Told {
        text: plainly(list),
        source: Source::Rules,
    });
    step.node.account().worded_by(told.source);
    let run = result(step, list);
    if let Some(run) = &run
        && let Some(chart) = chart::chart(&list.original_request, run)
    {
        show(step, chart).await;
    }
    step.node.begin_step().await;
    if let Some(run) = run {
        let data = Value::Array(run.rows.iter().cloned().map(Value::Object).collect());
        step.node.emit(RunEvent::StructuredData { data }).await;
    }
    step.node.say(Channel::Final, &told.text).await;
    step.node.end_step().await;
    told.text
}

/// The answer that the run had come to before it was cut off, with the rows as far as they were
/// kept.
async fn again(step: &Step, text: String) -> String {
    step.node.account().worded_by(Source::Rules);
    let run_id = &step.run().run_id;
    let entries = step.work.recalled.entries.iter().rev();
    let mut own = entries.filter(|entry| entry.run_id == *run_id);
    let kept = match own.find_map(|entry| entry.query_metadata) {
        Some(turn_id) => step.run().query(Some(turn_id)).await.ok().flatten(),
        None => None,
    };
    step.node.begin_step().await;
    if let Some(rows) = kept.and_then(|kept| kept.rows) {
        let data = Value::Array(rows.rows.into_iter().map(Value::Object).collect());
        step.node.emit(RunEvent::StructuredData { data }).await;
    }
    step.node.say(Channel::Final, &text).await;
    step.node.end_step().await;
    text
}

/// The results of the tasks, if no task sums them up.
fn plainly(list: &TodoList) -> String {
    let text = |task: &contracts::todo::TodoTask, member: &str| {
        let result = task.result.as_ref()?;
        Some(result.get(member)?.as_str()?.to_owned())
    };
    let mut parts: Vec<String> = list
        .tasks
        .values()
        .filter_map(|task| match text(task, "text") {
            Some(text) => Some(text),
            None if [names::ES_EXECUTOR, names::GRAPHQL_EXECUTOR].contains(&&*task.tool) => {
                text(task, "summary").map(|summary| format!("{summary}."))
            }
            None => None,
        })
        .collect();
    parts.extend(tools::findings(list));
    parts.extend(tools::notes(list));
    if parts.is_empty() {
        return sentences::DONE.to_owned();
    }
    parts.join("\n\n")
}

/// The rows that the list found, as far as this process has them.
fn result(step: &Step, list: &TodoList) -> Option<Arc<QueryRun>> {
    let runs = &step.work.plan.runs;
    [MERGE_RESULTS, names::ES_EXECUTOR, names::GRAPHQL_EXECUTOR]
        .iter()
        .find_map(|tool| {
            let mut tasks = list.tasks.iter().filter(|(_, task)| task.tool == *tool);
            tasks.find_map(|(key, _)| runs.get(key).cloned())
        })
}

/// A picture, in a step of its own.
async fn show(step: &Step, chart: DynamicChart) {
    let card = RenderUiComponent {
        component: UiComponent::DynamicChart(chart),
        suggestions: Vec::new(),
    };
    step.node.show(&card).await;
}
