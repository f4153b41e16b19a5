//! What PostgreSQL cannot store: the NUL character, in a text and in JSON that it has to look into.
//!
//! It represents nothing that a person reads, so it becomes the replacement character instead of
//! costing the whole message.

use std::borrow::Cow;

use serde::Serialize;

/// The text without NUL.
pub fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        text.replace('\0', "\u{fffd}").into()
    } else {
        text.into()
    }
}

/// The value as JSON without NUL in its strings.
pub fn storable_json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(value)?;
    if !json.contains("\\u0000") {
        return Ok(json);
    }
    let mut clean = String::with_capacity(json.len());
    let mut rest = json.as_str();
    // An escape is a backslash with what follows it: taken together, an escaped backslash hides no
    // escape.
    while let Some(start) = rest.find('\\') {
        let (before, escape) = rest.split_at(start);
        clean.push_str(before);
        rest = if let Some(after) = escape.strip_prefix("\\u0000") {
            clean.push('\u{fffd}');
            after
        } else {
            let (pair, after) = escape.split_at(2);
            clean.push_str(pair);
            after
        };
    }
    clean.push_str(rest);
    Ok(clean)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    proptest! {
        #[test]
        fn nothing_but_nul_is_changed(text in r#"[\\\\"u0a\x00\n🌞]{0,12}"#) {
            let value = Value::from([text.clone()].to_vec());
            let back: Vec<String> = serde_json::from_str(&storable_json(&value).unwrap()).unwrap();
            prop_assert_eq!(&back[0], &text.replace('\0', "\u{fffd}"));
            prop_assert_eq!(storable(&text), text.replace('\0', "\u{fffd}"));
        }
    }
}
