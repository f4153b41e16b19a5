//! What readiness says of the database.

use std::time::Duration;

use http::StatusCode;
use service_kit::database::{DatabaseHealth, Liveness, pool};
use service_kit::health::Unready;
use sqlx::PgPool;
use sqlx::migrate::MigrateError;

use crate::bench::{Bench, With, get};

/// The reason that is shown, having looked again.
async fn reason(pool: &PgPool) -> Option<String> {
    let health = DatabaseHealth::new(pool.clone(), "bff").write_interval(Duration::ZERO);
    let migrated = async |pool: PgPool| bff::database::is_migrated(&pool).await;
    let error = health.check(migrated).await.err()?;
    let Unready(reason) = error.downcast_ref::<Unready>().unwrap();
    Some(reason.clone())
}

async fn run(bench: &Bench, statement: String) {
    let statement = sqlx::AssertSqlSafe(statement);
    sqlx::raw_sql(statement)
        .execute(bench.database.pool())
        .await
        .unwrap();
}

/// Ends the sessions that `bench` has not, so that the database's new settings count.
async fn end_sessions(bench: &Bench, application: &str) {
    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()",
    )
    .bind(application)
    .execute(bench.database.pool())
    .await
    .unwrap();
}

#[tokio::test]
async fn a_read_only_database_makes_the_service_unready_until_it_is_writable_again() {
    let bench = Bench::start().await;
    let name = bench.database.name();
    let ours = pool(&bench.config.database, "readiness", Liveness::Always).unwrap();
    assert_eq!(reason(&ours).await, None);
    let set = format!("ALTER DATABASE \"{name}\" SET default_transaction_read_only = on");
    run(&bench, set).await;
    for application in ["readiness", "heliograph-bff"] {
        end_sessions(&bench, application).await;
    }
    assert_eq!(
        reason(&ours).await.as_deref(),
        Some("the database is read-only")
    );
    let ready = bench.send(get("/health/ready")).await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        ready.body["checks"][0]["detail"],
        "the database is read-only"
    );
    let reset = format!(
        "BEGIN READ WRITE; ALTER DATABASE \"{name}\" RESET default_transaction_read_only; COMMIT"
    );
    run(&bench, reset).await;
    end_sessions(&bench, "readiness").await;
    assert_eq!(reason(&ours).await, None);
}

#[tokio::test]
async fn connections_that_died_are_not_noticed_by_a_user_who_is_signed_in() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let access = bench.tokens().await["access_token"]
        .as_str()
        .unwrap()
        .to_owned();
    for _ in 0..3 {
        for request in [
            get("/auth/me").session(&session),
            get("/auth/me").bearer(&access),
        ] {
            assert_eq!(bench.me(request).await, StatusCode::OK);
        }
        end_sessions(&bench, "heliograph-bff").await;
    }
}

#[tokio::test]
async fn tables_that_are_missing_are_told_with_the_command_that_makes_them() {
    let bench = Bench::start().await;
    run(&bench, "DROP SCHEMA bff CASCADE".to_owned()).await;
    let ready = bench.send(get("/health/ready")).await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    let detail = ready.body["checks"][0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("heliograph migrate --service bff"),
        "{detail}"
    );
}

#[tokio::test]
async fn the_cause_is_shown_without_address_or_password() {
    let bench = Bench::start().await;
    let mut config = bench.config.database.clone();
    for (url, expected) in [
        (
            "postgres://reader:secret@127.0.0.1:1/nothing".to_owned(),
            "the database refuses connections: nothing listens there",
        ),
        (
            bench
                .database
                .url()
                .replace(bench.database.name(), "absent"),
            "the database does not exist on the server: `absent`",
        ),
        (
            of_role(&bench, "stranger"),
            "the database does not accept the role or its password: `stranger`",
        ),
    ] {
        config.url = Some(url.into());
        let away = pool(&config, "readiness", Liveness::Always).unwrap();
        assert_eq!(reason(&away).await.as_deref(), Some(expected));
    }
}

/// The URL of the database with another role.
fn of_role(bench: &Bench, role: &str) -> String {
    let (_, server) = bench.database.url().split_once('@').unwrap();
    format!("postgres://{role}:secret@{server}")
}

/// As after a restore by a role that then owns everything.
#[tokio::test]
async fn a_role_without_its_privileges_is_named_with_the_object() {
    let bench = Bench::start().await;
    let role = format!("{}_other", bench.database.name());
    run(
        &bench,
        format!("CREATE ROLE \"{role}\" LOGIN PASSWORD 'secret'"),
    )
    .await;
    let mut config = bench.config.database.clone();
    config.url = Some(of_role(&bench, &role).into());
    let other = pool(&config, "readiness", Liveness::Always).unwrap();
    let refused = reason(&other).await.unwrap();
    other.close().await;
    run(&bench, format!("DROP ROLE \"{role}\"")).await;
    assert_eq!(
        refused,
        format!("the role lacks a privilege: `{role}`, permission denied for schema bff")
    );
}

/// Records a migration that this program does not have as applied.
async fn record(bench: &Bench, version: i64) {
    let statement = format!(
        "INSERT INTO bff._sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES ({version}, 'of another version', true, '', 0)"
    );
    run(bench, statement).await;
}

#[tokio::test]
async fn an_earlier_version_leaves_the_tables_of_a_newer_one_as_they_are() {
    let bench = Bench::start().await;
    let pool = bench.database.pool();
    record(&bench, 99_990_101_000_000).await;
    bff::migrate(pool).await.unwrap();
    assert!(bff::database::is_migrated(pool).await.unwrap());
    let newest = "SELECT max(version) FROM bff._sqlx_migrations";
    let newest: i64 = sqlx::query_scalar(newest).fetch_one(pool).await.unwrap();
    assert_eq!(newest, 99_990_101_000_000);

    // Without one of the migrations of this version, it is the database of another program.
    let lost = "DELETE FROM bff._sqlx_migrations WHERE version =
        (SELECT max(version) FROM bff._sqlx_migrations WHERE version < 99990101000000)";
    run(&bench, lost.to_owned()).await;
    let refused = bff::migrate(pool).await.unwrap_err();
    assert!(refused.to_string().contains("99990101000000"), "{refused}");
}

#[tokio::test]
async fn a_database_of_another_history_is_not_migrated() {
    let bench = Bench::start().await;
    record(&bench, 3).await;
    let refused = bff::migrate(bench.database.pool()).await.unwrap_err();
    assert!(
        matches!(refused, MigrateError::VersionMissing(3)),
        "{refused}"
    );
}
