//! The model answers, with the tools that it calls.

use std::sync::Arc;

use agent_kit::{
    Asked, Heard, Words,
    citations::CitedSentences,
    model_ended, model_stopped, model_unusable,
    passages::{Source as Reference, citations, source_list},
};
use contracts::run::Source;
use graph::{Command, END, NodeResult};

use crate::{
    graph::RULES,
    reading::Reading,
    run::{Context, Node, access, tool_loop},
    state::{AdvisorState, AdvisorUpdate},
};

/// Lets the model call tools until it answers; its words go out as they come. Where it fails, the
/// rules continue with what it found.
pub(crate) async fn ask_model(_: Arc<AdvisorState>, context: Context) -> NodeResult<AdvisorState> {
    let node = Node::from(context);
    let run = node.run();
    let mut tool_loop = tool_loop(run, access(run).await);
    let mut reading = Reading::new(run.assistant.settings.max_result_bytes);
    let (mut words, heard) = loop {
        node.begin_step().await;
        reading.show_new_passages(&node).await;
        let question = run.message.words();
        let cited = CitedSentences::new(&question, &reading.passages, &reading.records);
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
    if heard.sentences == 0 {
        hand_over(&node, words, &heard).await;
        // The node runs once in a run.
        let _ = run.assistant.found.set(reading.passages);
        return Ok(Command::goto(RULES));
    }
    node.account().worded_by(Source::Model);
    model_ended(&node, &heard).await;
    let sources = conclude(&node, &mut words, tool_loop.left_out(), &reading).await;
    node.end_words(words).await;
    if !sources.is_empty() {
        node.emit(citations(&sources)).await;
    }
    node.end_step().await;
    node.update(AdvisorUpdate::Sources(sources));
    Ok(node.done().then_goto(END))
}

/// Ends an answer of which no sentence came to its end; the rules answer below it.
async fn hand_over(node: &Node, words: Words, heard: &Heard) {
    if words.said().is_empty() {
        model_unusable(node, heard).await;
    } else {
        model_stopped(node, heard).await;
    }
    node.end_words(words).await;
    node.end_step().await;
    node.account().worded_by(Source::Rules);
}

/// Ends an answer with what it rests on: the passages that it cites.
async fn conclude(
    node: &Node,
    words: &mut Words,
    left_out: u32,
    reading: &Reading,
) -> Vec<Reference> {
    if left_out > 0 {
        let note = "\n\n(I left out what I could not verify in the sources.)";
        node.write(words, note).await;
    }
    let sources = reading.passages.sources_of(words.said());
    if !sources.is_empty() {
        node.write(words, "\n\n").await;
        node.write(words, &source_list(&sources)).await;
    }
    sources
}
