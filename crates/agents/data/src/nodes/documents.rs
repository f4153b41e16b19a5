//! The route `rag`: an answer from the documents.

use std::sync::Arc;

use contracts::run::Source;
use graph::NodeResult;

use crate::{
    draft::Draft,
    rag::{self, RagOptions},
    run::Context,
    state::DataState,
};

const DISABLED: &str = "Questions about documents are turned off here: ENABLE_RAG_AGENT is false. I can still answer questions about the data.";

/// Answers from documents.
pub(crate) async fn rag_agent(state: Arc<DataState>, context: Context) -> NodeResult<DataState> {
    let draft = Draft::new(&state, context);
    let options = draft.settings();
    if !options.rag_enabled {
        draft.node.account().worded_by(Source::Rules);
        draft.node.say_in_step(DISABLED).await;
        return Ok(draft.finished());
    }
    let rag = RagOptions {
        passages: options.passages,
        model: options.model_wording,
        patience: options.wording_timeout,
        max_context_tokens: options.max_context_tokens,
        ..RagOptions::default()
    };
    rag::answer_from_documents(
        &draft.node,
        &draft.work.asked.question,
        &rag,
        draft.node.run().now,
    )
    .await;
    Ok(draft.finished())
}
