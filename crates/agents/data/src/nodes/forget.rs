//! The person says that the answer right before was wrong, or that it is to be forgotten: what is remembered for it is withdrawn.

use std::sync::Arc;

use agent_kit::ToolsError;
use contracts::{
    run::Source,
    tools::{
        questions::{ForgetQuestionArguments, ForgottenQuestion},
        sql::names,
    },
};
use graph::{Context, NodeResult};

use crate::{
    scene::Scene,
    sentences,
    state::{DataState, DataUpdate},
};

/// Withdraws what was confirmed for the newest answer, or by the newest message.
pub(crate) async fn forget(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let mut scene = Scene::new(&state, context)?;
    scene.performance().account().worded_by(Source::Rules);
    let newest = state.queries.last().filter(|_| state.confirmable);
    let id = match &state.remembered {
        Some(remembered) => Some(remembered.id.clone()),
        None => newest.and_then(|query| query.confirmed.clone()),
    };
    let Some(id) = id else {
        let text = match newest {
            Some(query) => sentences::nothing_remembered_for(&query.question),
            None => sentences::NOTHING_TO_FORGET.to_owned(),
        };
        scene.say_in_step(&text).await;
        return Ok(scene.finished());
    };
    scene.begin_step().await;
    let called = scene
        .call(names::FORGET_QUESTION, &ForgetQuestionArguments { id })
        .await;
    scene.end_step().await;
    let text = match (called.result::<ForgottenQuestion>(), &called.error) {
        (Some(forgotten), _) => {
            scene.update(DataUpdate::Forgotten);
            sentences::forgotten(&forgotten)
        }
        (None, Some(ToolsError::Refused)) => {
            "You may not withdraw confirmed questions: that takes the scope questions:write. Ask an administrator for it.".to_owned()
        }
        (None, _) => format!("I did not forget anything. {}", called.message()),
    };
    scene.say_in_step(&text).await;
    Ok(scene.finished())
}
