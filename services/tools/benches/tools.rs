//! The cost of a call of each tool, over half a million readings and over more years of them.
//!
//! `HELIOGRAPH_BENCH_YEARS` (1 unless set) is the length of the history; the figures of 20 are
//! intended to be those of 1.

#![expect(clippy::unwrap_used, reason = "a benchmark that fails may panic")]

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use demo_park::{LargeOptions, generate_large};
use serde_json::{Value, json};
use service_kit::clock::SystemClock;
use service_kit::identity::{Identity, Standing};
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tokio::runtime::Runtime;
use tools::solar_tools::SolarTools;
use tools::solar_tools::config::SolarConfig;
use tools::toolbox::Toolbox;

/// The tenant of the generated data.
const TENANT: &str = "bench";

fn years() -> u32 {
    std::env::vars()
        .find(|(name, _)| name == "HELIOGRAPH_BENCH_YEARS")
        .and_then(|(_, years)| years.parse().ok())
        .unwrap_or(1)
}

/// Five loggers that read every five minutes: half a million readings a year.
async fn data() -> TestDatabase {
    let database = TestDatabase::new("tools", |pool| async move { tools::migrate(&pool).await })
        .await
        .unwrap();
    let options = LargeOptions {
        tenant: TENANT.to_owned(),
        sites: 1,
        loggers: 5,
        days: 365 * years(),
        step_minutes: 5,
        seed: 1,
    };
    generate_large(database.pool(), &options, |_| ())
        .await
        .unwrap();
    sqlx::query("VACUUM ANALYZE")
        .execute(database.pool())
        .await
        .unwrap();
    database
}

/// The ids of the inverters, and a day in the middle of the newest month.
async fn subjects(pool: &PgPool) -> (Vec<String>, String) {
    let ids = sqlx::query_scalar(
        "SELECT logger_id FROM tools.loggers WHERE role = 'inverter' ORDER BY logger_id",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let day = sqlx::query_scalar(
        "SELECT (max(last_at) - interval '15 days')::date::text FROM tools.loggers",
    )
    .fetch_one(pool)
    .await
    .unwrap();
    (ids, day)
}

fn calls(ids: &[String], day: &str) -> Vec<(&'static str, Value)> {
    let id = &ids[0];
    vec![
        ("list_loggers", json!({})),
        ("get_fleet_overview", json!({})),
        (
            "analyze_inverter_health",
            json!({ "logger_id": id, "days": 7 }),
        ),
        ("get_power_curve", json!({ "logger_id": id, "date": day })),
        (
            "compare_loggers",
            json!({ "logger_ids": ids[..3], "date": day }),
        ),
        (
            "calculate_financial_savings",
            json!({ "logger_id": id, "start_date": day }),
        ),
        (
            "calculate_performance_ratio",
            json!({ "logger_id": id, "date": day }),
        ),
        (
            "forecast_production",
            json!({ "logger_id": id, "days_ahead": 7 }),
        ),
        (
            "diagnose_error_codes",
            json!({ "logger_id": id, "days": 7 }),
        ),
    ]
}

fn tools(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let (database, ids, day) = runtime.block_on(async {
        let database = data().await;
        let (ids, day) = subjects(database.pool()).await;
        (database, ids, day)
    });
    let solar = SolarTools::new(
        database.pool().clone(),
        SolarConfig::default(),
        SystemClock::shared(),
    );
    let toolbox = Toolbox::new(vec![Arc::new(solar)]).unwrap();
    let caller = Identity {
        subject: "bench".to_owned(),
        name: None,
        tenant: TENANT.to_owned(),
        scopes: Vec::new(),
        token: "none".into(),
        expires_at: i64::MAX,
        session: None,
        standing: Standing::default(),
    };
    let mut group = criterion.benchmark_group(format!("tools/{}_years", years()));
    for (tool, arguments) in calls(&ids, &day) {
        let answer = runtime
            .block_on(toolbox.call(&caller, tool, arguments.clone()))
            .unwrap();
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["status"], "ok", "{tool}: {answer}");
        group.bench_function(tool, |bencher| {
            bencher.to_async(&runtime).iter(|| async {
                toolbox
                    .call(&caller, tool, arguments.clone())
                    .await
                    .unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, tools);
criterion_main!(benches);
