//! Loads the demonstration unless it exists.

use std::str::FromStr;
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, MySqlConnection, Row};

use crate::schema::{self, MARKER, TABLES};
use crate::secrets::plain;
use crate::{DATABASE, Error, Secrets, generate, store};

/// The version of the tables and rows. Increase it with every change.
const VERSION: i64 = 1;
/// The plain text of the key check. Decrypting it shows whether the key is right.
const KEY_CHECK: &str = "the key fits";
/// Maximum time to wait for another process that loads, in seconds.
const PATIENCE: i64 = 120;

/// What to load.
#[derive(Debug, Clone)]
pub struct Options {
    /// The encryption key and the role's password.
    pub secrets: Secrets,
    /// The day that the data treat as today. The demonstration uses the current day, tests use a
    /// fixed one.
    pub anchor: NaiveDate,
    /// The seed of the generator.
    pub seed: u64,
    /// What to do with an existing demonstration.
    pub existing: Existing,
}

/// What to do with an existing demonstration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Keep it, unless it has an older version or is incomplete.
    Keep,
    /// Remove it first.
    Replace,
}

/// The result of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loaded {
    /// The demonstration was loaded by this call.
    Now {
        /// Number of rows.
        rows: usize,
        /// The duration of the load.
        elapsed: Duration,
    },
    /// The demonstration existed already.
    Before {
        /// The day that its data treat as today.
        anchor: NaiveDate,
    },
}

impl Options {
    /// The default options with these secrets and this day.
    pub fn new(secrets: Secrets, anchor: NaiveDate) -> Self {
        Self {
            secrets,
            anchor,
            seed: 1,
            existing: Existing::Keep,
        }
    }
}

/// Creates the tables, the views and the role in the database of the administrator's address
/// ([`DATABASE`] if it names none), and loads the rows. An existing demonstration is kept, and the
/// remains of an incomplete one are removed. Fails if the database has other tables. `progress`
/// receives a message per step.
pub async fn load(
    admin_url: &str,
    options: &Options,
    mut progress: impl FnMut(&str) + Send,
) -> Result<Loaded, Error> {
    options.secrets.check()?;
    let (mut connection, database) = connect(admin_url).await?;
    plain(&database, "the database's name")?;
    take_turn(&mut connection, &database).await?;
    sqlx::query("SET @aesKey = ?")
        .bind(&options.secrets.aes_key)
        .execute(&mut connection)
        .await?;
    let found = look(&mut connection, &database).await?;
    let loaded = match (found, options.existing) {
        (Some(found), Existing::Keep) if !found.key_fits => {
            return Err(Error::OtherKey { database });
        }
        (Some(found), Existing::Keep) => Loaded::Before {
            anchor: found.anchor,
        },
        _ => fill(&mut connection, options, &mut progress).await?,
    };
    schema::grant(&mut connection, &database, &options.secrets).await?;
    connection.close().await?;
    Ok(loaded)
}

/// The address at which the read-only role reaches the database of an administrator's address.
pub fn reader_url(admin_url: &str, secrets: &Secrets) -> String {
    let (scheme, rest) = admin_url.split_once("://").unwrap_or(("mysql", admin_url));
    let (address, query) = rest
        .split_once('?')
        .map_or((rest, None), |(address, query)| (address, Some(query)));
    let (server, database) = address.split_once('/').unwrap_or((address, ""));
    let server = server.rsplit_once('@').map_or(server, |(_, host)| host);
    let database = if database.is_empty() {
        DATABASE
    } else {
        database
    };
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let (reader, password) = (schema::reader(database), &secrets.reader_password);
    format!("{scheme}://{reader}:{password}@{server}/{database}{query}")
}

/// Connects, and creates the database if the address names none.
async fn connect(admin_url: &str) -> Result<(MySqlConnection, String), sqlx::Error> {
    let options = MySqlConnectOptions::from_str(admin_url)?.disable_statement_logging();
    if let Some(database) = options.get_database() {
        let database = database.to_owned();
        return Ok((options.connect().await?, database));
    }
    let mut connection = options.connect().await?;
    let make = "CREATE DATABASE IF NOT EXISTS fieldservice CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci";
    connection.execute(make).await?;
    connection.close().await?;
    let connection = options.database(DATABASE).connect().await?;
    Ok((connection, DATABASE.to_owned()))
}

