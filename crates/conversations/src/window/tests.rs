use chrono::DateTime;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::messages::{MessageStatus, ToolStatus};

fn message(seq: i64, role: Role, text: &str, tools: Vec<ToolRecord>) -> Message {
    Message {
        seq,
        id: format!("m{seq}"),
        run_id: None,
        role,
        text: text.into(),
        tools_used: tools,
        warnings: Vec::new(),
        status: MessageStatus::Complete,
        source: None,
        created_at: DateTime::UNIX_EPOCH,
    }
}

fn record(id: &str, result: Option<Value>) -> ToolRecord {
    ToolRecord {
        id: id.into(),
        name: "get_power_curve".into(),
        arguments: json!({ "logger_id": "925" }),
        status: match result {
            Some(_) => ToolStatus::Success,
            None => ToolStatus::Cancelled,
        },
        result,
    }
}

/// `turns` questions, each answered with the help of a tool.
fn thread(turns: i64) -> Vec<Message> {
    (0..turns)
        .flat_map(|turn| {
            let tools = vec![record("call_1", Some(json!({ "turn": turn })))];
            [
                message(2 * turn, Role::User, &format!("question {turn}"), vec![]),
                message(
                    2 * turn + 1,
                    Role::Assistant,
                    &format!("answer {turn}"),
                    tools,
                ),
            ]
        })
        .collect()
}

/// The same, with a question that waits for its answer.
fn asking(turns: i64) -> Vec<Message> {
    let mut messages = thread(turns);
    messages.push(message(2 * turns, Role::User, "now", vec![]));
    messages
}

fn preserving(preserve_turns: usize) -> Settings {
    Settings {
        preserve_turns,
        ..Settings::default()
    }
}

/// Preserved, pruned, items.
fn figures(window: &Window) -> (usize, usize, usize) {
    let counts = window.counts;
    assert_eq!(counts.context_items, window.marker_items().len());
    assert_eq!(
        counts.preserved_count + counts.pruned_count,
        counts.total_messages
    );
    (
        counts.preserved_count,
        counts.pruned_count,
        counts.context_items,
    )
}

#[test]
fn three_turns_of_which_two_are_preserved() {
    assert_eq!(figures(&Window::new(&thread(3), &preserving(2))), (4, 2, 8));
}

#[test]
fn without_pruning_every_answer_is_grounded() {
    let settings = Settings {
        prune_tools_for_llm: false,
        ..preserving(2)
    };
    assert_eq!(figures(&Window::new(&thread(3), &settings)), (6, 0, 9));
}

#[test]
fn eight_turns_and_a_question_give_seventeen_messages_and_four_groundings() {
    let window = Window::new(&asking(8), &Settings::default());
    // The current question does not count as a turn, so five of the nine questions and four of the
    // eight answers are preserved.
    assert_eq!(figures(&window), (9, 8, 17 + 4));
    let grounded: Vec<bool> = window.messages.iter().map(|m| m.tools.is_some()).collect();
    let expected: Vec<bool> = (0..17).map(|index| index >= 9 && index % 2 == 1).collect();
    assert_eq!(grounded, expected);
}

#[test]
fn at_most_the_newest_messages_are_loaded() {
    let window = Window::new(&asking(30), &Settings::default());
    assert_eq!(window.counts.total_messages, 20);
    assert_eq!(window.messages[0].text, "answer 20");
    assert_eq!(window.messages[19].text, "now");
}

#[test]
fn without_history_only_the_question_is_seen() {
    let settings = Settings {
        include_history: false,
        ..Settings::default()
    };
    let window = Window::new(&asking(3), &settings);
    assert_eq!(window.messages.len(), 1);
    assert_eq!(window.messages[0].text, "now");
    assert_eq!(window.counts.context_items, 1);
}

#[test]
fn preserving_no_turn_grounds_nothing() {
    let window = Window::new(&asking(3), &preserving(0));
    assert_eq!(figures(&window), (1, 6, 7));
}

#[test]
fn a_question_without_an_answer_moves_no_neighbour() {
    let mut messages = asking(4);
    messages.insert(4, message(100, Role::User, "never answered", vec![]));
    let window = Window::new(&messages, &preserving(2));
    let grounded: Vec<&str> = window
        .messages
        .iter()
        .filter(|message| message.tools.is_some())
        .map(|message| message.text.as_str())
        .collect();
    assert_eq!(grounded, ["answer 2", "answer 3"]);
}

