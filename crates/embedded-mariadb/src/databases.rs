//! Creates and drops databases. Works on any MariaDB or `MySQL`, not only on a private one.

use sqlx::{AssertSqlSafe, Executor, MySqlConnection};

/// Creates the database `name`. Does nothing if it exists.
pub async fn create(connection: &mut MySqlConnection, name: &str) -> Result<(), sqlx::Error> {
    let name = quoted(name);
    let statement = format!(
        "CREATE DATABASE IF NOT EXISTS {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci"
    );
    execute(connection, statement).await
}

/// Drops the database `name`. Does nothing if it does not exist.
pub async fn drop(connection: &mut MySqlConnection, name: &str) -> Result<(), sqlx::Error> {
    execute(
        connection,
        format!("DROP DATABASE IF EXISTS {}", quoted(name)),
    )
    .await
}

async fn execute(connection: &mut MySqlConnection, statement: String) -> Result<(), sqlx::Error> {
    // The only variable part is an identifier, quoted below. These statements do not support bound
    // values.
    connection
        .execute(AssertSqlSafe(statement))
        .await
        .map(|_| ())
}

fn quoted(identifier: &str) -> String {
    format!("`{}`", identifier.replace('`', "``"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn identifiers_are_quoted() {
        assert_eq!(super::quoted("a`; DROP"), "`a``; DROP`");
    }
}
