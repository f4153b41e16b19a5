//! Rows that are too large stay in the database: PostgreSQL measures each before it sends it.
//!
//! A limit on bytes that is looked at when a row is here comes too late for a cell of some hundred
//! megabytes, which the driver reads whole. So the statement is put into another one that gives,
//! beside its columns, whether the row is larger than the whole result may be; of such a row the
//! long columns are not sent. Everything else comes as the statement gives it, in its order.

use std::fmt::Write as _;

use sqlx::TypeInfo;
use sqlx::postgres::{PgTypeInfo, PgTypeKind};

/// How the length of a column's text form is found.
enum Length {
    /// It is short, whatever the value.
    Short,
    /// The value's header has it, also for a value that is stored apart, without reading that.
    Told,
    /// As above, and each byte is sent as two digits.
    Doubled,
    /// The text form has to be made.
    Written,
}

/// The statement with its rows measured; the first column says whether the row is larger than
/// `most` bytes. `None` where no column can be long.
pub(super) fn measured(sql: &str, infos: &[PgTypeInfo], most: u64) -> Option<String> {
    let lengths: Vec<Length> = infos.iter().map(length).collect();
    if lengths.iter().all(|length| matches!(length, Length::Short)) {
        return None;
    }
    let (mut names, mut sum, mut columns) = (String::new(), String::new(), String::new());
    for (number, length) in (1..).zip(&lengths) {
        let separator = if number == 1 { "" } else { ", " };
        // Writing to a string does not fail.
        let _ = write!(names, "{separator}c{number}");
        let (column, measure) = (format!("c{number}"), format!("octet_length(s.c{number}"));
        let measure = match length {
            Length::Short => {
                let _ = write!(columns, ", r.{column}");
                continue;
            }
            Length::Told => format!("{measure})::bigint"),
            Length::Doubled => format!("{measure})::bigint * 2"),
            Length::Written => format!("{measure}::text)::bigint"),
        };
        let _ = write!(columns, ", CASE WHEN NOT r.large THEN r.{column} END");
        let plus = if sum.is_empty() { "" } else { " + " };
        let _ = write!(sum, "{plus}coalesce({measure}, 0)");
    }
    // Without OFFSET the sum would be worked out again for each column.
    Some(format!(
        "SELECT r.large{columns} FROM (SELECT s.*, {sum} > {most} AS large FROM ({sql}) AS s({names}) OFFSET 0) AS r"
    ))
}

fn length(info: &PgTypeInfo) -> Length {
    match info.kind() {
        PgTypeKind::Enum(_) => return Length::Short,
        PgTypeKind::Domain(inner) => {
            return match length(inner) {
                Length::Short => Length::Short,
                _ => Length::Written,
            };
        }
        PgTypeKind::Simple => {}
        _ => return Length::Written,
    }
    match info.name() {
        "BOOL" | "INT2" | "INT4" | "INT8" | "FLOAT4" | "FLOAT8" | "NUMERIC" | "OID" | "DATE"
        | "TIME" | "TIMETZ" | "TIMESTAMP" | "TIMESTAMPTZ" | "INTERVAL" | "UUID" | "NAME"
        | "\"CHAR\"" | "MONEY" | "INET" | "CIDR" | "MACADDR" | "MACADDR8" => Length::Short,
        "TEXT" | "VARCHAR" | "CHAR" => Length::Told,
        "BYTEA" => Length::Doubled,
        _ => Length::Written,
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{Postgres, Type};

    use super::*;

    #[test]
    fn only_rows_that_can_be_long_are_measured() {
        let number = <i64 as Type<Postgres>>::type_info();
        let text = <str as Type<Postgres>>::type_info();
        let bytes = <[u8] as Type<Postgres>>::type_info();
        let json = <serde_json::Value as Type<Postgres>>::type_info();
        assert_eq!(
            measured("SELECT 1", std::slice::from_ref(&number), 10),
            None
        );
        assert_eq!(
            measured("SELECT 1, x", &[number, text, bytes, json], 10).unwrap(),
            "SELECT r.large, r.c1, CASE WHEN NOT r.large THEN r.c2 END, CASE WHEN NOT r.large THEN r.c3 END, CASE WHEN NOT r.large THEN r.c4 END \
             FROM (SELECT s.*, coalesce(octet_length(s.c2)::bigint, 0) + coalesce(octet_length(s.c3)::bigint * 2, 0) + coalesce(octet_length(s.c4::text)::bigint, 0) > 10 AS large \
             FROM (SELECT 1, x) AS s(c1, c2, c3, c4) OFFSET 0) AS r"
        );
    }
}
