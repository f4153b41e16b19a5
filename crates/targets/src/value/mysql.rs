//! Values of `MySQL` and `MariaDB`, as the binary protocol sends them.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sqlx::mysql::{MySqlRow, MySqlTypeInfo};
use sqlx::{MySql, Row, Type, TypeInfo};

use super::{ValueKind, decimal, double, integer, unsigned};

/// What values of this type are.
pub(crate) fn kind(info: &MySqlTypeInfo) -> ValueKind {
    match info.name() {
        "BOOLEAN" => ValueKind::Boolean,
        "TINYINT" | "SMALLINT" | "INT" | "MEDIUMINT" | "BIGINT" | "TINYINT UNSIGNED"
        | "SMALLINT UNSIGNED" | "INT UNSIGNED" | "MEDIUMINT UNSIGNED" | "BIGINT UNSIGNED"
        | "FLOAT" | "DOUBLE" | "DECIMAL" | "YEAR" | "BIT" => ValueKind::Number,
        "DATE" => ValueKind::Date,
        "TIME" => ValueKind::Time,
        "DATETIME" | "TIMESTAMP" => ValueKind::DateTime,
        "JSON" => ValueKind::Json,
        "NULL" | "GEOMETRY" => ValueKind::Other,
        "ENUM" | "SET" => ValueKind::Text,
        // A text of a binary collation bears the name of a binary type; its character set
        // distinguishes them.
        _ if <str as Type<MySql>>::compatible(info) => ValueKind::Text,
        _ => ValueKind::Binary,
    }
}

/// The value of a column.
pub(crate) fn value(
    row: &MySqlRow,
    index: usize,
    info: &MySqlTypeInfo,
) -> Result<Value, sqlx::Error> {
    let Some(bytes) = row.try_get_unchecked::<Option<&[u8]>, _>(index)? else {
        return Ok(Value::Null);
    };
    Ok(decoded(bytes, info.name(), kind(info)))
}

fn decoded(bytes: &[u8], name: &str, kind: ValueKind) -> Value {
    match name {
        "BOOLEAN" => match bytes {
            [0] => false.into(),
            [1] => true.into(),
            _ => integer(signed(bytes)),
        },
        "FLOAT" => match bytes.try_into().map(f32::from_le_bytes) {
            // The shortest decimal that is this float: 0.1, not 0.10000000149.
            Ok(value) => value.to_string().parse().map_or(Value::Null, double),
            Err(_) => Value::Null,
        },
        "DOUBLE" => bytes
            .try_into()
            .map(f64::from_le_bytes)
            .map_or(Value::Null, double),
        "DECIMAL" => decimal(&text(bytes)),
        "BIT" => unsigned(
            bytes
                .iter()
                .fold(0, |bits, byte| bits << 8 | u64::from(*byte)),
        ),
        "YEAR" => unsigned(little_endian(bytes)),
        // `0000-00-00` is what these servers store for no date.
        "DATE" | "DATETIME" | "TIMESTAMP" if is_no_date(bytes) => Value::Null,
        "DATE" => date(bytes).into(),
        "DATETIME" => date_time(bytes).into(),
        "TIMESTAMP" => format!("{}Z", date_time(bytes)).into(),
        "TIME" => time(bytes).into(),
        "JSON" => serde_json::from_slice(bytes).unwrap_or_else(|_| text(bytes).into()),
        _ if kind == ValueKind::Number && name.ends_with("UNSIGNED") => {
            unsigned(little_endian(bytes))
        }
        _ if kind == ValueKind::Number => integer(signed(bytes)),
        _ if kind == ValueKind::Text => text(bytes).into(),
        _ => STANDARD.encode(bytes).into(),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .take(8)
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * u32::try_from(bytes.len().clamp(1, 8)).unwrap_or(8);
    // Shifted up and down again, so that the sign's bit fills what is above it.
    (little_endian(bytes) << unused).cast_signed() >> unused
}

/// Parts are sent as bytes behind their count: what is zero at the end is left out.
fn part(bytes: &[u8], from: usize, length: usize) -> u64 {
    bytes.get(from..from + length).map_or(0, little_endian)
}

fn is_no_date(bytes: &[u8]) -> bool {
    part(bytes, 1, 2) == 0 && part(bytes, 3, 1) == 0 && part(bytes, 4, 1) == 0
}

fn date(bytes: &[u8]) -> String {
    format!(
        "{:04}-{:02}-{:02}",
        part(bytes, 1, 2),
        part(bytes, 3, 1),
        part(bytes, 4, 1)
    )
}

fn date_time(bytes: &[u8]) -> String {
    let clock = format!(
        "{:02}:{:02}:{:02}",
        part(bytes, 5, 1),
        part(bytes, 6, 1),
        part(bytes, 7, 1)
    );
    format!("{}T{clock}{}", date(bytes), fraction(part(bytes, 8, 4)))
}

/// A time of day, or a span of up to 838 hours, with its sign.
fn time(bytes: &[u8]) -> String {
    let sign = if part(bytes, 1, 1) == 1 { "-" } else { "" };
    let hours = part(bytes, 2, 4) * 24 + part(bytes, 6, 1);
    format!(
        "{sign}{hours:02}:{:02}:{:02}{}",
        part(bytes, 7, 1),
        part(bytes, 8, 1),
        fraction(part(bytes, 9, 4))
    )
}

fn fraction(micros: u64) -> String {
    let mut text = String::new();
    if micros > 0 {
        // Writing to a string does not fail.
        let _ = write!(text, ".{micros:06}");
    }
    text.trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_left_out_are_zero() {
        assert_eq!(date(&[4, 0xE8, 0x07, 2, 29]), "2024-02-29");
        assert_eq!(date_time(&[4, 0xE8, 0x07, 2, 29]), "2024-02-29T00:00:00");
        assert_eq!(
            date_time(&[11, 0xE8, 0x07, 2, 29, 1, 2, 3, 0x20, 0xA1, 0x07, 0]),
            "2024-02-29T01:02:03.5"
        );
        let zero = |name: &str, bytes: &[u8]| decoded(bytes, name, ValueKind::DateTime);
        for name in ["DATE", "DATETIME", "TIMESTAMP"] {
            assert_eq!(zero(name, &[0]), Value::Null, "{name}");
            assert_eq!(zero(name, &[4, 0, 0, 0, 0]), Value::Null, "{name}");
        }
        assert_eq!(zero("DATE", &[4, 0xE8, 0x07, 0, 0]), "2024-00-00");
        assert_eq!(time(&[0]), "00:00:00");
        assert_eq!(time(&[8, 1, 2, 0, 0, 0, 3, 4, 5]), "-51:04:05");
        assert_eq!(signed(&[0xFF]), -1);
        assert_eq!(signed(&(-5_i64).to_le_bytes()), -5);
        assert_eq!(signed(&200_i16.to_le_bytes()), 200);
    }
}
