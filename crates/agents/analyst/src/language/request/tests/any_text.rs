//! Any text can be read, and quickly.

use proptest::prelude::*;

use super::*;

fn wordy() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "show",
        "shipments",
        "to",
        "Miami",
        "last",
        "week",
        "top",
        "5",
        "by",
        "average",
        "delay",
        "per",
        "month",
        "not",
        "delivered",
        "or",
        "more",
        "than",
        "$",
        "10",
        "k",
        ",",
        ".",
        "between",
        "and",
        "status",
        "is",
        "the",
        "most",
        "carrier",
        "latest",
        "how many",
        "number of",
        "\"",
        "MSCU1234565",
        "-",
        "with",
        "highest",
        "sorted by",
        "é",
        "of",
        "each",
        "top",
        "limit",
        "999999999999",
        "vessel",
        "has",
        "in",
        "transit",
        "\u{301}",
    ]);
    prop::collection::vec(word, 0..30).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text_is_read(text in prop_oneof![any::<String>(), wordy()]) {
        let request = read(&text);
        for left in &request.leftover {
            prop_assert_eq!(&text[left.span.clone()], left.words.as_str());
        }
        for hint in &request.entity_hints {
            prop_assert!(text.contains(&hint.text));
        }
        for measure in &request.measures {
            let known = measure.term.as_ref().is_none_or(|words| {
                request.terms.iter().any(|term| matches!(term.role, TermRole::Measure | TermRole::GroupBy) && &term.text == words)
            });
            prop_assert!(known, "{:?}", request);
        }
        prop_assert!(request.group_by.len() <= 3 && request.terms.len() <= 32);
    }
}

#[test]
fn a_long_request_is_read_in_no_time() {
    let sources = shipping();
    for piece in [
        "show shipments to Miami ",
        "more than 5 ",
        "a",
        "not ",
        "top 5 by ",
        "\"",
        "A-1",
        "between 3 and ",
    ] {
        let text = piece.repeat(16 * 1024 / piece.len());
        let request = read_request(&text, &sources, today());
        assert!(request.terms.len() <= 32);
    }
}
