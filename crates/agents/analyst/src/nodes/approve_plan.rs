//! A plan is put up for approval: that it waits is recorded, so that it waits in any process.

use std::{fmt::Write, sync::Arc};

use contracts::{
    todo::TodoList,
    tools::search::{BuiltQuery, names},
};
use graph::NodeResult;
use serde::Deserialize;

use crate::{
    ApprovePlans, Record, plan,
    run::Context,
    state::{AnalystState, Ending, Next, OpenQuestion, Phase, QuestionAbout},
    step::Step,
    words,
};

/// Whether a person is asked before anything of the plan runs.
pub(crate) fn before_anything_runs(step: &Step) -> bool {
    match step.settings().approve_plans {
        ApprovePlans::Never => false,
        ApprovePlans::Always => true,
        ApprovePlans::WhenAsked | ApprovePlans::Large => step.work.plan.wants_approval,
    }
}

/// Whether a person is asked before the task runs: it reads much, and no approval was given.
pub(crate) fn before_task(step: &Step, list: &TodoList, key: &str) -> bool {
    let asks = matches!(
        step.settings().approve_plans,
        ApprovePlans::Always | ApprovePlans::Large
    );
    if !asks || step.settings().yolo || list.approved == Some(true) {
        return false;
    }
    let executes = list
        .tasks
        .get(key)
        .is_some_and(|task| [names::ES_EXECUTOR, names::GRAPHQL_EXECUTOR].contains(&&*task.tool));
    executes && large(list).is_some()
}

/// Puts the plan up.
pub(crate) async fn approve_plan(
    state: Arc<AnalystState>,
    context: Context,
) -> NodeResult<AnalystState> {
    let mut step = Step::new(&state, context);
    step.state.current_phase = Phase::Clarification;
    let Some(mut list) = step.work.plan.list.clone() else {
        return Ok(step.ends(Ending::NothingToContinue));
    };
    if list.approved != Some(false) {
        list.approved = Some(false);
        let record = Record {
            lists: vec![list.clone()],
            ..Record::default()
        };
        if let Err(ending) = step.record(record).await {
            return Ok(step.ends(ending));
        }
    }
    step.state.query.needs_approval = true;
    step.work.outcome.question = Some(question(&list));
    step.work.plan.list = Some(list);
    Ok(step.then(Next::Ask))
}

/// The question, always the same for the same list at the same task.
pub(crate) fn question(list: &TodoList) -> OpenQuestion {
    let key = list.current_task_key.clone().unwrap_or_default();
    OpenQuestion {
        call_id: format!("call_{}_{key}", list.id),
        question: words_of(list),
        about: QuestionAbout::Approval,
        list_id: list.id.clone(),
        task_key: list.current_task_key.clone(),
        parts: Vec::new(),
    }
}

/// A query of the list that reads much.
fn large(list: &TodoList) -> Option<BuiltQuery> {
    let mut built = list
        .tasks
        .values()
        .filter(|task| task.tool == names::QUERY_BUILDER)
        .filter_map(|task| BuiltQuery::deserialize(task.result.as_ref()?).ok());
    built.find(|built| built.needs_approval)
}

fn words_of(list: &TodoList) -> String {
    if let Some(built) = large(list) {
        let many = built.estimated_records.map_or_else(
            || "a great many records".to_owned(),
            |records| format!("about {} records", words::whole(records)),
        );
        return format!(
            "The query for \u{201c}{}\u{201d} reads {many}: {}.",
            list.rewritten_request,
            built.summary.trim_end_matches('.')
        );
    }
    let mut text = format!(
        "This is what I would do for \u{201c}{}\u{201d}:\n",
        list.rewritten_request
    );
    for (number, task) in list.tasks.values().enumerate() {
        let kind = plan::query_type(task);
        let how = kind.map_or_else(String::new, |kind| {
            let name = match kind {
                contracts::tools::search::QueryType::Elasticsearch => "Elasticsearch",
                contracts::tools::search::QueryType::Graphql => "GraphQL",
            };
            if task.description.contains(name) {
                String::new()
            } else {
                format!(" ({name})")
            }
        });
        let _ = write!(text, "\n{}. {}{how}", number + 1, task.description);
    }
    if !list.strategy_reason.is_empty() {
        let _ = write!(text, "\n\n{}", list.strategy_reason);
    }
    text
}
