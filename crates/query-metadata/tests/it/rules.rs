//! The rules for SQL in the product's sources: ARCHITECTURE.md has them in words.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use query_metadata::sources::{self, Query, Source};
use query_metadata::workspace;

/// A query of more lines is a file.
const MOST_INLINE_LINES: usize = 4;

/// Crates whose SQL is composed at run time.
const DYNAMIC: [(&str, &str); 8] = [
    (
        "crates/targets",
        "runs what the guard printed, on the databases of operators",
    ),
    (
        "crates/search-sources",
        "renders queries over the tables of operators",
    ),
    (
        "crates/sql-eval",
        "runs generated queries to compare what they return",
    ),
    (
        "crates/demo/field-service",
        "makes the demonstration database, in two dialects",
    ),
    (
        "crates/embedded-postgres",
        "makes databases, whose names are no parameters",
    ),
    (
        "crates/embedded-mariadb",
        "makes databases, whose names are no parameters",
    ),
    ("crates/test-support", "makes databases for tests"),
    ("crates/query-metadata", "asks about the queries of others"),
];

/// Files with unchecked calls, their number, and the reason. Another number fails the test.
const UNCHECKED: [(&str, usize, &str); 5] = [
    (
        "crates/checkpoint/src/sqlite.rs",
        3,
        "a PRAGMA, whose columns SQLite does not describe, and a trigger, which takes no parameter",
    ),
    (
        "crates/knowledge/src/vectors/pgvector.rs",
        10,
        "each model has a table of its own, made at run time, and the schema of the extension is the operator's choice",
    ),
    (
        "crates/database-kit/src/lib.rs",
        2,
        "CREATE SCHEMA takes no parameter for the name",
    ),
    (
        "crates/xtask/src/load/database.rs",
        2,
        "an extension that a server may not have",
    ),
    (
        "services/tools/src/added_targets/sheets/load.rs",
        2,
        "the schemas, tables and roles of spreadsheets are made at run time",
    ),
];

/// Files with unchecked reads of columns.
const READS: [(&str, usize, &str); 1] = [(
    "crates/knowledge/src/vectors/pgvector.rs",
    2,
    "the rows of the queries above",
)];

fn is_dynamic(path: &Path) -> bool {
    DYNAMIC.iter().any(|(folder, _)| path.starts_with(folder))
}

fn product() -> Vec<Source> {
    let mut sources = sources::read(&workspace()).unwrap();
    sources.retain(|source| !is_dynamic(&source.path));
    sources
}

/// The differences from the list.
fn unlisted(found: &BTreeMap<String, usize>, listed: &[(&str, usize, &str)]) -> Vec<String> {
    let listed: BTreeMap<&str, usize> = listed
        .iter()
        .map(|(path, calls, _)| (*path, *calls))
        .collect();
    let more = found.iter().filter_map(|(path, calls)| {
        let expected = listed.get(path.as_str()).copied().unwrap_or_default();
        (*calls != expected).then(|| format!("{path}: {calls}, listed {expected}"))
    });
    let gone = listed
        .keys()
        .filter(|path| !found.contains_key(**path))
        .map(|path| format!("{path}: none, but listed"));
    more.chain(gone).collect()
}

#[test]
fn no_product_code_runs_sql_that_the_compiler_has_not_read() {
    let found = product()
        .iter()
        .filter(|source| !source.unchecked.is_empty())
        .map(|source| (source.path.display().to_string(), source.unchecked.len()))
        .collect();
    let faults = unlisted(&found, &UNCHECKED);
    assert!(
        faults.is_empty(),
        "use sqlx::query!, query_as!, query_scalar! or their query_file forms; where a statement is only known at run time, list it with \
         the reason:\n{}",
        faults.join("\n")
    );
}

#[test]
fn no_product_code_reads_columns_that_the_compiler_has_not_seen() {
    let found = product()
        .iter()
        .filter(|source| source.reads > 0)
        .map(|source| (source.path.display().to_string(), source.reads))
        .collect();
    let faults = unlisted(&found, &READS);
    assert!(
        faults.is_empty(),
        "name the columns in a struct (query_as!, query_file_as!) or use the fields of query!:\n{}",
        faults.join("\n")
    );
}

/// Lines that are neither empty nor a comment.
fn lines(query: &str) -> usize {
    query
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("--"))
        .count()
}

#[test]
fn long_queries_and_those_used_twice_stand_in_files_and_the_others_where_they_run() {
    let sources = product();
    let mut uses: BTreeMap<&str, Vec<(&Source, &Query)>> = BTreeMap::new();
    for source in &sources {
        for query in &source.queries {
            uses.entry(&query.text).or_default().push((source, query));
        }
    }
    let mut faults = Vec::new();
    for (text, uses) in &uses {
        let (source, query) = uses[0];
        let place = format!("{} ({})", source.path.display(), query.place());
        let is_long = lines(text) > MOST_INLINE_LINES;
        match &query.file {
            None if is_long => faults.push(format!("{place}: {} lines inline", lines(text))),
            None if lines(text) > 1 && uses.len() > 1 => {
                faults.push(format!("{place}: inline {} times", uses.len()));
            }
            Some(_) if !is_long && uses.len() == 1 => {
                faults.push(format!(
                    "{place}: a file of {} lines for one use",
                    lines(text)
                ));
            }
            _ => {}
        }
        if query.file.is_some() && !text.starts_with("-- ") {
            faults.push(format!(
                "{place}: the file does not begin with what it answers"
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_file_with_a_query_is_used() {
    let root = workspace();
    let sources = sources::read(&root).unwrap();
    let used: Vec<&PathBuf> = sources
        .iter()
        .flat_map(|source| &source.queries)
        .filter_map(|query| query.file.as_ref())
        .collect();
    let mut files = Vec::new();
    for source in &sources {
        for folder in source.path.ancestors() {
            let folder = folder.join("queries");
            if root.join(&folder).is_dir() && !files.contains(&folder) {
                files.push(folder);
            }
        }
    }
    assert!(!files.is_empty());
    let mut unused = Vec::new();
    while let Some(path) = files.pop() {
        if root.join(&path).is_dir() {
            let entries = std::fs::read_dir(root.join(&path)).unwrap();
            files.extend(entries.map(|entry| path.join(entry.unwrap().file_name())));
        } else if !used.contains(&&path) && !is_copy(&root.join(&path)) {
            unused.push(path.display().to_string());
        }
    }
    assert!(unused.is_empty(), "{}", unused.join("\n"));
}

/// COPY has no parameters and no columns to check.
fn is_copy(file: &Path) -> bool {
    std::fs::read_to_string(file)
        .unwrap()
        .lines()
        .any(|line| line.starts_with("COPY "))
}
