//! Catalogues that are read again because a statement names what they do not have.

use std::sync::Arc;

use futures::future::join_all;
use targets::{Finding, Kind, Target, TargetConfig, TargetError};

use crate::fixture::{Fixture, ask, both};

/// As long as the name is not asked for again for an hour.
fn once(fixture: &Fixture) -> Target {
    Target::new(TargetConfig {
        catalogue_pause_seconds: 3600,
        ..fixture.config()
    })
    .unwrap()
}

async fn findings(target: &Target, sql: &str) -> Vec<Finding> {
    target.check(sql, "demo", 10).await.unwrap().unwrap_err()
}

#[tokio::test]
async fn a_column_that_was_renamed_is_found_by_its_new_name() {
    for fixture in both().await {
        let target = once(&fixture);
        ask(&target, "SELECT name FROM crew").await.unwrap();
        let renamed = "ALTER TABLE crew RENAME COLUMN name TO title";
        fixture.admin.run(renamed).await;
        let rows = ask(&target, "SELECT title FROM crew ORDER BY id")
            .await
            .unwrap();
        assert_eq!(rows.rows[0]["title"], "North", "{}", fixture.dialect);
        let found = findings(&target, "SELECT name FROM crew").await;
        assert_eq!(found[0].kind, Kind::UnknownColumn);
        assert!(found[0].message.contains("title"), "{found:?}");
        assert_eq!(target.readings(), 2, "{}", fixture.dialect);
    }
}

#[tokio::test]
async fn the_database_says_that_a_name_is_gone() {
    for fixture in both().await {
        let target = once(&fixture);
        let checked = target.check("SELECT name FROM crew", "demo", 10).await;
        let checked = checked.unwrap().unwrap();
        let seen = target.catalogue().await.unwrap();
        fixture
            .admin
            .run("ALTER TABLE crew RENAME COLUMN name TO title")
            .await;
        let error = target.run(&checked, &target.limits()).await.unwrap_err();
        assert!(
            matches!(error, TargetError::UnknownName { .. }),
            "{error:?}"
        );
        assert!(!error.to_string().contains("company_id"), "{error}");
        let read = target.look_again(&seen).await.unwrap();
        let columns = &read.table("crew").unwrap().columns;
        assert!(columns.iter().any(|column| column.name == "title"));
        // All columns come under their new names, also on a connection that knows the statement.
        let rows = ask(&target, "SELECT * FROM crew").await.unwrap();
        assert!(rows.rows[0].contains_key("title"), "{:?}", rows.rows);
    }
}

#[tokio::test]
async fn a_table_of_the_policy_is_hidden_when_its_column_goes_by_another_name() {
    for fixture in both().await {
        let folder = tempfile::tempdir().unwrap();
        let policy = folder.path().join("policy.toml");
        let rules = "[row_filters]\ncrew = \"company_id\"\n[columns.crew]\nname = \"hidden\"\n";
        std::fs::write(&policy, rules).unwrap();
        let target = Target::new(TargetConfig {
            policy_file: Some(policy),
            ..fixture.config()
        })
        .unwrap();
        ask(&target, "SELECT id FROM crew").await.unwrap();
        fixture
            .admin
            .run("ALTER TABLE crew RENAME COLUMN name TO title")
            .await;
        let found = findings(&target, "SELECT title FROM crew").await;
        assert!(
            matches!(found[0].kind, Kind::UnknownTable | Kind::NotPermitted),
            "{found:?}"
        );
        assert!(target.catalogue().await.unwrap().table("crew").is_none());
    }
}

#[tokio::test]
async fn many_statements_with_an_unknown_name_read_the_catalogue_once() {
    for fixture in both().await {
        let target = Arc::new(once(&fixture));
        let before = target.catalogue().await.unwrap();
        let statements = (0..40).map(|_| {
            let target = Arc::clone(&target);
            tokio::spawn(async move { findings(&target, "SELECT ghost FROM crew").await })
        });
        for found in join_all(statements).await {
            assert_eq!(found.unwrap()[0].kind, Kind::UnknownColumn);
        }
        for _ in 0..5 {
            findings(&target, "SELECT ghost FROM crew").await;
        }
        assert_eq!(target.readings(), 2, "once at the start, once for the name");
        // Nothing was different, so that what was made of the catalogue stays.
        assert!(Arc::ptr_eq(&before, &target.catalogue().await.unwrap()));
        assert!(target.look_again(&before).await.is_none());
        // Who asks for it gets it at any time.
        let (one, other) = tokio::join!(target.refresh(), target.refresh());
        assert!(Arc::ptr_eq(&one.unwrap(), &other.unwrap()));
        assert!((3..=4).contains(&target.readings()));
    }
}

