use serde_json::json;

use super::*;

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: "look".to_owned(),
        arguments: Arguments::parse(arguments),
        opaque: None,
    }
}

fn calls(ids: &[&str]) -> Message {
    Message::Assistant(AssistantMessage {
        calls: ids.iter().map(|id| call(id, "")).collect(),
        ..AssistantMessage::default()
    })
}

fn output(id: &str, output: Value) -> Message {
    Message::Tool(ToolOutput {
        call_id: id.to_owned(),
        name: "look".to_owned(),
        output,
        is_error: false,
    })
}

/// `s:` instructions, `u:` the user, `a:` the model, with its calls and their results; `*` within
/// the current loop.
fn sketch(messages: &[Message]) -> Vec<String> {
    let steps = steps(
        messages,
        |id| (1..10).contains(&id.len()),
        |number| format!("x{}", number % 1_000_000),
    );
    steps
        .iter()
        .map(|step| match step {
            Step::System(text) => format!("s:{text}"),
            Step::User(text) => format!("u:{text}"),
            Step::Assistant {
                message,
                rounds,
                is_current,
            } => {
                let mark = if *is_current { "*" } else { "" };
                let rounds: Vec<_> = rounds
                    .iter()
                    .map(|round| format!(" {}={}", round.id, round.output))
                    .collect();
                format!("a{mark}:{}{}", message.text, rounds.concat())
            }
        })
        .collect()
}

#[test]
fn results_stand_with_their_calls_and_strays_are_left_out() {
    let messages = [
        output("0", json!("stray")),
        Message::user("go"),
        calls(&["1", "2", "3"]),
        output("3", json!({"n": 3})),
        Message::system("rule"),
        output("1", json!("one")),
        output("1", json!("again")),
        Message::assistant("done"),
    ];
    assert_eq!(
        sketch(&messages),
        [
            "u:go".to_owned(),
            format!("a*: 1=one 2={UNANSWERED} 3={{\"n\":3}}"),
            "s:rule".to_owned(),
            "a*:done".to_owned(),
        ]
    );
}

#[test]
fn a_late_result_is_found_unless_a_later_call_has_its_id() {
    let late = [
        calls(&["1"]),
        Message::user("and?"),
        output("1", json!("late")),
    ];
    assert_eq!(sketch(&late), ["a: 1=late", "u:and?"]);
    let again = [calls(&["1"]), calls(&["1"]), output("1", json!("second"))];
    let sketched = sketch(&again);
    assert_eq!(sketched[0], format!("a*: 1={UNANSWERED}"));
    assert!(sketched[1].ends_with("=second") && !sketched[1].contains(" 1="));
}

#[test]
fn empty_messages_are_left_out() {
    let messages = [
        Message::system(" "),
        Message::user("\n"),
        Message::assistant(""),
        Message::user("go"),
    ];
    assert_eq!(sketch(&messages), ["u:go"]);
}

#[test]
fn an_id_that_does_not_fit_is_replaced_by_the_same_one_each_time() {
    let messages = [
        Message::user("go"),
        calls(&["far-too-long-an-id", "", "1", "1"]),
    ];
    let first = sketch(&messages);
    assert_eq!(first, sketch(&messages));
    let ids: HashSet<_> = first[1]
        .split(' ')
        .filter_map(|round| round.split_once('='))
        .map(|(id, _)| id)
        .collect();
    assert_eq!(ids.len(), 4, "{first:?}");
    assert!(ids.iter().all(|id| (1..10).contains(&id.len())));
}

#[test]
fn failed_results_say_so() {
    let failed = ToolOutput {
        call_id: "1".to_owned(),
        name: "look".to_owned(),
        output: json!("no such thing"),
        is_error: true,
    };
    assert_eq!(
        sketch(&[calls(&["1"]), Message::Tool(failed)]),
        ["a*: 1=Error: no such thing"]
    );
}

#[test]
fn arguments_are_an_object_even_if_they_were_none() {
    assert_eq!(json!(arguments(&call("1", "{\"a\":1}"))), json!({"a": 1}));
    assert_eq!(
        json!(arguments(&call("1", "{\"a\":"))),
        json!({"unreadable_arguments": "{\"a\":"})
    );
}
