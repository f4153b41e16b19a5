//! Creates databases, copies them from a template, and drops them. Works on any PostgreSQL, not
//! only on a private one.

use sqlx::{AssertSqlSafe, Executor, PgConnection};

/// SQLSTATE `duplicate_database`.
const DUPLICATE_DATABASE: &str = "42P04";

/// Creates the database `name`. Does nothing if it exists.
pub async fn create(connection: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    match execute(connection, format!("CREATE DATABASE {}", quoted(name))).await {
        Err(sqlx::Error::Database(error))
            if error.code().as_deref() == Some(DUPLICATE_DATABASE) =>
        {
            Ok(())
        }
        other => other,
    }
}

/// Creates the database `name` as a copy of `template`, which must not have any connections.
pub async fn create_from_template(
    connection: &mut PgConnection,
    name: &str,
    template: &str,
) -> Result<(), sqlx::Error> {
    execute(
        connection,
        format!(
            "CREATE DATABASE {} TEMPLATE {}",
            quoted(name),
            quoted(template)
        ),
    )
    .await
}

/// Drops the database `name` and ends its sessions. Does nothing if it does not exist.
pub async fn drop(connection: &mut PgConnection, name: &str) -> Result<(), sqlx::Error> {
    execute(
        connection,
        format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", quoted(name)),
    )
    .await
}

async fn execute(connection: &mut PgConnection, statement: String) -> Result<(), sqlx::Error> {
    // The only variable part is an identifier, quoted below. PostgreSQL does not support bound
    // values here.
    connection
        .execute(AssertSqlSafe(statement))
        .await
        .map(|_| ())
}

fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    #[test]
    fn identifiers_are_quoted() {
        assert_eq!(super::quoted(r#"a"; DROP"#), r#""a""; DROP""#);
    }
}
