//! Each question about readings is answered from an index, and touches only the range asked for, on
//! any length of history.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgPool;
use tools::catalog::{self, LoggerSettings, SiteSettings};

use crate::harness::{TENANT, database};

/// Readings of a day.
const PER_DAY: i64 = 24;

/// Hourly readings of four loggers over some years, made in the database, without daily figures.
async fn history(pool: &PgPool, years: i32) -> Vec<i32> {
    let mut conn = pool.acquire().await.unwrap();
    let first: DateTime<Utc> = "2004-01-01T00:00:00Z".parse().unwrap();
    let last: DateTime<Utc> = format!("{}-12-31T23:00:00Z", 2003 + years).parse().unwrap();
    catalog::ensure_partitions(&mut conn, first, last)
        .await
        .unwrap();
    let site = SiteSettings::new("roof", chrono_tz::UTC);
    let site = catalog::put_site(&mut conn, TENANT, &site).await.unwrap();
    let mut keys = Vec::new();
    for id in ["A", "B", "C", "D"] {
        let logger = LoggerSettings::new(id, "lti");
        keys.push(
            catalog::put_logger(&mut conn, TENANT, site, &logger)
                .await
                .unwrap(),
        );
    }
    sqlx::query(
        "INSERT INTO tools.measurements (logger_key, \"timestamp\", active_power_watts, metadata)
         SELECT key, at, 1000, '{\"errorCode\": \"F01\"}'
         FROM generate_series($1, $2, interval '1 hour') AS at CROSS JOIN unnest($3::integer[]) AS key",
    )
    .bind(first)
    .bind(last)
    .bind(&keys)
    .execute(&mut *conn)
    .await
    .unwrap();
    sqlx::query("ANALYZE tools.measurements")
        .execute(&mut *conn)
        .await
        .unwrap();
    keys
}

/// How the server plans a prepared query: for the values available, or, after some uses, once for
/// all values.
const MODES: [&str; 2] = ["force_custom_plan", "force_generic_plan"];

