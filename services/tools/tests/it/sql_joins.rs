//! Joins in the tools' answers: composite keys whole, guesses as guesses; and the answers for a
//! target that cannot be asked.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use targets::TargetConfig;

use crate::sql_targets::{READER, Site, TestTarget, both};

/// Two tables with a composite key, and two that nothing joins but a name. All tenants see them.
const TABLES: &str = "
CREATE TABLE compa (a int NOT NULL, b int NOT NULL, label varchar(20), PRIMARY KEY (a, b));
CREATE TABLE compb (id int PRIMARY KEY, a int, b int, FOREIGN KEY (a, b) REFERENCES compa (a, b));
CREATE TABLE author (aid int NOT NULL, name varchar(20));
CREATE TABLE writes (aid int NOT NULL, book varchar(20));
INSERT INTO compa VALUES (1, 1, 'x'), (1, 2, 'y');
INSERT INTO compb VALUES (1, 1, 1), (2, 1, 2);
INSERT INTO author VALUES (1, 'Ada'), (2, 'Ben');
INSERT INTO writes VALUES (1, 'Rain'), (2, 'Sun'), (2, 'Wind');
";

/// The target with these tables, open to all.
async fn opened(target: &TestTarget) -> TargetConfig {
    let is_postgres = secrecy::ExposeSecret::expose_secret(target.config.url.as_ref().unwrap())
        .starts_with("postgres");
    for statement in TABLES
        .split(';')
        .filter(|statement| !statement.trim().is_empty())
    {
        target.execute(statement).await;
    }
    for table in ["compa", "compb", "author", "writes"] {
        let reader = if is_postgres {
            READER.to_owned()
        } else {
            let url = secrecy::ExposeSecret::expose_secret(target.config.url.as_ref().unwrap());
            let (_, rest) = url.split_once("://").unwrap();
            format!("'{}'@'%'", rest.split_once(':').unwrap().0)
        };
        target
            .execute(&format!("GRANT SELECT ON {table} TO {reader}"))
            .await;
    }
    TargetConfig {
        policy_file: None,
        ..target.config.clone()
    }
}

#[tokio::test]
async fn a_composite_key_is_one_join_and_counts_right() {
    for target in both().await {
        let site = Site::over(vec![opened(&target).await]).await;
        let tables = json!({ "tables": ["compa", "compb"] });
        let plan = site.ok("demo", "find_join_paths", tables.clone()).await;
        let step = &plan["steps"][0];
        assert_eq!(step["choices"], Value::Null, "{step}");
        assert_eq!(
            step["and"],
            json!([{ "from_column": "b", "to_column": "b" }]),
            "{step}"
        );
        assert_eq!(
            (&step["from_column"], &step["to_column"]),
            (&json!("a"), &json!("a"))
        );
        assert_eq!(plan["paths"][0]["joins"][0]["and"], step["and"]);
        let described = site.ok("demo", "describe_tables", tables).await;
        assert_eq!(described["relationships"].as_array().unwrap().len(), 1);
        assert_eq!(described["relationships"][0]["and"], step["and"]);
        let sql =
            "SELECT COUNT(*) AS n FROM compb JOIN compa ON compb.a = compa.a AND compb.b = compa.b";
        let rows = site.ok("demo", "run_sql", json!({ "sql": sql })).await;
        assert_eq!(rows["rows"], json!([{ "n": 2 }]));
    }
}

#[tokio::test]
async fn a_join_by_names_and_data_is_marked_as_a_guess() {
    for target in both().await {
        let site = Site::over(vec![opened(&target).await]).await;
        let arguments = json!({ "tables": ["author", "writes"] });
        let plan = site.ok("demo", "find_join_paths", arguments).await;
        let step = &plan["steps"][0];
        assert_eq!(
            (&step["type"], &step["guessed"]),
            (&json!("heuristic"), &json!(true))
        );
        let why = step["why"].as_str().unwrap();
        assert!(
            why.contains("the same name") && why.contains("100 %"),
            "{why}"
        );
    }
}

#[tokio::test]
async fn a_proposed_join_is_used_where_it_holds() {
    for target in both().await {
        let site = Site::over(vec![opened(&target).await]).await;
        let proposed = |column: &str| {
            json!({
                "tables": ["compb", "author"],
                "proposed": [{ "from_table": "compb", "from_column": column, "to_table": "author", "to_column": "aid" }],
            })
        };
        let plan = site.ok("demo", "find_join_paths", proposed("id")).await;
        let step = &plan["steps"][0];
        assert_eq!(
            (&step["type"], &step["guessed"]),
            (&json!("proposed"), &json!(true))
        );
        let plan = site.ok("demo", "find_join_paths", proposed("ghost")).await;
        assert_eq!(plan["steps"], json!([]));
        assert_eq!(plan["groups"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_role_that_may_write_is_told_in_general_words_and_per_target() {
    for target in both().await {
        let mut config = target.config.clone();
        config.url = Some(target.admin_url().into());
        let other = TargetConfig {
            name: "other".to_owned(),
            ..target.config.clone()
        };
        let site = Site::over(vec![config, other]).await;
        let answer = site
            .call("demo", "list_tables", json!({ "target": "field" }))
            .await;
        assert_eq!(answer["status"], "error", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains("'field' is not asked") && message.contains("log"),
            "{message}"
        );
        let list = site
            .ok("demo", "list_tables", json!({ "target": "other" }))
            .await;
        let problem = list["targets"][0]["problem"].as_str().unwrap();
        assert!(problem.contains("may do more than read"), "{problem}");
        assert_eq!(list["targets"][1]["problem"], Value::Null);
        let (status, ready) = site.app.send(Method::GET, "/health/ready", None, "").await;
        assert_eq!(status, StatusCode::OK);
        let checks = ready["checks"].as_array().unwrap();
        let targets = checks
            .iter()
            .find(|check| check["name"] == "targets")
            .unwrap();
        assert_eq!(
            targets["detail"],
            "field is not asked: its role may do more than read, other answers"
        );
    }
}

#[tokio::test]
async fn a_policy_that_hides_everything_says_so() {
    for target in both().await {
        let folder = tempfile::tempdir().unwrap();
        let policy = folder.path().join("policy.toml");
        std::fs::write(&policy, "shared_tables = [\"nothing\"]\n").unwrap();
        let config = TargetConfig {
            policy_file: Some(policy),
            ..target.config.clone()
        };
        let site = Site::over(vec![config]).await;
        let answer = site.call("demo", "list_tables", json!({})).await;
        assert_eq!(answer["status"], "error", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains("its policy") && message.contains("hide all"),
            "{message}"
        );
    }
}
