//! Values of PostgreSQL, as the simple protocol sends them: every type has a text form.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sqlx::TypeInfo;
use sqlx::postgres::{PgRow, PgTypeInfo, PgTypeKind};
use sqlx::{Row, ValueRef};

use super::{ValueKind, decimal, double, integer};

/// What values of this type are.
pub(crate) fn kind(info: &PgTypeInfo) -> ValueKind {
    match info.kind() {
        PgTypeKind::Array(_) => return ValueKind::Json,
        PgTypeKind::Enum(_) => return ValueKind::Text,
        PgTypeKind::Domain(inner) => return kind(inner),
        PgTypeKind::Composite(_) | PgTypeKind::Range(_) => return ValueKind::Other,
        _ => {}
    }
    match info.name() {
        "BOOL" => ValueKind::Boolean,
        "INT2" | "INT4" | "INT8" | "FLOAT4" | "FLOAT8" | "NUMERIC" | "OID" => ValueKind::Number,
        "TEXT" | "VARCHAR" | "CHAR" | "\"CHAR\"" | "NAME" | "UUID" | "CITEXT" | "citext"
        | "UNKNOWN" => ValueKind::Text,
        "DATE" => ValueKind::Date,
        "TIME" | "TIMETZ" => ValueKind::Time,
        "TIMESTAMP" | "TIMESTAMPTZ" => ValueKind::DateTime,
        "JSON" | "JSONB" => ValueKind::Json,
        "BYTEA" => ValueKind::Binary,
        _ => ValueKind::Other,
    }
}

/// The value of a column.
pub(crate) fn value(row: &PgRow, index: usize, info: &PgTypeInfo) -> Result<Value, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Value::Null);
    }
    let bytes = raw.as_bytes().map_err(sqlx::Error::Decode)?;
    Ok(decoded(&String::from_utf8_lossy(bytes), info))
}

/// Whether a column of an own query is true.
pub(crate) fn is_true(row: &PgRow, index: usize) -> Result<bool, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    Ok(!raw.is_null() && raw.as_bytes().map_err(sqlx::Error::Decode)? == b"t")
}

fn decoded(text: &str, info: &PgTypeInfo) -> Value {
    match info.kind() {
        PgTypeKind::Array(element) => return array(text, element),
        PgTypeKind::Domain(inner) => return decoded(text, inner),
        _ => {}
    }
    match info.name() {
        "BOOL" => (text == "t").into(),
        "INT2" | "INT4" | "INT8" | "OID" => text.parse().map_or_else(|_| text.into(), integer),
        "FLOAT4" | "FLOAT8" => text.parse().map_or_else(|_| text.into(), double),
        "NUMERIC" => decimal(text),
        "TIMESTAMP" => text.replacen(' ', "T", 1).into(),
        "TIMESTAMPTZ" => zulu(text.replacen(' ', "T", 1)).into(),
        "TIMETZ" => zulu(text.to_owned()).into(),
        "JSON" | "JSONB" => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        "BYTEA" => STANDARD.encode(unhexed(text)).into(),
        _ => text.into(),
    }
}

/// UTC as `Z`. Sessions run in UTC; times with a zone of their own keep it.
fn zulu(text: String) -> String {
    match text.strip_suffix("+00") {
        Some(local) => format!("{local}Z"),
        None => text,
    }
}

fn unhexed(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix("\\x").unwrap_or(text).as_bytes();
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
            .unwrap_or(0)
    };
    digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, &next| byte << 4 | digit(next)))
        .collect()
}

/// `{1,NULL,"a \"b\""}`, nested for each dimension; `[2:3]={…}` where it does not begin at 1.
fn array(text: &str, element: &PgTypeInfo) -> Value {
    let body = match text.split_once('=') {
        Some((bounds, body)) if bounds.starts_with('[') => body,
        _ => text,
    };
    let mut rest = body.chars().peekable();
    read_array(&mut rest, element).unwrap_or_else(|| text.into())
}

/// `None` if the text is not an array.
fn read_array(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    element: &PgTypeInfo,
) -> Option<Value> {
    (rest.next()? == '{').then_some(())?;
    let mut items = Vec::new();
    if rest.peek() == Some(&'}') {
        rest.next();
        return Some(items.into());
    }
    loop {
        items.push(match rest.peek()? {
            '{' => read_array(rest, element)?,
            '"' => decoded(&read_quoted(rest)?, element),
            _ => {
                let mut word = String::new();
                while let Some(c) = rest.next_if(|c| !matches!(c, ',' | '}')) {
                    word.push(c);
                }
                if word.eq_ignore_ascii_case("null") {
                    Value::Null
                } else {
                    decoded(&word, element)
                }
            }
        });
        match rest.next()? {
            ',' => {}
            '}' => return Some(items.into()),
            _ => return None,
        }
    }
}

fn read_quoted(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    rest.next();
    let mut text = String::new();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => text.push(rest.next()?),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{Postgres, Type};

    use super::*;

    #[test]
    fn arrays_become_lists() {
        let of = |text: &str| array(text, &<str as Type<Postgres>>::type_info()).to_string();
        assert_eq!(
            of(r#"{a,NULL,"b, \"c\"\\",""}"#),
            r#"["a",null,"b, \"c\"\\",""]"#
        );
        assert_eq!(of("{{a,b},{c,d}}"), r#"[["a","b"],["c","d"]]"#);
        assert_eq!(of("[0:1]={x,y}"), r#"["x","y"]"#);
        assert_eq!(of("{}"), "[]");
        assert_eq!(of("{a"), r#""{a""#);
    }

    #[test]
    fn bytes_and_zones() {
        assert_eq!(unhexed("\\x00ff41"), [0, 255, 65]);
        assert_eq!(
            zulu("2024-01-01T00:00:00.5+00".to_owned()),
            "2024-01-01T00:00:00.5Z"
        );
        assert_eq!(zulu("10:00:00+02".to_owned()), "10:00:00+02");
    }
}
