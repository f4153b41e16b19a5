//! The files: the description of a query by a database, as sqlx's macros write and read it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, anyhow};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqlSafeStr, raw_sql};

use crate::databases::Databases;
use crate::sources::{Kind, Query, Source};

/// The description of a query by a database.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// The file's name in `.sqlx`.
    pub file_name: String,
    /// The text of the entry.
    pub content: String,
    /// The source files that have the query.
    pub sources: BTreeSet<PathBuf>,
    /// Its place for messages: the first source file, and the query's file or first line.
    pub place: String,
}

/// What [`write()`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Files that are new or have another content.
    pub changed: usize,
    /// Files of queries that are in no source any more.
    pub removed: usize,
}

/// Has the databases describe every query of the sources. Fails with all queries that they reject.
pub async fn describe(
    databases: &mut Databases,
    sources: &[Source],
) -> anyhow::Result<Vec<Described>> {
    let mut described: BTreeMap<String, Described> = BTreeMap::new();
    let mut refused = String::new();
    for source in sources {
        for query in &source.queries {
            let file_name = file_name(&query.text);
            if let Some(known) = described.get_mut(&file_name) {
                known.sources.insert(source.path.clone());
                continue;
            }
            let place = format!("{} ({})", source.path.display(), query.place());
            match describe_one(databases, query).await {
                Ok(said) => {
                    let one = Described {
                        content: content(query, &said)?,
                        file_name: file_name.clone(),
                        sources: BTreeSet::from([source.path.clone()]),
                        place,
                    };
                    described.insert(file_name, one);
                }
                Err(error) => writeln!(refused, "{place}: {error:#}")?,
            }
        }
    }
    if refused.is_empty() {
        Ok(described.into_values().collect())
    } else {
        Err(anyhow!("the database refuses queries:\n{refused}"))
    }
}

async fn describe_one(databases: &mut Databases, query: &Query) -> anyhow::Result<Value> {
    match query.kind {
        Kind::Sqlite => {
            let text = AssertSqlSafe(query.text.clone()).into_sql_str();
            let said = (&mut databases.sqlite).describe(text).await?;
            Ok(serde_json::to_value(said)?)
        }
        Kind::PostgreSql => {
            // Temporary tables end with the transaction.
            let mut transaction = databases.postgresql.begin().await?;
            if query.text.contains("pg_temp.") {
                let tables = AssertSqlSafe(databases.session_tables.clone());
                raw_sql(tables).execute(&mut *transaction).await?;
            }
            let said = describe_postgresql(&mut transaction, &query.text).await;
            transaction.rollback().await?;
            said
        }
    }
}

async fn describe_postgresql(connection: &mut PgConnection, text: &str) -> anyhow::Result<Value> {
    let text = AssertSqlSafe(text.to_owned()).into_sql_str();
    Ok(serde_json::to_value(connection.describe(text).await?)?)
}

/// The name by which the macros find a query's file.
fn file_name(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let hash = hash.iter().fold(String::new(), |mut hash, byte| {
        let _ = write!(hash, "{byte:02x}");
        hash
    });
    format!("query-{hash}.json")
}

/// The content as the macros of sqlx 0.9 write it.
fn content(query: &Query, said: &Value) -> anyhow::Result<String> {
    let file_name = file_name(&query.text);
    let hash = file_name
        .strip_prefix("query-")
        .and_then(|rest| rest.strip_suffix(".json"));
    let mut content = serde_json::to_string_pretty(&json!({
        "db_name": query.kind.as_str(),
        "query": query.text,
        "describe": said,
        "hash": hash,
    }))?;
    content.push('\n');
    Ok(content)
}

/// Writes changed files and removes stale ones. Source files of changed descriptions get a new
/// modification time, because cargo does not watch the folder.
pub fn write(folder: &Path, workspace: &Path, described: &[Described]) -> anyhow::Result<Written> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut stale = files(folder)?;
    let mut changed = 0;
    for one in described {
        let before = stale.remove(&one.file_name);
        if before.as_ref() == Some(&one.content) {
            continue;
        }
        changed += 1;
        fs::write(folder.join(&one.file_name), &one.content)
            .with_context(|| format!("cannot write {}", one.file_name))?;
        for source in &one.sources {
            fs::File::options()
                .append(true)
                .open(workspace.join(source))?
                .set_modified(SystemTime::now())?;
        }
    }
    for file in stale.keys() {
        fs::remove_file(folder.join(file)).with_context(|| format!("cannot remove {file}"))?;
    }
    Ok(Written {
        changed,
        removed: stale.len(),
    })
}

/// The files of the folder with their contents.
pub fn files(folder: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries?,
    };
    entries
        .map(|entry| {
            let entry = entry?;
            let content = fs::read_to_string(entry.path())?;
            Ok((entry.file_name().to_string_lossy().into_owned(), content))
        })
        .collect()
}

/// The differences between the folder and the databases, one line each.
pub fn differences(folder: &Path, described: &[Described]) -> anyhow::Result<Vec<String>> {
    let mut stored = files(folder)?;
    let mut differences = Vec::new();
    for one in described {
        match stored.remove(&one.file_name) {
            None => differences.push(format!("{}: no {}", one.place, one.file_name)),
            Some(content) if content == one.content => {}
            Some(content) => {
                let was: Value = serde_json::from_str(&content)?;
                let is: Value = serde_json::from_str(&one.content)?;
                for what in ["columns", "parameters", "nullable"] {
                    let (was, is) = (&was["describe"][what], &is["describe"][what]);
                    if was != is {
                        differences.push(format!(
                            "{}: {what} in {}: {was}, in the database: {is}",
                            one.place, one.file_name
                        ));
                    }
                }
                if was == is {
                    differences.push(format!(
                        "{}: {} is laid out otherwise",
                        one.place, one.file_name
                    ));
                } else if was["describe"] == is["describe"] {
                    differences.push(format!(
                        "{}: {} is of another query",
                        one.place, one.file_name
                    ));
                }
            }
        }
    }
    for (file, content) in stored {
        let query: Value = serde_json::from_str(&content).unwrap_or_default();
        differences.push(format!(
            "{file}: its query is in no source: {}",
            query["query"]
        ));
    }
    Ok(differences)
}
