use serde_json::json;

use super::*;

#[test]
fn an_answer_as_a_value_is_read_in_every_form() {
    for (output, expected) in [
        (json!("A"), Some("A")),
        (json!(["A", "B"]), Some("A, B")),
        (json!({ "selection": "A" }), Some("A")),
        (
            json!({ "selection": ["A", "B"], "selectedFor": "logger_ids" }),
            Some("A, B"),
        ),
        (json!({ "value": "A" }), Some("A")),
        (json!({ "date": "2025-12-01" }), Some("2025-12-01")),
        (
            json!({ "start": "2025-12-01", "end": "2025-12-02" }),
            Some("2025-12-01:2025-12-02"),
        ),
        (
            json!({ "selection": { "start": "2025-12-01", "end": "2025-12-02" } }),
            Some("2025-12-01:2025-12-02"),
        ),
        (json!({ "cancelled": true }), Some("cancel")),
        (json!(null), None),
        (json!(7), None),
        (json!([]), None),
        (json!(["A", 7]), None),
        (json!("  "), None),
        (json!({ "unrelated": "A" }), None),
    ] {
        assert_eq!(selection_words(&output).as_deref(), expected, "{output}");
    }
}

#[test]
fn messages_of_pickers_are_known_by_their_beginning() {
    assert!(
        is_picked("Selected: A") && is_picked("  user selected: A") && is_picked("I Selected: A")
    );
    assert!(!is_picked("I selected the wrong one") && !is_picked("select: A"));
}