#[test]
fn a_grounding_follows_its_answer_under_the_marker() {
    let items = Window::new(&asking(1), &Settings::default()).marker_items();
    let roles: Vec<Role> = items.iter().map(|item| item.role).collect();
    assert_eq!(
        roles,
        [Role::User, Role::Assistant, Role::System, Role::User]
    );
    let body = items[2]
        .content
        .strip_prefix("INTERNAL_TOOL_OUTPUT_JSON\n")
        .unwrap();
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        body["tools_used"],
        json!([{
            "id": "call_1", "name": "get_power_curve", "arguments": { "logger_id": "925" },
            "status": "success", "result": { "turn": 0 },
        }])
    );
    assert!(body["note"].is_string());
    let item = serde_json::to_value(&items[0]).unwrap();
    assert_eq!(item, json!({ "role": "user", "content": "question 0" }));
}

#[test]
fn the_native_form_pairs_each_call_with_one_answer() {
    let mut messages = asking(2);
    messages[1].tools_used.push(record("call_2", None));
    let items = Window::new(&messages, &Settings::default()).native_items();
    let ids: Vec<(&str, bool)> = items
        .iter()
        .filter_map(|item| match item {
            NativeItem::Tools(answers) => Some(answers),
            NativeItem::Text { .. } => None,
        })
        .flatten()
        .map(|answer| (answer.id.as_str(), answer.ok))
        .collect();
    assert_eq!(
        ids,
        [("call_1", true), ("call_2", false), ("call_1_2", true)]
    );
    let NativeItem::Tools(first) = &items[1] else {
        panic!("the calls come before what was said: {items:?}");
    };
    assert_eq!(first[1].result["status"], "cancelled");
}

#[test]
fn the_native_form_begins_with_a_question() {
    let messages = &asking(3)[1..];
    let items = Window::new(messages, &Settings::default()).native_items();
    assert_eq!(
        items[0],
        NativeItem::Text {
            role: Role::User,
            text: "question 1".into()
        }
    );
}

#[test]
fn an_answer_of_tools_alone_says_nothing() {
    let mut messages = asking(1);
    messages[1].text = String::new();
    let items = Window::new(&messages, &Settings::default()).marker_items();
    assert_eq!(items.len(), 3);
    assert!(items.iter().all(|item| !item.content.is_empty()));
}

#[test]
fn a_long_result_is_cut_and_says_so() {
    let points: Vec<Value> = (0..5_000)
        .map(|n| json!({ "minute": n, "watts": n }))
        .collect();
    let mut messages = asking(1);
    messages[1].tools_used = vec![record(
        "call_1",
        Some(json!({ "total": 42, "points": points })),
    )];
    let window = Window::new(&messages, &Settings::default());
    let result = window.messages[1].tools.as_ref().unwrap()[0]
        .result
        .clone()
        .unwrap();
    assert!(result["note"].as_str().unwrap().starts_with("Shortened"));
    assert_eq!(result["result"]["total"], 42);
    let points = result["result"]["points"].as_array().unwrap();
    assert_eq!(points.last().unwrap(), "… 4950 more");
    assert!(window.counts.tokens < 2_300, "{}", window.counts.tokens);
}

#[test]
fn a_drawing_is_not_said_twice() {
    let arguments = json!({ "component": "chart", "points": vec![1; 100] });
    let mut messages = asking(1);
    messages[1].tools_used = vec![ToolRecord {
        arguments: arguments.clone(),
        ..record("call_1", Some(arguments.clone()))
    }];
    let window = Window::new(&messages, &Settings::default());
    let drawn = &window.messages[1].tools.as_ref().unwrap()[0];
    assert_eq!(drawn.arguments, arguments);
    assert!(drawn.result.as_ref().unwrap()["note"].is_string());
}

#[test]
fn over_budget_the_oldest_turns_go_first() {
    let mut messages = asking(3);
    messages[3].text = "x".repeat(40_000);
    let settings = Settings {
        max_tokens: 9_000,
        ..Settings::default()
    };
    let window = Window::new(&messages, &settings);
    let texts: Vec<&str> = window.messages.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(texts, ["question 2", "answer 2", "now"]);
    assert_eq!(window.counts.dropped_count, 4);
    assert_eq!(figures(&window), (3, 4, 4));
}

