//! One whole run per workflow, as its events.

use contracts::tools::{ToolStatus, names};

use crate::{
    chat::{Chat, Turn},
    double::{Double, Ending},
};

/// A line per event; results and cards by what identifies them, because their figures are tested
/// elsewhere.
fn script(turn: &Turn) -> String {
    use contracts::run::RunEvent as Event;
    let line = |event: &Event| {
        Some(match event {
            Event::Started {
                thread_id,
                run_id,
                message_id,
            } => format!("started {thread_id} {run_id} {message_id}"),
            Event::Route {
                flow,
                confidence,
                source,
            } => format!("route {flow} {confidence} {source:?}"),
            Event::Status { text } => format!("  status {text:?}"),
            Event::StepStarted => "step {".to_owned(),
            Event::StepFinished => "}".to_owned(),
            Event::TextStarted { id, .. } => format!("  text {id} {{"),
            // Long texts are the narrative's own business, and its tests'.
            Event::TextDelta { delta, .. } if delta.len() > 100 => "    (narrative)".to_owned(),
            Event::TextDelta { delta, .. } => format!("    {delta:?}"),
            Event::TextFinished { id } => format!("  }} {id}"),
            Event::StructuredData { data } => format!("  data {data}"),
            Event::Sources { sources } => format!("  sources {sources:?}"),
            Event::ToolCall {
                id,
                name,
                input,
                kind,
            } => match name.as_str() {
                names::RENDER_UI_COMPONENT => {
                    format!("  call {id} {name} {kind:?} {}", input["component"])
                }
                names::REQUEST_USER_SELECTION => {
                    format!("  call {id} {name} {kind:?} {}", input["inputType"])
                }
                _ => format!("  call {id} {name} {kind:?} {input}"),
            },
            Event::ToolResult { id, output, .. } => match &output["status"] {
                serde_json::Value::Null => format!("  result {id} {}", output["component"]),
                status => format!("  result {id} {status}"),
            },
            // Other tests look at the one: it belongs to a call of another run. This assistant
            // makes no plans.
            Event::ToolAnswered { .. } | Event::Plan { .. } => return None,
            Event::Warning { code, text } => format!("warning {code} {text:?}"),
            Event::Finished { reason, source, .. } => format!("finished {reason:?} {source:?}"),
            Event::Failed { code, text, .. } => format!("failed {code} {text:?}"),
        })
    };
    turn.events
        .iter()
        .filter_map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

#[tokio::test]
async fn greeting() {
    insta::assert_snapshot!(script(&Chat::new(Double::new()).say("Hello").await));
}

#[tokio::test]
async fn morning_briefing() {
    let mut chat = Chat::new(Double::new().offline(&["LTI-INV-001"]));
    insta::assert_snapshot!(script(&chat.say("Morning briefing").await));
}

#[tokio::test]
async fn financial_report() {
    insta::assert_snapshot!(script(
        &Chat::new(Double::new())
            .say("Financial report for GW-INV-001")
            .await
    ));
}

#[tokio::test]
async fn performance_audit() {
    insta::assert_snapshot!(script(
        &Chat::new(Double::new()).say("Compare all inverters").await
    ));
}

#[tokio::test]
async fn health_check_with_a_picker() {
    let mut chat = Chat::new(Double::new());
    insta::assert_snapshot!("health_check_asks", script(&chat.say("Health check").await));
    insta::assert_snapshot!(
        "health_check_answers",
        script(&chat.say("Selected: LTI-INV-001").await)
    );
}

#[tokio::test]
async fn free_chat() {
    insta::assert_snapshot!(script(
        &Chat::new(Double::new())
            .say("Power curve of GW-INV-001 on Nov 29")
            .await
    ));
}

#[tokio::test]
async fn recovery() {
    let mut chat = Chat::new(Double::new().once(
        names::GET_POWER_CURVE,
        Ending::Status(ToolStatus::NoDataInWindow, "Nothing."),
    ));
    insta::assert_snapshot!(
        "recovery_asks",
        script(&chat.say("Power curve of GW-INV-001 on 2024-01-15").await)
    );
    insta::assert_snapshot!(
        "recovery_retries",
        script(&chat.say("Selected: 2025-11-29").await)
    );
}

#[tokio::test]
async fn explained_error() {
    let mut chat = Chat::new(Double::new().once(
        names::COMPARE_LOGGERS,
        Ending::Fails(agent_kit::ToolsError::TimedOut),
    ));
    insta::assert_snapshot!(script(&chat.say("Compare all inverters").await));
}
