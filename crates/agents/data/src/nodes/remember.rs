//! The person says that the answer right before was right: its query is kept for the person's
//! questions like it.

use std::sync::Arc;

use agent_kit::ToolsError;
use contracts::{
    run::Source,
    tools::sql::{ConfirmQuestionArguments, ConfirmedQuestion, names},
};
use graph::NodeResult;

use crate::{
    draft::Draft,
    language::phrases,
    run::Context,
    sentences,
    state::{DataState, RememberedQuestion, Update},
};

/// The longest question that is kept, in characters.
const LONGEST: usize = 2_000;

/// Keeps the newest question with its query.
pub(crate) async fn remember(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let draft = Draft::new(&state, context);
    draft.node.account().worded_by(Source::Rules);
    let Some(query) = state.queries.last().filter(|_| state.confirmable) else {
        draft.node.say_in_step(sentences::NOTHING_TO_REMEMBER).await;
        return Ok(draft.finished());
    };
    let message = draft.node.run().message.words();
    let told = phrases::remembered_as(&message);
    if query.pasted && told.is_none() {
        draft.node.say_in_step(sentences::WHICH_QUESTION).await;
        return Ok(draft.finished());
    }
    let question = told.unwrap_or_else(|| query.question.clone());
    let question: String = question.chars().take(LONGEST).collect();
    let arguments = ConfirmQuestionArguments {
        target: Some(query.target.clone()),
        question: question.clone(),
        sql: query.sql.clone(),
        written_at: query.written_at,
    };
    draft.node.begin_step().await;
    let called = draft.node.call(names::CONFIRM_QUESTION, &arguments).await;
    draft.node.end_step().await;
    let text = match (called.result::<ConfirmedQuestion>(), &called.error) {
        (Some(kept), _) => {
            let text = sentences::remembered(&question, &kept);
            draft.node.update(Update::Confirmed(RememberedQuestion { id: kept.id, question }));
            text
        }
        (None, Some(ToolsError::Refused)) => {
            "You may not confirm questions: that takes the scope questions:write. Ask an administrator for it.".to_owned()
        }
        (None, _) => format!("I could not remember it. {}", called.message()),
    };
    draft.node.say_in_step(&text).await;
    Ok(draft.finished())
}
