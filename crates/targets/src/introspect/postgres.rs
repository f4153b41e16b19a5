//! PostgreSQL: the system catalogue shows everything; the query also asks what the target's role
//! may read.

use indexmap::IndexMap;
use sql_guard::{Dialect, Server};
use sqlx::postgres::PgPool;
use sqlx::{Error, Row};

use super::{ForeignKey, FoundColumn, FoundTable, Introspection, ValueSource, add_keys, comment};

/// The requested schemas, otherwise those of the search path, in order; of each whether the
/// target's role may use it.
const SCHEMAS: &str = "SELECT w.name::text, coalesce(has_schema_privilege(n.oid, 'USAGE'), false) \
    FROM unnest(CASE WHEN cardinality($1::text[]) > 0 THEN $1::text[] ELSE current_schemas(false)::text[] END) WITH ORDINALITY AS w (name, place) \
    LEFT JOIN pg_namespace n ON n.nspname = w.name ORDER BY w.place";

/// Partitions are read through their table.
const COLUMNS: &str = "SELECT n.nspname::text, c.relname::text, c.relkind IN ('v', 'm'), c.reltuples::float8, obj_description(c.oid, 'pg_class'), \
        a.attname::text, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, col_description(c.oid, a.attnum), \
        has_column_privilege(c.oid, a.attnum, 'SELECT'), to_jsonb(a) ->> 'attgenerated' IS NOT DISTINCT FROM 'v', \
        a.attcollation NOT IN (0, 'pg_catalog.\"default\"'::regcollation) \
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    WHERE n.nspname = ANY($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition \
    ORDER BY n.nspname, c.relname, a.attnum";

const KEYS: &str = "SELECT n.nspname::text, c.relname::text, i.indexrelid::text, i.indisprimary, a.attname::text \
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
    CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, ord) \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum \
    WHERE n.nspname = ANY($1) AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL \
        AND k.ord <= i.indnkeyatts \
    ORDER BY i.indexrelid, k.ord";

const FOREIGN_KEYS: &str = "SELECT f.conname::text, n.nspname::text, c.relname::text, a.attname::text, m.nspname::text, d.relname::text, b.attname::text \
    FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class d ON d.oid = f.confrelid \
    JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_namespace m ON m.oid = d.relnamespace \
    CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (attnum, refnum, ord) \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum \
    JOIN pg_attribute b ON b.attrelid = d.oid AND b.attnum = k.refnum \
    WHERE f.contype = 'f' AND n.nspname = ANY($1) AND m.nspname = ANY($1) AND NOT c.relispartition \
    ORDER BY n.nspname, c.relname, f.conname, k.ord";

/// `wanted`: the schemas to look at; none: those of the search path.
pub(crate) async fn introspect(pool: &PgPool, wanted: &[String]) -> Result<Introspection, Error> {
    let mut connection = pool.acquire().await?;
    let found: Vec<(String, bool)> = sqlx::query_as(SCHEMAS)
        .bind(wanted)
        .fetch_all(&mut *connection)
        .await?;
    let version: i32 = sqlx::query_scalar("SELECT current_setting('server_version_num')::int")
        .fetch_one(&mut *connection)
        .await?;
    let named: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    let (there, missing): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, there)| *there);
    let names = |some: Vec<(String, bool)>| some.into_iter().map(|(name, _)| name).collect();
    let (schemas, missing_schemas): (Vec<String>, Vec<String>) = (names(there), names(missing));
    // Also where the first of them is missing, the others are not taken for it.
    let mut named = named.into_iter();
    let schema = named.next().unwrap_or_else(|| "public".to_owned());
    let other_schemas: Vec<String> = named.filter(|name| schemas.contains(name)).collect();
    let name = |own: &str, table: String| {
        if *own == schema {
            table
        } else {
            format!("{own}.{table}")
        }
    };
    let mut tables: IndexMap<String, FoundTable> = IndexMap::new();
    let rows = sqlx::query(COLUMNS).bind(&schemas);
    for row in rows.fetch_all(&mut *connection).await? {
        let own: String = row.try_get(0)?;
        let name = name(&own, row.try_get(1)?);
        let (is_view, rows, about) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
        let table = tables.entry(name.clone()).or_insert_with(|| FoundTable {
            name,
            schema: (own != schema).then_some(own),
            is_view,
            rows: estimate(rows).filter(|_| !is_view),
            comment: comment(about),
            ..FoundTable::default()
        });
        table.columns.push(FoundColumn {
            name: row.try_get(5)?,
            data_type: row.try_get(6)?,
            nullable: row.try_get(7)?,
            comment: comment(row.try_get(8)?),
            readable: row.try_get(9)?,
            values: match (row.try_get(10)?, row.try_get(11)?) {
                (true, _) => ValueSource::Computed,
                (false, true) => ValueSource::Collated,
                (false, false) => ValueSource::Stored,
            },
        });
    }
    let keys: Vec<(String, String, String, bool, String)> = sqlx::query_as(KEYS)
        .bind(&schemas)
        .fetch_all(&mut *connection)
        .await?;
    let keys = keys
        .into_iter()
        .map(|(own, table, index, primary, column)| (name(&own, table), index, primary, column));
    add_keys(&mut tables, keys);
    let rows = sqlx::query(FOREIGN_KEYS).bind(&schemas);
    let mut foreign_keys = Vec::new();
    for row in rows.fetch_all(&mut *connection).await? {
        let end = |at: usize| -> Result<(String, String), Error> {
            let own: String = row.try_get(at)?;
            Ok((name(&own, row.try_get(at + 1)?), row.try_get(at + 2)?))
        };
        foreign_keys.push(ForeignKey {
            name: row.try_get(0)?,
            from: end(1)?,
            to: end(4)?,
        });
    }
    Ok(Introspection {
        dialect: Dialect::PostgreSql,
        server: Some(Server::of_postgresql(version)),
        schema,
        other_schemas,
        missing_schemas,
        tables: tables.into_values().collect(),
        foreign_keys,
    })
}

/// Negative when the table has not been analyzed yet.
fn estimate(rows: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and as exact as a guess is"
    )]
    (rows >= 0.0).then_some(rows as u64)
}
