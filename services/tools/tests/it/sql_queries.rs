//! Checking and running queries: every outcome there is.

use serde_json::{Value, json};
use targets::TargetConfig;

use crate::sql_targets::{Site, both};

async fn run(site: &Site, sql: &str) -> Value {
    site.call("demo", "run_sql", json!({ "sql": sql })).await
}

#[tokio::test]
async fn rows_come_as_objects_in_the_order_of_the_columns() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let sql = "SELECT w.title, w.opened_at, e.wage, e.name FROM work_order w JOIN work_time t ON t.work_order_id = w.id \
                   JOIN employee e ON e.id = t.employee_id ORDER BY t.id LIMIT 1";
        let result = site.ok("demo", "run_sql", json!({ "sql": sql })).await;
        assert_eq!(
            (
                &result["outcome"],
                &result["row_count"],
                &result["truncated"]
            ),
            (&json!("rows"), &json!(1), &json!(false))
        );
        assert_eq!(
            result["rows"].to_string(),
            r#"[{"title":"demo-roof","opened_at":"2026-01-31T08:30:00","wage":10.5,"name":"demo-Ada"}]"#
        );
        let kinds: Vec<&str> = result["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| column["type"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["text", "date_time", "number", "text"]);
        assert_eq!(
            result["tables"],
            json!(["work_order", "work_time", "employee"])
        );
        assert!(
            result["sql"].as_str().unwrap().contains("secure_employee"),
            "{result}"
        );
        assert!(result["elapsed_ms"].as_f64().unwrap() > 0.0);
        let nothing = site
            .ok(
                "demo",
                "run_sql",
                json!({ "sql": "SELECT id, name FROM crew WHERE id = 99" }),
            )
            .await;
        assert_eq!(
            (&nothing["outcome"], &nothing["row_count"]),
            (&json!("rows"), &json!(0))
        );
        assert_eq!(
            nothing["columns"].as_array().unwrap().len(),
            2,
            "columns are returned for an empty result, too: {nothing}"
        );
    }
}

#[tokio::test]
async fn a_check_says_what_would_run_or_what_is_wrong() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let check = async |sql: &str| site.ok("demo", "check_sql", json!({ "sql": sql })).await;
        let checked = check("SELECT e.name FROM employee e").await;
        assert_eq!(
            (&checked["valid"], &checked["tables"], &checked["findings"]),
            (&json!(true), &json!(["employee"]), &json!([]))
        );
        let sql = checked["sql"].as_str().unwrap();
        assert!(
            sql.contains("secure_employee")
                && sql.contains("company_id = 1")
                && sql.contains("LIMIT"),
            "{sql}"
        );

        let checked = check("SELECT crew.hours, crew.nme FROM crew").await;
        assert_eq!(
            (&checked["valid"], checked.get("sql")),
            (&json!(false), None)
        );
        let findings = checked["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 2, "{checked}");
        assert_eq!(
            (&findings[0]["kind"], &findings[0]["tables"]),
            (&json!("unknown_column"), &json!(["work_time"]))
        );
        assert!(
            findings[1]["message"].as_str().unwrap().contains("'name'"),
            "{checked}"
        );
        assert!(
            findings[1].get("tables").is_none(),
            "a column is no table: {checked}"
        );

        for (sql, kind) in [
            ("DELETE FROM crew", "not_a_read"),
            ("SELECT 1; SELECT 2", "several_statements"),
            ("SELECT nothing FROM nowhere", "unknown_table"),
            ("SELECT * FROM migration", "unknown_table"),
            (
                "SELECT table_name FROM information_schema.tables",
                "catalogue",
            ),
            ("SELECT name FROM crew FOR UPDATE", "locking"),
            ("SELEC name", "not_a_read"),
        ] {
            let checked = check(sql).await;
            let kinds: Vec<&str> = checked["findings"]
                .as_array()
                .unwrap()
                .iter()
                .map(|finding| finding["kind"].as_str().unwrap())
                .collect();
            assert!(kinds.contains(&kind), "{sql}: {checked}");
            assert!(
                !checked["findings"].to_string().contains("secure_"),
                "{checked}"
            );
        }
    }
}

