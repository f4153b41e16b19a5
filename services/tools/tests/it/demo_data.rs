//! The demo tenant and the generator.

use demo_park::{LargeError, LargeOptions, LargeProgress, TENANT, generate_large, seed};
use sqlx::PgPool;

use crate::ingest_support::{empty_database, sites, stored};

async fn records(pool: &PgPool, tenant: &str) -> Vec<(String, i64)> {
    sqlx::query_as(
        "SELECT logger_id, record_count FROM tools.loggers WHERE tenant = $1 ORDER BY logger_id",
    )
    .bind(tenant)
    .fetch_all(pool)
    .await
    .unwrap()
}

/// Performance ratio since a day, from what is kept per day.
async fn performance_ratio(pool: &PgPool, logger: &str, since: &str) -> f64 {
    sqlx::query_scalar(
        "SELECT sum(d.pairs_kwh) / (l.capacity_kw * sum(d.pairs_insolation))
         FROM tools.daily d JOIN tools.loggers l USING (logger_key) 
         WHERE l.logger_id = $1 AND d.day >= $2::date GROUP BY l.capacity_kw",
    )
    .bind(logger)
    .bind(since)
    .fetch_one(pool)
    .await
    .unwrap()
}

#[tokio::test]
async fn the_demo_is_loaded_once_and_has_its_figures() {
    let database = empty_database().await;
    let pool = database.pool();
    let mut steps = Vec::new();
    assert!(
        seed(pool, |step| steps.push(step.to_owned()))
            .await
            .unwrap()
    );
    assert_eq!(steps.len(), 3);
    let expected = [
        ("GW-INV-001", 7938),
        ("LTI-INV-001", 7937),
        ("MEIER-INV-001", 7935),
        ("RSF2-INV2", 480),
        ("RSF2-METER", 480),
        ("SD-INV-001", 7913),
    ];
    assert_eq!(
        records(pool, TENANT).await,
        expected.map(|(id, count)| (id.to_owned(), count))
    );
    let flawless = performance_ratio(pool, "GW-INV-001", "2025-12-04").await;
    assert!((flawless - 1.001).abs() < 0.0005, "{flawless}");
    let weak = performance_ratio(pool, "MEIER-INV-001", "2025-12-04").await;
    assert!((weak - 0.683).abs() < 0.0005, "{weak}");
    assert!(!seed(pool, |_| ()).await.unwrap());
}

#[tokio::test]
async fn a_seed_that_was_cut_is_finished() {
    let database = empty_database().await;
    let pool = database.pool();
    seed(pool, |_| ()).await.unwrap();
    sqlx::query("UPDATE tools.loggers SET record_count = 0 WHERE logger_id = 'SD-INV-001'")
        .execute(pool)
        .await
        .unwrap();
    assert!(seed(pool, |_| ()).await.unwrap());
    assert_eq!(stored(pool, TENANT).await, (32_683, 32_683));
}

#[tokio::test]
async fn a_tenant_with_sites_of_its_own_gets_no_demo() {
    let database = empty_database().await;
    sites(database.pool(), TENANT, &["mine"]).await;
    assert!(!seed(database.pool(), |_| ()).await.unwrap());
    assert_eq!(stored(database.pool(), TENANT).await, (0, 0));
}

#[tokio::test]
async fn the_generator_makes_the_same_fleet_from_the_same_seed() {
    let database = empty_database().await;
    let pool = database.pool();
    let options = |tenant: &str| LargeOptions {
        tenant: tenant.to_owned(),
        sites: 2,
        loggers: 5,
        days: 20,
        step_minutes: 15,
        ..LargeOptions::default()
    };
    let mut seen = Vec::new();
    let report = generate_large(pool, &options("one"), |progress| seen.push(progress))
        .await
        .unwrap();
    let expected = 5 * 20 * 96;
    assert!(
        (expected * 97 / 100..=expected).contains(&report.rows),
        "{}",
        report.rows
    );
    assert_eq!(
        seen.last(),
        Some(&LargeProgress::RollingUp { sites: 2, of: 2 })
    );
    let rows = i64::try_from(report.rows).unwrap();
    assert_eq!(stored(pool, "one").await, (rows, rows));

    let again = generate_large(pool, &options("two"), |_| ()).await.unwrap();
    assert_eq!(again.rows, report.rows);
    assert_eq!(records(pool, "one").await, records(pool, "two").await);

    let refused = generate_large(pool, &options("one"), |_| ())
        .await
        .unwrap_err();
    assert!(matches!(refused, LargeError::TenantNotEmpty(tenant) if tenant == "one"));
}

#[tokio::test]
async fn a_generated_fleet_performs_like_a_real_one() {
    let database = empty_database().await;
    let pool = database.pool();
    let options = LargeOptions {
        sites: 1,
        loggers: 3,
        days: 30,
        step_minutes: 15,
        ..LargeOptions::default()
    };
    generate_large(pool, &options, |_| ()).await.unwrap();
    for logger in ["S001-INV-001", "S001-INV-002"] {
        let ratio = performance_ratio(pool, logger, "2025-11-05").await;
        assert!((0.5..1.0).contains(&ratio), "{logger}: {ratio}");
    }
}

#[tokio::test]
async fn shipments_are_loaded_once_and_have_their_figures() {
    let database = empty_database().await;
    let pool = database.pool();
    assert!(demo_freight::seed(pool).await.unwrap());
    assert!(!demo_freight::seed(pool).await.unwrap(), "they are there");
    let miami: Vec<(String, i64, f64, i64)> = sqlx::query_as(
        "SELECT tenant, count(*), avg(delay_hours), count(*) FILTER (WHERE is_late)
         FROM demo_freight.shipments
         WHERE destination_port = 'Port of Miami' AND actual_arrival >= '2025-01-08Z' AND actual_arrival < '2025-01-16Z'
         GROUP BY tenant ORDER BY tenant",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    assert_eq!((miami[0].0.as_str(), miami[0].1), ("demo", 142));
    assert_eq!(miami[1].0, "rival");
    assert!(miami[0].2 > 15.0, "Miami is congested: {miami:?}");
    assert!(miami[0].3 > 10 && miami[0].3 < miami[0].1, "{miami:?}");
    let before: f64 = sqlx::query_scalar(
        "SELECT avg(delay_hours) FROM demo_freight.shipments
         WHERE tenant = 'demo' AND destination_port = 'Port of Miami' AND actual_arrival < '2024-12-12Z'",
    )
    .fetch_one(pool)
    .await
    .unwrap();
    assert!(before + 10.0 < miami[0].2, "{before} before, {miami:?}");
}
