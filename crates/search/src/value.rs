//! Filter values: converted by the type of their field to the form that the rest of the crate uses.
//!
//! Keywords are strings, whole numbers integers, other numbers doubles. A date is a day of the
//! source's zone (`2025-01-08`) or a moment in UTC (`2025-01-08T10:00:00Z`).

use chrono::{DateTime, Days, NaiveDate, SecondsFormat, Utc};
use contracts::tools::search::FieldType;
use serde_json::{Number, Value};

/// Maximum length of a text in characters.
const MAX_TEXT: usize = 1024;

/// A date in a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// A day of the source's zone.
    Day(NaiveDate),
    /// A point in time.
    Moment(DateTime<Utc>),
}

impl When {
    pub(crate) fn read(text: &str) -> Option<When> {
        if let Ok(day) = text.parse::<NaiveDate>() {
            return is_usual(day).then_some(When::Day(day));
        }
        let moment = DateTime::parse_from_rfc3339(text).ok()?.with_timezone(&Utc);
        is_usual(moment.date_naive()).then_some(When::Moment(moment))
    }

    pub(crate) fn value(self) -> Value {
        match self {
            When::Day(day) => day.to_string().into(),
            When::Moment(moment) => moment.to_rfc3339_opts(SecondsFormat::AutoSi, true).into(),
        }
    }
}

/// Whether the year has four digits, with room for the next day.
pub(crate) fn is_usual(day: NaiveDate) -> bool {
    use chrono::Datelike;
    (1000..=9998).contains(&day.year())
}

/// The day after `day`, for which [`is_usual`] holds.
pub(crate) fn next_day(day: NaiveDate) -> NaiveDate {
    day.checked_add_days(Days::new(1)).unwrap_or(day)
}

/// Converts a value to the type of its field, or returns what is wrong with it.
pub(crate) fn typed(value: &Value, field_type: FieldType) -> Result<Value, String> {
    match field_type {
        FieldType::Keyword | FieldType::Text => text(value),
        FieldType::Long => long(value)
            .map(Value::from)
            .ok_or_else(|| format!("{value} is not a whole number.")),
        FieldType::Double => double(value).ok_or_else(|| format!("{value} is not a number.")),
        FieldType::Boolean => boolean(value)
            .map(Value::from)
            .ok_or_else(|| format!("{value} is neither true nor false.")),
        FieldType::Date => value
            .as_str()
            .and_then(When::read)
            .map(When::value)
            .ok_or_else(|| {
                format!(
                    "{value} is neither a day (2025-01-08) nor a time with an offset (2025-01-08T10:00:00Z)."
                )
            }),
    }
}

fn text(value: &Value) -> Result<Value, String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(yes) => yes.to_string(),
        _ => return Err(format!("{value} is not a text.")),
    };
    if text.chars().count() > MAX_TEXT {
        return Err(format!("A text may have at most {MAX_TEXT} characters."));
    }
    if text.contains('\0') {
        return Err("A text may not have a null character.".to_owned());
    }
    Ok(text.into())
}

fn long(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_i64().or_else(|| {
            // Beyond this limit, a double does not represent every whole number.
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and small")]
            number
                .as_f64()
                .filter(|number| number.fract() == 0.0 && number.abs() < 9e15)
                .map(|number| number as i64)
        }),
        _ => None,
    }
}

fn double(value: &Value) -> Option<Value> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        Value::Number(number) => number.as_f64()?,
        _ => return None,
    };
    Number::from_f64(number).map(Value::Number)
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_take_the_form_of_their_type() {
        use FieldType as T;
        let of = |value: Value, field_type| typed(&value, field_type);
        assert_eq!(of(json!(5), T::Keyword), Ok(json!("5")));
        assert_eq!(of(json!("5"), T::Long), Ok(json!(5)));
        assert_eq!(of(json!(5.0), T::Long), Ok(json!(5)));
        assert_eq!(of(json!(5), T::Double), Ok(json!(5.0)));
        assert_eq!(of(json!("TRUE"), T::Boolean), Ok(json!(true)));
        assert_eq!(of(json!("2025-01-08"), T::Date), Ok(json!("2025-01-08")));
        assert_eq!(
            of(json!("2025-01-08T10:00:00+02:00"), T::Date),
            Ok(json!("2025-01-08T08:00:00Z"))
        );
    }

    #[test]
    fn values_of_another_type_are_problems() {
        use FieldType as T;
        for (value, field_type) in [
            (json!({}), T::Keyword),
            (json!("a\0b"), T::Keyword),
            (json!("x".repeat(1025)), T::Keyword),
            (json!(5.5), T::Long),
            (json!("NaN"), T::Double),
            (json!(1), T::Boolean),
            (json!("now-7d"), T::Date),
            (json!("2025-01-08T10:00:00"), T::Date),
            (json!("2025-02-30"), T::Date),
            (json!("+12025-01-01"), T::Date),
            (json!(1_736_294_400_000_i64), T::Date),
        ] {
            assert!(typed(&value, field_type).is_err(), "{value}");
        }
    }
}
