//! A workflow's answer in a model's words, under the rule that every figure in it is one of the
//! facts.
//!
//! The rules' text is always made first; it is what the model is given to reword and what is said
//! in its stead. The model's words go out as they come, each figure checked before. At the first
//! figure that does not hold, at a failure, a time-out or the limit of tokens the model is not
//! listened to any longer: if nothing was said, the rules' text is sent whole, otherwise it follows
//! as far as it holds figures that have not been said, and its last sentence, the next step, with
//! them. So no fact is lost, none is repeated, and nothing is taken back.

use agent_kit::{
    End, OnUnsupported, Words, corrected, listen, model_failed, model_stopped, prose::remainder,
};
use contracts::run::Source;
use llm::{ChatRequest, Message};
use serde_json::{Value, json};

use super::{prompt, summary};
use crate::{
    narrative::{Facts, Narrative, Preferences},
    run::Node,
};

/// Writes the facts in a step of its own, then the remarks.
pub(crate) async fn tell(
    node: &Node,
    facts: &Facts<'_>,
    template: &Narrative,
    preferences: Preferences,
    remarks: &[String],
) {
    node.begin_step().await;
    let mut words = Words::default();
    word(node, &mut words, facts, template, preferences).await;
    for remark in remarks {
        node.write(&mut words, " ").await;
        node.write(&mut words, remark).await;
    }
    node.end_words(words).await;
    node.end_step().await;
}

async fn word(
    node: &Node,
    words: &mut Words,
    facts: &Facts<'_>,
    template: &Narrative,
    preferences: Preferences,
) {
    let (told, _) = summary::for_model(&facts.to_value());
    let mut known = facts.known();
    known.learn_value(&told);
    known.learn(&template.text);
    let request = request(&told, template, preferences);
    let patience = node.run().assistant.settings.narrative_timeout;
    let heard = listen(
        node,
        words,
        request,
        &known,
        OnUnsupported::Stop,
        Some(patience),
    )
    .await;
    node.account().worded_by(Source::Model);
    if heard.is_whole() && !words.said().is_empty() {
        return;
    }
    let rest = if words.said().is_empty() {
        match &heard.end {
            End::Failed(error) => model_failed(node, error).await,
            // It answered, but not with anything that can be used.
            End::Finished(_) | End::Stopped => node.account().worded_by(Source::Rules),
        }
        template.text.clone()
    } else {
        model_stopped(node, &heard).await;
        let rest = if heard.sentences == 0 {
            template.text.clone()
        } else {
            remainder(&template.text, words.said())
        };
        corrected(&heard, rest)
    };
    if !rest.is_empty() {
        node.write(words, " ").await;
        node.write(words, &rest).await;
    }
}

fn request(facts: &Value, template: &Narrative, preferences: Preferences) -> ChatRequest {
    let question = json!({ "facts": facts, "plain": template.text }).to_string();
    ChatRequest {
        system: Some(prompt::narrative(preferences).into()),
        messages: [Message::user(question)].into(),
        ..ChatRequest::default()
    }
}
