//! The forms of a tool's envelope for the client, for the workflow and for the thread's memory.

use contracts::tools::{ToolEnvelope, ToolStatus};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Called;
use crate::state::Failure;

/// Reads the result, or why there is none.
pub(super) fn read<T: DeserializeOwned>(
    tool: &str,
    arguments: &Map<String, Value>,
    envelope: &ToolEnvelope,
) -> Result<Called<T>, Failure> {
    let failure = |status, message: String| Failure {
        tool: tool.into(),
        arguments: arguments.clone(),
        status,
        message: message.into(),
        available_range: envelope.available_range,
    };
    let unreadable = || "The data service answered something that I cannot read.".to_owned();
    match (envelope.status, &envelope.result) {
        (ToolStatus::Ok, Some(result)) => match T::deserialize(result) {
            Ok(result) => Ok(Called {
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
        (status, _) => Err(failure(
            status,
            envelope
                .message
                .clone()
                .unwrap_or_else(|| default_message(status).to_owned()),
        )),
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
pub(super) fn digest(envelope: &ToolEnvelope) -> Value {
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

/// The envelope as JSON, with its result moved rather than copied.
pub(super) fn into_value(mut envelope: ToolEnvelope) -> Value {
    let result = envelope.result.take();
    let mut value = serde_json::to_value(&envelope).unwrap_or_default();
    if let (Some(result), Value::Object(members)) = (result, &mut value) {
        members.insert("result".to_owned(), result);
    }
    value
}
