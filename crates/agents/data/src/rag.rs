//! An answer from documents, and from nothing else: for any assistant whose graph speaks
//! [`RunEvent`]s.
//!
//! The passages are looked up, a model words an answer with their numbers in brackets, and the
//! sources are listed below it. Without a model, or when it says nothing that can be used, the
//! sentences that fit best are quoted. Where nothing is found, no model is asked.

use std::fmt::Write;
use std::time::Duration;

use agent_kit::{
    FigureGate, NodeContext, ThreadState, Words,
    citations::CitedSentences,
    figures::Known,
    listen, model_ended, model_idle, model_stopped, model_unusable,
    passages::{Passages, Source as Reference, citations, source_list},
};
use chrono::{DateTime, Datelike, Utc};
use contracts::{
    run::{Channel, RunEvent, Source},
    tools::{
        ToolStatus,
        knowledge::{KnowledgeMatch, KnowledgeResults, KnowledgeSearchArguments, names},
    },
};
use llm::ResponseFormat;
use serde_json::json;

use crate::prompt::{self, Detail};

const PROMPT: &str = include_str!("../prompts/rag.md");

const NOTHING_FOUND: &str = "The documents say nothing about that, as far as I can find. Try other words, or ask a person who knows.";
const NO_DOCUMENTS: &str = "There are no documents that I could look this up in yet. They are added with POST /api/documents.";

/// Said below an answer of which something was left out.
const LEFT_OUT: &str = "\n\n(I left out what I could not verify in the documents.)";

/// Sentences that are quoted without a model.
const QUOTED: usize = 3;
/// The longest question that can be searched for, in bytes.
const LONGEST: usize = 16_384;

/// How documents are asked.
#[derive(Debug, Clone, PartialEq)]
pub struct RagOptions {
    /// Passages that the answer rests on.
    pub passages: u32,
    /// Only in these collections; all of the tenant when empty.
    pub collections: Vec<String>,
    /// Whether a model words the answer, if there is one.
    pub model: bool,
    /// Time limit for the model.
    pub patience: Duration,
    /// Maximum number of tokens of the request to the model.
    pub max_context_tokens: usize,
}

impl Default for RagOptions {
    fn default() -> Self {
        Self {
            passages: 5,
            collections: Vec::new(),
            model: true,
            patience: Duration::from_mins(1),
            max_context_tokens: 120_000,
        }
    }
}

/// Looks the question up and answers it: a step with the call, and a step with the text, before
/// which the sources come as structured data. Returns the passages that the answer uses; none when
/// nothing was found or the service failed, which the text says then.
pub async fn answer_from_documents<S: ThreadState, R>(
    stage: &NodeContext<S, R>,
    question: &str,
    options: &RagOptions,
    now: DateTime<Utc>,
) -> Vec<KnowledgeMatch> {
    let end = (0..=question.len().min(LONGEST)).rfind(|at| question.is_char_boundary(*at));
    let arguments = KnowledgeSearchArguments {
        query: question[..end.unwrap_or_default()].to_owned(),
        top_k: Some(options.passages.max(1)),
        collections: options.collections.clone(),
        ..KnowledgeSearchArguments::default()
    };
    stage.hint("Looking into the documents").await;
    stage.begin_step().await;
    let called = stage.call(names::KNOWLEDGE_SEARCH, &arguments).await;
    stage.end_step().await;
    let account = stage.services().account();
    let Some(found) = called.any_result::<KnowledgeResults>() else {
        account.worded_by(Source::Rules);
        let failed = called.error.is_some() || called.envelope.status == ToolStatus::Error;
        let text = if failed {
            format!("I can't look that up right now. {}", called.message())
        } else {
            NOTHING_FOUND.to_owned()
        };
        stage.say_in_step(&text).await;
        return Vec::new();
    };
    if found.results.is_empty() {
        account.worded_by(Source::Rules);
        let nothing = match found.reason.as_deref() {
            Some("no_documents") => NO_DOCUMENTS,
            _ => NOTHING_FOUND,
        };
        stage.say_in_step(nothing).await;
        return Vec::new();
    }
    let mut passages = Passages::default();
    passages.add(found.results.iter().cloned());
    tell(stage, question, &passages, options, now).await;
    found.results
}

