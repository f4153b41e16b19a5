use serde_json::{Value, json};

use super::*;

fn text(id: &str, channel: Channel, deltas: &[&str]) -> Vec<RunEvent> {
    let id = id.to_owned();
    let mut events = vec![RunEvent::TextStarted {
        id: id.clone(),
        channel,
    }];
    events.extend(deltas.iter().map(|delta| RunEvent::TextDelta {
        id: id.clone(),
        delta: (*delta).to_owned(),
    }));
    events.push(RunEvent::TextFinished { id });
    events
}

fn call(id: &str, kind: ToolCallKind) -> RunEvent {
    RunEvent::ToolCall {
        id: id.into(),
        name: "list_loggers".into(),
        input: json!({}),
        kind,
    }
}

fn result(id: &str, output: Value, ok: bool) -> RunEvent {
    RunEvent::ToolResult {
        id: id.into(),
        output,
        ok,
    }
}

fn finished(reason: FinishReason) -> RunEvent {
    RunEvent::Finished {
        reason,
        source: Source::Model,
        usage: Some(Usage {
            input_tokens: 3,
            output_tokens: 4,
            ..Usage::default()
        }),
    }
}

fn fold(events: impl IntoIterator<Item = RunEvent>) -> Finish {
    let mut builder = MessageBuilder::default();
    for event in events {
        builder.apply(&event);
    }
    builder.finish()
}

fn message(finish: &Finish) -> &NewMessage {
    finish.message.as_ref().unwrap()
}

#[test]
fn the_answer_is_the_text_of_the_final_channel() {
    let mut events = text("0", Channel::SqlAgent, &["SELECT 1"]);
    events.extend(text("1", Channel::Final, &["Hello, ", "you.\n"]));
    events.extend(text("2", Channel::Final, &[" "]));
    events.extend(text("3", Channel::Final, &["\n    indented"]));
    events.push(finished(FinishReason::Stop));
    let finish = fold(events);
    assert_eq!(message(&finish).text, "Hello, you.\n\n    indented");
    assert_eq!(message(&finish).status, MessageStatus::Complete);
    assert_eq!(message(&finish).source, Some(Source::Model));
    assert_eq!(finish.status, RunStatus::Completed);
    assert_eq!(finish.usage.map(|usage| usage.total_tokens()), Some(7));
}

#[test]
fn blocks_that_are_written_at_once_stay_apart() {
    let mut one = text("1", Channel::Final, &["a", "b"]);
    let two = text("2", Channel::Final, &["c", "d"]);
    let last = one.split_off(2);
    let finish = fold(one.into_iter().chain(two).chain(last));
    assert_eq!(message(&finish).text, "ab\n\ncd");
}

#[test]
fn each_call_has_one_record_with_its_true_status() {
    let finish = fold([
        call("a", ToolCallKind::Server),
        call("b", ToolCallKind::Server),
        call("ui", ToolCallKind::Display),
        call("pick", ToolCallKind::Client),
        result("b", json!({ "status": "error" }), false),
        result("a", json!({ "status": "ok" }), true),
        result("ui", json!({}), true),
        result("unheard-of", json!({}), true),
        finished(FinishReason::ToolCalls),
    ]);
    let records: Vec<(&str, ToolStatus, bool)> = message(&finish)
        .tools_used
        .iter()
        .map(|record| (record.id.as_str(), record.status, record.result.is_some()))
        .collect();
    assert_eq!(
        records,
        [
            ("a", ToolStatus::Success, true),
            ("b", ToolStatus::Error, true),
            ("ui", ToolStatus::Success, true),
            ("pick", ToolStatus::Pending, false),
        ]
    );
}

#[test]
fn an_answer_to_an_older_call_is_handed_on() {
    let finish = fold([
        RunEvent::ToolAnswered {
            id: "pick".into(),
            output: json!({ "selected": "925" }),
        },
        finished(FinishReason::Stop),
    ]);
    assert_eq!(finish.answered[0].result, json!({ "selected": "925" }));
    assert!(message(&finish).tools_used.is_empty());
}

#[test]
fn a_cancelled_run_keeps_what_there_was() {
    let mut events = text("1", Channel::Final, &["Half of"]);
    events.pop();
    events.push(call("a", ToolCallKind::Server));
    events.push(finished(FinishReason::Cancelled));
    let finish = fold(events);
    assert_eq!(finish.status, RunStatus::Cancelled);
    assert_eq!(message(&finish).status, MessageStatus::Partial);
    assert_eq!(message(&finish).text, "Half of");
    assert_eq!(message(&finish).tools_used[0].status, ToolStatus::Cancelled);
}

#[test]
fn an_answer_that_reached_its_limit_is_not_whole() {
    let mut events = text("1", Channel::Final, &["Half of"]);
    events.push(finished(FinishReason::Length));
    let finish = fold(events);
    assert_eq!(finish.status, RunStatus::Completed);
    assert_eq!(message(&finish).status, MessageStatus::Partial);
}

#[test]
fn a_failure_says_why_and_is_never_complete() {
    let failed = || RunEvent::Failed {
        code: "upstream".into(),
        text: "The tools are away.".into(),
        retryable: true,
    };
    let finish = fold([failed()]);
    assert_eq!(finish.status, RunStatus::Failed);
    assert_eq!(message(&finish).status, MessageStatus::Failed);
    assert_eq!(
        finish.error,
        Some(json!({ "code": "upstream", "text": "The tools are away.", "retryable": true }))
    );
    let mut events = text("1", Channel::Final, &["Half of"]);
    events.push(failed());
    assert_eq!(message(&fold(events)).status, MessageStatus::Partial);
}

#[test]
fn without_an_end_the_run_was_interrupted() {
    let finish = fold(text("1", Channel::Final, &["Half of"]));
    assert_eq!(finish.status, RunStatus::Interrupted);
    assert_eq!(message(&finish).status, MessageStatus::Partial);
}
