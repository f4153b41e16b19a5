//! The whole stack with a model of each provider: scripted servers that speak the providers'
//! interfaces, and refuse what they refuse.

mod chat;
mod faults;
mod flows;
mod resume;
mod secrets;
mod switching;

use contracts::chat::UiMessageChunk;
use contracts::run::Source;
use heliograph::stack::StackConfig;
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Script, Seen, Turn};

use crate::demo_stack::{DemoStack, Reply};

/// A question that the rules answer, too, so that whatever becomes of the model there is a chart.
pub(crate) const CURVE: &str = "power curve of GW-INV-001 on Nov 29";

/// A message that no rule knows.
const UNCLEAR: &str = "Is the thing in the garage still alright?";

#[tokio::test(flavor = "multi_thread")]
async fn gemini_answers() {
    everything(Dialect::Gemini).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn anthropic_answers() {
    everything(Dialect::Anthropic).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn openai_answers() {
    everything(Dialect::OpenAi).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn openrouter_answers() {
    everything(Dialect::OpenRouter).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ollama_answers() {
    everything(Dialect::Ollama).await;
}

/// All that a provider's model is there for, and all that can go wrong with it, on one stack.
async fn everything(dialect: Dialect) {
    let server = ModelServer::start(dialect, Script::new()).await.unwrap();
    let stack = DemoStack::start_with(|config| use_model(config, &server)).await;
    flows::narratives(&stack, &server).await;
    flows::routing(&stack, &server).await;
    chat::words_come_as_they_are_spoken(&stack, &server).await;
    chat::two_rounds(&stack, &server).await;
    chat::pickers(&stack, &server).await;
    chat::wrong_calls(&stack, &server).await;
    chat::limits(&stack, &server).await;
    faults::of_the_provider(&stack, &server).await;
    faults::killed(&stack, &server).await;
    stack.stop().await;
}

/// Points the orchestrator at the server. Impatient, because a test that stalls has to wait.
pub(crate) fn use_model(config: &mut StackConfig, server: &ModelServer) {
    let llm = &mut config.orchestrator.llm;
    llm.provider = Some(server.dialect().as_str().into());
    llm.timeouts.first_token_ms = 1_500;
    llm.timeouts.idle_ms = 1_500;
    llm.providers.get_mut("ollama").first_token_ms = Some(1_500);
    llm.retries.attempts = 2;
    llm.retries.base_delay_ms = 1;
    // Every fault is to be seen.
    llm.circuit.failures = 1_000;
    add_credentials(config, server);
}

fn add_credentials(config: &mut StackConfig, server: &ModelServer) {
    let llm = &mut config.orchestrator.llm;
    let provider = llm.providers.get_mut(server.dialect().as_str());
    provider.base_url = Some(server.base_url());
    provider.api_key = Some(server.key().into());
}

/// Whether a request is the free chat's. The last of a turn may come without tools.
fn is_chat(seen: &Seen) -> bool {
    seen.offers("list_loggers") || seen.rounds() > 0
}

/// Whether it asks for a workflow.
pub(crate) fn is_routing(seen: &Seen) -> bool {
    seen.wants_json()
}

/// Whether it asks for a workflow's answer in better words.
fn is_wording(seen: &Seen) -> bool {
    !is_chat(seen) && !is_routing(seen)
}

/// The model's opinion of a message.
pub(crate) fn classified(flow: &str, confidence: f64, loggers: &[&str]) -> Turn {
    Turn::json(json!({
        "flow": flow, "confidence": confidence, "logger_ids": loggers, "start_date": null, "end_date": null,
    }))
}

/// The codes of an answer's warnings.
fn warnings(reply: &Reply) -> Vec<&str> {
    let codes = reply.chunks.iter().filter_map(|chunk| match chunk {
        UiMessageChunk::DataWarning { data } => Some(data.code.as_ref()),
        _ => None,
    });
    codes.collect()
}

/// Who worded an answer.
fn source(reply: &Reply) -> Source {
    let source = reply.chunks.iter().rev().find_map(|chunk| match chunk {
        UiMessageChunk::Finish {
            message_metadata, ..
        } => Some(message_metadata.source),
        _ => None,
    });
    source.unwrap_or_else(|| panic!("no end in {reply:?}"))
}

/// The outputs of a tool's calls.
fn outputs<'a>(reply: &'a Reply, tool: &str) -> Vec<&'a Value> {
    let ids: Vec<&str> = reply
        .chunks
        .iter()
        .filter_map(|chunk| match chunk {
            UiMessageChunk::ToolInputAvailable {
                tool_call_id,
                tool_name,
                ..
            } if tool_name == tool => Some(tool_call_id.as_ref()),
            _ => None,
        })
        .collect();
    let outputs = reply.chunks.iter().filter_map(|chunk| match chunk {
        UiMessageChunk::ToolOutputAvailable {
            tool_call_id,
            output,
            ..
        } if ids.contains(&tool_call_id.as_ref()) => Some(output.as_ref()),
        _ => None,
    });
    outputs.collect()
}
