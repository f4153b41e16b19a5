//! Rows, bytes, time and cost.

use std::time::Duration;

use targets::{Limits, Target, TargetConfig, TargetError};

use crate::fixture::{Fixture, ask, both, limits, unchecked};

/// 2,000 numbers: three of them crossed are 8,000,000,000 rows.
async fn numbers(fixture: &Fixture) {
    let series = if fixture.dialect == "mariadb" {
        "SELECT seq FROM seq_1_to_2000"
    } else {
        "SELECT generate_series(1, 2000)"
    };
    let sql = format!(
        "CREATE TABLE numbers (n INT NOT NULL, filler VARCHAR(100) NOT NULL);
         INSERT INTO numbers SELECT s.*, repeat('x', 100) FROM ({series}) AS s;
         ANALYZE {} numbers;",
        if fixture.dialect == "mariadb" {
            "TABLE"
        } else {
            ""
        }
    );
    fixture.admin.run(&sql).await;
}

const CROSSED: &str =
    "SELECT count(*) AS n FROM numbers a, numbers b, numbers c WHERE a.n + b.n + c.n = 0";

#[tokio::test]
async fn a_slow_statement_is_stopped_by_the_database() {
    for fixture in both().await {
        numbers(&fixture).await;
        let target = Target::new(TargetConfig {
            statement_timeout_ms: 300,
            max_estimated_rows: 0,
            allow_writing_role: true,
            ..TargetConfig::new("admin", fixture.admin.url())
        })
        .unwrap();
        let error = ask(&target, CROSSED).await.unwrap_err();
        assert_eq!(
            error,
            TargetError::TimedOut {
                after: Duration::from_millis(300)
            },
            "{}",
            fixture.dialect
        );
        // The connection is none the worse.
        assert_eq!(
            ask(&target, "SELECT count(*) AS n FROM numbers")
                .await
                .unwrap()
                .rows[0]["n"],
            2000
        );
    }
}

#[tokio::test]
async fn an_expensive_statement_is_not_begun() {
    for fixture in both().await {
        numbers(&fixture).await;
        let target = Target::new(TargetConfig {
            max_estimated_rows: 1_000_000,
            allow_writing_role: true,
            ..TargetConfig::new("admin", fixture.admin.url())
        })
        .unwrap();
        match ask(&target, CROSSED).await.unwrap_err() {
            TargetError::TooExpensive {
                estimated: Some(rows),
                limit: 1_000_000,
            } => assert!(rows > 1e9, "{rows}"),
            other => panic!("{}: {other:?}", fixture.dialect),
        }
        let rows = ask(&target, "SELECT n FROM numbers WHERE n < 5")
            .await
            .unwrap();
        assert!(
            rows.estimated_rows
                .is_some_and(|rows| (1.0..100_000.0).contains(&rows)),
            "{:?}",
            rows.estimated_rows
        );
    }
}

/// The target's role may not ask for the plan of a secure view there; the server's own limit holds.
#[tokio::test]
async fn the_cost_of_a_secure_view_is_limited_without_an_estimate() {
    let fixture = crate::fixture::mariadb().await;
    let sql = "INSERT INTO employee SELECT seq, 1, 'x', NULL FROM seq_100_to_1100; ANALYZE TABLE employee";
    fixture.admin.run(sql).await;
    let target = Target::new(TargetConfig {
        max_estimated_rows: 50_000,
        ..fixture.config()
    })
    .unwrap();
    let crossed = "SELECT count(*) AS n FROM employee a, employee b WHERE a.email > b.email";
    let error = ask(&target, crossed).await.unwrap_err();
    assert_eq!(
        error,
        TargetError::TooExpensive {
            estimated: None,
            limit: 50_000
        }
    );
    assert!(
        ask(&target, "SELECT count(*) AS n FROM employee")
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn rows_are_cut_and_that_is_told() {
    for fixture in both().await {
        numbers(&fixture).await;
        let target = fixture.admin_target();
        let first = async |sql: &str, rows: u64| {
            let checked = target.check(sql, "demo", rows).await.unwrap().unwrap();
            target
                .run(&checked, &target.limits().with_max_rows(rows))
                .await
                .unwrap()
        };
        let cut = first("SELECT n FROM numbers ORDER BY n", 500).await;
        assert_eq!((cut.rows.len(), cut.truncated), (500, true));
        assert_eq!(cut.rows[499]["n"], 500);
        let whole = first("SELECT n FROM numbers WHERE n <= 500", 500).await;
        assert_eq!((whole.rows.len(), whole.truncated), (500, false));
        let own = first("SELECT n FROM numbers LIMIT 3", 500).await;
        assert_eq!((own.rows.len(), own.truncated), (3, false));
    }
}

#[tokio::test]
async fn bytes_are_cut_and_the_next_statement_is_not_in_the_way() {
    for fixture in both().await {
        numbers(&fixture).await;
        let target = fixture.admin_target();
        let limits = Limits {
            max_bytes: 10_000,
            ..limits(&target)
        };
        for _ in 0..20 {
            let cut = target
                .run(
                    &unchecked("SELECT n, filler FROM numbers ORDER BY n"),
                    &limits,
                )
                .await
                .unwrap();
            assert!(
                cut.truncated && (50..100).contains(&cut.rows.len()),
                "{}",
                cut.rows.len()
            );
            assert_eq!(
                ask(&target, "SELECT count(*) AS n FROM numbers")
                    .await
                    .unwrap()
                    .rows[0]["n"],
                2000
            );
        }
    }
}

#[tokio::test]
async fn no_rows_have_columns_all_the_same() {
    for fixture in both().await {
        let target = fixture.target();
        let rows = ask(&target, "SELECT id, name AS id FROM crew WHERE id < 0")
            .await
            .unwrap();
        let names: Vec<&str> = rows
            .columns
            .iter()
            .map(|column| column.name.as_str())
            .collect();
        assert_eq!(names, ["id", "id_2"]);
        assert!(rows.rows.is_empty() && !rows.truncated);
    }
}
