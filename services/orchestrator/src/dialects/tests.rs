mod plans;

use contracts::agent_events::AgentEvent;
use contracts::chat::UiMessageChunk;
use contracts::named_events::{DoneEvent, NamedEvent};
use contracts::run::{Channel, CitedSource, FinishReason, Source, ToolCallKind, Usage};
use contracts::threads::ToolRecordStatus::{Pending, Success};
use contracts::todo::TaskStatus;
use proptest::prelude::*;
use serde_json::{Value, json};
use test_support::sse::Capture;

use super::*;

fn started() -> RunEvent {
    RunEvent::Started {
        thread_id: "conv-uuid-123".into(),
        run_id: "r1".into(),
        message_id: "msg_r1".into(),
    }
}

fn text(id: &str, channel: Channel, deltas: &[&str]) -> Vec<RunEvent> {
    let begin = RunEvent::TextStarted {
        id: id.into(),
        channel,
    };
    let words = deltas.iter().map(|delta| RunEvent::TextDelta {
        id: id.into(),
        delta: (*delta).into(),
    });
    let end = RunEvent::TextFinished { id: id.into() };
    [begin].into_iter().chain(words).chain([end]).collect()
}

fn call(id: &str, name: &str, kind: ToolCallKind) -> RunEvent {
    RunEvent::ToolCall {
        id: id.into(),
        name: name.into(),
        input: match name {
            "render_ui_component" => {
                json!({ "component": "ErrorCard", "props": { "title": "No data", "message": "None today.", "details": [] } })
            }
            "request_user_selection" => {
                json!({ "prompt": "Which?", "options": [], "selectionType": "single", "inputType": "dropdown" })
            }
            _ => json!({ "query": "emissions" }),
        },
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

fn finished(usage: Option<Usage>) -> RunEvent {
    RunEvent::Finished {
        reason: FinishReason::Stop,
        source: Source::Model,
        usage,
    }
}

fn failed() -> RunEvent {
    RunEvent::Failed {
        code: "internal".into(),
        text: "Sorry.".into(),
        retryable: true,
    }
}

/// A run with a bit of everything.
fn everything() -> Vec<RunEvent> {
    let mut events = vec![
        started(),
        RunEvent::ToolAnswered {
            id: "before".into(),
            output: json!({ "selection": "A" }),
        },
        RunEvent::Route {
            flow: "sql".into(),
            confidence: 0.9,
            source: Source::Model,
        },
        RunEvent::Status {
            text: "Looking".into(),
        },
        plans::plan(TaskStatus::Pending),
        RunEvent::StepStarted,
    ];
    events.extend(text("t1", Channel::SqlAgent, &["SELECT", " 1"]));
    events.push(call("c1", "climate_vector_search", ToolCallKind::Server));
    events.push(result("c1", json!({ "status": "ok" }), true));
    events.push(call("c2", "render_ui_component", ToolCallKind::Display));
    events.push(result("c2", json!({ "component": "X" }), true));
    events.push(RunEvent::StepFinished);
    events.extend(text("t2", Channel::Final, &["There", " are 10"]));
    events.extend(text("t3", Channel::Final, &["Shall I go on?"]));
    events.push(RunEvent::Warning {
        code: "model_unavailable".into(),
        text: "No model.".into(),
    });
    events.push(call("c3", "request_user_selection", ToolCallKind::Client));
    events.push(finished(Some(Usage {
        input_tokens: 40,
        output_tokens: 15,
        ..Usage::default()
    })));
    events
}

fn frames(dialect: Dialect, events: &[RunEvent]) -> Vec<Frame> {
    let mut encoder = Encoder::new(dialect, 1, "req-1");
    let mut frames = Vec::new();
    for event in events {
        encoder.encode(event, &mut frames);
    }
    let sent: Vec<u8> = frames
        .iter()
        .flat_map(|frame| frame.bytes.to_vec())
        .collect();
    Capture::parse_run(sent).unwrap();
    frames
}

/// Event name, id and data of each frame.
fn read(frames: &[Frame]) -> Vec<(String, u64, Value)> {
    let read = frames.iter().map(|frame| {
        let text = std::str::from_utf8(&frame.bytes).unwrap();
        let text = text.strip_suffix("\n\n").unwrap();
        let (mut name, mut id, mut data) = (String::new(), 0, Value::Null);
        for line in text.split('\n') {
            match line.split_once(": ").unwrap() {
                ("event", value) => value.clone_into(&mut name),
                ("id", value) => id = value.parse().unwrap(),
                ("data", "[DONE]") => data = json!("[DONE]"),
                ("data", value) => data = serde_json::from_str(value).unwrap(),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(id, frame.id);
        (name, id, data)
    });
    read.collect()
}

fn data(dialect: Dialect, events: &[RunEvent]) -> Vec<Value> {
    let frames = read(&frames(dialect, events));
    frames.into_iter().map(|(_, _, data)| data).collect()
}

#[test]
fn run_events_are_the_events_as_they_are() {
    let events = everything();
    let read: Vec<RunEvent> = data(Dialect::RunEvents, &events)
        .into_iter()
        .map(|data| serde_json::from_value(data).unwrap())
        .collect();
    assert_eq!(read, events);
}

#[test]
fn the_ui_stream_has_only_what_its_clients_know() {
    let frames = data(Dialect::UiMessages, &everything());
    assert_eq!(frames.last().unwrap(), "[DONE]");
    let types: Vec<_> = frames[..frames.len() - 1]
        .iter()
        .map(|frame| frame["type"].as_str().unwrap())
        .collect();
    let expected = "start data-flow data-status data-plan start-step tool-input-available tool-output-available tool-input-available \
         tool-output-available finish-step text-start text-delta text-delta text-end text-start text-delta text-end \
         data-warning tool-input-available finish";
    assert_eq!(types.join(" "), expected);
    for frame in &frames[..frames.len() - 1] {
        let chunk: UiMessageChunk<'_> = serde_json::from_value(frame.clone()).unwrap();
        assert_eq!(&serde_json::to_value(&chunk).unwrap(), frame);
        assert!(!frame.to_string().contains("null"), "{frame}");
    }
    assert_eq!(frames[5]["providerExecuted"], true);
    assert_eq!(frames[7]["providerExecuted"], true);
    let picker = &frames[frames.len() - 3];
    assert_eq!(picker["toolName"], "request_user_selection");
    assert!(picker.get("providerExecuted").is_none());
    let usage = json!({ "inputTokens": 40, "outputTokens": 15, "totalTokens": 55 });
    assert_eq!(
        frames[frames.len() - 2],
        json!({ "type": "finish", "finishReason": "stop", "messageMetadata": { "source": "model", "usage": usage, "warnings": ["model_unavailable"] } })
    );
    assert_eq!(
        data(Dialect::UiMessages, &[failed()]),
        [
            json!({ "type": "error", "errorText": "Sorry." }),
            json!("[DONE]")
        ]
    );
}

#[test]
fn agent_events_are_those_that_document_002_prints() {
    let mut events = vec![
        started(),
        RunEvent::Route {
            flow: "sql".into(),
            confidence: 1.0,
            source: Source::Rules,
        },
        call("c1", "run_sql", ToolCallKind::Server),
        result("c1", json!({ "status": "ok" }), true),
    ];
    events.extend(text("t", Channel::Final, &["There", " are 10"]));
    events.push(finished(Some(Usage {
        input_tokens: 1,
        output_tokens: 15,
        ..Usage::default()
    })));
    let written: String = frames(Dialect::AgentEvents, &events)
        .iter()
        .map(|frame| {
            let text = std::str::from_utf8(&frame.bytes).unwrap();
            text.split_once('\n').unwrap().1.to_owned()
        })
        .collect();
    assert_eq!(
        written,
        "data: {\"event\":\"route_decision\",\"route\":\"sql\"}\n\n\
         data: {\"event\":\"tool_start\",\"tool\":\"sql_agent\"}\n\n\
         data: {\"event\":\"token\",\"channel\":\"final\",\"content\":\"There\"}\n\n\
         data: {\"event\":\"token\",\"channel\":\"final\",\"content\":\" are 10\"}\n\n\
         data: {\"event\":\"complete\",\"stats\":{\"tokens\":15,\"conversation_id\":\"conv-uuid-123\"}}\n\n"
    );
}

#[test]
fn rows_ride_on_the_first_token_of_the_answer_and_drawings_follow_the_last() {
    let rows = json!([{ "city": "Bonn", "jobs": 3 }]);
    let mut events = vec![
        started(),
        RunEvent::Route {
            flow: "sql".into(),
            confidence: 1.0,
            source: Source::Rules,
        },
        RunEvent::StructuredData { data: rows.clone() },
        call("c1", "render_ui_component", ToolCallKind::Display),
        result("c1", json!({}), true),
    ];
    events.extend(text("t1", Channel::SqlAgent, &["SELECT 1"]));
    events.extend(text("t2", Channel::Final, &["Bonn", " has 3."]));
    events.push(finished(None));
    let told: Vec<_> = data(Dialect::AgentEvents, &events)
        .into_iter()
        .map(|frame| {
            (
                frame["event"].as_str().unwrap().to_owned(),
                frame.get("structured_data").cloned(),
            )
        })
        .collect();
    let expected = [
        ("route_decision", None),
        ("tool_start", None),
        ("token", None),
        ("token", Some(rows)),
        ("token", None),
        ("chart", None),
        ("complete", None),
    ];
    assert_eq!(told, expected.map(|(event, data)| (event.to_owned(), data)));
}

#[test]
fn calls_of_other_assistants_are_told_as_tools() {
    let events = [
        started(),
        RunEvent::Route {
            flow: "health_check".into(),
            confidence: 1.0,
            source: Source::Rules,
        },
        call("c1", "list_loggers", ToolCallKind::Server),
        call("c2", "render_ui_component", ToolCallKind::Display),
    ];
    let told: Vec<_> = data(Dialect::AgentEvents, &events)
        .into_iter()
        .map(|frame| frame["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, ["route_decision", "tool_start", "chart"]);
}

#[test]
fn agent_events_tell_channels_and_end_once() {
    let all = data(Dialect::AgentEvents, &everything());
    for frame in &all {
        let event: AgentEvent<'_> = serde_json::from_value(frame.clone()).unwrap();
        assert_eq!(&serde_json::to_value(&event).unwrap(), frame);
    }
    let on = |channel: &str| {
        let tokens = all.iter().filter(|frame| frame["channel"] == channel);
        tokens
            .map(|frame| frame["content"].as_str().unwrap_or("-"))
            .collect::<String>()
    };
    assert_eq!(on("sql_agent"), "SELECT 1");
    assert_eq!(on("final"), "There are 10 Shall I go on?");
    assert_eq!(on("chart"), "--");
    let ends = |frame: &&Value| frame["event"] == "complete" || frame["event"] == "error";
    assert_eq!(all.iter().filter(ends).count(), 1);
    assert_eq!(
        data(Dialect::AgentEvents, &[failed()]),
        [json!({ "event": "error", "error": "Sorry." })]
    );
}

#[test]
fn named_events_count_messages_and_end_with_done() {
    let all = read(&frames(Dialect::NamedEvents, &everything()));
    let names: Vec<_> = all.iter().map(|(name, ..)| name.as_str()).collect();
    let expected = "plan tool_use tool_result tool_result tool_use tool_result tool_result message message message warning tool_use tool_result done";
    assert_eq!(names.join(" "), expected);
    assert_eq!(
        all[3].2,
        json!({
            "id": "c1", "name": "climate_vector_search", "status": "success", "result": "{\"status\":\"ok\"}", "result_json": { "status": "ok" },
        })
    );
    assert_eq!(all[7].2, json!({ "index": 0, "content": "There" }));
    assert_eq!(
        all[9].2,
        json!({ "index": 2, "content": " Shall I go on?" })
    );
    let done: DoneEvent<'_> = serde_json::from_value(all.last().unwrap().2.clone()).unwrap();
    assert!(done.ok && done.history_saved && done.error.is_none());
    assert_eq!(
        (&*done.request_id, &*done.thread_id, &*done.run_id),
        ("req-1", "conv-uuid-123", "r1")
    );
    let calls = done.tools_used.unwrap();
    let statuses: Vec<_> = calls
        .iter()
        .map(|call| (call.id.as_str(), call.status))
        .collect();
    assert_eq!(
        statuses,
        [("c1", Success), ("c2", Success), ("c3", Pending)]
    );
    for (_, _, data) in &all {
        let event: NamedEvent<'_> = serde_json::from_value(data.clone()).unwrap();
        assert_eq!(&serde_json::to_value(&event).unwrap(), data);
    }
}

#[test]
fn named_events_tell_each_calls_own_fate_and_failures() {
    let events = [
        started(),
        call("a", "get_inventory", ToolCallKind::Server),
        call("b", "get_inventory", ToolCallKind::Server),
        result("b", json!({ "error_code": "expired_token" }), false),
        result("a", json!("x".repeat(70_000)), true),
        RunEvent::Warning {
            code: "history_not_saved".into(),
            text: "Not saved.".into(),
        },
        failed(),
    ];
    let all = read(&frames(Dialect::NamedEvents, &events));
    let ended: Vec<_> = all
        .iter()
        .filter(|(name, _, data)| name == "tool_result" && data["status"] != "executing")
        .map(|(.., data)| data)
        .collect();
    assert_eq!(
        (&ended[0]["id"], &ended[0]["status"]),
        (&json!("b"), &json!("error"))
    );
    assert_eq!(ended[1]["result"].as_str().unwrap().chars().count(), 200);
    assert!(ended[1].get("result_json").is_none());
    let names: Vec<_> = all.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names[names.len() - 3..], ["warning", "error", "done"]);
    let done = &all.last().unwrap().2;
    assert_eq!(
        (&done["ok"], &done["history_saved"], &done["error"]),
        (&json!(false), &json!(false), &json!("Sorry."))
    );
    assert_eq!(done["tools_used"][1]["status"], "error");
}

#[test]
fn an_answer_that_is_not_whole_is_called_whole_in_no_dialect() {
    for reason in [
        FinishReason::Length,
        FinishReason::Incomplete,
        FinishReason::Cancelled,
    ] {
        let mut events = vec![started()];
        events.extend(text("t", Channel::Final, &["Half of"]));
        events.push(RunEvent::Warning {
            code: "model_stopped".into(),
            text: "It stopped.".into(),
        });
        events.push(RunEvent::Finished {
            reason,
            source: Source::Model,
            usage: None,
        });
        let ui = data(Dialect::UiMessages, &events);
        let finish = &ui[ui.len() - 2];
        assert_ne!(finish["finishReason"], "stop");
        assert_eq!(finish["messageMetadata"]["partial"], true);
        assert_eq!(
            finish["messageMetadata"]["warnings"],
            json!(["model_stopped"])
        );
        let agent = data(Dialect::AgentEvents, &events);
        let [.., warning, complete] = &agent[..] else {
            panic!("{agent:?}")
        };
        assert_eq!(
            *warning,
            json!({ "event": "warning", "code": "model_stopped", "text": "It stopped." })
        );
        assert_eq!(
            (
                &complete["stats"]["partial"],
                &complete["stats"]["warnings"]
            ),
            (&json!(true), &json!(["model_stopped"]))
        );
        let named = read(&frames(Dialect::NamedEvents, &events));
        let done = &named.last().unwrap().2;
        assert_eq!(
            (&done["ok"], &done["partial"], &done["warnings"]),
            (&json!(false), &json!(true), &json!(["model_stopped"]))
        );
        assert!(done["error"].as_str().unwrap().contains("not complete"));
    }
}

#[test]
fn what_an_answer_cites_is_a_part_for_each_source() {
    let source = |filename: &str| CitedSource {
        id: format!("{filename}#1"),
        title: format!("{filename} \u{2014} Heat"),
        filename: filename.into(),
    };
    let events = [
        started(),
        RunEvent::Sources {
            sources: vec![source("a.PDF"), source("https://example.org/b")],
        },
    ];
    assert_eq!(
        data(Dialect::UiMessages, &events)[1..],
        [
            json!({ "type": "source-document", "sourceId": "a.PDF#1", "mediaType": "application/pdf", "title": "a.PDF \u{2014} Heat", "filename": "a.PDF" }),
            json!({ "type": "source-url", "sourceId": "https://example.org/b#1", "url": "https://example.org/b", "title": "https://example.org/b \u{2014} Heat" }),
        ]
    );
}

#[test]
fn ids_of_a_later_attempt_are_larger_than_all_before() {
    let mut later = Vec::new();
    Encoder::new(Dialect::UiMessages, 3, "").encode(&started(), &mut later);
    assert_eq!(later[0].id, 2_000_000_001);
    assert_eq!(
        [1, 999_999_999, 1_000_000_001, later[0].id].map(attempt_of),
        [1, 1, 2, 3]
    );
}

const DIALECTS: [Dialect; 4] = Dialect::ALL;

proptest! {
    #[test]
    fn text_survives_each_dialect(words in proptest::collection::vec("[^\u{0}]{1,8}|[\u{85}\u{2028}\u{2029}\"\\\\\n\r😀]{1,5}", 1..6)) {
        let mut events = vec![started()];
        events.extend(text("t", Channel::Final, &words.iter().map(String::as_str).collect::<Vec<_>>()));
        events.push(finished(None));
        for dialect in DIALECTS {
            let said: String = data(dialect, &events)
                .iter()
                .filter(|data| data.get("usage").is_none())
                .filter_map(|data| data.get("delta").or(data.get("content"))?.as_str().map(str::to_owned))
                .collect();
            prop_assert_eq!(said, words.concat());
        }
    }

    #[test]
    fn joining_again_anywhere_gives_the_rest(seen in 0usize..40) {
        for dialect in DIALECTS {
            let whole = frames(dialect, &everything());
            let ids: Vec<_> = whole.iter().map(|frame| frame.id).collect();
            prop_assert_eq!(ids, (1..=whole.len() as u64).collect::<Vec<_>>());
            let seen = seen.min(whole.len());
            let again: Vec<_> = frames(dialect, &everything()).into_iter().filter(|frame| frame.id > seen as u64).collect();
            prop_assert_eq!(&whole[seen..], &again[..]);
        }
    }
}
