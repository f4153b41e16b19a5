//! PostgreSQL: the system catalogue shows everything; what our role may read is asked for with it.

use indexmap::IndexMap;
use sql_guard::Dialect;
use sqlx::postgres::PgPool;
use sqlx::{Error, Row};

use super::{ForeignKey, FoundColumn, FoundTable, Introspection, ValueSource, add_keys, comment};

/// Partitions are read through their table.
const COLUMNS: &str = "SELECT c.relname::text, c.relkind IN ('v', 'm'), c.reltuples::float8, obj_description(c.oid, 'pg_class'), \
        a.attname::text, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull, col_description(c.oid, a.attnum), \
        has_column_privilege(c.oid, a.attnum, 'SELECT'), to_jsonb(a) ->> 'attgenerated' IS NOT DISTINCT FROM 'v', \
        a.attcollation NOT IN (0, 'pg_catalog.\"default\"'::regcollation) \
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition \
    ORDER BY c.relname, a.attnum";

const KEYS: &str = "SELECT c.relname::text, i.indexrelid::text, i.indisprimary, a.attname::text \
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
    CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, ord) \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum \
    WHERE c.relnamespace = current_schema()::regnamespace AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL \
        AND k.ord <= i.indnkeyatts \
    ORDER BY i.indexrelid, k.ord";

const FOREIGN_KEYS: &str = "SELECT f.conname::text, c.relname::text, a.attname::text, d.relname::text, b.attname::text \
    FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class d ON d.oid = f.confrelid \
    CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (attnum, refnum, ord) \
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum \
    JOIN pg_attribute b ON b.attrelid = d.oid AND b.attnum = k.refnum \
    WHERE f.contype = 'f' AND c.relnamespace = current_schema()::regnamespace AND d.relnamespace = c.relnamespace \
        AND NOT c.relispartition \
    ORDER BY c.relname, f.conname, k.ord";

pub(crate) async fn introspect(pool: &PgPool) -> Result<Introspection, Error> {
    let mut connection = pool.acquire().await?;
    let schema: Option<String> = sqlx::query_scalar("SELECT current_schema()::text")
        .fetch_one(&mut *connection)
        .await?;
    let Some(schema) = schema else {
        return Ok(Introspection {
            dialect: Dialect::PostgreSql,
            schema: "public".to_owned(),
            tables: Vec::new(),
            foreign_keys: Vec::new(),
        });
    };
    let mut tables: IndexMap<String, FoundTable> = IndexMap::new();
    for row in sqlx::query(COLUMNS).fetch_all(&mut *connection).await? {
        let name: String = row.try_get(0)?;
        let (is_view, rows, about) = (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
        let table = tables.entry(name.clone()).or_insert_with(|| FoundTable {
            name,
            is_view,
            rows: estimate(rows).filter(|_| !is_view),
            comment: comment(about),
            ..FoundTable::default()
        });
        table.columns.push(FoundColumn {
            name: row.try_get(4)?,
            data_type: row.try_get(5)?,
            nullable: row.try_get(6)?,
            comment: comment(row.try_get(7)?),
            readable: row.try_get(8)?,
            values: match (row.try_get(9)?, row.try_get(10)?) {
                (true, _) => ValueSource::Computed,
                (false, true) => ValueSource::Collated,
                (false, false) => ValueSource::Stored,
            },
        });
    }
    let keys: Vec<(String, String, bool, String)> =
        sqlx::query_as(KEYS).fetch_all(&mut *connection).await?;
    add_keys(&mut tables, keys);
    let foreign_keys: Vec<(String, String, String, String, String)> = sqlx::query_as(FOREIGN_KEYS)
        .fetch_all(&mut *connection)
        .await?;
    Ok(Introspection {
        dialect: Dialect::PostgreSql,
        schema,
        tables: tables.into_values().collect(),
        foreign_keys: foreign_keys
            .into_iter()
            .map(|(name, table, column, other, key)| ForeignKey {
                name,
                from: (table, column),
                to: (other, key),
            })
            .collect(),
    })
}

/// Negative when nobody has counted yet.
fn estimate(rows: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and as exact as a guess is"
    )]
    (rows >= 0.0).then_some(rows as u64)
}
