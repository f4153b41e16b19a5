//! Values and labels for people.

use chrono::{NaiveDate, NaiveTime, Timelike};
use contracts::tools::sql::{ResultColumn, ValueKind};
use serde_json::Value;

use crate::language::names::words;

/// The longest text that is shown of a value, in characters.
const LONGEST: usize = 80;

/// A number with its thousands set apart, as it is, at most two places after the point; two digits
/// of a number that these places would make zero.
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
        rounded(&whole, fraction)?
    } else if fraction.is_empty() {
        whole
    } else {
        format!("{whole}.{fraction}")
    };
    Some(grouped(&rounded))
}

/// A number with two places after its point, or as many as show two of its digits. Its digits are
/// taken as they are, since a float has fewer of them.
fn rounded(whole: &str, fraction: &str) -> Option<String> {
    let leading = fraction.bytes().take_while(|byte| *byte == b'0').count();
    let is_zero = whole.bytes().all(|byte| matches!(byte, b'-' | b'0'));
    let places = if is_zero && leading >= 2 {
        leading + 2
    } else {
        2
    };
    let kept = fraction.get(..places.min(fraction.len()))?;
    let is_up = fraction
        .as_bytes()
        .get(places)
        .is_some_and(|byte| *byte >= b'5');
    let mut digits: Vec<u8> = whole.bytes().chain(kept.bytes()).collect();
    let mut carries = is_up;
    for digit in digits.iter_mut().rev().filter(|digit| **digit != b'-') {
        if !carries {
            break;
        }
        carries = *digit == b'9';
        *digit = if carries { b'0' } else { *digit + 1 };
    }
    if carries {
        digits.insert(usize::from(whole.starts_with('-')), b'1');
    }
    let text = String::from_utf8(digits).ok()?;
    let (whole, fraction) = text.split_at_checked(text.len() - kept.len())?;
    Some(format!("{whole}.{fraction}"))
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

/// Last words of the names of columns whose numbers identify or date something: their digits stand
/// together, as on the page.
const IDENTIFYING: [&str; 20] = [
    "id", "ids", "no", "nr", "number", "code", "year", "imo", "mmsi", "zip", "postcode", "phone",
    "vin", "isbn", "ean", "serial", "key", "uuid", "plz", "fax",
];

/// Whether the numbers of a column identify or date something, rather than measure or count it.
pub(crate) fn is_identifying(column: &str) -> bool {
    let words = words(column);
    let last = words.last().map(String::as_str);
    last.is_some_and(|last| IDENTIFYING.contains(&last)) || words.iter().any(|word| word == "year")
}

/// Whether a column has dates or parts of dates.
pub(crate) fn is_time(column: &ResultColumn) -> bool {
    matches!(column.kind, ValueKind::Date | ValueKind::DateTime) || is_period(column)
}

/// Whether a column has parts of dates, as numbers or as texts.
pub(crate) fn is_period(column: &ResultColumn) -> bool {
    words(&column.name)
        .last()
        .is_some_and(|last| ["year", "quarter", "month", "week", "day", "date"].contains(&&**last))
}

/// Whether a value of such a column says that there is none: none, or what `0000-00-00` becomes.
pub(crate) fn is_no_date(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => {
            let digits = text.chars().filter(char::is_ascii_digit);
            text.starts_with("0000") && digits.take(8).all(|digit| digit == '0')
        }
        Some(value) => value.as_f64() == Some(0.0),
    }
}

/// A value in words. `column` is its column's name.
pub(crate) fn spoken(value: &Value, kind: ValueKind, column: &str) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        value if kind == ValueKind::Number && is_identifying(column) => plain(value),
        value if kind == ValueKind::Number => number(value).unwrap_or_else(|| plain(value)),
        Value::String(text)
            if matches!(
                kind,
                ValueKind::Date | ValueKind::DateTime | ValueKind::Time
            ) =>
        {
            moment(text).unwrap_or_else(|| plain(value))
        }
        value => plain(value),
    }
}

