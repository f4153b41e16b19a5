//! Row filters as barriers: what the plans say, what is refused by the tenant's own rows, and a
//! second wall behind them.

use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection, Row};
use targets::{Target, TargetConfig, TargetError};

use crate::fixture::{Fixture, ask, ask_as, both, json, mariadb, postgres};

/// The plan of a statement as it is run.
async fn plan(fixture: &Fixture, sql: &str) -> String {
    let checked = fixture.target().check(sql, "demo", 100).await.unwrap();
    let sql = checked
        .unwrap_or_else(|findings| panic!("{findings:?}"))
        .sql;
    let explain = |how: &str| AssertSqlSafe(format!("EXPLAIN {how}{sql}"));
    if fixture.dialect == "mariadb" {
        let mut connection = MySqlConnection::connect(&fixture.admin.url())
            .await
            .unwrap();
        let row = sqlx::query(explain("FORMAT=JSON "))
            .fetch_one(&mut connection)
            .await
            .unwrap();
        row.get::<String, _>(0)
    } else {
        let mut connection = PgConnection::connect(&fixture.admin.url()).await.unwrap();
        let rows = sqlx::query(explain("(COSTS OFF) "))
            .fetch_all(&mut connection)
            .await
            .unwrap();
        let lines: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        lines.join("\n")
    }
}

#[tokio::test]
async fn mariadb_materialises_the_tenants_rows_and_looks_at_conditions_afterwards() {
    let fixture = mariadb().await;
    for (sql, condition) in [
        (
            "SELECT id FROM crew WHERE 1 / (id - 3) > 0",
            "1 / (crew.`id` - 3)",
        ),
        (
            "SELECT e.id FROM employee_crew e WHERE 1 / (e.id - 3) > 0",
            "1 / (e.`id` - 3)",
        ),
        (
            "SELECT c.id FROM crew c JOIN question q ON q.id = c.id AND 1 / (c.id - 3) > 0",
            "1 / (",
        ),
    ] {
        let plan = plan(&fixture, sql).await;
        let (outside, inside) = plan
            .split_once("\"materialized\"")
            .unwrap_or_else(|| panic!("{plan}"));
        assert!(outside.contains("<derived"), "{plan}");
        assert!(!inside.contains("1 / ("), "{condition}: {plan}");
        assert!(inside.contains("company_id"), "{plan}");
    }
    let merged = plan(&fixture, "SELECT id FROM crew WHERE id > 3").await;
    assert!(!merged.contains("materialized"), "{merged}");
    // What cannot fail is beside the filter.
    let beside = plan(
        &fixture,
        "SELECT id FROM crew WHERE id = 3 AND 1 / (id - 3) > 0",
    )
    .await;
    assert!(!beside.contains("\"key_length\": \"0\""), "{beside}");
}

#[tokio::test]
async fn postgresql_scans_the_tenants_rows_in_a_subquery_and_filters_that() {
    let fixture = postgres().await;
    for sql in [
        "SELECT id FROM crew WHERE 1 / (id - 3) > 0",
        "SELECT e.id FROM employee_crew e WHERE 1 / (e.id - 3) > 0",
        "SELECT c.id FROM crew c JOIN question q ON q.id = c.id AND 1 / (c.id - 3) > 0",
    ] {
        let plan = plan(&fixture, sql).await;
        let lines: Vec<&str> = plan.lines().collect();
        let at = |wanted: &str| lines.iter().position(|line| line.contains(wanted));
        let (condition, filter) = (at("(1 / ("), at("company_id = 1"));
        assert!(condition < filter && condition.is_some(), "{plan}");
        assert!(
            plan.contains("Subquery Scan") || plan.contains("Append"),
            "{plan}"
        );
        let together = lines
            .iter()
            .any(|line| line.contains("(1 / (") && line.contains("company_id"));
        assert!(!together, "{plan}");
    }
    let merged = plan(&fixture, "SELECT id FROM crew WHERE id > 3").await;
    assert!(
        !merged.contains("Append") && !merged.contains("Subquery"),
        "{merged}"
    );
}