prop_compose! {
    fn any_message()(
        role in prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::System)],
        text in prop_oneof![Just(String::new()), "[a-zäß🌞 ]{0,300}"],
        results in prop::collection::vec(prop::option::of("[a-z]{0,1500}"), 0..3),
    ) -> Message {
        let tools = results
            .into_iter()
            .map(|result| record("call_1", result.map(Value::from)))
            .collect();
        message(0, role, &text, if role == Role::Assistant { tools } else { vec![] })
    }
}

prop_compose! {
    fn any_settings()(
        include_history in any::<bool>(),
        max_loaded_messages in 0..30_u32,
        preserve_turns in 0..8_usize,
        prune_tools_for_llm in any::<bool>(),
        max_tokens in 0..3_000_usize,
        max_result_tokens in 0..500_usize,
    ) -> Settings {
        Settings {
            include_history, max_loaded_messages, preserve_turns, prune_tools_for_llm, max_tokens, max_result_tokens,
            summary_tokens: 0,
        }
    }
}

proptest! {
    #[test]
    fn the_laws_of_a_window(
        history in prop::collection::vec(any_message(), 0..25),
        settings in any_settings(),
    ) {
        let mut messages = history;
        messages.push(message(1, Role::User, "the current question", vec![]));
        let window = Window::new(&messages, &settings);
        figures(&window);

        // The current message is always there, last, in both forms.
        let markers = window.marker_items();
        prop_assert_eq!(&markers.last().unwrap().content, "the current question");
        let native = window.native_items();
        prop_assert_eq!(
            native.last().unwrap(),
            &NativeItem::Text { role: Role::User, text: "the current question".into() }
        );

        // The budget holds, unless the current message alone is above it.
        prop_assert!(window.counts.tokens <= settings.max_tokens || window.messages.len() == 1);

        // No grounding stands without an answer that is preserved, and only answers have one.
        let grounded = window.messages.iter().filter(|message| message.tools.is_some()).count();
        let marked = markers.iter().filter(|item| item.content.starts_with(GROUNDING_MARKER)).count();
        prop_assert_eq!(grounded, marked);
        prop_assert!(grounded <= window.counts.preserved_count);
        prop_assert!(window.messages.iter().all(|m| m.tools.is_none() || m.role == Role::Assistant));

        // No two calls share an id, and none is empty of an answer.
        let mut ids = std::collections::HashSet::new();
        for item in &native {
            if let NativeItem::Tools(answers) = item {
                prop_assert!(!answers.is_empty());
                for answer in answers {
                    prop_assert!(ids.insert(answer.id.clone()), "{} twice", answer.id);
                    prop_assert!(!answer.result.is_null());
                }
            }
        }
    }
}

#[test]
fn what_is_older_than_the_window_is_summarised_within_its_limit() {
    let settings = Settings {
        max_loaded_messages: 5,
        summary_tokens: 40,
        ..Settings::default()
    };
    assert_eq!(settings.rows(), 20);
    let window = Window::new(&asking(8), &settings);
    let summary = &window.messages[0];
    assert_eq!((summary.role, window.messages.len()), (Role::User, 6));
    assert!(
        summary.text.contains("- question 5 \u{2192} answer 5"),
        "{}",
        summary.text
    );
    assert!(
        !summary.text.contains("question 0"),
        "no room: {}",
        summary.text
    );
    assert!(estimate_tokens(&summary.text) <= 40);
    assert_eq!(window.messages[1].text, "question 6");
    let short = Window::new(&asking(2), &settings);
    assert_eq!(short.messages[0].text, "question 0", "nothing is older");
}

#[test]
fn turns_that_the_budget_drops_are_summarised() {
    let mut messages = asking(3);
    messages[1].text = format!("It is fine. {}", "word ".repeat(2_000));
    let settings = Settings {
        max_tokens: 600,
        summary_tokens: 200,
        prune_tools_for_llm: false,
        ..Settings::default()
    };
    let window = Window::new(&messages, &settings);
    assert!(
        window.messages[0]
            .text
            .ends_with("- question 0 \u{2192} It is fine.")
    );
    assert!(window.counts.tokens <= 600);
}
