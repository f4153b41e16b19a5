//! Asking the model.

use std::sync::Arc;

use agent_kit::{End, Heard, OnUnsupported, Words, listen, model_failed, model_stopped, warn_once};
use contracts::run::Source;
use graph::{Context, NodeResult};
use llm::FinishReason;

use super::dialogue::{Dialogue, Next};
use crate::{
    flows::LAST_STEP,
    sentences,
    stage::Stage,
    state::{Finding, SiteState, SiteUpdate},
};

/// Asks the model once, and lets its words through as they come.
pub(super) async fn call_model(
    state: Arc<SiteState>,
    context: Context<SiteState>,
) -> NodeResult<SiteState> {
    let mut stage = Stage::new(&state, context)?;
    let begun = match state.work.dialogue.as_deref() {
        Some(dialogue) => Some(dialogue.clone()),
        None => Dialogue::begin(&state, &stage).await,
    };
    let Some(mut dialogue) = begun else {
        stage.update(Finding::Next(Next::Rules));
        return Ok(stage.done());
    };
    let options = stage.turn().options();
    let last = dialogue.steps >= options.max_steps || dialogue.calls >= options.max_calls;
    if last {
        stage
            .warn("model_limited", sentences::LOOKED_LONG_ENOUGH)
            .await;
    }
    stage.begin_step().await;
    let mut words = Words::default();
    let heard = listen(
        &stage,
        &mut words,
        dialogue.request(last),
        &dialogue.known,
        OnUnsupported::LeaveOut,
        None,
    )
    .await;
    dialogue.steps += 1;
    dialogue.ends_in_text = !words.said().is_empty();
    dialogue.said.push_str(words.said());
    dialogue.said.push('\n');
    let next = if !last && !heard.message.calls.is_empty() {
        // The step stays open for the calls.
        stage.end_words(words).await;
        dialogue.ends_in_text = false;
        dialogue.take(heard.message, || stage.turn().new_id("asked"));
        Next::Tools
    } else {
        end(&mut stage, words, heard, &dialogue).await
    };
    match next {
        Next::Results => {
            stage.turn().account().worded_by(Source::Rules);
            stage.update(Finding::Replies(dialogue.replies()));
        }
        Next::Rules => stage.turn().account().worded_by(Source::Rules),
        Next::Over => {
            stage.turn().account().worded_by(Source::Model);
            stage.update(SiteUpdate::Step(LAST_STEP));
            stage.update(SiteUpdate::RecoveryAttempts(0));
        }
        Next::Model | Next::Tools => stage.update(SiteUpdate::Step(1)),
    }
    stage.update(Finding::Dialogue(Box::new(dialogue)));
    stage.update(Finding::Next(next));
    Ok(stage.done())
}

/// Ends an answer without calls: with its words, or by handing over to the rules.
///
/// An answer of which sentences were left out says so. What was left out before calls is not
/// missed: it announces, it does not answer.
async fn end(stage: &mut Stage, mut words: Words, heard: Heard, dialogue: &Dialogue) -> Next {
    let begun = !words.said().is_empty();
    let spoke = heard.sentences > 0;
    let whole = match &heard.end {
        End::Finished(FinishReason::Stop | FinishReason::ToolCalls) => true,
        End::Finished(reason) if spoke => {
            let cut = *reason == FinishReason::Length;
            if cut {
                stage.turn().account().cut();
            } else {
                stage.turn().account().break_off();
            }
            let text = if cut {
                sentences::ANSWER_CUT
            } else {
                sentences::REST_HELD_BACK
            };
            stage.warn("model_limited", text).await;
            true
        }
        End::Finished(_) | End::Stopped | End::Failed(_) => false,
    };
    if spoke && whole && heard.left_out > 0 {
        stage.write(&mut words, "\n\n").await;
        let note = sentences::left_out(heard.left_out);
        stage.write(&mut words, &note).await;
    }
    stage.end_words(words).await;
    stage.end_step().await;
    if spoke && whole {
        return Next::Over;
    }
    match &heard.end {
        _ if begun => model_stopped(stage, &heard).await,
        End::Failed(error) => model_failed(stage, error).await,
        _ => warn_once(stage).await,
    }
    if dialogue.replies().is_empty() {
        Next::Rules
    } else {
        Next::Results
    }
}
