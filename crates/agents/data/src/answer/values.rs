//! Values and labels for people.

use contracts::tools::sql::ValueKind;
use serde_json::Value;

use crate::language::names::words;

/// The longest text that is shown of a value, in characters.
const LONGEST: usize = 80;

/// A number with its thousands set apart, as it is, at most two places after the point.
pub(crate) fn number(value: &Value) -> Option<String> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole.to_owned(), fraction),
        None => (text.clone(), ""),
    };
    let digits = whole.strip_prefix('-').unwrap_or(&whole);
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty() || !plain(digits) || !plain(fraction) {
        // An exponent, say.
        return text
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
            .map(|_| text);
    }
    let fraction = fraction.trim_end_matches('0');
    let rounded = if fraction.len() > 2 {
        let number: f64 = text.parse().ok()?;
        format!("{number:.2}")
    } else if fraction.is_empty() {
        whole
    } else {
        format!("{whole}.{fraction}")
    };
    Some(grouped(&rounded))
}

fn grouped(number: &str) -> String {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let (sign, digits) = whole
        .strip_prefix('-')
        .map_or(("", whole), |digits| ("-", digits));
    let mut text = String::from(sign);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

/// A value in words.
pub(crate) fn spoken(value: &Value, kind: ValueKind) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        value if kind == ValueKind::Number => number(value).unwrap_or_else(|| plain(value)),
        Value::String(text) if kind == ValueKind::DateTime => {
            let text = text.replacen('T', " ", 1);
            text.strip_suffix(" 00:00:00")
                .map_or(text.clone(), str::to_owned)
        }
        value => plain(value),
    }
}

fn plain(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    cut(&text, LONGEST)
}

/// The beginning of a text, with a mark where there was more.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}

/// A column's label in words: `active_technicians` is "active technicians", `COUNT(*)` "count".
pub(crate) fn label(column: &str) -> String {
    let words = words(column);
    if words.is_empty() {
        column.to_owned()
    } else {
        words.join(" ")
    }
}

/// With a capital.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_keep_their_value() {
        for (value, text) in [
            (json!(10), "10"),
            (json!(1_234_567), "1,234,567"),
            (json!(-1234.5), "-1,234.5"),
            (
                json!("98765432109876543210.10"),
                "98,765,432,109,876,543,210.1",
            ),
            (json!(0.333_333), "0.33"),
            (json!("12.00"), "12"),
            (json!(999), "999"),
        ] {
            assert_eq!(number(&value).as_deref(), Some(text), "{value}");
        }
        assert_eq!(number(&json!("12 apples")), None);
        assert_eq!(number(&json!(null)), None);
    }

    #[test]
    fn values_are_spoken_by_their_kind() {
        for (value, kind, text) in [
            (json!(null), ValueKind::Text, "none"),
            (json!(true), ValueKind::Boolean, "yes"),
            (
                json!("2026-01-02T00:00:00"),
                ValueKind::DateTime,
                "2026-01-02",
            ),
            (
                json!("2026-01-02T10:30:00"),
                ValueKind::DateTime,
                "2026-01-02 10:30:00",
            ),
            (json!("0049"), ValueKind::Text, "0049"),
        ] {
            assert_eq!(spoken(&value, kind), text);
        }
        assert!(
            spoken(&json!("x".repeat(200)), ValueKind::Text)
                .chars()
                .count()
                <= LONGEST + 1
        );
        assert_eq!(
            (label("activeTechnicians"), label("COUNT(*)")),
            ("active technicians".to_owned(), "count".to_owned())
        );
    }
}
