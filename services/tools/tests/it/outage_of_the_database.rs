//! The database goes away and comes back.

use http::{Method, StatusCode};
use serde_json::json;

use crate::fixtures;
use crate::harness::{App, TENANT, database};

/// Keeps new sessions from the database and ends those that are there, as a server that stops does.
async fn set_away(admin: &sqlx::PgPool, name: &str, away: bool) {
    let alter = format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS {}", !away);
    sqlx::query(sqlx::AssertSqlSafe(alter))
        .execute(admin)
        .await
        .unwrap();
    if away {
        sqlx::query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1")
            .bind(name)
            .execute(admin)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn the_service_says_so_and_recovers_by_itself() {
    let (database, other) = (database().await, database().await);
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "rsf2").await;
    app.ok("list_loggers", json!({})).await;

    set_away(other.pool(), database.name(), true).await;
    let (status, problem) = app.call_as(TENANT, "list_loggers", json!({})).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("unavailable")),
        "{problem}"
    );
    assert!(!problem.to_string().contains(database.name()), "{problem}");
    let (status, health) = app.send(Method::GET, "/api/health", None, "").await;
    assert_eq!(
        (status, &health["status"]),
        (StatusCode::OK, &json!("degraded"))
    );
    let (status, _) = app.send(Method::GET, "/health/ready", None, "").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        app.send(Method::GET, "/health/live", None, "").await.0,
        StatusCode::OK
    );

    set_away(other.pool(), database.name(), false).await;
    app.ok("list_loggers", json!({})).await;
}

#[tokio::test]
async fn connections_that_died_in_the_pool_are_not_noticed() {
    let (database, other) = (database().await, database().await);
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "rsf2").await;
    app.ok("list_loggers", json!({})).await;
    set_away(other.pool(), database.name(), true).await;
    set_away(other.pool(), database.name(), false).await;
    app.ok("list_loggers", json!({})).await;
}