/// The plans of a query, one per mode, with what it really did.
async fn plans(pool: &PgPool, query: &str, arguments: &str) -> Vec<Value> {
    let mut conn = pool.acquire().await.unwrap();
    // EXPLAIN takes no bound values; here they are literals of the test itself.
    let prepare = format!("PREPARE q AS {query}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(prepare))
        .execute(&mut *conn)
        .await
        .unwrap();
    let mut plans = Vec::new();
    for mode in MODES {
        let set = format!("SET plan_cache_mode = {mode}");
        sqlx::raw_sql(sqlx::AssertSqlSafe(set))
            .execute(&mut *conn)
            .await
            .unwrap();
        let explain = format!("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE q({arguments})");
        let plan = sqlx::query_scalar(sqlx::AssertSqlSafe(explain))
            .fetch_one(&mut *conn)
            .await;
        plans.push(plan.unwrap());
    }
    sqlx::raw_sql("DEALLOCATE q; RESET plan_cache_mode")
        .execute(&mut *conn)
        .await
        .unwrap();
    plans
}

/// Every node of a plan.
fn nodes(plan: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut todo = vec![&plan[0]["Plan"]];
    while let Some(node) = todo.pop() {
        found.push(node);
        todo.extend(node["Plans"].as_array().into_iter().flatten());
    }
    found
}

/// Asserts that readings are read by index, from these partitions, and at most `rows` of them,
/// however the query is planned.
async fn assert_bounded(
    pool: &PgPool,
    (query, arguments): (&str, &str),
    partitions: &[&str],
    rows: i64,
) {
    for plan in plans(pool, query, arguments).await {
        let (mut touched, mut read) = (Vec::new(), 0.0);
        for node in nodes(&plan) {
            let Some(relation) = node["Relation Name"].as_str() else {
                continue;
            };
            if !relation.starts_with("measurements") {
                continue;
            }
            assert_ne!(node["Node Type"], "Seq Scan", "{query}: {plan}");
            let loops = node["Actual Loops"].as_f64().unwrap();
            if loops > 0.0 {
                touched.push(relation.to_owned());
                let removed = node["Rows Removed by Filter"].as_f64().unwrap_or(0.0);
                read += loops * (node["Actual Rows"].as_f64().unwrap() + removed);
            }
        }
        touched.sort();
        touched.dedup();
        assert_eq!(touched, partitions, "{query}: {plan}");
        assert!(
            read <= rows as f64,
            "{read} rows are read and {rows} are in the range: {query}"
        );
    }
}

const READINGS: &str = include_str!("../../queries/readings.sql");
const POWER: &str = include_str!("../../queries/power_readings.sql");
const CODED_READINGS: &str = include_str!("../../queries/coded_readings.sql");

async fn check(years: i32) {
    let database = database().await;
    let keys = history(database.pool(), years).await;
    let pool = database.pool();
    let week = "'2004-06-01Z', '2004-06-08Z'";
    let year = ["measurements_2004"];
    let codes = format!("'{{{}}}', '{{2004-06-01Z}}', '{{2004-06-08Z}}'", keys[1]);
    assert_bounded(pool, (CODED_READINGS, &codes), &year, 7 * PER_DAY).await;
    let one = format!("'{{{}}}', {week}, '{{f}}'", keys[1]);
    let three = format!(
        "'{{{},{},{}}}', {week}, '{{t,f,f}}'",
        keys[0], keys[1], keys[3]
    );
    for query in [READINGS, POWER] {
        assert_bounded(pool, (query, &one), &year, 7 * PER_DAY).await;
        assert_bounded(pool, (query, &three), &year, 3 * 7 * PER_DAY).await;
        if years > 1 {
            let new_year = format!("'{{{}}}', '2004-12-30Z', '2005-01-02Z', '{{f}}'", keys[1]);
            let years = ["measurements_2004", "measurements_2005"];
            assert_bounded(pool, (query, &new_year), &years, 3 * PER_DAY).await;
        }
    }
}

#[tokio::test]
async fn a_range_is_read_by_index_and_nothing_else_is() {
    check(1).await;
}

#[tokio::test]
async fn twenty_times_the_history_changes_nothing() {
    check(20).await;
}

#[tokio::test]
async fn the_ends_of_a_history_are_found_without_reading_it() {
    let database = database().await;
    let keys = history(database.pool(), 20).await;
    let query = include_str!("../../queries/rollup_ends.sql");
    for plan in plans(database.pool(), query, &keys[2].to_string()).await {
        let of_readings = |node: &&&Value| {
            node["Relation Name"]
                .as_str()
                .is_some_and(|name| name.starts_with("measurements"))
        };
        let rows = |node: &&Value| {
            let removed = node["Rows Removed by Filter"].as_f64().unwrap_or(0.0);
            node["Actual Loops"].as_f64().unwrap()
                * (node["Actual Rows"].as_f64().unwrap() + removed)
        };
        let nodes = nodes(&plan);
        let read: f64 = nodes.iter().filter(of_readings).map(rows).sum();
        assert!(read <= 60.0, "{read} rows read: {plan}");
    }
}

#[tokio::test]
async fn error_codes_are_answered_without_a_look_at_readings() {
    let database = database().await;
    let pool = database.pool();
    let keys = history(pool, 20).await;
    sqlx::query(
        "INSERT INTO tools.code_runs (logger_key, first_at, last_at, readings, codes)
         SELECT key, at, at + interval '1 hour', 3, '[{\"errorCode\": \"F01\"}]'
         FROM generate_series('2004-01-01Z', '2023-12-31Z', interval '1 day') AS at CROSS JOIN unnest($1::integer[]) AS key",
    )
    .bind(&keys)
    .execute(pool)
    .await
    .unwrap();
    sqlx::query("ANALYZE tools.code_runs")
        .execute(pool)
        .await
        .unwrap();
    let query = include_str!("../../queries/code_runs.sql");
    let arguments = format!(
        "'{{{}, {}}}', '{{2004-06-01Z, 2023-06-01Z}}', '{{2004-07-01Z, 2023-07-01Z}}'",
        keys[0], keys[2]
    );
    for plan in plans(pool, query, &arguments).await {
        let mut read = 0.0;
        for node in nodes(&plan) {
            let relation = node["Relation Name"].as_str().unwrap_or_default();
            assert!(!relation.starts_with("measurements"), "{plan}");
            if relation == "code_runs" {
                let removed = node["Rows Removed by Filter"].as_f64().unwrap_or(0.0);
                let loops = node["Actual Loops"].as_f64().unwrap();
                read += loops * (node["Actual Rows"].as_f64().unwrap() + removed);
            }
        }
        assert!(
            (59.0..=60.0).contains(&read),
            "{read} runs are read: {plan}"
        );
    }
}

#[tokio::test]
async fn days_of_a_logger_of_stated_size_are_not_read_for_its_size() {
    let database = database().await;
    let pool = database.pool();
    let keys = history(pool, 1).await;
    let mut conn = pool.acquire().await.unwrap();
    for key in &keys[..2] {
        let (first, last) = ("2004-01-01T00:00:00Z", "2004-12-31T23:00:00Z");
        let range = (first.parse().unwrap(), last.parse().unwrap());
        tools::rollup::refresh(&mut conn, *key, range.0, range.1)
            .await
            .unwrap();
    }
    sqlx::query("UPDATE tools.loggers SET capacity_kw = 5 WHERE logger_key = $1")
        .bind(keys[0])
        .execute(&mut *conn)
        .await
        .unwrap();
    sqlx::query("ANALYZE tools.daily")
        .execute(&mut *conn)
        .await
        .unwrap();
    let query = include_str!("../../queries/sizes.sql");
    let days = "'{2004-06-01, 2004-06-01}'";
    let arguments = format!("'{{{}, {}}}', {days}, {days}", keys[0], keys[1]);
    for plan in plans(pool, query, &arguments).await {
        let of_days = |node: &&&Value| node["Relation Name"] == "daily";
        let rows = |node: &&Value| {
            node["Actual Loops"].as_f64().unwrap() * node["Actual Rows"].as_f64().unwrap()
        };
        let nodes = nodes(&plan);
        let read: f64 = nodes.iter().filter(of_days).map(rows).sum();
        assert!((300.0..=366.0).contains(&read), "{read} days read: {plan}");
    }
}
