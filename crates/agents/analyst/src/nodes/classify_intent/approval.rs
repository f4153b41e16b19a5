//! What a person says to a plan that waits: run it, do not, or something else.

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
    plan::change::{self, PlanAnswer},
    scene::Scene,
    state::{AnalystState, Ending, IntentRoute, Next, OpenQuestion, QuestionAbout, Request},
};

/// What a person says to a plan that waits.
pub(super) async fn read(
    mut scene: Scene,
    open: OpenQuestion,
    text: &str,
) -> Command<AnalystState> {
    let Some(mut list) = scene.state.work.list.clone() else {
        return over(scene, "continue", Ending::NothingToContinue).await;
    };
    match change::read(text) {
        PlanAnswer::Run => {
            routed(&mut scene, "approve", CERTAIN).await;
            answered(&mut scene, Some(&open), json!(change::RUN)).await;
            list.approved = Some(true);
            scene.state.query.user_approved = Some(true);
            scene.state.intent.route = IntentRoute::Continue;
            scene.state.work.list = Some(list);
            scene.then(Next::Execute)
        }
        PlanAnswer::Cancel => {
            routed(&mut scene, "cancel", CERTAIN).await;
            answered(&mut scene, Some(&open), json!(change::CANCEL)).await;
            scene.state.query.user_approved = Some(false);
            give_up(scene, list, Ending::Declined).await
        }
        PlanAnswer::Change(text) if text.is_empty() => {
            routed(&mut scene, "change", CERTAIN).await;
            answered(&mut scene, Some(&open), json!(change::CHANGE)).await;
            scene.state.work.question = Some(OpenQuestion {
                question: WHAT_ELSE.to_owned(),
                about: QuestionAbout::Change,
                ..open
            });
            scene.then(Next::Ask)
        }
        PlanAnswer::Change(text) => change_plan(scene, &open, list, text).await,
    }
}

const WHAT_ELSE: &str = "What should be different? Say it in your own words, or say \u{201c}run it\u{201d} or \u{201c}cancel\u{201d}.";

/// The plan is made anew: without some of its tasks, or for another request.
async fn change_plan(
    mut scene: Scene,
    open: &OpenQuestion,
    list: TodoList,
    text: String,
) -> Command<AnalystState> {
    let without = change::left_out(&text, &list.tasks);
    scene.state.intent.kind = kind_of(&list);
    scene.state.work.wants_approval = true;
    if !without.is_empty() {
        routed(&mut scene, "modification", CERTAIN).await;
        answered(&mut scene, Some(open), json!(text)).await;
        scene.state.intent.route = IntentRoute::Modification;
        scene.state.work.request = Request {
            original: list.original_request.clone(),
            rewritten: list.rewritten_request.clone(),
            without,
            ..Request::default()
        };
        gives_way(&mut scene, list, TodoListState::Superseded, &[]);
        return scene.then(Next::Plan);
    }
    let standing = standing::of(&scene.state.work, None);
    let read = language::read_reply(&text, &standing);
    let confidence = read.confidence;
    let sure = Sure {
        confidence: confidence.max(MIN_CONFIDENCE),
        source: Source::Rules,
    };
    match read.reply {
        Reply::NewRequest { text } if confidence >= MIN_CONFIDENCE => {
            answered(&mut scene, Some(open), Value::Null).await;
            new_request(scene, None, text, sure).await
        }
        Reply::Cancel => {
            routed(&mut scene, "cancel", CERTAIN).await;
            answered(&mut scene, Some(open), Value::Null).await;
            give_up(scene, list, Ending::Cancelled).await
        }
        reply => {
            answered(&mut scene, Some(open), json!(text)).await;
            let addition = match reply {
                Reply::Modification { addition, .. } => addition,
                _ => text,
            };
            modification(scene, None, Vec::new(), addition, sure).await
        }
    }
}
