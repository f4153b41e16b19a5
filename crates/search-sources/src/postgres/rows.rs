//! Binding a statement's values, and reading its rows until there are too many bytes of them.

use futures::TryStreamExt;
use search::sql::{Bind, Statement};
use serde_json::Value;
use sqlx::postgres::PgArguments;
use sqlx::{Arguments, AssertSqlSafe, PgConnection, Postgres, SqlSafeStr};

/// The rows of a statement, each the values of a JSON list.
pub(super) struct Rows {
    pub(super) values: Vec<Vec<Value>>,
    /// Whether there were more, beyond the limit of bytes.
    pub(super) cut: bool,
}

pub(super) async fn read(
    connection: &mut PgConnection,
    statement: &Statement,
    max_bytes: u64,
) -> Result<Rows, sqlx::Error> {
    let sql = AssertSqlSafe(statement.sql.clone()).into_sql_str();
    let query = sqlx::query_scalar_with::<Postgres, String, PgArguments>(sql, bound(statement)?);
    let mut found = query.persistent(false).fetch(connection);
    let mut rows = Rows {
        values: Vec::new(),
        cut: false,
    };
    let mut bytes: u64 = 0;
    while let Some(text) = found.try_next().await? {
        bytes += text.len() as u64;
        if bytes > max_bytes {
            rows.cut = true;
            break;
        }
        let values = serde_json::from_str(&text);
        rows.values
            .push(values.map_err(|error| sqlx::Error::Decode(error.into()))?);
    }
    Ok(rows)
}

pub(super) fn bound(statement: &Statement) -> Result<PgArguments, sqlx::Error> {
    let mut arguments = PgArguments::default();
    for value in &statement.binds {
        match value {
            Bind::Text(text) => arguments.add(text.as_str()),
            Bind::Texts(texts) => arguments.add(texts.as_slice()),
            Bind::Integer(number) => arguments.add(*number),
            Bind::Integers(numbers) => arguments.add(numbers.as_slice()),
            Bind::Number(number) => arguments.add(*number),
            Bind::Numbers(numbers) => arguments.add(numbers.as_slice()),
            Bind::Boolean(yes) => arguments.add(*yes),
            Bind::Booleans(values) => arguments.add(values.as_slice()),
            Bind::Day(day) => arguments.add(*day),
            Bind::Moment(moment) => arguments.add(*moment),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(arguments)
}
