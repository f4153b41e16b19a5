//! The tables of a file in a schema of their own.

use std::io;

use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use uuid::Uuid;

use super::process::{Outline, OutlineColumn, OutlineTable, Rows};
use super::read::Columns;
use super::{SheetError, Table};
use crate::imports::hex;

/// Rows that are sent at once.
const BATCH_BYTES: usize = 256 * 1024;

/// The schema of a load: another one each time, so that queries over the one before continue.
pub(super) fn new_schema() -> String {
    format!("sheet_{}", Uuid::new_v4().simple())
}

/// Waits for another load of the same target; the transaction's end lets the next one in.
pub(super) async fn lock(
    connection: &mut PgConnection,
    tenant: &str,
    name: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text",
        format!("sheet {name} {tenant}"),
    )
    .fetch_one(connection)
    .await
    .map(drop)
}

/// The schema that a target has now.
pub(super) async fn schema_of(
    connection: &mut PgConnection,
    tenant: &str,
    name: &str,
) -> Result<Option<String>, sqlx::Error> {
    let found = sqlx::query_scalar!(
        "SELECT sheet_schema FROM tools.targets WHERE tenant = $1 AND name = $2",
        tenant,
        name,
    )
    .fetch_optional(connection)
    .await?;
    Ok(found.flatten())
}

/// Creates the schema with its tables and their rows.
pub(super) async fn create(
    connection: &mut PgConnection,
    schema: &str,
    outline: &Outline,
    rows: &mut Rows,
) -> Result<(), SheetError> {
    // A file is larger than a question: a statement may take longer than the pool's limit.
    run(
        connection,
        "SET LOCAL statement_timeout = '10min'".to_owned(),
    )
    .await?;
    run(connection, format!("CREATE SCHEMA {}", quoted(schema))).await?;
    for table in &outline.tables {
        let place = format!("{}.{}", quoted(schema), quoted(&table.name));
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|column| format!("{} {}", quoted(&column.name), column.sql))
            .collect();
        run(
            connection,
            format!("CREATE TABLE {place} ({})", columns.join(", ")),
        )
        .await?;
        copy(connection, &place, rows).await?;
        let keys = table.columns.iter();
        for column in keys.filter(|one| is_key(outline, table, one)) {
            make_unique(connection, &place, std::slice::from_ref(&column.name)).await?;
        }
        let declared = outline.keys.unique.iter();
        for key in declared.filter(|key| key.table == table.name) {
            make_unique(connection, &place, &key.columns).await?;
        }
        for column in table
            .columns
            .iter()
            .filter(|column| column.header != column.name)
        {
            // The header is what people call it.
            let words = column.header.replace('\'', "''").replace('\\', "");
            let column = quoted(&column.name);
            run(
                connection,
                format!("COMMENT ON COLUMN {place}.{column} IS '{words}'"),
            )
            .await?;
        }
        run(connection, format!("ANALYZE {place}")).await?;
    }
    for (from, to) in &outline.keys.foreign {
        refer(connection, schema, (from, to)).await?;
    }
    Ok(())
}

/// Declares a foreign key of several columns, which is how the join is found. Rows that it does not
/// fit stay, as in the file.
async fn refer(
    connection: &mut PgConnection,
    schema: &str,
    (from, to): (&Columns, &Columns),
) -> Result<(), sqlx::Error> {
    let place = |key: &Columns| format!("{}.{}", quoted(schema), quoted(&key.table));
    let (table, columns) = (place(from), listed(&from.columns));
    let (other, referenced) = (place(to), listed(&to.columns));
    let key = format!(
        "ALTER TABLE {table} ADD FOREIGN KEY ({columns}) REFERENCES {other} ({referenced}) NOT VALID"
    );
    if_possible(connection, key).await
}

/// Whether a column may be the key of its table: a declared join leads to it, or its name says so.
fn is_key(outline: &Outline, table: &OutlineTable, column: &OutlineColumn) -> bool {
    let mut joins = outline.joins.iter();
    let is_joined = joins.any(|join| join.to_table == table.name && join.to_column == column.name);
    is_joined || names_key(&table.name, &column.name)
}