/// A day or a time as people write it: `2 January 2026, 10:30 UTC`. `None` where it is neither.
fn moment(text: &str) -> Option<String> {
    let text = text.trim();
    if let Ok(time) = NaiveTime::parse_from_str(text, "%H:%M:%S%.f") {
        return Some(clock(time));
    }
    let (day, rest) = text.split_at_checked(10)?;
    let day = NaiveDate::parse_from_str(day, "%Y-%m-%d").ok()?;
    let day = day.format("%-d %B %Y").to_string();
    let rest = rest.trim_start_matches(['T', ' ']);
    if rest.is_empty() {
        return Some(day);
    }
    let zone = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
    let (time, zone) = rest.split_at(zone);
    let time = NaiveTime::parse_from_str(time, "%H:%M:%S%.f")
        .or_else(|_| NaiveTime::parse_from_str(time, "%H:%M"))
        .ok()?;
    Some(match zone {
        "" if time == NaiveTime::MIN => day,
        "" => format!("{day}, {}", clock(time)),
        "Z" | "+00:00" | "+00" => format!("{day}, {} UTC", clock(time)),
        zone => format!("{day}, {} (UTC{zone})", clock(time)),
    })
}

fn clock(time: NaiveTime) -> String {
    let form = if time.second() == 0 {
        "%H:%M"
    } else {
        "%H:%M:%S"
    };
    time.format(form).to_string()
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
            (json!(0.666_666), "0.67"),
            (json!(0.001_234), "0.0012"),
            (json!("-0.00996"), "-0.0100"),
            (json!("-9.999"), "-10.00"),
            (
                json!("98765432109876543210.126"),
                "98,765,432,109,876,543,210.13",
            ),
            (json!("12.00"), "12"),
            (json!(999), "999"),
        ] {
            assert_eq!(number(&value).as_deref(), Some(text), "{value}");
        }
        assert_eq!(number(&json!("12 apples")), None);
        assert_eq!(number(&json!(null)), None);
    }

    #[test]
    fn years_and_ids_are_not_grouped() {
        for (column, value, text) in [
            ("year", 2021, "2021"),
            ("buildYear", 2004, "2004"),
            ("YEAR(issuedOn)", 2021, "2021"),
            ("year_of_birth", 1987, "1987"),
            ("imo", 9_839_430, "9839430"),
            ("customerId", 123_456, "123456"),
            ("invoiceNumber", 20_211, "20211"),
            ("postcode", 53_111, "53111"),
            ("hours", 2_021, "2,021"),
            ("years", 2_021, "2,021"),
            ("employees", 123_456, "123,456"),
        ] {
            assert_eq!(
                spoken(&json!(value), ValueKind::Number, column),
                text,
                "{column}"
            );
        }
    }

    #[test]
    fn values_are_spoken_by_their_kind() {
        for (value, kind, text) in [
            (json!(null), ValueKind::Text, "none"),
            (json!(true), ValueKind::Boolean, "yes"),
            (
                json!("2026-01-02T00:00:00"),
                ValueKind::DateTime,
                "2 January 2026",
            ),
            (
                json!("2026-01-02T10:30:00"),
                ValueKind::DateTime,
                "2 January 2026, 10:30",
            ),
            (
                json!("2025-01-14T13:29:07.25Z"),
                ValueKind::DateTime,
                "14 January 2025, 13:29:07 UTC",
            ),
            (
                json!("2025-01-14T13:29:00+05:30"),
                ValueKind::DateTime,
                "14 January 2025, 13:29 (UTC+05:30)",
            ),
            (json!("2024-05-01"), ValueKind::Date, "1 May 2024"),
            (json!("10:30:00"), ValueKind::Time, "10:30"),
            (json!("soon"), ValueKind::Date, "soon"),
            (json!("0049"), ValueKind::Text, "0049"),
        ] {
            assert_eq!(spoken(&value, kind, "x"), text);
        }
        assert!(
            spoken(&json!("x".repeat(200)), ValueKind::Text, "x")
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
