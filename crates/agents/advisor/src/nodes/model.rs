//! Asking the model.

use std::sync::Arc;

use agent_kit::{
    End, OnUnsupported, Stage, Transient, Words, listen, model_ended, model_failed, model_stopped,
    passages::{Source as Reference, citations, source_list},
    warn_once,
};
use contracts::run::{RunEvent, Source};
use graph::{Command, Context, NodeError, NodeResult};
use serde_json::json;

use crate::{
    dialogue::Dialogue,
    state::{AdvisorState, Change, Next},
};

/// Asks the model once, and lets its words through as they come.
pub(crate) async fn ask_model(
    state: Arc<AdvisorState>,
    context: Context<AdvisorState>,
) -> NodeResult<AdvisorState> {
    let turn = state.turn()?;
    let stage = Stage::new(context, Arc::clone(&turn.performance));
    let dialogue = state.work.dialogue.as_deref();
    let mut dialogue = dialogue
        .ok_or_else(|| NodeError::permanent("there is no dialogue"))?
        .clone();
    let last = dialogue.steps >= turn.options.max_steps || dialogue.calls >= turn.options.max_calls;
    stage.begin_step().await;
    show_passages(&stage, &mut dialogue).await;
    let mut words = Words::default();
    let known = Arc::clone(&dialogue.known);
    let heard = listen(
        &stage,
        &mut words,
        dialogue.request(last),
        &known,
        OnUnsupported::LeaveOut,
        None,
    )
    .await;
    dialogue.steps += 1;
    dialogue.left_out += heard.left_out;
    if !last && heard.is_whole() && !heard.message.calls.is_empty() {
        // The step stays open for the calls.
        stage.end_words(words).await;
        dialogue.take(heard.message, || stage.performance().new_id("asked"));
        return Ok(go(dialogue, Next::Tools));
    }
    let account = stage.performance().account();
    account.worded_by(Source::Model);
    if heard.sentences == 0 {
        match &heard.end {
            _ if !words.said().is_empty() => model_stopped(&stage, &heard).await,
            End::Failed(error) => model_failed(&stage, error).await,
            _ => warn_once(&stage).await,
        }
        stage.end_words(words).await;
        stage.end_step().await;
        account.worded_by(Source::Rules);
        return Ok(go(dialogue, Next::Rules));
    }
    model_ended(&stage, &heard).await;
    let sources = conclude(&stage, &mut words, &dialogue).await;
    stage.end_words(words).await;
    if !sources.is_empty() {
        stage.emit(citations(&sources)).await;
    }
    stage.end_step().await;
    let mut command = go(dialogue, Next::Over);
    command.updates.push(Change::Sources(sources).into());
    Ok(command)
}

/// Clients that show sources beside the text get them before it.
async fn show_passages(stage: &Stage<AdvisorState>, dialogue: &mut Dialogue) {
    if dialogue.passages.len() > dialogue.shown {
        dialogue.shown = dialogue.passages.len();
        let sources = dialogue.passages.sources(1..=dialogue.shown);
        let data = json!(sources);
        stage.emit(RunEvent::StructuredData { data }).await;
    }
}

/// Ends an answer with what it rests on: the passages that it cites, or all that it was given when it cites none.
async fn conclude(
    stage: &Stage<AdvisorState>,
    words: &mut Words,
    dialogue: &Dialogue,
) -> Vec<Reference> {
    if dialogue.left_out > 0 {
        let note = "\n\n(I left out what I could not verify in the sources.)";
        stage.write(words, note).await;
    }
    let sources = dialogue.passages.sources_of(words.said());
    if !sources.is_empty() {
        stage.write(words, "\n\n").await;
        stage.write(words, &source_list(&sources)).await;
    }
    sources
}

fn go(dialogue: Dialogue, next: Next) -> Command<AdvisorState> {
    Command::updates([
        Change::Dialogue(Transient(Some(Arc::new(dialogue)))).into(),
        Change::Next(next).into(),
    ])
}
