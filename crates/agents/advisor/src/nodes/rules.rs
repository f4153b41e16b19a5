//! Answering without a model: the person's inventory by template, documents by quotation.

use std::{fmt::Write as _, sync::Arc};

use agent_kit::{
    Stage,
    passages::{Passages, citations, source_list},
};
use contracts::{
    run::{Channel, RunEvent, Source},
    tools::knowledge::KnowledgeResults,
};
use graph::{Command, Context, NodeResult};
use serde_json::json;

use crate::{
    inventory,
    state::{AdvisorState, Change},
    turn::Turn,
};

/// Said when neither documents nor records have anything.
const NOTHING: &str = "I found nothing about that in your documents.";

/// Answers with what was found already, or looks for it.
pub(crate) async fn rules(
    state: Arc<AdvisorState>,
    context: Context<AdvisorState>,
) -> NodeResult<AdvisorState> {
    let turn = state.turn()?;
    let stage = Stage::new(context, Arc::clone(&turn.performance));
    stage.performance().account().worded_by(Source::Rules);
    let found = state
        .work
        .dialogue
        .as_ref()
        .map(|dialogue| Arc::clone(&dialogue.passages))
        .filter(|passages| !passages.is_empty());
    if let Some(passages) = found {
        return Ok(quote(&stage, &turn, &passages, None).await);
    }
    if is_greeting(&turn.message) {
        stage.say_in_step(&greeting(&state)).await;
        return Ok(Command::updates([]));
    }
    let records = inventory::answer(&stage, &turn, &state.work.tools).await;
    let wants_documents = records.as_ref().is_none_or(|records| records.and_documents);
    let told = records.map(|records| records.text);
    if !wants_documents {
        stage.say_in_step(told.as_deref().unwrap_or(NOTHING)).await;
        return Ok(Command::updates([]));
    }
    match search(&stage, &turn, &state).await {
        Ok(passages) if passages.is_empty() => {
            let text = told.unwrap_or_else(|| NOTHING.to_owned());
            stage.say_in_step(&text).await;
            Ok(Command::updates([]))
        }
        Ok(passages) => Ok(quote(&stage, &turn, &passages, told).await),
        Err(why) => {
            let text = [told, Some(why)].into_iter().flatten().collect::<Vec<_>>();
            stage.say_in_step(&text.join("\n\n")).await;
            Ok(Command::updates([]))
        }
    }
}

/// Looks in the documents; or says why that is not possible.
async fn search(
    stage: &Stage<AdvisorState>,
    turn: &Turn,
    state: &AdvisorState,
) -> Result<Passages, String> {
    let tool = &turn.options.knowledge_tool;
    if !state.work.tools.iter().any(|one| one.name == *tool) {
        return Err("Documents can not be searched at the moment.".to_owned());
    }
    stage.begin_step().await;
    let called = stage.call(tool, &json!({ "query": turn.message })).await;
    stage.end_step().await;
    let Some(results) = called.result::<KnowledgeResults>() else {
        return Err(called.message().to_owned());
    };
    if results.reason.as_deref() == Some("no_documents") {
        return Err("There are no documents yet. Ingest some with `heliograph knowledge ingest`, or send them to `/api/documents`.".to_owned());
    }
    let mut passages = Passages::default();
    passages.add(results.results);
    Ok(passages)
}

/// Quotes the sentences that answer best, below what the records say.
async fn quote(
    stage: &Stage<AdvisorState>,
    turn: &Turn,
    passages: &Passages,
    records: Option<String>,
) -> Command<AdvisorState> {
    let quotes = passages.quotes(&turn.message, turn.options.quotes);
    let sources = passages.sources(quotes.iter().map(|(number, _)| *number));
    let mut text = records.map(|records| records + "\n\n").unwrap_or_default();
    text.push_str("Your documents say:\n");
    for (number, sentence) in &quotes {
        text.push_str("\n\u{201c}");
        text.push_str(sentence.trim_matches(['|', ' ']));
        let _ = writeln!(text, "\u{201d} [{number}]");
    }
    text.push('\n');
    text.push_str(&source_list(&sources));
    stage.begin_step().await;
    let data = json!(sources);
    stage.emit(RunEvent::StructuredData { data }).await;
    stage.say(Channel::Final, &text).await;
    stage.emit(citations(&sources)).await;
    stage.end_step().await;
    Command::updates([Change::Sources(sources).into()])
}

fn is_greeting(message: &str) -> bool {
    let text = message.to_lowercase();
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    [
        "hi",
        "hello",
        "hey",
        "good morning",
        "good afternoon",
        "good evening",
        "help",
        "what can you do",
        "thanks",
        "thank you",
    ]
    .contains(&text)
}

fn greeting(state: &AdvisorState) -> String {
    let mut text = "Hello. I answer from your documents, and I quote where I found it.".to_owned();
    if inventory::is_offered(&state.work.tools) {
        text.push_str(
            " I can also read your emission inventories: ask \u{201c}Which inventories do I have?\u{201d} or for one of your cities.",
        );
    }
    text
}