#[tokio::test]
async fn statements_go_on_while_the_catalogue_cannot_be_read() {
    for fixture in both().await {
        let folder = tempfile::tempdir().unwrap();
        let policy = folder.path().join("policy.toml");
        std::fs::write(&policy, "[row_filters]\ncrew = \"company_id\"\n").unwrap();
        let target = Target::new(TargetConfig {
            policy_file: Some(policy.clone()),
            ..fixture.config()
        })
        .unwrap();
        ask(&target, "SELECT name FROM crew").await.unwrap();
        std::fs::write(&policy, "row_filtres = 1").unwrap();
        let found = findings(&target, "SELECT ghost FROM crew").await;
        assert_eq!(found[0].kind, Kind::UnknownColumn);
        assert!(target.refresh().await.is_err());
        ask(&target, "SELECT name FROM crew").await.unwrap();
    }
}

/// A table whose filter, and one whose rule for a column, names a column that is renamed for a
/// while.
#[tokio::test]
async fn a_column_of_the_policy_that_is_renamed_back_is_found_again() {
    for fixture in both().await {
        for (rules, column) in [
            ("[row_filters]\ncrew = \"company_id\"\n", "company_id"),
            (
                "[row_filters]\ncrew = \"company_id\"\n[columns.crew]\nname = \"masked\"\n",
                "name",
            ),
            (
                "[row_filters]\ncrew = \"company_id\"\nemployee_crew = { column = \"crew_id\", parent = \"crew\", parent_column = \"id\" }\n",
                "company_id",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let policy = folder.path().join("policy.toml");
            std::fs::write(&policy, rules).unwrap();
            let target = Target::new(TargetConfig {
                policy_file: Some(policy),
                catalogue_pause_seconds: 0,
                ..fixture.config()
            })
            .unwrap();
            ask(&target, "SELECT id FROM crew").await.unwrap();
            let checked = target.check("SELECT id FROM crew", "demo", 10).await;
            let checked = checked.unwrap().unwrap();
            let rename = |from: &str, to: &str| {
                let sql = format!("ALTER TABLE crew RENAME COLUMN {from} TO {to}");
                let admin = &fixture.admin;
                async move { admin.run(&sql).await }
            };
            rename(column, "other").await;
            // The filter is the guard's, not the person's: what the database says of it leads to
            // another reading nevertheless.
            let seen = target.catalogue().await.unwrap();
            if let Err(error) = target.run(&checked, &target.limits()).await {
                assert!(
                    matches!(error, TargetError::UnknownName { .. }),
                    "{}: {error:?}",
                    fixture.dialect
                );
                assert!(!error.to_string().contains(column), "{error}");
                assert!(!error.for_person().contains(column), "{error:?}");
            }
            target.look_again(&seen).await.unwrap();
            let found = findings(&target, "SELECT id FROM crew").await;
            assert_eq!(found[0].kind, Kind::UnknownTable, "{found:?}");
            let hidden = target.catalogue().await.unwrap();
            assert!(
                hidden.withheld.contains(&"crew".to_owned()),
                "{:?}",
                hidden.withheld
            );
            rename("other", column).await;
            // The watch finds it without a question, and a statement that names it does.
            ask(&target, "SELECT id FROM crew").await.unwrap();
            assert!(target.catalogue().await.unwrap().withheld.is_empty());
            rename(column, "other").await;
            target.refresh().await.unwrap();
            rename("other", column).await;
            let read = target.look_over().await.unwrap();
            assert!(read.table("crew").is_some() && read.withheld.is_empty());
        }
    }
}
