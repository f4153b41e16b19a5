//! A person's answer to a plan that waits: run it, do not, or something else.

use agent_kit::approval::{self, CANCEL, CHANGE, PlanAnswer, RUN};
use contracts::{
    run::Source,
    todo::{TodoList, TodoListState},
};
use graph::Command;
use serde_json::{Value, json};

use super::{
    CERTAIN, MIN_CONFIDENCE, Sure, answered, give_up, gives_way, kind_of, modification,
    new_request, over, routed, standing,
};
use crate::{
    language::{self, Reply},
    plan::change,
    state::{AnalystState, Ending, IntentRoute, Next, OpenQuestion, QuestionAbout, Request},
    step::Step,
};

/// Reads a person's answer to a plan that waits.
pub(super) async fn read(mut step: Step, open: OpenQuestion, text: &str) -> Command<AnalystState> {
    let Some(mut list) = step.work.plan.list.clone() else {
        return over(step, "continue", Ending::NothingToContinue).await;
    };
    match approval::read(text) {
        PlanAnswer::Run => {
            routed(&mut step, "approve", CERTAIN).await;
            answered(&mut step, Some(&open), json!(RUN)).await;
            list.approved = Some(true);
            step.state.query.user_approved = Some(true);
            step.state.intent.route = IntentRoute::Continue;
            step.work.plan.list = Some(list);
            step.then(Next::Execute)
        }
        PlanAnswer::Cancel => {
            routed(&mut step, "cancel", CERTAIN).await;
            answered(&mut step, Some(&open), json!(CANCEL)).await;
            step.state.query.user_approved = Some(false);
            give_up(step, list, Ending::Declined).await
        }
        PlanAnswer::Change(text) if text.is_empty() => {
            routed(&mut step, "change", CERTAIN).await;
            answered(&mut step, Some(&open), json!(CHANGE)).await;
            step.work.outcome.question = Some(OpenQuestion {
                question: WHAT_ELSE.to_owned(),
                about: QuestionAbout::Change,
                ..open
            });
            step.then(Next::Ask)
        }
        PlanAnswer::Change(text) => change_plan(step, &open, list, text).await,
    }
}

const WHAT_ELSE: &str = "What should be different? Say it in your own words, or say \u{201c}run it\u{201d} or \u{201c}cancel\u{201d}.";

/// The plan is made again: without some of its tasks, or for another request.
async fn change_plan(
    mut step: Step,
    open: &OpenQuestion,
    list: TodoList,
    text: String,
) -> Command<AnalystState> {
    let without = change::left_out(&text, &list.tasks);
    step.state.intent.kind = kind_of(&list);
    step.work.plan.wants_approval = true;
    if !without.is_empty() {
        routed(&mut step, "modification", CERTAIN).await;
        answered(&mut step, Some(open), json!(text)).await;
        step.state.intent.route = IntentRoute::Modification;
        step.work.request = Request {
            original: list.original_request.clone(),
            rewritten: list.rewritten_request.clone(),
            without,
            ..Request::default()
        };
        gives_way(&mut step, list, TodoListState::Superseded, &[]);
        return step.then(Next::Plan);
    }
    let standing = standing::of(&step.work, None);
    let read = language::read_reply(&text, &standing);
    let confidence = read.confidence;
    let sure = Sure {
        confidence: confidence.max(MIN_CONFIDENCE),
        source: Source::Rules,
    };
    match read.reply {
        Reply::NewRequest { text } if confidence >= MIN_CONFIDENCE => {
            answered(&mut step, Some(open), Value::Null).await;
            new_request(step, None, text, sure).await
        }
        Reply::Cancel => {
            routed(&mut step, "cancel", CERTAIN).await;
            answered(&mut step, Some(open), Value::Null).await;
            give_up(step, list, Ending::Cancelled).await
        }
        reply => {
            answered(&mut step, Some(open), json!(text)).await;
            let addition = match reply {
                Reply::Modification { addition, .. } => addition,
                _ => text,
            };
            modification(step, None, Vec::new(), addition, sure).await
        }
    }
}