#[tokio::test]
async fn what_the_guard_refuses_does_not_run() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        for sql in [
            "DELETE FROM crew",
            "SELECT * FROM migration",
            "SELECT nme FROM employee",
            "SELECT @aesKey",
            "SELECT current_setting('app.key')",
            "SELECT SLEEP(5)",
            "SELECT pg_sleep(5)",
        ] {
            let answer = run(&site, sql).await;
            assert_eq!(
                (&answer["status"], &answer["result"]["outcome"]),
                (&json!("error"), &json!("refused")),
                "{sql}: {answer}"
            );
            let result = &answer["result"];
            assert!(
                !result["findings"].as_array().unwrap().is_empty() && result.get("sql").is_none(),
                "{answer}"
            );
            let first = result["findings"][0]["message"].as_str().unwrap();
            assert!(
                answer["message"].as_str().unwrap().starts_with(first),
                "{answer}"
            );
            assert!(!answer.to_string().contains("sesame"), "{answer}");
        }
    }
}

#[tokio::test]
async fn what_the_database_rejects_is_told_in_words_that_are_safe() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        // The guard knows neither how many rows a subquery has nor what types go together.
        let answer = run(&site, "SELECT (SELECT id FROM employee) FROM crew").await;
        assert_eq!(
            (&answer["status"], &answer["result"]["outcome"]),
            (&json!("error"), &json!("rejected")),
            "{answer}"
        );
        let message = answer["message"].as_str().unwrap();
        assert!(message.to_lowercase().contains("more than"), "{message}");
        assert!(
            answer["result"]["sql"]
                .as_str()
                .unwrap()
                .contains("secure_employee")
        );
        for secret in ["secure_", "reader", "sesame", "127.0.0.1"] {
            assert!(!message.contains(secret), "{message}");
        }
    }
}

#[tokio::test]
async fn rows_and_bytes_are_limited() {
    for target in both().await {
        let limited = TargetConfig {
            max_rows: 20,
            ..target.config.clone()
        };
        let narrow = TargetConfig {
            name: "narrow".to_owned(),
            max_bytes: 400,
            ..target.config.clone()
        };
        let site = Site::over(vec![limited, narrow]).await;
        let ask = async |arguments: Value| {
            let result = site.ok("demo", "run_sql", arguments).await;
            let rows = result["rows"].as_array().unwrap().len();
            assert_eq!(result["row_count"], rows);
            (rows, result["truncated"].as_bool().unwrap())
        };
        let sql = "SELECT id FROM work_time ORDER BY id";
        assert_eq!(ask(json!({ "sql": sql, "max_rows": 5 })).await, (5, true));
        assert_eq!(
            ask(json!({ "sql": sql, "max_rows": 1000 })).await,
            (20, true),
            "the target's own limit is the lower"
        );
        assert_eq!(
            ask(json!({ "sql": format!("{sql} LIMIT 5"), "max_rows": 5 })).await,
            (5, false),
            "that was all"
        );
        let (rows, truncated) = ask(json!({ "sql": "SELECT id, hours FROM work_time ORDER BY id", "target": "narrow", "max_rows": 300 })).await;
        assert!(rows > 0 && rows < 40 && truncated, "{rows}");
    }
}

#[tokio::test]
async fn queries_that_read_too_much_are_told_from_those_that_take_too_long() {
    for target in both().await {
        let thrifty = TargetConfig {
            max_estimated_rows: 1_000,
            ..target.config.clone()
        };
        let hasty = TargetConfig {
            name: "hasty".to_owned(),
            max_estimated_rows: 0,
            statement_timeout_ms: 300,
            ..target.config.clone()
        };
        let site = Site::over(vec![thrifty, hasty]).await;
        let sql = "SELECT COUNT(*) FROM work_time a JOIN work_time b ON a.hours = b.hours JOIN work_time c ON c.hours > a.hours - b.hours";
        let answer = site.call("demo", "run_sql", json!({ "sql": sql })).await;
        assert_eq!(
            (&answer["status"], &answer["result"]["outcome"]),
            (&json!("error"), &json!("too_expensive")),
            "{answer}"
        );
        let told = answer["result"].get("estimated_rows");
        assert!(told.is_none(), "it may count rows of others: {answer}");
        let answer = site
            .call("demo", "run_sql", json!({ "sql": sql, "target": "hasty" }))
            .await;
        assert_eq!(
            (&answer["status"], &answer["result"]["outcome"]),
            (&json!("error"), &json!("timed_out")),
            "{answer}"
        );
        let answer = site
            .call(
                "demo",
                "run_sql",
                json!({ "sql": "SELECT name FROM crew", "target": "hasty" }),
            )
            .await;
        assert_eq!(answer["status"], "ok", "the next query runs: {answer}");
    }
}
