//! Whether the tables of the tools service can be distributed over servers as docs/operating.md
//! says: by the rules of Citus, held against the migrated database.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sqlx::PgPool;
use test_support::database::TestDatabase;

/// The servers with the rows of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Placement {
    /// On the server that this column decides.
    By(String),
    /// On each server.
    Reference,
    /// On one server.
    Coordinator,
}

/// The table of the document: placements and the tables without their schema.
fn documented() -> BTreeMap<String, Placement> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating.md");
    let text = std::fs::read_to_string(file).unwrap();
    let (_, rows) = text
        .split_once("| placement | tables |\n|---|---|\n")
        .unwrap();
    let mut placements = BTreeMap::new();
    for row in rows.lines().take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let [placement, tables] = cells[..] else {
            panic!("{row}")
        };
        let placement = match placement.trim() {
            "reference" => Placement::Reference,
            "coordinator" => Placement::Coordinator,
            by => {
                let column = by.strip_prefix("by `").and_then(|by| by.strip_suffix('`'));
                Placement::By(column.unwrap_or_else(|| panic!("{row}")).to_owned())
            }
        };
        for table in tables.split(',') {
            let table = table.trim().trim_matches('`').to_owned();
            let twice = placements.insert(table.clone(), placement.clone());
            assert!(twice.is_none(), "{table} has two placements");
        }
    }
    placements
}

/// Tables with the columns of each unique index. Partitions are their table's.
async fn unique_keys(pool: &PgPool) -> BTreeMap<String, Vec<BTreeSet<String>>> {
    let rows: Vec<(String, Option<Vec<String>>)> = sqlx::query_as(
        "SELECT c.relname::text,
                (SELECT array_agg(a.attname::text)
                 FROM pg_attribute a
                 WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey)) AS columns
         FROM pg_class c
         LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisunique
         WHERE c.relnamespace = 'tools'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
         ORDER BY c.relname",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let mut keys: BTreeMap<String, Vec<BTreeSet<String>>> = BTreeMap::new();
    for (table, columns) in rows {
        let of = keys.entry(table).or_default();
        of.extend(columns.map(|columns| columns.into_iter().collect()));
    }
    keys
}

/// Foreign keys: the table with its columns, and the table that they refer to with its columns.
async fn foreign_keys(pool: &PgPool) -> Vec<(String, Vec<String>, String, Vec<String>)> {
    sqlx::query_as(
        "SELECT f.conrelid::regclass::text, f.columns, f.confrelid::regclass::text, f.referred
         FROM (SELECT con.*,
                      ARRAY(SELECT a.attname::text FROM unnest(con.conkey) WITH ORDINALITY k (n, at)
                            JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = k.n ORDER BY k.at) AS columns,
                      ARRAY(SELECT a.attname::text FROM unnest(con.confkey) WITH ORDINALITY k (n, at)
                            JOIN pg_attribute a ON a.attrelid = con.confrelid AND a.attnum = k.n ORDER BY k.at) AS referred
               FROM pg_constraint con
               JOIN pg_class c ON c.oid = con.conrelid AND NOT c.relispartition
               WHERE con.contype = 'f' AND con.connamespace = 'tools'::regnamespace) f",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_migrations_keep_the_documented_distribution_possible() {
    let database = TestDatabase::new(
        "distribution",
        |pool| async move { tools::migrate(&pool).await },
    )
    .await
    .unwrap();
    let placements = documented();
    let keys = unique_keys(database.pool()).await;
    let tables: BTreeSet<&String> = keys.keys().filter(|name| !name.starts_with('_')).collect();
    let listed: BTreeSet<&String> = placements.keys().collect();
    assert_eq!(
        tables, listed,
        "each table of the schema `tools` has a placement in docs/operating.md, and no other"
    );
    for (table, placement) in &placements {
        let Placement::By(column) = placement else {
            continue;
        };
        for key in &keys[table] {
            assert!(
                key.contains(column),
                "{table} cannot be distributed by {column}: its unique key {key:?} has no such column"
            );
        }
    }
    let name = |table: &str| table.trim_start_matches("tools.").to_owned();
    for (table, columns, referred, referred_columns) in foreign_keys(database.pool()).await {
        let (from, to) = (&placements[&name(&table)], &placements[&name(&referred)]);
        let possible = match (from, to) {
            (_, Placement::Reference) | (Placement::Coordinator, Placement::Coordinator) => true,
            (Placement::By(column), Placement::By(other)) => {
                column == other
                    && columns
                        .iter()
                        .zip(&referred_columns)
                        .any(|pair| pair == (column, other))
            }
            _ => false,
        };
        assert!(
            possible,
            "{table} {columns:?} refers to {referred}: {from:?} to {to:?}"
        );
    }
}
