//! Columns that the policy hides or masks, and what an answer may reveal about them.

use serde_json::json;

use crate::sql_targets::{Site, TestTarget, both};

/// The company's targets with rules for columns beside the other rules.
async fn with_rules() -> Vec<TestTarget> {
    let targets: Vec<TestTarget> = both().await.into();
    for target in &targets {
        let file = target.config.policy_file.as_ref().unwrap();
        let policy = std::fs::read_to_string(file).unwrap();
        let rules = "[columns.employee]\nwage = \"hidden\"\nname = \"masked\"\n[columns.crew]\ncompany_id = \"hidden\"\n";
        std::fs::write(file, format!("{policy}\n{rules}")).unwrap();
    }
    targets
}

#[tokio::test]
async fn hidden_columns_are_in_no_answer() {
    for target in with_rules().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let described = json!({ "tables": ["employee", "crew"], "sample_rows": 5 });
        let described = site.ok("demo", "describe_tables", described).await;
        assert!(!described.to_string().contains("wage"), "{described}");
        let columns = described["tables"][1]["columns"].as_array().unwrap();
        let names: Vec<&str> = columns
            .iter()
            .map(|column| column["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, ["id", "name"], "the tenant's column may be hidden");
        let listed = site.ok("demo", "list_tables", json!({})).await;
        let tables = listed["tables"].as_array().unwrap();
        let employee = tables.iter().find(|it| it["name"] == "employee").unwrap();
        assert_eq!(employee["columns"], 4, "{listed}");
        for sql in [
            "SELECT wage FROM employee",
            "SELECT id FROM employee WHERE wage > 20",
            "SELECT id FROM employee ORDER BY wage",
            "SELECT company_id FROM crew",
        ] {
            let answer = site.call("demo", "run_sql", json!({ "sql": sql })).await;
            let kind = &answer["result"]["findings"][0]["kind"];
            assert_eq!(kind, "unknown_column", "{sql}: {answer}");
        }
        let all = json!({ "sql": "SELECT * FROM employee ORDER BY id LIMIT 1" });
        let result = site.ok("demo", "run_sql", all).await;
        let row = result["rows"][0].as_object().unwrap();
        let names: Vec<&String> = row.keys().collect();
        assert_eq!(names, ["id", "company_id", "name", "manager_id"]);
        let crews = site.ok(
            "demo",
            "run_sql",
            json!({ "sql": "SELECT COUNT(*) AS n FROM crew" }),
        );
        assert_eq!(crews.await["rows"][0]["n"], 2, "the filter still holds");
    }
}

#[tokio::test]
async fn masked_columns_show_nothing_of_their_values() {
    for target in with_rules().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let described = json!({ "tables": ["employee"], "sample_rows": 5 });
        let described = site.ok("demo", "describe_tables", described).await;
        assert!(!described.to_string().contains("demo-"), "{described}");
        assert!(described.to_string().contains("Masked"), "{described}");
        for sql in [
            "SELECT name FROM employee ORDER BY id",
            "SELECT e.name AS who FROM employee e JOIN work_time t ON t.employee_id = e.id",
            "SELECT * FROM employee",
            "SELECT q.name FROM (SELECT * FROM employee) q WHERE q.id > 0",
        ] {
            let result = site.ok("demo", "run_sql", json!({ "sql": sql })).await;
            assert!(!result.to_string().contains("demo-"), "{sql}: {result}");
            assert!(result.to_string().contains("***"), "{sql}: {result}");
        }
        for sql in [
            "SELECT id FROM employee WHERE name = 'demo-Ada'",
            "SELECT id FROM employee ORDER BY name",
            "SELECT COUNT(DISTINCT name) FROM employee",
            "SELECT name, COUNT(*) FROM employee GROUP BY name",
            "SELECT e.id FROM employee e JOIN crew c ON c.name = e.name",
            "SELECT LENGTH(name) FROM employee",
            "SELECT q.id FROM (SELECT * FROM employee) q WHERE q.name > 'a' OR 1 = 1",
            "WITH q AS (SELECT id, name AS who FROM employee) SELECT who, COUNT(*) FROM q GROUP BY who",
            "SELECT id, name FROM employee ORDER BY 2",
            "SELECT DISTINCT name FROM employee",
        ] {
            let answer = site.call("demo", "run_sql", json!({ "sql": sql })).await;
            assert_eq!(answer["result"]["outcome"], "refused", "{sql}: {answer}");
            assert!(
                answer["message"].as_str().unwrap().contains("masked"),
                "{answer}"
            );
        }
    }
}

#[tokio::test]
async fn nobody_is_told_by_what_account_the_database_is_read() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        for sql in [
            "SELECT USER()",
            "SELECT CURRENT_USER",
            "SELECT CURRENT_USER()",
            "SELECT SESSION_USER",
            "SELECT SYSTEM_USER()",
            "SELECT id FROM crew WHERE name = USER()",
        ] {
            let answer = site.call("demo", "run_sql", json!({ "sql": sql })).await;
            assert_eq!(answer["result"]["outcome"], "refused", "{sql}: {answer}");
        }
    }
}

#[tokio::test]
async fn an_error_names_neither_the_view_nor_the_column_of_tenants() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        for sql in [
            "SELECT name FROM employee e GROUP BY id + name",
            "SELECT e.id FROM employee e, LATERAL (SELECT c.id FROM crew c WHERE c.id = e.id) q",
            "SELECT name || id, SUM(name) FROM employee",
            "SELECT SUM(SUM(id)) FROM employee",
        ] {
            let answer = site.call("demo", "run_sql", json!({ "sql": sql })).await;
            let message = answer["message"].as_str().unwrap_or_default();
            for word in ["secure_", "company_id", "OFFSET 0", "9223372036854775807"] {
                assert!(!message.contains(word), "{sql}: {message}");
            }
        }
    }
}
