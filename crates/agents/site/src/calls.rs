//! The forms of a tool's envelope for the client, for the workflow and for the thread's memory.

use agent_kit::Called;
use contracts::tools::{SummaryStats, ToolEnvelope, ToolStatus};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{findings::Failure, run::Node};

/// A tool's result.
pub(crate) struct Found<T> {
    pub(crate) result: T,
    pub(crate) stats: Option<SummaryStats>,
}

/// Calls a tool within the step.
pub(crate) async fn call<T: DeserializeOwned>(
    node: &Node,
    tool: &str,
    arguments: &impl Serialize,
) -> Result<Found<T>, Failure> {
    let called = node.call(tool, arguments).await;
    read(&called, tool, arguments)
}

/// Several calls within the step, a few at a time; the answers come in the order of the calls.
pub(crate) async fn call_each<T: DeserializeOwned>(
    node: &Node,
    tool: &str,
    arguments: impl IntoIterator<Item = impl Serialize>,
) -> Vec<Result<Found<T>, Failure>> {
    let arguments: Vec<_> = arguments.into_iter().map(object).collect();
    let calls: Vec<_> = arguments
        .iter()
        .map(|arguments| (tool.to_owned(), Value::Object(arguments.clone())))
        .collect();
    let answers = node.call_each(calls).await;
    answers
        .iter()
        .zip(&arguments)
        .map(|(called, arguments)| read(called, tool, arguments))
        .collect()
}

/// Reads the result of a call, or why there is none.
pub(crate) fn read<T: DeserializeOwned>(
    called: &Called,
    tool: &str,
    arguments: &impl Serialize,
) -> Result<Found<T>, Failure> {
    let envelope = &called.envelope;
    let failure = |status, message: String| Failure {
        tool: tool.into(),
        arguments: object(arguments),
        status,
        message: message.into(),
        available_range: envelope.available_range,
    };
    let unreadable = || "The data service answered something that I cannot read.".to_owned();
    match (envelope.status, &envelope.result) {
        (ToolStatus::Ok, Some(result)) => match T::deserialize(result) {
            Ok(result) => Ok(Found {
                result,
                stats: envelope.summary_stats.clone(),
            }),
            Err(error) => {
                tracing::error!(
                    tool,
                    error = &error as &dyn std::error::Error,
                    "a tool's result does not fit its contract"
                );
                Err(failure(ToolStatus::Error, unreadable()))
            }
        },
        (ToolStatus::Ok, None) => Err(failure(ToolStatus::Error, unreadable())),
        (status, _) => {
            let said = envelope.message.clone();
            let message = said.unwrap_or_else(|| default_message(status).to_owned());
            Err(failure(status, message))
        }
    }
}

fn object(arguments: impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(arguments) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    }
}

fn default_message(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::NoDataInWindow => "There are no data for the days asked for.",
        ToolStatus::NoData => "There are no data for this device.",
        ToolStatus::Ok | ToolStatus::Error => "The data service could not do that.",
    }
}

/// The thread's memory of an envelope: its status, and its sentence.
pub(crate) fn digest(envelope: &ToolEnvelope) -> Value {
    let mut digest = Map::new();
    digest.insert(
        "status".to_owned(),
        serde_json::to_value(envelope.status).unwrap_or_default(),
    );
    if let Some(message) = &envelope.message {
        digest.insert("message".to_owned(), Value::from(message.as_str()));
    }
    if let Some(range) = envelope.available_range {
        digest.insert(
            "availableRange".to_owned(),
            serde_json::to_value(range).unwrap_or_default(),
        );
    }
    if let Some(summary) = envelope
        .result
        .as_ref()
        .and_then(|result| result.get("summary"))
        .filter(|summary| summary.is_string())
    {
        digest.insert("summary".to_owned(), summary.clone());
    }
    Value::Object(digest)
}
