//! Loads the demonstration, unless it is there.

use std::str::FromStr;
use std::time::{Duration, Instant};

use chrono::NaiveDate;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor, MySqlConnection, Row};

use crate::schema::{self, MARKER, TABLES};
use crate::secrets::plain;
use crate::{DATABASE, Error, Secrets, generate, store};

/// Counts up whenever the tables or the rows change.
const VERSION: i64 = 1;
/// What is encrypted to tell later whether a key is the right one.
const KEY_CHECK: &str = "the key fits";
/// How long we wait for another process that loads, in seconds.
const PATIENCE: i64 = 120;

/// What to load.
#[derive(Debug, Clone)]
pub struct Options {
    /// The key and the role's password.
    pub secrets: Secrets,
    /// The day that the data take for today. The demonstration takes the real one, tests one that never changes.
    pub anchor: NaiveDate,
    /// Another number, other data.
    pub seed: u64,
    /// What becomes of a demonstration that is there.
    pub existing: Existing,
}

/// What becomes of a demonstration that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, unless an earlier version or a cut attempt left it.
    Keep,
    /// It is removed first.
    Replace,
}

/// What is there now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loaded {
    /// It was loaded just now.
    Now {
        /// How many rows.
        rows: usize,
        /// How long it took.
        elapsed: Duration,
    },
    /// It was there.
    Before {
        /// The day that its data take for today.
        anchor: NaiveDate,
    },
}

impl Options {
    /// The demonstration as it is shown, with what these secrets and this day make of it.
    pub fn new(secrets: Secrets, anchor: NaiveDate) -> Self {
        Self {
            secrets,
            anchor,
            seed: 1,
            existing: Existing::Keep,
        }
    }
}

/// Makes the tables, the views and the role in the database that an administrator's address names ([`DATABASE`] if it names
/// none), and loads the rows. A demonstration that is there is let be; what an earlier attempt left is removed; anything else
/// is refused. `progress` is told what is being done.
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

/// The address by which the role that reads reaches the database of an administrator's address.
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

/// Connects, and makes the database when the address names none.
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

/// One load at a time; the lock goes with the connection.
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

/// A demonstration of this version, complete.
struct Found {
    anchor: NaiveDate,
    key_fits: bool,
}

async fn look(connection: &mut MySqlConnection, database: &str) -> Result<Option<Found>, Error> {
    let query = "SELECT CONVERT(table_name USING utf8mb4) FROM information_schema.tables \
                 WHERE table_schema = ? AND table_type = 'BASE TABLE' ORDER BY table_name";
    let tables: Vec<String> = sqlx::query_scalar(query)
        .bind(database)
        .fetch_all(&mut *connection)
        .await?;
    let is_ours = |name: &str| {
        let ours = TABLES.into_iter().chain([MARKER]);
        // Servers on some systems keep names in lower case.
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
        Ok::<_, sqlx::Error>(Found {
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
    progress("making the tables of the demonstration");
    schema::remove(connection).await?;
    schema::make_tables(connection).await?;
    progress("storing a year of two field-service companies");
    // Everything refers to what is there: the rows are ours. Checking each would double the time.
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
    fn the_reader_takes_the_same_road() {
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
