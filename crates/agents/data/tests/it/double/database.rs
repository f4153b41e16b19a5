//! A database in memory that answers the tools: its tables, keys and rows are SQLite's own.

use std::collections::VecDeque;

use contracts::tools::sql::names;
use serde_json::{Map, Value, json};
use sqlx::{
    AssertSqlSafe, Column, Row, SqlitePool, TypeInfo, ValueRef,
    sqlite::{SqlitePoolOptions, SqliteRow},
};

use super::run;

pub(crate) struct Database {
    pool: SqlitePool,
    tables: Vec<Table>,
    keys: Vec<Value>,
}

struct Table {
    name: String,
    columns: Vec<Value>,
}

impl Database {
    /// A database with the tables and rows of these statements.
    pub(crate) async fn of(statements: &[String]) -> Self {
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .connect("sqlite::memory:")
            .await
            .unwrap();
        let script = statements.join(";\n");
        sqlx::raw_sql(AssertSqlSafe(script))
            .execute(&pool)
            .await
            .unwrap();
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let names: Vec<String> = rows(&pool, names)
            .await
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect();
        let (mut tables, mut keys) = (Vec::new(), Vec::new());
        for name in names {
            keys.extend(keys_of(&pool, &name).await);
            tables.push(Table {
                columns: columns_of(&pool, &name).await,
                name,
            });
        }
        Self { pool, tables, keys }
    }

    /// The result of a tool; `None` where it is not one of a database.
    pub(crate) async fn answer(&self, tool: &str, arguments: &Value) -> Option<Value> {
        Some(match tool {
            names::LIST_TABLES => self.list(arguments),
            names::DESCRIBE_TABLES => self.describe(arguments),
            names::FIND_JOIN_PATHS => self.plan(arguments),
            names::CHECK_SQL => self.check(arguments),
            names::RUN_SQL => self.run(arguments).await,
            _ => return None,
        })
    }

    fn list(&self, arguments: &Value) -> Value {
        let asked = arguments["question"].as_str().unwrap_or_default();
        let asked = asked.to_lowercase();
        let score = |table: &Table| -> f64 {
            if asked.contains(&table.name) {
                0.8
            } else {
                0.1
            }
        };
        let mut tables: Vec<&Table> = self.tables.iter().collect();
        tables.sort_by(|a, b| score(b).total_cmp(&score(a)));
        let tables: Vec<Value> = tables
            .into_iter()
            .map(|table| {
                let names: Vec<_> = table.columns.iter().map(|one| &one["name"]).collect();
                json!({
                    "name": table.name, "columns": names.len(), "column_names": names, "relationships": 1,
                    "secure": false, "score": score(table),
                })
            })
            .collect();
        let target = json!({ "name": "brew", "dialect": "postgresql", "description": "Pubs" });
        json!({
            "target": "brew", "dialect": "postgresql", "targets": [target], "total": tables.len(),
            "tables": tables,
        })
    }

    fn describe(&self, arguments: &Value) -> Value {
        let asked = asked(arguments);
        let tables = self
            .tables
            .iter()
            .filter(|table| asked.contains(&table.name));
        let tables: Vec<Value> = tables
            .map(|table| {
                json!({ "name": table.name, "columns": table.columns, "omitted_columns": 0, "samples": [] })
            })
            .collect();
        json!({
            "target": "brew", "dialect": "postgresql", "tables": tables, "unknown": [],
            "relationships": self.among(&asked),
        })
    }

    /// The keys between tables.
    fn among(&self, tables: &[String]) -> Vec<Value> {
        let is_one = |name: &Value| tables.iter().any(|table| name == table);
        let keys = self.keys.iter();
        keys.filter(|key| is_one(&key["from_table"]) && is_one(&key["to_table"]))
            .cloned()
            .collect()
    }

    /// The tables asked for, those between them, and the keys that join all of them.
    fn plan(&self, arguments: &Value) -> Value {
        let asked = asked(arguments);
        let mut tables = asked.clone();
        for other in &asked[1..] {
            for one in self.way(&asked[0], other) {
                if !tables.contains(&one) {
                    tables.push(one);
                }
            }
        }
        let bridges = tables[asked.len()..].to_vec();
        let edges = self.among(&tables);
        let mut steps: Vec<Value> = Vec::new();
        for edge in &edges {
            let is_same = |step: &&mut Value| {
                let mut sides = ["from_table", "to_table"].iter();
                sides.all(|side| step[*side] == edge[*side])
            };
            if let Some(step) = steps.iter_mut().find(is_same) {
                step["choices"].as_array_mut().unwrap().push(edge.clone());
            } else {
                let mut step = edge.clone();
                step["choices"] = json!([]);
                steps.push(step);
            }
        }
        json!({
            "target": "brew", "tables": tables, "bridges": bridges, "unknown": [], "steps": steps,
            "groups": [tables], "paths": [], "relationships": edges,
        })
    }

