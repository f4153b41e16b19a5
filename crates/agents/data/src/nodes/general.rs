//! The route `general`: the model answers by itself; without one the assistant says what it can do.

use std::sync::Arc;

use agent_kit::{
    End, OnUnsupported, PastMessage, Words, figures::Known, history, listen, model_ended,
    model_failed,
};
use contracts::run::{Channel, Source};
use graph::{Context, NodeResult};
use llm::{ChatRequest, Message};

use crate::{
    language::phrases,
    prompt,
    scene::Scene,
    sentences,
    state::{DataState, Task},
};

const PROMPT: &str = include_str!("../../prompts/general.md");

/// Answers from what the model knows.
pub(crate) async fn general_agent(
    state: Arc<DataState>,
    context: Context<DataState>,
) -> NodeResult<DataState> {
    let scene = Scene::new(&state, context)?;
    let account = scene.performance().account();
    account.worded_by(Source::Rules);
    if scene.work.task == Task::NothingOpen {
        scene.say_in_step(sentences::NOTHING_OPEN).await;
        return Ok(scene.finished());
    }
    let abilities = sentences::abilities(&scene.work, scene.options());
    if !scene.has_model() || phrases::asks_what_can_be_asked(&scene.work.question) {
        scene.say_in_step(&abilities).await;
        return Ok(scene.finished());
    }
    scene.begin_step().await;
    let mut words = Words::on(Channel::Final);
    account.worded_by(Source::Model);
    let heard = listen(
        scene.stage(),
        &mut words,
        request(&scene),
        &Known::default(),
        OnUnsupported::LetThrough,
        Some(scene.options().wording_timeout),
    )
    .await;
    if words.said().is_empty() {
        if let End::Failed(error) = &heard.end {
            model_failed(scene.stage(), error).await;
        }
        account.worded_by(Source::Rules);
        scene.write(&mut words, &abilities).await;
    } else {
        model_ended(scene.stage(), &heard).await;
    }
    scene.end_words(words).await;
    scene.end_step().await;
    Ok(scene.finished())
}

/// The conversation in words, as much as there is room for, the newest part of it.
fn request(scene: &Scene) -> ChatRequest {
    let system = prompt::dated(PROMPT, &scene.turn);
    let question = &scene.work.question;
    let room = scene.options().max_context_tokens;
    let mut used = prompt::tokens(&system) + prompt::tokens(question);
    let past = &scene.turn.history;
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