/// Whether a name is that of a table's key: `id`, `author_id` or `authors_id` of `authors`.
fn names_key(table: &str, column: &str) -> bool {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|one| one.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let (table, column) = (plain(table), plain(column));
    let one = match (table.strip_suffix("ies"), table.strip_suffix('s')) {
        (Some(stem), _) => Some(format!("{stem}y")),
        (None, Some(stem)) => Some(stem.to_owned()),
        (None, None) => None,
    };
    let is_behind = |table: &str| {
        let end = column.strip_prefix(table);
        end.is_some_and(|end| ["id", "key", "code", "no", "number", "uuid"].contains(&end))
    };
    column == "id" || is_behind(&table) || one.is_some_and(|one| is_behind(&one))
}

/// Creates a unique index of columns, if their values are unique: joins that lead to them then
/// count each row once. Columns whose values repeat stay as they are.
async fn make_unique(
    connection: &mut PgConnection,
    place: &str,
    columns: &[String],
) -> Result<(), sqlx::Error> {
    let index = format!("CREATE UNIQUE INDEX ON {place} ({})", listed(columns));
    if_possible(connection, index).await
}

/// Runs a statement that the rows may not allow.
async fn if_possible(connection: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
    run(connection, "SAVEPOINT key".to_owned()).await?;
    match run(connection, sql).await {
        Ok(()) => run(connection, "RELEASE SAVEPOINT key".to_owned()).await,
        Err(sqlx::Error::Database(_)) => {
            run(connection, "ROLLBACK TO SAVEPOINT key".to_owned()).await
        }
        Err(error) => Err(error),
    }
}

/// Stores the lines of a table.
async fn copy(
    connection: &mut PgConnection,
    place: &str,
    rows: &mut Rows,
) -> Result<(), SheetError> {
    let mut copy = connection
        .copy_in_raw(&format!("COPY {place} FROM STDIN"))
        .await?;
    loop {
        match rows.lines().await {
            Ok(Some(lines)) => copy.send(lines).await.map(drop)?,
            Ok(None) => break,
            Err(error) => {
                copy.abort("the file cannot be read to its end").await?;
                return Err(error);
            }
        }
    }
    copy.finish().await?;
    Ok(())
}

/// The rows of a table as lines for `COPY`, in batches.
pub(super) fn lines(
    table: &Table,
    take: &mut impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut lines = Vec::with_capacity(BATCH_BYTES);
    for row in &table.rows {
        for (at, column) in table.columns.iter().enumerate() {
            if at > 0 {
                lines.push(b'\t');
            }
            let cell = row.get(at).map_or("", String::as_str);
            // An empty cell has no value, whatever the type.
            let value = Some(cell).filter(|cell| !cell.is_empty());
            match value.and_then(|cell| column.guess.value(cell)) {
                Some(value) => escape(&value, &mut lines),
                None => lines.extend_from_slice(b"\\N"),
            }
        }
        lines.push(b'\n');
        if lines.len() >= BATCH_BYTES {
            take(&lines)?;
            lines.clear();
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    take(&lines)
}

fn escape(text: &str, into: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'\\' => into.extend_from_slice(b"\\\\"),
            b'\n' => into.extend_from_slice(b"\\n"),
            b'\r' => into.extend_from_slice(b"\\r"),
            b'\t' => into.extend_from_slice(b"\\t"),
            other => into.push(other),
        }
    }
}

