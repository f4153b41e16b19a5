//! Free chat: with a model, which calls the tools until it answers, and without one a single tool
//! that the question's words choose.
//!
//! The rules take over wherever the model fails: they report what it has found out by then, or
//! begin from the question.

mod asked;
mod best;
mod by_contract;
mod cards;
mod coming;
mod model;
mod power_now;
mod replies;
mod results;
mod rules;
mod silent;

use contracts::run::Source;

pub(crate) use model::{ModelChat, model_chat};
pub(crate) use rules::free_chat;

use crate::{
    graph::MODEL_CHAT,
    language::{Flow, Question, question},
    run::Run,
};

/// The node that answers a request: the model's, if there is one. The answer to a question of the
/// rules is the rules', and what the assistant can do is known without a model.
pub(crate) fn entry(run: &Run, request: &str, continued: Option<Source>) -> &'static str {
    let is_models = run.model().is_some()
        && continued != Some(Source::Rules)
        && !matches!(question(request), Question::Help | Question::Definition);
    if is_models {
        MODEL_CHAT
    } else {
        Flow::FreeChat.as_str()
    }
}
