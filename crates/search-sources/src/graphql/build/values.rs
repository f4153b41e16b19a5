//! Conversion of values to the types of a schema.

use apollo_compiler::ast::Type;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeZone as _};
use chrono_tz::Tz;
use contracts::tools::search::{FieldType, QueryProblem};
use search::{nearest, problem};
use serde_json::Value;

use super::Target;
use crate::graphql::names::{folded, same};
use crate::graphql::shape;

/// A value for an argument or a member of this type.
pub(super) fn coerced(
    target: &Target<'_>,
    ty: &Type,
    value: &Value,
    pointer: &str,
) -> Result<Value, QueryProblem> {
    if ty.is_list() {
        let single = coerced(target, ty.item_type(), value, pointer)?;
        return Ok(Value::Array(vec![single]));
    }
    let named = ty.inner_named_type().as_str();
    if let Some(values) = target.schema.enum_values(named) {
        let text = text(value);
        let found = values.iter().find(|known| same(known, &text));
        return match found {
            Some(found) => Ok(Value::from(*found)),
            None => Err(no_such_value(&text, values, pointer)),
        };
    }
    let wrong = |what: &str| {
        let text = format!("{value} is not {what}.");
        Err(problem(pointer, "wrong_type", text))
    };
    match named {
        "Int" => match whole(value).and_then(|number| i32::try_from(number).ok()) {
            Some(number) => Ok(Value::from(number)),
            None => wrong("a whole number of 32 bits"),
        },
        "Float" => match number(value) {
            Some(number) => Ok(Value::from(number)),
            None => wrong("a number"),
        },
        "Boolean" => match value {
            Value::Bool(_) => Ok(value.clone()),
            Value::String(text) if text == "true" => Ok(Value::Bool(true)),
            Value::String(text) if text == "false" => Ok(Value::Bool(false)),
            _ => wrong("true or false"),
        },
        "ID" | "String" => Ok(Value::from(text(value))),
        // Numbers beyond 32 bits, or exact ones, are texts where JavaScript would lose digits.
        _ if folded(named).starts_with("big") => match number(value) {
            Some(_) => Ok(Value::from(text(value))),
            None => wrong("a number"),
        },
        _ if shape::field_type(target.schema, ty) == Some(FieldType::Date) => {
            match Moment::of(value, target.zone) {
                Some(moment) => Ok(moment.written(named, target.zone)),
                None => wrong("a day or a time"),
            }
        }
        _ => Ok(value.clone()),
    }
}

fn no_such_value(text: &str, values: Vec<&str>, pointer: &str) -> QueryProblem {
    let allowed = values.join(", ");
    let mut fault = problem(
        pointer,
        "wrong_type",
        format!("'{text}' is none of {allowed}."),
    );
    fault.suggestions = nearest(text, values);
    fault
}

/// A value as text.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// A day, or a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::graphql) enum Moment {
    /// A whole day of the source's zone.
    Day(NaiveDate),
    /// A point in time.
    Time(DateTime<Tz>),
}

impl Moment {
    /// Reads `2025-01-15` and RFC 3339; a time without an offset is the zone's.
    pub(in crate::graphql) fn of(value: &Value, zone: Tz) -> Option<Moment> {
        let text = value.as_str()?.trim();
        if let Ok(day) = text.parse::<NaiveDate>() {
            return Some(Moment::Day(day));
        }
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Some(Moment::Time(time.with_timezone(&zone)));
        }
        let local: NaiveDateTime = text.parse().ok()?;
        zone.from_local_datetime(&local)
            .earliest()
            .map(Moment::Time)
    }

    /// The day, if it is one or when it begins.
    pub(in crate::graphql) fn as_first_of_day(self, zone: Tz) -> Option<NaiveDate> {
        match self {
            Moment::Day(day) => Some(day),
            Moment::Time(time) => {
                let day = time.date_naive();
                (start_of(day, zone) == time).then_some(day)
            }
        }
    }

    /// As a scalar of this name: a day for those that hold days, otherwise the time with its
    /// offset.
    pub(super) fn written(self, scalar: &str, zone: Tz) -> Value {
        match self {
            Moment::Day(day) if shape::is_calendar_date(scalar) => Value::from(day.to_string()),
            Moment::Day(day) => Value::from(rfc3339(start_of(day, zone))),
            Moment::Time(time) if shape::is_calendar_date(scalar) => {
                Value::from(time.date_naive().to_string())
            }
            Moment::Time(time) => Value::from(rfc3339(time)),
        }
    }
}

fn rfc3339(time: DateTime<Tz>) -> String {
    time.to_rfc3339_opts(SecondsFormat::AutoSi, false)
}

/// When a day begins in a zone: where clocks skip midnight, at the first minute after it.
fn start_of(day: NaiveDate, zone: Tz) -> DateTime<Tz> {
    let midnight = day.and_time(NaiveTime::MIN);
    let minutes = (0..180).map(|minute| midnight + chrono::Duration::minutes(minute));
    let mut begun = minutes.filter_map(|local| zone.from_local_datetime(&local).earliest());
    let fallback = || zone.from_utc_datetime(&midnight);
    begun.next().unwrap_or_else(fallback)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn days_begin_in_the_zone() {
        let day = Moment::of(&json!("2025-01-15"), Tz::UTC).unwrap();
        let written = |zone| day.written("Datetime", zone);
        assert_eq!(written(Tz::UTC), json!("2025-01-15T00:00:00+00:00"));
        assert_eq!(
            written(Tz::America__New_York),
            json!("2025-01-15T00:00:00-05:00")
        );
        assert_eq!(
            day.written("Date", Tz::America__New_York),
            json!("2025-01-15")
        );
    }

    #[test]
    fn a_day_without_midnight_begins_when_it_begins() {
        let day = Moment::of(&json!("2018-11-04"), Tz::UTC).unwrap();
        assert_eq!(
            day.written("Datetime", Tz::America__Sao_Paulo),
            json!("2018-11-04T01:00:00-02:00")
        );
    }

    #[test]
    fn times_keep_their_point() {
        let time = Moment::of(&json!("2025-01-15T12:00:00Z"), Tz::America__New_York).unwrap();
        assert_eq!(
            time.written("Datetime", Tz::UTC),
            json!("2025-01-15T07:00:00-05:00")
        );
        assert!(Moment::of(&json!("soon"), Tz::UTC).is_none());
    }
}
