//! Tables and their columns, from the database's catalogue.

use contracts::tools::search::IndexDescription;
use search::sql::{Column, ColumnKind, Table};
use sqlx::PgConnection;

use crate::glossary::{FoundField, describe};
use crate::{EntityConfig, IndexConfig, SourceConfig};

/// What columns does a table or view have, of which types, with which comments, and, of
/// enumerations, with which values?
const COLUMNS: &str = "
    SELECT a.attname::text,
           coalesce(b.typname, t.typname)::text,
           coalesce(b.typtype, t.typtype)::text,
           col_description(c.oid, a.attnum),
           ARRAY(SELECT e.enumlabel::text
                   FROM pg_enum e
                  WHERE e.enumtypid = coalesce(b.oid, t.oid)
                  ORDER BY e.enumsortorder)
      FROM pg_attribute a
      JOIN pg_class c ON c.oid = a.attrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_type b ON b.oid = t.typbasetype AND t.typtype = 'd'
     WHERE n.nspname = $1
       AND c.relname = $2
       AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND a.attnum > 0
       AND NOT a.attisdropped
     ORDER BY a.attnum";

/// Which tables and views of a schema may this role read, with which comments, which single column
/// identifies a row, which names it, and which is its only date?
const TABLES: &str = "
    SELECT c.relname::text,
           obj_description(c.oid, 'pg_class'),
           (SELECT min(a.attname::text)
              FROM pg_index i
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey)
             WHERE i.indrelid = c.oid AND i.indisprimary
            HAVING count(*) = 1),
           (SELECT a.attname::text
              FROM pg_attribute a
              JOIN pg_type t ON t.oid = a.atttypid
             WHERE a.attrelid = c.oid AND a.attname IN ('name', 'title', 'label') AND t.typcategory = 'S' AND NOT a.attisdropped
             ORDER BY array_position(ARRAY['name', 'title', 'label'], a.attname::text)
             LIMIT 1),
           (SELECT min(a.attname::text)
              FROM pg_attribute a
              JOIN pg_type t ON t.oid = a.atttypid
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND t.typcategory = 'D' AND NOT a.attisdropped
            HAVING count(*) = 1)
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1
       AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND NOT c.relispartition
       AND has_table_privilege(c.oid, 'SELECT')
     ORDER BY c.relname
     LIMIT 200";

type FoundTable = (
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

/// The tables of a schema as indices, with what the catalogue says of them.
pub(super) async fn discover(
    connection: &mut PgConnection,
    schema: &str,
) -> Result<Vec<IndexConfig>, sqlx::Error> {
    let tables: Vec<FoundTable> = sqlx::query_as(TABLES)
        .bind(schema)
        .fetch_all(connection)
        .await?;
    let index = |(table, comment, id, name, date): FoundTable| IndexConfig {
        table: Some(format!("{schema}.{table}")),
        description: comment,
        nouns: vec![table.replace('_', " ")],
        entity: id.as_ref().and(name).map(|name_field| EntityConfig {
            entity_type: table.clone(),
            name_field,
            ..EntityConfig::default()
        }),
        id_field: id,
        date_field: date,
        name: table,
        ..IndexConfig::default()
    };
    Ok(tables.into_iter().map(index).collect())
}

type FoundColumn = (String, String, String, Option<String>, Vec<String>);

pub(super) async fn tables(
    connection: &mut PgConnection,
    config: &SourceConfig,
) -> Result<Vec<(IndexDescription, Table)>, sqlx::Error> {
    let mut tables = Vec::new();
    for index in &config.indices {
        let (schema, name) = table_name(index);
        let columns: Vec<FoundColumn> = sqlx::query_as(COLUMNS)
            .bind(schema)
            .bind(name)
            .fetch_all(&mut *connection)
            .await?;
        let has_tenant = config
            .tenant_field
            .as_ref()
            .is_none_or(|tenant| columns.iter().any(|(column, ..)| column == tenant));
        if columns.is_empty() || !has_tenant {
            tracing::warn!(
                source = config.name,
                index = index.name,
                "the index has no table, or its table has no tenant"
            );
            continue;
        }
        tables.push(index_of(config, index, columns));
    }
    Ok(tables)
}

fn table_name(index: &IndexConfig) -> (&str, &str) {
    let table = index.table.as_deref().unwrap_or(&index.name);
    table.split_once('.').unwrap_or(("public", table))
}

fn index_of(
    config: &SourceConfig,
    index: &IndexConfig,
    found: Vec<FoundColumn>,
) -> (IndexDescription, Table) {
    let (schema, name) = table_name(index);
    let mut columns = Vec::new();
    let mut fields = Vec::new();
    for (column, type_name, type_kind, comment, values) in found {
        let Some(kind) = kind(&type_name, &type_kind) else {
            continue;
        };
        let values = match kind {
            ColumnKind::AsText => values,
            _ => Vec::new(),
        };
        fields.push(FoundField {
            description: comment,
            values,
            ..FoundField::new(column.clone(), kind.field_type())
        });
        columns.push(Column { name: column, kind });
    }
    let described = describe(config, index, fields);
    // Hidden columns are not columns of the table.
    columns.retain(|column| {
        described
            .fields
            .iter()
            .any(|field| field.name == column.name)
    });
    let table = Table {
        schema: schema.to_owned(),
        name: name.to_owned(),
        columns,
        tenant_column: config.tenant_field.clone(),
    };
    (described, table)
}

/// The field type of a database type; `None` for a type that no query can use.
fn kind(type_name: &str, type_kind: &str) -> Option<ColumnKind> {
    if type_kind == "e" {
        return Some(ColumnKind::AsText);
    }
    Some(match type_name {
        "text" | "varchar" | "bpchar" => ColumnKind::Text,
        "uuid" | "citext" | "inet" | "name" => ColumnKind::AsText,
        "_text" | "_varchar" => ColumnKind::Texts,
        "int2" | "int4" | "int8" => ColumnKind::Integer,
        "float4" | "float8" | "numeric" => ColumnKind::Number,
        "bool" => ColumnKind::Boolean,
        "date" => ColumnKind::Day,
        "timestamp" => ColumnKind::LocalTime,
        "timestamptz" => ColumnKind::Moment,
        _ => return None,
    })
}
