//! `MySQL` and `MariaDB`: the information schema shows what the target's role may see.

use indexmap::IndexMap;
use sql_guard::{Dialect, Server};
use sqlx::mysql::{MySqlConnection, MySqlPool, MySqlRow};
use sqlx::{AssertSqlSafe, Column, Error, Executor, Row, SqlSafeStr, Statement, TypeInfo};

use super::{ForeignKey, FoundColumn, FoundTable, Introspection, ValueSource, add_keys, comment};

/// The database, the server's version, and whether it knows time zones by name.
const SERVER: &str = "SELECT DATABASE(), VERSION(), CONVERT_TZ('2000-01-01 12:00:00', 'UTC', 'Europe/Berlin') IS NOT NULL";

const TABLES: &str = "SELECT TABLE_NAME, TABLE_TYPE, CAST(TABLE_ROWS AS CHAR), TABLE_COMMENT FROM information_schema.TABLES \
    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') ORDER BY TABLE_NAME";

const COLUMNS: &str = "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT, PRIVILEGES, EXTRA \
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION";

/// Indexes over a prefix of a column or over an expression say nothing about the column.
const KEYS: &str = "SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, CAST(SUB_PART AS CHAR) FROM information_schema.STATISTICS \
    WHERE TABLE_SCHEMA = DATABASE() AND NON_UNIQUE = 0 ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";

const FOREIGN_KEYS: &str = "SELECT CONSTRAINT_NAME, TABLE_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME \
    FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_SCHEMA = DATABASE() \
    ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION";

pub(crate) async fn introspect(pool: &MySqlPool) -> Result<Introspection, Error> {
    let mut connection = pool.acquire().await?;
    let (schema, version, knows_zones): (Option<String>, String, bool) =
        sqlx::query_as(SERVER).fetch_one(&mut *connection).await?;
    let mut tables: IndexMap<String, FoundTable> = IndexMap::new();
    for row in sqlx::query(TABLES).fetch_all(&mut *connection).await? {
        let is_view = text(&row, 1)?.as_deref() == Some("VIEW");
        let table = FoundTable {
            name: required(&row, 0)?,
            is_view,
            rows: text(&row, 2)?.and_then(|rows| rows.parse().ok()),
            // The comment of every view is the word VIEW.
            comment: comment(text(&row, 3)?).filter(|_| !is_view),
            ..FoundTable::default()
        };
        tables.insert(table.name.clone(), table);
    }
    for row in sqlx::query(COLUMNS).fetch_all(&mut *connection).await? {
        let column = FoundColumn {
            name: required(&row, 1)?,
            data_type: required(&row, 2)?,
            nullable: text(&row, 3)?.as_deref() == Some("YES"),
            comment: comment(text(&row, 4)?),
            readable: text(&row, 5)?.is_some_and(|rights| rights.to_lowercase().contains("select")),
            values: match text(&row, 6)? {
                Some(extra) if extra.to_lowercase().contains("virtual") => ValueSource::Computed,
                _ => ValueSource::Stored,
            },
        };
        if let Some(table) = tables.get_mut(&required(&row, 0)?) {
            table.columns.push(column);
        }
    }
    for table in tables
        .values_mut()
        .filter(|table| table.is_view && table.columns.is_empty())
    {
        table.columns = described(&mut connection, &table.name).await;
    }
    let mut keys = Vec::new();
    let mut partial = Vec::new();
    for row in sqlx::query(KEYS).fetch_all(&mut *connection).await? {
        let (table, index) = (required(&row, 0)?, required(&row, 1)?);
        match (text(&row, 2)?, text(&row, 3)?) {
            (Some(column), None) => {
                let primary = index == "PRIMARY";
                keys.push((table, index, primary, column));
            }
            _ => partial.push((table, index)),
        }
    }
    keys.retain(|(table, index, ..)| {
        !partial
            .iter()
            .any(|(other, name)| other == table && name == index)
    });
    add_keys(&mut tables, keys);
    let mut foreign_keys = Vec::new();
    for row in sqlx::query(FOREIGN_KEYS)
        .fetch_all(&mut *connection)
        .await?
    {
        foreign_keys.push(ForeignKey {
            name: required(&row, 0)?,
            from: (required(&row, 1)?, required(&row, 2)?),
            to: (required(&row, 3)?, required(&row, 4)?),
        });
    }
    Ok(Introspection {
        dialect: Dialect::MySql,
        server: Some(Server::of_mysql(&version).with_zones(knows_zones)),
        schema: schema.unwrap_or_default(),
        other_schemas: Vec::new(),
        missing_schemas: Vec::new(),
        tables: tables.into_values().collect(),
        foreign_keys,
    })
}

/// The columns of a view as a statement over it announces them. `MariaDB` hides the columns of a
/// view from a role that may read it and may not execute a function in it, which is how secure
/// views get their key.
async fn described(connection: &mut MySqlConnection, view: &str) -> Vec<FoundColumn> {
    if view.contains('`') {
        return Vec::new();
    }
    let sql = AssertSqlSafe(format!("SELECT * FROM `{view}` LIMIT 0"));
    match connection.prepare(sql.into_sql_str()).await {
        Ok(statement) => {
            let columns = statement.columns().iter();
            let found = columns.map(|column| FoundColumn {
                name: column.name().to_owned(),
                data_type: column.type_info().name().to_lowercase(),
                nullable: true,
                comment: None,
                readable: true,
                ..FoundColumn::default()
            });
            found.collect()
        }
        Err(error) => {
            tracing::debug!(%error, view, "a view cannot be read");
            Vec::new()
        }
    }
}

/// The catalogue's texts come as text or as bytes, depending on the server.
fn text(row: &MySqlRow, index: usize) -> Result<Option<String>, Error> {
    let bytes: Option<Vec<u8>> = row.try_get_unchecked(index)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

fn required(row: &MySqlRow, index: usize) -> Result<String, Error> {
    Ok(text(row, index)?.unwrap_or_default())
}
