use super::*;

/// The text and the call of an answer that arrives in pieces of `size` characters.
fn read(text: &str, size: usize) -> (String, Option<WrittenCall>) {
    let mut calls = WrittenCalls::default();
    let mut given = String::new();
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(size) {
        given.push_str(&calls.add(&piece.iter().collect::<String>()));
    }
    let (rest, call) = calls.finish();
    (given + &rest, call)
}

#[test]
fn written_calls_are_taken_out_of_the_text() {
    let cases = [
        (
            "<|python_tag|>{\"name\": \"list_loggers\", \"parameters\": {}}",
            "",
            "list_loggers",
        ),
        (
            "Let me see. <tool_call>\n{\"name\": \"a\", \"arguments\": {}}\n</tool_call>",
            "Let me see. ",
            "a",
        ),
        ("[TOOL_CALLS][{\"name\":\"b\",\"arguments\":{}}]", "", "b"),
        ("Ü <function=get_it>{\"x\":1}</function>", "Ü ", "get_it"),
        ("<|python_tag|>get_power.call(x=1)", "", "get_power"),
        ("<|python_tag|>", "", ""),
        (" {\"name\": \"c\", \"parameters\": {\"n\": 1}} ", "", "c"),
        (
            "{\"type\": \"function\", \"function\": {\"name\": \"d\", \"arguments\": {}}}",
            "",
            "d",
        ),
        (
            "```json\n{\"name\": \"e\", \"arguments\": {}}\n```",
            "",
            "e",
        ),
        ("[{\"name\": \"f\", \"arguments\": {\"n\": 1}}]", "", "f"),
        ("{\"action\": \"g\", \"action_input\": {\"n\": 1}}", "", "g"),
        (
            "<|channel|>commentary to=functions.h <|constrain|>json<|message|>{}<|call|>",
            "",
            "h",
        ),
        (
            "I look. <invoke name=\"i\"><parameter name=\"n\">1</parameter></invoke>",
            "I look. ",
            "i",
        ),
    ];
    for (answer, text, name) in cases {
        for size in [1, 2, 5, 1000] {
            let (given, call) = read(answer, size);
            assert_eq!(
                (given.as_str(), call.unwrap().name.as_str()),
                (text, name),
                "{answer}"
            );
        }
    }
}

#[test]
fn all_other_text_is_given_out_as_it_is() {
    let texts = [
        "",
        "  ",
        "Power < 5 kW, <b>bold</b> and [TOOL_KIT] of <|x|>",
        "ends like a marker <|python_ta",
        "ends in <",
        "{\"name\": \"Anna\", \"age\": 5}",
        "{\"name\": ",
        "{\"intent\": \"greeting\"}",
        "[1] says so",
        "[{\"day\": 1}]",
        "```json\n{\"name\": \"Anna\"}\n```",
        "```rust\nfn main() {}\n```",
        "``",
        "{\n",
    ];
    for text in texts {
        for size in [1, 3, 1000] {
            assert_eq!(read(text, size), (text.to_owned(), None), "{text:?}");
        }
    }
}

#[test]
fn text_is_held_back_no_longer_than_it_may_become_a_call() {
    let mut calls = WrittenCalls::default();
    assert_eq!(calls.add("a <"), "a ");
    assert_eq!(calls.add("|py"), "");
    assert_eq!(calls.add("x b"), "<|pyx b");
    let mut json = WrittenCalls::default();
    assert_eq!(json.add("{\"in"), "{\"in");
}

#[test]
fn only_the_beginning_of_a_written_call_is_kept() {
    let (_, call) = read(&format!("<|python_tag|>{}", "ü".repeat(20_000)), 1000);
    assert!(call.unwrap().text.len() <= MAX_KEPT);
}
