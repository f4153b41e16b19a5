//! The model answers, with the tools that it calls.

use std::sync::Arc;

use agent_kit::{
    Asked, Heard, Unusable, Words,
    citations::CitedSentences,
    model_ended, model_idle, model_stopped, model_unusable,
    passages::{Passages, Source as Reference, citations, source_list},
    prose, warn_once,
};
use contracts::run::Source;
use graph::{Command, END, NodeResult};

use super::rules;
use crate::{
    graph::RULES,
    inventory,
    reading::Reading,
    run::{Context, Node, access, tool_loop},
    state::{AdvisorState, AdvisorUpdate},
};

/// Lets the model call tools until it answers; its words go out as they come. Where it fails, the
/// rules continue with what it found.
pub(crate) async fn ask_model(_: Arc<AdvisorState>, context: Context) -> NodeResult<AdvisorState> {
    let node = Node::from(context);
    let run = node.run();
    // They quote what the documents say, and read the records.
    node.rules_have_answer();
    let mut tool_loop = tool_loop(run, access(run).await);
    let mut reading = Reading::new(run.assistant.settings.max_result_bytes);
    let (mut words, heard) = loop {
        node.begin_step().await;
        reading.show_new_passages(&node).await;
        let question = run.message.words();
        let mut cited = CitedSentences::new(&question, &reading.passages, &reading.records);
        let unknown = reading.passages.unknown_names(&question);
        if Passages::are_of_others(&unknown) && reading.records.is_empty() {
            cited = cited.about_something_else();
        }
        let cited = cited.beside_rules(inventory::is_asked(&question));
        let mut words = Words::default().filtered_by(cited);
        match tool_loop.ask(&node, &mut words, &reading).await {
            Asked::Calls(calls) => {
                node.end_words(words).await;
                tool_loop.make_calls(&node, &calls, &mut reading).await;
                node.end_step().await;
            }
            Asked::Ended(heard) => break (words, heard),
        }
    };
    let unread = inventory::is_own(&run.message.words())
        && inventory::is_offered(&access(run).await.tools)
        && reading.records.is_empty();
    let is_idle = heard.answers_nothing(&run.message.words());
    if heard.sentences == 0 || unread || is_idle {
        hand_over(&node, words, &heard, is_idle).await;
        // The node runs once in a run.
        let _ = run.assistant.found.set(reading.passages);
        return Ok(Command::goto(RULES));
    }
    node.account().worded_by(Source::Model);
    model_ended(&node, &heard).await;
    let unsaid = unsaid(&node, &words, &reading);
    let sources = conclude(&node, &mut words, tool_loop.left_out(), &unsaid, &reading).await;
    node.end_words(words).await;
    if !sources.is_empty() {
        node.emit(citations(&sources)).await;
    }
    node.end_step().await;
    node.update(AdvisorUpdate::Sources(sources));
    Ok(node.done().then_goto(END))
}

/// Ends an answer of which no sentence came to its end, or that is not of the records that were
/// asked about; the rules answer below it.
async fn hand_over(node: &Node, words: Words, heard: &Heard, is_idle: bool) {
    if words.said().is_empty() {
        model_unusable(node, heard).await;
    } else if is_idle && heard.is_whole() {
        model_idle(node).await;
    } else if heard.sentences > 0 && heard.is_whole() {
        let reason = "The language model did not read your own records";
        warn_once(node, Unusable::Because(reason)).await;
    } else {
        model_stopped(node, heard).await;
    }
    node.end_words(words).await;
    node.end_step().await;
    node.account().worded_by(Source::Rules);
}

/// The rules' text on the records that were read, where the model leaves some of it out.
fn unsaid(node: &Node, words: &Words, reading: &Reading) -> String {
    let run = node.run();
    let own = run.context.inventory_id();
    let plain = inventory::of_records(&run.message.words(), own, &reading.records);
    let plain = plain.filter(|plain| !prose::remainder(plain, words.said()).is_empty());
    plain.unwrap_or_default()
}

/// Ends an answer with what it leaves out of the records, and with what it rests on: the passages
/// that it cites.
async fn conclude(
    node: &Node,
    words: &mut Words,
    left_out: u32,
    unsaid: &str,
    reading: &Reading,
) -> Vec<Reference> {
    if !unsaid.is_empty() {
        node.write(words, "\n\n").await;
        node.write(words, unsaid).await;
    }
    let question = node.run().message.words();
    let unknown = reading.passages.unknown_names(&question);
    let is_on_documents = reading.records.is_empty() && !Passages::are_of_others(&unknown);
    let most = node.run().assistant.settings.quotes;
    let unquoted = reading.passages.unsaid(&question, most, words.said());
    if is_on_documents && !unquoted.is_empty() {
        let quotes = unquoted
            .iter()
            .map(|(number, quote)| rules::quoted(*number, quote));
        let quotes: Vec<String> = quotes.collect();
        let note = "\n\nYour documents also say:\n\n";
        node.write(words, &format!("{note}{}", quotes.join("\n\n")))
            .await;
    }
    if left_out > 0 {
        let note = "\n\n(I left out what I could not verify in the sources.)";
        node.write(words, note).await;
    }
    let sources = reading.passages.sources_of(words.said());
    if !sources.is_empty() && !unknown.is_empty() && reading.records.is_empty() {
        let note = rules::nothing_about(&unknown);
        node.write(words, &format!("\n\n({note})")).await;
    }
    if !sources.is_empty() {
        node.write(words, "\n\n").await;
        node.write(words, &source_list(&sources)).await;
    }
    sources
}
