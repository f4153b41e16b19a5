//! The demonstration, loaded once for all tests that read it.

use chrono::NaiveDate;
use field_service::{Options, Secrets, load, reader_url};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, Row};
use test_support::mariadb::TestMariaDb;

/// The Friday that the tests treat as today.
pub(crate) fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 13).unwrap()
}

pub(crate) fn secrets() -> Secrets {
    Secrets {
        aes_key: "0123456789abcdef".to_owned(),
        reader_password: "reader0password".to_owned(),
    }
}

pub(crate) async fn demonstration() -> TestMariaDb {
    TestMariaDb::shared("fieldservice", |url| async move {
        load(&url, &Options::new(secrets(), today()), |_| {})
            .await
            .map(drop)
    })
    .await
    .unwrap()
}

/// A connection of the read-only role, with the key, on the day that the data treat as today.
pub(crate) async fn reader(database: &TestMariaDb) -> MySqlConnection {
    let url = reader_url(&database.url(), &secrets());
    let mut connection = MySqlConnection::connect(&url).await.unwrap();
    let key = format!("SET @aesKey = '{}'", secrets().aes_key);
    connection.execute(AssertSqlSafe(key)).await.unwrap();
    let noon = "SET timestamp = UNIX_TIMESTAMP('2026-03-13 12:00:00')";
    connection.execute(noon).await.unwrap();
    connection
}

/// Runs a query that returns one number.
pub(crate) async fn number(connection: &mut MySqlConnection, sql: &str) -> i64 {
    let row = sqlx::query(AssertSqlSafe(format!("SELECT CAST(({sql}) AS SIGNED)")));
    row.fetch_one(connection).await.unwrap().get(0)
}
