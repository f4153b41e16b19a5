//! Any text can be read, and quickly.

use proptest::prelude::*;

use super::*;

fn wordy() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "Port",
        "of",
        "Miami",
        "the",
        "second",
        "one",
        "first",
        "for",
        "Anna",
        "and",
        ",",
        "but",
        "also",
        "2",
        "b",
        "option",
        "#",
        "both",
        "forget it",
        "instead",
        "show me",
        "not",
        "or",
        "MSC",
        "last",
        ":",
        "is",
        "cancel",
        "\u{301}",
        "İ",
        "ß",
        "1st",
        "analyze",
        "these",
        "results",
        "only",
        "Selected:",
    ]);
    prop::collection::vec(word, 0..24).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn only_options_are_chosen(text in prop_oneof![any::<String>(), wordy()]) {
        let open = two();
        let read = read_reply(&text, &to(&open));
        let mut reply = &read.reply;
        if let Reply::Unclear(guess) = reply {
            prop_assert!(!matches!(**guess, Reply::Unclear(_)));
            prop_assert!(read.confidence < 0.6);
            reply = guess;
        }
        let (Reply::Exact(answers) | Reply::Modification { answers, .. }) = reply else {
            return Ok(());
        };
        for answer in answers {
            let part = open.clarification.parts.iter().find(|part| part.about == answer.about).unwrap();
            prop_assert!(part.options.iter().any(|option| Some(&option.id) == answer.option_id.as_ref()));
            prop_assert!(text.contains(&answer.text));
        }
    }
}

#[test]
fn a_long_message_is_read_in_no_time() {
    let open = two();
    for piece in [
        "Port of Miami ",
        "a",
        "1 ",
        "analyze these ",
        "forget it, ",
        ", ",
        "é",
    ] {
        let text = piece.repeat(16 * 1024 / piece.len());
        for standing in [
            to(&open),
            ReplyContext {
                has_results: true,
                active: true,
                ..ReplyContext::default()
            },
        ] {
            let read = read_reply(&text, &standing);
            assert!(read.confidence <= 1.0);
        }
    }
}
