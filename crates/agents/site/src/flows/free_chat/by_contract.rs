//! A tool that is asked for by its own words: called with what the person named, and worded and
//! shown as its contract says.

use contracts::tools::{Subject, ToolStatus, registry};
use serde_json::Value;

use super::replies::{Replies, Reply};
use crate::{
    calls::call,
    findings::{Failure, Resolved, Selection},
    flows::over,
    run::Node,
};

/// Calls the tool of this name, which `request` asks for.
pub(super) async fn ask(node: &Node, tool: &str, resolved: &Resolved, request: &str) -> Replies {
    let Some(tool) = registry::descriptor(tool) else {
        return Vec::new();
    };
    let Selection {
        logger_id,
        logger_ids,
        site_id,
    } = resolved.selection();
    let arguments = tool.arguments(Subject {
        logger_id,
        logger_ids,
        site_id,
        period: resolved.period,
        words: request.to_lowercase(),
    });
    let (Some(Value::Object(arguments)), Some(asked_for)) = (arguments, tool.asked_for) else {
        return Vec::new();
    };
    node.begin_step().await;
    node.hint(&format!("{}{}", asked_for.working, over(resolved.period)))
        .await;
    let answer = call::<Value>(node, tool.name, &arguments).await;
    node.end_step().await;
    let reply = answer.and_then(|found| {
        Reply::by_contract(tool, found.result).ok_or_else(|| Failure {
            tool: tool.name.into(),
            arguments,
            status: ToolStatus::Error,
            message: "The data service answered something that I cannot read.".into(),
            available_range: None,
        })
    });
    vec![reply]
}
