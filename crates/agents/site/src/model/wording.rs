//! A workflow's answer in a model's words, which name their facts by reference.
//!
//! The rules' text is always made first. Its sentences are facts that the model may say, and some
//! of them have to be said: what the model leaves out comes before its words. Where nothing that it
//! says is on the facts, the rules' text is the answer. Where a sentence was left out, or the model
//! did not come to its end, the rules' text follows as far as it holds figures that have not been
//! said, and its last sentence, the next step, with them. So the answer is never emptier than
//! without a model.

use agent_kit::{
    Words, complete,
    facts::{FactGate, FactRegistry, Subject},
    listen, model_stopped, model_unusable,
    prose::remainder,
};
use chrono::NaiveDate;
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
    let (mut registry, told) = registry(facts, template, node.run().assistant.today());
    let request = request(&told, &mut registry, preferences);
    let patience = Some(node.run().assistant.settings.narrative_timeout);
    let mut gate = FactGate::new(&registry);
    let mut heard = listen(node, words, request, &mut gate, patience).await;
    if heard.sentences == 0 {
        model_unusable(node, &heard).await;
        say(node, words, &template.text).await;
        return;
    }
    complete(node, words, &mut heard).await;
    node.account().worded_by(Source::Model);
    if heard.is_whole() && heard.left_out == 0 {
        return;
    }
    let rest = remainder(&template.text, words.said());
    if !heard.is_whole() || !rest.is_empty() {
        model_stopped(node, &heard).await;
    }
    say(node, words, &rest).await;
}

async fn say(node: &Node, words: &mut Words, text: &str) {
    if !text.is_empty() {
        node.write(words, " ").await;
        node.write(words, text).await;
    }
}

/// The facts by reference, and the same for the model.
fn registry(
    facts: &Facts<'_>,
    template: &Narrative,
    today: Option<NaiveDate>,
) -> (FactRegistry, Value) {
    let mut registry = FactRegistry::default();
    if let Some(today) = today {
        registry.know_today(today);
    }
    let (told, _) = summary::for_model(&facts.to_value());
    let told = registry.annotate(&told);
    if let Facts::Briefing {
        overview,
        previous: Some(previous),
        ..
    } = facts
    {
        let change = previous.change_to(overview).points;
        registry.trend(Subject::Whole, "online share", change);
    }
    for sentence in &template.must {
        registry.must_say(sentence);
    }
    registry.state(&template.text);
    (registry, told)
}

fn request(facts: &Value, registry: &mut FactRegistry, preferences: Preferences) -> ChatRequest {
    let question = json!({ "facts": facts, "sentences": registry.new_sentences() }).to_string();
    ChatRequest {
        system: Some(prompt::narrative(preferences).into()),
        messages: [Message::user(question)].into(),
        ..ChatRequest::default()
    }
}
