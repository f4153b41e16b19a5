//! Answering without a model: the person's inventory by template, documents by quotation.

use std::{fmt::Write as _, sync::Arc};

use agent_kit::passages::{Passages, citations, source_list};
use contracts::{
    run::{Channel, RunEvent, Source},
    tools::{ToolDefinition, knowledge::KnowledgeResults},
};
use graph::NodeResult;
use serde_json::json;

use crate::{
    inventory,
    run::{Context, Node, access},
    state::{AdvisorState, AdvisorUpdate},
};

/// Said when neither documents nor records have anything.
const NOTHING: &str = "I found nothing about that in your documents.";

/// Answers with what was found already, or looks for it.
pub(crate) async fn answer_by_rules(
    _: Arc<AdvisorState>,
    context: Context,
) -> NodeResult<AdvisorState> {
    let node = Node::from(context);
    let run = node.run();
    node.account().worded_by(Source::Rules);
    let question = run.message.words();
    // What a model has found already.
    let found = run.assistant.found.get();
    let found = found.filter(|passages| !passages.is_empty());
    let tools = &access(run).await.tools;
    if is_greeting(&question) {
        node.say_in_step(&greeting(tools)).await;
        return Ok(node.done());
    }
    let records = inventory::answer(&node, tools).await;
    let wants_documents = records.as_ref().is_none_or(|records| records.and_documents);
    let told = records.map(|records| records.text);
    if !wants_documents {
        node.say_in_step(told.as_deref().unwrap_or(NOTHING)).await;
        return Ok(node.done());
    }
    let passages = match found {
        Some(found) => Ok(found.clone()),
        None => search(&node, tools).await,
    };
    match passages {
        Ok(passages) if passages.is_empty() => {
            let text = told.unwrap_or_else(|| NOTHING.to_owned());
            node.say_in_step(&text).await;
        }
        Ok(passages) => quote(&node, &passages, told).await,
        Err(why) => {
            let text = [told, Some(why)].into_iter().flatten().collect::<Vec<_>>();
            node.say_in_step(&text.join("\n\n")).await;
        }
    }
    Ok(node.done())
}

/// Looks in the documents; or says why that is not possible.
async fn search(node: &Node, tools: &[ToolDefinition]) -> Result<Passages, String> {
    let run = node.run();
    let tool = &run.assistant.settings.knowledge_tool;
    if !tools.iter().any(|one| one.name == *tool) {
        return Err("Documents cannot be searched at the moment.".to_owned());
    }
    node.begin_step().await;
    let called = node
        .call(tool, &json!({ "query": run.message.words() }))
        .await;
    node.end_step().await;
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
async fn quote(node: &Node, passages: &Passages, records: Option<String>) {
    let run = node.run();
    let question = run.message.words();
    let mut unknown = passages.unknown_names(&question);
    let told = records.as_deref().unwrap_or_default();
    unknown.retain(|name| !told.contains(name.as_str()));
    let quotes = passages.quotes(&question, run.assistant.settings.quotes);
    let is_answered = passages.answer(&question);
    // Beside records, passages that do not answer say nothing.
    let says_nothing = quotes.is_empty() || records.is_some() && !is_answered;
    if says_nothing || Passages::are_of_others(&unknown) {
        let text = records.unwrap_or_else(|| nothing_about(&unknown));
        return node.say_in_step(&text).await;
    }
    let sources = passages.sources(quotes.iter().map(|(number, _)| *number));
    let mut text = records.map(|records| records + "\n\n").unwrap_or_default();
    text.push_str(&introduction(&unknown, is_answered));
    for (number, sentence) in &quotes {
        text.push('\n');
        let _ = writeln!(text, "{}", quoted(*number, sentence));
    }
    text.push('\n');
    text.push_str(&source_list(&sources));
    node.begin_step().await;
    let data = json!(sources);
    node.emit(RunEvent::StructuredData { data }).await;
    node.say(Channel::Final, &text).await;
    node.emit(citations(&sources)).await;
    node.end_step().await;
    node.update(AdvisorUpdate::Sources(sources));
}

/// The words before the quotations.
fn introduction(unknown: &[String], is_answered: bool) -> String {
    match (unknown.is_empty(), is_answered) {
        (true, true) => "Your documents say:\n".to_owned(),
        (true, false) => {
            "Your documents do not answer this. The nearest passages are:\n".to_owned()
        }
        (false, true) => format!(
            "{} On the rest of your question, they say:\n",
            nothing_about(unknown)
        ),
        (false, false) => format!("{} The nearest passages are:\n", nothing_about(unknown)),
    }
}

/// A quote with the number of its passage.
pub(super) fn quoted(number: usize, sentence: &str) -> String {
    let sentence = sentence.trim_matches(['|', ' ']);
    format!("\u{201c}{sentence}\u{201d} [{number}]")
}

/// The sentence that the documents have nothing about these names.
pub(super) fn nothing_about(names: &[String]) -> String {
    if names.is_empty() {
        return NOTHING.to_owned();
    }
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("\u{201c}{name}\u{201d}"))
        .collect();
    format!(
        "I found nothing about {} in your documents.",
        names.join(" or ")
    )
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

fn greeting(tools: &[ToolDefinition]) -> String {
    let mut text = "Hello. I answer from your documents, and I quote where I found it.".to_owned();
    if inventory::is_offered(tools) {
        text.push_str(
            " I can also read your emission inventories: ask \u{201c}Which inventories do I have?\u{201d} or for one of your cities.",
        );
    }
    text
}
