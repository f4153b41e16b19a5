//! The person says that the answer right before was wrong, or that it is to be forgotten: what is
//! remembered for it is withdrawn.

use std::sync::Arc;

use agent_kit::ToolsError;
use contracts::{
    run::Source,
    tools::sql::{ForgetQuestionArguments, ForgottenQuestion, names},
};
use graph::NodeResult;

use crate::{
    draft::Draft,
    run::Context,
    sentences,
    state::{DataState, Update},
};

/// Withdraws what was confirmed for the newest answer, or by the newest message.
pub(crate) async fn forget(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let draft = Draft::new(&state, context);
    draft.node.account().worded_by(Source::Rules);
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
        draft.node.say_in_step(&text).await;
        return Ok(draft.finished());
    };
    draft.node.begin_step().await;
    let called = draft
        .node
        .call(names::FORGET_QUESTION, &ForgetQuestionArguments { id })
        .await;
    draft.node.end_step().await;
    let text = match (called.result::<ForgottenQuestion>(), &called.error) {
        (Some(forgotten), _) => {
            draft.node.update(Update::Forgotten);
            sentences::forgotten(&forgotten)
        }
        (None, Some(ToolsError::Refused)) => {
            "You may not withdraw confirmed questions: that takes the scope questions:write. Ask an administrator for it.".to_owned()
        }
        (None, _) => format!("I did not forget anything. {}", called.message()),
    };
    draft.node.say_in_step(&text).await;
    Ok(draft.finished())
}