/// The role that reads the tables of a tenant, with the right to those of this schema. `None` if
/// this service may not create roles.
pub(super) async fn reader(
    connection: &mut PgConnection,
    tenant: &str,
    schema: &str,
) -> Result<Option<String>, sqlx::Error> {
    let role = role_of(tenant);
    let may = sqlx::query_scalar!(
        r#"SELECT rolsuper OR rolcreaterole AS "may!" FROM pg_roles WHERE rolname = current_user"#
    )
    .fetch_one(&mut *connection)
    .await?;
    if !may {
        return Ok(None);
    }
    // Roles are those of the whole server: another process, or another database, may create the
    // same one at the same time.
    run(connection, "SAVEPOINT reader".to_owned()).await?;
    let created = grant(connection, &role, schema).await;
    match created {
        Ok(()) => {
            run(connection, "RELEASE SAVEPOINT reader".to_owned()).await?;
            Ok(Some(role))
        }
        Err(error) => {
            tracing::warn!(%error, "the role that reads tables of files cannot be created");
            run(connection, "ROLLBACK TO SAVEPOINT reader".to_owned()).await?;
            Ok(None)
        }
    }
}

/// Creates the role again where a database was restored without it.
pub(super) async fn restore_reader(
    pool: &PgPool,
    tenant: &str,
    schema: &str,
) -> Result<(), sqlx::Error> {
    let role = role_of(tenant);
    let is_there = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pg_roles AS r, pg_namespace AS n
            WHERE r.rolname = $1 AND n.nspname = $2 AND has_schema_privilege(r.oid, n.oid, 'USAGE')) AS "there!""#,
        role,
        schema,
    )
    .fetch_one(pool)
    .await?;
    if is_there {
        return Ok(());
    }
    let mut transaction = pool.begin().await?;
    grant(&mut transaction, &role, schema).await?;
    transaction.commit().await
}

async fn grant(connection: &mut PgConnection, role: &str, schema: &str) -> Result<(), sqlx::Error> {
    let (name, place) = (quoted(role), quoted(schema));
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('sheet roles', 0))::text")
        .fetch_one(&mut *connection)
        .await?;
    let there = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS "there!""#,
        role,
    )
    .fetch_one(&mut *connection)
    .await?;
    if !there {
        run(connection, format!("CREATE ROLE {name} NOLOGIN")).await?;
    }
    let is_super = sqlx::query_scalar!(
        r#"SELECT rolsuper AS "is_super!" FROM pg_roles WHERE rolname = current_user"#
    )
    .fetch_one(&mut *connection)
    .await?;
    // Since PostgreSQL 16, who creates a role may give it away, and not become it.
    if !is_super {
        run(connection, format!("GRANT {name} TO CURRENT_USER")).await?;
    }
    run(
        connection,
        format!("GRANT USAGE ON SCHEMA {place} TO {name}"),
    )
    .await?;
    run(
        connection,
        format!("GRANT SELECT ON ALL TABLES IN SCHEMA {place} TO {name}"),
    )
    .await
}

/// Removes a schema with its tables.
pub(in crate::added_targets) async fn drop_schema(
    connection: &mut PgConnection,
    schema: &str,
) -> Result<(), sqlx::Error> {
    run(
        connection,
        format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(schema)),
    )
    .await
}

/// The role of a tenant. Its name does not show the tenant's to others on the same server.
fn role_of(tenant: &str) -> String {
    let digest = hex(&Sha256::digest(tenant.as_bytes()));
    format!("heliograph_sheets_{}", &digest[..24])
}

async fn run(connection: &mut PgConnection, sql: String) -> Result<(), sqlx::Error> {
    // Names are quoted; there is nothing else of a file in it.
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(connection)
        .await
        .map(drop)
}

fn listed(columns: &[String]) -> String {
    let columns: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
    columns.join(", ")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_key_is_that_of_its_table() {
        for (table, column, is_key) in [
            ("author", "author_id", true),
            ("authors", "authorId", true),
            ("authors", "authors_id", true),
            ("companies", "company_no", true),
            ("anything", "id", true),
            ("book", "author_id", false),
            ("book", "title", false),
            ("invoice", "invoice", false),
        ] {
            assert_eq!(names_key(table, column), is_key, "{table}.{column}");
        }
    }

    #[test]
    fn nothing_of_a_cell_ends_its_field() {
        let mut line = Vec::new();
        escape("a\tb\nc\\N\r", &mut line);
        assert_eq!(line, b"a\\tb\\nc\\\\N\\r");
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_ne!(role_of("demo"), role_of("rival"));
    }
}
