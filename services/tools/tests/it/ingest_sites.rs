//! Sites and loggers from a file.

use tools::ingest::sites::{Applied, SitesError, apply};

use crate::ingest_support::{csv, daily, database, empty_database, store};

const EXAMPLE: &str = include_str!("../../../../deploy/config/sites.toml");

#[tokio::test]
async fn the_example_makes_its_sites_and_loggers_once() {
    let database = empty_database().await;
    let pool = database.pool();
    let expected = Applied {
        sites: 2,
        loggers: 4,
        recomputed: 0,
    };
    for _ in 0..2 {
        assert_eq!(apply(pool, "acme", EXAMPLE).await.unwrap(), expected);
    }
    let row: (String, f64, String) = sqlx::query_as(
        "SELECT l.role, l.capacity_kw, s.logger_id FROM tools.loggers l
         JOIN tools.loggers s ON s.logger_key = l.irradiance_logger_key WHERE l.logger_id = 'ROOF-INV-1'",
    )
    .fetch_one(pool)
    .await
    .unwrap();
    assert_eq!(row, ("inverter".to_owned(), 29.7, "ROOF-WX".to_owned()));
    let loggers: i64 = sqlx::query_scalar("SELECT count(*) FROM tools.loggers")
        .fetch_one(pool)
        .await
        .unwrap();
    assert_eq!(loggers, 4);
}

#[tokio::test]
async fn another_zone_makes_other_days() {
    let database = database().await;
    let pool = database.pool();
    store(pool, &csv("A", 0..600)).await;
    let before = daily(pool, "acme", "A").await;
    let text = "[[sites]]\nid = 'roof'\ntimezone = 'Asia/Tokyo'\n";
    assert_eq!(apply(pool, "acme", text).await.unwrap().recomputed, 1);
    assert_ne!(daily(pool, "acme", "A").await, before);
    assert_eq!(apply(pool, "acme", text).await.unwrap().recomputed, 0);
}

#[tokio::test]
async fn a_file_is_applied_whole_or_not_at_all() {
    let database = empty_database().await;
    let text =
        "[[sites]]\nid = 'a'\ntimezone = 'UTC'\n[[sites.loggers]]\nid = 'I'\nsensor = 'absent'\n";
    let refused = apply(database.pool(), "acme", text).await.unwrap_err();
    assert!(
        matches!(&refused, SitesError::Invalid { reason, .. } if reason.contains("absent")),
        "{refused}"
    );
    let sites: i64 = sqlx::query_scalar("SELECT count(*) FROM tools.sites")
        .fetch_one(database.pool())
        .await
        .unwrap();
    assert_eq!(sites, 0);
}
