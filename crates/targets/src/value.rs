//! Values of a database as JSON.
//!
//! Nothing is rounded: a number that a double does not hold exactly becomes a string. Dates and
//! times are ISO 8601, with a zone only where the column has one; bytes are base64.

#[cfg(feature = "mariadb")]
pub(crate) mod mysql;
pub(crate) mod postgres;

use serde_json::{Number, Value};

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ValueKind {
    Number,
    Text,
    Boolean,
    Date,
    Time,
    DateTime,
    Json,
    Binary,
    Other,
}

/// The largest whole number up to which a double holds every one.
const EXACT: u64 = 1 << 53;

pub(crate) fn integer(value: i64) -> Value {
    if value.unsigned_abs() <= EXACT {
        value.into()
    } else {
        value.to_string().into()
    }
}

#[cfg(any(feature = "mariadb", test))]
pub(crate) fn unsigned(value: u64) -> Value {
    if value <= EXACT {
        value.into()
    } else {
        value.to_string().into()
    }
}

/// A decimal as the database writes it: a number of up to 15 digits survives being a double.
pub(crate) fn decimal(text: &str) -> Value {
    let digits = text
        .trim_start_matches(['-', '+', '0', '.'])
        .chars()
        .filter(char::is_ascii_digit);
    let fraction = text.contains('.');
    let significant: String = digits.collect();
    let significant = if fraction {
        significant.trim_end_matches('0')
    } else {
        &significant
    };
    if significant.len() > 15 {
        return text.into();
    }
    if let (false, Ok(whole)) = (fraction, text.parse::<i64>()) {
        return integer(whole);
    }
    text.parse()
        .ok()
        .and_then(Number::from_f64)
        .map_or_else(|| text.into(), Value::Number)
}

/// A double; infinities and NaN, which JSON does not have, as text.
pub(crate) fn double(value: f64) -> Value {
    Number::from_f64(value).map_or_else(|| value.to_string().into(), Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_or_text() {
        assert_eq!(decimal("10.50").to_string(), "10.5");
        assert_eq!(decimal("0.10").to_string(), "0.1");
        assert_eq!(decimal("-3").to_string(), "-3");
        assert_eq!(decimal("0").to_string(), "0");
        assert_eq!(decimal("0.000000000000000001").to_string(), "1e-18");
        assert_eq!(
            decimal("123456789012345.678").to_string(),
            "\"123456789012345.678\""
        );
        assert_eq!(decimal("NaN").to_string(), "\"NaN\"");
        assert_eq!(
            integer(9_007_199_254_740_993).to_string(),
            "\"9007199254740993\""
        );
        assert_eq!(unsigned(u64::MAX).to_string(), "\"18446744073709551615\"");
        assert_eq!(double(f64::INFINITY).to_string(), "\"inf\"");
    }
}
