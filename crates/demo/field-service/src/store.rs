//! Stores rows in batches.

use std::fmt::Write as _;

use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection};

use crate::rows::{Rows, Value};

/// Number of rows per statement.
const BATCH: usize = 500;

/// Stores all rows in one transaction and returns their number. `@aesKey` is the key for secrets.
pub(crate) async fn all(
    connection: &mut MySqlConnection,
    rows: Vec<Rows>,
) -> Result<usize, sqlx::Error> {
    let mut stored = 0;
    let mut transaction = connection.begin().await?;
    for rows in rows {
        stored += rows.rows.len();
        for batch in rows.rows.chunks(BATCH) {
            transaction
                .execute(AssertSqlSafe(statement(&rows, batch)))
                .await?;
        }
    }
    transaction.commit().await?;
    Ok(stored)
}

/// Values are written into the statement, not bound: binding a million values takes ten times as
/// long, because each needs a packet in both directions. Texts are written as hexadecimal digits,
/// so no character can end the literal.
fn statement(rows: &Rows, batch: &[Vec<Value>]) -> String {
    let columns = rows.columns.join("`, `");
    let mut statement = format!("INSERT INTO `{}` (`{columns}`) VALUES ", rows.table);
    for (nth, row) in batch.iter().enumerate() {
        statement.push_str(if nth == 0 { "(" } else { ", (" });
        for (nth, value) in row.iter().enumerate() {
            if nth > 0 {
                statement.push_str(", ");
            }
            write_value(&mut statement, value);
        }
        statement.push(')');
    }
    statement
}

fn write_value(statement: &mut String, value: &Value) {
    // Writing to a `String` does not fail.
    let _ = match value {
        Value::Null => write!(statement, "NULL"),
        Value::Integer(number) => write!(statement, "{number}"),
        Value::Decimal(amount) => write!(statement, "{amount}"),
        Value::Flag(flag) => write!(statement, "{}", u8::from(*flag)),
        Value::Day(day) => write!(statement, "'{day}'"),
        Value::Moment(moment) => write!(statement, "'{moment}'"),
        Value::Text(text) => write!(statement, "_utf8mb4 x'{}'", Hexadecimal(text)),
        Value::Secret(text) => write!(statement, "AES_ENCRYPT(x'{}', @aesKey)", Hexadecimal(text)),
    };
}

struct Hexadecimal<'t>(&'t str);

impl std::fmt::Display for Hexadecimal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        for byte in self.0.bytes() {
            let pair = [byte >> 4, byte & 15].map(|half| DIGITS[usize::from(half)]);
            f.write_char(char::from(pair[0]))?;
            f.write_char(char::from(pair[1]))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::v;

    #[test]
    fn texts_are_never_written_literally() {
        let mut rows = Rows::of("note", &["id", "noteText"]);
        rows.push([v(1), v("'); DROP TABLE note; --")]);
        rows.push([v(2), v("é\\")]);
        assert_eq!(
            statement(&rows, &rows.rows),
            "INSERT INTO `note` (`id`, `noteText`) VALUES (1, _utf8mb4 \
             x'27293B2044524F50205441424C45206E6F74653B202D2D'), (2, _utf8mb4 x'C3A95C')"
        );
    }
}
