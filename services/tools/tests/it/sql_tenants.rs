//! Tenants never see each other's rows, whatever the SQL.

use serde_json::{Value, json};

use crate::sql_targets::{Site, both};

/// Ways to get at rows of others. `{other}` is the other tenant's number.
const ATTEMPTS: &[&str] = &[
    "SELECT * FROM crew",
    "SELECT * FROM crew WHERE company_id = {other}",
    "SELECT * FROM crew WHERE company_id = {other} OR 1 = 1",
    "SELECT c.* FROM crew AS c",
    "SELECT company_id.name FROM crew AS company_id",
    "SELECT work_order.name FROM crew AS work_order",
    "SELECT name FROM crew UNION SELECT title FROM work_order UNION ALL SELECT name FROM employee",
    "(SELECT name FROM crew) UNION (SELECT name FROM employee) ORDER BY 1",
    "SELECT name FROM crew EXCEPT SELECT title FROM work_order",
    "SELECT (SELECT MAX(name) FROM employee) AS highest, (SELECT MIN(name) FROM employee) AS lowest",
    "SELECT name FROM crew WHERE EXISTS (SELECT 1 FROM employee WHERE employee.company_id = {other})",
    "SELECT name FROM crew WHERE company_id IN (SELECT company_id FROM work_order)",
    "WITH crew AS (SELECT * FROM crew) SELECT * FROM crew",
    "WITH crew AS (SELECT name FROM employee) SELECT * FROM crew",
    "WITH all_of_them AS (SELECT * FROM employee), crew AS (SELECT * FROM all_of_them) SELECT * FROM crew",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT c.name, n.i FROM n JOIN crew c ON 1 = 1",
    "SELECT a.name, b.name AS other FROM crew a CROSS JOIN crew b",
    "SELECT a.name, b.title FROM crew a LEFT JOIN work_order b ON b.company_id <> a.company_id",
    "SELECT a.name, b.title FROM crew a RIGHT JOIN work_order b ON b.crew_id = a.id",
    "SELECT * FROM crew NATURAL JOIN work_order",
    "SELECT * FROM crew JOIN work_order USING (company_id)",
    "SELECT d.name FROM (SELECT * FROM (SELECT * FROM employee) AS inside) AS d",
    "SELECT e.name, t.hours FROM work_time t JOIN employee e ON e.id = t.employee_id",
    "SELECT t.id, t.hours FROM work_time t WHERE t.work_order_id = 3",
    "SELECT MAX(name) AS last FROM crew GROUP BY company_id HAVING COUNT(*) > 0",
    "SELECT name, ROW_NUMBER() OVER (PARTITION BY company_id ORDER BY name) AS place FROM crew",
    "SELECT CASE WHEN company_id = {other} THEN name END AS name FROM employee",
    "SELECT * FROM migration",
    "SELECT * FROM secure_employee",
    "SELECT name FROM crew WHERE name LIKE '%-%' /* WHERE company_id = {other} */ -- OR 1 = 1",
];

#[tokio::test]
async fn no_statement_reads_rows_of_another_tenant() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        for (tenant, others, number) in [("demo", "rival-", "2"), ("rival", "demo-", "1")] {
            let mut ran = 0;
            for attempt in ATTEMPTS {
                let sql = attempt.replace("{other}", number);
                let answer = site
                    .call(tenant, "run_sql", json!({ "sql": sql, "max_rows": 1000 }))
                    .await;
                assert!(
                    !answer.to_string().contains(others),
                    "{tenant}: {sql}: {answer}"
                );
                assert!(
                    !has_company(&answer["result"]["rows"], number),
                    "{tenant}: {sql}: {answer}"
                );
                let outcome = answer["result"]["outcome"].as_str().unwrap();
                assert!(
                    ["rows", "refused", "rejected"].contains(&outcome),
                    "{sql}: {answer}"
                );
                ran += usize::from(outcome == "rows");
            }
            assert!(ran >= ATTEMPTS.len() - 6, "{tenant}: only {ran} ran");
        }
    }
}

/// Whether a row says that it is another's.
fn has_company(rows: &Value, number: &str) -> bool {
    let number: i64 = number.parse().unwrap();
    let rows = rows.as_array().into_iter().flatten();
    rows.filter_map(|row| row.get("company_id"))
        .any(|company| company.as_i64() == Some(number))
}

#[tokio::test]
async fn counts_are_of_the_tenants_own_rows() {
    for target in both().await {
        let site = Site::over(vec![target.config.clone()]).await;
        let sql = "SELECT (SELECT COUNT(*) FROM employee) AS employees, (SELECT COUNT(*) FROM work_time) AS times, \
                   (SELECT SUM(hours) FROM work_time) AS hours, (SELECT COUNT(*) FROM question) AS questions";
        for (tenant, row) in [
            (
                "demo",
                json!({ "employees": 3, "times": 300, "hours": 450.0, "questions": 1 }),
            ),
            (
                "rival",
                json!({ "employees": 2, "times": 300, "hours": 750.0, "questions": 1 }),
            ),
        ] {
            let result = site.ok(tenant, "run_sql", json!({ "sql": sql })).await;
            assert_eq!(result["rows"][0], row, "{tenant}");
        }
    }
}
