//! The route `general`: the model answers on its own; without one the assistant says what it can
//! do.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use agent_kit::{
    FigureGate, PastMessage, SentenceFilter, Verdict, Words, figures::Known, history,
    is_other_language, listen, model_ended, model_idle, model_unusable,
};
use chrono::Datelike;
use contracts::run::{Channel, Source};
use graph::NodeResult;
use llm::{ChatRequest, Message};

use crate::{
    draft::Draft,
    language::{claims, phrases},
    prompt,
    run::Context,
    sentences,
    state::{DataState, Task},
};

/// Numbers up to this one do not count as claims: "in two steps".
const FEW: u32 = 12;

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
    let abilities = sentences::abilities(&draft.work, &draft.found, draft.settings());
    if !draft.node.has_model() && is_other_language(&draft.work.asked.question) {
        let english = sentences::only_english(&draft.work, &draft.found);
        draft.node.say_in_step(&english).await;
        return Ok(draft.finished());
    }
    if !draft.node.has_model() || phrases::asks_what_can_be_asked(&draft.work.asked.question) {
        draft.node.say_in_step(&abilities).await;
        return Ok(draft.finished());
    }
    draft.node.begin_step().await;
    let tables: Vec<String> = draft
        .found
        .candidates
        .iter()
        .map(|table| table.name.clone())
        .collect();
    let mut words = Words::on(Channel::Final).filtered_by(GeneralSentences {
        question: draft.work.asked.question.clone(),
        tables,
        begun: AtomicBool::new(false),
    });
    // A general answer names no figures but those of the question, and counts of a few.
    let mut known = Known::default();
    (0..=FEW).for_each(|few| known.add(f64::from(few)));
    known.learn_text(&draft.work.asked.question, draft.node.run().now.year());
    account.worded_by(Source::Model);
    let heard = listen(
        &draft.node,
        &mut words,
        request(&draft),
        &mut FigureGate::new(&known),
        Some(draft.settings().wording_timeout),
    )
    .await;
    if heard.sentences == 0 && words.said().is_empty() {
        model_unusable(&draft.node, &heard).await;
        account.worded_by(Source::Rules);
        draft.node.write(&mut words, &abilities).await;
    } else if heard.answers_nothing(&draft.work.asked.question) {
        model_idle(&draft.node).await;
        draft.node.write(&mut words, " ").await;
        draft.node.write(&mut words, &abilities).await;
    } else {
        model_ended(&draft.node, &heard).await;
    }
    draft.node.end_words(words).await;
    draft.node.end_step().await;
    Ok(draft.finished())
}

/// The limit of a general answer: nothing about the organisation, whose data it has not seen.
struct GeneralSentences {
    question: String,
    tables: Vec<String>,
    /// A sentence was let through.
    begun: AtomicBool,
}

impl SentenceFilter for GeneralSentences {
    fn check(&self, sentence: &str) -> Verdict {
        let tables = self.tables.iter().map(String::as_str);
        let begun = self.begun.load(Ordering::Relaxed);
        if claims::is_general(sentence, &self.question, begun, tables) {
            self.begun.store(true, Ordering::Relaxed);
            Verdict::Pass(sentence.to_owned())
        } else {
            Verdict::LeaveOut
        }
    }
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
