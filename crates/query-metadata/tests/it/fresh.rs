//! The stored descriptions of queries are those of the databases.

use std::fs;
use std::path::Path;

use query_metadata::metadata::{Described, describe, differences, write};
use query_metadata::{databases, folder, sources, workspace};

/// The remedy.
const REMEDY: &str = "run `cargo run --bin query-metadata` and commit `.sqlx`";

#[tokio::test]
async fn the_stored_metadata_of_every_query_is_what_a_migrated_database_says() {
    let sources = sources::read(&workspace()).unwrap();
    let mut databases = databases::migrated(&workspace()).await.unwrap();
    let described = describe(&mut databases, &sources).await.unwrap();
    assert!(!described.is_empty());
    let differences = differences(&folder(), &described).unwrap();
    assert!(
        differences.is_empty(),
        "{REMEDY}:\n{}",
        differences.join("\n")
    );
}

/// A small product: one query in a source file.
async fn described(root: &Path, query: &str) -> Vec<Described> {
    let source = root.join("crates/some/src");
    fs::create_dir_all(&source).unwrap();
    fs::create_dir_all(root.join("services")).unwrap();
    fs::write(
        source.join("lib.rs"),
        format!("fn f() {{ sqlx::query!({query:?}); }}"),
    )
    .unwrap();
    let sources = sources::read(root).unwrap();
    let mut databases = databases::migrated(&workspace()).await.unwrap();
    describe(&mut databases, &sources).await.unwrap()
}

#[tokio::test]
async fn missing_changed_and_stale_files_are_reported_with_their_query() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(".sqlx");
    let query = "SELECT name, title FROM orchestrator.threads WHERE id = $1";
    let before = described(root.path(), query).await;
    let missing = differences(&folder, &before).unwrap();
    assert!(
        missing.len() == 1 && missing[0].contains(query) && missing[0].contains(": no query-"),
        "{missing:?}"
    );
    assert_eq!(write(&folder, root.path(), &before).unwrap().changed, 1);
    assert_eq!(differences(&folder, &before).unwrap(), [""; 0]);

    // As if the table had changed since.
    let file = folder.join(&before[0].file_name);
    let content = fs::read_to_string(&file).unwrap();
    for (was, is, what) in [
        ("\"name\": \"title\"", "\"name\": \"name\"", "columns in"),
        ("\"Text\"", "\"Uuid\"", "columns in"),
        ("\"Uuid\"", "\"Text\"", "parameters in"),
        ("      false,\n", "      true,\n", "nullable in"),
    ] {
        assert!(content.contains(was), "{was} in {content}");
        fs::write(&file, content.replacen(was, is, 1)).unwrap();
        let changed = differences(&folder, &before).unwrap();
        assert!(
            changed
                .iter()
                .any(|line| line.contains(what) && line.contains(query)),
            "{changed:?}"
        );
    }

    let after = described(root.path(), "SELECT 1 AS one").await;
    let stale = differences(&folder, &after).unwrap();
    assert!(
        stale
            .iter()
            .any(|line| line.contains("in no source") && line.contains(query)),
        "{stale:?}"
    );
    let written = write(&folder, root.path(), &after).unwrap();
    assert_eq!((written.changed, written.removed), (1, 1));
    assert_eq!(differences(&folder, &after).unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_query_that_the_database_refuses_is_reported_with_its_place() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("crates/some/src");
    fs::create_dir_all(&source).unwrap();
    fs::create_dir_all(root.path().join("services")).unwrap();
    fs::write(
        source.join("lib.rs"),
        r#"fn f() { sqlx::query!("SELECT nothing FROM bff.accounts"); }"#,
    )
    .unwrap();
    let sources = sources::read(root.path()).unwrap();
    let mut databases = databases::migrated(&workspace()).await.unwrap();
    let error = describe(&mut databases, &sources).await.unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("crates/some/src/lib.rs") && error.contains("\"nothing\" does not exist"),
        "{error}"
    );
}

/// With NULL for a parameter the planner removes the outer join.
#[tokio::test]
async fn columns_of_an_outer_join_may_be_null() {
    let root = tempfile::tempdir().unwrap();
    let query = "SELECT t.name, m.text FROM orchestrator.threads t \
                 LEFT JOIN orchestrator.messages m ON m.thread_id = t.id WHERE t.id = $1";
    let described = described(root.path(), query).await;
    let content: serde_json::Value = serde_json::from_str(&described[0].content).unwrap();
    assert_eq!(
        content["describe"]["nullable"],
        serde_json::json!([false, true])
    );
}
