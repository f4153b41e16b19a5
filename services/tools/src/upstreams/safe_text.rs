//! What of an upstream's words may be passed on: not much of an error, and never a secret.

use serde_json::Value;

/// The longest excerpt of what an upstream says of an error.
const LONGEST: usize = 200;

/// What represents a secret.
const REDACTED: &str = "[redacted]";

/// A sentence from the body of an error, where it has one that can be shown: from JSON, and without
/// anything that looks like a secret.
pub(super) fn excerpt(body: &[u8], secrets: &[&str]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let said = [
        "/error/message",
        "/message",
        "/detail",
        "/error_description",
        "/title",
        "/error",
    ]
    .iter()
    .find_map(|place| body.pointer(place)?.as_str())?;
    let words: Vec<&str> = said.split_whitespace().collect();
    let said: String = words
        .join(" ")
        .chars()
        .filter(|c| !c.is_control())
        .collect();
    if said.is_empty() || is_secret(&said, secrets) {
        return None;
    }
    Some(said.chars().take(LONGEST).collect())
}

/// Takes secrets out of a value, wherever they stand.
pub(super) fn redact(value: &mut Value, secrets: &[&str]) {
    match value {
        Value::String(text) => redact_text(text, secrets),
        Value::Array(items) => items.iter_mut().for_each(|item| redact(item, secrets)),
        Value::Object(members) => {
            members
                .values_mut()
                .for_each(|member| redact(member, secrets));
            if members.keys().any(|key| contains_any(key, secrets)) {
                members.retain(|key, _| !contains_any(key, secrets));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn redact_text(text: &mut String, secrets: &[&str]) {
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        if text.contains(secret) {
            *text = text.replace(secret, REDACTED);
        }
    }
}

/// Also the beginning of any JWT.
fn is_secret(text: &str, secrets: &[&str]) -> bool {
    text.contains("eyJ") || contains_any(text, secrets)
}

fn contains_any(text: &str, secrets: &[&str]) -> bool {
    secrets
        .iter()
        .any(|secret| !secret.is_empty() && text.contains(secret))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sentence_is_passed_on_and_a_page_or_a_secret_is_not() {
        let said = |body: &str| excerpt(body.as_bytes(), &["tok-1"]);
        assert_eq!(
            said(r#"{"message":"No  such\ninventory"}"#).unwrap(),
            "No such inventory"
        );
        assert_eq!(said(r#"{"error":{"message":"m"}}"#).unwrap(), "m");
        assert_eq!(
            said(&json!({ "detail": "x".repeat(999) }).to_string())
                .unwrap()
                .len(),
            LONGEST
        );
        for body in [
            "<html>stack trace</html>",
            r#"{"message":"bad tok-1"}"#,
            r#"{"error":"eyJhbGciOi"}"#,
            r#"{"message":" "}"#,
            "{}",
            "[1]",
        ] {
            assert_eq!(said(body), None, "{body}");
        }
    }

    #[test]
    fn an_answer_that_repeats_the_token_does_so_without_it() {
        let mut value =
            json!({ "headers": [{ "authorization": "Bearer tok-1" }], "tok-1": 1, "n": 1 });
        redact(&mut value, &["tok-1", ""]);
        assert_eq!(
            value,
            json!({ "headers": [{ "authorization": "Bearer [redacted]" }], "n": 1 })
        );
    }
}
