use std::collections::BTreeSet;

use proptest::prelude::*;

use agent_kit::facts::FactRegistry;

use super::*;

fn call() -> impl Strategy<Value = PastCall> {
    let name = prop::sample::select(vec![
        names::GET_POWER_CURVE,
        names::REQUEST_USER_SELECTION,
        names::RENDER_UI_COMPONENT,
        "",
    ]);
    let output = prop::option::of(prop::sample::select(vec![
        json!({ "status": "ok" }),
        json!({ "selection": ["A"] }),
        json!(null),
        json!("text"),
    ]));
    (0..6_u8, name, output, any::<bool>()).prop_map(|(id, name, output, ok)| PastCall {
        id: if id == 0 {
            String::new()
        } else {
            format!("call_{id}")
        },
        name: name.to_owned(),
        input: json!({ "logger_id": "A" }),
        output,
        ok,
    })
}

fn message() -> impl Strategy<Value = PastMessage> {
    (
        any::<bool>(),
        prop::sample::select(vec!["", " ", "Hello", "Selected: A"]),
        prop::collection::vec(call(), 0..4),
    )
        .prop_map(|(user, text, calls)| PastMessage {
            role: if user {
                PastRole::User
            } else {
                PastRole::Assistant
            },
            text: text.to_owned(),
            calls: if user { Vec::new() } else { calls },
        })
}

/// What providers demand of a conversation.
pub(crate) fn check(messages: &[Message]) {
    let mut ids = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    for message in messages {
        match message {
            Message::Tool(output) => {
                let at = open
                    .iter()
                    .position(|id| *id == output.call_id)
                    .unwrap_or_else(|| panic!("a stray result: {output:?}"));
                open.remove(at);
            }
            other => {
                assert!(open.is_empty(), "{open:?} before {other:?}");
                if let Message::Assistant(said) = other {
                    assert!(!said.text.is_empty() || !said.calls.is_empty());
                    for call in &said.calls {
                        assert!(ids.insert(call.id.clone()), "{} twice", call.id);
                        open.push(call.id.clone());
                    }
                }
                if let Message::User { text } = other {
                    assert!(!text.trim().is_empty());
                }
            }
        }
    }
    assert!(open.is_empty(), "{open:?} at the end");
    assert!(
        matches!(messages.first(), None | Some(Message::User { .. })),
        "{messages:?}"
    );
}

proptest! {
    #[test]
    fn every_call_has_exactly_one_result_whatever_happened(past in prop::collection::vec(message(), 0..12), answers in prop::option::of(1..6_u8)) {
        let thread = answers.map_or_else(History::default, |id| answered(&format!("call_{id}"), &json!({ "selection": ["B"] })));
        check(&messages(&past, &thread, &mut FactRegistry::default()));
    }
}

/// A thread that remembers the answer to a picker.
fn answered(call_id: &str, output: &Value) -> History {
    let call = json!({
        "role": "tool",
        "id": call_id,
        "name": names::REQUEST_USER_SELECTION,
        "input": null,
        "result": output,
    });
    serde_json::from_value(json!([call])).unwrap()
}

fn picker(output: Option<Value>) -> Vec<PastMessage> {
    let asked = PastCall {
        id: "call_1".to_owned(),
        name: names::REQUEST_USER_SELECTION.to_owned(),
        input: json!({ "prompt": "Which?" }),
        output,
        ok: true,
    };
    vec![
        PastMessage {
            role: PastRole::User,
            text: "Health check".to_owned(),
            calls: Vec::new(),
        },
        PastMessage {
            role: PastRole::Assistant,
            text: "Which?".to_owned(),
            calls: vec![asked],
        },
    ]
}

fn result(messages: &[Message]) -> &Value {
    match messages.last() {
        Some(Message::Tool(output)) => &output.output,
        other => panic!("{other:?} is no result"),
    }
}

#[test]
fn an_open_picker_is_closed_by_this_turns_answer_and_otherwise_as_ignored() {
    let answer = json!({ "selection": ["A"] });
    let open = messages(
        &picker(None),
        &answered("call_1", &answer),
        &mut FactRegistry::default(),
    );
    assert_eq!(result(&open), &answer);
    let ignored = messages(
        &picker(None),
        &History::default(),
        &mut FactRegistry::default(),
    );
    assert_eq!(result(&ignored), &json!({ "status": "not_answered" }));
}

#[test]
fn a_stored_answer_stands_before_any_other() {
    let thread = answered("call_1", &json!("late"));
    let messages = messages(
        &picker(Some(json!("first"))),
        &thread,
        &mut FactRegistry::default(),
    );
    assert_eq!(result(&messages), &json!("first"));
}

#[test]
fn a_call_that_a_crash_cut_off_is_answered_as_stopped() {
    let mut past = picker(None);
    past[1].calls[0].name = names::GET_POWER_CURVE.to_owned();
    let messages = messages(&past, &History::default(), &mut FactRegistry::default());
    let Some(Message::Tool(output)) = messages
        .iter()
        .find(|message| matches!(message, Message::Tool(_)))
    else {
        panic!("no result");
    };
    assert!(output.is_error);
}