async fn tell<S: ThreadState, R>(
    stage: &NodeContext<S, R>,
    question: &str,
    passages: &Passages,
    options: &RagOptions,
    now: DateTime<Utc>,
) {
    let sources = passages.sources(1..=passages.len());
    stage.begin_step().await;
    stage
        .emit(RunEvent::StructuredData {
            data: serde_json::to_value(sources).unwrap_or_default(),
        })
        .await;
    let cited = CitedSentences::new(question, passages, &[]);
    let mut words = Words::on(Channel::Final).filtered_by(cited);
    let worded = options.model && word(stage, &mut words, question, passages, options, now).await;
    if !worded && !passages.tell_of(question) {
        stage.services().account().worded_by(Source::Rules);
        stage.write(&mut words, NOTHING_FOUND).await;
        stage.end_words(words).await;
        return stage.end_step().await;
    }
    let (text, cited) = if worded {
        let cited = passages.sources_of(words.said());
        (source_list(&cited), cited)
    } else {
        extract(question, passages)
    };
    let source = if worded { Source::Model } else { Source::Rules };
    stage.services().account().worded_by(source);
    if !cited.is_empty() {
        stage.write(&mut words, "\n\n").await;
        stage.write(&mut words, &text).await;
    }
    stage.end_words(words).await;
    if !cited.is_empty() {
        stage.emit(citations(&cited)).await;
    }
    stage.end_step().await;
}

/// The model's answer; `false` when no sentence of it was said.
async fn word<S: ThreadState, R>(
    stage: &NodeContext<S, R>,
    words: &mut Words,
    question: &str,
    passages: &Passages,
    options: &RagOptions,
    now: DateTime<Utc>,
) -> bool {
    if stage.services().model().is_none() {
        return false;
    }
    let material = |detail: Detail| {
        let told: Vec<usize> = (1..=detail.of(passages.len())).collect();
        json!({ "question": question, "documents": passages.for_model(&told) })
    };
    let request = prompt::within(
        options.max_context_tokens,
        PROMPT,
        ResponseFormat::Text,
        material,
    );
    let mut known = Known::default();
    for (at, passage) in passages.as_slice().iter().enumerate() {
        known.learn_text(&passage.content, now.year());
        // A citation does not count as a figure.
        known.add(at as f64 + 1.0);
    }
    known.learn_text(question, now.year());
    let heard = listen(
        stage,
        words,
        request,
        &mut FigureGate::new(&known),
        Some(options.patience),
    )
    .await;
    if heard.sentences == 0 {
        if words.said().is_empty() {
            model_unusable(stage, &heard).await;
        } else {
            model_stopped(stage, &heard).await;
        }
        return false;
    }
    if heard.answers_nothing(question) {
        model_idle(stage).await;
        return false;
    }
    model_ended(stage, &heard).await;
    if heard.left_out > 0 {
        stage.write(words, LEFT_OUT).await;
    }
    true
}

/// The best sentences, quoted with the numbers of their passages, and where these stand.
fn extract(question: &str, passages: &Passages) -> (String, Vec<Reference>) {
    let quotes = passages.quotes(question, QUOTED);
    let mut text = if passages.answer(question) {
        String::from("From the documents:")
    } else {
        String::from("Your documents do not answer this. The nearest passages are:")
    };
    for (number, quote) in &quotes {
        let _ = write!(text, "\n- \u{201c}{quote}\u{201d} [{number}]");
    }
    let sources = passages.sources(quotes.iter().map(|(number, _)| *number));
    (format!("{text}\n\n{}", source_list(&sources)), sources)
}
