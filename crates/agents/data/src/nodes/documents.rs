//! The route `rag`: an answer from the documents.

use std::sync::Arc;

use contracts::run::Source;
use graph::{Context, NodeResult};

use crate::{
    rag::{self, RagOptions},
    scene::Scene,
    state::DataState,
};

const DISABLED: &str = "Questions about documents are turned off here: ENABLE_RAG_AGENT is false. I can still answer questions about the data.";

/// Answers from documents.
pub(crate) async fn rag_agent(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let scene = Scene::new(&state, context)?;
    let options = scene.options();
    if !options.rag_enabled {
        scene.performance().account().worded_by(Source::Rules);
        scene.say_in_step(DISABLED).await;
        return Ok(scene.finished());
    }
    let rag = RagOptions {
        passages: options.passages,
        model: options.model_wording,
        patience: options.wording_timeout,
        max_context_tokens: options.max_context_tokens,
        ..RagOptions::default()
    };
    rag::answer_from_documents(scene.stage(), &scene.work.question, &rag, scene.turn.now).await;
    Ok(scene.finished())
}
