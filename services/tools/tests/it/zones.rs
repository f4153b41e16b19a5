//! No answer depends on the zone of the sessions with the database, nor on that of the process.

use std::sync::Arc;

use serde_json::{Value, json};
use service_kit::clock::FixedClock;
use service_kit::identity::{Identity, Standing};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tools::solar_tools::SolarTools;
use tools::solar_tools::config::SolarConfig;
use tools::toolbox::Toolbox;

use crate::fixtures;
use crate::harness::{TENANT, database};

/// A pool whose sessions run in the zone. The driver sets UTC when it connects, so this comes
/// after.
async fn pool_in(zone: &'static str, url: &str) -> PgPool {
    let pool = PgPoolOptions::new()
        .max_connections(4)
        .after_connect(move |conn, _| {
            Box::pin(async move {
                sqlx::query("SELECT set_config('timezone', $1, false)")
                    .bind(zone)
                    .execute(conn)
                    .await
                    .map(drop)
            })
        })
        .connect(url)
        .await
        .unwrap();
    let shown: String = sqlx::query_scalar("SHOW timezone")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(shown, zone);
    pool
}

fn caller() -> Identity {
    Identity {
        subject: "tester".to_owned(),
        name: None,
        tenant: TENANT.to_owned(),
        scopes: vec!["tools:read".to_owned()],
        token: "none".into(),
        expires_at: i64::MAX,
        session: None,
        standing: Standing::default(),
    }
}

async fn answers(pool: &PgPool) -> Vec<Value> {
    let clock = FixedClock::at("2026-06-01T12:00:00Z".parse().unwrap());
    let solar = SolarTools::new(pool.clone(), SolarConfig::default(), clock);
    let toolbox = Toolbox::new(vec![Arc::new(solar)]).unwrap();
    let rsf2 = json!("RSF2-INV2");
    let mut answers = Vec::new();
    for (tool, arguments) in [
        ("list_loggers", json!({})),
        ("get_fleet_overview", json!({})),
        (
            "get_power_curve",
            json!({ "logger_id": rsf2, "date": "2022-01-05" }),
        ),
        (
            "analyze_inverter_health",
            json!({ "logger_id": rsf2, "days": 3 }),
        ),
        (
            "calculate_performance_ratio",
            json!({ "logger_id": rsf2, "date": "2022-01-04" }),
        ),
        (
            "calculate_financial_savings",
            json!({ "logger_id": rsf2, "start_date": "2022-01-02" }),
        ),
        ("forecast_production", json!({ "logger_id": rsf2 })),
        ("diagnose_error_codes", json!({ "logger_id": rsf2 })),
        (
            "compare_loggers",
            json!({ "logger_ids": ["RSF2-INV2", "RSF2-METER"] }),
        ),
    ] {
        let answer: Value =
            serde_json::from_slice(&toolbox.call(&caller(), tool, arguments).await.unwrap())
                .unwrap();
        assert_eq!(answer["status"], "ok", "{answer}");
        answers.push(answer);
    }
    answers
}

#[tokio::test]
async fn answers_are_the_same_whatever_the_zone_of_the_sessions() {
    let mut first: Option<Vec<Value>> = None;
    for zone in ["UTC", "Europe/Zurich", "Asia/Kolkata", "Pacific/Kiritimati"] {
        let database = database().await;
        let pool = pool_in(zone, database.url()).await;
        fixtures::load(&pool, TENANT, "rsf2").await;
        let answers = answers(&pool).await;
        match &first {
            None => first = Some(answers),
            Some(first) => assert_eq!(first, &answers, "{zone}"),
        }
    }
}

#[tokio::test]
async fn sessions_of_the_service_run_in_utc_whatever_the_database_says() {
    let database = database().await;
    let alter = format!(
        "ALTER DATABASE \"{}\" SET timezone TO 'Europe/Zurich'",
        database.name()
    );
    sqlx::query(sqlx::AssertSqlSafe(alter))
        .execute(database.pool())
        .await
        .unwrap();
    let app = crate::harness::App::over(database.url());
    let shown: String = sqlx::query_scalar("SHOW timezone")
        .fetch_one(&app.pool)
        .await
        .unwrap();
    assert_eq!(shown, "UTC");
}