/// Takes a lock, so that only one process loads. Closing the connection releases it.
async fn take_turn(connection: &mut MySqlConnection, database: &str) -> Result<(), Error> {
    let taken: Option<i64> = sqlx::query_scalar("SELECT GET_LOCK(CONCAT('load.', ?), ?)")
        .bind(database)
        .bind(PATIENCE)
        .fetch_one(connection)
        .await?;
    if taken == Some(1) {
        Ok(())
    } else {
        Err(Error::Busy)
    }
}

/// An existing, complete demonstration of this version.
struct CompleteLoad {
    anchor: NaiveDate,
    key_fits: bool,
}

async fn look(
    connection: &mut MySqlConnection,
    database: &str,
) -> Result<Option<CompleteLoad>, Error> {
    let query = "SELECT CONVERT(table_name USING utf8mb4) FROM information_schema.tables \
                 WHERE table_schema = ? AND table_type = 'BASE TABLE' ORDER BY table_name";
    let tables: Vec<String> = sqlx::query_scalar(query)
        .bind(database)
        .fetch_all(&mut *connection)
        .await?;
    let is_ours = |name: &str| {
        let ours = TABLES.into_iter().chain([MARKER]);
        // Servers on some systems store names in lower case.
        ours.into_iter().any(|ours| ours.eq_ignore_ascii_case(name))
    };
    if let Some(table) = tables.iter().find(|name| !is_ours(name)) {
        return Err(Error::Foreign {
            database: database.to_owned(),
            table: table.clone(),
        });
    }
    if !tables.iter().any(|name| name.eq_ignore_ascii_case(MARKER)) {
        return Ok(None);
    }
    let query = "SELECT anchorDay, COALESCE(AES_DECRYPT(keyCheck, @aesKey) = ?, FALSE) FROM demoLoad WHERE version = ?";
    let found = sqlx::query(query)
        .bind(KEY_CHECK.as_bytes())
        .bind(VERSION)
        .fetch_optional(connection)
        .await?;
    let found = found.map(|row| {
        Ok::<_, sqlx::Error>(CompleteLoad {
            anchor: row.try_get(0)?,
            key_fits: row.try_get::<i64, _>(1)? != 0,
        })
    });
    Ok(found.transpose()?)
}

async fn fill(
    connection: &mut MySqlConnection,
    options: &Options,
    progress: &mut (impl FnMut(&str) + Send),
) -> Result<Loaded, Error> {
    let began = Instant::now();
    progress("creating the tables of the demonstration");
    schema::remove(connection).await?;
    schema::make_tables(connection).await?;
    progress("storing a year of two field-service companies");
    // The generated rows only refer to existing rows. Checking the foreign keys would double the
    // time.
    connection
        .execute("SET foreign_key_checks = 0, unique_checks = 0")
        .await?;
    let rows = store::all(connection, generate::all(options.anchor, options.seed)).await?;
    connection
        .execute("SET foreign_key_checks = 1, unique_checks = 1")
        .await?;
    schema::make_views(connection).await?;
    connection
        .execute("ANALYZE TABLE workOrder, workTime, employeeCrew, invoice")
        .await?;
    sqlx::query("INSERT INTO demoLoad VALUES (?, ?, AES_ENCRYPT(?, @aesKey))")
        .bind(VERSION)
        .bind(options.anchor)
        .bind(KEY_CHECK)
        .execute(&mut *connection)
        .await?;
    let elapsed = began.elapsed();
    tracing::info!(
        rows,
        elapsed_ms = elapsed.as_millis(),
        "the demonstration is loaded"
    );
    Ok(Loaded::Now { rows, elapsed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_uses_the_same_transport() {
        let secrets = Secrets {
            aes_key: "k".to_owned(),
            reader_password: "pw".to_owned(),
        };
        assert_eq!(
            reader_url("mysql://root:a@b@h:1/db?ssl-mode=DISABLED", &secrets),
            "mysql://db_reader:pw@h:1/db?ssl-mode=DISABLED"
        );
        assert_eq!(
            reader_url("mysql://root@h", &secrets),
            "mysql://fieldservice_reader:pw@h/fieldservice"
        );
    }
}