#[tokio::test]
async fn estimates_and_failures_of_filtered_tables_are_not_told() {
    for fixture in both().await {
        let target = fixture.target();
        let rows = ask(&target, "SELECT id FROM crew").await.unwrap();
        assert_eq!(rows.estimated_rows, None);
        let shared = ask(&target, "SELECT id FROM question").await.unwrap();
        assert!(shared.estimated_rows.is_some(), "no tenant owns its rows");
        let failing = if fixture.dialect == "mariadb" {
            "SELECT 9223372036854775807 + id AS n FROM crew"
        } else {
            "SELECT 1 / (id - 1) AS n FROM crew"
        };
        let error = ask(&target, failing).await.unwrap_err();
        let TargetError::Rejected { message } = &error else {
            panic!("{error:?}")
        };
        assert!(
            message.starts_with("The database could not work out"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn tables_that_nothing_joins_are_refused_by_the_tenants_own_rows() {
    for fixture in both().await {
        let series = if fixture.dialect == "mariadb" {
            "SELECT seq, 2, 'x' FROM seq_100_to_2100"
        } else {
            "SELECT s, 2, 'x' FROM generate_series(100, 2100) AS s"
        };
        let analyze = if fixture.dialect == "mariadb" {
            "TABLE crew"
        } else {
            "crew"
        };
        let sql = format!("INSERT INTO crew {series}; ANALYZE {analyze}");
        fixture.admin.run(&sql).await;
        let target = Target::new(TargetConfig {
            max_estimated_rows: 1_000,
            ..fixture.config()
        })
        .unwrap();
        let sql = "SELECT COUNT(*) AS n FROM crew a, crew b";
        let own = ask_as(&target, "demo", sql).await.unwrap();
        assert_eq!(own.rows[0]["n"], 4);
        let error = ask_as(&target, "rival", sql).await.unwrap_err();
        let refused = TargetError::TooExpensive {
            estimated: None,
            limit: 1_000,
        };
        assert_eq!(error, refused);
        let joined = "SELECT COUNT(*) AS n FROM crew a JOIN crew b ON a.id = b.id";
        assert!(ask_as(&target, "rival", joined).await.is_ok());
    }
}

/// As docs/targets.md says: the tenant is set on the connections of its target, and the tables have
/// policies.
#[tokio::test]
async fn row_level_security_stands_beside_the_policy_file() {
    let fixture = postgres().await;
    fixture
        .admin
        .run(
            "ALTER TABLE crew ENABLE ROW LEVEL SECURITY; ALTER TABLE crew FORCE ROW LEVEL SECURITY;
             CREATE POLICY tenant ON crew USING (company_id = current_setting('app.tenant')::int)",
        )
        .await;
    let config = |tenant: &str, number: &str, policy: bool| {
        let mut config = fixture.config();
        config.tenants = vec![tenant.to_owned()];
        config
            .session_variables
            .insert("app.tenant".to_owned(), number.to_owned().into());
        if !policy {
            config.policy_file = None;
        }
        Target::new(config).unwrap()
    };
    let sql = "SELECT name FROM crew ORDER BY id";
    for policy in [true, false] {
        let demo = ask_as(&config("demo", "1", policy), "demo", sql).await;
        assert_eq!(
            json(&demo.unwrap()),
            r#"[{"name":"North"},{"name":"South"}]"#
        );
        let rival = ask_as(&config("rival", "2", policy), "rival", sql).await;
        assert_eq!(json(&rival.unwrap()), r#"[{"name":"Rivals"}]"#);
    }
    // A mistake in either wall is caught by the other.
    let mistaken = ask_as(&config("demo", "2", true), "demo", sql)
        .await
        .unwrap();
    assert_eq!(json(&mistaken), "[]");
    let target = config("demo", "1", true);
    for sql in [
        "SELECT set_config('app.tenant', '2', false)",
        "SET app.tenant = '2'",
        "SELECT name FROM crew WHERE current_setting('app.tenant') = '1'",
    ] {
        assert!(
            target.check(sql, "demo", 10).await.unwrap().is_err(),
            "{sql}"
        );
    }
}