    /// The tables on the shortest way between two.
    fn way(&self, from: &str, to: &str) -> Vec<String> {
        let mut ways = VecDeque::from([vec![from.to_owned()]]);
        while let Some(way) = ways.pop_front() {
            let last = way.last().unwrap();
            if last == to {
                return way;
            }
            for key in &self.keys {
                let (one, other) = (&key["from_table"], &key["to_table"]);
                let next = if one == last { other } else { one };
                let next = next.as_str().unwrap().to_owned();
                if (one == last || other == last) && !way.contains(&next) && way.len() < 5 {
                    let mut longer = way.clone();
                    longer.push(next);
                    ways.push_back(longer);
                }
            }
        }
        Vec::new()
    }

    fn read(&self, sql: &str) -> Vec<&str> {
        let names = self.tables.iter().map(|table| &*table.name);
        names
            .filter(|name| {
                let after = |word: &str| sql.contains(&format!("{word} \"{name}\""));
                after("FROM") || after("JOIN")
            })
            .collect()
    }

    fn check(&self, arguments: &Value) -> Value {
        let sql = arguments["sql"].as_str().unwrap();
        json!({
            "target": "brew", "valid": true, "sql": sql, "tables": self.read(sql), "findings": [],
        })
    }

    async fn run(&self, arguments: &Value) -> Value {
        let sql = arguments["sql"].as_str().unwrap();
        let most = usize::try_from(arguments["max_rows"].as_u64().unwrap()).unwrap();
        let found = match rows(&self.pool, sql).await {
            Ok(found) => found,
            Err(error) => {
                return json!({
                    "target": "brew", "outcome": "rejected", "row_count": 0, "truncated": false,
                    "elapsed_ms": 0.0, "person": error.to_string(),
                });
            }
        };
        let all: Vec<Value> = found.iter().map(row_of).collect();
        let is_cut = all.len() > most;
        let shown: Vec<Value> = all.into_iter().take(most).collect();
        let mut columns = Vec::new();
        for name in found.first().map(Row::columns).unwrap_or_default() {
            let name = name.name();
            let value = shown.iter().map(|row| &row[name]).find(|it| !it.is_null());
            let kind = match value {
                Some(Value::Number(_)) => "number",
                Some(Value::String(text)) if text.len() == 10 && text.starts_with("20") => "date",
                _ => "text",
            };
            columns.push(json!({ "name": name, "type": kind }));
        }
        let mut result = run(json!(shown));
        result["target"] = json!("brew");
        result["tables"] = json!(self.read(sql));
        result["columns"] = json!(columns);
        result["truncated"] = json!(is_cut);
        result
    }
}

async fn rows(pool: &SqlitePool, sql: &str) -> Result<Vec<SqliteRow>, sqlx::Error> {
    sqlx::query(AssertSqlSafe(sql.to_owned()))
        .fetch_all(pool)
        .await
}

fn row_of(row: &SqliteRow) -> Value {
    let columns = row.columns().iter().enumerate();
    let values = columns.map(|(at, column)| {
        let raw = row.try_get_raw(at).unwrap();
        let (is_null, kind) = (raw.is_null(), raw.type_info().name().to_owned());
        let value = match &*kind {
            _ if is_null => Value::Null,
            "INTEGER" => json!(row.get_unchecked::<i64, _>(at)),
            "REAL" => json!(row.get_unchecked::<f64, _>(at)),
            _ => json!(row.get_unchecked::<String, _>(at)),
        };
        (column.name().to_owned(), value)
    });
    Value::Object(values.collect::<Map<_, _>>())
}

async fn columns_of(pool: &SqlitePool, table: &str) -> Vec<Value> {
    let found = rows(pool, &format!("PRAGMA table_info({table})"))
        .await
        .unwrap();
    let is_key = |row: &SqliteRow| row.get::<i64, _>("pk") > 0;
    let keys = found.iter().filter(|row| is_key(row)).count();
    let columns = found.iter().map(|row| {
        let kind = match row.get::<String, _>("type").as_str() {
            "INTEGER" => "bigint",
            "REAL" => "double precision",
            "NUMERIC" => "numeric",
            "DATE" => "date",
            _ => "text",
        };
        json!({
            "name": row.get::<String, _>("name"), "type": kind, "nullable": true,
            "unique": is_key(row) && keys == 1,
        })
    });
    columns.collect()
}

async fn keys_of(pool: &SqlitePool, table: &str) -> Vec<Value> {
    let sql = format!("PRAGMA foreign_key_list({table})");
    let mut found: Vec<(i64, Value)> = Vec::new();
    for row in rows(pool, &sql).await.unwrap() {
        let id: i64 = row.get("id");
        let (from, to): (String, String) = (row.get("from"), row.get("to"));
        if let Some((_, key)) = found.iter_mut().find(|(one, _)| *one == id) {
            let pair = json!({ "from_column": from, "to_column": to });
            key["and"].as_array_mut().unwrap().push(pair);
        } else {
            let to_table: String = row.get("table");
            found.push((
                id,
                json!({
                    "from_table": table, "from_column": from, "to_table": to_table, "to_column": to,
                    "and": [], "type": "foreign_key", "confidence": 1.0, "cardinality": "N:1",
                }),
            ));
        }
    }
    found.into_iter().map(|(_, key)| key).collect()
}

fn asked(arguments: &Value) -> Vec<String> {
    let tables = arguments["tables"].as_array().unwrap().iter();
    tables.map(|one| one.as_str().unwrap().to_owned()).collect()
}
