//! The person says that the answer right before was right: its query is kept for the person's questions like it.

use std::sync::Arc;

use agent_kit::ToolsError;
use contracts::{
    run::Source,
    tools::sql::{ConfirmQuestionArguments, ConfirmedQuestion, names},
};
use graph::{Context, NodeResult};

use crate::{
    scene::Scene,
    sentences,
    state::{DataState, DataUpdate, RememberedQuestion},
};

/// The longest question that is kept, in characters.
const LONGEST: usize = 2_000;

/// Keeps the newest question with its query.
pub(crate) async fn remember(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    scene.performance().account().worded_by(Source::Rules);
    let Some(query) = state.queries.last().filter(|_| state.confirmable) else {
        scene.say_in_step(sentences::NOTHING_TO_REMEMBER).await;
        return Ok(scene.finished());
    };
    let question: String = query.question.chars().take(LONGEST).collect();
    let arguments = ConfirmQuestionArguments {
        target: Some(query.target.clone()),
        question: question.clone(),
        sql: query.sql.clone(),
        written_at: query.written_at,
    };
    scene.begin_step().await;
    let called = scene.call(names::CONFIRM_QUESTION, &arguments).await;
    scene.end_step().await;
    let text = match (called.result::<ConfirmedQuestion>(), &called.error) {
        (Some(kept), _) => {
            let text = sentences::remembered(&question, &kept);
            scene.update(DataUpdate::Confirmed(RememberedQuestion { id: kept.id, question }));
            text
        }
        (None, Some(ToolsError::Refused)) => {
            "You may not confirm questions: that takes the scope questions:write. Ask an administrator for it.".to_owned()
        }
        (None, _) => format!("I could not remember it. {}", called.message()),
    };
    scene.say_in_step(&text).await;
    Ok(scene.finished())
}
