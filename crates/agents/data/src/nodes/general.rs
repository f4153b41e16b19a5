//! The route `general`: the model answers on its own; without one the assistant says what it can
//! do.

use std::sync::Arc;

use agent_kit::{
    End, OnUnsupported, PastMessage, Words, figures::Known, history, listen, model_ended,
    model_failed,
};
use contracts::run::{Channel, Source};
use graph::NodeResult;
use llm::{ChatRequest, Message};

use crate::{
    draft::Draft,
    language::phrases,
    prompt,
    run::Context,
    sentences,
    state::{DataState, Task},
};

const PROMPT: &str = include_str!("../../prompts/general.md");

/// Answers from what the model knows.
pub(crate) async fn general_agent(
    state: Arc<DataState>,
    context: Context,
) -> NodeResult<DataState> {
    let draft = Draft::new(&state, context);
    let account = draft.node.account();
    account.worded_by(Source::Rules);
    if draft.work.asked.task == Task::NothingOpen {
        draft.node.say_in_step(sentences::NOTHING_OPEN).await;
        return Ok(draft.finished());
    }
    let abilities = sentences::abilities(&draft.found, draft.settings());
    if !draft.node.has_model() || phrases::asks_what_can_be_asked(&draft.work.asked.question) {
        draft.node.say_in_step(&abilities).await;
        return Ok(draft.finished());
    }
    draft.node.begin_step().await;
    let mut words = Words::on(Channel::Final);
    account.worded_by(Source::Model);
    let heard = listen(
        &draft.node,
        &mut words,
        request(&draft),
        &Known::default(),
        OnUnsupported::LetThrough,
        Some(draft.settings().wording_timeout),
    )
    .await;
    if words.said().is_empty() {
        if let End::Failed(error) = &heard.end {
            model_failed(&draft.node, error).await;
        }
        account.worded_by(Source::Rules);
        draft.node.write(&mut words, &abilities).await;
    } else {
        model_ended(&draft.node, &heard).await;
    }
    draft.node.end_words(words).await;
    draft.node.end_step().await;
    Ok(draft.finished())
}

/// The conversation in words, as much as there is room for, the newest part of it.
fn request(draft: &Draft) -> ChatRequest {
    let system = prompt::dated(PROMPT, draft.node.run());
    let question = &draft.work.asked.question;
    let room = draft.settings().max_context_tokens;
    let mut used = prompt::tokens(&system) + prompt::tokens(question);
    let past = &draft.node.run().history;
    let first = past
        .iter()
        .rposition(|message| {
            used += prompt::tokens(&message.text);
            used > room
        })
        .map_or(0, |at| at + 1);
    let past: Vec<PastMessage> = past[first..]
        .iter()
        .map(|message| PastMessage {
            calls: Vec::new(),
            ..message.clone()
        })
        .collect();
    let mut messages: Vec<Message> = history::messages(
        &past,
        |_| false,
        |_| history::Told {
            output: serde_json::Value::Null,
            ok: true,
        },
    );
    messages.push(Message::user(question.as_str()));
    ChatRequest {
        system: Some(system.into()),
        messages: messages.into(),
        ..ChatRequest::default()
    }
}
