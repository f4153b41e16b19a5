//! Tables and their columns, from the database's catalogue.

use contracts::tools::search::IndexDescription;
use search::sql::{Column, ColumnKind, Table};
use sqlx::PgConnection;

use crate::glossary::{FoundField, describe};
use crate::{EntityConfig, IndexConfig, SourceConfig};

/// Maximum number of different texts of a column that are its values.
const MOST_VALUES: i32 = 20;

/// What columns does a table or view have, of which types, with which comments, and, of
/// enumerations, with which values? Which different texts does the last analysis know of a column,
/// if they are few, and which table does a foreign key of the column alone point at?
const COLUMNS: &str = "
    SELECT a.attname::text AS name,
           coalesce(b.typname, t.typname)::text AS type_name,
           coalesce(b.typtype, t.typtype)::text AS type_kind,
           col_description(c.oid, a.attnum) AS comment,
           ARRAY(SELECT e.enumlabel::text
                   FROM pg_enum e
                  WHERE e.enumtypid = coalesce(b.oid, t.oid)
                  ORDER BY e.enumsortorder) AS labels,
           (SELECT s.most_common_vals::text::text[]
              FROM pg_stats s
             WHERE s.schemaname = n.nspname
               AND s.tablename = c.relname
               AND s.attname = a.attname
               AND NOT s.inherited
               AND t.typcategory = 'S'
               AND s.n_distinct BETWEEN 1 AND $3
               AND cardinality(s.most_common_vals::text::text[]) = s.n_distinct::integer) AS common,
           (SELECT min(rn.nspname || '.' || r.relname)
              FROM pg_constraint f
              JOIN pg_class r ON r.oid = f.confrelid
              JOIN pg_namespace rn ON rn.oid = r.relnamespace
             WHERE f.conrelid = c.oid
               AND f.contype = 'f'
               AND f.conkey = ARRAY[a.attnum]
            HAVING count(*) = 1) AS points_at
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

/// A column of the catalogue.
#[derive(sqlx::FromRow)]
struct FoundColumn {
    name: String,
    type_name: String,
    type_kind: String,
    comment: Option<String>,
    labels: Vec<String>,
    common: Option<Vec<String>>,
    points_at: Option<String>,
}

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
            .bind(MOST_VALUES)
            .fetch_all(&mut *connection)
            .await?;
        let has_tenant = config
            .tenant_field
            .as_ref()
            .is_none_or(|tenant| columns.iter().any(|column| column.name == *tenant));
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
    for column in found {
        let Some(kind) = kind(&column.type_name, &column.type_kind) else {
            continue;
        };
        let values = match kind {
            ColumnKind::AsText if !column.labels.is_empty() => column.labels,
            // Texts of a table that holds data of others are not shown.
            ColumnKind::Text if config.tenant_field.is_none() => {
                values(index, &column.name, column.common)
            }
            _ => Vec::new(),
        };
        let target = column.points_at.as_deref();
        fields.push(FoundField {
            description: column.comment,
            values,
            entity_type: target
                .filter(|target| target.split_once('.') != Some((schema, name)))
                .and_then(|target| entity_of(config, target)),
            ..FoundField::new(column.name.clone(), kind.field_type())
        });
        columns.push(Column {
            name: column.name,
            kind,
        });
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

/// The texts of a column as its values: not those that name the records.
fn values(index: &IndexConfig, column: &str, common: Option<Vec<String>>) -> Vec<String> {
    let entity = index.entity.as_ref();
    let names = entity.is_some_and(|entity| entity.name_field == column)
        || index.id_field.as_deref() == Some(column);
    let mut values = common.filter(|_| !names).unwrap_or_default();
    values.retain(|value| !value.trim().is_empty() && value.len() <= 64);
    values.sort();
    values
}

/// The type of the things that a table of the source holds.
fn entity_of(config: &SourceConfig, table: &str) -> Option<String> {
    let (schema, name) = table.split_once('.')?;
    let mut indices = config.indices.iter();
    let index = indices.find(|index| table_name(index) == (schema, name))?;
    Some(index.entity.as_ref()?.entity_type.clone())
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
