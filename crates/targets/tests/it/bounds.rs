//! Statements whose estimate is small and whose work is not.

use std::sync::Arc;

use sql_guard::Kind;
use targets::{Bound, Target, TargetConfig, TargetError};

use crate::fixture::{Fixture, ask, both, json, limits, unchecked};

fn target(fixture: &Fixture, change: impl FnOnce(&mut TargetConfig)) -> Arc<Target> {
    let mut config = TargetConfig {
        allow_writing_role: true,
        ..TargetConfig::new("field", fixture.admin.url())
    };
    change(&mut config);
    Arc::new(Target::new(config).unwrap())
}

/// A tree of four, and two that are each other's parents.
async fn nodes(fixture: &Fixture) {
    let sql = "CREATE TABLE node (id INT PRIMARY KEY, parent INT, name VARCHAR(20) NOT NULL);
        INSERT INTO node VALUES (1, NULL, 'root'), (2, 1, 'left'), (3, 1, 'right'), (4, 3, 'leaf'), (10, 11, 'egg'), (11, 10, 'hen');";
    fixture.admin.run(sql).await;
}

fn tree(fixture: &Fixture, root: u32) -> String {
    let text = if fixture.dialect == "mariadb" {
        "CHAR(200)"
    } else {
        "TEXT"
    };
    format!(
        "WITH RECURSIVE t AS (SELECT id, 1 AS level, CAST(name AS {text}) AS path FROM node WHERE id = {root} UNION ALL \
         SELECT n.id, t.level + 1, concat(t.path, '/', n.name) FROM node n JOIN t ON n.parent = t.id) \
         SELECT id, level, path FROM t ORDER BY id"
    )
}

#[tokio::test]
async fn recursions_of_honest_size_run_as_they_are_written() {
    for fixture in both().await {
        nodes(&fixture).await;
        let target = target(&fixture, |_| {});
        let chart = ask(&target, &tree(&fixture, 1)).await.unwrap();
        assert_eq!(
            json(&chart),
            r#"[{"id":1,"level":1,"path":"root"},{"id":2,"level":2,"path":"root/left"},{"id":3,"level":2,"path":"root/right"},{"id":4,"level":3,"path":"root/right/leaf"}]"#,
            "{}",
            fixture.dialect
        );
        let days = if fixture.dialect == "mariadb" {
            "WITH RECURSIVE d AS (SELECT DATE('2026-01-01') AS day UNION ALL SELECT day + INTERVAL 1 DAY FROM d WHERE day < '2026-01-31') \
             SELECT COUNT(*) AS n, MAX(day) AS last FROM d"
        } else {
            "WITH RECURSIVE d AS (SELECT DATE '2026-01-01' AS day UNION ALL SELECT (day + INTERVAL '1 day')::date FROM d WHERE day < DATE '2026-01-31') \
             SELECT COUNT(*) AS n, MAX(day) AS last FROM d"
        };
        let days = ask(&target, days).await.unwrap();
        assert_eq!(json(&days), r#"[{"n":31,"last":"2026-01-31"}]"#);
        // Beyond the thousand steps after which MariaDB stops on its own, without a word.
        let minutes = "WITH RECURSIVE m AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM m WHERE n < 5000) SELECT COUNT(*) AS n, SUM(a.n) AS s FROM m a";
        let minutes = ask(&target, minutes).await.unwrap();
        assert_eq!(json(&minutes), r#"[{"n":5000,"s":12502500}]"#);
    }
}

#[tokio::test]
async fn a_recursion_without_end_is_stopped_and_never_answered_as_if_it_were_whole() {
    for fixture in both().await {
        nodes(&fixture).await;
        let target = target(&fixture, |_| {});
        let circle = "WITH RECURSIVE t AS (SELECT id FROM node WHERE id = 10 UNION ALL SELECT n.id FROM node n JOIN t ON n.parent = t.id) \
            SELECT COUNT(*) AS n FROM t";
        let endless = "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s) SELECT COUNT(*) AS n FROM s";
        for sql in [circle, endless] {
            let error = ask(&target, sql).await.unwrap_err();
            assert_eq!(
                error,
                TargetError::Stopped {
                    bound: Bound::Recursion
                },
                "{}: {sql}",
                fixture.dialect
            );
        }
        // The connection can still be used.
        assert!(ask(&target, "SELECT COUNT(*) AS n FROM node").await.is_ok());
    }
}

#[tokio::test]
async fn a_recursion_whose_texts_grow_for_ever_is_stopped() {
    let fixture = crate::fixture::postgres().await;
    nodes(&fixture).await;
    let target = target(&fixture, |_| {});
    let sql = "WITH RECURSIVE t AS (SELECT id, name::text AS path FROM node WHERE id = 10 UNION ALL \
        SELECT n.id, t.path || '/' || t.path || n.name FROM node n JOIN t ON n.parent = t.id) SELECT COUNT(*) AS n FROM t";
    let error = ask(&target, sql).await.unwrap_err();
    assert_eq!(
        error,
        TargetError::Stopped {
            bound: Bound::Growth
        }
    );
}

#[tokio::test]
async fn what_made_gigabytes_of_little_is_refused_with_the_reason() {
    let digits = (0..10).map(|n| format!("SELECT {n} AS n"));
    let digits = digits.collect::<Vec<_>>().join(" UNION ALL ");
    let crossed: Vec<String> = (0..7).map(|n| format!("({digits}) AS d{n}")).collect();
    for fixture in both().await {
        let target = target(&fixture, |_| {});
        for sql in [
            "WITH RECURSIVE t(n, s) AS (SELECT 1, LPAD('a', 4000000, 'b') UNION ALL SELECT n + 1, s FROM t WHERE n < 900) \
             SELECT COUNT(*) AS n, MAX(LENGTH(s)) AS l FROM t",
            &format!("SELECT COUNT(*) AS n FROM {}", crossed.join(", ")),
            "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 100000000) SELECT COUNT(*) AS n FROM s",
        ] {
            let findings = target.check(sql, "demo", 100).await.unwrap().unwrap_err();
            assert_eq!(findings[0].kind, Kind::Unbounded, "{}", fixture.dialect);
            assert!(
                findings[0].message.contains("allowed") || findings[0].message.contains("at most")
            );
        }
    }
}

#[tokio::test]
async fn temporary_files_are_limited_for_each_statement() {
    for fixture in both().await {
        let series = if fixture.dialect == "mariadb" {
            "SELECT seq AS n FROM seq_1_to_500"
        } else {
            "SELECT generate_series(1, 500) AS n"
        };
        let sql = format!(
            "CREATE TABLE number (n INT NOT NULL, filler VARCHAR(100) NOT NULL); INSERT INTO number SELECT s.n, repeat('x', 100) FROM ({series}) AS s;"
        );
        fixture.admin.run(&sql).await;
        let target = target(&fixture, |config| config.max_temp_bytes = 1 << 20);
        let sql = "SELECT COUNT(*) AS n FROM (SELECT DISTINCT a.n, b.n AS m, a.filler FROM number a, number b) AS x";
        let error = target
            .run(&unchecked(sql), &limits(&target))
            .await
            .unwrap_err();
        assert_eq!(
            error,
            TargetError::Stopped {
                bound: Bound::Space
            },
            "{}",
            fixture.dialect
        );
        assert!(
            ask(&target, "SELECT COUNT(*) AS n FROM number")
                .await
                .is_ok()
        );
    }
}
